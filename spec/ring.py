"""The track ring's producer side: where the next boundary write goes."""

from __future__ import annotations

from spec.design import Design
from spec.language import ABSENT
from spec.scope import SKIP, Scope
from spec.slots import take
from spec.state import Length, Request, RequestId, RingPosition, State, Supply


def following(scope: Scope, position: RingPosition) -> RingPosition:
    """Return the ring position after `position`."""
    return (position + 1) % scope.ring


def advance(scope: Scope, me: Request, flips: bool) -> None:
    """Count one boundary of an eager request, and let the design's decision advance `next`."""
    me.due = following(scope, me.due)
    if flips:
        me.next = following(scope, me.next)


def claim_lazily(s: State, design: Design, request: RequestId, mark: Length, supply: Supply) -> Length:
    """Find a lazy boundary row its place at `next`, and return its mark: ABSENT when it has to go without.

    If a position is empty and a spare can be had, the spare fills it and becomes `next`. Otherwise the row writes in
    place or is skipped. In place means over the newest pending claim if there is one, and over the request's own
    checkpoint if not: while a claim is pending `next` is its position, so it never goes over `last` then.
    """
    me = s.requests[request]
    empty = ABSENT
    for position in range(design.scope.last_position, -1, -1):
        if me.ring[position] == ABSENT:
            empty = position
    if empty != ABSENT:
        spare = take(s, design, supply)
        if spare != ABSENT:
            me.ring[empty] = spare
            me.next = empty
            s.step.events[request].spare_taken = True
            return mark
    s.step.events[request].no_spare = True
    if design.scope.without_spare == SKIP:
        return ABSENT
    if me.next == me.owed_at:
        give_up(me)
    if me.next == design.keep_index(me) and design.in_place_clears_label():
        me.last_len = ABSENT
    return mark


def give_up(me: Request) -> None:
    """Record, for the properties only, that no checkpoint of the request is owed to the cache any more."""
    me.owed = ABSENT
    me.owed_at = ABSENT
