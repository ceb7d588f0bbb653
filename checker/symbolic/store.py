"""The store of a walk: the values of all leaves, and which references still mean what they did when they were read.

To Python a record is an object, and assigning one binds it to a second place; to the walk a place is its leaves, and
assigning copies them. The two agree as long as nobody looks at an object through a former name of it. So every place
has a version, which moves when another object is put there, and a reference carries the version that it was read with;
whoever uses one that is older is refused, wherever it was kept: in a name, a tuple, an argument, a loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from checker.model.layout import Array, Leaf, Record, Shape
from checker.symbolic.graph import Graph
from checker.symbolic.node import Value, is_bool
from checker.symbolic.subset import is_number, is_reference
from checker.symbolic.values import Held, Mux, Reference, alike, as_number, choose, inside, meant, model_of, options

_versions = itertools.count(1)
_STALE: Final = (
    "an alias: this record has been assigned or replaced since it was read",
    "read it from the state again",
)


class Refused(Exception):
    """Something outside the subset, found where the place in the text is not known: what, and what to write instead."""


class Snapshot(NamedTuple):
    """The contents of a store at one moment."""

    values: dict[Leaf, Value]
    versions: dict[Record | Array, int]
    placed: frozenset[Record | Array]


class Store:
    """The contents as the walk has them now; they are copied only when a branch writes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.values: dict[Leaf, Value] = {}
        self.versions: dict[Record | Array, int] = {}
        """Of each place in which an object has been replaced, which one is there now."""
        self.made: set[Record | Array] = set()
        """Records and vectors that this walk has made; those that are not `placed` have no place in the state yet."""
        self.placed: frozenset[Record | Array] = frozenset()
        self.deciding = False
        """Whether a decision is looking: it must not read ghosts."""
        self.asking = False
        """Whether a property is asked, which only looks at the state."""
        self.looked: set[str] = set()
        """The paths of what the text has named and read, one number each; comparing and moving records reads none."""
        self._views: dict[tuple[Record | Array, int], Record | Array] = {}
        self._shared = False

    # Branches.

    def snapshot(self) -> Snapshot:
        """Return the present contents; later writes go to a copy."""
        self._shared = True
        return Snapshot(self.values, self.versions, self.placed)

    def restore(self, saved: Snapshot) -> None:
        """Go back to a snapshot."""
        self.values, self.versions, self.placed = saved
        self._shared = True

    def _own(self) -> None:
        if self._shared:
            self.values, self.versions = dict(self.values), dict(self.versions)
            self._shared = False

    def write(self, leaf: Leaf, value: Value) -> None:
        """Set one leaf."""
        self._own()
        self.values[leaf] = value

    def merge(self, condition: Value, yes: Snapshot, no: Snapshot) -> None:
        """Continue with the contents of `yes` where the condition holds, and of `no` elsewhere."""
        if yes.values is no.values:
            self.restore(yes)
            return
        merged = dict(no.values)
        for leaf, value in yes.values.items():
            other = no.values.get(leaf, value)
            merged[leaf] = value if other is value else self.graph.where(condition, value, other)
        versions = dict(no.versions)
        for place, version in yes.versions.items():
            # What was read on one side may be gone on the other, so neither side's references are good after both.
            versions[place] = version if no.versions.get(place, 0) == version else next(_versions)
        for place in no.versions.keys() - yes.versions.keys():
            versions[place] = next(_versions)
        self.values, self.versions, self.placed = merged, versions, yes.placed | no.placed
        self._shared = False

    # References.

    def current(self, shape: Record | Array) -> Record | Array:
        """Return a reference to what stands at a place now."""
        place = shape.place or shape
        version = self.versions.get(place, 0)
        if version == 0:
            return place
        view = self._views.get((place, version))
        if view is None:
            view = self._views[place, version] = place.at(version)
        return view

    def check(self, value: Held) -> None:
        """Refuse a reference to a record that has been given away, or replaced where it was read."""
        for part in meant(value):
            if self.versions.get(part.place or part, 0) != part.version:
                raise Refused(*_STALE)

    def _parts(self, reference: Reference) -> list[tuple[Value, Record | Array]]:
        self.check(reference)
        return options(reference)

    def replaced(self, shape: Shape) -> None:
        """Note that another object stands at a place: references to the former one, and into it, are out of date."""
        for place in inside(shape):
            self._own()
            self.versions[place.place or place] = next(_versions)

    def give(self, value: Held) -> None:
        """Note that a record or vector gets a place; refuses one that has a place already."""
        self.check(value)
        given = {part.place or part for part in meant(value)}
        if not given <= self.made - self.placed:
            raise Refused("an alias: this record has a place already", "assign copy(...) of it")
        self.placed |= given
        for part in given:
            self.replaced(part)

    # Reading and writing.

    def field(self, reference: Reference, name: str) -> list[tuple[Value, Shape]]:
        """Return the field of each record that the reference may stand for."""
        return [(condition, record.fields[name]) for condition, record in self._parts(reference)]  # type: ignore[union-attr]

    def element(self, reference: Reference, index: int) -> list[tuple[Value, Shape]]:
        """Return the element of each vector that the reference may stand for."""
        return [(condition, array.elements[index]) for condition, array in self._parts(reference)]  # type: ignore[union-attr]

    def read(self, parts: list[tuple[Value, Shape]]) -> Held:
        """Return the value at a place: an int or bool, or a reference to a part."""
        return choose(self.graph, [(condition, self._at(part)) for condition, part in parts])

    def look(self, parts: list[tuple[Value, Shape]]) -> Held:
        """Return the value at a place that the text names."""
        self.looked.update(part.path for _, part in parts if isinstance(part, Leaf))
        return self.read(parts)

    def _at(self, part: Shape) -> Held:
        if not isinstance(part, Leaf):
            return self.current(part)
        if part.ghost and self.deciding:
            raise Refused(f"a decision reads {part.path}", "leave that to the properties")
        return self.values[part]

    def assign(self, parts: list[tuple[Value, Shape]], value: Held) -> None:
        """Put a value at a place; a record or vector is written leaf by leaf, and gets its place there."""
        pairs = [(condition, list(self._pairs(part, value))) for condition, part in parts]
        if isinstance(value, (Record, Array, Mux)):
            self.give(value)
        for _, part in parts:
            self.replaced(part)
        for condition, changes in pairs:
            for leaf, new in changes:
                self.write(leaf, self.graph.where(condition, new, self.values[leaf]))

    def _pairs(self, part: Shape, value: Held) -> Iterator[tuple[Leaf, Value]]:
        if isinstance(part, Leaf):
            if not is_number(value):
                raise Refused(f"{part.path or 'an element'} holds a number", "assign a number")
            yield part, (value if part.is_bool else self.graph.int_(value))
            return
        if not isinstance(value, (Record, Array, Mux)) or not alike(part, model_of(value)):
            raise Refused("a value of another kind than stands there", "assign a record or vector of the same kind")
        if isinstance(part, Array):
            for index, inner in enumerate(part.elements):
                yield from self._pairs(inner, self.read(self.element(value, index)))
        else:
            for name, inner in part.fields.items():
                yield from self._pairs(inner, self.read(self.field(value, name)))

    # New records and vectors.

    def fresh(self, record: type, fields: Iterable[tuple[str, Held]]) -> Record:
        """Return a new record with the given field values, which get their places in it."""
        made = Record(record, {name: self._placed(f"{record.__name__}.{name}", value) for name, value in fields})
        self.made.add(made)
        return made

    def array(self, values: Iterable[Held]) -> Array:
        """Return a new vector with the given elements, which get their places in it."""
        made = Array([self._placed("", value) for value in values])
        self.made.add(made)
        return made

    def _placed(self, path: str, value: Held) -> Shape:
        if isinstance(value, (Record, Array, Mux)):
            copied = self._copy(value)
            self.give(value)
            return copied
        if not is_number(value):
            raise Refused(f"{path or 'an element'} would hold no number", "leave texts, None and tuples to locals")
        return self._leaf(Leaf(-1, path, is_bool(value), 0, 0), value)

    def _leaf(self, leaf: Leaf, value: Value) -> Leaf:
        self.write(leaf, value)
        return leaf

    def duplicate(self, reference: Reference) -> Record | Array:
        """Return an independent copy of a record or vector in new leaves; what is a ghost in it stays one."""
        copied = self._copy(reference)
        self.made.add(copied)
        return copied

    def _copy(self, reference: Reference) -> Record | Array:
        model = model_of(reference)
        if isinstance(model, Array):
            return Array([self._copied(self.element(reference, i)) for i in range(len(model.elements))])
        return Record(model.cls, {name: self._copied(self.field(reference, name)) for name in model.fields})

    def _copied(self, parts: list[tuple[Value, Shape]]) -> Shape:
        model = parts[0][1]
        if not isinstance(model, Leaf):
            copied = self.read(parts)
            assert is_reference(copied)
            return self._copy(copied)
        value = as_number(choose(self.graph, [(condition, self.values[part]) for condition, part in parts]))  # type: ignore[index]
        ghost = any(part.ghost for _, part in parts)  # type: ignore[union-attr]
        return self._leaf(Leaf(-1, model.path, is_bool(value), 0, 0, ghost=ghost), value)
