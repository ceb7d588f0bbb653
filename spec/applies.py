"""In which scopes a property says anything: what several of them ask of the design that they are about."""

from __future__ import annotations

from spec.design import Design
from spec.scope import ANY, EAGER, LAZY, ON


def eager(design: Design) -> bool:
    """Whether every ring position has a slot from admission on."""
    return design.scope.mode == EAGER


def lazy(design: Design) -> bool:
    """Whether a ring position gets a slot when a boundary row needs it."""
    return design.scope.mode == LAZY


def has_interval(design: Design) -> bool:
    """Whether boundaries are the multiples of a number."""
    return design.scope.interval != ANY


def short_keys(design: Design) -> bool:
    """Whether a request that ends may hand fewer tokens to the cache than its label covers."""
    return design.scope.short_keys == ON
