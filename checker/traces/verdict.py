"""What a judge hands back, as plain data, and the two books in which it collects violations and hazards."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

KEPT = 100  # Violations and hazards beyond this many are counted, not kept: a long broken trace must fit in memory.

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
    "distinct-targets": "one of the two requests published what the other one wrote",
    "deferred-once": "the request published a state that it reached from the wrong start",
    "retract-pure": "the retracted request's tokens are not what the cache key says",
    "accounting": "the pool ran out of slots that admission had promised to others",
    "one-owner": "the allocator handed the absent marker out as a slot",
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

    `label` is in tokens (None where no label is involved). `root` is the line of the violation that this one follows
    from, None if it is a first cause; followers have no story of their own.
    """

    line: int
    event: str
    request: str | None
    slot: int
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
    """The outcome of one trace: `good`, `bad`, or `cut` (it ends too early to be called good).

    `hidden_violations` and `hidden_hazards` count those beyond the first hundred; `cut_because` says in words what is
    missing at the end ("" if nothing is).
    """

    outcome: Literal["good", "bad", "cut"]
    engine: str
    events: int
    batches: int
    requests: int
    cut_because: str
    violations: list[Violation]
    hazards: list[Hazard]
    hidden_violations: int = 0
    hidden_hazards: int = 0


class Problem(NamedTuple):
    """A hazard as a check finds it: `key` says which thing is wrong, so that it is told once until it has healed."""

    key: str
    property: str
    text: str
    slot: int | None = None


class Violations:
    """The violations of one trace, in order."""

    def __init__(self) -> None:
        self.kept: list[Violation] = []
        self.hidden = 0

    def add(self, violation: Violation) -> int:
        """Keep it; returns the line of its first cause."""
        if len(self.kept) < KEPT:
            self.kept.append(violation)
        else:
            self.hidden += 1
        return violation.line if violation.root is None else violation.root

    def __bool__(self) -> bool:
        return bool(self.kept)


class Hazards:
    """The hazards of one trace, in order."""

    def __init__(self) -> None:
        self.kept: list[Hazard] = []
        self.hidden = 0

    def open(self, line: int, request: str | None, problem: Problem) -> Hazard:
        """Record a new hazard; the caller keeps it to heal it later."""
        harmful_if = HARMFUL_IF.get(problem.property, HARMFUL_OTHERWISE)
        hazard = Hazard(problem.property, line, request, problem.slot, problem.text, harmful_if)
        if len(self.kept) < KEPT:
            self.kept.append(hazard)
        else:
            self.hidden += 1
        return hazard

    def sync(self, line: int, request: str, opened: dict[str, Hazard], scope: str, problems: list[Problem]) -> None:
        """Make the open hazards whose key starts with `scope` those in `problems`: open new ones, heal the rest."""
        seen = {problem.key: problem for problem in problems}
        for key in [key for key in opened if key.startswith(scope) and key not in seen]:
            hazard = opened.pop(key)
            if hazard.harmful_at is None:
                hazard.healed_at = line
        for key, problem in seen.items():
            if key not in opened:
                opened[key] = self.open(line, request, problem)
