"""What the judge remembers of a request: its slots, its counters, what its own rows explain."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import InitVar, dataclass, field
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from checker.traces.format import Hit, Id, LaunchedRow, ResultRow, Row, VerifyRow
from checker.traces.slots import Owner, Slot, Write
from checker.traces.verdict import Hazard


class Claim(NamedTuple):
    """A mark of a launched row whose result hasn't been processed; `astray`: not behind the claim before it."""

    batch: int
    line: int
    length: int
    slot: Id | UnsetType
    pos: int | UnsetType
    prefill: bool
    astray: bool


class PendingVerify(NamedTuple):
    """A verify row without a result: `crossed` and `next` are those of its request when it was prepared."""

    batch: int
    tokens: int
    crossed: int
    next: int | None


class PendingBatch(NamedTuple):
    """A launched batch whose result hasn't been processed; `lives[i]` is whom `rows[i]` is about."""

    b: int
    line: int
    rows: tuple[Row, ...]
    lives: list[Life]


@dataclass(eq=False, slots=True)
class Life(Owner):
    """One life of a request, from its first slot on. A name that is used again gets a new one: late rows keep theirs.

    `next` is the value seen last in eager mode and the one that the rows explain in lazy mode; `last` and `label` are
    what the rows explain; `shown` are the values of the last line that had them. `base` is the producer position after
    all processed claims: with m claims pending `next` must be one of base .. base + m.
    """

    before: InitVar[Life | None] = None
    text_before: object = None
    """The text of the life that was retracted before this one: it may go on from what that one has saved."""
    again: bool = False
    """Whether the recording had a life of that name before."""
    admitted: bool = False
    """Before that it only has slots."""
    epoch: int | UnsetType = UNSET
    adopts: bool = True
    """Whether nothing has said yet what it starts from, so that its text may be another's."""
    hit: Hit | UnsetType | None = UNSET
    hit_text: object = None
    """The text of the key that it has hit."""
    home: Slot | None = None
    """The working slot; None: unknown."""
    state: Write | None = None
    """What its last row leaves there."""
    ring: tuple[Id | UnsetType, ...] = ()
    """UNSET where no line has said which slot is there."""
    stale: int = 0
    """The line since which slots of its ring may be somebody else's; 0: none is."""
    next: int | None = None
    last: int | None = None
    label: int | None = None
    base: int | None = None
    shown: dict[str, Any] = field(default_factory=dict)
    len: int = 0
    count: int = 0
    done_len: int = 0  # tokens of the newest processed row
    crossed: int = 0  # boundaries that processed verify rows have written
    verifies: deque[PendingVerify] = field(default_factory=deque)
    last_batch: int = -1
    out: int = 0  # rows whose result hasn't been processed
    prefills: int = 0  # prefill rows among them
    started: bool = False
    claims: deque[Claim] = field(default_factory=deque)
    targets: Counter[Id | UnsetType] = field(default_factory=Counter)  # by slot, how many claims there are
    astray: int = 0  # claims that are not behind the one before
    boundaries: int = 0  # claims processed
    advances: int = 0  # steps that `next` has taken
    newest: Claim | None = None  # the newest completed checkpoint that hasn't been published
    taint: int | None = None  # the line of the wrong start that its states descend from
    quiet: bool = False  # nothing open or in transit: rows that change nothing need no closer look
    exposed: bool = False  # a pending claim is going to overwrite the checkpoint at `last`
    opened: dict[str, Hazard] = field(default_factory=dict)  # its hazards that nothing has healed yet, by key

    def __post_init__(self, before: Life | None) -> None:
        Owner.__post_init__(self)
        self.again = before is not None
        self.text_before = before.text if before is not None and before.over == "left" else None

    @property
    def runs(self) -> bool:
        """Whether it is admitted and not over."""
        return self.admitted and not self.over

    @property
    def leaves(self) -> bool:
        """Whether its working slot is no longer its own: it is about to end, or goes on with what isn't its own."""
        home = self.home
        return home is not None and home.owner is not self.holder and home.key is None

    def hush(self) -> None:
        """Recompute `quiet` and `exposed`."""
        quiet = self.started and not (self.over or self.opened or self.holder.transit or self.verifies or self.stale)
        self.quiet, last = quiet, self.last
        self.exposed = last is not None and last < len(self.ring) and self.targets[self.ring[last]] > 0

    def in_use(self) -> set[int]:
        """Return every slot that it uses by its own account."""
        own = {slot for slot in self.ring if isinstance(slot, int)}
        return own if self.home is None else own | {self.home.id}

    def lose(self, slot: Slot, line: int) -> None:
        """A slot that it may be using has been given back, or has another owner."""
        if slot.id in self.ring:
            self.stale, self.quiet = line, False
        if slot is self.home:
            self.quiet = False

    def tell(self, row: Row | ResultRow, name: str) -> Any:
        """Return a field of a row: as it stands there, or as it stood in the last line that had it."""
        value = getattr(row, name)
        if value is UNSET and row.same:
            return self.shown.get(name, UNSET)
        self.shown[name] = value
        return value

    def shows_ring(self, row: LaunchedRow | ResultRow) -> bool:
        """Whether a row says what is in the ring, by itself or as a line of this request before it."""
        return row.ring is not UNSET or (row.same and "ring" in self.shown)

    def claim(self, claim: Claim) -> None:
        """A mark of its has been launched."""
        self.claims.append(claim)
        self.targets[claim.slot] += 1
        self.astray += claim.astray

    def returned(self, batch: int) -> list[Claim]:
        """Take away and return the claims of a batch whose result is processed: batches return in order."""
        found = []
        while self.claims and self.claims[0].batch <= batch:
            claim = self.claims.popleft()
            self.targets[claim.slot] -= 1
            self.astray -= claim.astray
            found.append(claim)
        return found

    def expected_position(self) -> int | None:
        """Where the next claim belongs, behind those that are pending."""
        if not self.claims or not self.ring:
            return self.base
        pos = self.claims[-1].pos
        return None if pos is UNSET else (pos + 1) % len(self.ring)

    def tokens_before(self, row: Row) -> tuple[int, int]:
        """Return the least and the most tokens that a row may start from."""
        if isinstance(row, VerifyRow):
            return row.low, row.high - row.tokens
        return (self.len, self.len) if row.start is UNSET else (row.start, row.start)
