"""Fingerprints of states: 64 bits, and the same 64 bits for all states that differ only in names.

A plain fingerprint is a sum over the words of a state's row, each mixed with a random key of its own: two different
states agree as seldom as random words do, once in 2**64 times. Where members of a sort are interchangeable, it is the
smallest over all renamings of the small sorts; members of the last sort (the slots) are not tried out: each enters by a
hash of all that refers to it and all that is recorded about it, and the sum over them does not know their names.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.model.layout import Leaf
from checker.model.user_files import BadModel
from checker.search.tables import Table, Words, group, mix
from checker.symbolic.columns import Column


class Plain:
    """Fingerprints that tell every two states apart."""

    def __init__(self, leaves: list[Leaf], width: type[np.signedinteger], seed: int = 1) -> None:
        self.kept = [leaf.index for leaf in leaves if not leaf.transient]
        self.row = -(-len(self.kept) // 8) * 8
        """Numbers in a row: whole words, whatever the width."""
        self.width = width
        words = self.row * np.dtype(width).itemsize // 8
        self.keys = np.random.default_rng(seed).integers(0, 1 << 64, words, dtype=np.uint64)

    def rows(self, columns: Sequence[Column]) -> NDArray[Any]:
        """Return states as rows, without what only tells of the last step."""
        rows = np.zeros((len(columns[0]), self.row), self.width)
        for place, index in enumerate(self.kept):
            rows[:, place] = columns[index]
        return rows

    def of(self, columns: Sequence[Column]) -> Words:
        """Return the fingerprint of each state of a chunk."""
        words = self.rows(columns).view(np.uint64)
        total = np.zeros(len(words), np.uint64)
        for word, key in zip(words.T, self.keys, strict=True):
            total += mix(word + key)
        return total


class Symmetric:
    """Fingerprints that are equal for states which differ only in the names of interchangeable members."""

    def __init__(self, leaves: list[Leaf], sorts: dict[str, int], seed: int = 2) -> None:
        *small, self.named = sorts
        self.size = sorts[self.named]
        self.leaves = [leaf for leaf in leaves if not leaf.transient]
        self.at = {(leaf.kind, leaf.places): leaf for leaf in self.leaves}
        for leaf in self.leaves:
            # What is recorded about a member enters without names, so it must name no other one.
            if self._members(leaf) and (leaf.sort == self.named or len(self._members(leaf)) > 1):
                raise BadModel(f"{leaf.path} relates two members of {self.named}: give the model another last sort")
        random = np.random.default_rng(seed)
        inside = [leaf for leaf in self.leaves if not self._members(leaf)]
        self.plain = group([leaf for leaf in inside if leaf.sort != self.named], random)
        self.references = [leaf for leaf in inside if leaf.sort == self.named]
        self.keys = random.integers(0, 1 << 64, len(self.references), dtype=np.uint64)
        self.absent = random.integers(0, 1 << 64, len(self.references), dtype=np.uint64)
        self.about = self._about(random)
        self.renamings = list(self._renamings({sort: sorts[sort] for sort in small}))

    def _members(self, leaf: Leaf) -> list[int]:
        return [member for sort, member in leaf.places if sort == self.named]

    def _of(self, member: int, leaf: Leaf) -> tuple[tuple[str, int], ...]:
        return tuple((sort, member if sort == self.named else place) for sort, place in leaf.places)

    def of_member(self, member: int, table: Table) -> list[Leaf]:
        """Return the leaves of one member that a table, made for member 0, is about."""
        return [self.at[leaf.kind, self._of(member, leaf)] for leaf in table.leaves]

    def _about(self, random: np.random.Generator) -> list[Table]:
        """Return one table per kind of leaf that is recorded about each member, made for member 0."""
        return group([leaf for leaf in self.leaves if self._members(leaf) == [0]], random)

    def _renamings(self, small: dict[str, int]) -> Iterator[NewNames]:
        for choice in itertools.product(*[itertools.permutations(range(size)) for size in small.values()]):
            renaming = dict(zip(small, choice, strict=True))
            # The renamed state has at the place of a leaf what the state has at the place that is renamed to it.
            source = {}
            for leaf in self.leaves:
                places = tuple((sort, renaming[sort][m] if sort in renaming else m) for sort, m in leaf.places)
                source[leaf.index] = self.at[leaf.kind, places]
            yield NewNames(renaming, source)

    def of(self, columns: list[Column]) -> Words:
        """Return the fingerprint of each state of a chunk: the smallest over all renamings."""
        fingerprints = [self._under(renaming, columns) for renaming in self.renamings]
        smallest: Words = np.minimum.reduce(fingerprints)
        return smallest

    def _under(self, renaming: NewNames, columns: list[Column]) -> Words:
        total = np.zeros(len(columns[0]), np.uint64)
        for table in self.plain:
            total += table.look([renaming.column(leaf, columns) for leaf in table.leaves])
        sums = [np.zeros(len(columns[0]), np.uint64) for _ in range(self.size)]
        for leaf, key, absent in zip(self.references, self.keys, self.absent, strict=True):
            column = renaming.column(leaf, columns)
            for member in range(self.size):
                sums[member] += (column == member) * key
            total += (column < 0) * absent
        for member in range(self.size):
            for table in self.about:
                there = self.of_member(member, table)
                sums[member] += table.look([renaming.column(leaf, columns) for leaf in there])
            total += mix(sums[member])
        return mix(total)


class NewNames:
    """One renaming of the members of the small sorts."""

    def __init__(self, renaming: dict[str, tuple[int, ...]], source: dict[int, Leaf]) -> None:
        self.source = source
        # A value names a member: the place that member m moves to is where the renaming maps to m.
        self.new_name = {
            sort: np.array([*[order.index(member) for member in range(len(order))], -1], np.int8)
            for sort, order in renaming.items()
            if list(order) != sorted(order)
        }

    def column(self, leaf: Leaf, columns: list[Column]) -> Column:
        """Return the column of a leaf in the renamed states."""
        column = columns[self.source[leaf.index].index]
        if leaf.sort in self.new_name:
            return self.new_name[leaf.sort][column]
        return column
