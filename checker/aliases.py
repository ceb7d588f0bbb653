"""Aliases: to Python assigning a record binds one object to a second place; to the walk a place is its leaves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from checker.shape import Array, Record
from checker.syntax import refuse
from checker.values import REPLACED, Mux, inside, meant

if TYPE_CHECKING:
    from checker.evaluate import Frame


class Aliases:
    """Which records have a place in the state, and which names must not be used for them; mixed into the walk."""

    loose: set[Record | Array]
    """Records and vectors made by this walk that have no place yet."""
    given: set[Record | Array]
    """Those that have been given to a place: their former names are aliases of it."""

    def made(self, value: Record | Array) -> Record | Array:
        """Note a record or vector that no place of the state has yet, so that one may be given it."""
        self.loose.add(value)
        return value

    def give(self, value: Any, node: ast.AST, frame: Frame) -> None:
        """Give a record or vector to a place; refuses one that has a place already."""
        if isinstance(value, (Record, Array, Mux)):
            given = set(meant(value))
            if not given <= self.loose:
                raise refuse(frame.file, node, "an alias: this record has a place already", "assign copy(...) of it")
            self.loose -= given
            self.given.update(inside(value))

    def check_alias(self, value: Any, node: ast.Name, frame: Frame) -> None:
        """Refuse a name for a record that has been given away, or replaced where the name found it."""
        if value is REPLACED or not self.given.isdisjoint(meant(value)):
            raise refuse(
                frame.file,
                node,
                f"an alias: what {node.id} refers to has been assigned or replaced",
                "read it from the state again",
            )

    def is_record(self, cls: type) -> bool:
        """Whether a class is a record of the state: a mutable dataclass with slots."""
        return "__slots__" in cls.__dict__ and not cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
