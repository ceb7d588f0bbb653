"""A campaign of fuzzing: a budget in time, one seed per worker, and failures saved to be replayed."""

from __future__ import annotations

import hashlib
import re
import time
from functools import partial
from pathlib import Path

from checker.lockstep.findings import Campaign, FailingRun
from checker.lockstep.hunt import hunt
from checker.lockstep.replay import replay
from checker.scenarios.read import read
from checker.search.saved import FOLDER
from checker.workers import spread
from runtime.streams import Worker
from spec.scope import BadScope


def seed_of(worker: int, first_seed: int = 0) -> int:
    """Return where the drawing of a worker begins: far from where any other one counts to."""
    return first_seed + 1_000_000 * worker


def fuzz(seconds: float, workers: int, first_seed: int) -> Campaign:
    """Fuzz in parallel processes, a seed for each."""
    started = time.monotonic()
    whole = Campaign(workers=workers)
    seeds = [seed_of(worker, first_seed) for worker in range(workers)]
    for part in spread(partial(hunt, seconds=seconds), seeds, workers):
        whole.add(part)
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
