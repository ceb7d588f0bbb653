"""A trace file, and the thread that writes all of a process's: noting something costs the engine an append."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import BinaryIO

PAUSE = 0.2
"""Seconds between two rounds of the writer: what a killed process loses is younger than two of them."""
BURST = 1 << 18
"""How much is written at once: the engine's thread can take its turn then, and each turn costs something."""

Note = tuple[object, ...]


class TraceFile:
    """Notes in the order in which they were made, and the file that their lines go to, once there is a first line."""

    def __init__(
        self, path: str, lines_of: Callable[[Note], Iterable[str]], given_up: Callable[[], None] = lambda: None
    ) -> None:
        self.path = path
        self.given_up = given_up
        """Called when the file cannot be written."""
        self.notes: deque[Note] = deque()
        self._lines_of = lines_of
        self.ended = False
        """Whether there will be no more notes."""
        self._file: BinaryIO | None = None
        self._lock = threading.Lock()

    def drain(self) -> None:
        """Write the lines of all notes so far, and close the file if there will be no more."""
        with self._lock:
            try:
                self._drain()
            except Exception as error:
                # The engine goes on, and notes that nobody can write would only fill its memory. The trace is cut.
                why = error.strerror if isinstance(error, OSError) else repr(error)
                sys.stderr.write(f"slotproof: {self.path} ends here: {why}\n")
                self.ended = True
                self.given_up()
                self.notes.clear()

    def _drain(self) -> None:
        notes = self.notes
        while notes:
            parts: list[bytes] = []
            size = 0
            while notes and size < BURST:
                for line in self._lines_of(notes.popleft()):
                    parts += (line.encode(), b"\n")
                    size += len(line)
            self._write(b"".join(parts))
        if self.ended and not notes and self._file is not None:
            self._file.close()

    def _write(self, text: bytes) -> None:
        if not text:
            return
        if self._file is None:
            # Without a buffer of its own: what is in one call is in the file even if the process is killed.
            self._file = open(self.path, "wb", buffering=0)  # noqa: SIM115 (closed by `close`)
        left = memoryview(text)
        while left:
            # Such a file may take less than it is given, and half a line would make the next one unreadable.
            left = left[self._file.write(left) :]


class Writer(threading.Thread):
    """Drains the files of this process again and again."""

    def __init__(self) -> None:
        super().__init__(name="slotproof-writer", daemon=True)
        self._files: list[TraceFile] = []

    def run(self) -> None:
        """Drain until the process ends."""
        while True:
            time.sleep(PAUSE)
            self.round()

    def add(self, file: TraceFile) -> None:
        """Write this one too."""
        self._files.append(file)

    def round(self) -> None:
        """Write what there is for each file; one that has ended is done with."""
        for file in list(self._files):
            ended = file.ended
            file.drain()
            if ended and file in self._files:
                self._files.remove(file)
