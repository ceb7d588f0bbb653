"""Ctrl-C: this process and those that it has started end at once, whatever they are in the middle of.

An exception in the main thread would not do. It waits until the solver, or numpy, comes back; a destructor that it is
raised in swallows it; and work in other processes would be waited for. A command that can end by itself, and has
something to say then, asks for the first one (`first_ctrl_c`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells count it: 128 and the number of the signal."""

_PATIENCE: Final = 3.0
"""Seconds for which workers that are being started are waited for."""


_asked: list[Callable[[], None]] = []
"""What the next Ctrl-C calls instead of ending the process; one at most."""


@contextlib.contextmanager
def first_ctrl_c(call: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C in the block call something, from another thread; the second one ends the process."""
    _asked[:] = [call]
    try:
        yield
    finally:
        _asked.clear()


def end_at_ctrl_c() -> None:
    """From now on Ctrl-C ends this process; to be called once, in the main thread of a command."""
    ear, bell = os.pipe()
    os.set_blocking(bell, False)
    # The number of a signal is written when it arrives, not when the main thread next looks.
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_listen, args=(ear,), daemon=True).start()


def _listen(ear: int) -> None:
    while True:
        if signal.SIGINT in os.read(ear, 1):
            if not _asked:
                break
            _asked.pop()()
    # Where nobody has loaded what starts workers, there are none; and most commands start none.
    end_workers = getattr(sys.modules.get("checker.workers"), "end_workers", None)
    if end_workers is not None:
        end_workers(_PATIENCE)
    # What has been printed stays, unless its reader has gone or the main thread is printing.
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(INTERRUPTED)
