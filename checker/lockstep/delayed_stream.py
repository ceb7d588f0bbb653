"""A device on a thread of its own that is late on purpose."""

from __future__ import annotations

import contextlib
import time
from typing import Final

from runtime.streams import StreamEvent, Work, Worker

PAUSES: Final = (0.0, 0.001, 0.005)
"""What a run on a thread draws its pause from: a step of the host takes about a millisecond."""


class Late(Worker):
    """A thread that pauses before each piece of work, for its model is so small that it would never be behind.

    Without a pause it is the other extreme: the host waits, and the work is done before it goes on.
    """

    def __init__(self, pause: float) -> None:
        super().__init__()
        self.pause = pause
        """Seconds."""

    def submit(self, work: Work) -> StreamEvent:
        """Hand the work to the thread."""

        def later() -> None:
            time.sleep(self.pause)
            work()

        event = super().submit(later)
        if not self.pause:
            # What the work has raised is for whoever asks for its result.
            with contextlib.suppress(Exception):
                event.wait()
        return event
