"""What became of the mutants of the code that ships, for a person and for a machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from checker.command.console import Progress, emit, say, table
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.mutation.boundary import Fate, judge_all, mutants


def run(sample: int | None, seed: int, as_json: bool, progress: Progress) -> int:
    """Judge all mutants or a sample, print what became of them, and return the exit code."""
    chosen = mutants()
    if sample is not None:
        chosen = random.Random(seed).sample(chosen, min(sample, len(chosen)))
    fates = judge_all(chosen, progress.note)
    progress.done()
    if as_json:
        emit(data(fates))
    else:
        show(fates)
    return exit_code(fates)


def exit_code(fates: Sequence[Fate]) -> int:
    """Return the exit code: a survivor is a hole, an open question is no answer."""
    left = [fate for fate in fates if not fate.by]
    if any(not fate.open for fate in left):
        return VIOLATED
    return INCONCLUSIVE if left else SHOWN


def data(fates: Sequence[Fate]) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "mutants": len(fates),
        "killed": sum(bool(fate.by) for fate in fates),
        "fates": [
            {"name": fate.mutant.name, "old": fate.mutant.old, "new": fate.mutant.new, "by": fate.by}
            | {"inputs": fate.inputs, "open": fate.open, "seconds": fate.seconds}
            for fate in fates
        ],
        "code": exit_code(fates),
    }


def show(fates: Sequence[Fate]) -> None:
    """Print what kills how many, then every survivor."""
    count: dict[str, int] = {}
    for fate in fates:
        count[fate.by or "nothing"] = count.get(fate.by or "nothing", 0) + 1
    rows = [(name, str(number)) for name, number in sorted(count.items(), key=lambda item: -item[1])]
    table("Mutants of the shipped code", ("killed by", "mutants"), rows)
    for fate in fates:
        if not fate.by:
            left = f"; left open: {', '.join(fate.open)}" if fate.open else ""
            say(f"SURVIVED: {fate.mutant.name}\n  - {fate.mutant.old}\n  + {fate.mutant.new}{left}")
    killed = sum(bool(fate.by) for fate in fates)
    say(f"{killed} of {len(fates)} mutants killed in {sum(fate.seconds for fate in fates):.0f} s")
