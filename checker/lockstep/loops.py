"""The scheduler's loops, plain and overlapped side by side: of the same requests the same must come.

Where slots were never scarce and nobody was aborted, both loops must leave the same keys in the cache as well.
"""

from __future__ import annotations

import time

from checker.lockstep.asked import Asked, fewer
from checker.lockstep.failure import Failed
from checker.lockstep.loop import Loop
from checker.lockstep.run import Run
from runtime.streams import Simulated
from spec.scope import Scope


def compare(scope: Scope, stream: list[Asked], behind: int) -> tuple[Run, Run]:
    """Drive both loops with a stream of requests; return their runs, of which one has failed if anything is wrong.

    behind: by how many batches the device may be behind without being asked.
    """
    runs = Run(scope, Simulated()), Run(scope, Simulated())
    try:
        _compare(*runs, stream, behind)
    except Failed:
        pass
    finally:
        for run in runs:
            run.close()
    return runs


def shorten_stream(failed: Run, stream: list[Asked], behind: int, seconds: float) -> Run:
    """Return a failing run of a loop over fewer, smaller requests, as far as the time allows it."""
    until = time.monotonic() + seconds
    best, tried = stream, fewer(stream)
    while time.monotonic() < until and (shorter := next(tried, None)) is not None:
        runs = compare(failed.scope, shorter, behind)
        if found := next((run for run in runs if run.failed and run.failed.kind == "loop"), None):
            failed, best = found, shorter
            tried = fewer(best)
    return failed


def _compare(plain: Run, overlapped: Run, stream: list[Asked], behind: int) -> None:
    loops = [Loop(plain, stream, False, behind), Loop(overlapped, stream, True, behind)]
    for loop in loops:
        loop.play()
    one, other = ({request.name: tuple(request.output) for request in loop.done} for loop in loops)  # type: ignore[arg-type]
    aborted = {asked.name for asked in stream if asked.aborted}
    if lost := [name for name in one.keys() ^ other.keys() if name not in aborted]:
        overlapped.fail("done", f"{', '.join(sorted(lost))} has finished in one loop only")
    if wrong := [name for name in one.keys() & other.keys() if one[name] != other[name]]:
        overlapped.fail("output", f"{', '.join(sorted(wrong))} has got other tokens than in the plain loop")
    if not aborted and not any(_scarce(loop.run) for loop in loops):
        here, there = (set(loop.run.lockstep.watch.used) for loop in loops)
        if here != there:
            overlapped.fail("published", f"the plain loop has published {sorted(here)}, this one {sorted(there)}")


def _scarce(run: Run) -> bool:
    """Return whether a slot was ever wanting: an entry had to go, or a spare or a replacement was not to be had."""
    events = (event for state in run.lockstep.spec.states for event in state.step.events)
    return run.lockstep.watch.evicted > 0 or any(event.no_spare or event.no_replacement for event in events)
