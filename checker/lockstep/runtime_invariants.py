"""What the runtime alone knows, held against its own rows in flight: slots held back, claims, reads, tokens.

The spec has no word for these: for it a slot that is held back belongs to others, and a token is a text's. A slot that
never comes back, or a count that is never taken back, would show much later, or to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from runtime.batch import ROW_COLUMNS
from runtime.boundary import ABSENT
from runtime.engine import Engine
from runtime.exact_model import text
from runtime.pool import COOLING, FREE
from runtime.prefix_cache import CacheEntry
from spec.state import ADMITTED, State

_SEAT, _EPOCH, _WORKING, _SOURCE, _SLOT = (
    ROW_COLUMNS[name].number for name in ("seat", "epoch", "working", "source", "slot")
)

Listed = list[list[int]]
"""Rows as plain numbers, in the order of `ROW_COLUMNS`: there are few, and lists are faster than columns then."""


def rows_in_flight(engine: Engine, before: int | None = None) -> Listed:
    """Return the rows of all pending batches; `before`: of those alone that were launched before that one."""
    pending = engine.pending if before is None else [batch for batch in engine.pending if batch.number < before]
    return [row for batch in pending for row in batch.rows.block.T.tolist()]


def touched(rows: Listed) -> set[int]:
    """Return the slots that rows in flight read or write."""
    return {row[column] for row in rows for column in (_WORKING, _SOURCE, _SLOT)} - {ABSENT}


def evictable(engine: Engine) -> list[CacheEntry]:
    """Return the cache entries whose slots would be free at once: nobody copies from them, now or soon."""
    reading = touched(rows_in_flight(engine))
    return [node for node in engine.cache if not node.locks and node.slot not in reading]


def broken_invariants(engine: Engine, s: State, seats: dict[int, int]) -> Iterator[str]:
    """Yield whatever does not fit the rows in flight; `seats`: where each request of the spec sits."""
    rows = rows_in_flight(engine)
    yield from _pool(engine, rows)
    yield from _reads(engine)
    epochs = engine.table.epoch.tolist()
    yield from _tokens(engine, s, seats, [row[_SEAT] for row in rows if row[_EPOCH] == epochs[row[_SEAT]]])
    if engine.table.seats_left + len(seats) != engine.config.requests:
        yield f"seats: {engine.table.seats_left} are left beside {len(seats)} taken, of {engine.config.requests}"


def _pool(engine: Engine, rows: Listed) -> Iterator[str]:
    pool = engine.pool
    kinds, holders, claims = pool.kind.tolist(), pool.holder.tolist(), pool.claims.tolist()
    written, used = [row[_SLOT] for row in rows], touched(rows)
    for slot, kind in enumerate(kinds):
        if claims[slot] != written.count(slot):
            yield f"claims: {claims[slot]} rows are noted to write slot {slot}, and {written.count(slot)} do"
        if kind in (FREE, COOLING) and holders[slot] != ABSENT:
            yield f"holder: slot {slot} is nobody's, and is held by {holders[slot]}"
        if kind == FREE and slot in used:
            yield f"in-flight: slot {slot} may be taken, and a row in flight writes it or starts from it"
    if pool.available != kinds.count(FREE):
        yield f"available: {pool.available} slots can be taken, and {kinds.count(FREE)} are free"
    held_for = pool.held_for()
    if held_for and not engine.processed < max(held_for) < engine.launched:
        yield f"held back: slots wait for batch {max(held_for)}, batches {engine.processed + 1} and up are pending"


def _reads(engine: Engine) -> Iterator[str]:
    """Yield the entries that do not know by which batch in flight they are read."""
    reading = {
        int(batch.rows.source[0]): batch.number
        for batch in engine.pending
        if len(batch.rows) == 1 and batch.rows.decode_count[0] == 0
    }
    for node in engine.cache:
        known = node.read_by if node.read_by > engine.processed else ABSENT
        if known != reading.get(node.slot, ABSENT):
            wanted = reading.get(node.slot, ABSENT)
            yield f"read by: slot {node.slot} is cached as read by batch {known}, and batch {wanted} copies from it"


def _tokens(engine: Engine, s: State, seats: dict[int, int], in_flight: list[int]) -> Iterator[str]:
    """Yield the requests whose tokens are not their text; `in_flight`: the seat of each row that is still wanted."""
    for name, seat in seats.items():
        me = s.requests[name]
        # One more than the state covers once every result has come back; a prefill brings the first of these.
        known = me.seq_len if me.phase == ADMITTED else me.seq_len + 1 - in_flight.count(seat)
        found = engine.table.tokens[seat, :known].tolist()
        if tuple(found) != text(found[0], engine.config.max_len + 1)[0][:known]:
            yield f"tokens: r{name + 1} has {found} of a text that goes otherwise"
