"""Trace format 2: what an engine's control plane did, one JSON object a line, the first a `Header`, the others events.

Lengths are in tokens; `slot`, `slots`, `working`, `ring`, `reads`, `writes`, `from` and `to` are physical slot ids,
`pos`, `next` and `last` ring positions, `b` batches, numbered as launched. A field that is missing (UNSET) is unknown,
null (None) is "none". Unknown fields are errors, but for those that begin with `x_`. Ids are not restricted here: one
that cannot be (negative, null, reserved, outside of the pool) is the engine's fault, which the judge finds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Whole = Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
Natural = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Positive = Annotated[int, Meta(ge=1, le=(1 << 63) - 1)]
Positions = Annotated[int, Meta(ge=1, le=1 << 16)]
Id = Whole | None
"""A slot; None where the engine handed over its marker for "no slot"."""
Ring = tuple[Id, ...]
Knows = Literal["takes", "frees", "evicts", "ends", "clears", "copies", "texts", "transfers", "sessions"]
Unset = UnsetType
Name = str | UnsetType | None
"""A request or session; None: nobody."""


class Header(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The first line: sizes and choices of the recorded engine."""

    trace: Literal[2]
    engine: str
    mode: Literal["eager", "lazy", "none"]
    """none: no ring; a working slot becomes the checkpoint, or checkpoints are taken elsewhere."""
    slots: Positive
    """The ids of the pool are `first_slot` to `first_slot + slots - 1`."""
    first_slot: Natural
    lookahead: Natural
    """Batches that are launched and not processed when another one is launched."""
    ring: Positions | Unset = UNSET
    """Ring positions."""
    interval: Positive | Unset = UNSET
    """Tokens between decode boundaries."""
    without_spare: Literal["overwrite", "skip"] | Unset = UNSET
    """What the engine does where a lazy boundary row gets no spare."""
    prefill_grid: Positive | Unset = UNSET
    """Where prefill may checkpoint, counted from `grid_from`; missing: no grid is judged."""
    grid_from: Literal["zero", "prefix"] = "zero"
    page: Positive = 1
    """Tokens of a page of the cache."""
    window: Positive = 1
    """The most tokens that a verify row may absorb; 1: there are no verify rows."""
    crossing: Literal["planned", "counted"] | Unset = UNSET
    """How a verify row finds the ring position of the boundary that it crosses."""
    reserved: tuple[Whole, ...] = ()
    """Ids that belong to nobody: written by anyone, never published, freed or handed out."""
    pool: str = ""
    knows: tuple[Knows, ...] = ()
    """What the recorder would have written had it happened; of the rest silence means nothing."""
    t: Whole | Unset = UNSET

    is_whole = False
    """Whether the trace certainly begins where its engine begins; of format 2 nobody knows."""

    def __post_init__(self) -> None:
        if self.mode == "none":
            if self.ring is not UNSET or self.without_spare is not UNSET:
                raise ValueError("mode none has no ring: leave out `ring` and `without_spare`")
        if self.window > 1 and (self.crossing is UNSET or self.interval is UNSET):
            raise ValueError("a window of several tokens needs the fields `crossing` and `interval`")


