"""What a walk computes with: references into the state, choices between references, and the store of leaf values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from checker.graph import Graph, Node, Value, is_bool
from checker.shape import Array, Leaf, Record, Shape
from spec.language import Vector


@dataclasses.dataclass(eq=False, slots=True)
class Mux:
    """One of several records or vectors, by conditions of which exactly one holds."""

    options: list[tuple[Value, Record | Array]]


Reference = Record | Array | Mux


class Store:
    """The values of all leaves, copied only when a branch writes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.values: dict[Leaf, Value] = {}
        self._shared = False

    def snapshot(self) -> dict[Leaf, Value]:
        """Return the present values; later writes go to a copy."""
        self._shared = True
        return self.values

    def restore(self, values: dict[Leaf, Value]) -> None:
        """Go back to a snapshot."""
        self.values = values
        self._shared = True

    def write(self, leaf: Leaf, value: Value) -> None:
        """Set one leaf."""
        if self._shared:
            self.values = dict(self.values)
            self._shared = False
        self.values[leaf] = value

    def merge(self, condition: Value, yes: dict[Leaf, Value], no: dict[Leaf, Value]) -> None:
        """Continue with the values of `yes` where the condition holds, and of `no` elsewhere."""
        if yes is no:
            self.restore(yes)
            return
        merged = dict(no)
        for leaf, value in yes.items():
            other = no.get(leaf, value)
            merged[leaf] = value if other is value else self.graph.where(condition, value, other)
        self.values = merged
        self._shared = False


def options(reference: Reference) -> list[tuple[Value, Record | Array]]:
    """Return the records or vectors that a reference may stand for, with their conditions."""
    return reference.options if isinstance(reference, Mux) else [(True, reference)]


def mergeable(a: Any, b: Any) -> bool:
    """Whether two values are of one kind: numbers, records of one class, or vectors of one size and kind."""
    if isinstance(a, (int, Node)) and isinstance(b, (int, Node)):
        return True
    if not isinstance(a, (Record, Array, Mux)) or not isinstance(b, (Record, Array, Mux)):
        return False
    return _alike(options(a)[0][1], options(b)[0][1])


def _alike(a: Shape, b: Shape) -> bool:
    if isinstance(a, Record) and isinstance(b, Record):
        return a.cls is b.cls
    if isinstance(a, Array) and isinstance(b, Array):
        same_size = len(a.elements) == len(b.elements)
        return same_size and all(_alike(*pair) for pair in zip(a.elements, b.elements, strict=True))
    return isinstance(a, Leaf) and isinstance(b, Leaf)


def meant(value: Any) -> list[Record | Array]:
    """Return the records or vectors that a value may stand for; none for a number."""
    return [part for _, part in options(value)] if isinstance(value, (Record, Array, Mux)) else []


def inside(reference: Any) -> Iterator[Record | Array]:
    """Yield every record and vector that a value may stand for, and all within them."""
    if isinstance(reference, Mux):
        for _, option in reference.options:
            yield from inside(option)
    elif isinstance(reference, (Record, Array)):
        yield reference
        for part in reference.fields.values() if isinstance(reference, Record) else reference.elements:
            yield from inside(part)


def choose(graph: Graph, parts: list[tuple[Value, Any]]) -> Any:
    """Return one value for several by condition: the last is the one when no other condition holds."""
    if len(parts) == 1:
        return parts[0][1]
    if all(isinstance(part, (Record, Array, Mux)) for _, part in parts):
        flat: list[tuple[Value, Record | Array]] = []
        for condition, part in parts:
            flat.extend((graph.and_(condition, inner), leaf) for inner, leaf in options(part))
        flat = [(condition, part) for condition, part in flat if condition is not False]
        if all(part is flat[0][1] for _, part in flat):
            return flat[0][1]
        return Mux(flat)
    result = parts[-1][1]
    for condition, part in reversed(parts[:-1]):
        result = part if part is result else graph.where(condition, part, result)
    return result


def fresh(record: type, fields: Iterable[tuple[str, Any]], store: Store) -> Record:
    """Return a new record with the given field values, which are copied into new leaves."""
    return Record(record, {name: _own(name, value, store) for name, value in fields})


def array(values: Iterable[Any], store: Store) -> Array:
    """Return a new vector with the given elements, which are copied into new leaves."""
    return Array([_own("", value, store) for value in values])


