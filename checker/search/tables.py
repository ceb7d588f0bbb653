"""Random words: one for each value of a leaf, or for each joint value of a few small ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.model.layout import Leaf
from checker.symbolic.columns import Column

Words = NDArray[np.uint64]
_SPAN = 1 << 11
"""Entries of a table that stay in the first-level cache."""


def mix(words: Words) -> Words:
    """Return words in which every bit depends on every bit of the input (the finalizer of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def span(leaf: Leaf) -> int:
    """Return how many values a leaf may have."""
    return leaf.high - leaf.low + 1


class Table:
    """Random words for the joint value of a few leaves."""

    def __init__(self, leaves: list[Leaf], random: np.random.Generator) -> None:
        self.leaves = leaves
        size = int(np.prod([span(leaf) for leaf in leaves]))
        self.wide = size > 1 << 22
        self.words = random.integers(0, 1 << 64, 1 if self.wide else size, dtype=np.uint64)

    def look(self, columns: list[Column]) -> Words:
        """Return the word for each entry of the leaves' columns."""
        width: type[np.signedinteger] = np.int64 if self.wide else np.int32
        index: NDArray[np.signedinteger] | None = None
        for leaf, column in zip(self.leaves, columns, strict=True):
            value = column.astype(width) - leaf.low
            index = value if index is None else index * span(leaf) + value
        assert index is not None
        if self.wide:
            return mix(index.astype(np.uint64) + self.words[0])
        found: Words = self.words[index]
        return found


def group(leaves: list[Leaf], random: np.random.Generator) -> list[Table]:
    """Put neighbouring leaves into joint tables."""
    tables: list[Table] = []
    waiting: list[Leaf] = []
    size = 1
    for leaf in leaves:
        if waiting and size * span(leaf) > _SPAN:
            tables.append(Table(waiting, random))
            waiting, size = [], 1
        waiting.append(leaf)
        size *= span(leaf)
    return [*tables, Table(waiting, random)] if waiting else tables
