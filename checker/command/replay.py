"""Playing a script on the runtime and the spec together, as `slotproof replay` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from checker.lockstep.replay import Replayed, Unplayable, replay
from checker.scenarios.read import read
from runtime.streams import Worker
from spec.scope import BadScope


@dataclass(slots=True)
class ReplayedScript:
    """A script, whether the device ran on a thread, and what came of it."""

    file: Path
    threaded: bool
    played: Replayed


def replay_file(file: Path, threaded: bool) -> ReplayedScript:
    """Play a script; raises BadScope where the runtime cannot follow it."""
    try:
        return ReplayedScript(file, threaded, replay(read(file), Worker() if threaded else None))
    except Unplayable as error:
        raise BadScope(str(error)) from error
