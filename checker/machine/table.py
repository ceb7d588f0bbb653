"""Which states have been seen: an open-addressing table of fingerprints, one or two words each.

A place that is free holds 0, so a fingerprint whose first word is 0 is kept as 1. Whoever adds a block first touches
all its places, so that the waits for memory overlap.
"""

from __future__ import annotations

import numpy as np

from checker.machine.arrays import Hashes, HashTable
from checker.machine.native import inlined, kernel


@kernel
def touch(table: HashTable, prints: HashTable, count: int) -> np.uint64:
    """Read the place of each fingerprint; what is returned means nothing, and keeps the reading alive."""
    mask = np.uint64(table.shape[0] - 1)
    total = np.uint64(0)
    for i in range(count):
        total += table[np.int64(prints[0, i] & mask), 0]
    return total


@inlined
def add(table: HashTable, prints: HashTable, i: int) -> bool:
    """Add a fingerprint; return whether it was not there. There is a free place."""
    mask = np.uint64(table.shape[0] - 1)
    first = prints[0, i] if prints[0, i] else np.uint64(1)
    at = first & mask
    while True:
        there = table[np.int64(at), 0]
        if there == 0:
            table[np.int64(at), 0] = first
            if table.shape[1] == 2:
                table[np.int64(at), 1] = prints[1, i]
            return True
        if there == first and (table.shape[1] == 1 or table[np.int64(at), 1] == prints[1, i]):
            return False
        at = (at + np.uint64(1)) & mask


@kernel
def move(old: HashTable, new: HashTable) -> None:
    """Put everything that a table holds into an empty one, which is larger."""
    mask = np.uint64(new.shape[0] - 1)
    for place in range(old.shape[0]):
        if old[place, 0]:
            at = old[place, 0] & mask
            while new[np.int64(at), 0]:
                at = (at + np.uint64(1)) & mask
            for word in range(old.shape[1]):
                new[np.int64(at), word] = old[place, word]


@inlined
def lately(recent: Hashes, print_: np.uint64) -> bool:
    """Whether a plain fingerprint is among the last ones of its kind; from now on it is."""
    at = np.int64(print_ & np.uint64(recent.shape[0] - 1))
    if recent[at] == print_:
        return True
    recent[at] = print_
    return False
