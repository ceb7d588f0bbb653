"""Work handed to a stream: it has begun, or it is called off and nothing has changed; there is no third."""

from __future__ import annotations

from runtime.guard import Guard
from runtime.streams import Stream, StreamEvent, Work, failed


def submit(stream: Stream, work: Work, guard: Guard, step: str) -> tuple[StreamEvent, BaseException | None]:
    """Begin the changes of a step by handing its work to a stream; returns its event.

    Whatever fails before the work has begun is raised, and the changes have not begun either. Work that is ended in the
    middle (Ctrl-C, on a stream that performs it at once) has written somewhere: its event has failed, and what ended it
    comes back beside it, to be raised when the step is complete.
    """
    # Whoever takes the permit decides: the device begins, or the launch is called off.
    permit = [True]

    def run() -> None:
        if _taken(permit):
            work()

    guard.begin(step)
    try:
        return stream.submit(run), None
    except BaseException as error:
        if _taken(permit):
            guard.end()
            raise
        return failed(error), error


def _taken(permit: list[bool]) -> bool:
    """Take a permit that only one can have, on whatever thread; returns whether it was there."""
    try:
        return permit.pop()
    except IndexError:
        return False
