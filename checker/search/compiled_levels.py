"""Levels by the machine: rows of states, a table of fingerprints, and kernels that do a whole level at once."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from checker.deadline import Deadline
from checker.machine.instructions import LANES
from checker.machine.job import Cursor, Move, Pause
from checker.machine.store import Kernels
from checker.search.expansion import Mask, Parents, States
from checker.search.levels import ColumnLevels, Level
from checker.search.machine_code import MachineCode

FULLEST = 5 / 8
"""The part of a table's places that are in use at most: free ones end each look."""
SLICE = 64
"""Blocks of a level between two looks at the clock."""


class CompiledLevels:
    """The levels of a search that has begun as columns."""

    name = "compiled"

    def __init__(self, code: MachineCode, kernels: Kernels, begun: ColumnLevels) -> None:
        """Go on where the columns have come to."""
        self.code = code
        self.kernels = kernels
        self.job = code.job()
        expander = code.expander
        self._grow_table(len(begun.seen))
        # Two words of a fingerprint are known of the newest level only, with which such a search begins.
        words = len(code.plain)
        prints = begun.seen[None] if words == 1 else code.prints(begun.frontier)
        for start in range(0, prints.shape[1], LANES):
            part = prints[:, start : start + LANES]
            self.job.prints[:words, : part.shape[1]] = part
            self.job.cursor[Cursor.PENDING] = part.shape[1]
            kernels.call("enter", self.job)
        self.former = np.zeros_like(self.job.found)
        """The rows that the newest level is kept in: those of the level before are written over."""
        self._new_level(expander.plain.rows(list(begun.frontier)))

    @property
    def size(self) -> int:
        """How many states the newest level has."""
        return len(self.job.frontier)

    def advance(self, unseen: Collection[str], clock: Deadline) -> Level:
        """Go one step on."""
        job, cursor = self.job, self.job.cursor
        cursor[[Cursor.BLOCK, Cursor.GUARD, Cursor.DRAIN, Cursor.PENDING, Cursor.NEW]] = 0
        job.queued[:], job.taken[:], job.violations[:] = 0, 0, -1
        job.seen[:] = [name not in unseen for name, _ in self.code.expander.shown]
        left = False
        pause = Pause.STOPPED
        while pause != Pause.DONE and not left:
            cursor[Cursor.STOP] = cursor[Cursor.BLOCK] + SLICE
            pause = Pause(self.kernels.call("expand", self.job))
            if pause == Pause.FULL:
                self._make_room()
            left = pause != Pause.DONE and clock.over
        level = self._level(unseen)
        level.left = left
        former = self.former
        self.former = self.job.found
        self._new_level(self.former[: cursor[Cursor.NEW]])
        self.job = self.job._replace(found=former)
        return level

    def _level(self, unseen: Collection[str]) -> Level:
        """Return what the kernels have noted."""
        job, expander = self.job, self.code.expander
        parent, instance, choice = job.steps[: job.cursor[Cursor.NEW]].T
        level = Level(Parents(parent.astype(np.uint32), instance.astype(np.uint16), choice.astype(np.uint16)))
        for compiled, times in zip(expander.compiled, job.taken.tolist(), strict=True):
            name = compiled.transition.instance.action.name
            level.taken[name] = level.taken.get(name, 0) + times
        shown = zip(expander.shown, job.seen, strict=True)
        level.seen = [name for (name, _), seen in shown if seen and name in unseen]
        for name, (before, number, chosen) in zip(self.code.names, job.violations.tolist(), strict=True):
            if before >= 0:
                level.violations[name] = before, expander.taken(number, chosen)
        return level

    def _new_level(self, rows: NDArray[np.signedinteger]) -> None:
        """Make some states the newest level, and ask of them what is asked of every state."""
        self.job = self.job._replace(frontier=rows)
        self.job.failing[:] = -1
        self.kernels.call("ask", self.job)

    def _make_room(self) -> None:
        """Double what is full."""
        job = self.job
        new = int(job.cursor[Cursor.NEW])
        if new + 2 * LANES > len(job.found):
            found = np.zeros((2 * len(job.found), job.found.shape[1]), job.found.dtype)
            found[:new] = job.found[:new]
            self.job = job._replace(found=found)
        if len(job.steps) < len(self.job.found):
            steps = np.zeros((len(self.job.found), 3), np.int32)
            steps[:new] = job.steps[:new]
            self.job = self.job._replace(steps=steps)
        self._grow_table(int(job.cursor[Cursor.COUNT]))

    def _grow_table(self, count: int) -> None:
        """Let the table have room for two blocks beside so many fingerprints."""
        old, size = self.job.table, len(self.job.table)
        while FULLEST * size < count + 2 * LANES:
            size *= 2
        self.job.cursor[Cursor.ROOM] = int(FULLEST * size)
        if size > len(old):
            new = np.zeros((size, old.shape[1]), np.uint64)
            self.kernels.call("rehash", Move(old, new))
            self.job = self.job._replace(table=new)

    def failing(self, place: int) -> int | None:
        """Return the first state of the newest level of which a property of states does not hold."""
        first = int(self.job.failing[place])
        return None if first < 0 else first

    def some(self, most: int) -> States:
        """Return a few states of the newest level, spread over it."""
        rows = self.job.frontier[:: max(1, self.size // most)][:most]
        states = np.zeros((len(self.code.expander.reader.leaves), len(rows)), rows.dtype)
        states[self.code.kept] = rows.T[: len(self.code.kept)]
        return states

    def contains(self, states: States) -> Mask:
        """Return which of some states the search has been in."""
        table = self.job.table
        prints = self.code.prints(states)
        prints[0, prints[0] == 0] = 1
        mask = np.uint64(len(table) - 1)
        at = prints[0] & mask
        found, going = np.zeros(len(at), bool), np.ones(len(at), bool)
        while going.any():
            there = table[at.astype(np.int64)]
            same = (there == prints.T).all(axis=1)
            found |= going & same
            going &= (there[:, 0] != 0) & ~same
            at = (at + np.uint64(1)) & mask
        return found