class TraceLine(
    Struct, frozen=True, gc=False, tag_field="e", forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """What any line may carry."""

    t: Whole | Unset = UNSET
    """Nanoseconds since the first line on the CPU's clock; no verdict reads it."""


class Take(TraceLine, frozen=True, gc=False, tag="take"):
    """Slots leave the free pool, for a request or a session (neither: nobody yet)."""

    slots: tuple[Id, ...]
    r: Name = UNSET
    s: Name = UNSET
    during: Natural | None | Unset = UNSET
    """The batch whose result was being processed; None: none was; missing: as the line stands."""


class Hit(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The cached state that a request starts from."""

    slot: Id
    len: Natural
    text: str | Unset = UNSET


class Admit(TraceLine, frozen=True, gc=False, tag="admit"):
    """A request may be launched; as a turn of session `s` it has the session's slots, which are not named again."""

    r: str
    epoch: Natural | Unset = UNSET
    working: Id | Unset = UNSET
    ring: Ring | Unset = UNSET
    next: Natural | None | Unset = UNSET
    last: Natural | None | Unset = UNSET
    hit: Hit | None | Unset = UNSET
    s: Name = UNSET


class Mark(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A checkpoint that a row writes besides its working slot: the state after `len` tokens."""

    len: Natural
    slot: Id | Unset
    pos: Natural | Unset = UNSET


class LaunchedRow(
    Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="kind", kw_only=True, omit_defaults=True
):
    """What a batch does for a request; `next`, `last` and `ring` are the request's values after preparation."""

    r: str
    epoch: Natural | Unset = UNSET
    reads: Id | Unset
    """The slot whose state the row starts from; None: the empty state."""
    writes: Id | Unset
    count: Natural | Unset = UNSET
    """The request's decode count with this row."""
    next: Natural | None | Unset = UNSET
    last: Natural | None | Unset = UNSET
    ring: Ring | Unset = UNSET
    same: bool = False
    """Every left-out field of this request has the value of the last line that had it."""


class PlainRow(LaunchedRow, frozen=True, gc=False):
    """A prefill or decode row: `reads` must cover `start` tokens, `writes` stands for `len` afterwards."""

    start: Natural | Unset
    len: Natural
    marks: tuple[Mark, ...]
    pos: Natural | Unset = UNSET
    last_chunk: bool | Unset = UNSET


class PrefillRow(PlainRow, frozen=True, gc=False, tag="prefill"):
    """A prompt, or a chunk of one."""


class DecodeRow(PlainRow, frozen=True, gc=False, tag="decode"):
    """A decode step."""


class VerifyRow(LaunchedRow, frozen=True, gc=False, tag="verify"):
    """Candidate tokens of which some are accepted: `low` to `high - tokens` before it, `low + 1` to `high` after."""

    low: Natural
    high: Natural
    tokens: Positive
    may: Ring
    """The slot per ring position that the device may write; None: not this one."""

    def __post_init__(self) -> None:
        if self.high - self.tokens < self.low:
            raise ValueError("`low` is beyond `high - tokens`: the row has no tokens to start from")


Row = PrefillRow | DecodeRow | VerifyRow


class CopiedState(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename={"from_": "from"}):
    """A copy of the state of `len` tokens from slot to slot, before the rows of a batch."""

    from_: Id | Unset
    to: Id | Unset
    len: Natural
    r: Name = UNSET
    text: str | Unset = UNSET


class Launch(TraceLine, frozen=True, gc=False, tag="launch"):
    """Batch `b` is handed to the device: it waits for transfers, clears, copies, then computes its rows."""

    b: Natural
    rows: tuple[Row, ...]
    clears: tuple[Id, ...] = ()
    copies: tuple[CopiedState, ...] = ()
    waits: tuple[str | Whole, ...] = ()


class Copy(TraceLine, frozen=True, gc=False, tag="copy", rename={"from_": "from"}):
    """A copy outside of any batch, behind batch `after`; None: it waits for nothing."""

    from_: Id
    to: Id
    len: Natural
    after: Natural | None
    r: Name = UNSET
    during: Natural | None | Unset = UNSET


class Wrote(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What the engine takes a row to have written."""

    len: Natural
    slot: Id


class ResultRow(Struct, frozen=True, gc=False, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A request in a result: `skipped`: the row was ignored; `done`: it ends here, and its pointers are gone."""

    r: str
    skipped: bool
    done: bool
    epoch: Natural | Unset = UNSET
    accepted: Natural | Unset = UNSET
    """Tokens of a verify that were committed on the device."""
    retained: Natural | Unset = UNSET
    """Tokens of a verify that are kept."""
    wrote: Wrote | None | Unset = UNSET
    lookahead: Whole | Unset = UNSET
    next: Natural | None | Unset = UNSET
    last: Natural | None | Unset = UNSET
    last_len: Natural | None | Unset = UNSET
    ring: Ring | Unset = UNSET
    same: bool = False


class Process(TraceLine, frozen=True, gc=False, tag="process"):
    """The result of batch `b` has been processed."""

    b: Natural
    rows: tuple[ResultRow, ...]


class Publish(TraceLine, frozen=True, gc=False, tag="publish"):
    """The cache has `slot` under `len` tokens; `stored` False: the key was there, the slot stays with its owner."""

    slot: Id
    len: Natural
    stored: bool
    r: Name = UNSET
    shared: bool = False
    """The former owner goes on reading it, and never writes it again."""
    text: str | Unset = UNSET
    replaced_by: Id | Unset = UNSET
    during: Natural | None | Unset = UNSET


class Rekey(TraceLine, frozen=True, gc=False, tag="rekey", rename={"from_": "from"}):
    """A key moves to slot `to`; `from` goes back to the request that has it, else to the pool."""

    from_: Id
    to: Id
    during: Natural | None | Unset = UNSET


class Free(TraceLine, frozen=True, gc=False, tag="free"):
    """Slots go back to the pool."""

    slots: tuple[Id, ...]
    during: Natural | None | Unset = UNSET


class Evict(TraceLine, frozen=True, gc=False, tag="evict"):
    """An entry leaves the cache, and its slot is free."""

    slot: Id
    during: Natural | None | Unset = UNSET


class Saved(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where the state of a retracted request lies in host memory."""

    host: Id
    len: Natural


class End(TraceLine, frozen=True, gc=False, tag="end"):
    """This life of the request is over; what it still owns has leaked."""

    r: str
    why: Literal["finish", "abort", "retract", "reject", "preempt"]
    saved: Saved | None | Unset = UNSET


class Session(TraceLine, frozen=True, gc=False, tag="session"):
    """A streaming session: `covers` is what the engine takes the working state to stand for, in tokens."""

    op: Literal["open", "take", "borrow", "end", "abort", "close"]
    s: str
    r: Name = UNSET
    working: Id | Unset = UNSET
    ring: Ring | Unset = UNSET
    next: Natural | None | Unset = UNSET
    last: Natural | None | Unset = UNSET
    last_len: Natural | None | Unset = UNSET
    covers: Natural | None | Unset = UNSET


class Transfer(Struct, frozen=True, gc=False, tag="transfer", tag_field="e", forbid_unknown_fields=True, kw_only=True):
    """A transfer between device and host, or to another process; both ends are its own from `queue` to its end."""

    op: Literal["queue", "submit", "ack", "abort"]
    t: str | Whole
    """Its name."""
    dir: Literal["d2h", "h2d", "out", "in"]
    slot: Id
    host: Id
    len: Natural
    after: Natural | None | Unset = UNSET


class Stop(TraceLine, frozen=True, gc=False, tag="stop"):
    """The last line."""

    why: Literal["closed", "not covered"]
    what: str = ""


Event = Take | Admit | Launch | Copy | Process | Publish | Rekey | Free | Evict | End | Session | Transfer | Stop
"""One line after the header."""
