"""Fields that nothing asks for or gives a value: declared, carried along, and never read or never written.

A text reads a field where it names it: an action, a decision, a property. Comparing or moving whole records reads none
of their fields, and neither does adding to one: a field that is only ever written has been added and forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from checker.model.layout import Leaf, Record, Shape, leaves, place_of
from checker.symbolic.node import Node, Value
from checker.symbolic.transitions import Reader, Transition, constants


class Field(NamedTuple):
    """A field of one of the state's records."""

    cls: type
    name: str

    @property
    def spelled(self) -> str:
        """The field as people write it: Request.last_len."""
        return f"{self.cls.__name__}.{self.name}"

    @property
    def place(self) -> str:
        """FILE:LINE of its declaration."""
        return place_of(self.cls, self.name)


def declared(shape: Shape) -> dict[Field, list[Leaf]]:
    """Return every field that holds anything in this scope, in order, with all that lies in it wherever it stands."""
    found: dict[Field, list[Leaf]] = {}
    _declare(shape, found)
    return {field: parts for field, parts in found.items() if parts}


def _declare(shape: Shape, found: dict[Field, list[Leaf]]) -> None:
    if isinstance(shape, Record):
        for name, part in shape.fields.items():
            found.setdefault(Field(shape.cls, name), []).extend(leaves(part))
            _declare(part, found)
    elif not isinstance(shape, Leaf):
        for part in shape.elements:
            _declare(part, found)


def unread(shape: Shape, looked: set[str]) -> list[Field]:
    """Return the fields of which nothing has been read, by the paths of all that has been."""
    kinds = {re.sub(r"\[\d+\]", "", path) for path in looked}
    return [
        field
        for field, parts in declared(shape).items()
        if field.spelled not in kinds and not any(leaf.kind in kinds for leaf in parts)
    ]


def unchanged(reader: Reader, transitions: Iterable[Transition]) -> list[Field]:
    """Return the fields to which no action gives a value: records that are moved carry theirs, or begin anew."""
    fields = declared(reader.model.shape)
    carried: dict[str, set[Value]] = {}
    for leaf in reader.leaves:
        carried.setdefault(leaf.kind, set()).add(reader.inputs[leaf.index])
    starts = constants(reader.model)
    for transition in transitions:
        fields = {
            field: parts
            for field, parts in fields.items()
            if all(_is_carried(transition.after[leaf.index], carried[leaf.kind], starts[leaf.index]) for leaf in parts)
        }
    return list(fields)


def _is_carried(value: Value, carried: set[Value], start: Value) -> bool:
    """Whether a value is, on every path, a field's own first value or what one of its kind had before."""
    if not isinstance(value, Node):
        return value == start
    if value in carried:
        return True
    if value.op in ("where", "if"):
        return all(_is_carried(part, carried, start) for part in value.args[1:])
    # A truth value that starts as False and is taken back on some paths is a conjunction, the other an alternative.
    if value.op == ("or" if start else "and"):
        return any(isinstance(part, Node) and _is_carried(part, carried, start) for part in value.args)
    return False
