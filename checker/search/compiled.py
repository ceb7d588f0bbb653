"""One transition as programs: a guard for each choice of its parameters, what it violates itself, what it changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from checker.search.expansion import Choices, Mask
from checker.symbolic.columns import Column, Program
from checker.symbolic.node import Node, Value, order
from checker.symbolic.transitions import Reader, Transition, conjuncts

_CHEAP = 400
"""Nodes up to which a part of an action's guard is evaluated for every state, before any successor is computed."""


@dataclass(slots=True)
class Stepped:
    """What one instance does in some states, a column each."""

    enabled: Mask
    faults: list[tuple[str, Mask]]
    """For each property that the action itself may violate, where it does."""
    alive: Mask
    """Where there is a state afterwards."""
    after: list[Column]
    """Every leaf afterwards, also those that only tell of this step; it means something only where there is a state."""


class Compiled:
    """One transition as programs."""

    def __init__(self, transition: Transition, reader: Reader, number: int) -> None:
        self.transition = transition
        self.number = number
        self.choices = transition.instance.combinations()
        parts = [part for part in conjuncts(transition.enabled) if part is not True]
        cheap = [part for part in parts if len(order([part])) <= _CHEAP]
        self.guards = [self._guard(cheap, choice, reader) for choice in self.choices]
        self.changed = [
            leaf.index
            for leaf, value in zip(reader.leaves, transition.after, strict=True)
            if leaf.transient or value is not reader.inputs[leaf.index]
        ]
        """The leaves that the action may change, and all that only tell of the last step."""
        late = [part for part in parts if part not in cheap]
        self.late = reader.graph.all_of(late)
        self.faults = [*transition.faults]
        self.after = [transition.after[index] for index in self.changed]

    def _guard(self, parts: list[Value], choice: dict[str, int], reader: Reader) -> Value:
        known: dict[Node, Value] = {}
        for name, value in choice.items():
            leaf = self.transition.parameters[name]
            assert isinstance(leaf, Node)
            known[leaf] = value
        return reader.graph.all_of(reader.graph.substitute(parts, known) if known else parts)

    @property
    def values(self) -> list[Value]:
        """Everything that is computed for the successors."""
        return [self.late, *[value for _, value in self.faults], *self.after]

    def compile(self, width: type[np.signedinteger]) -> None:
        """Make the program."""
        self.body = Program(self.values, width)
        self.width = width

    def parameter(self, name: str, choice: Choices) -> Column:
        """Return the column of a free parameter."""
        table = np.array([values[name] for values in self.choices], self.width)
        column: Column = table[choice]
        return column
