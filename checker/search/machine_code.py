"""A search as code of the machine: the same values as the columns compute, as routines over one set of registers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from checker.machine.arrays import HashTable
from checker.machine.assembler import Assembler, Output
from checker.machine.instructions import LANES, Routine
from checker.machine.job import Cursor, Job, Plan
from checker.search.compiled import Compiled
from checker.search.expansion import States
from checker.search.fingerprint import Plain, Symmetric
from checker.search.fingerprint_code import FingerprintCode
from checker.search.successors import Expander
from checker.symbolic.node import Node, Value

RECENT = 1 << 18
"""Plain fingerprints that are kept so that the same state is not looked at under every renaming again and again."""
FEWEST = 1 << 16
"""Places of the first table of fingerprints."""


class MachineCode:
    """The routines of one search, and the arrays that the kernels go by."""

    def __init__(self, expander: Expander, always: Sequence[tuple[str, Value]], words: int = 1) -> None:
        """Assemble; a fingerprint has one word or two."""
        self.expander = expander
        leaves = expander.reader.leaves
        self.plain = [expander.plain, Plain(leaves, expander.width, seed=3)][:words]
        self.symmetric = (
            [expander.symmetric, Symmetric(leaves, expander.sorts, seed=4)][:words] if expander.symmetric else []
        )
        self.always = list(always)
        """What is asked of every state."""
        self.kept = expander.plain.kept
        self.row = expander.plain.row
        self.place = {index: place for place, index in enumerate(self.kept)}
        """For each leaf that lasts its register, in the state before."""
        sizes = [self.row, self.row, len(leaves) - len(self.kept), max([1, *map(_parameters, expander.compiled)]), 4]
        sizes += [max([1, *[len(compiled.faults) for compiled in expander.compiled]])]
        sizes += [sum(len(compiled.guards) for compiled in expander.compiled)]
        sizes += [len(self.always), len(expander.asked) + 1, len(expander.shown)]
        _, self.after, transient, self.parameters, flags, self.first_fault, *places, end = itertools.accumulate(
            sizes, initial=0
        )
        self.guards, self.asked, self.broken, self.shown = places
        self.late, self.alive, self.faulty = flags, flags + 1, flags + 2
        later = {index: self.after + place for index, place in self.place.items()}
        later |= {index: transient + number for number, index in enumerate(expander.transient)}
        self.later = later
        """For each leaf its register in the state after."""
        self.assembler = Assembler(end)
        self.guarding = self._guarding()
        self.bodies = [self._body(compiled) for compiled in expander.compiled]
        self.asking = self._stated(self.always, self.asked)
        self.breaking = self._breaking()
        self.showing = self._stated(expander.shown, self.shown)
        self.names = list(
            dict.fromkeys(
                [name for name, _ in expander.asked]
                + [name for compiled in expander.compiled for name, _ in compiled.faults]
            )
        )
        """What a step may violate."""

    # Routines.

    def _before(self, node: Node) -> int:
        return self.place[self.expander.index[node]]

    def _both(self, node: Node) -> int:
        return self._before(node) if node in self.expander.index else self.later[self.expander.later[node]]

    def _guarding(self) -> Routine:
        guards = [guard for compiled in self.expander.compiled for guard in compiled.guards]
        return self.assembler.assemble(
            [Output(guard, self.guards + number) for number, guard in enumerate(guards)], self._before
        )

    def _body(self, compiled: Compiled) -> Routine:
        """Return what an instance does: whether it may, what it violates itself, every leaf afterwards."""
        parameters = {name: self.parameters + number for number, name in enumerate(compiled.transition.parameters)}
        graph = self.expander.reader.graph
        bad = graph.any_of(value for _, value in compiled.faults)
        outputs = [
            Output(compiled.late, self.late),
            Output(graph.and_(compiled.late, graph.not_(bad)), self.alive),
            Output(graph.and_(compiled.late, bad), self.faulty),
            *[Output(value, self.first_fault + number) for number, (_, value) in enumerate(compiled.faults)],
        ]
        after = compiled.transition.after
        outputs += [Output(after[index], place, as_number=True) for index, place in self.later.items()]

        def load(node: Node) -> int:
            return self._before(node) if node in self.expander.index else parameters[node.name]

        return self.assembler.assemble(outputs, load)

    def _stated(self, stated: Sequence[tuple[str, Value]], first: int) -> Routine:
        return self.assembler.assemble(
            [Output(value, first + number) for number, (_, value) in enumerate(stated)], self._both
        )

    def _breaking(self) -> Routine:
        asked = self.expander.asked
        anything = self.expander.reader.graph.any_of(value for _, value in asked)
        outputs = [Output(value, self.broken + 1 + number) for number, (_, value) in enumerate(asked)]
        return self.assembler.assemble([*outputs, Output(anything, self.broken)], self._both)

    # Arrays.

    def prints(self, states: States) -> HashTable:
        """Return the fingerprint of each state, word by word: the first is that of the columns."""
        return np.array([each.of(list(states)) for each in self.symmetric or self.plain])

    def job(self) -> Job:
        """Return the arrays of a search that has not begun."""
        expander, width = self.expander, self.expander.width
        code = FingerprintCode(self.symmetric, self.place, width)
        instances, faults = self._instances()
        count = len(expander.compiled)
        return Job(
            plan=self._plan(),
            cursor=np.zeros(len(Cursor), np.int64),
            code=self.assembler.table(),
            registers=self.assembler.registers(width),
            guards=self._guards(),
            instances=instances,
            choices=self._choices(),
            faults=faults,
            always=_pairs((self.asked + number, number) for number in range(len(self.always))),
            broken=_pairs(
                (self.broken + 1 + number, self.names.index(name)) for number, (name, _) in enumerate(expander.asked)
            ),
            shown=np.arange(self.shown, self.shown + len(expander.shown)),
            keys=np.array([each.keys for each in self.plain]),
            renamings=code.renamings,
            lookups=code.lookups,
            entries=code.entries,
            references=code.references,
            maps=code.maps,
            words=code.words,
            recent=np.zeros(RECENT if self.symmetric else 1, np.uint64),
            queue=np.zeros((count, 2 * LANES), np.int64),
            chosen=np.zeros((count, 2 * LANES), np.int64),
            queued=np.zeros(count, np.int64),
            rows=np.zeros((LANES, self.row), width),
            pending=np.zeros((LANES, self.row), width),
            origins=np.zeros((LANES, 3), np.int64),
            prints=np.zeros((2, LANES), np.uint64),
            columns=np.zeros((self.row, LANES), width),
            sums=np.zeros((code.members + 1, LANES), np.uint64),
            spots=np.zeros(LANES, np.int32),
            identity=np.arange(LANES),
            square=np.zeros(8, np.uint64),
            frontier=np.zeros((0, self.row), width),
            found=np.zeros((4 * LANES, self.row), width),
            steps=np.zeros((4 * LANES, 3), np.int32),
            table=np.zeros((FEWEST, len(self.plain)), np.uint64),
            taken=np.zeros(count, np.int64),
            violations=np.zeros((len(self.names), 3), np.int64),
            failing=np.zeros(len(self.always), np.int64),
            seen=np.zeros(len(expander.shown), np.int64),
        )

    def _plan(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        plan = np.zeros(max(Plan) + 1, np.int64)
        routines = {
            Plan.GUARDS: self.guarding,
            Plan.ALWAYS: self.asking,
            Plan.BROKEN: self.breaking,
            Plan.SHOWN: self.showing,
        }
        for place, routine in routines.items():
            plan[place : place + 2] = routine
        plan[Plan.AFTER], plan[Plan.PARAMETERS] = self.after, self.parameters
        plan[Plan.LATE], plan[Plan.ALIVE], plan[Plan.FAULTY] = self.late, self.alive, self.faulty
        plan[Plan.ANY_BROKEN] = self.broken
        plan[Plan.SYMMETRIC] = self.expander.symmetric is not None
        return plan

    def _guards(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Return the guards that may hold anywhere."""
        rows, register = [], self.guards
        for compiled in self.expander.compiled:
            for choice, guard in enumerate(compiled.guards):
                if guard is not False:
                    rows.append((register, compiled.number, choice))
                register += 1
        return np.array(rows, np.int64).reshape(len(rows), 3)

    def _instances(self) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], ...]:
        """Return the instances, and the faults of them all."""
        rows: list[list[int]] = []
        faults: list[tuple[int, int]] = []
        for compiled, body in zip(self.expander.compiled, self.bodies, strict=True):
            first = len(faults)
            faults += [
                (self.first_fault + number, self.names.index(name)) for number, (name, _) in enumerate(compiled.faults)
            ]
            rows.append([*body, _parameters(compiled), first, len(faults)])
        return np.array(rows, np.int64).reshape(len(rows), 5), _pairs(faults)

    def _choices(self) -> np.ndarray[tuple[int, int, int], np.dtype[np.signedinteger]]:
        """Return the value of each parameter of each instance under each choice."""
        compiled = self.expander.compiled
        most = max([1, *[len(each.choices) for each in compiled]])
        table = np.zeros((len(compiled), max([1, *map(_parameters, compiled)]), most), self.expander.width)
        for each in compiled:
            for number, name in enumerate(each.transition.parameters):
                table[each.number, number, : len(each.choices)] = [values[name] for values in each.choices]
        return table


def _parameters(compiled: Compiled) -> int:
    return len(compiled.transition.parameters)


def _pairs(rows: object) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    made = np.array(list(rows), np.int64)  # type: ignore[call-overload]
    return made.reshape(len(made), 2)
