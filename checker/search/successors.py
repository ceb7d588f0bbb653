"""All successors of a chunk of states: which steps are enabled, what they change, which of the results are new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.model.model import Model, Taken
from checker.search.fingerprint import Plain, Symmetric, Words
from checker.symbolic.columns import Column, Load, Program, width_for
from checker.symbolic.graph import Node, Value, order
from checker.symbolic.transitions import Reader, Transition, conjuncts

if TYPE_CHECKING:
    from checker.search.bfs import Search

CHUNK = 1 << 15
"""States that are expanded together: their temporaries stay in the second-level cache."""
_CHEAP = 400
"""Nodes up to which a part of an action's guard is evaluated for every state, before any successor is computed."""


@dataclass(slots=True)
class Found:
    """Where new states come from: the parent's place in its level, the instance, and the choice of free parameters."""

    parent: Any
    instance: Any
    choice: Any

    @staticmethod
    def none() -> Found:
        """Return an empty one."""
        return Found(np.zeros(0, np.uint32), np.zeros(0, np.uint16), np.zeros(0, np.uint16))

    @staticmethod
    def join(parts: list[Found]) -> Found:
        """Return several as one, in order."""
        return Found(
            np.concatenate([part.parent for part in parts]),
            np.concatenate([part.instance for part in parts]),
            np.concatenate([part.choice for part in parts]),
        )


@dataclass(slots=True)
class Batch:
    """The successors of a chunk by one instance: where each comes from, and the leaves that changed."""

    compiled: Compiled
    rows: Any
    """The parent's place in the chunk."""
    choice: Any
    changed: list[Column]
    fingerprints: Words | None


@dataclass(slots=True)
class Stepped:
    """What one instance does in some states, a column each."""

    enabled: Any
    faults: list[tuple[str, Any]]
    """For each property that the action itself may violate, where it does."""
    alive: Any
    """Where there is a state afterwards."""
    steps: list[tuple[str, Any]]
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
        self.sights = [(stated.name, value) for stated, value in transition.sights if value is not False]
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

    def compile(self, width: Any) -> None:
        """Make the programs; what a *sometimes* needs is one of its own, dropped once all have been seen."""
        self.body = Program(self.values, width)
        self.sighting = Program([value for _, value in self.sights], width)
        self.width = width

    def parameter(self, name: str, choice: Any) -> Column:
        """Return the column of a free parameter."""
        table = np.array([values[name] for values in self.choices], self.width)
        column: Column = table[choice]
        return column


