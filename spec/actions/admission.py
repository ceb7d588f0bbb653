"""Admission: a request gets its slots and is matched against the cache."""

from __future__ import annotations

from spec.design import Design
from spec.domains import families, prompts, requests, supply_at_admission
from spec.language import action, guard
from spec.rows import has_rows
from spec.scope import EAGER
from spec.slots import NOT_WORTH_CHOOSING, available, is_distinct_choice, take
from spec.state import ADMITTED, IDLE, Family, Length, RequestId, State, Supply


@action(request=requests, family=families, prompt=prompts, supply=supply_at_admission)
def admit(s: State, design: Design, request: RequestId, family: Family, prompt: Length, supply: Supply) -> None:
    """Give `request` a working slot and fill its ring: all P positions (eager) or one (lazy).

    The longest cached prefix shorter than the prompt is what it will copy from; until that copy has been launched,
    `source` locks the cache entry. A name is used again only after its last row has returned.
    """
    me = s.requests[request]
    guard(me.phase == IDLE, "the name is in use; finish or abort the request first, or use another name")
    guard(not has_rows(s, request), "batches with rows of this name are still pending; process them first")
    guard(is_distinct_choice(s, supply), NOT_WORTH_CHOOSING)
    guard(
        available(s, supply) >= design.scope.slots_to_start,
        "too few slots are free to admit it; finish, abort or evict something first, or write a larger slots=",
    )
    me.phase = ADMITTED
    me.family = family
    me.seq_len = prompt
    for slot in range(design.scope.slots):
        if s.cached[slot].family == family and me.prefix < s.cached[slot].length < prompt:
            me.source = slot
            me.prefix = s.cached[slot].length
    me.working = take(s, design, supply)
    for position in range(design.scope.ring):
        if position == 0 or design.scope.mode == EAGER:
            me.ring[position] = take(s, design, supply)
