"""Decode, preparation: every request of the batch moves one token ahead; a boundary row claims its position."""

from __future__ import annotations

from spec.boundary import decode_mark, remember, within_gap_rule
from spec.design import Design
from spec.domains import boundaries, rows, spare_orders, supply_of_spares
from spec.language import ABSENT, action, guard
from spec.ring import advance, claim_lazily
from spec.rows import row_of
from spec.scope import ANY, EAGER, LAZY
from spec.slots import NOT_ASKED, NOT_WORTH_CHOOSING, is_distinct_choice
from spec.state import RUNNING, RequestId, Row, State, Supply


@action(rows=rows, order=spare_orders, boundaries=boundaries, supply=supply_of_spares)
def prepare(
    s: State,
    design: Design,
    rows: tuple[bool, ...],
    order: tuple[RequestId, ...],
    boundaries: tuple[bool, ...],
    supply: Supply,
) -> None:
    """Prepare and launch a decode batch of any running requests, none of them included."""
    scope = design.scope
    guard(s.pending < scope.window, "L + 1 batches are pending already; process one first")
    guard(is_distinct_choice(s, supply), NOT_WORTH_CHOOSING)
    for request in order:
        guard(rows[request] or not boundaries[request], "a boundary needs a row; name the request in the batch as well")
        if rows[request]:
            guard(
                s.requests[request].phase == RUNNING,
                "a decode needs a running request; prefill it first, alone on its line",
            )
            guard(s.requests[request].seq_len < scope.max_len, "it has reached max_len; write a larger max_len=")
            if scope.interval == ANY and boundaries[request]:
                guard(
                    within_gap_rule(scope, s.requests[request]),
                    "the gap rule forbids one more boundary among its last L + 1 lengths; leave `boundary` out",
                )
    for request in order:
        if rows[request]:
            s.batches[s.pending].rows[request] = decode_row(s, design, request, boundaries[request], supply)
            s.step.events[request].prepared = True
    s.pending += 1
    guard(supply == ABSENT or s.step.asked, NOT_ASKED)


def decode_row(s: State, design: Design, request: RequestId, boundary: bool, supply: Supply) -> Row:
    """Move the request one token ahead, make its claim if that is a boundary, and return the row that records it."""
    scope = design.scope
    me = s.requests[request]
    me.seq_len += 1
    me.decode_count += 1
    mark = decode_mark(scope, me, boundary)
    remember(scope, me, mark)
    if scope.mode == LAZY and mark != ABSENT:
        mark = claim_lazily(s, design, request, mark, supply)
    row = row_of(me, me.decode_count, source=me.working, start=me.seq_len - 1, mark=mark)
    if scope.mode == EAGER and mark != ABSENT:
        advance(scope, me, design.flips_at_preparation(row))
    return row
