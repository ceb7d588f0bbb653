"""Rows and registers: a state is kept as a row, its leaves side by side, and computed with as a lane of registers."""

from __future__ import annotations

import numpy as np

from checker.machine.arrays import Hashes, Lanes, Numbers
from checker.machine.native import inlined, kernel


@inlined
def swap(words: Hashes) -> None:
    """Transpose 8 words in place, as a square of 8 by 8 bytes: quarters first, then theirs, then theirs."""
    halves, quarters, bytes_ = (
        np.uint64(0x00000000FFFFFFFF),
        np.uint64(0x0000FFFF0000FFFF),
        np.uint64(0x00FF00FF00FF00FF),
    )
    for r in range(4):
        moved = ((words[r] >> np.uint64(32)) ^ words[r + 4]) & halves
        words[r + 4] ^= moved
        words[r] ^= moved << np.uint64(32)
    for base in range(0, 8, 4):
        for r in range(base, base + 2):
            moved = ((words[r] >> np.uint64(16)) ^ words[r + 2]) & quarters
            words[r + 2] ^= moved
            words[r] ^= moved << np.uint64(16)
    for r in range(0, 8, 2):
        moved = ((words[r] >> np.uint64(8)) ^ words[r + 1]) & bytes_
        words[r + 1] ^= moved
        words[r] ^= moved << np.uint64(8)


@kernel
def to_registers(
    rows: Lanes, which: Numbers, first: int | np.int64, count: int, registers: Lanes, at: int, square: Hashes
) -> None:
    """Put the rows `which[first:first + count]` into the lanes of the registers from `at` on.

    What is left of the last eight lanes repeats the last row.
    """
    width = rows.shape[1]
    if rows.itemsize != 1:
        for i in range(count):
            row = rows[which[first + i]]
            for j in range(width):
                registers[at + j, i] = row[j]
        return
    from_, to = rows.view(np.uint64), registers.view(np.uint64)
    for eight in range((count + 7) // 8):
        for group in range(width // 8):
            for r in range(8):
                i = 8 * eight + r
                square[r] = from_[which[first + (i if i < count else count - 1)], group]
            swap(square)
            for r in range(8):
                to[at + 8 * group + r, eight] = square[r]


@kernel
def to_rows(registers: Lanes, at: int, count: int, rows: Lanes, square: Hashes) -> None:
    """Put the first lanes of the registers from `at` on into rows, eight at a time."""
    width = rows.shape[1]
    if rows.itemsize != 1:
        for i in range(count):
            for j in range(width):
                rows[i, j] = registers[at + j, i]
        return
    from_, to = registers.view(np.uint64), rows.view(np.uint64)
    for eight in range((count + 7) // 8):
        for group in range(width // 8):
            for r in range(8):
                square[r] = from_[at + 8 * group + r, eight]
            swap(square)
            for r in range(8):
                to[8 * eight + r, group] = square[r]
