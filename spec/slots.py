"""Moving slots between owners.

Every slot has one owner: the free list, a request's working slot, a ring position, or the cache.

    free --take--> working | ring position          (admission, a lazy spare, a donation's replacement)
    ring position --publish--> cache --evict--> free
    working | ring position --give_back--> free      (finish, abort, the former `last` of a lazy request)
"""

from __future__ import annotations

from typing import Final

from spec.design import Design
from spec.language import ABSENT, guard, new, require
from spec.rows import awaits_read, awaits_write, in_flight
from spec.state import EXHAUSTED, RUNNING, Length, Request, RequestId, Slot, State, Supply, Text, spent_row

NOT_WORTH_CHOOSING: Final = (
    "`taking slot N` is for a free slot that an unwritten row still targets, and this one is not; leave it out"
)
NOT_ASKED: Final = "nothing in this step asks for a slot, so it says nothing about what is free; leave that clause out"
"""Why an action that may say what the allocator has to give may not happen with this supply."""


def take(s: State, design: Design, supply: Supply) -> Slot:
    """Move a slot out of the free list and return it; ABSENT when the design's allocator has none to give."""
    s.step.asked = True
    slot = design.pick(s, supply)
    if slot != ABSENT:
        if awaits_write(s, slot):
            s.step.reused = True
        s.free[slot] = False
    return slot


def give_back(s: State, slot: Slot) -> None:
    """Move a slot into the free list. The absent marker has no place there, and no slot enters it twice."""
    require(slot != ABSENT, "one-owner")
    require(not s.free[slot], "one-owner")
    s.free[slot] = True


def is_distinct_choice(s: State, supply: Supply) -> bool:
    """Whether this supply says anything: a slot is named only if it is free and still in flight."""
    return supply == ABSENT or supply == EXHAUSTED or (s.free[supply] and in_flight(s, supply))


def available(s: State, supply: Supply) -> int:
    """Return how many slots the allocator would hand out with this supply."""
    return sum(s.free[slot] and (slot == supply or not in_flight(s, slot)) for slot in range(len(s.free)))


def publish(s: State, design: Design, request: RequestId, slot: Slot, length: Length) -> None:
    """Move a slot of `request` to the cache, under the first `length` tokens of its text."""
    guard(
        sum(key.family != ABSENT for key in s.cached) < design.scope.nodes,
        "the cache is full and something would be published; evict first, or write a larger nodes=",
    )
    require(s.cached[slot].family == ABSENT, "one-owner")
    s.cached[slot] = Text(s.requests[request].family, length)
    s.step.events[request].published = length


def release(s: State, design: Design, request: RequestId) -> None:
    """Give back all that the request still owns, and make its record an idle one: every way out ends here."""
    me = s.requests[request]
    give_back(s, me.working)
    for position in range(design.scope.ring):
        if me.ring[position] != ABSENT:
            give_back(s, me.ring[position])
    s.requests[request] = new(Request, design.scope)


def erase_dead_state(s: State) -> None:
    """Drop what nobody will ask for again, so that nothing comes to rely on it, and states that differ in it are one.

    That is what free slots hold, unless a launched row still reads it; and of rows that have run, where they started
    from, and everything if their request has left or is not one that the scope names.
    """
    for slot in range(len(s.free)):
        if s.free[slot] and not awaits_read(s, slot):
            s.holds[slot] = Text()
    for index, batch in enumerate(s.batches):
        if index < s.written:
            for slot in range(len(batch.others)):
                batch.others[slot] = Text()
            for request, row in enumerate(batch.rows):
                if row.present and s.requests[request].phase != RUNNING:
                    batch.rows[request] = spent_row()
                elif row.present and row.decode_count == 0:
                    row.source = ABSENT
                    row.start = 0


def key_cached(s: State, request: RequestId, length: Length) -> bool:
    """Whether the cache already has an entry under the first `length` tokens of the request's text."""
    return any(key.family == s.requests[request].family and key.length == length for key in s.cached)


def locked(s: State, slot: Slot) -> bool:
    """Whether an admitted request is going to copy from the cache entry in `slot`: it must not be evicted."""
    return any(request.source == slot for request in s.requests)
