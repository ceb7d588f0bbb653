"""All successors of a chunk of states: which steps are enabled, what they change, which of the results are new."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from checker.model.model import Model, TakenStep
from checker.search.compiled import Compiled, Stepped
from checker.search.expansion import Choices, Expansion, Mask, Parents, Places, States
from checker.search.fingerprint import Plain, Symmetric
from checker.search.fingerprint_sets import first_of_each, unknown
from checker.search.tables import Words
from checker.symbolic.columns import Column, Program, width_for
from checker.symbolic.node import Node, Value
from checker.symbolic.transitions import Reader

CHUNK = 1 << 14
"""States that are expanded together: their temporaries stay in the second-level cache."""


@dataclass(slots=True)
class Successors:
    """The states after all steps of a chunk, in order of the instances."""

    parents: Parents
    states: States
    """Every leaf, also those that only tell of the step."""

    @staticmethod
    def join(parts: list[Successors]) -> Successors:
        """Return several as one, in order."""
        return Successors(
            Parents.join([part.parents for part in parts]), np.concatenate([part.states for part in parts], axis=1)
        )


class Expander:
    """Computes successors of chunks of states."""

    def __init__(self, model: Model, symmetry: bool, naming: bool = False) -> None:
        self.model = model
        self.chunk = CHUNK
        self.reader = Reader(model, postconditions=True, naming=naming)
        leaves = self.reader.leaves
        self.index = {node: i for i, node in enumerate(self.reader.inputs) if isinstance(node, Node)}
        self.compiled = [
            Compiled(self.reader.move(instance), self.reader, number)
            for number, instance in enumerate(model.instances())
        ]
        self.later = {node: i for i, node in enumerate(self.reader.later)}
        self.asked = [(stated.name, value) for stated, value in self.reader.broken]
        """What is asked of every step, each with the condition on the two states under which it is violated."""
        self.shown = [(stated.name, value) for stated, value in self.reader.shown]
        """What is looked for in every step until it has been seen."""
        self.always = [(stated, self.reader.holds(stated, [self.reader.inputs])) for stated in model.of_kind("always")]
        """What is asked of every state."""
        self.width = width_for(self.values)
        self.guards = Program([guard for compiled in self.compiled for guard in compiled.guards], self.width)
        self._broken = Program([value for _, value in self.asked], self.width)
        self._shown = Program([value for _, value in self.shown], self.width)
        for compiled in self.compiled:
            compiled.compile(self.width)
        self.transient = [leaf.index for leaf in leaves if leaf.transient]
        self.plain = Plain(leaves, self.width)
        self.sorts = {sort: int(getattr(model.scope, sort)) for sort in model.symmetric}
        self.symmetric = Symmetric(leaves, self.sorts) if symmetry and self.sorts else None

    @property
    def values(self) -> list[Value]:
        """Everything that a search computes."""
        of_actions = [value for compiled in self.compiled for value in [*compiled.guards, *compiled.values]]
        stated = [value for _, value in [*self.asked, *self.shown]] + [value for _, value in self.always]
        return [*of_actions, *stated, *self.reader.inputs, *self.reader.later]

    def fingerprints(self, states: States) -> Words:
        """Return the fingerprints that tell the given states apart."""
        columns = list(states)
        if self.symmetric:
            return self.symmetric.of(columns)
        return self.plain.of(columns)

    def over(self, program: Program, columns: Sequence[Column]) -> Any:
        """Return the one output of a program over a chunk of states: a column, or a constant."""
        return program.run(lambda leaf: columns[self.index[leaf]])[0]

    def taken(self, instance: int, choice: int) -> TakenStep:
        """Return a step in native terms."""
        compiled = self.compiled[instance]
        source = compiled.transition.instance
        return TakenStep(source.action, source.arguments(compiled.choices[choice]))

    def expand(self, columns: list[Column], start: int, known: list[Words], unseen: Collection[str] = ()) -> Expansion:
        """Return what there is one step on from a chunk that begins at `start` in its level.

        States whose fingerprints are in one of the sorted arrays `known` are not new. `unseen`: each *sometimes* that
        is still to be looked for.
        """
        expansion = Expansion(Parents.none(), np.zeros((len(columns), 0), self.width), np.zeros(0, np.uint64))
        parts = [
            self._successors(compiled, columns, rows, choice, start, expansion)
            for compiled, rows, choice in self.enabled(columns)
        ]
        if not any(part.states.shape[1] for part in parts):
            return expansion
        found = Successors.join(parts)
        self._note(columns, start, found, unseen, expansion)
        for index in self.transient:
            found.states[index] = 0
        prints = self.plain.of(list(found.states))
        keep = first_of_each(prints)
        if self.symmetric is None:
            keep = unknown(prints, keep, known)
        states, prints, parents = found.states[:, keep], prints[keep], found.parents.of(keep)
        if self.symmetric is not None:
            cuts = range(0, states.shape[1], self.chunk)
            prints = np.concatenate([self.symmetric.of(list(states[:, at : at + self.chunk])) for at in cuts])
            keep = unknown(prints, first_of_each(prints), known)
            states, prints, parents = states[:, keep], prints[keep], parents.of(keep)
        expansion.found, expansion.states, expansion.fingerprints = parents, states, prints
        return expansion

    def enabled(self, columns: list[Column]) -> Iterator[tuple[Compiled, Places, Choices]]:
        """Yield each instance with the states in which its guards hold and the choice of parameters in each."""
        guards = self.guards.run(lambda leaf: columns[self.index[leaf]])
        place = 0
        size = len(columns[0])
        for compiled in self.compiled:
            rows, choices = [], []
            for choice in range(len(compiled.choices)):
                guard = guards[place]
                place += 1
                if guard is False:
                    continue
                enabled = np.arange(size) if guard is True else np.flatnonzero(guard)
                rows.append(enabled)
                choices.append(np.full(len(enabled), choice, np.uint16))
            if rows and sum(map(len, rows)):
                yield compiled, np.concatenate(rows), np.concatenate(choices)

    def step(self, compiled: Compiled, columns: Sequence[Column], rows: Places, choice: Choices) -> Stepped:
        """Run one instance's program on some states, each with a choice for which the instance's guard holds there."""

        def load(leaf: Node) -> Column:
            index = self.index.get(leaf)
            return compiled.parameter(leaf.name, choice) if index is None else columns[index][rows]

        late, *values = [np.broadcast_to(value, rows.shape) for value in compiled.body.run(load)]
        faults = list(zip([name for name, _ in compiled.faults], values, strict=False))
        alive = late.copy()
        for _, bad in faults:
            alive &= ~bad
        new = dict(zip(compiled.changed, values[len(faults) :], strict=True))
        after = [new[index] if index in new else column[rows] for index, column in enumerate(columns)]
        return Stepped(late, faults, alive, after)

    def broken(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others violate each property that is asked of steps."""
        return self._both(self._broken, self.asked, before, after)

    def witnesses(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others show each *sometimes*."""
        return self._both(self._shown, self.shown, before, after)

    def _both(
        self, program: Program, stated: list[tuple[str, Value]], before: Sequence[Column], after: Sequence[Column]
    ) -> list[tuple[str, Mask]]:
        """Run a program over two states."""

        def load(leaf: Node) -> Column:
            index = self.index.get(leaf)
            return after[self.later[leaf]] if index is None else before[index]

        values = program.run(load)
        size = len(after[0])
        return [(name, np.broadcast_to(value, size)) for (name, _), value in zip(stated, values, strict=True)]

    def _successors(
        self, compiled: Compiled, columns: list[Column], rows: Places, choice: Choices, start: int, found: Expansion
    ) -> Successors:
        """Take an instance's steps; note how many there are, and what the action itself violates."""
        stepped = self.step(compiled, columns, rows, choice)
        action = compiled.transition.instance.action.name
        found.taken[action] = found.taken.get(action, 0) + int(np.count_nonzero(stepped.enabled))
        alive = np.flatnonzero(stepped.alive)
        instances = np.full(len(rows), compiled.number, np.uint16)
        steps = Parents((start + rows).astype(np.uint32), instances, choice)
        for name, bad in stepped.faults:
            self._violated(name, stepped.enabled & bad, steps, found)
        states = np.empty((len(columns), len(alive)), self.width)
        for index, column in enumerate(stepped.after):
            states[index] = column if len(alive) == len(rows) else column[alive]
        return Successors(steps.of(alive), states)

    def _note(
        self, columns: list[Column], start: int, found: Successors, unseen: Collection[str], expansion: Expansion
    ) -> None:
        """Note what the steps show, and where they first violate something."""
        rows = found.parents.parent - np.uint32(start)
        before = [column[rows] for column in columns]
        for name, bad in self.broken(before, list(found.states)):
            self._violated(name, bad, found.parents, expansion)
        if unseen:
            shown = [name for name, seen in self.witnesses(before, list(found.states)) if np.any(seen)]
            expansion.seen += [name for name in shown if name in unseen]

    def _violated(self, name: str, bad: Mask, steps: Parents, expansion: Expansion) -> None:
        """Note the first step that violates a property."""
        if name not in expansion.violations and np.any(bad):
            first = int(np.argmax(bad))
            last = self.taken(int(steps.instance[first]), int(steps.choice[first]))
            expansion.violations[name] = int(steps.parent[first]), last
