"""What things are called in every line for a person: requests r1, r2, ..., slots s0, s1, ..., texts A, B, ...

`A@2` is the state after the first 2 tokens of text A.
"""

from __future__ import annotations

from collections.abc import Iterable

from spec.language import ABSENT
from spec.state import Text


def request_name(request: int) -> str:
    """Return the name of a request: r1 for index 0."""
    return f"r{request + 1}"


def slot_name(slot: int) -> str:
    """Return the name of a slot, or that there is none."""
    return "absent" if slot == ABSENT else f"s{slot}"


def slot_names(slots: Iterable[int]) -> str:
    """Return the names of several slots in order."""
    return " ".join(slot_name(slot) for slot in slots)


def family_name(family: int) -> str:
    """Return the name of a text: A for index 0."""
    return "absent" if family == ABSENT else chr(ord("A") + family)


def text_name(text: Text) -> str:
    """Return `A@2` for the first 2 tokens of text A, and a dash for bytes that nobody may rely on."""
    return "-" if text.family == ABSENT else f"{family_name(text.family)}@{text.length}"


def tokens(count: int) -> str:
    """Return `1 token` or `2 tokens`."""
    return f"{count} token{'' if count == 1 else 's'}"
