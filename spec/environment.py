"""All other requests, any number of them, as an environment of the named ones (scope: others=on).

The rules of what any request may do with a slot are written once, below. Of the other requests they are assumed: each
of their actions is guarded by them, and nothing else. Of the named ones they are shown (DISCIPLINE): whatever a named
request does in one step, others could do in a few, first take, publish and give back, then join the batch. So the
environment stands for any number of requests like ours. Whether one is eager or lazy, how long it lives and what text
it computes is left open: everything that the rules allow may happen.
"""

from __future__ import annotations

from spec.choices import families, lengths, watched
from spec.design import Design
from spec.grid import on_grid
from spec.language import ABSENT, action, copy, guard, step
from spec.rows import awaits_write, writes
from spec.slots import forget, give_back
from spec.state import Family, Length, Request, Slot, State, Text

# The rules.


def may_take(s: State, slot: Slot) -> bool:
    """Whether a request may take a slot, to work on or for its ring: any free one."""
    return s.free[slot]


def may_use(s: State, slot: Slot, owns: bool) -> bool:
    """Whether a request may give a slot back, or launch a row that writes it: it owns it, and nobody else does."""
    return owns and not s.free[slot] and s.cached[slot].family == ABSENT


def may_publish(s: State, design: Design, slot: Slot, owns: bool, key: Text) -> bool:
    """Whether a request may hand a slot to the cache: it owns it, its state is there to stay, and the key is new."""
    return (
        may_use(s, slot, owns)
        and key.family != ABSENT
        and on_grid(design.scope, key.length)
        and s.holds[slot] == key
        and not awaits_write(s, slot)
        and not any(other == key for other in s.cached)
    )


# Assumed of the other requests.


@action(slot=watched)
def others_take(s: State, design: Design, slot: Slot) -> None:
    """Another request takes any free slot: to work on, or for its ring."""
    guard(may_take(s, slot))
    s.free[slot] = False
    s.others[slot] = True


@action(slot=watched)
def others_give_back(s: State, design: Design, slot: Slot) -> None:
    """Another request gives a slot back; rows of it may still be in flight."""
    guard(may_use(s, slot, s.others[slot]))
    s.others[slot] = False
    give_back(s, slot)
    forget(s)


@action(slot=watched, family=families, length=lengths)
def others_join(s: State, design: Design, slot: Slot, family: Family, length: Length) -> None:
    """The batch launched last has a row of another request, which writes a state into a slot that it owns."""
    guard(s.pending > s.written)
    guard(may_use(s, slot, s.others[slot]))
    s.batches[s.pending - 1].others[slot] = Text(family, length)


@action(slot=watched)
def others_publish(s: State, design: Design, slot: Slot) -> None:
    """Another request hands a slot to the cache, under the tokens whose state it holds."""
    guard(may_publish(s, design, slot, s.others[slot], s.holds[slot]))
    s.cached[slot] = copy(s.holds[slot])
    s.others[slot] = False


OTHERS = (others_take, others_give_back, others_join, others_publish)


# Shown of the named requests.


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


DISCIPLINE = (takes_only_free, gives_back_only_own, rows_only_for_own_slots, publishes_only_what_is_there)
"""What every step of a named request keeps to, which is what the environment assumes of all other requests."""
