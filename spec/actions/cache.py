"""The cache gives a slot up."""

from __future__ import annotations

from spec.design import Design
from spec.domains import slots
from spec.language import ABSENT, action, guard
from spec.slots import erase_dead_state, give_back, locked
from spec.state import Slot, State, Text


@action(slot=slots)
def evict(s: State, design: Design, slot: Slot) -> None:
    """Evict the cache entry in `slot`, unless an admitted request is going to copy from it."""
    guard(s.cached[slot].family != ABSENT, "this slot is not cached; name one that is")
    guard(not locked(s, slot), "an admitted request is going to copy from it; prefill that first")
    s.cached[slot] = Text()
    give_back(s, slot)
    erase_dead_state(s)
