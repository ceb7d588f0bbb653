"""A campaign of fuzzing: a budget in time, one seed per worker, what was covered, and failures saved to be replayed."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import torch

from checker.lockstep.lockstep import Failed
from checker.lockstep.loops import compare, shorten_stream, stream_of
from checker.lockstep.machine import Coverage, Run, drive, scope_of
from checker.lockstep.shrink import failing, shorten, told_to_run
from checker.lockstep.step import replay
from checker.scenarios.read import read
from checker.search.saved import FOLDER
from checker.workers import spread
from runtime.streams import Simulated, StreamEvent, Work, Worker
from spec.scope import BadScope, Scope

THREADED_EVERY: Final = 12
"""Of so many runs one is on a thread instead of the simulated device."""
LOOPS_EVERY: Final = 8
"""Of so many others one is a pair: the scheduler's loops, plain and overlapped."""

Shrink = Callable[[float], Run]
"""Makes a failing run short, in so many seconds at most."""
SHRINKING: Final = 30.0
"""For so many seconds at most steps are left out of a failure."""


@dataclass(frozen=True, slots=True)
class FailingRun:
    """A failure, shrunk."""

    kind: str
    name: str
    detail: str
    program: str
    """The script."""
    story: str
    """The same as a timeline."""
    steps: int
    seconds: float
    """Seconds of the campaign until it was first seen."""
    tried: int
    """Steps of the campaign up to there."""
    threaded: bool


@dataclass(slots=True)
class Campaign:
    """What one worker, or all of them, have done."""

    coverage: Coverage = field(default_factory=Coverage)
    found: list[FailingRun] = field(default_factory=list)
    seconds: float = 0.0
    """How long it took, as a person waits for it."""
    busy: float = 0.0
    """Seconds that workers have hunted, all together: without the time that processes take to start."""
    workers: int = 1

    @property
    def right(self) -> bool:
        """Whether nothing was found, something was done, and no action was left out."""
        return not self.found and self.coverage.steps > 0 and not self.coverage.missing


class Late(Worker):
    """A thread that pauses before each piece of work, for its model is so small that it would never be behind.

    Without a pause it is the other extreme: the host waits a moment, and the work is done before it goes on.
    """

    def __init__(self, pause: float) -> None:
        super().__init__()
        self.pause = pause
        """Seconds."""

    def submit(self, work: Work) -> StreamEvent:
        """Hand the work to the thread."""

        def later() -> None:
            time.sleep(self.pause)
            work()

        event = super().submit(later)
        if not self.pause:
            time.sleep(_HEAD_START)
        return event


_HEAD_START: Final = 0.002
PAUSES: Final = (0.0, 0.001, 0.005)
"""What a run on a thread draws its pause from: a step of the host takes about a millisecond."""


def hunt(first_seed: int, seconds: float, threads: bool = True, shrinking: float = SHRINKING) -> Campaign:
    """Fuzz in this process until the time is over or something is found; runs go by `first_seed`, and count up.

    shrinking: for so many seconds at most what is found is made shorter.
    """
    # The tensors are tiny, and the other cores belong to other workers.
    torch.set_num_threads(1)
    campaign = Campaign()
    started = time.monotonic()
    number = 0
    while not campaign.found and time.monotonic() - started < seconds:
        rng = Random(f"{first_seed} {number}")
        pause = rng.choice(PAUSES) if threads and number % THREADED_EVERY == THREADED_EVERY - 1 else None
        if found := _played(rng, pause, campaign.coverage):
            seen, (_, shrink) = time.monotonic() - started, found
            campaign.found.append(_told(shrink(shrinking), seen, campaign.coverage.steps))
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
    """Return a run made short; what a thread has shown is told without one where it shows there as well."""
    if pause is None:
        return shorten(failed, seconds)
    simulated = failing(failed.scope, told_to_run(failed.moves))
    return shorten(simulated, seconds) if simulated else shorten(failed, seconds, partial(Late, pause))


def _told(run: Run, seconds: float, tried: int) -> FailingRun:
    assert run.failed is not None, "only runs that failed are kept"
    return FailingRun(
        kind=run.failed.kind,
        name=run.failed.name,
        detail=run.failed.detail,
        program=run.text(),
        story=run.story(),
        steps=len(run.moves),
        seconds=seconds,
        tried=tried,
        threaded=not run.twin.told_when_to_run,
    )


def fuzz(seconds: float, workers: int, first_seed: int) -> Campaign:
    """Fuzz in parallel processes, a seed for each."""
    started = time.monotonic()
    whole = Campaign(workers=workers)
    seeds = [first_seed + 1_000_000 * worker for worker in range(workers)]
    for part in spread(partial(hunt, seconds=seconds), seeds, workers):
        whole.coverage.add(part.coverage)
        whole.found += part.found
        whole.busy += part.busy
    whole.seconds = time.monotonic() - started
    return whole


def keep(found: FailingRun, folder: Path = FOLDER) -> tuple[Path, Path]:
    """Save a failure as a script and as a trace, and return where; equal failures share their files."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"fuzz-{hashlib.sha256(found.program.encode()).hexdigest()[:8]}"
    path, trace = folder / f"{name}.txt", folder / f"{name}.ndjson"
    path.write_text(found.program, encoding="utf-8")
    replay(read(path), Worker() if found.threaded else None, trace)
    return path, trace


def seconds_of(text: str) -> float:
    """Read a time such as 30s, 10m or 2h; raises BadScope."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not match or float(match[1]) <= 0:
        raise BadScope(f"--time {text}: write a number of seconds, or one with a unit, such as 30s, 10m or 2h")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]
