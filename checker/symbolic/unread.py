"""Fields that nothing asks for: what is declared, recorded and carried along, and no text ever reads.

A text reads a field where it names it: an action, a decision, a property. Comparing or moving whole records reads none
of their fields, and neither does adding to one: a field that is only ever written has been added and forgotten.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from checker.model.layout import Leaf, Record, Shape, leaves, place_of


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


def unchanged(shape: Shape, changed: set[int]) -> list[Field]:
    """Return the fields that no action changes, by the indices of the leaves that actions do change."""
    return [field for field, parts in declared(shape).items() if changed.isdisjoint(leaf.index for leaf in parts)]
