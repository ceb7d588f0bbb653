"""Slots and whoever may have them: a request, a session, a key of the cache.

The CPU's record shows when a write was launched, never when it landed. A batch whose result has been processed has
certainly run, and so have all before it; of the others any number, counted from the oldest, may have. So a slot's
content is a chain: the state that is certainly there, then the pending writes in launch order, of which any prefix may
have happened.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from msgspec import UNSET, UnsetType

from checker.traces.format import Transfer
from checker.traces.verdict import Hazard, HistoryEntry

HISTORY = 32
AFTERWARDS = 8
"""How many entries a violation's story goes on after the violation itself."""

OUTSIDE, CLEARS, COPIES, ROWS, MARKS = range(5)
"""The order of the device's work: what comes before a batch, then its clears, copies and rows with their marks; inside
of each there is no order."""
LOADS = ("h2d", "in")
"""Directions in which a transfer writes the slot; in the others it reads it."""


@dataclass(eq=False, slots=True)
class Owner:
    """Whoever has slots. `text`: whose tokens its states stand for; a session and its turns have one text."""

    name: str
    text: object = field(default_factory=object, init=False)
    holder: Owner = field(init=False)
    """Whose slots it uses: its own; or a session's, of which it is a turn."""
    owned: set[int] = field(default_factory=set, init=False)
    transit: dict[int, bool] = field(default_factory=dict, init=False)
    """Slots that have left its ring and aren't published or freed yet, and whether each may come back."""
    over: Literal["", "done", "left"] = field(default="", init=False)
    over_line: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.holder = self

    @property
    def is_idle(self) -> bool:
        """Whether it is a session that no turn runs on."""
        return False

    def lose(self, slot: Slot, line: int) -> None:
        """A slot that it may be using has been given back, or has another owner."""

    def words(self) -> str:
        """For a person."""
        return f"{self.name}, which was over at line {self.over_line}" if self.over else self.name or "nobody yet"


@dataclass(eq=False, slots=True)
class Key(Owner):
    """A key of the cache: its slot stands for `label` tokens of the text of `life`; None: nobody knows whose."""

    life: Owner | None
    label: int
    digest: str | UnsetType = UNSET

    def words(self) -> str:
        """For a person."""
        return f"the cache ({self.name}, {self.label} tokens)"


class Pin:
    """A transfer that has not ended. `awaited`: a batch has waited for it, and what is launched later comes after."""

    def __init__(self, event: Transfer) -> None:
        self.name = f"transfer {event.t}"
        self.loads = event.dir in LOADS
        self.slot, self.host, self.len = event.slot, event.host, event.len
        self.submitted = self.awaited = False


class Write(NamedTuple):
    """Batch `batch`, launched at `line`, leaves the state of a request after `length` tokens.

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
        """Whether it is exactly, and by right, that state (of any text where `text` is None)."""
        return self.root is None and self.least == self.length and not self.maybe and self.covers(text, length, length)

    def covers(self, text: object, low: int, high: int) -> bool:
        """Whether it may be the state of that text after `low` to `high` tokens, right or wrong."""
        same = low == 0 if self.life is None else text is None or self.life.text is text
        return same and self.least <= high and low <= self.length

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


@dataclass(eq=False, slots=True)
class Slot:
    """One slot: its owner (None: nobody), the transfer that pins it, its chain of writes, its last 32 entries."""

    id: int
    named: bool
    """Whether a line has said whose it is: before that a trace may have begun in the middle."""
    owner: Owner | None = None
    pin: Pin | None = None
    opaque: bool = False
    """Whether something that the recorder does not know may have filled it."""
    bad: int | None = None
    """The line of the violation that made this slot's present use wrong."""
    certain: Write | None = None
    pending: deque[Write] = field(default_factory=deque)
    promised: Write | None = None
    """What the newest launched write leaves in it."""
    leak: Hazard | None = None
    history: deque[HistoryEntry] = field(default_factory=lambda: deque(maxlen=HISTORY))
    watch: list[HistoryEntry] | None = None

    @property
    def key(self) -> Key | None:
        """The key that the cache has it under; None: the cache does not have it."""
        return self.owner if isinstance(self.owner, Key) else None

    @property
    def label(self) -> int | None:
        """The tokens that the cache takes it to stand for."""
        return None if self.key is None else self.key.label

    @property
    def is_known(self) -> bool:
        """Whether the lines say what is in it."""
        return self.named and not self.opaque

    def give_to(self, owner: Owner | None) -> None:
        """Change the owner; what was wrong about the old one's use is over."""
        if self.owner is not None:
            self.owner.owned.discard(self.id)
            self.owner.transit.pop(self.id, None)
        self.owner, self.bad, self.named = owner, None, True
        # What nobody has may be filled by what the recorder does not know; once it is given back that is over.
        self.opaque = self.opaque and owner is not None
        if owner is not None:
            owner.owned.add(self.id)

    def write(self, state: Write) -> None:
        """A write has been launched."""
        self.pending.append(state)
        if not state.maybe:
            self.promised, self.opaque = state, False

    def fill(self, state: Write | None) -> None:
        """Something else than a batch has filled it: another stream, or nobody knows what."""
        self.certain = self.promised = state
        self.opaque = state is None or state.life is None

    def settle(self, processed: int) -> None:
        """Batches up to `processed` have certainly run."""
        while self.pending and self.pending[0].batch <= processed:
            state = self.pending.popleft()
            if not state.maybe:
                self.certain = state

    def before(self, batch: int, phase: int) -> Write | None:
        """Return what is promised to a reader of a batch in one of its phases."""
        if not self.pending or self.pending[-1].batch < batch:
            return self.promised
        for state in reversed(self.pending):
            if (state.batch, state.phase) < (batch, phase) and not state.maybe:
                return state
        return self.certain

    def resolve(self, batch: int, phase: int, found: Write | None) -> None:
        """A verify's result says what its write was (None: there was none), also where it has been passed over."""
        places = [place for place, state in enumerate(self.pending) if (state.batch, state.phase) == (batch, phase)]
        if not places:
            self.certain = found or self.certain
        elif found is None:
            del self.pending[places[0]]
        else:
            self.pending[places[0]] = found
        self.promised = next((state for state in reversed(self.pending) if not state.maybe), self.certain)
        self.opaque = self.opaque and found is None
        self.settle(batch)

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
        if not self.pending:
            return text
        coming = ", then ".join(f"{state.words()} from b{state.batch} (line {state.line})" for state in self.pending)
        return f"{'nothing yet' if self.certain is None else text}, and may at any time receive {coming}"

    def owner_words(self) -> str:
        """Who owns it, for a person."""
        return "nobody (it is free)" if self.owner is None else self.owner.words()
