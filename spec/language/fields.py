"""What an annotation says of a field: which values it may have, of whom a Vector has one, who may read it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Range:
    """Declared values of an integer field: both ends inclusive; a name stands for that attribute of the scope."""

    low: int | str
    high: int | str


@dataclasses.dataclass(frozen=True)
class Id:
    """Values of a field that names a member of a sort: ABSENT or 0..n-1 with n the scope's attribute `sort`."""

    sort: str


@dataclasses.dataclass(frozen=True)
class Per:
    """A Vector with one element per member of a sort (`sort` is the scope's attribute with its size)."""

    sort: str


@dataclasses.dataclass(frozen=True)
class Transient:
    """A field that only tells what the last step did; two states that differ in nothing else are one."""


@dataclasses.dataclass(frozen=True)
class Ghost:
    """A field that only properties read: what no engine knows, or what is counted for the properties' sake.

    The checker refuses a decision of a design that reads one, and any decision that changes the state.
    """
