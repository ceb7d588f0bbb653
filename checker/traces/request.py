"""What the judge remembers of a request: its slots, its counters, and what its pointers must be by its own rows."""

from __future__ import annotations

from typing import Literal, NamedTuple

from checker.traces.format import PrefillRow, PrepareRow
from checker.traces.verdict import Hazard


class TraceClaim(NamedTuple):
    """A launched row with a mark whose result hasn't been processed."""

    batch: int
    line: int
    mark: int
    slot: int | None
    pos: int | None
    prefill: bool


class TraceRequest:
    """One admission of a request. A name that is admitted again gets a new one, so late rows keep theirs.

    `next` is the value seen last in eager mode and the one that the rows explain in lazy mode; `last` and `label` are
    what the rows explain. `base` is the producer position after all processed claims: with m claims pending `next`
    must be one of base .. base + m.
    """

    __slots__ = (
        "advances", "base", "boundaries", "claims", "count", "done_len", "label", "last", "last_batch", "len",
        "name", "newest", "next", "opened", "over", "over_line", "prefills", "quiet", "ring", "started", "taint",
        "transit", "working",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        working: int | None,
        positions: int,
        next_: int | None,
        last: int | None,
    ) -> None:
        self.name = name
        self.working = working
        self.ring: tuple[int | None, ...] = (None,) * positions
        self.next = next_
        self.last = last
        self.label: int | None = None
        self.base = next_
        self.len = 0
        self.count = 0
        self.done_len = 0  # tokens covered by the newest processed row: the working slot certainly holds that state
        self.last_batch = -1
        self.started = False
        self.prefills = 0  # prefill rows whose result hasn't been processed
        self.claims: list[TraceClaim] = []
        self.boundaries = 0  # claims processed
        self.advances = 0  # steps that `next` has taken
        self.newest: TraceClaim | None = None  # the newest completed checkpoint that hasn't been published
        self.taint: int | None = None  # the line of the bad copy that this request descends from
        self.transit: set[int] = set()  # slots that have left the ring and aren't published or freed yet
        self.over: Literal["done", "freed"] | None = None
        self.over_line = 0
        self.quiet = True  # nothing open and nothing in transit: rows that change nothing need no closer look
        self.opened: dict[str, Hazard] = {}

    def hush(self) -> None:
        """Recompute `quiet`."""
        self.quiet = not self.opened and not self.transit

    def slots(self) -> set[int]:
        """Every slot that this request owns by its own account."""
        own = {slot for slot in self.ring if slot is not None} | self.transit
        return own if self.working is None else own | {self.working}


class TraceBatch(NamedTuple):
    """A launched batch whose result hasn't been processed; `requests[i]` is the admission that `rows[i]` is about."""

    b: int
    line: int
    prefill: bool
    rows: tuple[PrefillRow | PrepareRow, ...]
    requests: list[TraceRequest]
