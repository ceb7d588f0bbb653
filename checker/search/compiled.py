"""One transition as programs: a guard for each choice of its parameters, what it changes, and what that violates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from checker.search.expansion import Choices, Mask
from checker.symbolic.columns import Column, Load, Program
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
    steps: list[tuple[str, Mask]]
    """For each property of steps that may be violated, where it is; it means something only where there is a state."""
    changed: list[Column]
    """The leaves that the instance changes, in the order of `Compiled.changed`."""
    load: Load
    """The columns that the program was given."""


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
            if not leaf.transient and value is not reader.inputs[leaf.index]
        ]
        late = [part for part in parts if part not in cheap]
        self.late = reader.graph.all_of(late)
        self.faults = [*transition.faults]
        self.steps = [(stated.name, value) for stated, value in transition.steps if value is not False]
        self.witnesses = [(stated.name, value) for stated, value in transition.witnesses if value is not False]
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
        return [self.late, *[v for _, v in self.faults], *[v for _, v in self.steps], *self.after]

    def compile(self, width: type[np.signedinteger]) -> None:
        """Make the programs; what a *sometimes* needs is one of its own, dropped once all have been seen."""
        self.body = Program(self.values, width)
        self.sighting = Program([value for _, value in self.witnesses], width)
        self.width = width

    def parameter(self, name: str, choice: Choices) -> Column:
        """Return the column of a free parameter."""
        table = np.array([values[name] for values in self.choices], self.width)
        column: Column = table[choice]
        return column
