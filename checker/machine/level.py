"""All steps from the states of a level, block by block: guards, successors, what they violate, which of them are new.

Of each block the guards say which instance may happen in which states. These wait in a queue for each instance until
they fill a block, which is then computed at once; what comes of that waits until it fills a block as well, and is
looked up. A pause leaves everything where it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from checker.machine.hashing import of_row, symmetric
from checker.machine.instructions import LANES
from checker.machine.interpreter import run
from checker.machine.job import Cursor, Job, Move, Pause, Plan, Stretch
from checker.machine.native import kernel
from checker.machine.table import add, lately, move, touch
from checker.machine.transposing import to_registers, to_rows

# The compiler takes numbers, and no members of an enumeration, for constants.
GUARDS, ALWAYS, BROKEN, SHOWN = (int(it) for it in (Plan.GUARDS, Plan.ALWAYS, Plan.BROKEN, Plan.SHOWN))
AFTER, PARAMETERS, LATE, ALIVE = (int(it) for it in (Plan.AFTER, Plan.PARAMETERS, Plan.LATE, Plan.ALIVE))
FAULTY, ANY_BROKEN, SYMMETRIC = (int(it) for it in (Plan.FAULTY, Plan.ANY_BROKEN, Plan.SYMMETRIC))
BLOCK, GUARD, DRAIN, STOP = (int(it) for it in (Cursor.BLOCK, Cursor.GUARD, Cursor.DRAIN, Cursor.STOP))
PENDING, NEW, COUNT = (int(it) for it in (Cursor.PENDING, Cursor.NEW, Cursor.COUNT))
ROOM, TOUCHED = int(Cursor.ROOM), int(Cursor.TOUCHED)
START = np.int64(0)
DONE, STOPPED, FULL = (int(it) for it in (Pause.DONE, Pause.STOPPED, Pause.FULL))


@kernel
def expand(job: Job) -> int:
    """Take all steps from a level, or go on where it paused; return DONE, STOPPED or FULL."""
    cursor = job.cursor
    blocks = (job.frontier.shape[0] + LANES - 1) // LANES
    while cursor[BLOCK] < blocks:
        if cursor[GUARD] == 0:
            if cursor[BLOCK] >= cursor[STOP]:
                return STOPPED
            load(job, cursor[BLOCK])
            run(job.code, job.plan[GUARDS], job.plan[GUARDS + 1], job.registers)
        while cursor[GUARD] < job.guards.shape[0]:
            instance = job.guards[cursor[GUARD], 1]
            waiting = job.queued[instance]
            if waiting >= LANES:
                if not has_room(job):
                    return FULL
                take(job, instance, min(LANES, waiting))
            collect(job, cursor[GUARD])
            cursor[GUARD] += 1
        cursor[GUARD] = 0
        cursor[BLOCK] += 1
    while cursor[DRAIN] < job.instances.shape[0]:
        waiting = job.queued[cursor[DRAIN]]
        if waiting:
            if not has_room(job):
                return FULL
            take(job, cursor[DRAIN], min(LANES, waiting))
        else:
            cursor[DRAIN] += 1
    if not has_room(job):
        return FULL
    settle(job)
    return DONE


@kernel
def has_room(job: Job) -> bool:
    """Whether two more blocks of new states fit."""
    more = 2 * LANES
    fits: bool = job.cursor[NEW] + more <= job.found.shape[0] and job.cursor[COUNT] + more <= job.cursor[ROOM]
    return fits


@kernel
def load(job: Job, block: int) -> int:
    """Put a block of the level into the registers of the state before; return how many states it has."""
    first = block * LANES
    count: int = min(LANES, job.frontier.shape[0] - first)
    to_registers(job.frontier[first:], job.identity, START, count, job.registers, 0, job.square)
    return count


@kernel
def collect(job: Job, guard: int) -> None:
    """Queue the states of the present block in which a guard holds."""
    holds, instance, choice = job.registers[job.guards[guard, 0]], job.guards[guard, 1], job.guards[guard, 2]
    first = job.cursor[BLOCK] * LANES
    count = min(LANES, job.frontier.shape[0] - first)
    queue, chosen = job.queue[instance], job.chosen[instance]
    waiting = job.queued[instance]
    eights = holds.view(np.uint64)
    lanes = 8 // holds.itemsize
    for eight in range((count + lanes - 1) // lanes):
        if eights[eight] == 0:
            continue
        for i in range(lanes * eight, min(lanes * (eight + 1), count)):
            if holds[i]:
                queue[waiting] = first + i
                chosen[waiting] = choice
                waiting += 1
    job.queued[instance] = waiting


@kernel
def take(job: Job, instance: int, count: int) -> None:
    """Take an instance in the states that were queued for it last."""
    registers, plan = job.registers, job.plan
    base = job.queued[instance] - count
    to_registers(job.frontier, job.queue[instance], base, count, registers, 0, job.square)
    for p in range(job.instances[instance, 2]):
        values, parameter = job.choices[instance, p], registers[plan[PARAMETERS] + p]
        for i in range(count):
            parameter[i] = values[job.chosen[instance, base + i]]
    run(job.code, job.instances[instance, 0], job.instances[instance, 1], registers)
    run(job.code, plan[BROKEN], plan[BROKEN + 1], registers)
    note(job, instance, base, count)
    look(job, count)
    to_rows(registers, plan[AFTER], count, job.rows, job.square)
    keep(job, instance, base, count)
    job.queued[instance] = base


@kernel
def note(job: Job, instance: int, base: int, count: int) -> None:
    """Count the steps, and note those that violate something."""
    registers, plan = job.registers, job.plan
    late, alive = registers[plan[LATE]], registers[plan[ALIVE]]
    faulty, broken = registers[plan[FAULTY]], registers[plan[ANY_BROKEN]]
    taken, faults, breaks = 0, 0, 0
    for i in range(count):
        taken += late[i] != 0
        faults += faulty[i] != 0
        breaks += (broken[i] & alive[i]) != 0
    job.taken[instance] += taken
    if faults:
        for f in range(job.instances[instance, 3], job.instances[instance, 4]):
            accuse(job, job.faults[f, 0], job.faults[f, 1], late, instance, base, count)
    if breaks:
        for f in range(job.broken.shape[0]):
            accuse(job, job.broken[f, 0], job.broken[f, 1], alive, instance, base, count)


@kernel
def accuse(job: Job, register: int, name: int, among: np.ndarray, instance: int, base: int, count: int) -> None:
    """Note the first step that violates a property, unless there is one already."""
    bad, step = job.registers[register], job.violations[name]
    if step[0] >= 0:
        return
    for i in range(count):
        if bad[i] & among[i]:
            step[0], step[1], step[2] = job.queue[instance, base + i], instance, job.chosen[instance, base + i]
            return


@kernel
def look(job: Job, count: int) -> None:
    """Look for what has not been seen yet."""
    left = 0
    for s in range(job.seen.shape[0]):
        left += job.seen[s] == 0
    if not left:
        return
    alive = job.registers[job.plan[ALIVE]]
    run(job.code, job.plan[SHOWN], job.plan[SHOWN + 1], job.registers)
    for s in range(job.seen.shape[0]):
        if not job.seen[s]:
            shown = job.registers[job.shown[s]]
            for i in range(count):
                if shown[i] & alive[i]:
                    job.seen[s] = 1
                    break


@kernel
def keep(job: Job, instance: int, base: int, count: int) -> None:
    """Let the states after the steps wait to be looked up; of the same state again and again only the first does."""
    cursor = job.cursor
    alive = job.registers[job.plan[ALIVE]]
    words, waiting = job.rows.view(np.uint64), job.pending.view(np.uint64)
    for i in range(count):
        if alive[i]:
            first = of_row(words, i, job.keys[0])
            if job.plan[SYMMETRIC] and lately(job.recent, first):
                continue
            at = cursor[PENDING]
            for w in range(words.shape[1]):
                waiting[at, w] = words[i, w]
            job.prints[0, at] = first
            job.origins[at, 0] = job.queue[instance, base + i]
            job.origins[at, 1] = instance
            job.origins[at, 2] = job.chosen[instance, base + i]
            cursor[PENDING] = at + 1
            if at + 1 == LANES:
                settle(job)


@kernel
def settle(job: Job) -> None:
    """Look up the states that wait; those that are new are found."""
    cursor, count = job.cursor, job.cursor[PENDING]
    fingerprints(job, job.pending, count)
    cursor[TOUCHED] ^= np.int64(touch(job.table, job.prints, count))
    waiting, found = job.pending.view(np.uint64), job.found.view(np.uint64)
    for i in range(count):
        if add(job.table, job.prints, i):
            at = cursor[NEW]
            for w in range(waiting.shape[1]):
                found[at, w] = waiting[i, w]
            for part in range(3):
                job.steps[at, part] = job.origins[i, part]
            cursor[NEW] = at + 1
            cursor[COUNT] += 1
    cursor[PENDING] = 0


@kernel
def fingerprints(job: Job, rows: np.ndarray, count: int) -> None:
    """Compute what the fingerprints of the pending rows still lack."""
    words = job.table.shape[1]
    if job.plan[SYMMETRIC]:
        to_registers(rows, job.identity, START, count, job.columns, 0, job.square)
        for word in range(words):
            symmetric(
                job.columns,
                count,
                job.renamings,
                job.lookups,
                job.entries,
                job.references,
                job.maps,
                job.words[word],
                job.sums,
                job.spots,
                job.prints[word],
            )
    elif words == 2:
        as_words = rows.view(np.uint64)
        for i in range(count):
            job.prints[1, i] = of_row(as_words, i, job.keys[1])


@kernel
def ask(job: Job) -> int:
    """Ask of every state of a level what must hold of all; `failing` has the first of which it does not."""
    plan = job.plan
    for block in range((job.frontier.shape[0] + LANES - 1) // LANES):
        count = load(job, block)
        run(job.code, plan[ALWAYS], plan[ALWAYS + 1], job.registers)
        for a in range(job.always.shape[0]):
            holds, name = job.registers[job.always[a, 0]], job.always[a, 1]
            if job.failing[name] < 0:
                for i in range(count):
                    if not holds[i]:
                        job.failing[name] = block * LANES + i
                        break
    return DONE


@kernel
def interpret(stretch: Stretch) -> int:
    """Run a stretch of instructions."""
    run(stretch.code, stretch.ends[0], stretch.ends[1], stretch.registers)
    return DONE


@kernel
def enter(job: Job) -> int:
    """Put the fingerprints of the pending states into the table: states found in another way."""
    for i in range(job.cursor[PENDING]):
        if add(job.table, job.prints, i):
            job.cursor[COUNT] += 1
    job.cursor[PENDING] = 0
    return DONE


@kernel
def rehash(tables: Move) -> int:
    """Move all fingerprints into a larger table."""
    move(tables.old, tables.new)
    return DONE


ENTRIES: dict[str, tuple[Callable[..., int], type]] = {
    "expand": (expand, Job),
    "ask": (ask, Job),
    "interpret": (interpret, Stretch),
    "enter": (enter, Job),
    "rehash": (rehash, Move),
}
"""What can be called from outside, with the arrays that it takes."""
