"""The decisions that a design may take differently, each a small function, and the ones that slotproof takes.

A design is a subclass that overrides some of them. Decisions look at the state and never change it.
"""

from __future__ import annotations

from typing import ClassVar

from spec.language import ABSENT
from spec.rows import claims, in_flight
from spec.scope import Scope
from spec.state import (
    EXHAUSTED,
    Length,
    Request,
    RequestId,
    RingPosition,
    RingPositionOrAbsent,
    Row,
    Slot,
    State,
    Supply,
)


class Design:
    """Claim and flip once, at preparation; consumer pointers only from the row, at processing; one gate for all."""

    name: ClassVar[str] = "slotproof"
    summary: ClassVar[str] = "claims and flips at preparation, labels from the row, one gate for every publication"

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    # Where slots come from.

    def pick(self, s: State, supply: Supply) -> Slot:
        """Return the free slot that the allocator hands out next; ABSENT: it has none.

        Whether an allocator would hand out a slot that is still in flight early or late, and whether others have
        emptied the pool, is the action's free choice, made by its supply.
        """
        found = ABSENT
        if supply == EXHAUSTED:
            return found
        for slot in range(self.scope.slots - 1, -1, -1):
            if s.free[slot] and not in_flight(s, slot):
                found = slot
        if supply != ABSENT and s.free[supply]:
            found = supply
        return found

    # At preparation.

    def flips_at_preparation(self, row: Row) -> bool:
        """Whether an eager request's `next` advances when this row, which carries a mark, is prepared."""
        return True

    def names_prefill_at_preparation(self) -> bool:
        """Whether a prefill's claim moves `last` and the label already when it is prepared."""
        return False

    def marks_before_the_end(self, cached: bool) -> bool:
        """Whether a prompt that ends on a boundary marks the one before it; `cached`: that one is there already."""
        return not cached

    def in_place_clears_label(self) -> bool:
        """Whether a lazy claim over the slot at `last` takes the label back at once."""
        return True

    # When a result is processed.

    def ready(self, s: State) -> bool:
        """Whether the result of the oldest pending batch may be processed: the device must have run it."""
        return s.written > 0

    def boundary_seen(self, me: Request, row: Row, lookahead: int) -> bool:
        """Whether processing this row completes a checkpoint."""
        return row.mark != ABSENT

    def completed_label(self, me: Request, row: Row, lookahead: int) -> Length:
        """Return the length that the completed checkpoint covers."""
        return row.mark

    def completed_position(self, me: Request, row: Row, lookahead: int) -> RingPosition:
        """Return the ring position of the completed checkpoint."""
        return row.position

    def flips_at_processing(self, me: Request, row: Row, lookahead: int) -> bool:
        """Whether an eager request's `next` advances when this row's result is processed."""
        return False

    def superseded_position(self, me: Request, completed: RingPosition) -> RingPosition:
        """Return the position that a lazy request no longer needs; `completed` itself: there is none."""
        return me.last

    def label_survives(self, s: State, request: RequestId, row: Row) -> bool:
        """Whether the checkpoint that this row completed gets a label at all: what may not be published has none."""
        return self.may_publish(s, request, row.slot)

    # When something is published.

    def withholds(self, s: State, request: RequestId, row: Row, lookahead: int) -> bool:
        """Whether a request that ends with this result publishes nothing; asked before the result moves pointers."""
        return False

    def keep_index(self, me: Request) -> RingPosition:
        """Return the position that the label speaks about."""
        return me.last

    def donated_position(self, me: Request, row: Row) -> RingPosition:
        """Return the position whose slot a prefill's result donates."""
        return row.position

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """The gate of every publication: no row of this request that is still pending targets `slot`."""
        return not claims(s, request, slot)

    def may_donate(self, s: State, request: RequestId, slot: Slot) -> bool:
        """The gate at a donation: the same one."""
        return self.may_publish(s, request, slot)

    def short_key_position(self, me: Request, key: Length) -> RingPositionOrAbsent:
        """Return what a finish publishes where only `key` tokens, fewer than the label, are kept; ABSENT: nothing."""
        return ABSENT

    def short_key_label(self, me: Request, key: Length) -> Length:
        """Return the length under which it is published then."""
        return key

    def donates_duplicates(self) -> bool:
        """Whether a donation goes ahead although its key is cached: the replacement stays, the old slot is freed."""
        return False
