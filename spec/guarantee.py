"""What every step of a named request keeps to: the rules that the environment assumes of all other requests.

Whatever a named request does in one step, others could do in a few: take, publish and give back, then join the batch.
That is what lets the environment stand for any number of requests like ours; so it is the first thing that is shown.
"""

from __future__ import annotations

from spec.design import Design
from spec.environment import may_publish, may_take, may_use
from spec.language import ABSENT, step
from spec.rows import writes
from spec.state import Request, Slot, State


def owns(request: Request, slot: Slot) -> bool:
    """Whether a named request owns a slot: to work on, or in its ring."""
    return request.working == slot or any(held == slot for held in request.ring)


def named_own(s: State, slot: Slot) -> bool:
    """Whether any named request owns a slot."""
    return any(owns(request, slot) for request in s.requests)


def named_step(before: State, after: State) -> bool:
    """Whether a step is one of the named requests: it changes the record of one, launches a batch or processes one."""
    if before.pending != after.pending:
        return True
    return any(was != now for was, now in zip(before.requests, after.requests))


@step()
def takes_only_free(before: State, after: State, design: Design) -> bool:
    """A slot that a named request comes to own was one that anybody might take: it was free."""
    for slot in range(design.scope.slots):
        if named_own(after, slot) and not named_own(before, slot) and not may_take(before, slot):
            return False
    return True


@step()
def gives_back_only_own(before: State, after: State, design: Design) -> bool:
    """A step of a named request frees only what one owned, loses nothing, and leaves alone what others own."""
    if named_step(before, after):
        for slot in range(design.scope.slots):
            if after.free[slot] and not before.free[slot] and not may_use(before, slot, named_own(before, slot)):
                return False
            if named_own(before, slot) and not named_own(after, slot):
                if not after.free[slot] and after.cached[slot].family == ABSENT:
                    return False
        if any(was != now for was, now in zip(before.others, after.others)):
            return False
    return True


@step()
def rows_only_for_own_slots(before: State, after: State, design: Design) -> bool:
    """A row that a step launches writes only slots that its request owns then, and no launched row changes."""
    passed = 1 if after.pending < before.pending else 0
    for index, batch in enumerate(after.batches):
        if after.written <= index < after.pending:
            for number, row in enumerate(batch.rows):
                if row != before.batches[index + passed].rows[number]:
                    for slot in range(design.scope.slots):
                        if writes(row, slot) and not may_use(after, slot, owns(after.requests[number], slot)):
                            return False
    return True


@step()
def publishes_only_what_is_there(before: State, after: State, design: Design) -> bool:
    """A step of a named request changes the cache only by publishing a slot of its own as others might."""
    if named_step(before, after):
        for slot in range(design.scope.slots):
            key = after.cached[slot]
            if key != before.cached[slot] and not may_publish(before, design, slot, named_own(before, slot), key):
                return False
    return True


GUARANTEE = (takes_only_free, gives_back_only_own, rows_only_for_own_slots, publishes_only_what_is_there)
