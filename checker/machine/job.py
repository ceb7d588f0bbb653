"""What the kernels work on: one table of arrays, of which each says what it holds."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from checker.machine.arrays import Code, Hashes, HashTable, Lanes, Lanes3, Numbers, NumberTable, Spots


class Plan(IntEnum):
    """The places of `Job.plan`: what is where, for all of a search."""

    GUARDS = 0
    """The routine of all guards over the state before: its first instruction; the place after it has the end."""
    ALWAYS = 2
    """That of all properties of a state."""
    BROKEN = 4
    """That of all properties of a step, over both states."""
    SHOWN = 6
    """That of all that is looked for in a step."""
    AFTER = 8
    """The first register of the state after."""
    PARAMETERS = 9
    """The first register of the free parameters."""
    LATE = 10
    """The register of whether an instance is enabled, once its guard holds."""
    ALIVE = 11
    """That of whether there is a state afterwards."""
    FAULTY = 12
    """That of whether the action itself violates something."""
    ANY_BROKEN = 13
    """That of whether a property of steps is violated."""
    SYMMETRIC = 14
    """Whether names are left out of fingerprints."""


class Cursor(IntEnum):
    """The places of `Job.cursor`: how far a level has come."""

    BLOCK = 0
    """The block of the level that is being looked at."""
    GUARD = 1
    """The guard whose states are queued next."""
    DRAIN = 2
    """After the last block: the instance whose queue is emptied."""
    STOP = 3
    """The block before which to pause."""
    PENDING = 4
    """States that wait to be looked up, less than a block."""
    NEW = 5
    """States found in this level."""
    COUNT = 6
    """States found in all."""
    ROOM = 7
    """Fingerprints that the table takes before it has to grow."""
    TOUCHED = 8
    """Keeps what has been read ahead alive; its value means nothing."""


class Pause(IntEnum):
    """Why `expand` has returned."""

    DONE = 0
    STOPPED = 1
    """It has come to the block before which to pause."""
    FULL = 2
    """Neither the table nor the new level may have room for two more blocks."""


class Job(NamedTuple):
    """The arrays of one search; K instances, G guards, rows of W numbers, registers of 256 lanes."""

    plan: Numbers
    cursor: Numbers
    code: Code
    registers: Lanes
    """The state before first, then what `plan` says."""
    guards: NumberTable
    """[G]: the register, the instance, the choice."""
    instances: NumberTable
    """[K]: its routine's first instruction and end, how many parameters it has, its first fault and end."""
    choices: Lanes3
    """[K, parameter, choice]: the value."""
    faults: NumberTable
    """For each fault of each instance: the register, the number of the name."""
    always: NumberTable
    """For each property of a state: the register, the number of the name."""
    broken: NumberTable
    """For each property of a step: the register, the number of the name."""
    shown: Numbers
    """For each thing that is looked for: the register."""
    keys: HashTable
    """[2]: the keys of a row's words, for the first word of its fingerprint and the second."""
    renamings: NumberTable
    """For each: first lookup and end, first reference and end."""
    lookups: NumberTable
    """For each: the member (0: none), where its words begin, first entry and end, whether its words are computed."""
    entries: NumberTable
    """For each leaf of a lookup: the register, the lowest value, what one more is worth, the new names or -1."""
    references: NumberTable
    """For each: the register, the place of its key, the place of the key of naming nobody."""
    maps: Lanes
    """New names by old ones, from that of nobody (-1) on."""
    words: HashTable
    """[1 or 2]: all random words, for the first word of a fingerprint and the second."""
    recent: Hashes
    """Plain fingerprints of late; a power of two."""
    queue: NumberTable
    """[K, 512]: states of the level in which an instance's guard holds."""
    chosen: NumberTable
    """[K, 512]: by which choice."""
    queued: Numbers
    """[K]: how many."""
    rows: Lanes
    """[256]: states after a step."""
    pending: Lanes
    """[256]: those of them that wait to be looked up."""
    origins: NumberTable
    """[256]: of each the state before, the instance, the choice."""
    prints: HashTable
    """[2, 256]: their fingerprints."""
    columns: Lanes
    """[W]: the pending states as registers."""
    sums: HashTable
    """What is known of each member, for a block."""
    spots: Spots
    """[256]: places in a table of words."""
    identity: Numbers
    """[256]: 0, 1, 2 and so on."""
    square: Hashes
    """[8]: what is being transposed."""
    frontier: Lanes
    """The states of the level, a row each."""
    found: Lanes
    """Those of the next level."""
    steps: Code
    """Of each of these the state before, the instance, the choice."""
    table: HashTable
    """All fingerprints; a power of two."""
    taken: Numbers
    """[K]: how often each instance was taken in this level."""
    violations: NumberTable
    """For each name: the first step that violates it, as state before, instance, choice; -1: none does."""
    failing: Numbers
    """For each name: the first state of the level of which it does not hold; -1: none."""
    seen: Numbers
    """For each thing that is looked for: whether it has been seen, or is no longer looked for."""


class Stretch(NamedTuple):
    """Instructions to run on one block."""

    code: Code
    registers: Lanes
    ends: Numbers
    """The first instruction, and the one after the last."""


class Move(NamedTuple):
    """A table of fingerprints, and a larger one that is empty."""

    old: HashTable
    new: HashTable
