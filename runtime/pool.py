"""The slots of the state pool: who owns each, in host memory, and never a read of the device.

    free --take--> working | ring position | outside     (admission, a spare, a replacement; whoever else uses the pool)
    ring position --move--> cache                         (publication)
    working | ring position | cache | outside --give_back--> free, at once or once nothing in flight touches the slot

Calls are for whole columns of slots, and a call that is wrong anywhere changes nothing. Who gives slots back, or moves
them, says whose they are, as class and holder: slots that have gone to somebody else meanwhile are refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from runtime import arguments
from runtime.boundary import ABSENT
from runtime.columns import Ints
from runtime.guard import Guard

FREE, COOLING, WORKING, RING, CACHE, OUTSIDE = range(6)
CLASSES: Final = ("free", "free, still in flight", "working", "ring", "cache", "outside")
"""What an owner report calls each class of owners; COOLING slots are free, but rows in flight still touch them."""


class WrongSlots(RuntimeError):
    """Slots that cannot be given back, moved or taken as asked; the message names slot and owner."""


class SlotPool:
    """Which slots are free, and who owns the others. Slots are 0..slots-1; times are a few numpy calls each."""

    def __init__(
        self,
        slots: int,
        reclaim: Callable[[int], None] | None = None,
        reclaimable: Callable[[int], Sequence[int]] | None = None,
        guard: Guard | None = None,
    ) -> None:
        """Begin with every slot free.

        `reclaim` is asked for so many more slots when too few are free, and `reclaimable` which ones these would be.
        """
        self.size = arguments.whole(slots, "slots of a pool", least=1)
        self.reclaim = reclaim
        self._reclaimable = reclaimable or (lambda missing: ())
        self.guard = guard or Guard()
        self.names: Sequence[str] = ()
        """Of requests, by seat, for whoever is told an owner."""
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
        self._numbers = np.arange(slots)

    @property
    def available(self) -> int:
        """How many slots can be taken now."""
        return self._top

    def make_available(self, count: int) -> int:
        """Return how many slots, at most `count`, can be taken now, after asking for them where too few are free."""
        self.guard.check_thread()
        arguments.whole(count, "a count of slots")
        if self._top < count and self.reclaim:
            self.reclaim(count - self._top)
        return min(count, self._top)

    def foresee(self, count: int) -> Ints:
        """Return the slots that `make_available(count)` and then a `take` of that many would bring; nothing changes."""
        free = self._free[max(0, self._top - count) : self._top]
        if self._top < count and self.reclaim:
            free = np.concatenate((free, np.array(self._reclaimable(count - self._top), np.int64)))
        return free[::-1].copy()

    def take(self, count: int, kind: int, holders: Ints | int) -> Ints:
        """Take `count` slots for owners of one class; raises WrongSlots where there are not so many.

        holders: by seat or number, 0 or more; one for all slots, or int64 of shape [count].
        """
        self.guard.check_thread()
        arguments.whole(count, "a count of slots")
        arguments.whole(kind, "the class of an owner", WORKING, OUTSIDE + 1)
        _refuse_owner(kind, holders, count)
        if type(holders) is np.ndarray and np.count_nonzero(holders < 0):
            raise arguments.BadArgument(f"the holders of slots: {holders.min()}; write whole numbers of at least 0")
        if not 0 <= count <= self._top:
            raise WrongSlots(f"{count} slots asked for, {self._top} free; ask for what `available` says")
        return self.hand_out(count, kind, holders)

    def hand_out(self, count: int, kind: int, holders: Ints | int) -> Ints:
        """The same for a caller who knows that there are so many, and what it asks for."""
        top = self._top - count
        slots = self._free[top : self._top][::-1].copy()
        self.holder[slots] = holders
        self.kind[slots] = kind
        self._top = top
        return slots

    def claim(self, slots: Ints) -> None:
        """Note that a row will write each of these slots; a batch never names one twice. The rows are the engine's."""
        self.claims[arguments.ints(slots, "slots to claim")] += 1

    def unclaim(self, slots: Ints) -> None:
        """Note that the result of such a row has been processed; raises WrongSlots where no row was noted."""
        left = self.claims[arguments.ints(slots, "slots to unclaim")] - 1
        if len(left) and left[left.argmin()] < 0:
            raise WrongSlots(f"cannot unclaim slot {slots[left < 0][0]}: no row is going to write it")
        self.claims[slots] = left

    def move(self, slots: Ints, kind: int, holder: int, to_kind: int, to_holder: int) -> None:
        """Move slots that belong to one owner to another one."""
        self.guard.check_thread()
        arguments.whole(to_kind, "the class of an owner", WORKING, OUTSIDE + 1)
        arguments.whole(to_holder, "the holder of slots", least=0)
        self.refuse_unowned(slots, "move", kind, holder)
        self.kind[slots] = to_kind
        self.holder[slots] = to_holder

    def give_back(self, slots: Ints, kind: Ints | int, holder: Ints | int, after: int = ABSENT) -> None:
        """Move slots to the free list; where `after` is a batch, not before the result of that batch is processed.

        kind, holder: whose they are, as they were taken; one for all slots, or int64 of shape [slots].
        """
        self.guard.check_thread()
        arguments.whole(after, "the batch to wait for", least=ABSENT)
        self.refuse_unowned(slots, "give back", kind, holder)
        self.put_back(slots, after)

    def put_back(self, slots: Ints, after: int) -> None:
        """The same for slots that `refuse_unowned` has just let pass."""
        self.holder[slots] = ABSENT
        if after == ABSENT:
            self._release(slots)
        else:
            self.kind[slots] = COOLING
            self._cooling.append((after, slots.copy()))

    def advance_to(self, processed: int) -> None:
        """Let slots that waited for batches up to this one be taken again, in the order in which they came back.

        The engine says it with each result; nobody else knows.
        """
        self.guard.check_thread()
        arguments.whole(processed, "the newest processed batch", least=ABSENT)
        while self._cooling and self._cooling[0][0] <= processed:
            self._release(self._cooling.popleft()[1])

    def held_for(self) -> list[int]:
        """Return the batches for whose results slots are held back, in the order in which those slots came back."""
        return [after for after, _ in self._cooling]

    def _release(self, slots: Ints) -> None:
        self.kind[slots] = FREE
        self._free[self._top : self._top + len(slots)] = slots
        self._top += len(slots)

    def refuse_unowned(self, slots: Ints, verb: str, kind: Ints | int, holder: Ints | int) -> None:
        """Raise WrongSlots, before anything has changed, where slots are not what the owner may pass on.

        That is: no slots of this pool, free already, somebody else's, or named twice.
        """
        arguments.ints(slots, f"slots to {verb}")
        _refuse_owner(kind, holder, len(slots))
        if len(slots) == 0:
            return
        # Read as unsigned numbers, those below 0 are beyond the pool as well.
        beyond = slots.view(np.uint64) >= self.size
        if np.count_nonzero(beyond):
            raise WrongSlots(f"cannot {verb} slot {slots[beyond][0]}: the pool has 0..{self.size - 1}")
        kinds = self.kind[slots]
        foreign = (kinds != kind) | (self.holder[slots] != holder)
        if np.count_nonzero(foreign):
            free = kinds <= COOLING
            if free.any():
                raise WrongSlots(f"cannot {verb} slot {slots[free][0]}: it is free already")
            place = int(foreign.argmax())
            wanted = [int(np.broadcast_to(of, len(slots))[place]) for of in (kind, holder)]
            raise WrongSlots(
                f"cannot {verb} slot {slots[place]}: it belongs to {self.owner(int(slots[place]))}, "
                f"not to {self._named(*wanted)}"
            )
        # Whoever is named twice finds the place of the other one.
        places = self._numbers[: len(slots)]
        self._places[slots] = places
        twice = self._places[slots] != places
        if np.count_nonzero(twice):
            wrong = slots[twice][0]
            raise WrongSlots(f"cannot {verb} slot {wrong} twice in one call")

    def owner(self, slot: int) -> str:
        """Return the class of a slot's owner and who it is."""
        arguments.whole(slot, "a slot", 0, self.size)
        return self._named(int(self.kind[slot]), int(self.holder[slot]))

    def _named(self, kind: int, holder: int) -> str:
        return f"{CLASSES[kind]} {self._who(kind, holder)}".rstrip()

    def _who(self, kind: int, holder: int) -> str:
        if kind <= COOLING:
            return ""
        return self.names[holder] if kind in (WORKING, RING) and holder < len(self.names) else str(holder)

    def owners(self) -> dict[str, dict[str, list[int]]]:
        """Return the slots of every class of owners, by owner: the leak report. Together they are the whole pool."""
        report: dict[str, dict[str, list[int]]] = {name: {} for name in CLASSES}
        for slot, (kind, holder) in enumerate(zip(self.kind.tolist(), self.holder.tolist(), strict=True)):
            report[CLASSES[kind]].setdefault(self._who(kind, holder), []).append(slot)
        return report


def _refuse_owner(kinds: Ints | int, holders: Ints | int, count: int) -> None:
    """Raise BadArgument where these are no classes and holders of so many slots."""
    if type(kinds) is np.ndarray:
        arguments.ints(kinds, "the classes of owners", count)
    else:
        arguments.whole(kinds, "the class of an owner", WORKING, OUTSIDE + 1)
    if type(holders) is np.ndarray:
        arguments.ints(holders, "the holders of slots", count)
    else:
        arguments.whole(holders, "the holder of slots", least=0)
