"""How values stand in a line of JSON."""

from __future__ import annotations

from collections.abc import Iterable


def word(value: object) -> str:
    """Return a number, a truth value or nothing as JSON has it."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def slots(ids: Iterable[int]) -> str:
    """Return a list of slots; the engine's marker for none becomes null."""
    return "[" + ",".join(["null" if number < 0 else str(number) for number in ids]) + "]"
