"""A trace file, and the thread that writes all of a process's: noting something costs the engine an append."""

from __future__ import annotations

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

    def __init__(self, path: str, lines_of: Callable[[Note], Iterable[str]]) -> None:
        self.path = path
        self.notes: deque[Note] = deque()
        self._lines_of = lines_of
        self.ended = False
        """Whether there will be no more notes."""
        self._file: BinaryIO | None = None
        self._lock = threading.Lock()

    def drain(self) -> None:
        """Write the lines of all notes so far, and close the file if there will be no more."""
        with self._lock:
            notes = self.notes
            while notes:
                lines: list[str] = []
                size = 0
                while notes and size < BURST:
                    lines += self._lines_of(notes.popleft())
                    size += len(lines[-1]) if lines else 0
                self._write(lines)
            if self.ended and not notes and self._file is not None:
                self._file.close()

    def _write(self, lines: list[str]) -> None:
        if not lines:
            return
        if self._file is None:
            # Without a buffer of its own: what is in one call is in the file even if the process is killed.
            self._file = open(self.path, "wb", buffering=0)  # noqa: SIM115 (closed by `close`)
        self._file.write(("\n".join(lines) + "\n").encode())


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
