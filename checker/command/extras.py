"""The extras of the distribution: what only some commands need, and the sentence where it is missing."""

from __future__ import annotations

from typing import Final

EXTRAS: Final = {"z3": "prove", "torch": "runtime"}
"""By module: the extra that brings it."""


def missing_extra(error: BaseException) -> str:
    """Return what to install where an error is that an extra is not there; empty: it is another error."""
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if module not in EXTRAS:
        return ""
    return f"this needs {module}, which is not installed here: pip install 'slotproof[{EXTRAS[module]}]'"
