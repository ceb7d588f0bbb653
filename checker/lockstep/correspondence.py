"""Where each field of the spec is found in the runtime and in a trace, or why it is in neither.

The one table that ties the three together. By it the lockstep compares what shares its name
(checker/lockstep/abstraction.py), and `slotproof fields` holds it against the real records in both directions
(checker/lockstep/fields.py).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Tie(NamedTuple):
    """Where one field of the spec is found."""

    runtime: str
    """A place in an engine, `table.COLUMN` of its requests, `rows.COLUMN` of a batch; or `ghost: ` and the reason."""
    trace: str
    """Keys of the trace format, `PrepareRow.len PrefillRow.len`; or `none: ` and why a trace has none."""


_STEP: Final = "ghost: the runtime has none, because it keeps no record of its last step; its observer hears of it"
_COUNTED: Final = "ghost: the runtime has none, because the spec counts by itself what the runtime ought to do"
_OTHERS: Final = "ghost: the runtime has none, because it knows all its requests by name"
_NO_TOKENS: Final = "none: a trace has no tokens, so nobody knows whose text it is"
_NO_STEP: Final = "none: the events themselves say what happened"
_NOT_RECORDED: Final = "none: only the spec counts it"
_ROWS: Final = "Admit.{0} PrefillRow.{0} PrepareRow.{0} ProcessRow.{0}"

TIES: Final[dict[str, Tie]] = {
    "Text.family": Tie("cache", _NO_TOKENS),
    "Text.length": Tie("cache", "Publish.len"),
    "Row.present": Tie("rows.seat", "PrefillRow.r PrepareRow.r"),
    "Row.decode_count": Tie("rows.decode_count", "PrepareRow.count"),
    "Row.seq_len": Tie("rows.seq_len", "PrefillRow.len PrepareRow.len"),
    "Row.family": Tie("table.tokens", _NO_TOKENS),
    "Row.source": Tie("rows.source", "PrefillRow.copy_from"),
    "Row.start": Tie("rows.start", "PrefillRow.prefix"),
    "Row.working": Tie("rows.working", "none: a request keeps the working slot of its admission"),
    "Row.position": Tie("rows.position", "PrefillRow.pos PrepareRow.pos"),
    "Row.slot": Tie("rows.slot", "PrefillRow.slot PrepareRow.slot"),
    "Row.mark": Tie("rows.mark", "PrefillRow.mark PrepareRow.mark"),
    "Batch.rows": Tie("pending", "Prefill.rows Prepare.rows Process.rows"),
    "Batch.others": Tie(_OTHERS, "none: a trace names every request"),
    "Request.phase": Tie("table.phase", _NO_STEP),
    "Request.family": Tie("table.tokens", _NO_TOKENS),
    "Request.seq_len": Tie("table.seq_len", "PrefillRow.len PrepareRow.len"),
    "Request.decode_count": Tie("table.decode_count", "PrepareRow.count"),
    "Request.source": Tie("table.source", "PrefillRow.copy_from"),
    "Request.prefix": Tie("table.prefix", "PrefillRow.prefix"),
    "Request.working": Tie("table.working", "Admit.working"),
    "Request.ring": Tie("table.ring", _ROWS.format("ring")),
    "Request.next": Tie("table.next", _ROWS.format("next")),
    "Request.last": Tie("table.last", _ROWS.format("last")),
    "Request.last_len": Tie("table.last_len", "ProcessRow.last_len"),
    "Request.recent": Tie("ghost: the runtime has none, because its interval is a number, never `any`", _NOT_RECORDED),
    "Request.due": Tie(_COUNTED, _NOT_RECORDED),
    "Request.owed": Tie(_COUNTED, _NOT_RECORDED),
    "Request.owed_at": Tie(_COUNTED, _NOT_RECORDED),
    "Event.prepared": Tie(_STEP, _NO_STEP),
    "Event.spare_taken": Tie(_STEP, _NO_STEP),
    "Event.no_spare": Tie(_STEP, _NO_STEP),
    "Event.processed": Tie(_STEP, "ProcessRow.skipped"),
    "Event.lookahead": Tie(_STEP, "ProcessRow.lookahead"),
    "Event.boundary": Tie(_STEP, _NO_STEP),
    "Event.finished": Tie(_STEP, "ProcessRow.done"),
    "Event.aborted": Tie(_STEP, "none: an abort shows by what it frees"),
    "Event.published": Tie(_STEP, "Publish.len"),
    "Event.refused": Tie(_STEP, _NO_STEP),
    "Event.key_cached": Tie(_STEP, "Publish.stored"),
    "Event.no_replacement": Tie(_STEP, _NO_STEP),
    "Event.owed": Tie(_STEP, _NOT_RECORDED),
    "Step.events": Tie(_STEP, _NO_STEP),
    "Step.asked": Tie(_STEP, _NO_STEP),
    "Step.reused": Tie(_STEP, _NO_STEP),
    "State.requests": Tie("table", "Admit.r ProcessRow.r Publish.r"),
    "State.batches": Tie("pending", "Prefill.b Prepare.b Process.b"),
    "State.pending": Tie("pending", _NO_STEP),
    "State.written": Tie("pending", "none: a trace tells what the CPU has done"),
    "State.free": Tie("pool.kind", "Free.slots Evict.slot"),
    "State.holds": Tie("states", "none: the judge works it out of what the rows write"),
    "State.cached": Tie("cache", "Publish.slot"),
    "State.others": Tie(_OTHERS, "none: a trace names every request"),
    "State.step": Tie(_STEP, _NO_STEP),
}
"""By record and field of spec/state.py, in its order."""

RUNTIME_ONLY: Final[dict[str, str]] = {
    "table.last_batch": "because the runtime frees a slot only once the last row that touches it has returned",
    "table.epoch": "because a seat of the runtime is given to one request after the other",
    "rows.epoch": "because a row belongs to the request that sat there at its preparation",
}
"""Columns of the runtime that no field of the spec stands for, each with the reason."""

TRACE_ONLY: Final[dict[str, str]] = {}
"""Keys of a trace that no field of the spec stands for, each with the reason."""


def shared(record: str, where: str) -> tuple[str, ...]:
    """Return the fields of a record of the spec that a column of the runtime stands for under the same name."""
    return tuple(
        field
        for owner, _, field in (name.partition(".") for name in TIES)
        if owner == record and TIES[f"{owner}.{field}"].runtime == f"{where}.{field}"
    )
