"""What a search keeps of states and steps: their arrays, where new states come from, what there is one step on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.model.model import TakenStep
from checker.search.tables import Words

States = NDArray[Any]
"""Integers of shape [leaves, states]: a state is a column."""
Places = NDArray[np.intp]
"""Places of states in a chunk, of shape [steps]."""
Choices = NDArray[np.uint16]
"""For each step the number of its choice of free parameters, of shape [steps]."""
Mask = NDArray[np.bool_]
"""Of which steps something is so, of shape [steps]."""


@dataclass(slots=True)
class Parents:
    """Where new states come from, each column of shape [states]."""

    parent: NDArray[np.uint32]
    """The parent's place in its level."""
    instance: NDArray[np.uint16]
    choice: Choices

    @staticmethod
    def none() -> Parents:
        """Return an empty one."""
        return Parents(np.zeros(0, np.uint32), np.zeros(0, np.uint16), np.zeros(0, np.uint16))

    def of(self, places: Places) -> Parents:
        """Return those of some of the states."""
        return Parents(self.parent[places], self.instance[places], self.choice[places])

    @staticmethod
    def join(parts: list[Parents]) -> Parents:
        """Return several as one, in order."""
        return Parents(
            np.concatenate([part.parent for part in parts]),
            np.concatenate([part.instance for part in parts]),
            np.concatenate([part.choice for part in parts]),
        )


@dataclass(slots=True)
class Expansion:
    """What there is one step on from a chunk of states."""

    found: Parents
    """Where the new states come from."""
    states: States
    """The new states, in the order of their fingerprints."""
    fingerprints: Words
    """Sorted, of shape [states]."""
    taken: dict[str, int] = field(default_factory=dict)
    """How often each action was taken."""
    seen: list[str] = field(default_factory=list)
    """Each *sometimes* that was looked for and seen."""
    violations: dict[str, tuple[int, TakenStep]] = field(default_factory=dict)
    """For each property that is violated the first step that does: the state's place in its level, and the step."""
