"""What can be done now on both sides: who may be admitted, decoded, ended or moved, and whether a batch may follow."""

from __future__ import annotations

from checker.lockstep.lockstep import Lockstep
from spec.rows import has_rows
from spec.state import IDLE, RUNNING, RequestId, Text


def unused(lockstep: Lockstep) -> list[RequestId]:
    """Return the names that may be given to a new request; none while every seat is taken."""
    if not lockstep.engine.table.seats_left:
        return []
    requests = enumerate(lockstep.state.requests)
    return [name for name, me in requests if me.phase == IDLE and not has_rows(lockstep.state, name)]


def in_phase(lockstep: Lockstep, phase: int) -> list[RequestId]:
    """Return the names of requests in a phase."""
    return [name for name, me in enumerate(lockstep.state.requests) if me.phase == phase]


def decodable(lockstep: Lockstep) -> list[RequestId]:
    """Return the names that may be in a decode batch."""
    requests, longest = lockstep.state.requests, lockstep.scope.max_len
    return [name for name in in_phase(lockstep, RUNNING) if requests[name].seq_len < longest]


def ending(lockstep: Lockstep) -> list[RequestId]:
    """Return the names that may finish with the oldest result."""
    rows = enumerate(lockstep.state.batches[0].rows)
    return [name for name, row in rows if row.present and lockstep.state.requests[name].phase == RUNNING]


def room(lockstep: Lockstep) -> bool:
    """Return whether one more batch may be launched."""
    return len(lockstep.engine.pending) < lockstep.scope.window


def ready(lockstep: Lockstep) -> bool:
    """Return whether there is a result to process; a device of its own is waited for."""
    return bool(lockstep.engine.pending) and (not lockstep.simulated or lockstep.engine.pending[0].ran.done())


def seats_left(lockstep: Lockstep) -> list[int]:
    """Return the seats where nobody sits."""
    return sorted(set(range(lockstep.engine.config.requests)) - set(lockstep.seats.values()))


def movable(lockstep: Lockstep) -> list[RequestId]:
    """Return the names that may move to another seat: rows go by seats, so all of theirs have returned."""
    return [name for name in sorted(lockstep.seats) if not has_rows(lockstep.state, name)]


def regroupable(lockstep: Lockstep) -> list[RequestId]:
    """Return the names with rows in flight beside those of others."""
    requests = enumerate(lockstep.state.requests)
    running = [name for name, me in requests if me.phase == RUNNING]
    together = [batch.rows for batch in lockstep.state.batches if sum(row.present for row in batch.rows) > 1]
    return [name for name in running if any(rows[name].present for rows in together)]


def unlocked(lockstep: Lockstep) -> list[Text]:
    """Return the keys of what may be evicted."""
    return [lockstep.state.cached[node.slot] for node in lockstep.engine.cache if not node.locks]
