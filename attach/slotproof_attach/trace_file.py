"""A trace file, and the thread that writes all of a process's: noting something costs the engine an append."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import BinaryIO

PAUSE = 0.2
"""Seconds between two rounds of the writer: what a killed process loses is younger than two of them."""
BURST = 16
"""Notes between which the writer lets the engine's thread go first, if that is waiting."""

Note = tuple[object, ...]


class TraceFile:
    """Notes in the order in which they were made, and the file that their lines go to, once there is a first line."""

    def __init__(self, path: str, lines_of: Callable[[Note], Iterator[str]]) -> None:
        self.path = path
        self.notes: deque[Note] = deque()
        self._lines_of = lines_of
        self._file: BinaryIO | None = None
        self._lock = threading.Lock()

    def drain(self) -> None:
        """Write the lines of all notes so far."""
        with self._lock:
            notes, lines = self.notes, list[str]()
            while notes:
                for _ in range(min(len(notes), BURST)):
                    lines += self._lines_of(notes.popleft())
                time.sleep(0)
            self._write(lines)

    def close(self) -> None:
        """Write what there is, and close the file."""
        self.drain()
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _write(self, lines: list[str]) -> None:
        if not lines:
            return
        if self._file is None:
            self._file = open(self.path, "wb", buffering=0)  # noqa: SIM115 (closed by `close`)
        # In one call, so that a process that is killed leaves whole lines.
        self._file.write(("\n".join(lines) + "\n").encode())


class Writer(threading.Thread):
    """Drains the files of this process again and again."""

    def __init__(self) -> None:
        super().__init__(name="slotproof-writer", daemon=True)
        self.files: list[TraceFile] = []
        self.process = os.getpid()

    def run(self) -> None:
        """Drain until the process ends."""
        while True:
            time.sleep(PAUSE)
            for file in list(self.files):
                file.drain()
