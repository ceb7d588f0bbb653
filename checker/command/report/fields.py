"""Which fields are found where, and which were added and forgotten, for a person and for a machine."""

from __future__ import annotations

from typing import Any

from checker.command.console import say
from checker.command.tables import table
from checker.exit_codes import SHOWN, VIOLATED
from checker.lockstep.correspondence import TIES


def exit_code(forgotten: list[str]) -> int:
    """Return the exit code: whatever was forgotten is a failure."""
    return VIOLATED if forgotten else SHOWN


def lines(forgotten: list[str]) -> list[str]:
    """Return what was forgotten, a line each, or that nothing was."""
    found = [f"FORGOTTEN: {line}" for line in forgotten]
    return found or [f"nothing forgotten: {len(TIES)} fields are read, changed, and found or accounted for"]


def data(forgotten: list[str]) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "code": exit_code(forgotten),
        "fields": {name: {"runtime": tie.runtime, "trace": tie.trace} for name, tie in TIES.items()},
        "forgotten": forgotten,
    }


def show(forgotten: list[str]) -> None:
    """Print the table, and below it what was forgotten."""
    table("Fields", ("spec", "runtime", "trace"), [(name, *map(_brief, tie)) for name, tie in TIES.items()])
    for line in lines(forgotten):
        say(line)


def _brief(found: str) -> str:
    """Return a place, or in brackets why there is none."""
    _, colon, why = found.partition(": ")
    return f"({why.removeprefix('the runtime has none, ')})" if colon else found
