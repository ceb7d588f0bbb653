"""Physical slots of an engine and the few slots of the model that stand for them while somebody owns them.

The model's pool has room for the slots of the requests it can name, whatever the size of the engine's. A model slot
that nobody owns is kept in reserve, neither free nor owned: as in the spec, where others may hold all that is free. A
slot that the trace shows as taken is bound to one from the reserve, which becomes free for the step that takes it.
"""

from __future__ import annotations

from spec.language import ABSENT
from spec.state import RequestId, Slot, State

Physical = int | None


class SlotNames:
    """The binding in both directions; ABSENT stands for None."""

    def __init__(self, slots: int) -> None:
        self.physical: dict[Slot, Physical] = {ABSENT: None}
        self._model: dict[int, Slot] = {}
        self._reserve: dict[Slot, None] = dict.fromkeys(range(slots))

    def copy(self) -> SlotNames:
        """Return an independent copy."""
        other = SlotNames(0)
        other.physical, other._model = dict(self.physical), dict(self._model)
        other._reserve = dict(self._reserve)
        return other

    def owned(self, slot: int) -> Slot:
        """Return the model slot that stands for a physical slot in use; ABSENT if nobody in the model owns it."""
        found = self._model.get(slot, ABSENT)
        return ABSENT if found in self._reserve else found

    def bind(self, state: State, request: RequestId, slot: Physical) -> Slot:
        """Bind a physical slot (None: some slot, nobody knows which) that `request` takes, and make it free.

        A slot that pending rows of this request still name keeps its model slot, so that a design finds them; any other
        gets one that no pending row names, because who wrote there before is nothing that a decision may ask. Returns
        ABSENT if the model has too few slots.
        """
        old = ABSENT if slot is None else self._model.get(slot, ABSENT)
        named, own = set(), set()
        for batch in state.batches:
            for number, row in enumerate(batch.rows):
                if row.present:
                    named |= {row.slot, row.working}
                    if number == request:
                        own |= {row.slot, row.working}
        chosen = old if old in own and old in self._reserve else ABSENT
        if chosen == ABSENT:
            chosen = next((model for model in self._reserve if model not in named), ABSENT)
        if chosen == ABSENT:
            return ABSENT
        before = self.physical.get(chosen)
        if before is not None and self._model.get(before) == chosen:
            del self._model[before]
        del self._reserve[chosen]
        self.physical[chosen] = slot
        if slot is not None:
            self._model[slot] = chosen
        state.free[chosen] = True
        return chosen

    def spare(self, count: int) -> list[Slot]:
        """Return `count` model slots of the reserve (or all there are), which stay in it."""
        return [slot for slot, _ in zip(reversed(self._reserve), range(count), strict=False)]

    def collect(self, state: State) -> list[Physical]:
        """Take what the last step left free back into the reserve; returns the physical slots."""
        if True not in state.free:
            return []
        found = [slot for slot, free in enumerate(state.free) if free]
        for slot in found:
            state.free[slot] = False
            self._reserve[slot] = None
        return [self.physical[slot] for slot in found]

    def store(self, slot: Slot) -> None:
        """A model slot went to the cache, which is not followed in the model."""
        self._reserve[slot] = None

    def grow(self, old: int, new: int) -> None:
        """Add the model slots old .. new - 1 to the reserve."""
        self._reserve |= dict.fromkeys(range(old, new))
