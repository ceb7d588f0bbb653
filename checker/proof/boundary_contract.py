"""What the code that ships decides, held against what the spec does: step properties that call `runtime.boundary`.

Each calls the shipped functions as `runtime/tracking.py` and `runtime/engine.py` do, with the values before a step of
the spec, and says that the answers are what stands in the state after it. The checker reads the shipped text over terms
like any other text, so a proof of these is about the code that runs. Only one request's own rows count as claims: a
slot of the runtime is not handed on before the last row that writes it has returned.
"""

from __future__ import annotations

from runtime import boundary
from spec.applies import eager, has_interval, lazy
from spec.boundary import decode_mark
from spec.design import Design
from spec.language import ABSENT, Property, step
from spec.rows import claims_behind
from spec.scope import ANY, SKIP
from spec.slots import key_cached
from spec.state import ADMITTED, RUNNING, Length, Request, RingPosition, Row, State


def same(shipped: int, spec: int) -> bool:
    """Whether the shipped code answers as the spec does; every comparison is made here, so that it can be told."""
    return int(shipped) == int(spec)


def prepared_row(before: State, after: State, number: int) -> Row:
    """Return the row of a request in the batch that this step launched."""
    return after.batches[before.pending].rows[number]


def wished_mark(design: Design, now: Request) -> Length:
    """Return what the spec would checkpoint with a decode to `now.seq_len` if it need not go without a slot."""
    return decode_mark(design.scope, now, design.scope.interval == ANY and now.recent[0])


def first_empty(was: Request) -> RingPosition:
    """Return the lowest ring position without a slot; 0 where every one has one, as an argmax says it."""
    found = 0
    for position in range(len(was.ring) - 1, -1, -1):
        if was.ring[position] == ABSENT:
            found = position
    return found


@step(has_interval)
def prefill_mark_agrees(before: State, after: State, design: Design) -> bool:
    """A prefill's row carries the mark that prefill_mark finds, told whether before_the_end is cached already."""
    interval = design.scope.interval
    for number, was in enumerate(before.requests):
        if was.phase == ADMITTED and after.step.events[number].prepared:
            mark = prepared_row(before, after, number).mark
            cached = key_cached(before, number, boundary.before_the_end(was.seq_len, was.prefix, interval))
            if not same(boundary.prefill_mark(was.seq_len, was.prefix, cached, interval), mark):
                return False
    return True


@step(has_interval)
def decode_mark_agrees(before: State, after: State, design: Design) -> bool:
    """A decode row carries the mark that decode_mark finds for its length, unless it is lazy and has to go without."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        event = after.step.events[number]
        if was.phase == RUNNING and event.prepared:
            mark = boundary.decode_mark(was.seq_len + 1, design.scope.interval)
            if not same(mark, wished_mark(design, now)):
                return False
            if not event.no_spare and not same(mark, prepared_row(before, after, number).mark):
                return False
    return True


@step(eager)
def eager_next_agrees(before: State, after: State, design: Design) -> bool:
    """Eager: a row claims the position `next` of before, and eager_next, by following, says where `next` is after."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        if after.step.events[number].prepared:
            row = prepared_row(before, after, number)
            if not same(boundary.eager_next(was.next, row.mark, design.scope.ring), now.next):
                return False
            if row.mark != ABSENT and (row.position != was.next or row.slot != was.ring[was.next]):
                return False
    return True


