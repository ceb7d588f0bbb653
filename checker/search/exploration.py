"""What a search is asked to stop at, and what it has shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from checker.model.model import TakenStep


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: counts and seconds; None: never."""

    states: int | None = None
    seconds: float | None = None
    depth: int | None = None


@dataclass(slots=True)
class Counterexample:
    """The shortest run found that violates a property."""

    property: str
    steps: list[TakenStep]


@dataclass(slots=True)
class Exploration:
    """What a search has shown."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    """Steps from the first state to the states found last."""
    complete: bool = False
    cut: str = ""
    """Why the search ended early; empty: it did not."""
    counterexamples: dict[str, Counterexample] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    """For each *sometimes*, the depth at which it was first seen."""
    unseen: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """The properties that were asked of every state or step."""
    unasked: list[str] = field(default_factory=list)
    """Those that do not apply in this scope."""
    taken: dict[str, int] = field(default_factory=dict)
    """How often each action was taken."""
    by: str = "columns"
    """How it computed in the end, in a word: by columns, or compiled."""
    why_columns: str = ""
    """Why a large search was left to the columns; empty: it was not."""
    collision: float = 0.0
    """An upper bound of the chance that two states were taken for one."""
    seconds: float = 0.0
