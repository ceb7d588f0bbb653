"""Ctrl-C: this process and those that it has started end at once, whatever they are in the middle of.

An exception in the main thread would not do. It waits until the solver, or numpy, comes back; a destructor that it is
raised in swallows it; and work in other processes would be waited for.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from typing import Final

from checker.workers import STARTING

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells count it: 128 and the number of the signal."""

_PATIENCE: Final = 3.0
"""Seconds for which workers that are being started are waited for."""


def end_at_ctrl_c() -> None:
    """From now on Ctrl-C ends this process; to be called once, in the main thread of a command."""
    ear, bell = os.pipe()
    os.set_blocking(bell, False)
    # The number of a signal is written when it arrives, not when the main thread next looks.
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    threading.Thread(target=_listen, args=(ear,), daemon=True).start()


def _listen(ear: int) -> None:
    while signal.SIGINT not in os.read(ear, 1):
        pass
    # Workers that are just being started are waited for, or they would outlive this process; not for ever, though.
    STARTING.acquire(timeout=_PATIENCE)
    for child in multiprocessing.active_children():
        child.kill()
    # What has been printed stays, unless its reader has gone or the main thread is printing.
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(INTERRUPTED)