def _own(path: str, value: Any, store: Store) -> Shape:
    if isinstance(value, (Record, Array, Mux)):
        return duplicate(value, store)
    leaf = Leaf(-1, path, is_bool(value), 0, 0)
    store.write(leaf, value)
    return leaf


def duplicate(reference: Reference, store: Store) -> Record | Array:
    """Return a copy of a record or vector in new leaves."""
    model = options(reference)[0][1]
    if isinstance(model, Array):
        return Array([_own("", read(element(reference, i), store), store) for i in range(len(model.elements))])
    return Record(model.cls, {name: _own(name, read(field(reference, name), store), store) for name in model.fields})


def field(reference: Reference, name: str) -> list[tuple[Value, Shape]]:
    """Return the field of each record that the reference may stand for."""
    return [(condition, record.fields[name]) for condition, record in options(reference)]  # type: ignore[union-attr]


def element(reference: Reference, index: int) -> list[tuple[Value, Shape]]:
    """Return the element of each vector that the reference may stand for."""
    return [(condition, array.elements[index]) for condition, array in options(reference)]  # type: ignore[union-attr]


def read(parts: list[tuple[Value, Shape]], store: Store) -> Any:
    """Return the value at a place: an int or bool, or a reference to a part."""
    return choose(
        store.graph,
        [(condition, store.values[part] if isinstance(part, Leaf) else part) for condition, part in parts],
    )


def assign(parts: list[tuple[Value, Shape]], value: Any, store: Store) -> None:
    """Write a value to a place; a record or vector is written leaf by leaf."""
    pairs = [(condition, list(_pairs(part, value, store))) for condition, part in parts]
    for condition, changes in pairs:
        for leaf, new in changes:
            store.write(leaf, store.graph.where(condition, new, store.values[leaf]))


def _pairs(part: Shape, value: Any, store: Store) -> Iterator[tuple[Leaf, Value]]:
    if isinstance(part, Leaf):
        yield part, (value if part.is_bool else store.graph.int_(value))
    elif isinstance(part, Array):
        for index, inner in enumerate(part.elements):
            yield from _pairs(inner, read(element(value, index), store), store)
    else:
        for name, inner in part.fields.items():
            yield from _pairs(inner, read(field(value, name), store), store)


def equal(a: Any, b: Any, store: Store) -> Value:
    """Return whether two values are equal: records, vectors and tuples part by part."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and store.graph.all_of(
            equal(one, other, store) for one, other in zip(a, b, strict=True)
        )
    if isinstance(a, (Record, Array, Mux)) != isinstance(b, (Record, Array, Mux)):
        return False
    if isinstance(a, (Record, Array, Mux)) and isinstance(b, (Record, Array, Mux)):
        model = options(a)[0][1]
        if not _alike(model, options(b)[0][1]):
            return False
        if isinstance(model, Array):
            return store.graph.all_of(
                equal(read(element(a, i), store), read(element(b, i), store), store) for i in range(len(model.elements))
            )
        return store.graph.all_of(
            equal(read(field(a, name), store), read(field(b, name), store), store) for name in model.fields
        )
    if isinstance(a, (int, Node)) != isinstance(b, (int, Node)):
        return False
    return store.graph.eq(a, b)


REPLACED = object()
"""What a local name stands for once the record that it referred to has been replaced in the state."""


@dataclasses.dataclass(frozen=True, slots=True)
class Lazily:
    """An enumerate() or zip(), which reads its vectors' elements only when it is their turn."""

    function: Any
    arguments: list[Any]


class Fold:
    """What any(), all(), sum() or Vector() has made of the elements so far."""

    def __init__(self, function: Any, graph: Graph) -> None:
        self.function = function
        self.graph = graph
        self.values: list[Any] = []
        self.result: Value = 0 if function is sum else function is all
        self.going: Value = True
        """The condition under which Python would look at the next element."""

    def add(self, condition: Value, value: Any) -> None:
        """Take one element in, present under a condition."""
        graph = self.graph
        if self.function is Vector:
            self.values.append(value)
        elif self.function is sum:
            self.result = graph.add(self.result, graph.where(condition, graph.int_(value), 0))
        elif self.function is any:
            self.result = graph.or_(self.result, graph.and_(condition, graph.truth(value)))
            self.going = graph.not_(self.result)
        else:
            self.result = graph.and_(self.result, graph.or_(graph.not_(condition), graph.truth(value)))
            self.going = self.result
