"""Where device work runs: one interface, and what performs the work in launch order.

`Inline` runs it at once, `Worker` on a thread of its own (real concurrency on a CPU), `Simulated` when a test says so,
one entry at a time, so that every interleaving that the launch order allows can be reached and replayed.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Protocol

import torch

Work = Callable[[], None]


class StreamEvent(Protocol):
    """Tells whether one piece of work has been performed."""

    def done(self) -> bool:
        """Return whether it has been performed; raises what it raised."""
        ...

    def wait(self) -> None:
        """Return once it has been performed; raises what it raised."""
        ...


class Interrupted(RuntimeError):
    """Work that was ended in the middle, by Ctrl-C or an exit: it has failed, and what it wrote is worth nothing."""


class Stream(Protocol):
    """Performs work in the order in which it was submitted, and goes on after work that raises."""

    def submit(self, work: Work) -> StreamEvent:
        """Enqueue work, and return what tells when it has been performed."""
        ...

    def close(self) -> None:
        """Perform what is left, and end."""
        ...


class _Done:
    """The event of work that has been performed before anyone can ask."""

    def done(self) -> bool:
        """Return True."""
        return True

    def wait(self) -> None:
        """Return at once."""


def _accelerator() -> Callable[[], None]:
    """Return what waits for an accelerator, where there is one: it goes on working when its calls have returned."""
    if torch.accelerator.is_available():
        return torch.accelerator.synchronize
    return lambda: None


class _Failed:
    """The event of work that has raised something; whoever asks hears it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def done(self) -> bool:
        """Raise it."""
        raise self._error

    def wait(self) -> None:
        """Raise it."""
        raise self._error


def interrupted(error: BaseException) -> Exception:
    """Return what whoever waits is told: they must be able to tell it from an interrupt of their own."""
    told = Interrupted(f"the work was ended by {type(error).__name__}")
    told.__cause__ = error
    return told


def failed(error: BaseException) -> StreamEvent:
    """Return the event of work that has raised something."""
    return _Failed(error if isinstance(error, Exception) else interrupted(error))


class Inline:
    """Performs work while it is submitted, an accelerator's part of it included."""

    _done = _Done()

    def __init__(self) -> None:
        self._synchronize = _accelerator()

    def submit(self, work: Work) -> StreamEvent:
        """Perform the work now; what it raises is reported by the event, as on every stream: the batch is launched.

        An interrupt comes through. The engine counts the batch as launched and failed if its work had begun.
        """
        try:
            work()
            self._synchronize()
        except Exception as error:
            return _Failed(error)
        return self._done

    def close(self) -> None:
        """Do nothing: nothing is ever left."""


class _Flag:
    """An event that another thread, or a test, sets; carries what the work raised."""

    def __init__(self) -> None:
        self._flag = threading.Event()
        self._error: Exception | None = None

    def perform(self, work: Work) -> None:
        """Perform the work and set the event, whatever happens."""
        try:
            work()
        except Exception as error:
            self._error = error
        except BaseException as error:
            self._error = interrupted(error)
        self._flag.set()

    def done(self) -> bool:
        """Return whether the work has been performed; raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._flag.is_set()

    def wait(self) -> None:
        """Wait for the work; raises what it raised."""
        self._flag.wait()
        self.done()


class Worker:
    """Performs work on one thread, in order: host and device really run at the same time."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[_Flag, Work] | None] = queue.SimpleQueue()
        self._closed = False
        self._synchronize = _accelerator()
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            flag, work = item
            flag.perform(partial(self._perform, work))

    def _perform(self, work: Work) -> None:
        work()
        self._synchronize()

    def submit(self, work: Work) -> StreamEvent:
        """Hand the work to the thread; raises RuntimeError where it has ended and nobody would perform it."""
        if self._closed:
            raise RuntimeError("this worker has been closed; submit work before, or make another")
        flag = _Flag()
        self._queue.put((flag, work))
        return flag

    def close(self) -> None:
        """Let the thread finish its queue, and join it."""
        self._closed = True
        self._queue.put(None)
        self._thread.join()


class _Turn(_Flag):
    """An event of the simulated device: whoever waits for it lets the device run up to there."""

    def __init__(self, stream: Simulated) -> None:
        super().__init__()
        self._stream = stream

    def wait(self) -> None:
        """Let the device run until it has got so far; raises what this work raised, and not what others did."""
        while not self._flag.is_set():
            self._stream.perform()
        self.done()


class Simulated:
    """A device whose progress a test decides."""

    def __init__(self) -> None:
        self._queue: deque[tuple[_Flag, Work]] = deque()
        self.performed = 0
        """How many pieces of work have been performed."""

    @property
    def waiting(self) -> int:
        """How many pieces of work have been submitted and not performed."""
        return len(self._queue)

    def submit(self, work: Work) -> StreamEvent:
        """Keep the work until the device is told to advance."""
        turn = _Turn(self)
        self._queue.append((turn, work))
        return turn

    def advance(self) -> None:
        """Perform the oldest piece of work, and raise what it raises; RuntimeError where there is none."""
        if not self._queue:
            raise RuntimeError("the simulated device has nothing to do; submit work first")
        self.perform().done()

    def perform(self) -> StreamEvent:
        """Perform the oldest piece of work and return its event, which has what it raised."""
        turn, work = self._queue.popleft()
        turn.perform(work)
        self.performed += 1
        return turn

    def close(self) -> None:
        """Perform what is left; what it raises is reported by the events."""
        while self._queue:
            self.perform()
