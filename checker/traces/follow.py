"""Following a trace while it is being written: each line is read as soon as it is complete.

What is followed is one file, from its beginning. Nothing in it may be taken back: a file that becomes shorter, is
written anew, or is moved away cannot be judged any longer, and that is an error of one sentence.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Signal
from typing import Final

from checker.traces.format import Stop
from checker.traces.reading import BadTrace, Numbered, TraceReader

PAUSE: Final = 0.2
"""Seconds between two looks at a file in which nothing new has been written."""


class GrowingFile:
    """The lines of a file that another process writes; `readline` waits until there is one.

    Once `ended` is set, what had been written by then is returned, an incomplete last line too, and then b"".
    """

    def __init__(self, path: str | Path, ended: Signal, pause: float = PAUSE) -> None:
        """Open the file, waiting until there is one; raises BadTrace where none came, or no plain one."""
        self._path = str(path)
        self._ended = ended
        self._pause = pause
        self._partial = b""
        self._newest = b""
        """The line returned last, by which a file is known that was written anew."""
        self._read = self._lines = 0
        self._until: int | None = None
        try:
            while not os.path.lexists(path):
                if ended.wait(pause):
                    raise self._error("there was no such file until the end")
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise self._error("this is no regular file; without --follow a pipe is read as it comes")
            self._file = open(path, "rb")  # noqa: SIM115 (closed by `close`)
        except OSError as error:
            raise BadTrace(self._path, 0, f"the file cannot be read: {error.strerror}") from error

    def readline(self, limit: int) -> bytes:
        """Return the next line once it is complete, or `limit` bytes of it; b"" at the end."""
        while True:
            if self._ended.is_set() and self._until is None:
                self._until = os.fstat(self._file.fileno()).st_size
            found = self._file.readline(self._wanted(limit))
            self._partial += found
            self._read += len(found)
            if self._partial.endswith(b"\n") or len(self._partial) >= limit or self._wanted(limit) == 0:
                break
            if not found:
                self._check_place()
                self._ended.wait(self._pause)
                self._check_text()
        self._newest, self._partial = self._partial, b""
        self._lines += 1
        return self._newest

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _wanted(self, limit: int) -> int:
        """Return how many bytes of a line are still to be read."""
        wanted = limit - len(self._partial)
        return wanted if self._until is None else max(0, min(wanted, self._until - self._read))

    def _check_place(self) -> None:
        """Raise BadTrace unless the file still has its name; what was written before it lost it has been read."""
        here = os.fstat(self._file.fileno())
        try:
            there = os.stat(self._path)
        except FileNotFoundError as error:
            raise self._error("the file was moved or removed before its `stop` line; follow one that stays") from error
        if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            raise self._error("another file took this one's place before its `stop` line; follow one that stays")

    def _check_text(self) -> None:
        """Raise BadTrace unless the newest of what has been read still stands where it stood."""
        known = self._newest + self._partial
        if os.pread(self._file.fileno(), len(known), self._read - len(known)) != known:
            raise self._error("the file was cut short or written anew; follow one that only grows")

    def _error(self, reason: str) -> BadTrace:
        return BadTrace(self._path, self._lines + 1, reason)


def follow(path: str | Path, ended: Signal, pause: float = PAUSE) -> TraceReader:
    """Open a trace that may still be written; its header is waited for. Iterate with `until_stop`."""
    return TraceReader(path, GrowingFile(path, ended, pause))


def until_stop(reader: TraceReader) -> Iterator[Numbered]:
    """Yield the events of a trace up to its `stop` line, or to where its source ends."""
    for line, event in reader:
        yield line, event
        if isinstance(event, Stop):
            break
    reader.close()
