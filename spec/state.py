"""The state of the protocol: what the CPU has recorded, what the device has done, and who owns each slot."""

from __future__ import annotations

from typing import Annotated, Final

from spec.language import ABSENT, Ghost, Id, Per, Range, Transient, Vector, by_scope, each, new, record
from spec.scope import EAGER, Scope

RequestId = Annotated[int, Id("requests")]
Slot = Annotated[int, Id("slots")]
Family = Annotated[int, Id("families")]
RingPosition = Annotated[int, Range(0, "last_position")]
RingPositionOrAbsent = Annotated[int, Range(ABSENT, "last_position")]
Length = Annotated[int, Range(ABSENT, "max_len")]
Count = Annotated[int, Range(0, "max_len")]
Batches = Annotated[int, Range(0, "window")]
Phase = Annotated[int, Range(0, 2)]

EXHAUSTED: Final = -2
"""As a supply: requests that the scope does not name hold, for the moment, all that is free here."""
Supply = Annotated[int, Id("slots")]
"""What the allocator has to give to an action. ABSENT: a free slot that no unwritten row writes or reads, if there
is one; a slot: that one first, although it is still in flight; EXHAUSTED: nothing."""

IDLE: Final = 0
"""The name is not in use."""
ADMITTED: Final = 1
"""It owns its slots; the prefill has not been launched."""
RUNNING: Final = 2
"""Its prefill has been launched; it may be in decode batches."""
IN_USE: Final = (ADMITTED, RUNNING)
"""The phases of a request that is there."""


def first_last(scope: Scope) -> int:
    """Return `last` at admission: the position before `next` in an eager ring, `next` itself in a lazy one."""
    return scope.last_position if scope.mode == EAGER else 0


@record
class Text:
    """The first `length` tokens of a family's text; family ABSENT: no text, or nobody knows which.

    Text() is what a slot holds that nobody may rely on, and the key of a slot that is not cached.
    """

    family: Family = ABSENT
    length: Length = 0


@record
class Row:
    """What a batch recorded about one request when it was prepared; Row() is that of a request that is not in it.

    Nothing changes it afterwards.
    """

    present: bool = False
    """Whether the request is in this batch."""
    decode_count: Count = 0
    """The request's decode count at preparation; 0 for a prefill."""
    seq_len: Count = 0
    """Tokens that the working state covers once this row has run."""
    family: Family = ABSENT
    """Whose text it computes."""
    source: Slot = ABSENT
    """The slot whose state it starts from: its working slot, a cache entry's after a hit; ABSENT: a cleared state."""
    start: Count = 0
    """Tokens that the state it starts from must cover."""
    working: Slot = ABSENT
    """The slot that it overwrites with the state after `seq_len` tokens."""
    position: RingPositionOrAbsent = ABSENT
    """The ring position of its boundary write (logical: the result side needs it); ABSENT without a mark."""
    slot: Slot = ABSENT
    """The slot of its boundary write (physical: the device needs it); ABSENT without a mark."""
    mark: Length = ABSENT
    """The length whose state it writes into `slot`; ABSENT: it writes none."""


@record
class Batch:
    """A launched batch: at most one row per request."""

    rows: Annotated[Vector[Row], Per("requests")] = each(Row)
    others: Annotated[Vector[Text], Per("slots")] = each(Text, "watched")
    """With others=on: what the rows of other requests in this batch write into each slot; family ABSENT: nothing."""


@record
class Request:
    """The shared, mutable record of a request: preparation moves it ahead while earlier results are still pending.

    As it starts, the name is not in use: it owns nothing.
    """

    phase: Phase = IDLE
    family: Family = ABSENT
    seq_len: Count = 0
    decode_count: Count = 0
    source: Slot = ABSENT
    """Between admission and prefill: the cached slot to copy from, which locks that cache entry."""
    prefix: Count = 0
    """Between admission and prefill: the tokens that the copy covers."""
    working: Slot = ABSENT
    ring: Annotated[Vector[Slot], Per("ring")] = each(ABSENT)
    next: RingPosition = 0
    """Producer position: where the next boundary write goes."""
    last: RingPosition = by_scope(first_last)
    """Consumer position: the newest completed checkpoint."""
    last_len: Length = ABSENT
    """The label: how many tokens the checkpoint at `last` covers; ABSENT: there is none."""
    former: Annotated[Vector[Length], Per("former_labels")] = each(ABSENT)
    """With short_keys=on, eager: the label before this one, which the checkpoint at another position had."""
    recent: Annotated[Vector[bool], Per("memory")] = each(False)
    """With interval `any`: whether the length that lies i below seq_len is a boundary."""
    due: Annotated[int, Range(0, "last_position"), Ghost()] = 0
    """Eager: the position that the next boundary ought to use, counted by the spec itself."""
    owed: Annotated[int, Range(ABSENT, "max_len"), Ghost()] = ABSENT
    """The newest completed checkpoint that has not been published yet."""
    owed_at: Annotated[int, Range(ABSENT, "last_position"), Ghost()] = ABSENT
    """The ring position where that checkpoint is."""


@record
class Event:
    """What the last step did about one request. No decision reads it: properties, timelines and traces do."""

    prepared: bool = False
    spare_taken: bool = False
    no_spare: bool = False
    """A boundary row of a lazy request found no spare."""
    processed: bool = False
    lookahead: Annotated[int, Range(ABSENT, "max_len")] = ABSENT
    boundary: bool = False
    """The processed row carried a mark."""
    finished: bool = False
    aborted: bool = False
    published: Length = ABSENT
    """The length under which a slot of the request went to the cache in this step."""
    refused: bool = False
    """The gate refused a publication, or a later claim had taken the label of the checkpoint away."""
    key_cached: bool = False
    no_replacement: bool = False
    short_key: bool = False
    """At a finish: what went to the cache is shorter than the label."""
    owed: Length = ABSENT
    """At a finish: the newest completed checkpoint that had not been published before."""


@record
class Step:
    """What the last step did."""

    events: Annotated[Vector[Event], Per("requests")] = each(Event)
    asked: bool = False
    """The allocator was asked for a slot."""
    reused: bool = False
    """A slot was handed out while an unwritten row still targeted it."""


@record
class State:
    """Everything: requests, launched batches, the pool, the cache."""

    requests: Annotated[Vector[Request], Per("requests")] = each(Request)
    batches: Annotated[Vector[Batch], Per("window")] = each(Batch)
    """The pending batches in launch order, the oldest at index 0; from `pending` on they are empty."""
    pending: Batches = 0
    """How many batches have been launched and not processed."""
    written: Batches = 0
    """How many of the pending ones the device has run: always the oldest."""
    free: Annotated[Vector[bool], Per("slots")] = each(True)
    holds: Annotated[Vector[Text], Per("slots"), Ghost()] = each(Text)
    """What is true of each slot's bytes now."""
    cached: Annotated[Vector[Text], Per("slots")] = each(Text)
    """The key under which the cache owns the slot; family ABSENT: the cache does not own it."""
    others: Annotated[Vector[bool], Per("slots")] = each(False, "watched")
    """With others=on: whether a request that the scope does not name owns the slot."""
    step: Annotated[Step, Transient(), Ghost()] = by_scope(Step)


def spent_row() -> Row:
    """Return a row that has run and whose request has left: its result will be ignored."""
    return Row(present=True)


def initial(scope: Scope) -> State:
    """Return the state before anything has happened: no request, no batch, every slot free."""
    return new(State, scope)
