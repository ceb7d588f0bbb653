"""What a campaign of fuzzing and a replay tell a person, or a machine."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

from checker.command import console
from checker.exit_codes import SHOWN, VIOLATED
from checker.lockstep.campaign import Campaign, Found, fuzz, keep, seconds_of
from checker.lockstep.mix import ACTIONS
from checker.lockstep.step import Unplayable, replay
from checker.scenarios.read import read
from runtime.streams import Worker
from spec.scope import BadScope

NEVER_BY_THE_RUNTIME: Final = frozenset({"reused-under-a-write"})
"""Each *sometimes* that the spec allows and the runtime does not do: it hands out no slot that is still in flight."""

Kept = list[tuple[Found, Path, Path]]
"""Failures with their scripts and their traces."""


def run(budget: str, workers: int, seed: int, as_json: bool) -> int:
    """Fuzz, tell what came of it, and return the exit code."""
    seconds = seconds_of(budget)
    campaign = fuzz(seconds, workers, seed)
    if as_json:
        console.emit(data(campaign, kept(campaign)))
    else:
        show_failures(campaign)
        console.say("\n".join(lines(campaign)))
        if not campaign.right:
            console.say(f"slotproof fuzz --time {budget} --workers {workers} --seed {seed}")
    return SHOWN if campaign.right else VIOLATED


def kept(campaign: Campaign) -> Kept:
    """Save every failure of a campaign."""
    return [(found, *keep(found)) for found in campaign.found]


def show_failures(campaign: Campaign) -> None:
    """Save every failure and print it as a program and as a timeline."""
    for found, script, trace in kept(campaign):
        console.say(told(found, script, trace))


def told(found: Found, script: Path, trace: Path) -> str:
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


def lines(campaign: Campaign) -> list[str]:
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


def data(campaign: Campaign, kept: Kept) -> dict[str, object]:
    """Return a campaign for a machine."""
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
            dataclasses.asdict(found) | {"script": str(script), "trace": str(trace)} for found, script, trace in kept
        ],
    }


def replay_file(file: Path, threaded: bool, as_json: bool) -> int:
    """Play a script on the runtime, tell how it went, and return the exit code."""
    try:
        played = replay(read(file), Worker() if threaded else None)
    except Unplayable as error:
        raise BadScope(str(error)) from error
    if as_json:
        failed = played.failed and {
            "kind": played.failed.kind,
            "name": played.failed.name,
            "detail": played.failed.detail,
        }
        console.emit({"steps": played.steps, "failed": failed, "unasked": played.unasked, "text": played.text})
    else:
        console.say(played.text)
        console.say("" if played.failed else f"\n{played.steps} steps: runtime and spec agree after each")
        if played.unasked:
            console.say(
                f"not asked here: {played.unasked} lines `expect` or `refused:`; slotproof play {file} asks them"
            )
        if played.failed:
            console.say(f"slotproof replay {file}" + (" --threaded" if threaded else ""))
    return VIOLATED if played.failed else SHOWN
