"""The exit codes of the command, what several of them come to, and the errors that have one of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SHOWN, VIOLATED, USAGE, INCONCLUSIVE, INTERNAL = 0, 1, 2, 3, 70
"""Exit codes: shown; violated, survived or vacuous; bad input; unknown or cut short; an error of our own."""


class BadInput(Exception):
    """An error of the user's input: one sentence that says where, and what to write instead; exit code 2."""


class InternalError(Exception):
    """An error of slotproof itself, because of which no verdict stands; exit code 70."""


_GRAVEST: Final = (INTERNAL, USAGE, VIOLATED, INCONCLUSIVE)


def worst(codes: Iterable[int]) -> int:
    """Return the exit code for several results: bad input weighs more than a violation, and that than what is cut."""
    found = set(codes)
    return next((code for code in _GRAVEST if code in found), SHOWN)
