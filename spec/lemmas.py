"""What is true of every reachable state of our design, and together inductive: the contract, lemma by lemma.

A *lemma* is an always property that only our design promises. `slotproof prove` shows that the first state has them
all, that every action keeps them, and that the properties follow; and that each is needed for that. Most are stated
of each request in a phase, `each=RUNNING`: of `request`, the record whose index is `number`.
"""

from __future__ import annotations

from spec.applies import eager, has_interval, lazy
from spec.boundary import on_grid
from spec.design import Design
from spec.language import ABSENT, lemma, new
from spec.rows import awaits_write, claim_at, claim_pending, claims, others_write
from spec.scope import ANY, EAGER, LAZY
from spec.state import (
    ADMITTED,
    IDLE,
    IN_USE,
    RUNNING,
    Request,
    RequestId,
    RingPositionOrAbsent,
    Row,
    State,
    Text,
    spent_row,
)


@lemma()
def queue_is_dense(s: State, design: Design) -> bool:
    """The pending batches lie at the front of the queue, the written ones first; behind them there is nothing."""
    if s.written > s.pending:
        return False
    for index, batch in enumerate(s.batches):
        if index >= s.pending:
            if any(row != Row() for row in batch.rows):
                return False
            if any(text.family != ABSENT for text in batch.others):
                return False
    return True


@lemma()
def rows_well_formed(s: State, design: Design) -> bool:
    """A present row computes at least one token from a known start; its mark lies between, at a position and slot."""
    for index, batch in enumerate(s.batches):
        for number, row in enumerate(batch.rows):
            spent = row == spent_row() and index < s.written and s.requests[number].phase == IDLE
            if row.present and not spent and not sensible(row):
                return False
            if not row.present and row != Row():
                return False
    return True


def sensible(row: Row) -> bool:
    """Whether the parts of a present row fit each other."""
    if row.working == ABSENT or row.family == ABSENT or not row.start < row.seq_len:
        return False
    if (row.mark == ABSENT) != (row.slot == ABSENT) or (row.mark == ABSENT) != (row.position == ABSENT):
        return False
    if row.mark != ABSENT and not (row.start < row.mark <= row.seq_len and row.slot != row.working):
        return False
    if row.decode_count > 0:
        return row.source == row.working and row.start == row.seq_len - 1
    return (row.source == ABSENT) == (row.start == 0)


