"""What covering a small scope has shown, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.report import fuzz
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.lockstep.campaign import keep
from checker.lockstep.cover import Covered


def exit_code(covered: Covered) -> int:
    """Return the exit code: what was left out is no pass."""
    if covered.found:
        return VIOLATED
    return SHOWN if covered.complete else INCONCLUSIVE


def lines(covered: Covered) -> Iterator[str]:
    """Return the failure, if there is one, then what was covered."""
    if covered.found:
        yield fuzz.told(covered.found, *keep(covered.found))
    coverage = covered.coverage
    yield f"{covered.scope}"
    yield (
        f"{covered.steps:,} steps from {covered.states:,} states, each taken once and compared; "
        f"{coverage.steps:,} with those on the way, in {coverage.runs:,} runs, {covered.seconds:.0f} s"
    )
    if covered.complete:
        yield "complete: runtime and spec agree after every step that they can take in this scope"
    elif not covered.found:
        yield f"cut short: {covered.left:,} steps were not taken; give it more time (--time)"


def data(covered: Covered) -> dict[str, object]:
    """Return the result for a machine."""
    found = covered.found
    return {
        "scope": str(covered.scope),
        "complete": covered.complete,
        "states": covered.states,
        "steps": covered.steps,
        "left": covered.left,
        "taken": covered.coverage.steps,
        "runs": covered.coverage.runs,
        "seconds": round(covered.seconds, 1),
        "found": found and {"kind": found.kind, "name": found.name, "detail": found.detail, "script": found.program},
    }


def show(covered: Covered) -> None:
    """Print the result."""
    say_all(lines(covered))
