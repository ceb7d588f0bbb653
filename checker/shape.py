"""The shape of a state: which leaves it has, what each may hold, and which sorts its vectors and values belong to."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from spec.language import ABSENT, Ghost, Id, Per, Range, Transient, Vector

UNBOUNDED = 1 << 62
"""A declared end of a range that nothing limits."""


@dataclass(eq=False, slots=True)
class Leaf:
    """One int or bool of a state: `index` is its place among all, low..high what it may hold."""

    index: int
    path: str
    is_bool: bool
    low: int
    high: int
    kind: str = ""
    """The path without indices: leaves of one kind differ in their places only."""
    sort: str | None = None
    """The sort that its value is a member of (ABSENT apart)."""
    places: tuple[tuple[str, int], ...] = ()
    """The vectors it lies in, outermost first: (sort of which there is one element per member, or "", index)."""
    transient: bool = False
    ghost: bool = False
    """No decision may read it."""


@dataclass(eq=False, slots=True)
class Record:
    """A record: its class and its fields in order."""

    cls: type
    fields: dict[str, Shape]


@dataclass(eq=False, slots=True)
class Array:
    """A vector of fixed size."""

    elements: list[Shape]


Shape = Leaf | Record | Array


def leaves(shape: Shape) -> Iterator[Leaf]:
    """Yield the leaves of a shape in order."""
    if isinstance(shape, Leaf):
        yield shape
    else:
        for part in shape.fields.values() if isinstance(shape, Record) else shape.elements:
            yield from leaves(part)


def flatten(value: Any) -> Iterator[int]:
    """Yield the ints and bools of a native state in the order of its shape's leaves."""
    if isinstance(value, (bool, int)):
        yield value
    elif isinstance(value, Vector):
        for element in list.__iter__(value):
            yield from flatten(element)
    else:
        for field in dataclasses.fields(value):
            yield from flatten(getattr(value, field.name))


def unflatten(shape: Shape, values: Iterator[int]) -> Any:
    """Build the native state of a shape from its leaves' values."""
    if isinstance(shape, Leaf):
        value = next(values)
        return bool(value) if shape.is_bool else int(value)
    if isinstance(shape, Array):
        return Vector(unflatten(element, values) for element in shape.elements)
    return shape.cls(*[unflatten(part, values) for part in shape.fields.values()])


class _Told(NamedTuple):
    """What the annotations around a leaf say of it."""

    transient: bool
    ghost: bool


class _Builder:
    def __init__(self, scope: Any) -> None:
        self.scope = scope
        self.count = 0

    def _end(self, end: int | str) -> int:
        return int(getattr(self.scope, end)) if isinstance(end, str) else end

    def build(self, value: Any, hint: Any, path: str, places: tuple[tuple[str, int], ...], told: _Told) -> Shape:
        marks: tuple[Any, ...] = ()
        if get_origin(hint) is Annotated:
            hint, *rest = get_args(hint)
            marks = tuple(rest)
        told = _Told(
            told.transient or any(isinstance(mark, Transient) for mark in marks),
            told.ghost or any(isinstance(mark, Ghost) for mark in marks),
        )
        if isinstance(value, (bool, int)):
            return self._leaf(value, marks, path, places, told)
        if isinstance(value, Vector):
            inner = get_args(hint)[0] if get_args(hint) else Any
            sort = next((mark.sort for mark in marks if isinstance(mark, Per)), "")
            return Array(
                [
                    self.build(element, inner, f"{path}[{number}]", (*places, (sort, number)), told)
                    for number, element in enumerate(value)
                ]
            )
        # The generated __init__ knows the module that the class was made in, also when it is an edited copy.
        known = type(value).__init__.__globals__
        hints = get_type_hints(type(value), known, include_extras=True)
        prefix = f"{path}." if path else ""
        return Record(
            type(value),
            {
                field.name: self.build(getattr(value, field.name), hints[field.name], prefix + field.name, places, told)
                for field in dataclasses.fields(value)
            },
        )

    def _leaf(
        self, value: Any, marks: tuple[Any, ...], path: str, places: tuple[tuple[str, int], ...], told: _Told
    ) -> Leaf:
        kind = re.sub(r"\[\d+\]", "", path)
        leaf = Leaf(
            self.count,
            path,
            isinstance(value, bool),
            -UNBOUNDED,
            UNBOUNDED,
            kind,
            None,
            places,
            told.transient,
            told.ghost,
        )
        self.count += 1
        if leaf.is_bool:
            leaf.low, leaf.high = 0, 1
        for mark in marks:
            if isinstance(mark, Range):
                leaf.low, leaf.high = self._end(mark.low), self._end(mark.high)
            elif isinstance(mark, Id):
                leaf.low, leaf.high, leaf.sort = ABSENT, int(getattr(self.scope, mark.sort)) - 1, mark.sort
        return leaf


def shape_of(state: Any, scope: Any) -> Record:
    """Return the shape of a state, read off the state itself and the annotations of its record classes."""
    shape = _Builder(scope).build(state, type(state), "", (), _Told(False, False))
    assert isinstance(shape, Record)
    return shape
