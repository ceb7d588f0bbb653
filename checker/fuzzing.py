"""A campaign of fuzzing: a budget in time, one seed per worker, what was covered, and failures saved to be replayed."""

from __future__ import annotations

import functools
import hashlib
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from checker.counterexamples import FOLDER
from checker.moves import replay
from checker.pools import spread
from checker.refinement import Failed
from checker.scenario import read
from checker.shortening import shorten
from checker.stateful import Coverage, Run, drive, scopes
from runtime.streams import Event, Simulated, Work, Worker
from spec.scope import BadScope

PROFILE = settings(
    max_examples=200,
    database=None,
    deadline=None,
    phases=(Phase.generate, Phase.target, Phase.shrink),
    report_multiple_bugs=False,
    print_blob=False,
    verbosity=Verbosity.quiet,
    suppress_health_check=list(HealthCheck),
)
"""Ours in every respect: what is found is kept as a script, not in a database that forgets when a rule changes."""

THREADED_EVERY: Final = 4
"""Of so many rounds one, the second, runs on a thread instead of the simulated device."""
THREADED_RUNS: Final = 50
"""How many runs such a round has: few, so that half a minute has room for it."""

SHRINKING: Final = 5.0
"""For so many seconds Hypothesis shrinks a failure, and then steps are left out for as long at most."""


@dataclass(frozen=True, slots=True)
class Found:
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
    threaded: bool


@dataclass(slots=True)
class Campaign:
    """What one worker, or all of them, have done."""

    coverage: Coverage = field(default_factory=Coverage)
    found: list[Found] = field(default_factory=list)
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

    def submit(self, work: Work) -> Event:
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


class _TimeIsUp(BaseException):
    """Ends a round. No Exception, so that Hypothesis does not take it for a failure."""


def hunt(first_seed: int, seconds: float, threads: bool = True) -> Campaign:
    """Fuzz in this process until the time is over or something is found; rounds go by `first_seed`, and count up."""
    # The tensors are tiny, and the other cores belong to other workers.
    torch.set_num_threads(1)
    campaign = Campaign()
    started = time.monotonic()
    number = 0
    while not campaign.found and time.monotonic() - started < seconds:
        threaded = threads and number % THREADED_EVERY == 1 % THREADED_EVERY
        _round(first_seed + number, started + seconds, started, threaded, campaign)
        number += 1
    campaign.busy = campaign.seconds = time.monotonic() - started
    return campaign


def _round(number: int, until: float, started: float, threaded: bool, campaign: Campaign) -> None:
    """Let Hypothesis draw some hundred runs, and keep the shortest that fails."""
    shortest: Run | None = None
    first_seen = 0.0

    @seed(number)
    @settings(PROFILE, max_examples=THREADED_RUNS if threaded else PROFILE.max_examples)
    @given(st.data())
    def play(data: Any) -> None:
        nonlocal first_seen, shortest
        if shortest and time.monotonic() > started + first_seen + SHRINKING:
            raise _TimeIsUp
        run = Run(data.draw(scopes()), Late(data.draw(st.sampled_from(PAUSES))) if threaded else Simulated())
        try:
            drive(data.draw, run)
        finally:
            run.close()
            run.count(campaign.coverage)
            if run.failed:
                first_seen = first_seen or time.monotonic() - started
                shortest = min(shortest or run, run, key=lambda it: len(it.moves))
        # Behind everything that is drawn: a run that stopped short would look to Hypothesis as if it were flaky.
        if not shortest and time.monotonic() > until:
            raise _TimeIsUp

    try:
        play()
    except _TimeIsUp:
        pass
    except (Failed, Flaky, BaseExceptionGroup):
        assert shortest, "a run that fails is kept"
    if shortest:
        found = shortest if threaded else shorten(shortest, SHRINKING)
        assert found.failed is not None, "only runs that failed are kept"
        campaign.found.append(
            Found(
                kind=found.failed.kind,
                name=found.failed.name,
                detail=found.failed.detail,
                program=found.text(),
                story=found.story(),
                steps=len(found.moves),
                seconds=first_seen,
                threaded=threaded,
            )
        )


def fuzz(seconds: float, workers: int, first_seed: int) -> Campaign:
    """Fuzz in parallel processes, a seed for each."""
    started = time.monotonic()
    whole = Campaign(workers=workers)
    # Seeds lie far apart, so that rounds that count up do not meet.
    seeds = [first_seed + 1_000_000 * worker for worker in range(workers)]
    for part in spread(functools.partial(hunt, seconds=seconds), seeds, workers):
        whole.coverage.add(part.coverage)
        whole.found += part.found
        whole.busy += part.busy
    whole.seconds = time.monotonic() - started
    return whole


def keep(found: Found, folder: Path = FOLDER) -> tuple[Path, Path]:
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
