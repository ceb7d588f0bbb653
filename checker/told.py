"""What our own design does, step by step, stated a second time: only mutants of the spec are held against it.

The properties in spec/properties.py say what no design may do; a mutant may keep them all and still do less than the
protocol promises, or tell of a step what it did not do (timelines, traces and every *sometimes* go by that). Here each
change of a label, a ring or an event is tied to the states before and after. The text is read like the spec's.
"""

from __future__ import annotations

from spec.design import Design
from spec.language import ABSENT, always, sometimes, step
from spec.rows import awaits_read, awaits_write
from spec.scope import ANY, LAZY, OFF, OVERWRITE, Scope
from spec.state import ADMITTED, IDLE, RUNNING, Request, Row, State


def returned(before: State, after: State, number: int) -> bool:
    """Whether this step processed a row of a running request."""
    running = before.batches[0].rows[number].present and before.requests[number].phase == RUNNING
    return after.pending < before.pending and running


def claimed_later(before: State, number: int, row: Row) -> bool:
    """Whether a row of the request that is behind the oldest batch writes into the slot of this row's mark."""
    return any(
        index > 0 and batch.rows[number].mark != ABSENT and batch.rows[number].slot == row.slot
        for index, batch in enumerate(before.batches)
    )


def at_boundary(scope: Scope, me: Request) -> bool:
    """Whether the request's own length is a boundary."""
    return me.recent[0] if scope.interval == ANY else me.seq_len % scope.interval == 0


def newest_boundary(scope: Scope, row: Row) -> int:
    """Return the mark that a prefill has with a fixed interval."""
    newest = row.seq_len - row.seq_len % scope.interval
    return newest if newest > row.start else ABSENT


@step()
def launches_as_told(before: State, after: State, design: Design) -> bool:
    """A preparation marks every boundary that it can, fills a lazy ring where a spare is had, and says so."""
    scope = design.scope
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        now = after.requests[number]
        launched = False
        mark = ABSENT
        wanted = ABSENT
        for index, batch in enumerate(after.batches):
            if before.pending <= index < after.pending:
                row = batch.rows[number]
                launched = row.present
                mark = row.mark
                if row.present and row.decode_count > 0:
                    wanted = now.seq_len if at_boundary(scope, now) else ABSENT
                elif row.present:
                    wanted = row.mark if scope.interval == ANY else newest_boundary(scope, row)
        decoded = launched and was.phase == RUNNING
        filled = launched and any(held == ABSENT and now.ring[place] != ABSENT for place, held in enumerate(was.ring))
        unspared = decoded and scope.mode == LAZY and wanted != ABSENT and not filled
        if event.prepared != launched or event.spare_taken != filled or event.no_spare != unspared:
            return False
        if mark != (ABSENT if unspared and scope.without_spare != OVERWRITE else wanted):
            return False
    return True


@step()
def results_as_told(before: State, after: State, design: Design) -> bool:
    """What a step tells of a result, of a publication and of a request that leaves is what it did."""
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        row = before.batches[0].rows[number]
        processed = returned(before, after, number)
        left = was.phase != IDLE and after.requests[number].phase == IDLE
        published = ABSENT
        for slot in range(design.scope.slots):
            if before.cached[slot].family == ABSENT and after.cached[slot].family != ABSENT:
                if any(held == slot for held in was.ring):
                    published = after.cached[slot].length
        if event.processed != processed or event.boundary != (processed and row.mark != ABSENT):
            return False
        if event.lookahead != (was.decode_count - row.decode_count if processed else ABSENT):
            return False
        if event.finished != (left and processed) or event.aborted != (left and not processed):
            return False
        if event.published != published:
            return False
    return True


@step()
def publications_as_told(before: State, after: State, design: Design) -> bool:
    """A checkpoint that is owed at a finish, or donated, is published, or one reason why not is told."""
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        row = before.batches[0].rows[number]
        processed = returned(before, after, number)
        later = claimed_later(before, number, row)
        owed = was.owed
        if row.mark != ABSENT:
            owed = ABSENT if later else row.mark
        if event.owed != (owed if event.finished else ABSENT):
            return False
        if event.refused != (processed and row.mark != ABSENT and later):
            return False
        offered = ABSENT
        if event.finished or (processed and row.decode_count == 0 and row.mark != ABSENT):
            offered = owed
        told = 0
        for reason in (event.published != ABSENT, event.key_cached, event.no_replacement):
            if reason:
                told += 1
        if told != (1 if offered != ABSENT else 0):
            return False
        if event.no_replacement and event.finished:
            return False
        if event.key_cached:
            if not any(key.family == was.family and key.length == offered for key in after.cached):
                return False
    return True


