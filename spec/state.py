"""The state of the protocol: what the CPU has recorded, what the device has done, and who owns each slot."""

from __future__ import annotations

from typing import Annotated, Final

from spec.language import ABSENT, Ghost, Id, Per, Range, Transient, Vector, record
from spec.scope import EAGER, Scope

RequestId = Annotated[int, Id("requests")]
Slot = Annotated[int, Id("slots")]
Family = Annotated[int, Id("families")]
Position = Annotated[int, Range(ABSENT, "last_position")]
Length = Annotated[int, Range(ABSENT, "max_len")]
Place = Annotated[int, Range(0, "last_position")]
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


@record
class Text:
    """The first `length` tokens of a family's text; family ABSENT: no text, or nobody knows which."""

    family: Family
    length: Length


@record
class Row:
    """What a batch recorded about one request when it was prepared. Nothing changes it afterwards."""

    present: bool
    """Whether the request is in this batch."""
    decode_count: Count
    """The request's decode count at preparation; 0 for a prefill."""
    seq_len: Count
    """Tokens that the working state covers once this row has run."""
    family: Family
    """Whose text it computes."""
    source: Slot
    """The slot whose state it starts from: its working slot, a cache entry's after a hit; ABSENT: a cleared state."""
    start: Count
    """Tokens that the state it starts from must cover."""
    working: Slot
    """The slot that it overwrites with the state after `seq_len` tokens."""
    position: Position
    """The ring position of its boundary write (logical: the result side needs it); ABSENT without a mark."""
    slot: Slot
    """The slot of its boundary write (physical: the device needs it); ABSENT without a mark."""
    mark: Length
    """The length whose state it writes into `slot`; ABSENT: it writes none."""


@record
class Batch:
    """A launched batch: at most one row per request."""

    rows: Annotated[Vector[Row], Per("requests")]
    others: Annotated[Vector[Text], Per("slots")]
    """With others=on: what the rows of other requests in this batch write into each slot; family ABSENT: nothing."""


@record
class Request:
    """The shared, mutable record of a request: preparation moves it ahead while earlier results are still pending."""

    phase: Phase
    family: Family
    seq_len: Count
    decode_count: Count
    source: Slot
    """Between admission and prefill: the cached slot to copy from, which locks that cache entry."""
    prefix: Count
    """Between admission and prefill: the tokens that the copy covers."""
    working: Slot
    ring: Annotated[Vector[Slot], Per("ring")]
    next: Place
    """Producer position: where the next boundary write goes."""
    last: Place
    """Consumer position: the newest completed checkpoint."""
    last_len: Length
    """The label: how many tokens the checkpoint at `last` covers; ABSENT: there is none."""
    recent: Annotated[Vector[bool], Per("memory")]
    """With interval `any`: whether the length that lies i below seq_len is a boundary."""
    due: Annotated[int, Range(0, "last_position"), Ghost()]
    """Eager: the position that the next boundary ought to use, counted by the spec itself."""
    owed: Annotated[int, Range(ABSENT, "max_len"), Ghost()]
    """The newest completed checkpoint that has not been published yet."""
    owed_at: Annotated[int, Range(ABSENT, "last_position"), Ghost()]
    """The ring position where that checkpoint is."""


@record
class Event:
    """What the last step did about one request. No decision reads it: properties, timelines and traces do."""

    prepared: bool
    spare_taken: bool
    no_spare: bool
    """A boundary row of a lazy request found no spare."""
    processed: bool
    lookahead: Annotated[int, Range(ABSENT, "max_len")]
    boundary: bool
    """The processed row carried a mark."""
    finished: bool
    aborted: bool
    published: Length
    """The length under which a slot of the request went to the cache in this step."""
    refused: bool
    """The gate refused a publication, or a later claim had taken the label of the checkpoint away."""
    key_cached: bool
    no_replacement: bool
    owed: Length
    """At a finish: the newest completed checkpoint that had not been published before."""


