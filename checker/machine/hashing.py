"""Fingerprints of a block of states, the same as the columns compute (checker/search/fingerprint.py)."""

from __future__ import annotations

import numpy as np

from checker.machine.arrays import Hashes, HashTable, Lanes, Numbers, NumberTable, Spots
from checker.machine.native import inlined, kernel


@inlined
def mix(word: np.uint64) -> np.uint64:
    """Return a word in which every bit depends on every bit of the input (the finalizer of splitmix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined
def of_row(words: HashTable, row: int, keys: Hashes) -> np.uint64:
    """Return the plain fingerprint of a row, given as words."""
    total = np.uint64(0)
    for j in range(words.shape[1]):
        total += mix(words[row, j] + keys[j])
    return total


@kernel
def place_of(
    columns: Lanes, count: int, first: int, last: int, entries: NumberTable, maps: Lanes, spots: Spots
) -> None:
    """Compute the place of each state's joint value of a few leaves in their table of words.

    An entry is a column, the lowest value, what one more is worth, and the new names of its values (-1: none).
    """
    for i in range(count):
        spots[i] = 0
    for e in range(first, last):
        column, low, worth, renamed = columns[entries[e, 0]], entries[e, 1], entries[e, 2], entries[e, 3]
        if renamed < 0:
            for i in range(count):
                spots[i] += (column[i] - low) * worth
        else:
            names = maps[renamed]
            for i in range(count):
                spots[i] += (names[column[i] + 1] - low) * worth


@kernel
def add_wide(columns: Lanes, count: int, entry: Numbers, maps: Lanes, key: np.uint64, sums: Hashes) -> None:
    """Add the word of a leaf that has too many values for a table: it is computed."""
    column = columns[entry[0]]
    for i in range(count):
        value = column[i] if entry[3] < 0 else maps[entry[3], column[i] + 1]
        sums[i] += mix(np.uint64(value - entry[1]) + key)


@kernel
def symmetric(
    columns: Lanes,
    count: int,
    renamings: NumberTable,
    lookups: NumberTable,
    entries: NumberTable,
    references: NumberTable,
    maps: Lanes,
    words: Hashes,
    sums: HashTable,
    spots: Spots,
    prints: Hashes,
) -> None:
    """Compute for each state the smallest fingerprint over all renamings of the members of the small sorts.

    A renaming is a stretch of lookups and one of references. A lookup adds the word of a few leaves to what is known of
    a member of the last sort, or (0) to what names no such member; a reference adds its own key to the member it names.
    """
    members = sums.shape[0] - 1
    for i in range(count):
        prints[i] = ~np.uint64(0)
    for r in range(renamings.shape[0]):
        for member in range(members + 1):
            for i in range(count):
                sums[member, i] = np.uint64(0)
        for at in range(renamings[r, 0], renamings[r, 1]):
            member, base, wide = lookups[at, 0], lookups[at, 1], lookups[at, 4]
            if wide:
                add_wide(columns, count, entries[lookups[at, 2]], maps, words[base], sums[member])
                continue
            place_of(columns, count, lookups[at, 2], lookups[at, 3], entries, maps, spots)
            for i in range(count):
                sums[member, i] += words[base + spots[i]]
        for at in range(renamings[r, 2], renamings[r, 3]):
            column, key, absent = columns[references[at, 0]], words[references[at, 1]], words[references[at, 2]]
            for i in range(count):
                named = column[i] + 1
                sums[named, i] += key if named else absent
        for member in range(1, members + 1):
            for i in range(count):
                sums[0, i] += mix(sums[member, i])
        for i in range(count):
            prints[i] = min(prints[i], mix(sums[0, i]))
