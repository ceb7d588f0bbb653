"""A reading takes a block of tries, and says of each what the text means: enabled, faults, successor, verdicts.

Whatever computes verdicts is put behind this, so that an audit can hold it against plain Python: here what a search
ran, columns or the machine's code; the solver's terms in checker/proof/term_readings.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from checker.search.bfs import Search
from checker.search.compiled import Compiled, Stepped
from checker.search.compiled_levels import CompiledLevels
from checker.search.expansion import Choices, Mask, Places
from checker.search.machine_steps import MachineSteps
from checker.search.tries import Try, TryAnswer
from checker.symbolic.columns import Column, Program


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


class Stepper(Protocol):
    """One way to take steps from states that are given as columns."""

    name: str

    def always(self, columns: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where each property of states holds."""
        ...

    def guards(self, columns: Sequence[Column]) -> list[list[Mask]]:
        """Return for each instance where the guard of each of its choices holds."""
        ...

    def step(self, compiled: Compiled, columns: Sequence[Column], rows: Places, choice: Choices) -> Stepped:
        """Run an instance on some states, each with a choice for which its guard holds there."""
        ...

    def broken(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others violate each property that is asked of steps."""
        ...

    def witnesses(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others show each *sometimes*."""
        ...


class Searched:
    """The reading of a search: the very programs that it ran over its levels."""

    def __init__(self, search: Search, steps: Stepper) -> None:
        self.search = search
        self.steps = steps
        self.name = steps.name
        self.expander = search.expander
        model = search.model
        kinds = ("always", "step", "postcondition", "sometimes")
        self.claims = frozenset(stated.name for kind in kinds for stated in model.of_kind(kind))
        asked = {name for name, states in search.asked.items() if states == search.result.states}
        self.asked = frozenset(asked | {name for name, _ in [*self.expander.asked, *self.expander.shown]})
        self.leaves = frozenset(leaf.index for leaf in self.expander.reader.leaves)
        self.places = {
            compiled.number: {tuple(chosen.values()): place for place, chosen in enumerate(compiled.choices)}
            for compiled in self.expander.compiled
        }

    def read(self, tries: Sequence[Try]) -> list[TryAnswer]:
        """Return what the programs make of each try."""
        answers = [TryAnswer(False) for _ in tries]
        states = self._states(tries)
        for name, held in self.steps.always(states):
            for answer, value in zip(answers, held, strict=True):
                answer.verdicts[name] = bool(value)
        guards = self.steps.guards(states)
        for compiled in self.expander.compiled:
            mine = [place for place, done in enumerate(tries) if done.number == compiled.number]
            if mine:
                self._instance(compiled, states, guards[compiled.number], mine, tries, answers)
        return answers

    def found(self, tries: Sequence[Try]) -> list[bool]:
        """Return whether the search has been in the state of each try; what is the same by symmetry counts as one."""
        return [bool(known) for known in self.search.found.contains(np.array(self._states(tries)))]

    def _states(self, tries: Sequence[Try]) -> list[Column]:
        """Return the leaves before each try as a search has them: without what tells of the step before."""
        states = np.array([done.at.values for done in tries], self.expander.width).T.copy()
        states[self.expander.transient] = 0
        return list(states)

    def _instance(
        self,
        compiled: Compiled,
        columns: list[Column],
        guards: list[Mask],
        mine: list[int],
        tries: Sequence[Try],
        answers: list[TryAnswer],
    ) -> None:
        """Take the tries of one instance."""
        places = self.places[compiled.number]
        drawn = [(place, places[tuple(tries[place].chosen.values())]) for place in mine]
        drawn = [(place, choice) for place, choice in drawn if guards[choice][place]]
        if not drawn:
            return
        rows = np.array([place for place, _ in drawn])
        stepped = self.steps.step(compiled, columns, rows, np.array([choice for _, choice in drawn], np.uint16))
        before = [column[rows] for column in columns]
        broken = self.steps.broken(before, stepped.after)
        shown = self.steps.witnesses(before, stepped.after)
        for row, place in enumerate(rows):
            answer = answers[place]
            answer.enabled = bool(stepped.enabled[row])
            answer.faults = frozenset(name for name, bad in stepped.faults if bad[row] and answer.enabled)
            answer.after = {index: int(column[row]) for index, column in enumerate(stepped.after)}
            answer.verdicts |= {name: not bad[row] for name, bad in broken}
            answer.verdicts |= {name: bool(seen[row]) for name, seen in shown}


class ColumnSteps:
    """Takes steps with the programs of columns."""

    name = "columns"

    def __init__(self, search: Search) -> None:
        self.search = search
        self.expander = search.expander
        self.step, self.broken, self.witnesses = self.expander.step, self.expander.broken, self.expander.witnesses

    def always(self, columns: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where each property of states holds."""
        size = len(columns[0])
        found = []
        for stated, program in self.search.always:
            held = self.expander.over(program, columns) if isinstance(program, Program) else program
            found.append((stated.name, np.broadcast_to(held, size)))
        return found

    def guards(self, columns: Sequence[Column]) -> list[list[Mask]]:
        """Return for each instance where the guard of each of its choices holds."""
        size = len(columns[0])
        found = iter(self.expander.guards.run(lambda leaf: columns[self.expander.index[leaf]]))
        return [
            [np.broadcast_to(np.asarray(next(found), bool), size) for _ in compiled.guards]
            for compiled in self.expander.compiled
        ]


def readings_of(search: Search) -> list[Searched]:
    """Return the readings that have had a part in a search, the one it ended with last."""
    readings = [Searched(search, ColumnSteps(search))]
    if isinstance(search.found, CompiledLevels):
        levels = search.found
        readings.append(Searched(search, MachineSteps(levels.code, levels.kernels, levels.job)))
    return readings
