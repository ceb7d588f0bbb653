"""What the judge remembers of a request: its slots, its counters, what its own rows explain."""

from __future__ import annotations

from collections import Counter, deque
from typing import Literal, NamedTuple

from msgspec import UNSET, UnsetType

from checker.traces.book import Opened
from checker.traces.format import Admit, Hit, Id, Ring, Row
from checker.traces.owners import Owner
from checker.traces.slots import Content, Slot


class Claim(NamedTuple):
    """A mark of a launched row whose result hasn't been processed."""

    batch: int
    line: int
    length: int
    slot: Id | UnsetType
    pos: int | UnsetType
    prefill: bool
    astray: bool
    """Whether it isn't at the position behind the claim before it."""


class Life(Owner):
    """One admission of a request. A name that is admitted again gets a new one, so late rows keep theirs.

    `next` is the value seen last in eager mode and the one that the rows explain in lazy mode; `last` and `label` are
    what the rows explain; `shown` are the values of the last line that had them. `base` is the producer position after
    all processed claims: with m claims pending `next` must be one of base .. base + m.
    """

    __slots__ = (
        "adopts", "advances", "astray", "base", "before", "borrowed", "boundaries", "claims", "count",
        "crossed", "done_len", "epoch", "given", "hit", "hit_text", "home", "label", "last", "last_batch", "leaving",
        "len", "lost", "newest", "next", "opened", "out", "over", "prefills", "quiet", "ring", "shown_last",
        "shown_len", "shown_next", "started", "state", "taint", "targets", "verifies",
    )  # fmt: skip

    def __init__(self, event: Admit, positions: int) -> None:
        super().__init__(event.r)
        self.epoch: int | UnsetType = event.epoch
        self.adopts = False
        """Whether nothing has said yet what it starts from, so that its text may be another's."""
        self.before: object = None
        """The text of the life that was retracted before this one: it may go on from what that one has saved."""
        self.hit_text: object = None
        """The text of the entry that it has hit."""
        self.borrowed: Owner | None = None
        """The session whose slots it uses."""
        self.home: Slot | None = None
        """The working slot; None: unknown."""
        self.state: Content | None = None
        """What its last row leaves there."""
        self.ring: Ring = (None,) * positions
        self.next = _known(event.next)
        self.last = _known(event.last)
        self.shown_next, self.shown_last = event.next, event.last
        self.shown_len: int | UnsetType | None = UNSET
        self.label: int | None = None
        self.base = self.next
        self.hit: Hit | UnsetType | None = event.hit
        self.given: dict[int, int] = {}
        """Slots that it has published while no line since has shown its ring, with the line of the publication."""
        self.lost: dict[int, int] = {}
        """Slots of its ring that were freed or taken since, and at which line: the next ring must not have them."""
        self.len = 0
        self.count = 0
        self.done_len = 0  # tokens of the newest processed row
        self.crossed = 0  # boundaries that processed verify rows have written
        # Of each pending verify row: its batch, its tokens, and `crossed` and `next` at its preparation.
        self.verifies: deque[tuple[int, int, int, int | None]] = deque()
        self.last_batch = -1
        self.out = 0  # rows whose result hasn't been processed
        self.started = False
        self.prefills = 0  # prefill rows among them
        self.claims: deque[Claim] = deque()
        self.targets: Counter[Id | UnsetType] = Counter()  # by slot, how many claims there are
        self.astray = 0
        self.boundaries = 0  # claims processed
        self.advances = 0  # steps that `next` has taken
        self.newest: Claim | None = None  # the newest completed checkpoint that hasn't been published
        self.taint: int | None = None  # the line of the wrong start that its states descend from
        self.over: Literal["", "done", "left"] = ""
        self.leaving = (
            False  # a slot that it uses has been freed: it is about to end, or to go on with what isn't its own
        )
        self.quiet = False  # nothing open, pending or in transit: rows that change nothing need no closer look
        self.opened: Opened = {}

    @property
    def holder(self) -> Owner:
        """Whose slots it uses."""
        return self.borrowed or self

    def words(self) -> str:
        """For a person."""
        return f"{self.name}, which was over at line {self.over_line}" if self.over else self.name

    def hush(self) -> None:
        """Recompute `quiet`."""
        busy = self.opened or self.transit or self.claims or self.verifies or self.leaving or self.lost
        self.quiet = self.started and not busy

    def in_use(self) -> set[int]:
        """Return every slot that it uses by its own account."""
        own = {slot for slot in self.ring if slot is not None} | self.transit
        return own if self.home is None else own | {self.home.id}

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

    def expected_position(self, positions: int) -> int | None:
        """Where the next claim belongs, behind those that are pending."""
        if self.claims:
            pos = self.claims[-1].pos
            return None if pos is UNSET else (pos + 1) % positions
        return self.base


class PendingBatch(NamedTuple):
    """A launched batch whose result hasn't been processed; `lives[i]` is whom `rows[i]` is about."""

    b: int
    line: int
    rows: tuple[Row, ...]
    lives: list[Life]


def _known(value: int | UnsetType | None) -> int | None:
    return None if value is UNSET else value
