"""Fuzzing in one process: runs are drawn and played until the time is over, or one fails and is made short."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

import torch

from checker.lockstep.asked import stream_of
from checker.lockstep.coverage import Coverage
from checker.lockstep.delayed_stream import PAUSES, Late
from checker.lockstep.failure import Failed
from checker.lockstep.findings import Campaign, FailingRun
from checker.lockstep.loops import compare, shorten_stream
from checker.lockstep.machine import drive, scope_of
from checker.lockstep.run import Run
from checker.lockstep.shrink import failing, for_a_simulated_device, shorten
from runtime.streams import Simulated
from spec.scope import Scope

THREADED_EVERY: Final = 12
"""Of so many runs one is on a thread instead of the simulated device."""
LOOPS_EVERY: Final = 8
"""Of so many others one is a pair: the scheduler's loops, plain and overlapped."""
Shrink = Callable[[float], Run]
"""Makes a failing run short, in so many seconds at most."""
SHRINKING: Final = 30.0
"""For so many seconds at most steps are left out of a failure."""


def hunt(
    first_seed: int,
    seconds: float = math.inf,
    steps: float = math.inf,
    threads: bool = True,
    shrinking: float = SHRINKING,
) -> Campaign:
    """Fuzz in this process until the time is over, so many steps are taken, or something is found.

    Runs go by `first_seed`, and count up. shrinking: for so many seconds at most what is found is made shorter.
    """
    # The tensors are tiny, and the other cores belong to other workers.
    torch.set_num_threads(1)
    campaign = Campaign()
    started = time.monotonic()
    number = 0
    while not campaign.found and campaign.coverage.steps < steps and time.monotonic() - started < seconds:
        rng = Random(f"{first_seed} {number}")
        pause = rng.choice(PAUSES) if threads and number % THREADED_EVERY == THREADED_EVERY - 1 else None
        if found := _played(rng, pause, campaign.coverage):
            seen, (_, shrink) = time.monotonic() - started, found
            campaign.found.append(_failing_run(shrink(shrinking), seen, campaign.coverage.steps))
        number += 1
    campaign.busy = campaign.seconds = time.monotonic() - started
    return campaign


def _played(rng: Random, pause: float | None, coverage: Coverage) -> tuple[Run, Shrink] | None:
    """Draw and play one run, or the scheduler's two loops; return what fails, and what makes it shorter."""
    scope = scope_of(rng)
    if pause is None and rng.randrange(LOOPS_EVERY) == 0:
        return _looped(rng, scope, coverage)
    run = Run(scope, Simulated() if pause is None else Late(pause))
    try:
        drive(rng, run)
    except Failed:
        return run, partial(_shorter, run, pause)
    finally:
        run.close()
        run.count(coverage)
    return None


def _looped(rng: Random, scope: Scope, coverage: Coverage) -> tuple[Run, Shrink] | None:
    # In every second one slots are never scarce, so that what is published can be compared.
    roomy = scope.replace(slots=scope.slots + rng.choice((0, scope.families * scope.max_len + 4)))
    stream, behind = stream_of(rng, roomy), rng.choice((99, 0, 1))
    runs = compare(roomy, stream, behind)
    coverage.loops += 1
    for run in runs:
        run.count(coverage)
    failed = next((run for run in runs if run.failed), None)
    if failed is None:
        return None
    by_loop = failed.failed is not None and failed.failed.kind == "loop"
    return failed, partial(shorten_stream, failed, stream, behind) if by_loop else partial(_shorter, failed, None)


def _shorter(failed: Run, pause: float | None, seconds: float) -> Run:
    """Return a run made short; what a thread has shown is shown without one where that is possible."""
    if pause is None:
        return shorten(failed, seconds)
    simulated = failing(failed.scope, for_a_simulated_device(failed.steps))
    return shorten(simulated, seconds) if simulated else shorten(failed, seconds, partial(Late, pause))


def _failing_run(run: Run, seconds: float, tried: int) -> FailingRun:
    assert run.failed is not None, "only runs that failed are kept"
    return FailingRun(
        kind=run.failed.kind,
        name=run.failed.name,
        detail=run.failed.detail,
        program=run.text(),
        story=run.story(),
        steps=len(run.steps),
        seconds=seconds,
        tried=tried,
        threaded=not run.lockstep.simulated,
    )
