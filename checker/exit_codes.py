"""The exit codes of the command, and what several of them come to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SHOWN, VIOLATED, USAGE, INCONCLUSIVE, INTERNAL = 0, 1, 2, 3, 70
"""Exit codes: shown; violated, survived or vacuous; bad input; unknown or cut short; an error of our own."""

_GRAVEST: Final = (INTERNAL, USAGE, VIOLATED, INCONCLUSIVE)


def worst(codes: Iterable[int]) -> int:
    """Return the exit code for several results: bad input weighs more than a violation, and that than what is cut."""
    found = set(codes)
    return next((code for code in _GRAVEST if code in found), SHOWN)
