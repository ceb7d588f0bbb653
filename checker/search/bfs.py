"""Explicit search, breadth first: every reachable state of a scope, a whole frontier at a time.

Shortest counterexamples come for free; parents are kept per level, so that the run that led to a state can be rebuilt
and replayed natively. Cut short, the search says so: that is never a pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from checker.deadline import Deadline
from checker.machine import store
from checker.model.layout import flatten
from checker.model.model import Model, TakenStep
from checker.model.user_files import BadModel
from checker.search.compiled_levels import CompiledLevels
from checker.search.expansion import Parents, States
from checker.search.exploration import Counterexample, Exploration, Limits
from checker.search.levels import ColumnLevels, Level, Levels
from checker.search.machine_code import MachineCode
from checker.search.orbits import SAMPLE, differing_step, names_matter
from checker.search.successors import Expander
from checker.symbolic.columns import Program
from checker.symbolic.node import Node, Value, reach
from checker.symbolic.unread import Field, unread

FEW = 1 << 12
"""States up to which the columns are quick enough: to load compiled code takes as long as they do."""
MANY = 1 << 18
"""States up to which they are where nothing has been compiled yet."""
BITS = 64
"""Bits of a fingerprint, unless twice as many are asked for."""
MOST = 100_000_000
"""States that so many bits tell apart well enough: the chance that two are taken for one is one in 3,700."""
PER_LEVEL = 32
"""New states of each level that are kept to be tried under other names."""


class Search:
    """One search; `run` performs it."""

    def __init__(
        self,
        model: Model,
        symmetry: bool = True,
        until: frozenset[str] | None = frozenset(),
        naming: bool = False,
        bits: int = BITS,
    ) -> None:
        """Prepare a search that ends once all of `until` are violated; empty: any property; None: it goes on.

        With `naming` it asks whether names matter, and with symmetry ends where they do: `names` says why. States are
        told apart by fingerprints of 64 `bits`, or of 128.
        """
        self.model = model
        self.naming = naming
        self.bits = bits
        self.expander = Expander(model, symmetry, naming)
        self.until = until
        self.result = Exploration(unseen=[stated.name for stated in model.of_kind("sometimes")])
        self.result.taken = dict.fromkeys([*[action.name for action in model.actions], *model.impossible], 0)
        self.result.asked = [
            stated.name for stated in model.properties if stated.kind in ("always", "step", "postcondition")
        ]
        self.result.unasked = list(model.unasked)
        self.always = [(stated, self.program(held)) for stated, held in self.expander.always]
        self.asked: dict[str, int] = {}
        """Of how many states each property of every state has been asked."""
        self.found: Levels = ColumnLevels(self.expander, self.always)
        """The newest level, and all states found."""
        self.names = names_matter(self.expander.reader) if naming else ""
        """What goes by names, in words; empty: nothing that has been found."""
        self.sample: list[States] = [np.array([list(flatten(model.init))], self.expander.width).T]
        self.parents: list[Parents] = []
        self.clock = Deadline(None)

    def unread(self) -> list[Field]:
        """Return the fields of the state that no text of the model reads in this scope."""
        reader = self.expander.reader
        for stated in self.model.of_kind("lemma"):
            reader.holds(stated, [reader.inputs])
        return unread(self.model.shape, reader.looked)

    def program(self, held: Value) -> Program | bool:
        """Return what is asked of every state as a program; where it is so of all, or of none, that."""
        if reach([held]) > np.iinfo(self.expander.width).max:
            raise ValueError(f"what is asked reaches {reach([held])}, and the search computes with less")
        return Program([held], self.expander.width) if isinstance(held, Node) else bool(held)

    def run(
        self,
        limits: Limits,
        progress: Callable[[Exploration, int], None] | None = None,
        clock: Deadline | None = None,
    ) -> Exploration:
        """Search until everything reachable has been seen, a property is violated, or a limit is reached.

        A `clock` has begun to count before the search has, and stands for the limit in seconds.
        """
        started = time.perf_counter()
        self.clock = clock or Deadline(limits.seconds)
        result = self.result
        everything = False
        with self.clock:
            everything = self._levels(limits, progress)
        if self.clock.cut:
            result.cut = self.clock.words
        result.complete = everything and not result.cut
        result.by = self.found.name
        result.collision = self._collision()
        result.seconds = time.perf_counter() - started
        return result

    def _collision(self) -> float:
        """Return an upper bound of the chance that two states were taken for one."""
        both: float = self.result.states**2 / 2.0 ** (self.bits + 1)
        # Compiled code passes over states that it has met lately, by plain fingerprints.
        passed_over = isinstance(self.found, CompiledLevels) and self.expander.symmetric is not None
        return both + (self.result.transitions / 2.0**BITS if passed_over else 0.0)

    def _levels(self, limits: Limits, progress: Callable[[Exploration, int], None] | None) -> bool:
        """Search level by level; whether there is nothing left to look at."""
        result = self.result
        result.states = 1
        if progress:
            progress(result, 1)
        self._check_always()
        while self.found.size and not self._enough():
            result.cut = self._limit(limits)
            if result.cut:
                break
            self._change_over()
            level = self.found.advance(result.unseen, self.clock)
            self._note(level)
            self.parents.append(level.parents)
            # A level that was left in the middle is looked at like any other: what is wrong in it is wrong.
            if self.found.size:
                result.depth += 1
            result.states += self.found.size
            self._check_always()
            if self._go_by_names():
                break
            if progress:
                progress(result, self.found.size)
            if level.left and not self._enough():
                result.cut = self.clock.words
                break
        self._go_by_names(at_once=True)
        return not self.found.size

    def _change_over(self) -> None:
        """Go on with compiled code once that pays: it has to be loaded, and the first time of all to be compiled."""
        begun, states = self.found, self.result.states
        must = self.bits > BITS
        if not isinstance(begun, ColumnLevels) or (states < FEW and not must) or self.result.why_columns:
            return
        width = np.dtype(self.expander.width).name
        if states < MANY and not must and not store.is_built(width):
            return
        try:
            kernels = store.kernels(width, self.clock.left)
        except store.Unavailable as error:
            if must:
                raise BadModel(f"fingerprints of {self.bits} bits take compiled code, and {error}") from error
            self.result.why_columns = str(error)
            return
        stated = [
            (each.name, program.outputs[0] if isinstance(program, Program) else program)
            for each, program in self.always
        ]
        self.found = CompiledLevels(MachineCode(self.expander, stated, self.bits // BITS), kernels, begun)

    def _go_by_names(self, at_once: bool = False) -> bool:
        """Keep some of the new states, and try once in a while, and at the end, whether their names matter."""
        if self.naming and self.expander.symmetric and not self.names:
            kept = sum(states.shape[1] for states in self.sample)
            if not at_once:
                self.sample.append(self.found.some(PER_LEVEL))
            if at_once or kept < SAMPLE <= kept + self.sample[-1].shape[1]:
                always = [(stated.name, program) for stated, program in self.always if isinstance(program, Program)]
                self.names = differing_step(self.expander, always, np.concatenate(self.sample, axis=1))
        return bool(self.names) and self.expander.symmetric is not None

    def _enough(self) -> bool:
        """Whether what was looked for has been found."""
        found = self.result.counterexamples
        return self.until is not None and bool(found) and all(name in found for name in self.until)

    def _limit(self, limits: Limits) -> str:
        if limits.states is not None and self.result.states >= limits.states:
            return f"{limits.states} states reached"
        if self.bits == BITS and self.result.states >= MOST:
            return f"{MOST:,} states told apart by {BITS} bits: search with --fingerprints 128"
        if self.clock.over:
            return self.clock.words
        if limits.depth is not None and self.result.depth >= limits.depth:
            return f"depth {limits.depth} reached"
        return ""

    def _note(self, level: Level) -> None:
        """Keep what has been found one step on from the newest level."""
        result = self.result
        for action, times in level.taken.items():
            result.transitions += times
            result.taken[action] += times
        for name in level.seen:
            result.unseen.remove(name)
            result.seen[name] = result.depth + 1
        for name, (parent, last) in level.violations.items():
            if name not in result.counterexamples:
                steps = [*self.run_to(len(self.parents), parent), last]
                result.counterexamples[name] = Counterexample(name, steps)

    def _check_always(self) -> None:
        for place, (stated, _) in enumerate(self.always):
            self.asked[stated.name] = self.asked.get(stated.name, 0) + self.found.size
            failed = None if stated.name in self.result.counterexamples else self.found.failing(place)
            if failed is not None:
                steps = self.run_to(len(self.parents), failed)
                self.result.counterexamples[stated.name] = Counterexample(stated.name, steps)

    def run_to(self, level: int, index: int) -> list[TakenStep]:
        """Return the steps from the first state to a state of a level."""
        steps: list[TakenStep] = []
        for found in reversed(self.parents[:level]):
            steps.append(self.expander.taken(int(found.instance[index]), int(found.choice[index])))
            index = int(found.parent[index])
        return steps[::-1]
