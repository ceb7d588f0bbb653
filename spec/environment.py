"""All other requests, any number of them, as an environment of the named ones (scope: others=on).

What is assumed of them is what is shown of our own requests (one-owner, distinct-targets, cached-is-written): they
take only free slots, give back only what they own, have rows only for slots that they own, and publish only a slot
that holds its label's state and that nothing in flight will change. Whether such a request is eager or lazy, how long
it lives and what text it computes is left open: everything that these rules allow may happen.
"""

from __future__ import annotations

from spec.choices import families, lengths, watched
from spec.design import Design
from spec.grid import on_grid
from spec.language import ABSENT, action, copy, guard
from spec.rows import awaits_write
from spec.slots import forget, give_back
from spec.state import Family, Length, Slot, State, Text


@action(slot=watched)
def others_take(s: State, design: Design, slot: Slot) -> None:
    """Another request takes any free slot: to work on, or for its ring."""
    guard(s.free[slot])
    s.free[slot] = False
    s.others[slot] = True


@action(slot=watched)
def others_give_back(s: State, design: Design, slot: Slot) -> None:
    """Another request gives a slot back; rows of it may still be in flight."""
    guard(s.others[slot])
    s.others[slot] = False
    give_back(s, slot)
    forget(s)


@action(slot=watched, family=families, length=lengths)
def others_join(s: State, design: Design, slot: Slot, family: Family, length: Length) -> None:
    """The batch launched last has a row of another request, which writes a state into a slot that it owns."""
    guard(s.pending > s.written)
    guard(s.others[slot])
    s.batches[s.pending - 1].others[slot] = Text(family, length)


@action(slot=watched)
def others_publish(s: State, design: Design, slot: Slot) -> None:
    """Another request hands a slot to the cache, under the tokens whose state it holds."""
    guard(s.others[slot])
    guard(s.holds[slot].family != ABSENT)
    guard(on_grid(design.scope, s.holds[slot].length))
    guard(not awaits_write(s, slot))
    guard(not any(key == s.holds[slot] for key in s.cached))
    s.cached[slot] = copy(s.holds[slot])
    s.others[slot] = False


OTHERS = (others_take, others_give_back, others_join, others_publish)
