"""What a campaign of fuzzing has shown, for a person and for a machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from checker.command.console import say_all
from checker.exit_codes import SHOWN, VIOLATED
from checker.lockstep.campaign import keep
from checker.lockstep.findings import Campaign, FailingRun
from checker.lockstep.mix import ACTIONS

NEVER_BY_THE_RUNTIME: Final = frozenset({"reused-under-a-write"})
"""Each *sometimes* that the spec allows and the runtime does not do: it hands out no slot that is still in flight."""


def exit_code(campaign: Campaign) -> int:
    """Return the exit code."""
    return SHOWN if campaign.right else VIOLATED


def kept(campaign: Campaign) -> list[tuple[FailingRun, Path, Path]]:
    """Save every failure of a campaign, and return each with its script and its trace."""
    return [(found, *keep(found)) for found in campaign.found]


def failures(campaign: Campaign) -> Iterator[str]:
    """Save every failure, and return it as a program and as a timeline."""
    for found, script, trace in kept(campaign):
        yield told(found, script, trace)


def told(found: FailingRun, script: Path, trace: Path) -> str:
    """Return a failure as a short program and as a timeline."""
    again = f"again: slotproof replay {script}" + (" --threaded" if found.threaded else "")
    if found.kind == "loop":
        again = f"its steps: slotproof replay {script} (each is right; that the loop takes them is not)"
    return "\n".join(
        [
            f"FOUND after {found.seconds:.1f} s, shrunk to {found.steps} steps"
            + (" (on a thread: it may not show again)" if found.threaded else ""),
            "",
            found.program,
            found.story,
            "",
            f"as a trace: {trace}",
            again,
            "",
        ]
    )


def lines(campaign: Campaign) -> Iterator[str]:
    """Return every failure, then what was done and covered."""
    yield from failures(campaign)
    yield from summary(campaign)


def summary(campaign: Campaign) -> list[str]:
    """Return what was done and covered, in words."""
    coverage = campaign.coverage
    rate = coverage.steps / max(campaign.busy, 1e-9)
    pairs = len(ACTIONS) ** 2
    unseen = sorted(coverage.unseen - NEVER_BY_THE_RUNTIME)
    told = [
        f"{coverage.steps:,} steps in {coverage.runs:,} runs, {campaign.seconds:.0f} s, {campaign.workers} workers: "
        f"{rate:,.0f} checked steps a second each",
        "actions: " + ", ".join(f"{action} {coverage.actions[action]:,}" for action in ACTIONS),
        f"pairs of actions: {len(coverage.pairs)} of {pairs}",
        f"streams of requests for the scheduler's loops, plain and overlapped: {coverage.loops:,}",
        f"sometimes: {len(coverage.seen)} seen" + (f", never: {', '.join(unseen)}" if unseen else ""),
    ]
    if coverage.missing:
        told.append(f"never taken: {', '.join(coverage.missing)}; that is a failure: nothing is known about them")
    if not coverage.steps:
        told.append("no step was taken: nothing is known; give it more time")
    return told


def data(campaign: Campaign) -> dict[str, object]:
    """Return a campaign for a machine; every failure is saved."""
    coverage = campaign.coverage
    return {
        "right": campaign.right,
        "seconds": round(campaign.seconds, 1),
        "workers": campaign.workers,
        "runs": coverage.runs,
        "steps": coverage.steps,
        "loops": coverage.loops,
        "actions": dict(coverage.actions),
        "pairs": {f"{first} {second}": count for (first, second), count in coverage.pairs.items()},
        "seen": dict(coverage.seen),
        "unseen": sorted(coverage.unseen),
        "missing": coverage.missing,
        "found": [
            dataclasses.asdict(found) | {"script": str(script), "trace": str(trace)}
            for found, script, trace in kept(campaign)
        ],
    }


def show(campaign: Campaign) -> None:
    """Print a campaign."""
    say_all(lines(campaign))