@lemma(each=IDLE)
def idle_owns_nothing(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """The record of a name that is not in use is an idle one."""
    return request == new(Request, design.scope)


@lemma(each=ADMITTED)
def admitted_is_fresh(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """An admitted request has no row, no label and no claim; what it will copy from is cached under its prefix."""
    if any(batch.rows[number].present for batch in s.batches):
        return False
    if request.family == ABSENT or request.decode_count != 0 or request.seq_len <= request.prefix:
        return False
    if request.last_len != ABSENT or request.next != 0:
        return False
    if request.source == ABSENT:
        return request.prefix == 0
    return request.prefix != 0 and s.cached[request.source] == Text(request.family, request.prefix)


@lemma(each=IN_USE)
def ring_is_filled(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """A request in use has a working slot; its ring is full (eager), or holds a slot at `next` and at `last` (lazy)."""
    if request.working == ABSENT:
        return False
    if design.scope.mode == EAGER:
        return all(slot != ABSENT for slot in request.ring)
    return request.ring[request.next] != ABSENT and request.ring[request.last] != ABSENT


@lemma(each=RUNNING)
def running_copies_nothing(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Once its prefill is launched a request has nothing left to copy, and is longer than its decode count."""
    if request.source != ABSENT or request.prefix != 0 or request.family == ABSENT:
        return False
    return request.decode_count < request.seq_len


@lemma(each=RUNNING)
def rows_follow_each_other(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """The pending rows of a running request are its newest steps, one token apart, the last one its present."""
    behind = 0
    for index in range(design.scope.lookahead, -1, -1):
        row = s.batches[index].rows[number]
        if row.present:
            if row.decode_count != request.decode_count - behind or row.seq_len != request.seq_len - behind:
                return False
            if row.family != request.family or row.working != request.working:
                return False
            if row.mark != ABSENT and request.ring[row.position] != row.slot:
                return False
            behind += 1
    return behind <= request.decode_count + 1


@lemma(each=RUNNING)
def prefill_comes_first(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Until the result of its prefill has been processed, a request has no label; a lazy one claims `last` with it."""
    for batch in s.batches:
        row = batch.rows[number]
        if row.present and row.decode_count == 0:
            if request.last_len != ABSENT:
                return False
            if design.scope.mode == LAZY and row.mark != ABSENT and row.position != request.last:
                return False
    return True


@lemma(each=RUNNING)
def label_is_written(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """The slot at a labelled `last` holds the state of the label, and nothing in flight is going to write it."""
    if request.last_len == ABSENT:
        return True
    slot = request.ring[request.last]
    if request.last_len <= 0 or slot == ABSENT:
        return False
    if s.holds[slot] != Text(request.family, request.last_len):
        return False
    return not awaits_write(s, slot) and not claims(s, number, slot)


@lemma(each=RUNNING)
def written_claims_hold(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """A written row's slot holds the state of its mark, unless a later row of the request has written there since."""
    for index, batch in enumerate(s.batches):
        row = batch.rows[number]
        if row.present and row.mark != ABSENT and index < s.written:
            since = any(
                index < later < s.written and other.rows[number].mark != ABSENT and other.rows[number].slot == row.slot
                for later, other in enumerate(s.batches)
            )
            if not since and s.holds[row.slot] != Text(request.family, row.mark):
                return False
    return True


@lemma()
def cached_is_written(s: State, design: Design) -> bool:
    """A cached slot holds the state of its key, and nothing in flight is going to write it."""
    for slot in range(design.scope.slots):
        if s.cached[slot].family != ABSENT:
            if s.cached[slot].length <= 0 or s.holds[slot] != s.cached[slot] or awaits_write(s, slot):
                return False
    return True


@lemma(each=RUNNING)
def working_is_current(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """What the oldest unwritten row of a running request starts from is there when it runs; else the present."""
    first = first_unwritten(s, number, design.scope.window)
    if first == design.scope.window:
        return s.holds[request.working] == Text(request.family, request.seq_len)
    row = s.batches[first].rows[number]
    return row.source == ABSENT or held_before(s, first, row.source) == Text(row.family, row.start)


def first_unwritten(s: State, number: int, none: int) -> int:
    """Return the place of the oldest unwritten row of a request in the queue; `none` if there is no such row."""
    found = none
    for index in range(len(s.batches) - 1, -1, -1):
        if s.batches[index].rows[number].present and s.written <= index < s.pending:
            found = index
    return found


def held_before(s: State, place: int, slot: int) -> Text:
    """Return what `slot` will hold when the batch at `place` begins to run."""
    text = s.holds[slot]
    for index, batch in enumerate(s.batches):
        if s.written <= index < s.pending and index < place:
            for row in batch.rows:
                if row.present and row.working == slot:
                    text = Text(row.family, row.seq_len)
                if row.present and row.mark != ABSENT and row.slot == slot:
                    text = Text(row.family, row.mark)
            for number, written in enumerate(batch.others):
                if number == slot and written.family != ABSENT:
                    text = written
    return text


@lemma(each=RUNNING)
def former_writers_first(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Rows that still write a slot for a former owner were launched before any row of its present owner."""
    for index, batch in enumerate(s.batches):
        row = batch.rows[number]
        if row.present:
            for later, other in enumerate(s.batches):
                if later >= index and later >= s.written:
                    if others_write(other, row.working):
                        return False
                    if row.mark != ABSENT and others_write(other, row.slot):
                        return False
    return any(batch.rows[number].present for batch in s.batches) or not awaits_write(s, request.working)


def _eager_any(design: Design) -> bool:
    return design.scope.mode == EAGER and design.scope.interval == ANY


@lemma(eager, each=IN_USE)
def claims_are_in_order(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Eager: `next` is due, pending claims have the positions right before it, a labelled `last` is before them."""
    position = before_claims(s, number, design)
    if request.next != request.due or position == ABSENT:
        return False
    return request.last_len == ABSENT or request.last == position


def before_claims(s: State, number: int, design: Design) -> RingPositionOrAbsent:
    """Return the ring position before all pending claims of a request; ABSENT: they are not right before `next`."""
    request = s.requests[number]
    position = request.next
    for index in range(design.scope.lookahead, -1, -1):
        row = s.batches[index].rows[number]
        if request.phase == RUNNING and row.mark != ABSENT:
            position = (position + design.scope.last_position) % design.scope.ring
            if row.position != position:
                return ABSENT
    return (position + design.scope.last_position) % design.scope.ring


@lemma(_eager_any, each=RUNNING)
def boundaries_are_remembered(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Eager, interval any: the remembered boundaries are those of the pending rows, and keep the gap rule."""
    behind = 0
    for index in range(design.scope.lookahead, -1, -1):
        row = s.batches[index].rows[number]
        if row.present:
            if row.decode_count > 0 and row.mark != ABSENT:
                if row.mark != row.seq_len or not request.recent[behind]:
                    return False
            behind += 1
    return sum(request.recent) <= design.scope.last_position


@lemma(has_interval)
def marks_are_on_the_grid(s: State, design: Design) -> bool:
    """With an interval, marks are multiples of it, and an eager decode row has one exactly at a multiple."""
    for batch in s.batches:
        for row in batch.rows:
            if row.mark != ABSENT and not on_grid(design.scope, row.mark):
                return False
            if row.decode_count > 0 and row.mark != ABSENT and row.mark != row.seq_len:
                return False
            if design.scope.mode == EAGER and row.decode_count > 0:
                if on_grid(design.scope, row.seq_len) and row.mark == ABSENT:
                    return False
    return True


@lemma(lazy, each=IN_USE)
def newest_claim_is_next(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Lazy: the newest pending claim is at `next`; without one, `next` is `last`."""
    if not claim_pending(s, number) or request.phase == ADMITTED:
        return request.next == request.last
    for index in range(design.scope.lookahead, -1, -1):
        row = s.batches[index].rows[number]
        if row.mark != ABSENT:
            return row.position == request.next
    return True


@lemma(lazy, each=IN_USE)
def filled_is_used(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """Lazy: a ring position that holds a slot is `last`, or a pending claim is for it."""
    return all(
        slot == ABSENT or position == request.last or claim_at(s, number, position)
        for position, slot in enumerate(request.ring)
    )


@lemma(each=IN_USE)
def owed_is_labelled(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """What a request owes the cache is what its label says, at `last`."""
    if request.owed != request.last_len or (request.owed == ABSENT) != (request.owed_at == ABSENT):
        return False
    return request.owed == ABSENT or request.owed_at == request.last


LEMMAS = (
    queue_is_dense,
    rows_well_formed,
    idle_owns_nothing,
    admitted_is_fresh,
    ring_is_filled,
    running_copies_nothing,
    rows_follow_each_other,
    prefill_comes_first,
    label_is_written,
    written_claims_hold,
    cached_is_written,
    working_is_current,
    former_writers_first,
    claims_are_in_order,
    boundaries_are_remembered,
    marks_are_on_the_grid,
    newest_claim_is_next,
    filled_is_used,
    owed_is_labelled,
)
