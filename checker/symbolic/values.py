"""What a walk computes with, beside numbers: references to records and vectors, and choices between them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Final

from checker.model.layout import Array, Leaf, Record, Shape
from checker.symbolic.graph import Graph
from checker.symbolic.node import Node, Value


class Undefined:
    """The class of UNDEFINED."""

    def __bool__(self) -> bool:
        raise TypeError("UNDEFINED has no truth value: the walk must refuse it")


UNDEFINED: Final = Undefined()
"""What a name or a call stands for that has a value, or one of this kind, on some paths only. Held use is refused."""


@dataclasses.dataclass(eq=False, slots=True)
class Mux:
    """One of several records or vectors, by conditions of which exactly one holds."""

    options: list[tuple[Value, Record | Array]]


Reference = Record | Array | Mux

Held = object
"""What a name of the text may stand for: a Value, a Reference, a tuple of such, a Lazily, UNDEFINED, or whatever lies
outside the state, such as a text, None, a function, the scope. Whoever uses one looks first at which of these it is."""

Function = Callable[..., Held]
"""A function that the text calls."""


def options(reference: Reference) -> list[tuple[Value, Record | Array]]:
    """Return the records or vectors that a reference may stand for, with their conditions."""
    return reference.options if isinstance(reference, Mux) else [(True, reference)]


def model_of(reference: Reference) -> Record | Array:
    """Return one of those that a reference may stand for: all are of one class, or of one size."""
    return options(reference)[0][1]


def mergeable(a: Held, b: Held) -> bool:
    """Whether one value can stand for two: numbers, records of one class, vectors of one size and kind, or equals."""
    if isinstance(a, (int, Node)) and isinstance(b, (int, Node)):
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(mergeable(*pair) for pair in zip(a, b, strict=True))
    if not isinstance(a, (Record, Array, Mux)) or not isinstance(b, (Record, Array, Mux)):
        return a is not UNDEFINED and (a is b or (isinstance(a, (str, range)) and type(a) is type(b) and a == b))
    return alike(model_of(a), model_of(b))


def alike(a: Shape, b: Shape) -> bool:
    """Whether two shapes have the same leaves in the same places."""
    if isinstance(a, Record) and isinstance(b, Record):
        return a.cls is b.cls and all(alike(part, b.fields[name]) for name, part in a.fields.items())
    if isinstance(a, Array) and isinstance(b, Array):
        same_size = len(a.elements) == len(b.elements)
        return same_size and all(alike(*pair) for pair in zip(a.elements, b.elements, strict=True))
    return isinstance(a, Leaf) and isinstance(b, Leaf)


def as_number(value: Held) -> Value:
    """Return what is a number because its fellows are, or because whoever asks has looked."""
    assert isinstance(value, (int, Node))
    return value


def meant(value: Held) -> list[Record | Array]:
    """Return the records or vectors that a value may stand for; none for a number."""
    return [part for _, part in options(value)] if isinstance(value, (Record, Array, Mux)) else []


def inside(shape: Shape) -> Iterator[Record | Array]:
    """Yield a record or vector and all within it."""
    if not isinstance(shape, Leaf):
        yield shape
        for part in shape.fields.values() if isinstance(shape, Record) else shape.elements:
            yield from inside(part)


def choose(graph: Graph, parts: list[tuple[Value, Held]]) -> Held:
    """Return one value for several by condition: the last is the one when no other condition holds."""
    first = parts[0][1]
    if all(part is first for _, part in parts):
        return first
    if isinstance(first, tuple):
        columns = zip(*[part for _, part in parts], strict=True)
        conditions = [condition for condition, _ in parts]
        return tuple(choose(graph, list(zip(conditions, column, strict=True))) for column in columns)
    if isinstance(first, (Record, Array, Mux)):
        flat: list[tuple[Value, Record | Array]] = []
        for condition, part in parts:
            assert isinstance(part, (Record, Array, Mux))
            flat.extend((graph.and_(condition, inner), leaf) for inner, leaf in options(part))
        flat = [(condition, part) for condition, part in flat if condition is not False]
        if all(part is flat[0][1] for _, part in flat):
            return flat[0][1]
        return Mux(flat)
    if not isinstance(first, (int, Node)):
        # Equal texts, ranges or None: whichever it is, it is the same.
        return first
    result = as_number(parts[-1][1])
    for condition, part in reversed(parts[:-1]):
        result = result if part is result else graph.where(condition, as_number(part), result)
    return result


@dataclasses.dataclass(frozen=True, slots=True)
class Lazily:
    """An enumerate(), zip() or reversed(), which reads its vectors' elements only when it is their turn."""

    function: Callable[..., Iterator[Held]]
    arguments: list[Held]
