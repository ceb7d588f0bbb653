"""The protocol where names matter (scope: names=on): the allocator hands out the free slots in any order.

The reference allocator prefers the lowest free slot, which is as good as any as long as nobody looks at names. A design
that does is asked about every slot in every place, so here a supply names several slots, and those are handed out
first, in the order in which it names them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from types import FunctionType

import spec.model
from checker.model.model import Model
from spec.design import Design
from spec.language import ABSENT, Action
from spec.rows import in_flight
from spec.scope import LAZY, ON, Scope
from spec.state import EXHAUSTED, Slot, State, Supply

# What the walk reads in place of the reference allocator.


def named(s: State, supply: Supply, place: int) -> Slot:
    """Return the slot that a supply names in a place: a digit of it, 0 for none."""
    if supply < 0:
        return ABSENT
    rest = supply
    for _ in range(place):
        rest = rest // (len(s.free) + 1)
    return rest % (len(s.free) + 1) - 1


def is_distinct_choice(s: State, supply: Supply) -> bool:
    """Whether this supply says anything: every order does."""
    return True


def available(s: State, supply: Supply) -> int:
    """Return how many slots the allocator would hand out with this supply."""
    return sum(
        s.free[slot]
        and (not in_flight(s, slot) or any(named(s, supply, place) == slot for place in range(len(s.free))))
        for slot in range(len(s.free))
    )


def pick(design: Design, s: State, supply: Supply) -> Slot:
    """Return the first of the named slots that is free, or else the lowest free one that is not in flight."""
    found = ABSENT
    if supply == EXHAUSTED:
        return found
    for slot in range(len(s.free) - 1, -1, -1):
        if s.free[slot] and not in_flight(s, slot):
            found = slot
    for place in range(len(s.free) - 1, -1, -1):
        slot = named(s, supply, place)
        if slot != ABSENT:
            if s.free[slot]:
                found = slot
    return found


# The supplies, and the model that has them.


def code(scope: Scope, order: tuple[int, ...]) -> int:
    """Return the supply that names slots in an order."""
    return sum((slot + 1) * (scope.slots + 1) ** place for place, slot in enumerate(order))


def orders(scope: Scope, count: int) -> Iterator[int]:
    """Yield every supply that names so many slots."""
    return (code(scope, order) for order in itertools.permutations(range(scope.slots), min(count, scope.slots)))


def at_admission(scope: Scope) -> list[int]:
    """Return the supplies of an admission: a slot for each that it takes."""
    return [ABSENT, *orders(scope, scope.slots_to_start)]


def of_spares(scope: Scope) -> list[int]:
    """Return the supplies of a decode batch: a spare for each request that is lazy."""
    return [EXHAUSTED, ABSENT, *orders(scope, scope.requests)] if scope.mode == LAZY else [ABSENT]


def of_replacement(scope: Scope) -> list[int]:
    """Return the supplies of a result: a replacement for what a prefill donates."""
    return [EXHAUSTED, ABSENT, *orders(scope, 1)]


CHOICES: dict[str, Callable[[Scope], list[int]]] = {
    "admit": at_admission,
    "prepare": of_spares,
    "process": of_replacement,
    "cut": of_replacement,
}


REPLACED: dict[str, object] = {"is_distinct_choice": is_distinct_choice, "available": available}


def _asking_these(function: FunctionType) -> FunctionType:
    """Return a function that asks these in place of the spec's, and so does whatever of its own module it calls."""
    known = function.__globals__ | REPLACED
    for name in function.__code__.co_names:
        called = known.get(name)
        if name not in REPLACED and isinstance(called, FunctionType) and called.__module__ == function.__module__:
            known[name] = _asking_these(called)
    made = FunctionType(function.__code__, known, function.__name__, function.__defaults__, function.__closure__)
    made.__annotations__, made.__doc__ = function.__annotations__, function.__doc__
    return made


def _in_any_order(action: Action) -> Action:
    if action.name not in CHOICES:
        return action
    assert isinstance(action.function, FunctionType)
    supplies = action.choices | {"supply": CHOICES[action.name]}
    return dataclasses.replace(action, function=_asking_these(action.function), choices=supplies)


def protocol(scope: Scope, design: type[Design]) -> Model:
    """Return the protocol for a design, with slots in any order where the scope says so."""
    return any_order(scope, design) if scope.names == ON else Model(spec.model, scope, design(scope))


def any_order(scope: Scope, design: type[Design]) -> Model:
    """Return the protocol for a design with slots handed out in any order; an allocator of its own stays."""
    if design.pick is Design.pick:
        design = type(design.__name__, (design,), {"pick": pick, "__module__": design.__module__})
    return Model(spec.model, scope, design(scope)).with_(actions=map(_in_any_order, spec.model.actions))
