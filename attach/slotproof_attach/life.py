"""One admission of a request, and what the lines have last shown of it."""

from __future__ import annotations

import json

UNKNOWN = object()
"""What no line has shown yet."""


class Life:
    """One admission of a request. The engine's thread makes it; all of its fields belong to the writer."""

    __slots__ = (
        "decode",
        "epoch",
        "label",
        "last",
        "name",
        "newest",
        "next",
        "results",
        "ring",
        "shown",
        "text",
        "working",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = json.dumps(name)
        self.epoch = 0
        self.newest = True
        """Whether no later admission has its name: a row without an epoch belongs to that one."""
        self.working = -1
        self.ring: list[int] = []
        self.shown: list[int] | None = None
        """The ring as a line has last shown it."""
        self.next: object = UNKNOWN
        self.last: object = UNKNOWN
        self.label: object = UNKNOWN
        self.decode: tuple[str, ...] = ()
        """The parts of the row of a decode step that changes nothing."""
        self.results: dict[object, str] = {}
        """The row of a result that changes nothing, by its lookahead."""

    def head(self) -> str:
        """Return how each of its rows begins."""
        epoch = "" if self.newest else f',"epoch":{self.epoch}'
        return f'{{"r":{self.text}{epoch}'
