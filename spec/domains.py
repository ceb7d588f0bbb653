"""Where the parameters of actions get their values from: each is a function from a scope to the values in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from spec.language import ABSENT, subsets
from spec.scope import ANY, LAZY, ON, Scope
from spec.state import EXHAUSTED


def requests(scope: Scope) -> Iterable[int]:
    """Every request name."""
    return range(scope.requests)


def families(scope: Scope) -> Iterable[int]:
    """Every text."""
    return range(scope.families)


def slots(scope: Scope) -> Iterable[int]:
    """Every slot."""
    return range(scope.slots)


def others(scope: Scope) -> bool:
    """Whether the scope has other requests: without them their actions do not belong to it."""
    return scope.others == ON


def lengths(scope: Scope) -> Iterable[int]:
    """Every length that a state can stand for."""
    return range(1, scope.max_len + 1)


def prompts(scope: Scope) -> Iterable[int]:
    """Every prompt length."""
    return range(1, scope.max_len + 1)


def supply(scope: Scope) -> Iterable[int]:
    """What the allocator has to give: see `spec.state.Supply`."""
    return range(EXHAUSTED, scope.slots)


def supply_at_admission(scope: Scope) -> Iterable[int]:
    """The same where EXHAUSTED would only mean that nothing happens."""
    return range(ABSENT, scope.slots)


def supply_of_spares(scope: Scope) -> Iterable[int]:
    """The same where only a lazy request asks for a slot."""
    return supply(scope) if scope.mode == LAZY else [ABSENT]


def rows(scope: Scope) -> Iterable[tuple[bool, ...]]:
    """Every subset of the requests, the empty one included: other work came in between."""
    return subsets(range(scope.requests))


def prefill_marks(scope: Scope) -> Iterable[int]:
    """The mark of a prefill where boundaries are a free choice; with an interval it is computed."""
    return range(ABSENT, scope.max_len + 1) if scope.interval == ANY else [ABSENT]


def boundaries(scope: Scope) -> Iterable[tuple[bool, ...]]:
    """Which rows of a decode batch are on a boundary, where that is a free choice."""
    return subsets(range(scope.requests)) if scope.interval == ANY else [(False,) * scope.requests]


def cut_keys(scope: Scope) -> Iterable[tuple[int, ...]]:
    """How many tokens each request that ends hands to the cache, where it is not all that it has; ABSENT: it is all."""
    return itertools.product([ABSENT, *range(1, scope.max_len)], repeat=scope.requests)


def short_keys(scope: Scope) -> bool:
    """Whether what a request hands to the cache may be shorter than its label."""
    return scope.short_keys == ON


def row_orders(scope: Scope) -> Iterable[tuple[int, ...]]:
    """The order in which results are handled: it decides who gets the last free slot or is first in the cache."""
    return itertools.permutations(range(scope.requests))


def spare_orders(scope: Scope) -> Iterable[tuple[int, ...]]:
    """The order in which rows are prepared: it matters only where they compete for spares."""
    return row_orders(scope) if scope.mode == LAZY else [tuple(range(scope.requests))]
