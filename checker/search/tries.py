"""Native tries: one action, one choice of its arguments and one state, enabled or not.

Tries are what an audit (checker/search/audit.py) holds against the reading that gave a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.model.layout import Plain
from checker.model.model import TakenStep


@dataclass(slots=True)
class TryAnswer:
    """What one reading says of a try: the native one, or the one that gave a verdict."""

    enabled: bool
    faults: frozenset[str] = frozenset()
    """What the action itself violates; where there is something, there is no state after it."""
    after: dict[int, int] = field(default_factory=dict)
    """The state after it, by the leaf's index, for the leaves that the reading speaks of."""
    verdicts: dict[str, bool | str] = field(default_factory=dict)
    """Whether each property holds: of the state before, of the step, and with `afterwards` of the state after it."""


@dataclass(eq=False, slots=True)
class Visit:
    """A state of a native run, and how it was reached."""

    state: Plain
    values: list[int]
    key: tuple[int, ...]
    """Equal keys, equal states: what only tells of the last step is left out."""
    parent: Visit | None = None
    taken: TakenStep | None = None
    origin: str = ""
    """Where a state comes from that no run has reached."""

    @property
    def run(self) -> list[TakenStep]:
        """The steps that led here."""
        steps: list[TakenStep] = []
        visit: Visit | None = self
        while visit is not None and visit.taken is not None:
            steps.append(visit.taken)
            visit = visit.parent
        return steps[::-1]


@dataclass(eq=False, slots=True)
class Try:
    """One try, natively."""

    at: Visit
    number: int
    """The instance's place among the model's."""
    chosen: dict[str, int]
    """The instance's free parameters."""
    answer: TryAnswer
    after: Visit | None = None


def afterwards(name: str) -> str:
    """Return the name of the question whether a property of states holds in the state after a step."""
    return f"{name} afterwards"
