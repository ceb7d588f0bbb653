"""A slot: who owns it, what it holds as a chain of launched writes, and its recent history.

The CPU's record shows when a write was launched, never when it landed. A batch whose result has been processed has
certainly run, and so have all before it; of the others any number, counted from the oldest, may have. So a slot's
content is a chain: the state that is certainly there, then the pending writes in launch order, of which any prefix may
have happened.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from checker.traces.owners import Owner, Pin
from checker.traces.verdict import Hazard, HistoryEntry

HISTORY = 32
AFTERWARDS = 8
"""How many entries a violation's story goes on after the violation itself."""

OUTSIDE, CLEARS, COPIES, ROWS, MARKS = range(5)
"""The order of the device's work: what comes before a batch, then its clears, copies and rows with their marks; inside
of each there is no order."""


class Content(NamedTuple):
    """A write: batch `batch`, launched at `line`, leaves the state of a request after `length` tokens.

    `root`: the line of the violation that it descends from; minus the line of a row that cannot compute it; or None.
    `least`: a verify row leaves one of `least` to `length` tokens, until its result says which. `maybe`: it may also
    leave the slot as it is. `life` is None for the empty state.
    """

    batch: int
    line: int
    life: Owner | None
    length: int
    root: int | None
    least: int
    phase: int = ROWS
    maybe: bool = False

    def stands_for(self, text: object, length: int) -> bool:
        """Whether it is exactly, and by right, the state of that text after so many tokens."""
        return self.covers(text, length) and self.root is None and self.least == length and not self.maybe

    def covers(self, text: object, length: int) -> bool:
        """Whether it may be the state of that text after so many tokens, right or wrong."""
        same = length == 0 if self.life is None else self.life.text is text
        return same and self.least <= length <= self.length

    def words(self) -> str:
        """For a person, for example "A@16"."""
        if self.life is None:
            return "the empty state"
        count = f"{self.length}" if self.least == self.length else f"{self.least}..{self.length}"
        text = f"{self.life.name}@{count}"
        if self.root is None:
            return text
        if self.root < 0:
            return f"{text} (which the row of line {-self.root} cannot compute)"
        return f"{text} (from the wrong state of line {self.root})"


class Slot:
    """One slot: its owner (a request, a session, a transfer, the cache, or nobody), its chain, its last 32 entries."""

    __slots__ = (
        "bad", "cached", "certain", "digest", "excused", "history", "id", "key", "label", "leak", "named", "opaque",
        "owner", "pending", "pin", "promised",
        "watch",
    )  # fmt: skip

    def __init__(self, number: int) -> None:
        self.id = number
        self.owner: Owner | None = None
        self.pin: Pin | None = None
        self.named = False  # whether a line has said whose it is: before that a trace may have begun in the middle
        self.opaque = False  # whether something that the recorder does not know may have filled it
        self.cached = False
        self.key: Owner | None = None  # whose text the cache key is
        self.label: int | None = None
        self.digest: str | UnsetType = UNSET  # of the tokens of its key, where the recorder has one
        self.bad: int | None = None  # the line of the violation that made this slot's present use wrong
        self.certain: Content | None = None
        self.pending: deque[Content] = deque()
        self.promised: Content | None = None  # what the newest launched write leaves in it
        self.excused = False  # whether it may come back after it has left its request's ring
        self.leak: Hazard | None = None
        self.history: deque[HistoryEntry] = deque(maxlen=HISTORY)
        self.watch: list[HistoryEntry] | None = None

    def give_to(self, owner: Owner | None) -> None:
        """Change the owner; None: nobody, or the cache."""
        if self.owner is not None:
            self.owner.owned.discard(self.id)
            self.owner.transit.discard(self.id)
        self.owner = owner
        if owner is not None:
            owner.owned.add(self.id)
        self.cached, self.label, self.key, self.bad, self.digest = False, None, None, None, UNSET
        self.named = True

    def write(self, state: Content) -> None:
        """A write has been launched."""
        self.pending.append(state)
        if not state.maybe:
            self.promised, self.opaque = state, False

    def settle(self, processed: int) -> None:
        """Batches up to `processed` have certainly run."""
        while self.pending and self.pending[0].batch <= processed:
            state = self.pending.popleft()
            if not state.maybe:
                self.certain = state

    def before(self, batch: int, phase: int) -> Content | None:
        """Return what is promised to a reader of a batch in one of its phases."""
        if not self.pending or self.pending[-1].batch < batch:
            return self.promised
        for state in reversed(self.pending):
            if (state.batch, state.phase) < (batch, phase) and not state.maybe:
                return state
        return self.certain

    def replace(self, batch: int, phase: int, found: Content | None) -> None:
        """A verify's result says what its write was (None: there was none)."""
        for index, state in enumerate(self.pending):
            if (state.batch, state.phase) == (batch, phase):
                if found is None:
                    del self.pending[index]
                else:
                    self.pending[index] = found
                break
        self.promised = next((state for state in reversed(self.pending) if not state.maybe), self.certain)
        if found is not None and self.pending and self.pending[-1] is found:
            self.promised = found

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

    def holds(self) -> str:
        """The chain in words."""
        text = "nothing (no batch was ever told to write it)" if self.certain is None else self.certain.words()
        if self.certain is None and self.pending:
            text = "nothing yet"
        if not self.pending:
            return text
        coming = ", then ".join(f"{state.words()} from b{state.batch} (line {state.line})" for state in self.pending)
        return f"{text}, and may at any time receive {coming}"

    @property
    def is_blank(self) -> bool:
        """Whether nothing has been written into it, seen or unseen."""
        return self.certain is None and not self.pending and not self.opaque

    def fill_unseen(self) -> None:
        """It has a new owner, and what is in it may have come there unseen."""
        self.opaque, self.certain, self.promised = True, None, None

    def owner_words(self) -> str:
        """Who owns it, for a person."""
        if self.cached:
            return f"the cache ({self.key.name if self.key else '?'}, {self.label} tokens)"
        return "nobody (it is free)" if self.owner is None else self.owner.words()
