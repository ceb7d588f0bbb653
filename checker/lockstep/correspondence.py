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
    """Keys of the trace format, `DecodeRow.len PrefillRow.len`; or `none: ` and why a trace has none."""


_STEP: Final = "ghost: the runtime has none, because it keeps no record of its last step; its observer hears of it"
_COUNTED: Final = "ghost: the runtime has none, because the spec counts by itself what the runtime ought to do"
_OTHERS: Final = "ghost: the runtime has none, because it knows all its requests by name"
_WHOLE: Final = "ghost: the runtime has none, because it hands a request's whole text to the cache"
_NO_TOKENS: Final = "none: a trace has no tokens, so nobody knows whose text it is"
_NO_STEP: Final = "none: the events themselves say what happened"
_NOT_RECORDED: Final = "none: only the spec counts it"
_ROWS: Final = "Admit.{0} PrefillRow.{0} DecodeRow.{0} ResultRow.{0}"

_LINES: Final = ("Take", "Admit", "Launch", "Process", "Publish", "Free", "Evict", "End")

TIES: Final[dict[str, Tie]] = {
    "Text.family": Tie("cache", _NO_TOKENS),
    "Text.length": Tie("cache", "Publish.len"),
    "Row.present": Tie("rows.seat", "PrefillRow.r DecodeRow.r"),
    "Row.decode_count": Tie("rows.decode_count", "DecodeRow.count"),
    "Row.seq_len": Tie("rows.seq_len", "PrefillRow.len DecodeRow.len"),
    "Row.family": Tie("table.tokens", _NO_TOKENS),
    "Row.source": Tie("rows.source", "CopiedState.from_"),
    "Row.start": Tie("rows.start", "PrefillRow.start DecodeRow.start CopiedState.len"),
    "Row.working": Tie(
        "rows.working", "PrefillRow.writes DecodeRow.writes PrefillRow.reads DecodeRow.reads CopiedState.to"
    ),
    "Row.position": Tie("rows.position", "Mark.pos"),
    "Row.slot": Tie("rows.slot", "Mark.slot"),
    "Row.mark": Tie("rows.mark", "PrefillRow.marks DecodeRow.marks Mark.len"),
    "Batch.rows": Tie("pending", "Launch.rows Process.rows"),
    "Batch.others": Tie(_OTHERS, "none: a trace names every request"),
    "Request.phase": Tie("table.phase", _NO_STEP),
    "Request.family": Tie("table.tokens", _NO_TOKENS),
    "Request.seq_len": Tie("table.seq_len", "PrefillRow.len DecodeRow.len"),
    "Request.decode_count": Tie("table.decode_count", "DecodeRow.count"),
    "Request.source": Tie("table.source", "Hit.slot Launch.copies"),
    "Request.prefix": Tie("table.prefix", "Hit.len Admit.hit"),
    "Request.working": Tie("table.working", "Admit.working"),
    "Request.ring": Tie("table.ring", _ROWS.format("ring")),
    "Request.next": Tie("table.next", _ROWS.format("next")),
    "Request.last": Tie("table.last", _ROWS.format("last")),
    "Request.last_len": Tie("table.last_len", "ResultRow.last_len"),
    "Request.former": Tie(_WHOLE, _NOT_RECORDED),
    "Request.recent": Tie("ghost: the runtime has none, because its interval is a number, never `any`", _NOT_RECORDED),
    "Request.due": Tie(_COUNTED, _NOT_RECORDED),
    "Request.owed": Tie(_COUNTED, _NOT_RECORDED),
    "Request.owed_at": Tie(_COUNTED, _NOT_RECORDED),
    "Event.prepared": Tie(_STEP, _NO_STEP),
    "Event.spare_taken": Tie(_STEP, _NO_STEP),
    "Event.no_spare": Tie(_STEP, _NO_STEP),
    "Event.processed": Tie(_STEP, "ResultRow.skipped"),
    "Event.lookahead": Tie(_STEP, "ResultRow.lookahead"),
    "Event.boundary": Tie(_STEP, _NO_STEP),
    "Event.finished": Tie(_STEP, "ResultRow.done"),
    "Event.aborted": Tie(_STEP, "End.why"),
    "Event.published": Tie(_STEP, "Publish.len"),
    "Event.refused": Tie(_STEP, _NO_STEP),
    "Event.key_cached": Tie(_STEP, "Publish.stored"),
    "Event.no_replacement": Tie(_STEP, _NO_STEP),
    "Event.short_key": Tie(_STEP, _NO_STEP),
    "Event.owed": Tie(_STEP, _NOT_RECORDED),
    "Step.events": Tie(_STEP, _NO_STEP),
    "Step.asked": Tie(_STEP, _NO_STEP),
    "Step.reused": Tie(_STEP, _NO_STEP),
    "State.requests": Tie("table", "Admit.r ResultRow.r Publish.r Take.r End.r CopiedState.r"),
    "State.batches": Tie("pending", "Launch.b Process.b"),
    "State.pending": Tie("pending", _NO_STEP),
    "State.written": Tie("pending", "none: a trace tells what the CPU has done"),
    "State.free": Tie("pool.kind", "Take.slots Free.slots Evict.slot"),
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

_SHORT: Final = "because a recorder may write unchanged rows in short, and ours does not"
_EPOCH: Final = "because a name of the spec is used again only when nothing of it is left"
_CHUNKS: Final = "because the spec prefills a prompt in one chunk"
_MOVES: Final = "because a checkpoint of the spec is not shared, and nobody's key moves"
_RESULT: Final = "because the spec processes a result in one step"
_TEXTS: Final = "because a digest of tokens would stand for the text that the spec has as a family"
_VERIFY: Final = "because the spec has no verify rows"

TRACE_ONLY: Final[dict[str, str]] = {
    **{f"{kind}.t": "because the spec has no clock" for kind in _LINES},
    **{f"{kind}.same": _SHORT for kind in ("PrefillRow", "DecodeRow", "ResultRow")},
    **{f"{kind}.epoch": _EPOCH for kind in ("Admit", "PrefillRow", "DecodeRow", "ResultRow")},
    **{f"{kind}.during": _RESULT for kind in ("Take", "Publish", "Free", "Evict")},
    **{f"{kind}.text": _TEXTS for kind in ("Hit", "CopiedState", "Publish")},
    **{f"{kind}.last_chunk": _CHUNKS for kind in ("PrefillRow", "DecodeRow")},
    **{f"{kind}.pos": "because a mark says its position" for kind in ("PrefillRow", "DecodeRow")},
    **{f"{kind}.s": "because the spec has no sessions" for kind in ("Take", "Admit")},
    **{f"ResultRow.{key}": _VERIFY for key in ("accepted", "retained", "wrote")},
    **{f"Publish.{key}": _MOVES for key in ("shared", "replaced_by")},
    "PrefillRow.count": "because a prefill is no decode step",
    "Launch.clears": "because a row that starts from the empty state says so",
    "Launch.waits": "because the spec has no transfers",
    "End.saved": "because the spec saves no state to the host",
}
"""Keys of a trace that no field of the spec stands for, each with the reason."""


def shared(record: str, where: str) -> tuple[str, ...]:
    """Return the fields of a record of the spec that a column of the runtime stands for under the same name."""
    return tuple(
        field
        for owner, _, field in (name.partition(".") for name in TIES)
        if owner == record and TIES[f"{owner}.{field}"].runtime == f"{where}.{field}"
    )