class Expander:
    """Computes successors of chunks of states."""

    def __init__(self, model: Model, symmetry: bool, naming: bool = False) -> None:
        self.model = model
        self.chunk = CHUNK
        self.reader = Reader(model, duties=True, naming=naming)
        leaves = self.reader.leaves
        self.index = {node: i for i, node in enumerate(self.reader.inputs) if isinstance(node, Node)}
        self.compiled = [
            Compiled(self.reader.transition(instance), self.reader, number)
            for number, instance in enumerate(model.instances())
        ]
        guards = [guard for compiled in self.compiled for guard in compiled.guards]
        everything = [value for compiled in self.compiled for value in compiled.values]
        sights = [value for compiled in self.compiled for _, value in compiled.sights]
        always = [self.reader.holds(stated, [self.reader.inputs]) for stated in model.of_kind("always")]
        self.width = width_for([*guards, *everything, *sights, *always, *self.reader.inputs])
        self.guards = Program(guards, self.width)
        for compiled in self.compiled:
            compiled.compile(self.width)
        self.plain = Plain(leaves)
        sorts = {sort: int(getattr(model.scope, sort)) for sort in model.symmetric}
        self.symmetric = Symmetric(leaves, sorts) if symmetry and sorts else None

    def fingerprints(self, states: Any) -> Words:
        """Return the fingerprints that tell the given states apart."""
        columns = list(states)
        if self.symmetric:
            return self.symmetric.of(columns)
        return self._sum(self.plain.parts(columns))

    def over(self, program: Program, columns: list[Column]) -> Any:
        """Return the one output of a program over a chunk of states."""
        return program.run(lambda leaf: columns[self.index[leaf]])[0]

    @staticmethod
    def _sum(parts: list[Words]) -> Words:
        total: Words = np.add.reduce(parts)
        return total

    def taken(self, instance: int, choice: int) -> Taken:
        """Return a step in native terms."""
        compiled = self.compiled[instance]
        source = compiled.transition.instance
        return Taken(source.action, source.arguments(compiled.choices[choice]))

    def expand(self, columns: list[Column], start: int, known: list[Words], search: Search) -> tuple[Found, Any, Words]:
        """Return where the new states come from, their columns, and their fingerprints, sorted."""
        batches = self._batches(columns, start, search)
        if not batches:
            return Found.none(), None, np.zeros(0, np.uint64)
        prints = np.concatenate([batch.fingerprints for batch in batches])
        keep = _first(prints)
        if self.symmetric is None:
            keep = _unknown(prints, keep, known)
            return self._gather(batches, columns, keep, start), self._states(batches, columns, keep), prints[keep]
        states = self._states(batches, columns, keep)
        found = self._gather(batches, columns, keep, start)
        prints = np.concatenate(
            [
                self.symmetric.of(list(states[:, part : part + self.chunk]))
                for part in range(0, states.shape[1], self.chunk)
            ]
        )
        keep = _unknown(prints, _first(prints), known)
        return Found(found.parent[keep], found.instance[keep], found.choice[keep]), states[:, keep], prints[keep]

    def _batches(self, columns: list[Column], start: int, search: Search) -> list[Batch]:
        """Return the successors of a chunk, one batch for each instance that is enabled anywhere."""
        words = self.plain.parts(columns)
        total = self._sum(words)
        batches = []
        for compiled, rows, choice in self.enabled(columns):
            batch = self._batch(compiled, columns, rows, choice, start, search)
            if len(batch.rows):
                self._fingerprint(batch, columns, words, total)
                batches.append(batch)
        return batches

    def enabled(self, columns: list[Column]) -> Iterator[tuple[Compiled, Any, Any]]:
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

    def step(self, compiled: Compiled, columns: list[Column], rows: Any, choice: Any) -> Stepped:
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

    def sights(self, compiled: Compiled, stepped: Stepped) -> list[tuple[str, Any]]:
        """Return where a step shows each *sometimes* that it may show."""
        seen = compiled.sighting.run(stepped.load)
        return [(name, stepped.alive & column) for (name, _), column in zip(compiled.sights, seen, strict=True)]

    def _batch(
        self, compiled: Compiled, columns: list[Column], rows: Any, choice: Any, start: int, search: Search
    ) -> Batch:
        """Take one instance's steps in the states in which it is enabled, and report what they violate."""
        stepped = self.step(compiled, columns, rows, choice)
        enabled, alive = stepped.enabled, stepped.alive
        for name, bad in stepped.faults:
            self._report(compiled, name, enabled & bad, rows, choice, start, search)
        for name, bad in stepped.steps:
            self._report(compiled, name, alive & bad, rows, choice, start, search)
        search.count(compiled.transition.instance.action.name, int(np.count_nonzero(enabled)))
        if any(name in search.result.unseen for name, _ in compiled.sights):
            for name, seen in self.sights(compiled, stepped):
                if np.any(seen):
                    search.saw(name)
        changed = stepped.changed
        if not alive.all():
            rows, choice, changed = rows[alive], choice[alive], [column[alive] for column in changed]
        return Batch(compiled, rows, choice, changed, None)

    def _report(
        self, compiled: Compiled, name: str, bad: Any, rows: Any, choice: Any, start: int, search: Search
    ) -> None:
        if name not in search.result.counterexamples and np.any(bad):
            first = int(np.argmax(bad))
            search.violated(name, start + int(rows[first]), self.taken(compiled.number, int(choice[first])))

    def _fingerprint(self, batch: Batch, columns: list[Column], words: list[Words], total: Words) -> None:
        """Compute plain fingerprints from the parents', touching only the tables in which a leaf has changed."""
        new = dict(zip(batch.compiled.changed, batch.changed, strict=True))
        prints = total[batch.rows]
        for place in {self.plain.table_of[index] for index in new}:
            table = self.plain.tables[place]
            parts = [new[leaf.index] if leaf.index in new else columns[leaf.index][batch.rows] for leaf in table.leaves]
            prints += table.look(parts)
            prints -= words[place][batch.rows]
        batch.fingerprints = prints

    def _gather(self, batches: list[Batch], columns: list[Column], keep: Any, start: int) -> Found:
        parents = np.concatenate([batch.rows for batch in batches])[keep] + start
        instances = np.repeat(
            np.array([batch.compiled.number for batch in batches], np.uint16), [len(batch.rows) for batch in batches]
        )
        choices = np.concatenate([batch.choice for batch in batches])
        return Found(parents.astype(np.uint32), instances[keep], choices[keep])

    def _states(self, batches: list[Batch], columns: list[Column], keep: Any) -> Any:
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


def _first(prints: Words) -> Any:
    """Return the place of the first of each fingerprint, in order of the fingerprints."""
    places = np.argsort(prints, kind="stable")
    ordered = prints[places]
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return places[new]


def _unknown(prints: Words, keep: Any, known: list[Words]) -> Any:
    """Drop the places whose fingerprints are in one of the sorted arrays `known`."""
    for words in known:
        if len(words):
            wanted = prints[keep]
            near = np.searchsorted(words, wanted)
            near[near == len(words)] = 0
            keep = keep[words[near] != wanted]
    return keep
