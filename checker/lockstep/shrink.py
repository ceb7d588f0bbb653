"""A failing run made shorter, step by step: what can be left out, or said more plainly, goes.

Whole steps are left out, many at first and then fewer, alone and in pairs. A step that has become impossible without an
earlier one goes with it, so that a batch takes its device work and its result along.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence

from checker.lockstep import enabled
from checker.lockstep.cuts import CUTS
from checker.lockstep.failure import Failed
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.run import Run
from checker.lockstep.shorter import SIZES, elsewhere, shorter
from checker.lockstep.step import DrawnStep, possible
from runtime.streams import Simulated, Stream
from spec.scope import BadScope, Scope

NewStream = Callable[[], Stream]
"""Makes the device that a run is played on."""
_PRESENT = {"prepare": enabled.decodable, "process": enabled.ending, "regroup": enabled.regroupable}
"""Who can be named in a step about several requests."""


def for_a_simulated_device(steps: Sequence[DrawnStep]) -> list[DrawnStep]:
    """Return the steps of a run on a thread with the device's own, which a simulated one needs."""
    return [each for step in steps for each in ([DrawnStep("device"), step] if step.action == "process" else [step])]


def shorten(run: Run, seconds: float, stream: NewStream = Simulated) -> Run:
    """Return the shortest failing run that leaving steps out leads to; the run itself if there is none shorter."""
    until = time.monotonic() + seconds
    best = _shortened(_thinned(run, until, stream), until, stream)
    for scope, steps in elsewhere(best):
        if time.monotonic() > until:
            break
        found = failing(scope, steps, stream)
        best = min(best, _shortened(found, until, stream), key=_cost) if found else best
    return best


def _thinned(run: Run, until: float, stream: NewStream) -> Run:
    """Leave out the bulk of a long run: pieces of it, whole requests, whole batches, each tried once in its place."""
    for cut in CUTS:
        place = 0
        while (steps := cut(run.steps, place)) is not None and time.monotonic() < until:
            found = failing(run.scope, steps, stream)
            if found and len(found.steps) < len(run.steps):
                run = found
            else:
                place += 1
    return run


def _shortened(run: Run, until: float, stream: NewStream) -> Run:
    best = run
    while found := next((run for run in _tried(best, until, stream) if run), None):
        best = found
    return best


def failing(scope: Scope, steps: Sequence[DrawnStep], stream: NewStream = Simulated) -> Run | None:
    """Play what is possible of some steps, on a simulated device or another; return the run if it fails."""
    try:
        run = Run(scope, stream(), looks=False)
    except BadScope:
        return None
    try:
        for step in steps:
            adapted = _adapted(run.lockstep, step)
            if possible(run.lockstep, adapted):
                run.take(adapted)
    except Failed:
        return run
    finally:
        run.close()
    return None


def _adapted(lockstep: Lockstep, step: DrawnStep) -> DrawnStep:
    """Leave those out of a batch or a result who cannot be in it any more, and evict another entry if one is gone."""
    if step.action in ("prepare", "process", "regroup"):
        present = _PRESENT[step.action](lockstep)
        return dataclasses.replace(step, names=tuple(name for name in step.names if name in present))
    unlocked = enabled.unlocked(lockstep) if step.action == "evict" else []
    return dataclasses.replace(step, key=unlocked[-1]) if unlocked and step.key not in unlocked else step


def _tried(run: Run, until: float, stream: NewStream) -> Iterator[Run | None]:
    """Yield for each attempt the run if it is a better one, None if not; the boldest attempts come first."""
    for scope, steps in shorter(run):
        if time.monotonic() > until:
            return
        tried = failing(scope, steps, stream)
        yield tried if tried and _cost(tried) < _cost(run) else None


def _cost(run: Run) -> tuple[int, int, int]:
    """Return how long a run is, then how much there is to read in it, and then how large its scope is."""
    words = sum(
        sum(step.names, len(step.names)) + 9 * step.exhausted + step.prompt + step.request for step in run.steps
    )
    return len(run.steps), words, sum(getattr(run.scope, size) for size in SIZES)
