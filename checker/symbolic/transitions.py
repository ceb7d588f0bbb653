"""One walk per action: when it may happen and what it changes; one per property of steps, over any two states.

A property of steps is walked once, over the leaves of the state before and of the state after. Whoever has a state
after, as columns or registers, looks at that; whoever wants one expression, as a solver does, has what an action makes
of each leaf put in.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_type_hints

from checker.model.layout import Array, Leaf, Record, Shape, flatten, leaves
from checker.model.model import BoundAction, Model
from checker.model.user_files import BadModel, place_of_function
from checker.symbolic.graph import Graph
from checker.symbolic.naming import Names, given
from checker.symbolic.naming_graph import NamedGraph, NamedStore
from checker.symbolic.naming_walk import NamedWalk
from checker.symbolic.node import Node, Value, bounds, order
from checker.symbolic.store import Store
from checker.symbolic.walk import Walk
from spec.language import WELL_FORMED, Property


@dataclass(eq=False, slots=True)
class Transition:
    """What one walk over an action leaves: values over the leaves of the state before and the free parameters."""

    instance: BoundAction
    parameters: dict[str, Value]
    enabled: Value
    after: list[Value]
    """The value of every leaf, in order."""
    faults: list[tuple[str, Value]]
    """What the action itself violates: its requires, indices and ranges. Where one holds there is no state after it."""
    steps: list[tuple[Property, Value]] = field(default_factory=list)
    """For each step property, and each postcondition if asked, the condition under which this step violates it."""
    witnesses: list[tuple[Property, Value]] = field(default_factory=list)
    """For each *sometimes*, the condition under which this step shows it."""


class Reader:
    """Walks the functions of a model over one graph; `inputs` are the leaves of the state before.

    With `postconditions` it also asks what only a search asks of each step; with `naming` it finds what goes by names,
    which takes a fifth longer.
    """

    def __init__(
        self, model: Model, inputs: list[Value] | None = None, postconditions: bool = False, naming: bool = False
    ) -> None:
        self.model = model
        self.asked = model.of_kind("step") + (model.of_kind("postcondition") if postconditions else [])
        self.names = Names({sort: int(getattr(model.scope, sort)) for sort in model.symmetric} if naming else {})
        """Where the texts that have been walked go by names."""
        self.looked: set[str] = set()
        """The paths of what they have read (symbolic/store.py)."""
        self.graph = NamedGraph(self.names) if naming else Graph()
        self.leaves = list(leaves(model.shape))
        self.referring = [leaf for leaf in self.leaves if leaf.sort in self.names.sorts]
        initial = constants(model)
        self.hidden = {leaf.index: self.graph.leaf(leaf.path, *_span(leaf)) for leaf in self.leaves if leaf.transient}
        """Stands for what only tells of the last step, where no property may read it."""
        self.inputs: list[Value] = inputs or [
            initial[leaf.index] if leaf.transient else self.graph.leaf(leaf.path, leaf.is_bool, leaf.low, leaf.high)
            for leaf in self.leaves
        ]

    @functools.cached_property
    def later(self) -> list[Node]:
        """The leaves of the state after a step, whichever step it was."""
        return [self.graph.leaf(f"{leaf.path}'", *_span(leaf)) for leaf in self.leaves]

    @functools.cached_property
    def broken(self) -> list[tuple[Property, Value]]:
        """For each property that is asked of steps, the condition on the two states under which it is violated."""
        return [(stated, self.graph.not_(self.holds(stated, [self.inputs, [*self.later]]))) for stated in self.asked]

    @functools.cached_property
    def shown(self) -> list[tuple[Property, Value]]:
        """For each *sometimes*, the condition on the two states under which a step shows it."""
        return [
            (stated, self.holds(stated, [self.inputs, [*self.later]])) for stated in self.model.of_kind("sometimes")
        ]

    def of_step(self, stated: list[tuple[Property, Value]], after: list[Value]) -> list[tuple[Property, Value]]:
        """Return what is said of any two states as it is of a step after which the leaves have these values."""
        put_in: dict[Node, Value] = dict(zip(self.later, after, strict=True))
        values = self.graph.substitute([value for _, value in stated], put_in)
        return list(zip([name for name, _ in stated], values, strict=True))

    def _walk(self) -> tuple[Store, Walk]:
        if isinstance(self.graph, NamedGraph):
            named = NamedStore(self.graph)
            named.looked = self.looked
            return named, NamedWalk(self.graph, named, self.model.context, self.model.scope)
        store = Store(self.graph)
        store.looked = self.looked
        return store, Walk(self.graph, store, self.model.context)

    def state(self, store: Store, values: list[Value]) -> Record:
        """Return a state of new leaves with the given values."""
        named = list(values)
        for leaf in self.referring:
            named[leaf.index] = self.names.known(leaf.sort, values[leaf.index])
        shape = _renew(self.model.shape, store, named)
        assert isinstance(shape, Record)
        return shape

    def transition(self, instance: BoundAction, witnesses: bool = True) -> Transition:
        """Walk an action and say what its step breaks and shows; without `witnesses`, what should be seen is left out.

        A reading that asks of two states what it asks of steps (`broken`, `shown`) needs `move` alone.
        """
        move = self.move(instance)
        move.steps = self.of_step(self.broken, move.after)
        move.witnesses = self.of_step(self.shown, move.after) if witnesses else []
        return move

    def move(self, instance: BoundAction) -> Transition:
        """Walk an action with some parameters fixed: when it may happen, what it violates itself, what it changes."""
        store, walk = self._walk()
        state = self.state(store, self.inputs)
        hints = get_type_hints(instance.action.function, include_extras=True)
        chosen = {
            name: self.graph.leaf(name, isinstance(values[0], bool), *_ends(values))
            for name, values in instance.free.items()
        }
        arguments = [
            given(self.names, hints.get(name), instance.fixed.get(name, chosen.get(name)))
            for name in instance.action.choices
        ]
        walk.run(instance.action, [state, self.model.context, *arguments])
        written = [store.values[leaf] for leaf in leaves(state)]
        faults = self._faults(walk, written)
        # A number in the place of a bool is one of 0 and 1 wherever there is a state after the step.
        after = [
            self.graph.truth(value) if leaf.is_bool else value for leaf, value in zip(self.leaves, written, strict=True)
        ]
        return Transition(instance, dict(chosen), walk.enabled, after, faults)

    def _faults(self, walk: Walk, after: list[Value]) -> list[tuple[str, Value]]:
        """Return what the action violates; first come, first named, as natively."""
        ranges: Value = False
        for leaf, value in zip(self.leaves, after, strict=True):
            low, high = bounds(value)
            if low < leaf.low or high > leaf.high:
                outside = self.graph.or_(self.graph.lt(value, leaf.low), self.graph.lt(leaf.high, value))
                ranges = self.graph.or_(ranges, outside)
        found: dict[str, Value] = {}
        # Ranges are looked at once the action has come to its end.
        ranges = self.graph.and_(ranges, self.graph.not_(walk.failed()))
        for name, condition in [*walk.violations, (WELL_FORMED, ranges)]:
            found[name] = self.graph.or_(found.get(name, False), condition)
        return [(name, condition) for name, condition in found.items() if condition is not False]

    def holds(self, stated: Property, states: list[list[Value]]) -> Value:
        """Walk a property over one state, or over the states before and after a step."""
        store, walk = self._walk()
        # What only tells of the last step is no part of a state: after its step it is gone.
        before = [self.hidden.get(index, value) for index, value in enumerate(states[0])]
        value = walk.ask(stated, [*[self.state(store, values) for values in [before, *states[1:]]], self.model.context])
        for node in order([value]) if self.hidden else []:
            if node in self.hidden.values():
                kind = "is of kind " + stated.kind if len(states) == 1 else "asks it of the state before its own step"
                raise BadModel(
                    f"{place_of_function(stated.written)}: the property {stated.name} reads {node.name}, which only "
                    f"tells of the last step, and {kind}; make it a step property that reads it of the state after"
                )
        # A property that indexes outside a vector is false, not undefined.
        outside = self.graph.any_of(condition for _, condition in walk.violations)
        return self.graph.and_(value, self.graph.not_(outside))


def _span(leaf: Leaf) -> tuple[bool, int, int]:
    return leaf.is_bool, leaf.low, leaf.high


def _ends(values: Sequence[int]) -> tuple[int, int]:
    """Return the smallest and largest value; a range is too long to look through."""
    ends = (values[0], values[-1]) if isinstance(values, range) else values
    return int(min(ends)), int(max(ends))


def constants(model: Model) -> list[Value]:
    """Return the values of the first state's leaves."""
    return list(flatten(model.init))


def conjuncts(value: Value) -> Iterable[Value]:
    """Yield the parts of a conjunction."""
    if isinstance(value, Node) and value.op == "and":
        for part in value.args:
            yield from conjuncts(part)
    else:
        yield value


def _renew(shape: Shape, store: Store, values: list[Value]) -> Shape:
    if isinstance(shape, Leaf):
        leaf = Leaf(
            shape.index, shape.path, shape.is_bool, shape.low, shape.high, "", shape.sort, (), False, shape.ghost
        )
        store.values[leaf] = values[shape.index]
        return leaf
    if isinstance(shape, Record):
        return Record(shape.cls, {name: _renew(part, store, values) for name, part in shape.fields.items()})
    return Array([_renew(part, store, values) for part in shape.elements])
