"""What our own design does beyond doing no harm: one function and one sentence each, about every transition of it.

The properties say what no design may do. A design may keep them all and do less than the protocol promises (mark no
boundary, give up every spare), or tell of a step what it did not do, and timelines, traces and every *sometimes* go by
what a step tells. Postconditions are searched for wherever our own design is; no induction asks them.
"""

from __future__ import annotations

from spec.applies import has_interval, short_keys
from spec.boundary import boundary_behind, prefill_mark
from spec.design import Design
from spec.guarantee import owns
from spec.language import ABSENT, postcondition
from spec.rows import awaits_read, awaits_write, claims_behind, in_flight
from spec.scope import ANY, LAZY, SKIP
from spec.slots import key_cached
from spec.state import IDLE, RUNNING, Request, Row, State


@postcondition()
def every_boundary_is_marked(before: State, after: State, design: Design) -> bool:
    """A launched row marks its boundary, unless it has found no spare and is to be skipped then."""
    if before.pending < after.pending:
        for number, row in enumerate(after.batches[before.pending].rows):
            boundary = boundary_of(before, after, number, row, design)
            skipped = after.step.events[number].no_spare and design.scope.without_spare == SKIP
            if row.mark != (ABSENT if skipped else boundary):
                return False
    return True


@postcondition(has_interval)
def same_prompt_finds_it(before: State, after: State, design: Design) -> bool:
    """The same prompt again finds the newest boundary below its length, and once that is cached, a longer one its end.

    A prefill marks that boundary unless it is cached; and then its prompt's end, where that is a boundary too. What it
    has marked below its end is cached with its result, or the step tells what was in the way (a key that was cut, too).
    """
    for number, event in enumerate(after.step.events):
        if before.pending < after.pending:
            row = after.batches[before.pending].rows[number]
            usable = usable_boundary(design, row)
            if row.decode_count == 0 and row.present:
                known = usable == 0 or key_cached(before, number, usable)
                if row.mark != usable and not known:
                    return False
                if row.mark != row.seq_len and known and row.seq_len % design.scope.interval == 0:
                    return False
        row = before.batches[0].rows[number]
        if is_processed(before, after, number) and row.decode_count == 0 and row.mark == usable_boundary(design, row):
            found = any(key.family == row.family and key.length == row.mark for key in after.cached)
            if not (found or event.refused or event.no_replacement or event.short_key):
                return False
    return True


@postcondition()
def launches_are_reported(before: State, after: State, design: Design) -> bool:
    """A step tells of a launched row, and of a spare or the lack of one, exactly where there was one.

    A spare is lacking only where the allocator was asked for one, or the ring has no position left for it.
    """
    for number, event in enumerate(after.step.events):
        launched = False
        in_need = False
        if before.pending < after.pending:
            row = after.batches[before.pending].rows[number]
            launched = row.present
            lazily = design.scope.mode == LAZY and row.decode_count > 0
            in_need = lazily and boundary_of(before, after, number, row, design) != ABSENT
        was = before.requests[number]
        filled = in_need and is_filled(was, after.requests[number])
        if event.no_spare and not after.step.asked and any(held == ABSENT for held in was.ring):
            return False
        if event.prepared != launched or event.spare_taken != filled or event.no_spare != (in_need and not filled):
            return False
    return True


@postcondition()
def results_are_reported(before: State, after: State, design: Design) -> bool:
    """A step tells of a result, of a publication and of a request that leaves exactly where there was one."""
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        row = before.batches[0].rows[number]
        processed = is_processed(before, after, number)
        left = was.phase != IDLE and after.requests[number].phase == IDLE
        if event.processed != processed or event.boundary != (processed and row.mark != ABSENT):
            return False
        if event.lookahead != (was.decode_count - row.decode_count if processed else ABSENT):
            return False
        if event.finished != (left and processed) or event.aborted != (left and not processed):
            return False
        if event.published != newly_cached(before, after, was):
            return False
    return True


@postcondition()
def withheld_checkpoints_reported(before: State, after: State, design: Design) -> bool:
    """A checkpoint that is due to the cache, at a finish or by donation, goes there, or the step tells the one reason.

    Nothing is due that a later row is going to overwrite: then the step tells that its publication was refused.
    """
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        row = before.batches[0].rows[number]
        processed = is_processed(before, after, number)
        overwritten = claims_behind(before, number, row.slot, 0) > 0
        owed = was.owed
        if row.mark != ABSENT:
            owed = ABSENT if overwritten else row.mark
        if event.short_key:
            owed = ABSENT
        if event.refused != (processed and row.mark != ABSENT and overwritten):
            return False
        if event.owed != (owed if event.finished else ABSENT):
            return False
        donates = processed and row.decode_count == 0 and row.mark != ABSENT
        due = owed != ABSENT and (event.finished or donates)
        reasons = sum(reason for reason in (event.published != ABSENT, event.key_cached, event.no_replacement))
        if reasons != (1 if due else 0) or (event.no_replacement and event.finished):
            return False
        if event.key_cached and not any(key.family == was.family and key.length == owed for key in after.cached):
            return False
    return True


