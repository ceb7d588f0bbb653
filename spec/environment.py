"""All other requests, any number of them, as an environment of the named ones (scope: others=on).

The rules of what any request may do with a slot are written once, below. Of the other requests they are assumed: each
of their actions is guarded by them, and nothing else. Of the named ones they are shown (spec/guarantee.py). Whether
another request is eager or lazy, how long it lives and what text it computes is left open: everything that the rules
allow may happen.
"""

from __future__ import annotations

from spec.boundary import on_grid
from spec.design import Design
from spec.domains import families, lengths, others, slots
from spec.language import ABSENT, action, copy, guard
from spec.rows import awaits_write
from spec.slots import erase_dead_state, give_back
from spec.state import Family, Length, Slot, State, Text

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


@action(others, slot=slots)
def others_take(s: State, design: Design, slot: Slot) -> None:
    """Another request takes any free slot: to work on, or for its ring."""
    guard(may_take(s, slot), "the slot is not free")
    s.free[slot] = False
    s.others[slot] = True


@action(others, slot=slots)
def others_give_back(s: State, design: Design, slot: Slot) -> None:
    """Another request gives a slot back; rows of it may still be in flight."""
    guard(may_use(s, slot, s.others[slot]), "no other request owns the slot")
    s.others[slot] = False
    give_back(s, slot)
    erase_dead_state(s)


@action(others, slot=slots, family=families, length=lengths)
def others_join(s: State, design: Design, slot: Slot, family: Family, length: Length) -> None:
    """The batch launched last has a row of another request, which writes a state into a slot that it owns."""
    guard(s.pending > s.written, "every launched batch has run: there is none to join")
    guard(may_use(s, slot, s.others[slot]), "no other request owns the slot")
    s.batches[s.pending - 1].others[slot] = Text(family, length)


@action(others, slot=slots)
def others_publish(s: State, design: Design, slot: Slot) -> None:
    """Another request hands a slot to the cache, under the tokens whose state it holds."""
    guard(
        may_publish(s, design, slot, s.others[slot], s.holds[slot]),
        "no other request owns the slot, its state is not there to stay, or its key is cached already",
    )
    s.cached[slot] = copy(s.holds[slot])
    s.others[slot] = False


OTHERS = (others_take, others_give_back, others_join, others_publish)
