"""One hook for each thing that happens, named like the spec's actions and the events of a trace; these do nothing.

A recorder overrides them. The engine calls a hook once for a batch, never once for a row, and after the step: what a
hook raises can't break it.
"""

from __future__ import annotations

import logging
from collections import deque
from functools import partial
from typing import Protocol

from runtime.batch import LaunchedBatch
from runtime.columns import Bools, Ints
from runtime.config import Config
from runtime.requests import RequestTable


class Recordable(Protocol):
    """What an observer may read of an engine; the engine imports this file, so this file does not import the engine."""

    config: Config
    table: RequestTable
    launched: int
    """How many batches have been launched."""


class Observer:
    """Observes nothing. `seat` is a request's place in the request table, `slot` a slot of the pool."""

    def attach(self, engine: Recordable) -> None:
        """An engine begins; it has not done anything yet."""

    def admit(self, seat: int) -> None:
        """A request has its slots, and what it will copy from is locked."""

    def prefill(self, batch: LaunchedBatch) -> None:
        """A prefill has been prepared and launched."""

    def prepare(self, batch: LaunchedBatch) -> None:
        """A decode batch has been prepared and launched."""

    def process(self, batch: LaunchedBatch, alive: Bools, finishes: Bools, ahead: Ints) -> None:
        """A result has been processed; what was published and freed by that has been told before.

        alive, finishes: bool of shape [rows]; ahead: the lookahead of each row that is alive, int64 of shape [rows].
        """

    def publish(self, seat: int, slot: int, length: int, stored: bool) -> None:
        """A checkpoint was handed to the cache; not `stored`: its key was there already, and the slot stays."""

    def abort(self, seat: int) -> None:
        """A request has left without a result; what was freed by that has been told before."""

    def free(self, slots: Ints) -> None:
        """Slots of a request have gone back to the pool."""

    def evict(self, slot: int) -> None:
        """The cache has given up a slot."""


class Notices:
    """What a step has to report, kept until the step is complete.

    An observer that raises is told no more, since a record with a hole in it is worse than one that ends: the error is
    logged once and kept in `failures`, and the engine goes on.
    """

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        """What observers have raised, one for each that was dropped."""
        self.listen(Observer())
        self._held: deque[partial[None]] = deque()

    def listen(self, observer: Observer) -> None:
        """Let an observer hear of every step from now on, in the place of the one before."""
        self._observer = observer
        self._idle = type(observer) is Observer

    def note(self, hook: str, *given: object) -> None:
        """Keep what happened, by the name of its hook."""
        if not self._idle:
            self._held.append(partial(getattr(self._observer, hook), *given))

    def deliver(self) -> None:
        """Tell the observer what the step did."""
        while self._held:
            told = self._held.popleft()
            try:
                told()
            except Exception as error:
                self._held.clear()
                self.failures.append(error)
                logging.getLogger(__name__).error(
                    "the observer %r raised and is told no more; the engine goes on", self._observer, exc_info=error
                )
                self.listen(Observer())
