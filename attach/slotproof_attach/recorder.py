"""What is noted of one pool of state slots, in the engine's own thread: host integers, and ids that may still arrive.

Nothing is formatted here and nothing is read from a device. lines.py says what each note becomes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slotproof_attach.ids import Ids
from slotproof_attach.life import Life
from slotproof_attach.lines import Lines
from slotproof_attach.trace_file import TraceFile


class Recorder:
    """The notes of one pool. `live` turns false when it can say nothing more, and the hooks then pass by."""

    def __init__(self, path: str) -> None:
        self.file = TraceFile(path, Lines().of)
        self.note = self.file.notes.append
        self.live = True
        self.has_header = False
        self.cache_frees = False
        """Whether it is the cache that frees slots just now: of an entry of its, that is an eviction."""
        self.publisher: Life | None = None
        """Whose state the cache is being handed."""
        self.replacement: Ids | None = None
        """What takes the ring position of the slot that is being handed over."""
        self._rows: tuple[list[Any], list[Life], list[Any]] = ([], [], [])
        self.planned: Any = None
        """The batch that was planned last."""
        self._batches = self._results = 0

    def header(self, fields: dict[str, Any]) -> None:
        """Note the first line; the notes before it have waited for this one."""
        self.has_header = True
        self.note(("header", fields))

    def launch_number(self) -> int:
        """Return the number of the batch that is launched now."""
        number = self._batches
        self._batches += 1
        return number

    def begin(self, number: int) -> None:
        """Note that the result of a batch is about to be processed; those before it never will be."""
        for passed in range(self._results, number):
            self.note(("passed", passed))
        self._results = number + 1
        self.note(("begin", number))

    def admit(self, name: str, ids: Ids, next_: int, last: int | None, hit: tuple[Ids, int] | None) -> Life:
        """Note that a request may be launched; `ids`: its working slot, then its ring."""
        life = Life(name)
        self._rows = ([], [], [])
        self.note(("admit", life, ids, next_, last, hit))
        return life

    def rows(self, reqs: list[Any], state_of: Callable[[Any], Any]) -> tuple[list[Life], list[Any]]:
        """Return the lives of the requests of a batch, and what has their state: mostly as in the batch before.

        A request keeps both from one admission to the next.
        """
        known, lives, states = self._rows
        if known != reqs:
            lives, states = [req._slotproof_life for req in reqs], list(map(state_of, reqs))
            self._rows = (reqs[:], lives, states)
        return lives, states

    def publish(self, slot: Ids, length: int, stored: bool) -> None:
        """Note that the cache was handed a slot."""
        self.note(("publish", self.publisher, slot, length, stored, self.replacement))
        self.replacement = None

    def stop(self, what: str, header: dict[str, Any] | None = None) -> None:
        """Note that nothing can be said from here on, and why; `header` is for a trace that has none yet."""
        if self.live:
            if not self.has_header and header is not None:
                self.header(header)
            self.live = False
            self.note(("stop", what))

    def end(self) -> None:
        """Note that all was recorded; a pool of which no batch was ever launched leaves no file."""
        if self.live:
            self.live = False
            self.note(("stop", ""))
        self.file.ended = True
