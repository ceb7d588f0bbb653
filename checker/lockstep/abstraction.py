"""The runtime looked at as a state of the spec: host records, rows in flight, owners, and what the tensors hold.

Compared is what the spec knows. Where it has forgotten something on purpose (what a free slot holds, the rows of a
request that has left) there is nothing to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checker.lockstep.correspondence import shared
from checker.lockstep.runtime_invariants import broken_invariants
from checker.lockstep.view import View
from runtime.boundary import ABSENT
from runtime.pool import CACHE, FREE, RING, WORKING
from runtime.requests import TABLE_COLUMNS
from spec.rows import claims_behind
from spec.state import IDLE, RUNNING, Row, State

REQUEST_FIELDS = tuple(field for field in shared("Request", "table") if field in TABLE_COLUMNS)
"""Fields that a request of the spec and a record of the runtime share by name; the ring lies beside the records."""
_START = ("source", "start")
"""Where a row starts from: the spec forgets it once a prefill has run."""
ROW_FIELDS = tuple(field for field in shared("Row", "rows") if field not in _START)
"""Fields that a row of the spec and one of the runtime share by name, apart from where it starts."""


def differences(view: View, s: State, seats: dict[int, int], contents: bool) -> Iterator[str]:
    """Yield everything in which the runtime is not the spec's state; `seats`: where each request of the spec sits.

    contents: whether the device has run exactly what the spec says, so that what has been run, and what slots hold,
    can be compared as well.
    """
    records = view.records()
    yield from _requests(view, s, seats, records)
    yield from _batches(view, s, seats, contents)
    yield from _owners(view, s, seats)
    yield from broken_invariants(view.engine, s, seats)
    if contents:
        yield from _contents(view, s)


def _requests(view: View, s: State, seats: dict[int, int], records: list[dict[str, int]]) -> Iterator[str]:
    rings = view.engine.table.ring.tolist()
    for name, me in enumerate(s.requests):
        if name not in seats:
            if me.phase != IDLE:
                yield f"phase: r{name + 1} is in use in the spec, and has left the runtime"
            continue
        record = records[seats[name]]
        for field in REQUEST_FIELDS:
            if record[field] != getattr(me, field):
                yield f"{field}: r{name + 1} has {record[field]} in the runtime and {getattr(me, field)} in the spec"
        if rings[seats[name]] != me.ring:
            yield f"ring: r{name + 1} has {rings[seats[name]]} in the runtime and {list(me.ring)} in the spec"
        family = view.family(seats[name])
        if family != me.family:
            yield f"text: r{name + 1} computes text {family} in the runtime and {me.family} in the spec"
    used = sum(record["phase"] != IDLE for record in records)
    if used != len(seats):
        yield f"seats: {used} are in use in the runtime, and {len(seats)} requests in the spec"


def _batches(view: View, s: State, seats: dict[int, int], in_step: bool) -> Iterator[str]:
    pending = view.engine.pending
    written = sum(batch.ran.done() for batch in pending) if in_step else s.written
    if (len(pending), written) != (s.pending, s.written):
        yield f"batches: {len(pending)} pending, {written} run in the runtime; {s.pending}, {s.written} in the spec"
        return
    by_seat = {seat: name for name, seat in seats.items()}
    epochs = view.engine.table.epoch.tolist()
    for index, batch in enumerate(pending):
        listed = batch.rows.listed()
        # A seat where nobody sits any more goes by no name, and the spec has no such row.
        here = {by_seat.get(row["seat"], ABSENT): row for row in listed if row["epoch"] == epochs[row["seat"]]}
        present = {name: row for name, row in enumerate(s.batches[index].rows) if row.present}
        alive = {name for name in present if s.requests[name].phase == RUNNING}
        if here.keys() != alive or len(listed) != len(present):
            yield f"rows: batch {batch.number} has rows of {sorted(here)} in the runtime and of {sorted(alive)} here"
            continue
        for name in alive:
            yield from _row(batch.number, name, here[name], present[name], index < s.written)


def _row(number: int, name: int, found: dict[str, int], row: Row, ran: bool) -> Iterator[str]:
    fields: tuple[str, ...] = ROW_FIELDS
    if not (ran and row.decode_count == 0):
        fields += _START
    for field in fields:
        if found[field] != getattr(row, field):
            what = f"{found[field]} in the runtime and {getattr(row, field)} in the spec"
            yield f"row {field}: r{name + 1} in batch {number} has {what}"


def _owners(view: View, s: State, seats: dict[int, int]) -> Iterator[str]:
    engine = view.engine
    kinds, holders = engine.pool.kind.tolist(), engine.pool.holder.tolist()
    owned: dict[int, tuple[int, int]] = {}
    for name, me in enumerate(s.requests):
        if me.phase != IDLE:
            owned[me.working] = (WORKING, seats[name])
            owned |= {slot: (RING, seats[name]) for slot in me.ring if slot != ABSENT}
    cached = {node.slot: view.keys.get(node.key) for node in engine.cache}
    running = [name for name, me in enumerate(s.requests) if me.phase == RUNNING]
    for slot, kind in enumerate(kinds):
        if (kind == FREE) != s.free[slot]:
            yield f"free: slot {slot} is free in the {'runtime' if kind == FREE else 'spec'} only"
        if slot in owned and (kind, holders[slot]) != owned[slot]:
            yield f"owner: slot {slot} has class {kind}, holder {holders[slot]} in the runtime and not {owned[slot]}"
        key: Any = (s.cached[slot].family, s.cached[slot].length)
        if (kind == CACHE) != (key[0] != ABSENT) or (kind == CACHE and cached.get(slot) != key):
            yield f"cache: slot {slot} is cached as {cached.get(slot)} in the runtime and as {key} in the spec"
        wanted = sum(claims_behind(s, name, slot, ABSENT) for name in running)
        if slot in owned and engine.pool.claims[slot] != wanted:
            yield f"claims: {engine.pool.claims[slot]} rows write slot {slot} in the runtime and {wanted} in the spec"
    for node in engine.cache:
        # Of the spec: what a record has lost of its source would be missing on both sides here.
        wanted = sum(me.source == node.slot for me in s.requests)
        if node.locks != wanted:
            yield f"locks: slot {node.slot} is locked {node.locks} times, and {wanted} admitted requests copy from it"


def _contents(view: View, s: State) -> Iterator[str]:
    contents = view.contents()
    for slot, known in enumerate(s.holds):
        if known.family != ABSENT and contents[slot] != view.texts[known.family, known.length]:
            found, wanted = view.named(contents[slot]), (known.family, known.length)
            yield f"holds: slot {slot} holds {found} on the device, and {wanted} in the spec"
    if any(part != (0, 0) for part in contents[view.engine.states.padding]):
        yield "padding: the padding row has been written"
