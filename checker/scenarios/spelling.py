"""How a script spells what it speaks of, and how a reader is offered the words that there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from checker.explain.names import text_name
from spec.language import ABSENT
from spec.state import Text


def either(choices: Iterable[str]) -> str:
    """Return the choices as one phrase: a, b or c."""
    listed = list(choices)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} or {listed[-1]}"


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return the choice that the word was probably meant to be, or all of them."""
    listed = list(choices)
    close = difflib.get_close_matches(word, listed, 1)
    return close[0] if close else either(listed)


def spell(text: Text) -> str:
    """Return a slot's content or key as a script writes it."""
    return "nothing" if text.family == ABSENT else text_name(text)


def spell_slot(slot: int) -> str:
    """Return a slot of a ring as a script writes it."""
    return "absent" if slot == ABSENT else f"slot {slot}"


def spell_length(length: int) -> str:
    """Return a label as a script writes it."""
    return "absent" if length == ABSENT else str(length)
