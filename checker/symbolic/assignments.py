"""Assignments: what a target means, evaluated once, and how it gets a value: a name, a field, an element."""

from __future__ import annotations

import ast

from checker.model.layout import Record, leaves
from checker.model.source import refuse
from checker.symbolic.frame import Frame
from checker.symbolic.operators import Operators
from checker.symbolic.outside import refuse_mangled
from checker.symbolic.path import vector
from checker.symbolic.store import Refused
from checker.symbolic.subset import is_reference
from checker.symbolic.values import Held, Lazily, Reference, meant, model_of

Target = tuple[Reference | None, Held]
"""What an assignment assigns to, evaluated: the record or vector, and the index in it; None for a name."""


class Assignments(Operators):
    """Gives names and places of the state their values."""

    def bind_to(self, target: ast.expr, value: Held, frame: Frame) -> None:
        """Give a name or a place of the state a value."""
        if isinstance(target, ast.Tuple):
            items = list(self.iterate(value))
            if len(items) != len(target.elts):
                raise Refused(f"{len(target.elts)} targets for {len(items)} values", "name as many as there are")
            for part, item in zip(target.elts, items, strict=True):
                self.bind_to(part, item, frame)
        else:
            self.put(target, self.target(target, frame), value, frame)

    def target(self, target: ast.expr, frame: Frame) -> Target:
        """Evaluate what an assignment assigns to: the record or vector, and the index in it."""
        if isinstance(target, ast.Name):
            return None, None
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value, frame)
            refuse_mangled(target.attr)
            model = model_of(owner) if is_reference(owner) else None
            if not is_reference(owner) or not isinstance(model, Record) or target.attr not in model.fields:
                raise Refused(f"{ast.unparse(target)} is no field of the state", "assign to the state")
            return owner, None
        if isinstance(target, ast.Subscript):
            owner = self.expression(target.value, frame)
            if not is_reference(owner):
                raise Refused(f"{ast.unparse(target)} is no element of the state", "use a Vector")
            vector(owner)
            return owner, self.expression(target.slice, frame)
        raise refuse(frame.file, target)

    def load(self, target: ast.expr, place: Target, frame: Frame) -> Held:
        """Return the value at an evaluated target."""
        owner, index = place
        if owner is None:
            return self.expression(target, frame)
        if isinstance(target, ast.Attribute):
            return self.store.read(self.store.field(owner, target.attr))
        return self.at(owner, index, noted=False)

    def put(self, target: ast.expr, place: Target, value: Held, frame: Frame) -> None:
        """Write a value to an evaluated target."""
        owner, index = place
        if owner is None:
            assert isinstance(target, ast.Name)
            if isinstance(value, Lazily):
                raise Refused(f"{value.function.__name__}() with a name", "loop over it directly")
            frame.names[target.id] = value
            return
        looking = "a decision" if self.store.deciding else "a property" if self.store.asking else ""
        if looking and any(leaf.index >= 0 for part in meant(owner) for leaf in leaves(part)):
            raise refuse(frame.file, target, f"{looking} changes the state", "only look at it, and return an answer")
        if isinstance(target, ast.Attribute):
            self.store.assign(self.store.field(owner, target.attr), value)
            return
        self.store.check(value)
        parts = [
            (self.graph.and_(condition, inner), shape)
            for condition, number in self.places(owner, index)
            for inner, shape in self.store.element(owner, number)
        ]
        self.store.assign(parts, value)
