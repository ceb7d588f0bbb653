"""In which scopes a property says anything: what several of them ask of the design that they are about."""

from __future__ import annotations

from spec.design import Design
from spec.scope import ANY, EAGER, LAZY


def eager(design: Design) -> bool:
    """Whether every ring position has a slot from admission on."""
    return design.scope.mode == EAGER


def lazy(design: Design) -> bool:
    """Whether a ring position gets a slot when a boundary row needs it."""
    return design.scope.mode == LAZY


def has_interval(design: Design) -> bool:
    """Whether boundaries are the multiples of a number."""
    return design.scope.interval != ANY
