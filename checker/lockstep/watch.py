"""What is watched of each step: contents at publications and hits, and which entries the cache gives up.

All that a step has done is reported when it is complete, in the order in which it was done.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

from checker.lockstep.runtime_invariants import rows_in_flight, touched
from checker.lockstep.view import View
from checker.traces.recorder import Recorder
from runtime.boundary import ABSENT
from runtime.columns import Ints
from runtime.observer import Observer
from spec.state import Slot


class Watch(Observer):
    """Looks at what a slot holds whenever it is published or hit: by then the device has written it.

    And it keeps the order in which the cache's entries have been used by what is reported to it, so that a use that the
    cache forgets, or an eviction of another entry than the one used longest ago, is seen in the step that does it.
    """

    view: View

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.used: OrderedDict[tuple[int, int], Slot] = OrderedDict()
        """The keys of the cache with their slots, the one used longest ago first."""
        self.evicted = 0
        """How many entries the cache has given up."""
        self.locked: set[Slot] = set()
        """What admitted requests are going to copy from, as the spec has it; set before each step."""
        self.launched = 0
        """How many batches had been launched before this step: by the time it is reported, its own is in flight."""
        self.asked_for: Slot = ABSENT
        """The slot that this step evicts because a step says so; what else goes is the cache's own choice."""

    def admit(self, seat: int) -> None:
        """Look at the slot that an admission is going to copy from."""
        table = self.view.engine.table
        if table.source[seat] != ABSENT:
            self._look("hit", seat, int(table.source[seat]), int(table.prefix[seat]))
            self._use((self.view.family(seat), int(table.prefix[seat])), int(table.source[seat]))
        super().admit(seat)

    def publish(self, seat: int, slot: int, length: int, stored: bool) -> None:
        """Look at a slot that goes to the cache."""
        self._look("publication", seat, slot, length)
        key = (self.view.family(seat), length)
        self._use(key, slot if stored else self.used.get(key, ABSENT))
        super().publish(seat, slot, length, stored)

    def evict(self, slot: int) -> None:
        """Hold what the cache gives up against what it ought to: of what nobody needs, the one used longest ago."""
        self.evicted += 1
        if slot != self.asked_for:
            needed = self.locked | touched(rows_in_flight(self.view.engine, before=self.launched))
            first = next((held for held in self.used.values() if held not in needed), ABSENT)
            if slot != first:
                self.wrong.append(f"evicted: slot {slot} is given up, and slot {first} was used longest ago")
        self.used = OrderedDict((key, held) for key, held in self.used.items() if held != slot)
        super().evict(slot)

    def regroup(self, number: int, places: Ints) -> None:
        """The rows of a batch in flight are in another order: `places` is where each of them was before."""

    def wrong_so_far(self) -> Iterator[str]:
        """Yield what has been wrong up to now, the order of the cache included."""
        yield from self.wrong
        order = [self.view.keys.get(node.key) for node in self.view.engine.cache]
        if order != list(self.used):
            yield f"order: the cache has {order}, and from the longest ago used were {list(self.used)}"

    def _use(self, key: tuple[int, int], slot: Slot) -> None:
        self.used[key] = slot
        self.used.move_to_end(key)

    def _look(self, what: str, seat: int, slot: int, length: int) -> None:
        family = self.view.family(seat)
        if self.view.content(slot) != self.view.texts[family, length]:
            known = self.view.named(self.view.content(slot))
            self.wrong.append(f"{what}: slot {slot} goes by {(family, length)} and holds {known}")


class RecordingWatch(Watch, Recorder):
    """The same, and a trace is written besides."""

    def __init__(self, path: Path) -> None:
        Recorder.__init__(self, path)
        Watch.__init__(self)

    def regroup(self, number: int, places: Ints) -> None:
        """Remember in the new order whose the rows are."""
        self._names[number] = [self._names[number][place] for place in places.tolist()]
