"""Fingerprints without names as tables for the machine (checker/machine/hashing.py): which leaf is looked up where."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.machine.arrays import HashTable, NumberTable
from checker.model.layout import Leaf
from checker.search.fingerprint import NewNames, Symmetric
from checker.search.tables import Table, span


class FingerprintCode:
    """The tables of one or two symmetric fingerprints, which differ in their random words alone."""

    def __init__(self, symmetric: list[Symmetric], place: dict[int, int], width: type[np.signedinteger]) -> None:
        """Prepare; `place` says in which register each leaf is. None: names are kept, and all tables are empty."""
        self.place = place
        self._words: list[list[int]] = [[] for _ in symmetric]
        self._bases: dict[int, int] = {}
        self._maps: list[list[int]] = []
        self._entries: list[list[int]] = []
        self._lookups: list[list[int]] = []
        self._references: list[list[int]] = []
        self._renamings: list[list[int]] = []
        if symmetric:
            self._keep_words(symmetric)
            for renaming in symmetric[0].renamings:
                self._rename(symmetric[0], renaming)
        self.members = symmetric[0].size if symmetric else 0
        self.renamings = _table(self._renamings, 4)
        self.lookups = _table(self._lookups, 5)
        self.entries = _table(self._entries, 4)
        self.references = _table(self._references, 3)
        longest = max([1, *map(len, self._maps)])
        self.maps: NDArray[Any] = np.array([[*row, *[0] * (longest - len(row))] for row in self._maps or [[0]]], width)
        self.words: HashTable = np.array(self._words or [[0]], np.uint64)

    def _keep_words(self, symmetric: list[Symmetric]) -> None:
        """Keep all random words, the same kind at the same place for each fingerprint."""
        first = symmetric[0]
        for number, table in enumerate([*first.plain, *first.about]):
            self._bases[id(table)] = len(self._words[0])
            for words, one in zip(self._words, symmetric, strict=True):
                words.extend([*one.plain, *one.about][number].words.tolist())
        self._keys = len(self._words[0])
        for words, one in zip(self._words, symmetric, strict=True):
            words.extend([*one.keys.tolist(), *one.absent.tolist()])

    def _rename(self, symmetric: Symmetric, renaming: NewNames) -> None:
        """Add the lookups and references of the states under one renaming."""
        lookups, references = len(self._lookups), len(self._references)
        names: dict[str, int] = {}
        for sort, order in renaming.new_name.items():
            names[sort] = len(self._maps)
            # The last new name is that of nobody, which is -1 and comes first here.
            self._maps.append([int(order[-1]), *map(int, order[:-1])])
        for table in symmetric.plain:
            self._look(0, table, table.leaves, renaming, names)
        for member in range(symmetric.size):
            for table in symmetric.about:
                self._look(member + 1, table, symmetric.of_member(member, table), renaming, names)
        count = len(symmetric.references)
        for number, leaf in enumerate(symmetric.references):
            column = self.place[renaming.source[leaf.index].index]
            self._references.append([column, self._keys + number, self._keys + count + number])
        self._renamings.append([lookups, len(self._lookups), references, len(self._references)])

    def _look(self, member: int, table: Table, leaves: list[Leaf], renaming: NewNames, names: dict[str, int]) -> None:
        """Add one lookup: the joint value of some leaves, the last of which counts ones."""
        entries: list[list[int]] = []
        worth = 1
        for leaf in reversed(leaves):
            column = self.place[renaming.source[leaf.index].index]
            entries.append([column, leaf.low, worth, names.get(leaf.sort or "", -1)])
            worth *= span(leaf)
        first = len(self._entries)
        self._entries += reversed(entries)
        self._lookups.append([member, self._bases[id(table)], first, len(self._entries), int(table.wide)])


def _table(rows: list[list[int]], size: int) -> NumberTable:
    return np.array(rows, np.int64).reshape(len(rows), size)
