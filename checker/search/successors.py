"""All successors of a chunk of states: which steps are enabled, what they change, which of the results are new."""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
from checker.symbolic.node import Node
from checker.symbolic.transitions import Reader

CHUNK = 1 << 15
"""States that are expanded together: their temporaries stay in the second-level cache."""


@dataclass(slots=True)
class SuccessorBatch:
    """The successors of a chunk by one instance: where each comes from, and the leaves that changed."""

    compiled: Compiled
    rows: Places
    choice: Choices
    changed: list[Column]
    fingerprints: Words


class Expander:
    """Computes successors of chunks of states."""

    def __init__(self, model: Model, symmetry: bool, naming: bool = False) -> None:
        self.model = model
        self.chunk = CHUNK
        self.reader = Reader(model, postconditions=True, naming=naming)
        leaves = self.reader.leaves
        self.index = {node: i for i, node in enumerate(self.reader.inputs) if isinstance(node, Node)}
        self.compiled = [
            Compiled(self.reader.transition(instance), self.reader, number)
            for number, instance in enumerate(model.instances())
        ]
        guards = [guard for compiled in self.compiled for guard in compiled.guards]
        everything = [value for compiled in self.compiled for value in compiled.values]
        witnesses = [value for compiled in self.compiled for _, value in compiled.witnesses]
        always = [self.reader.holds(stated, [self.reader.inputs]) for stated in model.of_kind("always")]
        self.width = width_for([*guards, *everything, *witnesses, *always, *self.reader.inputs])
        self.guards = Program(guards, self.width)
        for compiled in self.compiled:
            compiled.compile(self.width)
        self.plain = Plain(leaves)
        sorts = {sort: int(getattr(model.scope, sort)) for sort in model.symmetric}
        self.symmetric = Symmetric(leaves, sorts) if symmetry and sorts else None

    def fingerprints(self, states: States) -> Words:
        """Return the fingerprints that tell the given states apart."""
        columns = list(states)
        if self.symmetric:
            return self.symmetric.of(columns)
        return self._sum(self.plain.parts(columns))

    def over(self, program: Program, columns: list[Column]) -> Any:
        """Return the one output of a program over a chunk of states: a column, or a constant."""
        return program.run(lambda leaf: columns[self.index[leaf]])[0]

    @staticmethod
    def _sum(parts: list[Words]) -> Words:
        total: Words = np.add.reduce(parts)
        return total

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
        batches = self._batches(columns, start, unseen, expansion)
        if not batches:
            return expansion
        prints = np.concatenate([batch.fingerprints for batch in batches])
        keep = first_of_each(prints)
        if self.symmetric is None:
            keep = unknown(prints, keep, known)
        states = self._states(batches, columns, keep)
        found = self._gather(batches, keep, start)
        prints = prints[keep]
        if self.symmetric is not None:
            parts = range(0, states.shape[1], self.chunk)
            prints = np.concatenate([self.symmetric.of(list(states[:, at : at + self.chunk])) for at in parts])
            keep = unknown(prints, first_of_each(prints), known)
            states, prints = states[:, keep], prints[keep]
            found = Parents(found.parent[keep], found.instance[keep], found.choice[keep])
        expansion.found, expansion.states, expansion.fingerprints = found, states, prints
        return expansion

    def _batches(
        self, columns: list[Column], start: int, unseen: Collection[str], expansion: Expansion
    ) -> list[SuccessorBatch]:
        """Return the successors of a chunk, one batch for each instance that is enabled anywhere."""
        words = self.plain.parts(columns)
        total = self._sum(words)
        batches = []
        for compiled, rows, choice in self.enabled(columns):
            stepped = self.step(compiled, columns, rows, choice)
            self._note(compiled, stepped, start + rows, choice, unseen, expansion)
            alive = slice(None) if stepped.alive.all() else stepped.alive
            parents, changed = rows[alive], [column[alive] for column in stepped.changed]
            if len(parents):
                prints = self._fingerprint(compiled, parents, changed, columns, words, total)
                batches.append(SuccessorBatch(compiled, parents, choice[alive], changed, prints))
        return batches

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

    def step(self, compiled: Compiled, columns: list[Column], rows: Places, choice: Choices) -> Stepped:
        """Run one instance's program on some states, each with a choice for which the instance's guard holds there."""

        def load(leaf: Node) -> Column:
            index = self.index.get(leaf)
            return compiled.parameter(leaf.name, choice) if index is None else columns[index][rows]

        late, *values = [np.broadcast_to(value, rows.shape) for value in compiled.body.run(load)]
        faults = list(zip([name for name, _ in compiled.faults], values, strict=False))
        values = values[len(faults) :]
        steps = list(zip([name for name, _ in compiled.steps], values, strict=False))
        alive = late.copy()
        for _, bad in faults:
            alive &= ~bad
        return Stepped(late, faults, alive, steps, values[len(steps) :], load)

    def witnesses(self, compiled: Compiled, stepped: Stepped) -> list[tuple[str, Mask]]:
        """Return where a step shows each *sometimes* that it may show."""
        seen = compiled.sighting.run(stepped.load)
        return [
            (name, stepped.alive & np.asarray(column, bool))
            for (name, _), column in zip(compiled.witnesses, seen, strict=True)
        ]

    def _note(
        self,
        compiled: Compiled,
        stepped: Stepped,
        places: Places,
        choice: Choices,
        unseen: Collection[str],
        expansion: Expansion,
    ) -> None:
        """Note how often an instance was taken, what it shows, and where it first violates something."""
        broken = [(name, stepped.enabled & bad) for name, bad in stepped.faults]
        broken += [(name, stepped.alive & bad) for name, bad in stepped.steps]
        for name, bad in broken:
            if name not in expansion.violations and np.any(bad):
                first = int(np.argmax(bad))
                expansion.violations[name] = int(places[first]), self.taken(compiled.number, int(choice[first]))
        action = compiled.transition.instance.action.name
        expansion.taken[action] = expansion.taken.get(action, 0) + int(np.count_nonzero(stepped.enabled))
        if any(name in unseen and name not in expansion.seen for name, _ in compiled.witnesses):
            shown = [name for name, seen in self.witnesses(compiled, stepped) if np.any(seen)]
            expansion.seen += [name for name in shown if name in unseen and name not in expansion.seen]

    def _fingerprint(
        self,
        compiled: Compiled,
        rows: Places,
        changed: list[Column],
        columns: list[Column],
        words: list[Words],
        total: Words,
    ) -> Words:
        """Compute plain fingerprints from the parents', touching only the tables in which a leaf has changed."""
        new = dict(zip(compiled.changed, changed, strict=True))
        prints = total[rows]
        for place in {self.plain.table_of[index] for index in new}:
            table = self.plain.tables[place]
            parts = [new[leaf.index] if leaf.index in new else columns[leaf.index][rows] for leaf in table.leaves]
            prints += table.look(parts)
            prints -= words[place][rows]
        return prints

    @staticmethod
    def _gather(batches: list[SuccessorBatch], keep: Places, start: int) -> Parents:
        parents = np.concatenate([batch.rows for batch in batches])[keep] + start
        instances = np.repeat(
            np.array([batch.compiled.number for batch in batches], np.uint16), [len(batch.rows) for batch in batches]
        )
        choices = np.concatenate([batch.choice for batch in batches])
        return Parents(parents.astype(np.uint32), instances[keep], choices[keep])

    def _states(self, batches: list[SuccessorBatch], columns: list[Column], keep: Places) -> States:
        """Return the columns of the chosen successors, in the order of `keep`."""
        states = np.zeros((len(columns), len(keep)), self.width)
        ends = np.cumsum([len(batch.rows) for batch in batches])
        which = np.searchsorted(ends, keep, side="right")
        for number, batch in enumerate(batches):
            places = np.flatnonzero(which == number)
            if not len(places):
                continue
            inside = keep[places] - (ends[number] - len(batch.rows))
            rows = batch.rows[inside]
            new = dict(zip(batch.compiled.changed, batch.changed, strict=True))
            for index, column in enumerate(columns):
                states[index, places] = new[index][inside] if index in new else column[rows]
        return states
