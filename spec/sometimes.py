"""What must be seen at least once, or the check is vacuous. Each says in which scopes it can be seen at all."""

from __future__ import annotations

from spec.applies import lazy, short_keys
from spec.boundary import boundary_behind
from spec.design import Design
from spec.language import ABSENT, sometimes
from spec.rows import awaits_read, claim_pending
from spec.scope import EAGER, LAZY, OVERWRITE
from spec.state import IDLE, RUNNING, State


def _overlapped(design: Design) -> bool:
    return design.scope.lookahead > 0


def _eager_ring(design: Design) -> bool:
    return design.scope.mode == EAGER and design.scope.ring > 1


def _cached(design: Design) -> bool:
    return design.scope.nodes > 0


@sometimes()
def boundary_at_lookahead_0(before: State, after: State, design: Design) -> bool:
    """A boundary row is processed while the request has not moved on."""
    return any(event.boundary and event.lookahead == 0 for event in after.step.events)


@sometimes(_overlapped)
def boundary_at_full_lookahead(before: State, after: State, design: Design) -> bool:
    """A boundary row is processed while the request is L steps ahead of it."""
    return any(event.boundary and event.lookahead == design.scope.lookahead for event in after.step.events)


@sometimes(_overlapped)
def finish_with_a_boundary_pending(before: State, after: State, design: Design) -> bool:
    """A request finishes while a later row of it is still going to write a checkpoint."""
    return any(event.finished and claim_pending(after, number) for number, event in enumerate(after.step.events))


@sometimes(lazy)
def spare_taken(before: State, after: State, design: Design) -> bool:
    """A lazy boundary row gets a spare."""
    return any(event.spare_taken for event in after.step.events)


@sometimes(lazy)
def no_spare(before: State, after: State, design: Design) -> bool:
    """A lazy boundary row finds no spare."""
    return any(event.no_spare for event in after.step.events)


def _gate_can_refuse(design: Design) -> bool:
    return design.scope.mode == LAZY and design.scope.without_spare == OVERWRITE and _overlapped(design)


@sometimes(_gate_can_refuse)
def publication_refused(before: State, after: State, design: Design) -> bool:
    """A completed checkpoint is not published because a later row is going to write its slot."""
    return any(event.refused for event in after.step.events)


@sometimes(_cached)
def key_already_cached(before: State, after: State, design: Design) -> bool:
    """A publication finds its key in the cache."""
    return any(event.key_cached for event in after.step.events)


@sometimes(_cached)
def cache_hit(before: State, after: State, design: Design) -> bool:
    """A prefill starts from a cached state."""
    return any(was.source != ABSENT and event.prepared for was, event in zip(before.requests, after.step.events))


@sometimes(_cached)
def evicted_under_a_read(before: State, after: State, design: Design) -> bool:
    """A cache entry is evicted while a launched row is still going to start from its slot."""
    return any(
        was.family != ABSENT and now.family == ABSENT and awaits_read(after, slot)
        for slot, (was, now) in enumerate(zip(before.cached, after.cached))
    )


@sometimes()
def donation_without_replacement(before: State, after: State, design: Design) -> bool:
    """A donation finds no slot to put in the place of the one that it would give away."""
    return any(event.no_replacement for event in after.step.events)


def _names_compete(design: Design) -> bool:
    return design.scope.requests > 1


@sometimes(_names_compete)
def reused_under_a_write(before: State, after: State, design: Design) -> bool:
    """A freed slot is handed out while an unwritten row still targets it."""
    return after.step.reused


@sometimes(_eager_ring)
def ring_wrapped(before: State, after: State, design: Design) -> bool:
    """The producer position comes round to 0 again."""
    return any(
        was.next > 0 and now.next == 0 and now.working != ABSENT for was, now in zip(before.requests, after.requests)
    )


@sometimes()
def batch_of_nobody_named(before: State, after: State, design: Design) -> bool:
    """A batch is launched that has no row of a named request, while one of them is idle."""
    if before.pending < after.pending and any(request.phase == IDLE for request in after.requests):
        return not any(row.present for row in after.batches[before.pending].rows)
    return False


def _has_a_boundary(design: Design) -> bool:
    return design.scope.interval <= design.scope.max_len


def _has_gaps(design: Design) -> bool:
    return design.scope.interval != 1


def _goes_past_a_boundary(design: Design) -> bool:
    return _has_gaps(design) and max(design.scope.interval, 1) < design.scope.max_len


@sometimes(_has_a_boundary)
def prompt_marked_at_its_end(before: State, after: State, design: Design) -> bool:
    """The mark of a prefill is the whole prompt."""
    return launches_prefill(before, after, True)


@sometimes(_has_gaps)
def prompt_without_a_mark(before: State, after: State, design: Design) -> bool:
    """A prefill is launched that marks nothing."""
    return launches_prefill(before, after, False)


@sometimes(_goes_past_a_boundary)
def decode_off_a_boundary(before: State, after: State, design: Design) -> bool:
    """A request that stands at a boundary decodes to a length that is none."""
    return any(
        was.phase == RUNNING
        and was.seq_len < now.seq_len
        and boundary_behind(design.scope, was, 0)
        and not boundary_behind(design.scope, now, 0)
        for was, now in zip(before.requests, after.requests)
    )


def launches_prefill(before: State, after: State, marked: bool) -> bool:
    """Whether this step launches a prefill that marks its whole prompt, or one that marks nothing."""
    if before.pending < after.pending:
        for row in after.batches[before.pending].rows:
            if row.present and row.decode_count == 0 and row.mark == (row.seq_len if marked else ABSENT):
                return True
    return False


@sometimes(short_keys)
def output_cut(before: State, after: State, design: Design) -> bool:
    """A request ends whose output is cut below its newest checkpoint."""
    return any(event.short_key for event in after.step.events)


SOMETIMES = (
    boundary_at_lookahead_0,
    boundary_at_full_lookahead,
    finish_with_a_boundary_pending,
    spare_taken,
    no_spare,
    publication_refused,
    key_already_cached,
    cache_hit,
    evicted_under_a_read,
    donation_without_replacement,
    reused_under_a_write,
    ring_wrapped,
    batch_of_nobody_named,
    prompt_marked_at_its_end,
    prompt_without_a_mark,
    decode_off_a_boundary,
    output_cut,
)
