"""What a judge hands back, as plain data."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

HARMFUL_IF = {
    "ring-apart": "the request finished, or donated, before that row's result was processed: "
    "the slot would have been published under the old label and then overwritten",
    "flip-once": "the next boundary was written over the only checkpoint and the request finished in that window",
    "exact-label": "the slot was published under this label",
    "keep-index-defined": "the request finished and published by that position",
    "lookahead-window": "the result side computed a label or a position from it",
    "grid": "a later request asked for this prefix with a key that is cut to the grid",
    "release-all": "the slot is needed again: nobody will ever free it",
    "checkpoint-not-lost": "a later request asks for that prefix and has to compute it again (nothing wrong is stored)",
    "distinct-targets": "the new owner published the slot before its own write",
    "deferred-once": "the request published a state that it reached from the wrong start",
    "retract-pure": "the retracted request's tokens are not what the cache key says",
    "accounting": "the pool ran out of slots that admission had promised to others",
}
HARMFUL_OTHERWISE = "the engine acted on the value that the record shows"


class HistoryEntry(NamedTuple):
    """One line of a slot's story: what the CPU did, what is then known of the device; either may be empty."""

    line: int
    batch: int | None
    cpu: str
    device: str


class Violation(Struct):
    """A slot of the cache is, or may become, something else than its label, or a slot has two owners.

    `slot` is None where the engine used its marker for "no slot"; `label` is in tokens (None where no label is
    involved). `root` is the line of the violation that this one follows from, None if it is a first cause; followers
    have no story of their own.
    """

    line: int
    event: str
    request: str | None
    slot: int | None
    label: int | None
    kind: str
    holds: str
    message: str
    root: int | None = None
    story: list[HistoryEntry] = []


class Hazard(Struct):
    """A broken property that has put nothing wrong into the cache (so far).

    `healed_at` is the line where it was over, `harmful_at` the line of a violation by the same request while it was
    open; both None: it was still open when the trace ended.
    """

    property: str
    line: int
    request: str | None
    slot: int | None
    explanation: str
    harmful_if: str
    healed_at: int | None = None
    harmful_at: int | None = None


class Verdict(Struct):
    """The outcome of one trace: `good`, `bad`, `not covered`, or `cut` (it ends too early to be called good).

    `hidden_violations` and `hidden_hazards` count those beyond the first hundred; `cut_because` says in words what is
    missing at the end, `not_covered` what could not be followed and from which line on ("" if nothing is).
    """

    outcome: Literal["good", "bad", "not covered", "cut"]
    engine: str
    events: int
    batches: int
    requests: int
    cut_because: str
    violations: list[Violation]
    hazards: list[Hazard]
    hidden_violations: int = 0
    hidden_hazards: int = 0
    not_covered: str = ""
    unknown: dict[str, int] = {}
    """What the trace left open and was taken on trust, counted."""
    unmarked: int = 0
    """Boundaries that decode rows passed without writing a checkpoint: no fault by itself."""


class Problem(NamedTuple):
    """A broken property as a rule finds it: by `key`, which thing is wrong, it is reported once until it heals."""

    key: str
    property: str
    text: str
    slot: int | None = None