@step(lazy)
def lazy_claim_agrees(before: State, after: State, design: Design) -> bool:
    """Lazy: lazy_mark, lazy_position and label_after_claim say what a decode on a boundary claims, label included."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        event = after.step.events[number]
        if was.phase == RUNNING and event.prepared:
            row = prepared_row(before, after, number)
            wished = wished_mark(design, now)
            if wished == ABSENT:
                if row.mark != ABSENT or now.next != was.next or now.last_len != was.last_len:
                    return False
                continue
            empty = first_empty(was)
            spare = now.ring[empty] if event.spare_taken else ABSENT
            position = boundary.lazy_position(was.next, empty, spare)
            if not same(position, now.next):
                return False
            mark = boundary.lazy_mark(wished, spare, design.scope.without_spare == SKIP)
            if not same(mark, row.mark):
                return False
            if not same(boundary.label_after_claim(was.last_len, was.last, position, mark), now.last_len):
                return False
            if row.mark != ABSENT and (row.position != position or row.slot != now.ring[position]):
                return False
    return True


@step()
def lookahead_agrees(before: State, after: State, design: Design) -> bool:
    """A result is as far behind its request as lookahead says, which the runtime asks before anything else."""
    for number, event in enumerate(after.step.events):
        if event.processed:
            then = before.batches[0].rows[number].decode_count
            if not same(boundary.lookahead(before.requests[number].decode_count, then), event.lookahead):
                return False
    return True


@step()
def outside_window_agrees(before: State, after: State, design: Design) -> bool:
    """What outside_window calls impossible is what the spec rules out, for rows of a former user of a name as well."""
    if before.pending > after.pending:
        for request, row in zip(before.requests, before.batches[0].rows):
            ahead = request.decode_count - row.decode_count
            possible = 0 <= ahead <= design.scope.lookahead
            if not same(boundary.outside_window(ahead, design.scope.lookahead), not possible):
                return False
    return True


@step()
def completion_agrees(before: State, after: State, design: Design) -> bool:
    """A result sets `last` and the label to what completed_last and completed_label say, until it is donated."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        event = after.step.events[number]
        if event.processed and not event.finished:
            row = before.batches[0].rows[number]
            if not same(boundary.completed_last(was.last, row.position, row.mark), now.last):
                return False
            label = boundary.completed_label(was.last_len, row.mark, claims_behind(before, number, row.slot, 0))
            if not same(label, event.published if event.published != ABSENT else now.last_len):
                return False
    return True


@step(lazy)
def superseded_agrees(before: State, after: State, design: Design) -> bool:
    """Lazy: a result frees the slot at the position that superseded names, if may_free allows it, and no other."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        event = after.step.events[number]
        if event.processed and not event.finished:
            row = before.batches[0].rows[number]
            gone = boundary.superseded(was.last, row.position, row.mark)
            slot = was.ring[gone] if gone != ABSENT else ABSENT
            freed = boundary.may_free(slot, claims_behind(before, number, slot, 0))
            emptied = any(held != ABSENT and left == ABSENT for held, left in zip(was.ring, now.ring))
            if not same(freed, emptied):
                return False
            if freed and (now.ring[gone] != ABSENT or not after.free[slot]):
                return False
            if sum(held == ABSENT for held in now.ring) != sum(held == ABSENT for held in was.ring) + int(freed):
                return False
    return True


@step()
def may_publish_agrees(before: State, after: State, design: Design) -> bool:
    """A finish or a prefill's result gets as far as asking for its key exactly where may_publish lets it."""
    for number, was in enumerate(before.requests):
        event = after.step.events[number]
        row = before.batches[0].rows[number]
        if event.processed and (event.finished or (row.decode_count == 0 and row.mark != ABSENT)):
            slot = was.ring[boundary.completed_last(was.last, row.position, row.mark)]
            label = boundary.completed_label(was.last_len, row.mark, claims_behind(before, number, row.slot, 0))
            asked = event.key_cached or event.no_replacement or event.published != ABSENT
            if not same(boundary.may_publish(label, claims_behind(before, number, slot, 0)), asked):
                return False
            if event.published != ABSENT and (event.published != label or after.cached[slot].length != label):
                return False
    return True


SHIPPED: tuple[Property, ...] = (
    prefill_mark_agrees,
    decode_mark_agrees,
    eager_next_agrees,
    lazy_claim_agrees,
    lookahead_agrees,
    outside_window_agrees,
    completion_agrees,
    superseded_agrees,
    may_publish_agrees,
)
"""Every public function of `runtime.boundary` is reached from one of these; a test reads that off the text."""

ASSUMED: dict[str, tuple[str, ...]] = {
    "lazy-claim-agrees": ("ring-is-filled",),
    "superseded-agrees": ("rows-well-formed", "rows-follow-each-other", "prefill-comes-first", "one-owner"),
}
"""What a proof assumes of the state before, lemmas and properties of the spec: as little as it can.

The others hold of any state whose fields lie in their ranges, reachable or not. So a gate that our design never has to
close is compared where it does close.
"""
