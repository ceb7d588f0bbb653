"""Whoever may have slots, and a transfer that pins one."""

from __future__ import annotations

from checker.traces.format import Transfer

LOADS = ("h2d", "in")
"""Directions in which a transfer writes the slot; in the others it reads it."""


class Owner:
    """Whoever has slots: a request, a session, or somebody yet to be named."""

    __slots__ = ("name", "over_line", "owned", "text", "transit")

    def __init__(self, name: str) -> None:
        self.name = name
        self.text: object = self
        """Whose tokens its states stand for: a session and its turns have one text."""
        self.owned: set[int] = set()
        self.transit: set[int] = set()
        """Slots that have left the ring and aren't published or freed yet."""
        self.over_line = 0

    def words(self) -> str:
        """For a person."""
        return self.name or "nobody yet"


class Pin:
    """A transfer that has not ended. `awaited`: a batch has waited for it, and what is launched later comes after."""

    def __init__(self, event: Transfer) -> None:
        self.name = f"transfer {event.t}"
        self.loads = event.dir in LOADS
        self.slot, self.host, self.len = event.slot, event.host, event.len
        self.submitted = self.awaited = False
