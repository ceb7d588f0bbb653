"""A design that takes its slots from a trace: all its decisions are its own, only the allocator is the trace's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import Length, RequestId, Slot, State, Supply


class Offering(Design):
    """Mixed in front of a design: notes what its gates are asked about. What it noted is emptied before each step."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.offered: dict[RequestId, tuple[Slot, Length]] = {}
        """By request: the slot that a gate was asked about last, and the label at that moment."""

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """Note which slot it is about."""
        self.offered[request] = (slot, s.requests[request].last_len)
        return super().may_publish(s, request, slot)

    def may_donate(self, s: State, request: RequestId, slot: Slot) -> bool:
        """Note which slot it is about."""
        self.offered[request] = (slot, s.requests[request].last_len)
        return super().may_donate(s, request, slot)


class FollowedDesign(Offering):
    """Mixed in front of a design by `followed`. The follower fills in, before each step, what the trace shows."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.wanted: dict[RequestId, list[Slot]] = {}
        """The free slots that the trace shows as newly taken in this step, by request, in the order of asking."""
        self.preparing: Sequence[RequestId] = ()
        """The requests of the batch being prepared, in the spec's order; empty in every other step."""

    def pick(self, s: State, supply: Supply) -> Slot:
        """Hand out what the trace took; nothing, if it took nothing: the design then goes its own way."""
        slots = self.wanted.get(self._asking(s))
        return slots.pop(0) if slots else ABSENT

    def _asking(self, s: State) -> RequestId:
        # The spec's own record of the step tells whose turn it is: an allocator isn't told.
        events = s.step.events
        for request in self.preparing:
            if not events[request].prepared:
                return request
        processed = [request for request, event in enumerate(events) if event.processed]
        return processed[-1] if processed else next(iter(self.wanted), ABSENT)


def followed(design: type[Design]) -> type[FollowedDesign]:
    """Return the design with the trace as its allocator."""
    return cast(type[FollowedDesign], type(f"Followed{design.__name__}", (FollowedDesign, design), {}))
