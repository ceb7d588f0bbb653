"""Steps by the machine, for states given as columns: what an audit asks, of the very routines that a search has run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from checker.machine.instructions import LANES, Routine
from checker.machine.job import Job, Stretch
from checker.machine.store import Kernels
from checker.search.compiled import Compiled, Stepped
from checker.search.expansion import Choices, Mask, Places
from checker.search.machine_code import MachineCode
from checker.symbolic.columns import Column


class MachineSteps:
    """Runs the routines of a search on states of any origin."""

    name = "compiled"

    def __init__(self, code: MachineCode, kernels: Kernels, job: Job) -> None:
        self.code = code
        self.kernels = kernels
        self.job = job

    def always(self, columns: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where each property of states holds."""
        first = self.code.asked
        found = self._truths(self.code.asking, {}, columns, first, len(self.code.always))
        return [(name, mask) for (name, _), mask in zip(self.code.always, found, strict=True)]

    def guards(self, columns: Sequence[Column]) -> list[list[Mask]]:
        """Return for each instance where the guard of each of its choices holds."""
        compiled = self.code.expander.compiled
        count = sum(len(each.guards) for each in compiled)
        found = iter(self._truths(self.code.guarding, {}, columns, self.code.guards, count))
        return [[next(found) for _ in each.guards] for each in compiled]

    def step(self, compiled: Compiled, columns: Sequence[Column], rows: Places, choice: Choices) -> Stepped:
        """Run an instance on some states, each with a choice for which its guard holds there."""
        code = self.code
        before = [column[rows] for column in columns]
        given = {
            code.parameters + number: compiled.parameter(name, choice)
            for number, name in enumerate(compiled.transition.parameters)
        }
        body = code.bodies[compiled.number]
        names = [name for name, _ in compiled.faults]
        wanted = [code.late, code.alive, *range(code.first_fault, code.first_fault + len(names))]
        found = self._run(body, given, before, [*wanted, *[code.later[index] for index in range(len(columns))]])
        late, alive, *faults = [column != 0 for column in found[: len(wanted)]]
        return Stepped(late, list(zip(names, faults, strict=True)), alive, found[len(wanted) :])

    def broken(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others violate each property that is asked of steps."""
        asked = self.code.expander.asked
        found = self._truths(self.code.breaking, self._later(after), before, self.code.broken + 1, len(asked))
        return [(name, mask) for (name, _), mask in zip(asked, found, strict=True)]

    def witnesses(self, before: Sequence[Column], after: Sequence[Column]) -> list[tuple[str, Mask]]:
        """Return where the steps from some states to others show each *sometimes*."""
        shown = self.code.expander.shown
        found = self._truths(self.code.showing, self._later(after), before, self.code.shown, len(shown))
        return [(name, mask) for (name, _), mask in zip(shown, found, strict=True)]

    def _later(self, after: Sequence[Column]) -> dict[int, Column]:
        return {place: after[index] for index, place in self.code.later.items()}

    def _truths(
        self, routine: Routine, given: dict[int, Column], before: Sequence[Column], first: int, count: int
    ) -> list[Mask]:
        """Run a routine, and return the truths that it leaves."""
        return [column != 0 for column in self._run(routine, given, before, range(first, first + count))]

    def _run(
        self, routine: Routine, given: dict[int, Column], before: Sequence[Column], wanted: Sequence[int]
    ) -> list[Column]:
        """Run a routine on one block after the other, and return what it leaves in some registers."""
        size, registers = len(before[0]), self.job.registers
        made = np.zeros((len(wanted), size), registers.dtype)
        for start in range(0, size, LANES):
            lanes = min(LANES, size - start)
            for index, place in self.code.place.items():
                registers[place, :lanes] = before[index][start : start + lanes]
            for place, column in given.items():
                registers[place, :lanes] = column[start : start + lanes]
            self.kernels.call("interpret", Stretch(self.job.code, registers, np.array(routine)))
            made[:, start : start + lanes] = registers[list(wanted), :lanes]
        return list(made)
