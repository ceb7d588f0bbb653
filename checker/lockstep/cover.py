"""Every step from every state that runtime and spec come to together in a small scope, each taken once and compared.

A state is the spec's, whichever slots stand in it for which: the runtime's allocator decides that by itself. No state
can be gone back to, so a run walks on to the nearest one that has a step left, by steps that it knows, and where there
is none begins again.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from checker.lockstep import enabled
from checker.lockstep.coverage import Coverage
from checker.lockstep.failure import Failed
from checker.lockstep.findings import FailingRun
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.run import Run
from checker.lockstep.step import DrawnStep
from checker.model.layout import flatten
from checker.search.fingerprint import Symmetric
from checker.symbolic.columns import width_for
from checker.symbolic.graph import Graph
from spec.scope import LAZY, Scope
from spec.state import ADMITTED, RequestId

LONGEST = 300
"""Steps of a run: the spec's side keeps all its states."""
ASTRAY = 200
"""Steps that may come out otherwise than they did before, one after the other, until no way is looked for any more."""


@dataclass(slots=True)
class CoveredState:
    """A state that has been reached."""

    left: list[DrawnStep]
    """Steps that have not been taken from it."""
    ways: dict[int, DrawnStep] = field(default_factory=dict)
    """For each state that follows a step that leads there."""


@dataclass(slots=True)
class Covered:
    """What has been covered."""

    scope: Scope
    states: int = 0
    steps: int = 0
    """Steps that were taken for the first time from a state; to get there others were repeated."""
    left: int = 0
    """Steps that were not taken."""
    coverage: Coverage = field(default_factory=Coverage)
    found: FailingRun | None = None
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether every step from every state was taken."""
        return self.found is None and self.steps > 0 and not self.left


class Cover:
    """Covers one scope."""

    def __init__(self, scope: Scope) -> None:
        self.result = Covered(scope)
        self.places: dict[int, CoveredState] = {}
        self.astray = 0
        """Steps in a row that led elsewhere than before."""
        model = Lockstep(scope).spec.model
        graph = Graph()
        width = width_for([graph.leaf(leaf.path, leaf.is_bool, leaf.low, leaf.high) for leaf in model.leaves])
        self._width = width
        self._names = Symmetric(model.leaves, {"slots": scope.slots})

    def key(self, lockstep: Lockstep) -> int:
        """Return a number that states share which differ in the names of slots only."""
        columns = np.array([list(flatten(lockstep.state))], self._width).T
        return int(self._names.of(list(columns))[0])

    def run(self, seconds: float) -> Covered:
        """Cover everything, unless the time is over or something fails."""
        # The tensors are tiny.
        torch.set_num_threads(1)
        started = time.monotonic()
        result = self.result
        going = True
        while going and result.found is None and time.monotonic() - started < seconds:
            going = self._walk(started + seconds)
        result.states = len(self.places)
        result.left = sum(len(place.left) for place in self.places.values())
        result.seconds = time.monotonic() - started
        return result

    def _walk(self, ends: float) -> bool:
        """Walk one run; whether it has taken a step."""
        run = Run(self.result.scope)
        at = self._arrive(run.lockstep)
        try:
            while len(run.steps) < LONGEST and time.monotonic() < ends and self.astray < ASTRAY:
                way = self._way(at)
                if not way:
                    break
                at = self._follow(run, at, way)
        except Failed as failed:
            text, story = run.text(), run.story()
            self.result.found = FailingRun(
                failed.kind, failed.name, failed.detail, text, story, len(run.steps), 0.0, self.result.steps, False
            )
        finally:
            run.close()
            run.count(self.result.coverage)
        return bool(run.steps)

    def _follow(self, run: Run, at: int, way: list[tuple[DrawnStep, int | None]]) -> int:
        """Take the steps of a way, the last for the first time; where one leads elsewhere another way is looked for."""
        for step, expected in way:
            if expected is None:
                self.places[at].left.remove(step)
                self.result.steps += 1
            run.take(step)
            after = self._arrive(run.lockstep)
            self.places[at].ways.setdefault(after, step)
            if expected not in (None, after):
                self.astray += 1
                return after
            at = after
        self.astray = 0
        return at

    def _arrive(self, lockstep: Lockstep) -> int:
        """Return the state that has been come to; of a new one, all its steps are left."""
        key = self.key(lockstep)
        if key not in self.places:
            self.places[key] = CoveredState(list(every(lockstep)))
        return key

    def _way(self, start: int) -> list[tuple[DrawnStep, int | None]]:
        """Return the steps to the nearest state with a step left, each with where it leads, and that step.

        Empty: no such state is known to be reached from here.
        """
        before: dict[int, tuple[int, DrawnStep]] = {}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            if self.places[at].left:
                way: list[tuple[DrawnStep, int | None]] = [(self.places[at].left[-1], None)]
                while at != start:
                    earlier, step = before[at]
                    way.append((step, at))
                    at = earlier
                return way[::-1]
            for after, step in self.places[at].ways.items():
                if after != start and after not in before:
                    before[after] = at, step
                    waiting.append(after)
        return []


def every(lockstep: Lockstep) -> Iterator[DrawnStep]:
    """Yield every step that can be taken now, by the runtime's own choices and with others holding all that is free."""
    scope, state = lockstep.scope, lockstep.state
    for name in enabled.unused(lockstep):
        for family, prompt in itertools.product(range(scope.families), range(1, scope.max_len + 1)):
            yield DrawnStep("admit", name, family, prompt)
    if enabled.room(lockstep):
        yield from [DrawnStep("prefill", name) for name in enabled.in_phase(lockstep, ADMITTED)]
        # Only a lazy request asks for a slot here.
        supplies = (False, True) if scope.mode == LAZY else (False,)
        for names, exhausted in itertools.product(_subsets(enabled.decodable(lockstep)), supplies):
            yield DrawnStep("prepare", names=names, exhausted=exhausted)
    if state.written < state.pending:
        yield DrawnStep("device")
    if enabled.ready(lockstep):
        for names, exhausted in itertools.product(_subsets(enabled.ending(lockstep)), (False, True)):
            yield DrawnStep("process", names=names, exhausted=exhausted)
    yield from [DrawnStep("abort", name) for name in sorted(lockstep.seats)]
    yield from [DrawnStep("evict", key=key) for key in enabled.unlocked(lockstep)]
    for name, seat in itertools.product(enabled.movable(lockstep), enabled.seats_left(lockstep)):
        yield DrawnStep("move", name, seat=seat)
    yield from [DrawnStep("regroup", names=names) for names in _subsets(enabled.regroupable(lockstep)) if names]


def _subsets(names: Sequence[RequestId]) -> Iterator[tuple[RequestId, ...]]:
    return itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(len(names) + 1))


def cover(scope: Scope, seconds: float) -> Covered:
    """Drive the runtime over every step of a small scope; raises BadScope where no runtime has such sizes."""
    return Cover(scope).run(seconds)
