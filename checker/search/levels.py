"""The levels of a search: its newest states, all that it has found, and how it goes one step on. Here as columns.

compiled_levels.py has the fast way to do the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from checker.deadline import Deadline
from checker.model.layout import flatten
from checker.model.model import TakenStep
from checker.search.expansion import Expansion, Mask, Parents, States
from checker.search.fingerprint_sets import merge
from checker.search.successors import Expander
from checker.search.tables import Words
from checker.symbolic.columns import Program


@dataclass(slots=True)
class Level:
    """What there is one step on from a level."""

    parents: Parents
    """Where the new states come from."""
    taken: dict[str, int] = field(default_factory=dict)
    """How often each action was taken."""
    seen: list[str] = field(default_factory=list)
    """Each *sometimes* that was looked for and seen."""
    violations: dict[str, tuple[int, TakenStep]] = field(default_factory=dict)
    """For each property that is violated a step that does: the state's place in its level, and the step."""
    left: bool = False
    """Whether it was left in the middle, because the time was over."""


class Levels(Protocol):
    """One way to go from level to level."""

    name: str
    """How it computes, in a word."""

    @property
    def size(self) -> int:
        """How many states the newest level has."""
        ...

    def advance(self, unseen: Collection[str], clock: Deadline) -> Level:
        """Go one step on: the new states are the newest level."""
        ...

    def failing(self, place: int) -> int | None:
        """Return the first state of the newest level of which a property of states does not hold."""
        ...

    def some(self, most: int) -> States:
        """Return a few states of the newest level, spread over it."""
        ...

    def contains(self, states: States) -> Mask:
        """Return which of some states the search has been in."""
        ...


class ColumnLevels:
    """Levels as columns, and all fingerprints as one sorted array."""

    name = "columns"

    def __init__(self, expander: Expander, always: Sequence[tuple[Any, Program | bool]]) -> None:
        """Begin with the first state; `always` is what is asked of every state."""
        self.expander = expander
        self.always = always
        self.frontier: States = np.array([list(flatten(expander.model.init))], expander.width).T.copy()
        self.seen: Words = expander.fingerprints(self.frontier)
        """The fingerprints of all states found, sorted."""

    @property
    def size(self) -> int:
        """How many states the newest level has."""
        return int(self.frontier.shape[1])

    def advance(self, unseen: Collection[str], clock: Deadline) -> Level:
        """Go one step on, chunk by chunk."""
        fresh = np.zeros(0, np.uint64)
        level = Level(Parents.none())
        parts: list[Expansion] = []
        for start in range(0, self.size, self.expander.chunk):
            if start and clock.over:
                level.left = True
                break
            columns = list(self.frontier[:, start : start + self.expander.chunk])
            still = [name for name in unseen if name not in level.seen]
            expansion = self.expander.expand(columns, start, [self.seen, fresh], still)
            for action, times in expansion.taken.items():
                level.taken[action] = level.taken.get(action, 0) + times
            level.seen += expansion.seen
            level.violations = expansion.violations | level.violations
            if len(expansion.fingerprints):
                fresh = merge(fresh, expansion.fingerprints)
                parts.append(expansion)
        self.frontier = np.concatenate([part.states for part in parts], axis=1) if parts else self.frontier[:, :0]
        self.seen = merge(self.seen, fresh)
        level.parents = Parents.join([part.found for part in parts]) if parts else level.parents
        return level

    def failing(self, place: int) -> int | None:
        """Return the first state of the newest level of which a property of states does not hold."""
        _, program = self.always[place]
        if isinstance(program, bool):
            return None if program or not self.size else 0
        for start in range(0, self.size, self.expander.chunk):
            columns = list(self.frontier[:, start : start + self.expander.chunk])
            failed: NDArray[np.intp] = np.flatnonzero(~np.asarray(self.expander.over(program, columns)))
            if len(failed):
                return start + int(failed[0])
        return None

    def some(self, most: int) -> States:
        """Return a few states of the newest level, spread over it."""
        return self.frontier[:, :: max(1, self.size // most)][:, :most].copy()

    def contains(self, states: States) -> Mask:
        """Return which of some states the search has been in."""
        return np.isin(self.expander.fingerprints(states), self.seen)
