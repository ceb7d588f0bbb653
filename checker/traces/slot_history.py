"""What a slot holds, may come to hold, and how it came to that.

Device progress isn't in a trace. A batch whose result has been processed has certainly run, and so have all before it;
of the others any number, counted from the oldest, may have. So a slot's content is a chain: the value that is certainly
there, then the pending writes in launch order, of which any prefix may have happened.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from checker.traces.request import TraceRequest
from checker.traces.verdict import Hazard, HistoryEntry

HISTORY = 32
AFTERWARDS = 8  # How many entries a violation's story goes on after the violation itself.


class Value(NamedTuple):
    """The state of `request` after `length` tokens.

    `root`: the line of the bad copy that it descends from; minus the line of a row that cannot compute it; or None.
    """

    request: TraceRequest
    length: int
    root: int | None

    def words(self) -> str:
        """For a person, for example "A@16"."""
        text = f"{self.request.name}@{self.length}"
        if self.root is None:
            return text
        if self.root < 0:
            return f"{text} (which the row of line {-self.root} cannot compute)"
        return f"{text} (from the wrong state of line {self.root})"


class Write(NamedTuple):
    """A launched write: batch, line of its launch, what it writes."""

    batch: int
    line: int
    value: Value


class Slot:
    """One slot: its owner (a request, the cache, or nobody), its content as a chain, its last 32 entries.

    A request's working slot isn't written down step by step: while `worker` is set the chain is read off that request.
    """

    __slots__ = (
        "bad", "cached", "certain", "excused", "history", "id", "key", "label", "leak", "owner", "pending", "watch",
        "worker",
    )  # fmt: skip

    def __init__(self, number: int) -> None:
        self.id = number
        self.owner: TraceRequest | None = None
        self.cached = False
        self.key: TraceRequest | None = None  # whose text the cache key is
        self.label: int | None = None
        self.bad: int | None = None  # the line of the violation that made this slot's present use wrong
        self.certain: Value | None = None
        self.pending: list[Write] = []
        self.worker: TraceRequest | None = None
        self.excused = False  # whether it may come back after it has left its request's ring
        self.leak: Hazard | None = None
        self.history: deque[HistoryEntry] = deque(maxlen=HISTORY)
        self.watch: list[HistoryEntry] | None = None

    def note(self, line: int, batch: int | None, cpu: str, device: str = "") -> None:
        """Add one entry to the story."""
        entry = HistoryEntry(line, batch, cpu, device)
        self.history.append(entry)
        if self.watch is not None:
            if len(self.watch) < HISTORY + AFTERWARDS:
                self.watch.append(entry)
            else:
                self.watch = None

    def story(self) -> list[HistoryEntry]:
        """The story so far; what happens next is added to the returned list, up to eight more entries."""
        self.watch = list(self.history)
        return self.watch

    def settle(self, processed: int) -> None:
        """Batches up to `processed` have certainly run."""
        while self.pending and self.pending[0].batch <= processed:
            self.certain = self.pending.pop(0).value
        if self.worker is not None and self.worker.done_len:
            self.certain = Value(self.worker, self.worker.done_len, self.worker.taint)

    def holds(self, extra: list[Write]) -> str:
        """The chain in words; `extra` are the pending writes of the working request, if there is one."""
        writes = [*self.pending, *extra]
        text = "nothing (no batch was ever told to write it)" if self.certain is None else self.certain.words()
        if self.certain is None and writes:
            text = "nothing yet"
        if not writes:
            return text
        coming = ", then ".join(f"{write.value.words()} from b{write.batch} (line {write.line})" for write in writes)
        return f"{text}, and may at any time receive {coming}"