@postcondition()
def withheld_donations_stay(before: State, after: State, design: Design) -> bool:
    """A donation that does not go to the cache, whatever keeps it back, moves nothing: its slot and its label stay."""
    for number, event in enumerate(after.step.events):
        row = before.batches[0].rows[number]
        now = after.requests[number]
        donates = is_processed(before, after, number) and row.decode_count == 0 and not event.finished
        if donates and event.published == ABSENT:
            if any(was != held for was, held in zip(before.requests[number].ring, now.ring)):
                return False
            if now.last_len != (ABSENT if event.refused else row.mark):
                return False
    return True


@postcondition(short_keys)
def former_label_is_remembered(before: State, after: State, design: Design) -> bool:
    """Eager: a completed checkpoint leaves the label before it in `former`, and a donation leaves none."""
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        completed = is_processed(before, after, number) and before.batches[0].rows[number].mark != ABSENT
        for old, new in zip(was.former, now.former):
            expected = was.last_len if completed and before.batches[0].rows[number].decode_count > 0 else old
            if after.step.events[number].published != ABSENT or now.phase == IDLE:
                expected = ABSENT
            if new != expected:
                return False
    return True


@postcondition()
def reuse_is_reported(before: State, after: State, design: Design) -> bool:
    """A step tells of reuse exactly if a request got a slot that a row in flight was going to write.

    Of the slots that a step hands out, at most one is in flight: the allocator prefers the others.
    """
    reused = False
    taken = 0
    for slot in range(design.scope.slots):
        got = any(owns(now, slot) and not owns(was, slot) for was, now in zip(before.requests, after.requests))
        if got and awaits_write(before, slot):
            reused = True
        if got and in_flight(before, slot):
            taken += 1
    return after.step.reused == reused and taken <= 1


@postcondition()
def dead_state_is_erased(before: State, after: State, design: Design) -> bool:
    """Nothing is known of a free slot that no row in flight reads, nor of rows that have run what nobody will ask.

    That is: where they started from, and everything if their request has left or is not one that the scope names.
    """
    for slot in range(design.scope.slots):
        if after.free[slot] and after.holds[slot].family != ABSENT and not awaits_read(after, slot):
            return False
    for index, batch in enumerate(after.batches):
        if index < after.written and any(text.family != ABSENT for text in batch.others):
            return False
        for request, row in zip(after.requests, batch.rows):
            if row.present and index < after.written:
                if request.phase != RUNNING and row.working != ABSENT:
                    return False
                if row.decode_count == 0 and row.source != ABSENT:
                    return False
    return True


@postcondition()
def cache_stays_in_bounds(before: State, after: State, design: Design) -> bool:
    """A publication leaves no more entries in the cache than it may have."""
    published = any(event.published != ABSENT for event in after.step.events)
    return not published or sum(key.family != ABSENT for key in after.cached) <= design.scope.nodes


def boundary_of(before: State, after: State, number: int, row: Row, design: Design) -> int:
    """Return the boundary that a launched row stands for; ABSENT: it stands for none, or is not there."""
    if not row.present:
        return ABSENT
    if row.decode_count > 0:
        now = after.requests[number]
        return now.seq_len if boundary_behind(design.scope, now, 0) else ABSENT
    # Where boundaries are a free choice, nothing else says what the choice was.
    if design.scope.interval == ANY:
        return row.mark
    return prefill_mark(before, design, number, ABSENT)


def usable_boundary(design: Design, row: Row) -> int:
    """Return the newest boundary below the length of a prefill's prompt: what a repetition of it may hit; 0: none."""
    shorter = row.seq_len - 1
    return shorter - shorter % design.scope.interval


def is_filled(was: Request, now: Request) -> bool:
    """Whether a ring position that was empty holds a slot now."""
    return any(old == ABSENT and new != ABSENT for old, new in zip(was.ring, now.ring))


def is_processed(before: State, after: State, number: int) -> bool:
    """Whether this step processed a row of a running request."""
    running = before.batches[0].rows[number].present and before.requests[number].phase == RUNNING
    return after.pending < before.pending and running


def newly_cached(before: State, after: State, was: Request) -> int:
    """Return the length under which a slot of this ring went to the cache; ABSENT: none did."""
    length = ABSENT
    for key, now, slot in zip(before.cached, after.cached, range(len(after.cached))):
        if key.family == ABSENT and now.family != ABSENT and any(held == slot for held in was.ring):
            length = now.length
    return length


POSTCONDITIONS = (
    every_boundary_is_marked,
    same_prompt_finds_it,
    launches_are_reported,
    results_are_reported,
    withheld_checkpoints_reported,
    withheld_donations_stay,
    former_label_is_remembered,
    reuse_is_reported,
    dead_state_is_erased,
    cache_stays_in_bounds,
)
