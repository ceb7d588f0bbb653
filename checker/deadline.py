"""A limit of time that is kept whatever the work is in the middle of: a walk, a solver's question, a user's own code.

Loops that know where they may stop ask `over`. Whatever has not stopped a moment later is stopped from outside: the
solver is interrupted, and `TimeIsUp` is raised in the thread that does the work, again and again until it has arrived
(a destructor may swallow one). What had been found by then is with whoever began the work, who says that it was cut.
A command that even that does not reach is ended, with the exit code of what is not known.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
import threading
import time
from types import TracebackType
from typing import Any, Final

GRACE: Final = 0.3
"""Seconds after the limit at which work that has not stopped by itself is stopped."""
AGAIN: Final = 0.2
"""Seconds after which it is stopped once more."""
LAST_RESORT: Final = 1.5
"""Seconds after the limit at which the process of a command is ended."""
INCONCLUSIVE: Final = 3


class TimeIsUp(BaseException):
    """The time is over. No error: whoever catches errors of what it calls must not catch this one."""


def _solver() -> Any:
    """Return the solver's module, None where nobody has loaded it: then it is not at work."""
    loaded = sys.modules.get("z3")
    return loaded if hasattr(loaded, "main_ctx") else None


def _is_news(error: BaseException | None) -> bool:
    """Whether this is how the news arrives: a solver that is translating, or is just being called, raises its own."""
    if isinstance(error, (TimeIsUp, ctypes.ArgumentError)):
        return True
    solver = _solver()
    return solver is not None and isinstance(error, solver.Z3Exception)


class Deadline:
    """A block that ends in time, `with Deadline(seconds) as clock`; afterwards `clock.cut` says whether it was cut."""

    def __init__(self, seconds: float | None, last_resort: bool = False) -> None:
        """Begin to count; None: never over. With `last_resort` the process is ended where nothing else helps."""
        self.seconds = seconds
        self.ends = math.inf if seconds is None else time.monotonic() + seconds
        self.cut = False
        """Whether the block was left because the time was over."""
        self._last_resort = last_resort
        self._left = threading.Event()
        """Set when the block has been left; each time it is entered there is a new one."""
        self._inside = False
        self._usual = sys.unraisablehook
        self._firing = threading.Lock()
        self._fired = False

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.ends

    @property
    def left(self) -> float | None:
        """How many seconds are left, a little more than none at least; None: there is no limit."""
        return None if self.seconds is None else max(0.001, self.ends - time.monotonic())

    @property
    def words(self) -> str:
        """Say which limit it was."""
        return f"{self.seconds:g} s used up"

    def at_most(self, seconds: float | None) -> float | None:
        """Return the shorter of a number of seconds and what is left."""
        return min((each for each in (seconds, self.left) if each is not None), default=None)

    def __enter__(self) -> Deadline:
        """Watch the thread that enters; one clock may be entered several times, one after the other."""
        if self.seconds is None:
            return self
        self._left = threading.Event()
        self._usual = sys.unraisablehook
        sys.unraisablehook = self._unraisable
        threading.Thread(target=self._watch, args=(threading.get_ident(), self._left), daemon=True).start()
        # From here on what is raised in this thread is raised inside the block.
        self._inside = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        """Stop watching; what was raised because the time is over ends here."""
        if self.seconds is None:
            return False
        while True:
            try:
                self._leave()
                break
            except TimeIsUp:
                # It came while the block was being left, with or without another error.
                continue
        cut = self.over and _is_news(error)
        self.cut = self.cut or cut
        return cut

    def _leave(self) -> None:
        self._inside = False
        self._left.set()
        sys.unraisablehook = self._usual
        with self._firing:
            pass
        # What was sent before that, and has not arrived, arrives at the next call. It cannot be called back: Python
        # 3.11 would look for it for ever, and under a tracer do nothing else.
        _arrive()
        if self._fired:
            # A solver that was not asking anything remembers the interruption until it is asked the next time.
            _solver().Solver().check()
            self._fired = False

    def _unraisable(self, what: Any) -> None:
        """Say nothing about a destructor that has swallowed the news: there will be more."""
        if what.exc_type is None or not issubclass(what.exc_type, TimeIsUp):
            self._usual(what)

    def _watch(self, thread: int, left: threading.Event) -> None:
        pause = max(0.0, self.ends + GRACE - time.monotonic())
        while not left.wait(pause):
            with self._firing:
                if self._inside and not left.is_set():
                    _raise_in(thread, TimeIsUp)
                    if _solver() is not None:
                        self._fired = True
                        _solver().main_ctx().interrupt()
            if self._last_resort and time.monotonic() >= self.ends + LAST_RESORT:
                self._end()
            pause = AGAIN

    def _end(self) -> None:
        import multiprocessing  # noqa: PLC0415 (every command has a clock, and few start processes)

        for child in multiprocessing.active_children():
            child.kill()
        print(f"slotproof: {self.words}, in the middle of a step that cannot be divided", file=sys.stderr, flush=True)
        os._exit(INCONCLUSIVE)


def _arrive() -> None:
    """Do nothing: a call is where exceptions from other threads arrive."""


def _raise_in(thread: int, what: type[BaseException]) -> None:
    """Raise something in a thread before its next call or turn of a loop."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(what))
