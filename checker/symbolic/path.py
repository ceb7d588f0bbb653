"""The path of a walk: under which condition the text is executed, and what has been violated on the way."""

from __future__ import annotations

from collections.abc import Iterator

from checker.model.layout import Array
from checker.symbolic.graph import Graph, inside
from checker.symbolic.node import Value
from checker.symbolic.store import Refused, Store
from checker.symbolic.subset import admitted, is_number, is_reference
from checker.symbolic.values import Held, Lazily, Reference, model_of
from spec.language import WELL_FORMED


class Path:
    """Where a walk is, and what it has collected: the base of the walk."""

    def __init__(self, graph: Graph, store: Store) -> None:
        self.graph = graph
        self.store = store
        self.path: Value = True
        self.enabled: Value = True
        self.violations: list[tuple[str, Value]] = []
        """What is violated, in order, each where nothing of another name has been violated before."""

    def guarded(self, condition: Value) -> None:
        """Note that the action may happen only where the condition holds, as far as the path is taken."""
        # Natively a violation ends the action, so a guard after it is never reached.
        held = self.graph.or_(self.graph.not_(self.path), condition)
        self.enabled = self.graph.and_(self.enabled, self.graph.or_(held, self.failed()))

    def violated(self, name: str, condition: Value) -> None:
        """Note that a property is violated where the path is taken and the condition holds.

        Natively the first violation ends the action, so one of another name that came before takes precedence.
        """
        condition = self.graph.and_(self.path, condition)
        condition = self.graph.and_(condition, self.graph.not_(self.failed(but=name)))
        if condition is not False:
            self.violations.append((name, condition))

    def failed(self, but: str = "") -> Value:
        """Return whether anything has been violated so far, apart from one property."""
        return self.graph.any_of(condition for name, condition in self.violations if name != but)

    # Vectors.

    def places(self, owner: Reference, index: Held) -> list[tuple[Value, int]]:
        """Return which elements an index may mean, each with its condition; an index outside is a violation."""
        if not is_number(index):
            raise Refused("an index that is no number", "index Vectors by whole numbers")
        index = self.graph.int_(index)
        size = len(vector(owner).elements)
        within = self.graph.and_(self.graph.le(0, index), self.graph.lt(index, size))
        self.violated(WELL_FORMED, self.graph.not_(within))
        found = [(self.graph.eq(index, place), place) for place in range(size)]
        return [(condition, place) for condition, place in found if condition is not False]

    def at(self, owner: Reference, index: Held, noted: bool = True) -> Held:
        """Return the element of a vector at an index; `noted`: the text reads it, and not only to write there."""
        if not vector(owner).elements:
            raise Refused("an element of a Vector without elements", "ask for its len() first")
        parts = [
            (self.graph.and_(condition, inner), leaf)
            for condition, place in self.places(owner, index)
            for inner, leaf in self.store.element(owner, place)
        ]
        # An index that lies outside for certain has been noted as a violation; what is read then means nothing.
        return (self.store.look if noted else self.store.read)(parts or self.store.element(owner, 0))

    def iterate(self, value: Held) -> Iterator[Held]:
        """Yield the elements of a fixed-size collection; a vector's elements as they are when it is their turn."""
        if is_reference(value):
            yield from (self.store.look(self.store.element(value, index)) for index in _indices(value))
        elif isinstance(value, Lazily) and value.function is reversed:
            [of] = value.arguments
            if is_reference(of):
                yield from (self.store.look(self.store.element(of, index)) for index in reversed(_indices(of)))
            elif isinstance(of, (range, tuple, list)):
                yield from reversed(of)
            else:
                raise Refused("reversed() of something without a fixed size", "reverse a Vector, a tuple or a range")
        elif isinstance(value, Lazily):
            # The start of an enumerate is a number; everything else is a collection.
            yield from value.function(
                *[item if isinstance(item, int) else self.iterate(item) for item in value.arguments]
            )
        elif isinstance(value, (range, tuple)):
            yield from value
        elif isinstance(value, list):
            yield from map(admitted, value)
        else:
            raise Refused("a loop over something without a fixed size", "loop over range(n) or a Vector")

    def among(self, value: Value, numbers: range) -> Value:
        """Return whether a number is one of a range."""
        if numbers.step < 0:
            numbers = numbers[::-1]
        within = inside(self.graph, value, range(numbers.start, numbers.stop))
        on_step = self.graph.eq(self.graph.mod(self.graph.sub(value, numbers.start), numbers.step), 0)
        return self.graph.and_(within, on_step)


def vector(owner: Held) -> Array:
    """Return the shape of a vector that a reference stands for; refuses what is none."""
    model = model_of(owner) if is_reference(owner) else None
    if not isinstance(model, Array):
        raise Refused("an index into what is no Vector", "index Vectors and tuples")
    return model


def _indices(value: Reference) -> range:
    model = model_of(value)
    if not isinstance(model, Array):
        raise Refused("a loop over a record", "name its fields")
    return range(len(model.elements))
