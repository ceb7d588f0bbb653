"""What a text says while it runs: when an action may happen, and what must never be false while it does."""

from __future__ import annotations

from typing import Final

ABSENT: Final = -1
"""No slot, no position, no length. Never freed, counted, indexed or written."""

WELL_FORMED: Final = "well-formed"
"""The property that the language itself states: no index outside its vector, no value outside its declared range."""


class Disabled(Exception):
    """The action may not happen in this state: a `guard` was false; `why` is what it says of that."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class Violated(Exception):
    """A `require` was false, or an index lay outside its vector; `name` is the property that says so."""

    def __init__(self, name: str, detail: str = "") -> None:
        super().__init__(f"{name}: {detail}" if detail else name)
        self.name = name


def guard(condition: bool, why: str = "") -> None:
    """Allow the action only where `condition` holds; `why` says what is in its way elsewhere, and what to do then."""
    if not condition:
        raise Disabled(why)


def require(condition: bool, name: str) -> None:
    """State that `condition` holds whenever the action gets here; otherwise the property `name` is violated."""
    if not condition:
        raise Violated(name)