@record
class Step:
    """What the last step did."""

    events: Annotated[Vector[Event], Per("requests")]
    asked: bool
    """The allocator was asked for a slot."""
    reused: bool
    """A slot was handed out while an unwritten row still targeted it."""


@record
class State:
    """Everything: requests, launched batches, the pool, the cache."""

    requests: Annotated[Vector[Request], Per("requests")]
    batches: Annotated[Vector[Batch], Per("window")]
    """The pending batches in launch order, the oldest at index 0; from `pending` on they are empty."""
    pending: Batches
    """How many batches have been launched and not processed."""
    written: Batches
    """How many of the pending ones the device has run: always the oldest."""
    free: Annotated[Vector[bool], Per("slots")]
    holds: Annotated[Vector[Text], Per("slots"), Ghost()]
    """What is true of each slot's bytes now."""
    cached: Annotated[Vector[Text], Per("slots")]
    """The key under which the cache owns the slot; family ABSENT: the cache does not own it."""
    others: Annotated[Vector[bool], Per("slots")]
    """With others=on: whether a request that the scope does not name owns the slot."""
    step: Annotated[Step, Transient(), Ghost()]


def nothing() -> Text:
    """Return the text of a slot that nobody may rely on, and the key of a slot that is not cached."""
    return Text(ABSENT, 0)


def empty_row() -> Row:
    """Return the row of a request that is not in the batch."""
    return Row(
        present=False,
        decode_count=0,
        seq_len=0,
        family=ABSENT,
        source=ABSENT,
        start=0,
        working=ABSENT,
        position=ABSENT,
        slot=ABSENT,
        mark=ABSENT,
    )


def spent_row() -> Row:
    """Return a row that has run and whose request has left: its result will be ignored."""
    row = empty_row()
    row.present = True
    return row


def empty_batch(scope: Scope) -> Batch:
    """Return a batch without rows."""
    return Batch(
        rows=Vector(empty_row() for _ in range(scope.requests)),
        others=Vector(nothing() for _ in range(scope.watched)),
    )


def idle_request(scope: Scope) -> Request:
    """Return the record of a name that is not in use: it owns nothing."""
    return Request(
        phase=IDLE,
        family=ABSENT,
        seq_len=0,
        decode_count=0,
        source=ABSENT,
        prefix=0,
        working=ABSENT,
        ring=Vector(ABSENT for _ in range(scope.ring)),
        next=0,
        last=first_last(scope),
        last_len=ABSENT,
        recent=Vector(False for _ in range(scope.memory)),
        due=0,
        owed=ABSENT,
        owed_at=ABSENT,
    )


def first_last(scope: Scope) -> int:
    """Return `last` at admission: the position before `next` in an eager ring, `next` itself in a lazy one."""
    return scope.last_position if scope.mode == EAGER else 0


def quiet_step(scope: Scope) -> Step:
    """Return the record of a step in which nothing worth noting happened."""
    return Step(
        events=Vector(
            Event(
                prepared=False,
                spare_taken=False,
                no_spare=False,
                processed=False,
                lookahead=ABSENT,
                boundary=False,
                finished=False,
                aborted=False,
                published=ABSENT,
                refused=False,
                key_cached=False,
                no_replacement=False,
                owed=ABSENT,
            )
            for _ in range(scope.requests)
        ),
        asked=False,
        reused=False,
    )


def initial(scope: Scope) -> State:
    """Return the state before anything has happened: no request, no batch, every slot free."""
    return State(
        requests=Vector(idle_request(scope) for _ in range(scope.requests)),
        batches=Vector(empty_batch(scope) for _ in range(scope.window)),
        pending=0,
        written=0,
        free=Vector(True for _ in range(scope.slots)),
        holds=Vector(nothing() for _ in range(scope.slots)),
        cached=Vector(nothing() for _ in range(scope.slots)),
        others=Vector(False for _ in range(scope.watched)),
        step=quiet_step(scope),
    )
