"""A reading takes a block of tries, and says of each what the text means: enabled, faults, successor, verdicts.

Whatever computes verdicts is put behind this, so that an audit can hold it against plain Python: columns here, the
solver's terms in checker/proof/term_readings.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from checker.search.bfs import Search
from checker.search.compiled import Compiled
from checker.search.tries import Try, TryAnswer
from checker.symbolic.columns import Column, Program
from checker.symbolic.node import Value
from spec.language import Property


class Reading(Protocol):
    """What gave a verdict."""

    name: str
    """How the reading computes, in a word."""
    claims: frozenset[str]
    """The properties that the verdict speaks of."""
    asked: frozenset[str]
    """The properties that were really asked."""
    leaves: frozenset[int]
    """The leaves of the state afterwards that it computes."""

    def read(self, tries: Sequence[Try]) -> list[TryAnswer]:
        """Return what the reading says of each try; verdicts that it does not give are left out."""
        ...


class Columns:
    """The reading of a search: the very programs that it ran over its frontiers."""

    name = "columns"

    def __init__(self, search: Search) -> None:
        self.search = search
        self.expander = search.expander
        model = search.model
        kinds = ("always", "step", "postcondition", "sometimes")
        self.claims = frozenset(stated.name for kind in kinds for stated in model.of_kind(kind))
        self.asked = self._asked()
        leaves = self.expander.reader.leaves
        self.leaves = frozenset(leaf.index for leaf in leaves)
        self.transient = [leaf.index for leaf in leaves if leaf.transient]
        self.places = {
            compiled.number: {tuple(chosen.values()): place for place, chosen in enumerate(compiled.choices)}
            for compiled in self.expander.compiled
        }

    def _asked(self) -> frozenset[str]:
        """Return the properties that the search asks of every state, and of every step that may violate them."""
        asked = {name for name, states in self.search.asked.items() if states == self.search.result.states}
        everywhere = [
            {name for name, _ in compiled.steps}
            | {name for name, _ in compiled.witnesses}
            | {stated.name for stated, value in self._folded(compiled) if value is False}
            for compiled in self.expander.compiled
        ]
        return frozenset(asked.union(set.intersection(*everywhere) if everywhere else set()))

    @staticmethod
    def _folded(compiled: Compiled) -> list[tuple[Property, Value]]:
        return [*compiled.transition.steps, *compiled.transition.witnesses]

    def read(self, tries: Sequence[Try]) -> list[TryAnswer]:
        """Return what the programs make of each try."""
        answers = [TryAnswer(False) for _ in tries]
        states = np.array([self._before(done) for done in tries], self.expander.width).T.copy()
        self._always(states, answers)
        guards = self._guards(list(states))
        for compiled in self.expander.compiled:
            mine = [place for place, done in enumerate(tries) if done.number == compiled.number]
            if mine:
                self._instance(compiled, list(states), guards[compiled.number], mine, tries, answers)
        return answers

    def found(self, tries: Sequence[Try]) -> list[bool]:
        """Return whether the search has been in the state of each try; what is the same by symmetry counts as one."""
        states = np.array([self._before(done) for done in tries], self.expander.width).T.copy()
        prints = self.expander.fingerprints(states)
        return [bool(known) for known in np.isin(prints, self.search.seen)]

    def _before(self, done: Try) -> list[int]:
        """Return the leaves before a try as a search has them: without what tells of the step before."""
        values = list(done.at.values)
        for index in self.transient:
            values[index] = 0
        return values

    def _always(self, states: Column, answers: list[TryAnswer]) -> None:
        for stated, program in self.search.always:
            held = self.expander.over(program, list(states)) if isinstance(program, Program) else program
            for answer, value in zip(answers, np.broadcast_to(held, len(answers)), strict=True):
                answer.verdicts[stated.name] = bool(value)

    def _guards(self, columns: list[Column]) -> dict[int, list[Column | int]]:
        """Return where each choice of each instance may be enabled."""
        guards = iter(self.expander.guards.run(lambda leaf: columns[self.expander.index[leaf]]))
        return {compiled.number: [next(guards) for _ in compiled.choices] for compiled in self.expander.compiled}

    def _instance(
        self,
        compiled: Compiled,
        columns: list[Column],
        guards: list[Column | int],
        mine: list[int],
        tries: Sequence[Try],
        answers: list[TryAnswer],
    ) -> None:
        """Take the tries of one instance."""
        places = self.places[compiled.number]
        drawn = [(place, places[tuple(tries[place].chosen.values())]) for place in mine]
        size = len(tries)
        drawn = [(place, choice) for place, choice in drawn if np.broadcast_to(guards[choice], size)[place]]
        if not drawn:
            return
        rows = np.array([place for place, _ in drawn])
        stepped = self.expander.step(compiled, columns, rows, np.array([choice for _, choice in drawn], np.uint16))
        after = [columns[index][rows] for index in range(len(columns))]
        for index, column in zip(compiled.changed, stepped.changed, strict=True):
            after[index] = column
        # No search computes the leaves that only tell of the last step: its properties of steps have them inside.
        hidden = Program([compiled.transition.after[index] for index in self.transient], np.int64)
        last_step = hidden.run(lambda leaf: stepped.load(leaf).astype(np.int64))
        for index, value in zip(self.transient, last_step, strict=True):
            after[index] = np.broadcast_to(value, rows.shape)
        witnesses = dict(self.expander.witnesses(compiled, stepped))
        for row, place in enumerate(rows):
            answer = answers[place]
            answer.enabled = bool(stepped.enabled[row])
            answer.faults = frozenset(name for name, bad in stepped.faults if bad[row] and answer.enabled)
            answer.after = {index: int(column[row]) for index, column in enumerate(after)}
            bad = {name: bool(column[row]) for name, column in stepped.steps}
            answer.verdicts |= {stated.name: not bad.get(stated.name) for stated, _ in compiled.transition.steps}
            answer.verdicts |= {
                stated.name: bool(np.broadcast_to(witnesses.get(stated.name, False), rows.shape)[row])
                for stated, _ in compiled.transition.witnesses
            }
