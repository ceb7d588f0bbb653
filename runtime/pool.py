"""The slots of the state pool: who owns each, in host memory, and never a read of the device.

    free --take--> working | ring position | outside     (admission, a spare, a replacement; whoever else uses the pool)
    ring position --move--> cache                         (publication)
    working | ring position | cache | outside --give_back--> free, at once or once nothing in flight touches the slot

Calls are for whole columns of slots, and a call that is wrong anywhere changes nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from runtime.boundary import ABSENT
from runtime.columns import Ints

FREE, COOLING, WORKING, RING, CACHE, OUTSIDE = range(6)
CLASSES: Final = ("free", "free, still in flight", "working", "ring", "cache", "outside")
"""What an owner report calls each class of owners; COOLING slots are free, but rows in flight still touch them."""


class WrongSlots(RuntimeError):
    """Slots that cannot be given back, moved or taken as asked; the message names slot and owner."""


class SlotPool:
    """Which slots are free, and who owns the others. Slots are 0..slots-1; times are a few numpy calls each."""

    def __init__(self, slots: int, reclaim: Callable[[int], None] | None = None) -> None:
        """Begin with every slot free. `reclaim` is asked for so many more slots when too few are free."""
        self.size = slots
        self.reclaim = reclaim
        self.kind = np.zeros(slots, np.int64)
        """The class of each slot's owner."""
        self.holder = np.full(slots, ABSENT, np.int64)
        """The seat of the request, or the number that the owner goes by; ABSENT for a free slot."""
        self.claims = np.zeros(slots, np.int64)
        """How many pending rows write a mark into each slot."""
        self._free = np.arange(slots - 1, -1, -1)
        self._top = slots
        self._cooling: deque[tuple[int, Ints]] = deque()
        self._places = np.empty(slots, np.int64)

    @property
    def available(self) -> int:
        """How many slots can be taken now."""
        return self._top

    def make_available(self, count: int) -> int:
        """Return how many slots, at most `count`, can be taken now, after asking for them where too few are free."""
        if self._top < count and self.reclaim:
            self.reclaim(count - self._top)
        return min(count, self._top)

    def take(self, count: int, kind: int, holders: Ints | int) -> Ints:
        """Take `count` slots for owners of one class; raises WrongSlots where there are not so many."""
        if not 0 <= count <= self._top:
            raise WrongSlots(f"{count} slots asked for, {self._top} free; ask for what `available` says")
        top = self._top - count
        slots = self._free[top : self._top][::-1].copy()
        # First what can fail: holders that do not fit the count.
        self.holder[slots] = holders
        self.kind[slots] = kind
        self._top = top
        return slots

    def claim(self, slots: Ints) -> None:
        """Note that a row will write each of these slots; a batch never names one twice."""
        self.claims[slots] += 1

    def unclaim(self, slots: Ints) -> None:
        """Note that the result of such a row has been processed."""
        self.claims[slots] -= 1

    def move(self, slots: Ints, kind: int, holder: int) -> None:
        """Move slots from their owners to another one."""
        self.refuse_unowned(slots, "move")
        self.kind[slots] = kind
        self.holder[slots] = holder

    def give_back(self, slots: Ints, after: int = ABSENT) -> None:
        """Move slots to the free list; where `after` is a batch, not before the result of that batch is processed."""
        self.refuse_unowned(slots, "give back")
        self.holder[slots] = ABSENT
        if after == ABSENT:
            self._release(slots)
        else:
            self.kind[slots] = COOLING
            self._cooling.append((after, slots.copy()))

    def settle(self, processed: int) -> None:
        """Let slots that waited for batches up to this one be taken again, in the order in which they came back."""
        while self._cooling and self._cooling[0][0] <= processed:
            self._release(self._cooling.popleft()[1])

    def held_for(self) -> list[int]:
        """Return the batches for whose results slots are held back, in the order in which those slots came back."""
        return [after for after, _ in self._cooling]

    def _release(self, slots: Ints) -> None:
        self.kind[slots] = FREE
        self._free[self._top : self._top + len(slots)] = slots
        self._top += len(slots)

    def refuse_unowned(self, slots: Ints, verb: str) -> None:
        """Raise WrongSlots, before anything has changed, where a slot is foreign, free already, or named twice."""
        if len(slots) == 0:
            return
        if slots.min() < 0 or slots.max() >= self.size:
            wrong = slots[(slots < 0) | (slots >= self.size)][0]
            raise WrongSlots(f"cannot {verb} slot {wrong}: the pool has 0..{self.size - 1}")
        kinds = self.kind[slots]
        if kinds.min() <= COOLING:
            wrong = slots[kinds <= COOLING][0]
            raise WrongSlots(f"cannot {verb} slot {wrong}: it is free already")
        # Whoever is named twice finds the place of the other one.
        places = np.arange(len(slots))
        self._places[slots] = places
        if (self._places[slots] != places).any():
            wrong = slots[self._places[slots] != places][0]
            raise WrongSlots(f"cannot {verb} slot {wrong} twice in one call")

    def owner(self, slot: int, names: Sequence[str] = ()) -> str:
        """Return the class of a slot's owner and who it is; `names`: of requests, by seat."""
        return f"{CLASSES[int(self.kind[slot])]} {self._who(slot, names)}".rstrip()

    def _who(self, slot: int, names: Sequence[str]) -> str:
        kind, holder = int(self.kind[slot]), int(self.holder[slot])
        if kind <= COOLING:
            return ""
        return names[holder] if kind in (WORKING, RING) and holder < len(names) else str(holder)

    def owners(self, names: Sequence[str] = ()) -> dict[str, dict[str, list[int]]]:
        """Return the slots of every class of owners, by owner: the leak report. Together they are the whole pool."""
        report: dict[str, dict[str, list[int]]] = {name: {} for name in CLASSES}
        for slot in range(self.size):
            report[CLASSES[int(self.kind[slot])]].setdefault(self._who(slot, names), []).append(slot)
        return report