@step()
def label_moves_as_told(before: State, after: State, design: Design) -> bool:
    """The label moves to a row's mark when its result is processed; it goes only with its slot, or its contents."""
    for number, event in enumerate(after.step.events):
        was = before.requests[number]
        now = after.requests[number]
        row = before.batches[0].rows[number]
        if was.phase == RUNNING and now.phase == RUNNING:
            last = was.last
            label = was.last_len
            if returned(before, after, number) and row.mark != ABSENT:
                last = row.position
                label = ABSENT if event.published != ABSENT or claimed_later(before, number, row) else row.mark
            for index, batch in enumerate(after.batches):
                # An eager ring too short to keep claims and label apart leaves the label standing (ring size).
                if design.scope.mode == LAZY and before.pending <= index < after.pending:
                    if batch.rows[number].mark != ABSENT and batch.rows[number].position == was.last:
                        label = ABSENT
            if now.last != last or now.last_len != label:
                return False
    return True


@step()
def admissions_as_told(before: State, after: State, design: Design) -> bool:
    """An admission copies from the longest cached proper prefix of its prompt."""
    for number, was in enumerate(before.requests):
        now = after.requests[number]
        if was.phase == IDLE and now.phase == ADMITTED:
            for key in before.cached:
                if key.family == now.family and now.prefix < key.length < now.seq_len:
                    return False
    return True


@step()
def reuse_as_told(before: State, after: State, design: Design) -> bool:
    """A step tells of reuse exactly if a request got a slot that an unwritten row was going to write."""
    reused = False
    for number, was in enumerate(before.requests):
        now = after.requests[number]
        for slot in range(design.scope.slots):
            had = was.working == slot or any(held == slot for held in was.ring)
            has = now.working == slot or any(held == slot for held in now.ring)
            if has and not had and awaits_write(before, slot):
                reused = True
    return after.step.reused == reused


@always()
def nothing_is_remembered(s: State, design: Design) -> bool:
    """Nothing is known of a free slot that no launched row reads, nor of a row that has run for one who has left."""
    for slot in range(design.scope.slots):
        if s.free[slot] and s.holds[slot].family != ABSENT and not awaits_read(s, slot):
            return False
    for index, batch in enumerate(s.batches):
        for number, row in enumerate(batch.rows):
            if row.present and index < s.written:
                if s.requests[number].phase != RUNNING and row.working != ABSENT:
                    return False
                if row.decode_count == 0 and row.source != ABSENT:
                    return False
    return True


def _alone(design: Design) -> bool:
    return design.scope.others == OFF


@always(_alone)
def cache_is_bounded(s: State, design: Design) -> bool:
    """The cache has at most as many entries as it may have."""
    return sum(key.family != ABSENT for key in s.cached) <= design.scope.nodes


@sometimes()
def batch_without_our_rows(before: State, after: State, design: Design) -> bool:
    """A batch is launched that has no row of a named request, while one of them does not run."""
    rows = any(any(row.present for row in batch.rows) for batch in after.batches)
    idle = any(request.phase == IDLE for request in after.requests)
    return before.pending < after.pending and idle and not rows


@sometimes()
def prompt_marked_at_its_end(before: State, after: State, design: Design) -> bool:
    """The mark of a prefill is the whole prompt."""
    seen = False
    for index, batch in enumerate(after.batches):
        if before.pending <= index < after.pending:
            if any(row.present and row.decode_count == 0 and row.mark == row.seq_len for row in batch.rows):
                seen = True
    return seen


TOLD = (
    launches_as_told,
    results_as_told,
    publications_as_told,
    label_moves_as_told,
    admissions_as_told,
    reuse_as_told,
    nothing_is_remembered,
    cache_is_bounded,
    batch_without_our_rows,
    prompt_marked_at_its_end,
)
