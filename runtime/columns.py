"""Named columns of one block of integers, so that rows are filtered, joined and copied with every field they have."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Column:
    """One line of a block, under a name; `block` is the owner's array of shape [columns, rows]."""

    __slots__ = ("number", "sentence")

    def __init__(self, number: int, sentence: str) -> None:
        self.number = number
        self.sentence = sentence

    @overload
    def __get__(self, owner: None, kind: type) -> Column: ...
    @overload
    def __get__(self, owner: Any, kind: type) -> Ints: ...
    def __get__(self, owner: Any, kind: type) -> Column | Ints:
        """Return the line as a view: writing into it writes the block."""
        if owner is None:
            return self
        line: Ints = owner.block[self.number]
        return line


def columns_of(kind: type) -> dict[str, Column]:
    """Return the columns of a class by name, in the order of their lines; they must fill the block without a gap."""
    found = {name: item for name, item in vars(kind).items() if isinstance(item, Column)}
    if [column.number for column in found.values()] != list(range(len(found))):
        raise TypeError(f"{kind.__name__}: the columns are not numbered 0..{len(found) - 1} in order")
    return found
