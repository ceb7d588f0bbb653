"""What an audit has held a verdict against, for a person and for a machine."""

from __future__ import annotations

from checker.command.console import say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN
from checker.search.audit import Audit


def exit_code(result: Audit) -> int:
    """Return the exit code of the audit alone: too few native tries speak for no verdict."""
    return SHOWN if result.enough else INCONCLUSIVE


def data(result: Audit) -> dict[str, object]:
    """Return the audit for a machine."""
    return {"tries": result.tries, "seed": result.seed, "every": result.every}


def lines(result: Audit) -> list[str]:
    """Return the audit in one line."""
    if not result.tries:
        return ["audit: no native try was made, so nothing speaks for this verdict"]
    which = "all that there are, " if result.every else ""
    return [f"audit: {result.tries:,} native tries agree ({which}seed {result.seed})"]


def show(result: Audit) -> None:
    """Print the audit."""
    say_all(lines(result))
