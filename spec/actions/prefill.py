"""Prefill: the whole prompt in one chunk, as a batch of its own."""

from __future__ import annotations

from spec.boundary import prefill_mark, remember_prompt
from spec.design import Design
from spec.domains import prefill_marks, requests
from spec.language import ABSENT, action, guard
from spec.ring import advance
from spec.rows import row_of
from spec.scope import EAGER
from spec.state import ADMITTED, RUNNING, Length, RequestId, State


@action(request=requests, choice=prefill_marks)
def prefill(s: State, design: Design, request: RequestId, choice: Length) -> None:
    """Prepare and launch the prefill of an admitted request; its mark claims the position `next`."""
    scope = design.scope
    me = s.requests[request]
    guard(me.phase == ADMITTED, "it is not waiting for its prefill; admit it first, and prefill it once")
    guard(s.pending < scope.window, "L + 1 batches are pending already; process one first")
    mark = prefill_mark(s, design, request, choice)
    remember_prompt(scope, me, mark)
    row = row_of(me, 0, source=me.source, start=me.prefix, mark=mark)
    if mark != ABSENT:
        if design.names_prefill_at_preparation():
            me.last = me.next
            me.last_len = mark
        if scope.mode == EAGER:
            advance(scope, me, design.flips_at_preparation(row))
    s.batches[s.pending].rows[request] = row
    s.pending += 1
    me.phase = RUNNING
    me.source = ABSENT
    me.prefix = 0
    s.step.events[request].prepared = True
