"""Explicit search, breadth first: every reachable state of a scope, a whole frontier at a time.

Shortest counterexamples come for free; parents are kept per level, so that the run that led to a state can be rebuilt
and replayed natively. Cut short, the search says so: that is never a pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from checker.deadline import Deadline
from checker.model.layout import flatten
from checker.model.model import Model, TakenStep
from checker.search.expansion import Expansion, Parents, States
from checker.search.exploration import Counterexample, Exploration, Limits
from checker.search.fingerprint_sets import merge
from checker.search.orbits import SAMPLE, differing_step, names_matter
from checker.search.successors import Expander
from checker.search.tables import Words
from checker.symbolic.columns import Program
from checker.symbolic.unread import Field, unread
from spec.language import Property

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
    ) -> None:
        """Prepare a search that ends once all of `until` are violated; empty: any property; None: it goes on.

        With `naming` it asks whether names matter, and with symmetry ends where they do: `names` says why.
        """
        self.model = model
        self.naming = naming
        self.expander = Expander(model, symmetry, naming)
        self.until = until
        self.result = Exploration(unseen=[stated.name for stated in model.of_kind("sometimes")])
        self.result.taken = dict.fromkeys([*[action.name for action in model.actions], *model.impossible], 0)
        self.result.asked = [
            stated.name for stated in model.properties if stated.kind in ("always", "step", "postcondition")
        ]
        self.result.unasked = list(model.unasked)
        self.always = [(stated, self._program(stated)) for stated in model.of_kind("always")]
        self.asked: dict[str, int] = {}
        """Of how many states each property of every state has been asked."""
        self.seen = np.zeros(0, np.uint64)
        """The fingerprints of all states found, sorted."""
        self.names = names_matter(self.expander.reader) if naming else ""
        """What goes by names, in words; empty: nothing that has been found."""
        self.sample: list[States] = [np.array([list(flatten(model.init))], self.expander.width).T]
        self.parents: list[Parents] = []
        self.clock = Deadline(None)
        self.left = False
        """Whether a level has been left in the middle."""

    def unread(self) -> list[Field]:
        """Return the fields of the state that no text of the model reads in this scope."""
        reader = self.expander.reader
        for stated in self.model.of_kind("lemma"):
            reader.holds(stated, [reader.inputs])
        return unread(self.model.shape, reader.looked)

    def _program(self, stated: Property) -> Program | bool:
        held = self.expander.reader.holds(stated, [self.expander.reader.inputs])
        return bool(held) if not hasattr(held, "op") else Program([held], self.expander.width)

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
        result.collision = result.states**2 / 2.0**65
        result.seconds = time.perf_counter() - started
        return result

    def _levels(self, limits: Limits, progress: Callable[[Exploration, int], None] | None) -> bool:
        """Search level by level; whether there is nothing left to look at."""
        result = self.result
        frontier = np.array([list(flatten(self.model.init))], self.expander.width).T.copy()
        seen = self.expander.fingerprints(frontier)
        result.states = 1
        if progress:
            progress(result, 1)
        self._check_always(frontier)
        while frontier.shape[1] and not self._enough():
            result.cut = self._limit(limits)
            if result.cut:
                break
            found, frontier, seen = self._level(frontier, seen)
            self.parents.append(found)
            # A level that was left in the middle is looked at like any other: what is wrong in it is wrong.
            if frontier.shape[1]:
                result.depth += 1
            result.states += frontier.shape[1]
            self._check_always(frontier)
            if self._go_by_names(frontier):
                break
            if progress:
                progress(result, frontier.shape[1])
            if self.left and not self._enough():
                result.cut = self.clock.words
                break
        self._go_by_names(frontier[:, :0], at_once=True)
        self.seen = seen
        return not frontier.shape[1]

    def _go_by_names(self, frontier: States, at_once: bool = False) -> bool:
        """Keep some of the new states, and try once in a while, and at the end, whether their names matter."""
        if self.naming and self.expander.symmetric and not self.names:
            kept = sum(states.shape[1] for states in self.sample)
            self.sample.append(frontier[:, :: max(1, frontier.shape[1] // PER_LEVEL)][:, :PER_LEVEL].copy())
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
        if self.clock.over:
            return self.clock.words
        if limits.depth is not None and self.result.depth >= limits.depth:
            return f"depth {limits.depth} reached"
        return ""

    def _level(self, frontier: States, seen: Words) -> tuple[Parents, States, Words]:
        """Return the parents and columns of all new states one step on, and all fingerprints seen by then.

        When the time is over, what is left of the level is left out, and `left` says so.
        """
        level = np.zeros(0, np.uint64)
        parts: list[Expansion] = []
        for start in range(0, frontier.shape[1], self.expander.chunk):
            if start and self.clock.over:
                self.left = True
                break
            columns = list(frontier[:, start : start + self.expander.chunk])
            expansion = self.expander.expand(columns, start, [seen, level], self.result.unseen)
            self._note(expansion)
            if len(expansion.fingerprints):
                level = merge(level, expansion.fingerprints)
                parts.append(expansion)
        if not parts:
            return Parents.none(), frontier[:, :0], seen
        states = np.concatenate([part.states for part in parts], axis=1)
        return Parents.join([part.found for part in parts]), states, merge(seen, level)

    def _note(self, expansion: Expansion) -> None:
        """Keep what has been found one step on from a part of the newest level."""
        result = self.result
        for action, times in expansion.taken.items():
            result.transitions += times
            result.taken[action] += times
        for name in expansion.seen:
            result.unseen.remove(name)
            result.seen[name] = result.depth + 1
        for name, (parent, last) in expansion.violations.items():
            if name not in result.counterexamples:
                steps = [*self.run_to(len(self.parents), parent), last]
                result.counterexamples[name] = Counterexample(name, steps)

    def _check_always(self, frontier: States) -> None:
        for stated, program in self.always:
            self.asked[stated.name] = self.asked.get(stated.name, 0) + frontier.shape[1]
            if stated.name in self.result.counterexamples or program is True or not frontier.shape[1]:
                continue
            for start in range(0, frontier.shape[1], self.expander.chunk):
                columns = list(frontier[:, start : start + self.expander.chunk])
                held = self.expander.over(program, columns) if program else [False]
                failed = np.flatnonzero(~np.asarray(held))
                if len(failed):
                    steps = self.run_to(len(self.parents), start + int(failed[0]))
                    self.result.counterexamples[stated.name] = Counterexample(stated.name, steps)
                    break

    def run_to(self, level: int, index: int) -> list[TakenStep]:
        """Return the steps from the first state to a state of a level."""
        steps: list[TakenStep] = []
        for found in reversed(self.parents[:level]):
            steps.append(self.expander.taken(int(found.instance[index]), int(found.choice[index])))
            index = int(found.parent[index])
        return steps[::-1]
