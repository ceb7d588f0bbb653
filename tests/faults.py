"""Faults of the runtime, planted by tests only, and what the fuzzer makes of each: the tester tested.

`python -m tests.faults [NAME...] [--time 60s]` hunts for every one of them and prints what found it, how fast, and in
how many steps; it fails if one is not found, or only by an error of the plant's own, or if its story is longer than the
spec's shortest and four steps more.
`--seeds 10` hunts with each of ten seeds instead, and prints how long the unluckiest took.
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from dataclasses import dataclass

from checker.command import console
from checker.command.tables import table
from checker.exit_codes import SHOWN, VIOLATED
from checker.lockstep.campaign import seconds_of
from checker.lockstep.findings import FailingRun
from checker.lockstep.hunt import hunt
from checker.search.check import Check
from checker.search.perform import run
from checker.search.suite import STORY_SCOPE
from runtime import boundary, device_ops, forward
from runtime.engine import Engine
from runtime.pool import SlotPool
from runtime.publisher import Publisher
from runtime.requests import RequestTable
from runtime.states import StatePool
from runtime.tracking import Tracker
from runtime.upload import Buffer, Staging
from spec.scope import EAGER, LAZY, BadScope
from tests.support.batch_faults import BATCH_FAULTS
from tests.support.cache_faults import LOCK_FAULTS, ORDER_FAULTS
from tests.support.loop_faults import LOOP_FAULTS
from tests.support.planting import Fault, Plant

MORE_THAN_THE_SPEC = 4
"""How many steps a story may take beyond the spec's shortest."""
WITHOUT_COUNTERPART = 12
"""How many it may take where the spec has no such slip."""
NO_SLIPS = ("AttributeError", "NameError", "TypeError", "UnboundLocalError", "ValueError")
"""What a plant raises that does not fit the runtime any more: it is found, and shows nothing."""


def asks_the_request(mode: str) -> Plant:
    """What before-29792 did on the result side, in one mode: length and pointer of the request instead of the row."""
    return Plant(
        Tracker,
        "complete",
        "    return alive, ahead, freed",
        f"""\
    if self.config.mode == {mode!r}:
        seat, ring = rows.seat, self.config.ring
        length = table.seq_len[seat]
        block = rows.block.copy()
        position = (table.next[seat] - (self.config.mode == EAGER)) % ring
        block[Rows.mark.number] = np.where(rows.decode_count == 0, rows.mark,
            boundary.decode_mark(length, self.config.interval))
        block[Rows.position.number] = position
        block[Rows.slot.number] = table.ring[seat, position]
        shared = Rows(block)
        asked = shared.filter((alive & (shared.mark != ABSENT)).nonzero()[0])
        replaced = self._superseded(asked)
        self._complete(asked)
        if self.config.mode == LAZY:
            freed = np.concatenate([freed, self._drop(*replaced)])
    return alive, ahead, freed""",
    )


def not_by_the_row(mode: str) -> Plant:
    """The completion by the row, left out in one mode."""
    by_row = "places[alive[places]]"
    return Plant(Tracker, "complete", by_row, f"{by_row}[: 0 if self.config.mode == {mode!r} else None]")


def design(name: str, mode: str) -> Check:
    return Check(f"{STORY_SCOPE} mode={mode}", design=name)


def edit(name: str, mode: str) -> Check:
    return Check(f"{STORY_SCOPE} mode={mode}", edit=name)


ABSENT_TOO = Plant(
    Tracker,
    "refuse_unowned",
    "ring[ring != ABSENT]",
    f"(ring if self.config.mode == {LAZY!r} else ring[ring != ABSENT])",
)
HELD = "earlier != ABSENT and cache.holds(table.tokens[seat, :earlier])"
RECORD = "self.block[:, seat] = self._idle[:, 0]"

FAULTS = (
    Fault(
        "before-29792-eager",
        "eager, the result side asks the request for length and position, which the next batch has moved",
        (not_by_the_row(EAGER), asks_the_request(EAGER)),
        design("before-29792", EAGER),
    ),
    Fault(
        "before-29792-lazy",
        "lazy, the same",
        (not_by_the_row(LAZY), asks_the_request(LAZY)),
        design("before-29792", LAZY),
    ),
    Fault(
        "merged-29792",
        "eager, a decode row's flip of `next` waits until the boundary that is known then is processed",
        (
            Plant(Tracker, "_eager", "boundary.eager_next(position, mark, self.config.ring)", "position"),
            Plant(
                Tracker,
                "complete",
                "    return alive, ahead, freed",
                """\
    if self.config.mode == EAGER:
        known = table.seq_len[rows.seat] - ahead + 1
        flips = np.where(ahead == 0, rows.mark != ABSENT, known % self.config.interval == 0)
        at = rows.seat[alive & flips & (rows.decode_count > 0)]
        table.next[at] = boundary.following(table.next[at], self.config.ring)
    return alive, ahead, freed""",
            ),
        ),
        design("merged-29792", EAGER),
    ),
    Fault(
        "early-free",
        "lazy, the former checkpoint is freed when the row of the newer one is prepared",
        (
            Plant(
                Tracker,
                "_lazy",
                "        table.next[at] = position\n",
                """\
        table.next[at] = position
        former = boundary.superseded(table.last[at], position, mark)
        gone = former != ABSENT
        self._drop(table.ring[at[gone], former[gone]], at[gone], former[gone])
""",
            ),
        ),
    ),
    Fault(
        "absent-freed",
        "lazy, a release gives every ring position back, the empty ones too",
        (ABSENT_TOO,),
        edit("free-absent", LAZY),
    ),
    Fault(
        "absent-freed-unrefused",
        "the same, and the pool takes whatever it is given, with room in its list for more than there is",
        (
            ABSENT_TOO,
            Plant(SlotPool, "refuse_unowned", "if len(slots) == 0:", "if True:"),
            Plant(SlotPool, "__init__", "np.arange(slots - 1, -1, -1)", "np.arange(999, -1, -1) - 1000 + slots"),
        ),
        edit("free-absent", LAZY),
    ),
    Fault(
        "staging-reused",
        "one staging buffer, filled again before its copy has been performed",
        (
            Plant(Staging, "next", "(self._turn + 1) % len(self._buffers)", "0"),
            Plant(Buffer, "fill", "if self.copied is not None:", "if False:"),
        ),
    ),
    Fault(
        "label-without-write",
        "a decode labels its checkpoint, and nothing writes the track slot (A12)",
        (Plant(forward, "decode", "device_ops.copy_states(pool, working, columns[_SLOT])", "pass"),),
    ),
    Fault(
        "record-kept-next",
        "a request that leaves keeps its producer position for whoever sits there next (A6)",
        (Plant(RequestTable, "clear", RECORD, f"kept = self.next[seat]; {RECORD}; self.next[seat] = kept"),),
        edit("forgotten-ring", EAGER),
    ),
    Fault(
        "record-kept-label",
        "a request that leaves keeps its label for whoever sits there next (A6)",
        (Plant(RequestTable, "clear", RECORD, f"kept = self.last_len[seat]; {RECORD}; self.last_len[seat] = kept"),),
        edit("forgotten-ring", EAGER),
    ),
    Fault(
        "padding-aliased",
        "the padding row is the last slot, which may be somebody's (B14)",
        (Plant(StatePool, "__init__", "self.padding = slots", "self.padding = slots - 1"),),
    ),
    Fault(
        "live-slot-donated",
        "a finish publishes the working slot in the checkpoint's place, while a later batch may go on in it (A26)",
        (
            Plant(
                Publisher,
                "finish",
                "table.ring[seat, table.last[seat]] = ABSENT",
                "table.ring[seat, table.last[seat]] = ABSENT\n"
                "            table.working[seat], slot = slot, int(table.working[seat])\n"
                "            kinds, swapped = self.pool.kind, [slot, int(table.working[seat])]\n"
                "            kinds[swapped] = kinds[swapped[::-1]]",
            ),
        ),
    ),
    Fault(
        "freed-in-flight",
        "a slot that a launched row writes is handed on at once when its owner leaves (A28)",
        (Plant(Tracker, "release", ", after=last)", ", after=ABSENT)"),),
    ),
    Fault(
        "freed-while-read",
        "an evicted slot is handed on at once although a launched prefill copies from it (A28)",
        (Plant(Engine, "_evict", "node.read_by if node.read_by > self.processed else ABSENT", "ABSENT"),),
    ),
    Fault(
        "label-kept-in-place",
        "lazy, a claim in place leaves the label standing (0.5.18)",
        (
            Plant(
                boundary,
                "label_after_claim",
                "where(claimed == last, where(mark == ABSENT, label, ABSENT), label)",
                "label",
            ),
        ),
        design("lazy-0.5.18", LAZY),
    ),
    Fault(
        "clear-lost",
        "the deferred clear of a working slot is not performed (A17)",
        (Plant(device_ops, "begin", "clear(pool, torch.where(sources < 0, working, -1))", "pass"),),
    ),
    Fault(
        "epoch-not-counted",
        "rows in flight of a request that has left are not dropped (B3)",
        (Plant(RequestTable, "clear", "self.epoch[seat] += 1", "pass"),),
    ),
    Fault(
        "source-not-locked",
        "what an admitted request will copy from may be evicted before its prefill is launched (A11)",
        (
            Plant(Engine, "admit", "node.locks += 1", "pass"),
            Plant(Engine, "prefill", "node.locks -= 1", "pass"),
            Plant(Engine, "_abort", "self.cache.at(source).locks -= 1", "pass"),
        ),
    ),
    Fault(
        "mark-forgets-the-cache",
        "a prompt that ends on the grid marks the boundary before its end also where that one is cached already",
        (Plant(Tracker, "prepare_prefill", HELD, "False"),),
    ),
    *LOCK_FAULTS,
    *ORDER_FAULTS,
    *BATCH_FAULTS,
    *LOOP_FAULTS,
)


@functools.cache
def shortest(check: Check) -> int:
    """Return how many steps the spec's shortest story of a slip has: the search finds it, whatever breaks in it."""
    return min(len(steps) for steps in run(check).steps.values())


def most_steps(fault: Fault) -> int:
    """Return how many steps the story of a fault may have."""
    return shortest(fault.counterpart) + MORE_THAN_THE_SPEC if fault.counterpart else WITHOUT_COUNTERPART


@dataclass(frozen=True, slots=True)
class Result:
    """What hunting for a fault has brought."""

    fault: Fault
    found: FailingRun | None
    shrinking: float
    """Seconds from the first witness to the short story."""
    most: int

    @property
    def right(self) -> bool:
        return self.found is not None and self.found.steps <= self.most and not self.misfits

    @property
    def misfits(self) -> bool:
        """Whether what was found is the plant's own error, not the slip that it stands for."""
        return self.found is not None and self.found.name in NO_SLIPS

    def cells(self) -> list[str]:
        spec = str(shortest(self.fault.counterpart)) if self.fault.counterpart else "none"
        if self.found is None:
            return [self.fault.name, "NOT FOUND", "", "", "", spec]
        by = f"{self.found.kind} {self.found.name}" + ", on a thread" * self.found.threaded
        by += ": the plant no longer fits" * self.misfits
        steps = str(self.found.steps) + f" (at most {self.most})" * (self.found.steps > self.most)
        return [self.fault.name, by, f"{self.found.seconds:.1f}", f"{self.shrinking:.1f}", steps, spec]


def hunted(fault: Fault, seconds: float, seed: int = 0) -> Result:
    """Plant a fault and hunt until it is found or the time is over."""
    with fault.planted():
        started = time.monotonic()
        campaign = hunt(seed, seconds)
        took = time.monotonic() - started
    found = campaign.found[0] if campaign.found else None
    return Result(fault, found, took - found.seconds if found else 0.0, most_steps(fault))


def unlucky(fault: Fault, seconds: float, seeds: range) -> tuple[list[str], bool]:
    """Hunt for a fault with each seed; return a line of a table, and whether all have found it."""
    found = []
    for seed in seeds:
        with fault.planted():
            found += hunt(seed, seconds, shrinking=0).found
    if not found:
        return [fault.name, f"0 of {len(seeds)}", "", "", ""], False
    tried = sorted(each.tried for each in found)
    return [
        fault.name,
        f"{len(found)} of {len(seeds)}",
        f"{max(each.seconds for each in found):.1f}",
        f"{tried[len(tried) // 2]:,}",
        f"{tried[-1]:,}",
    ], len(found) == len(seeds)


def with_seeds(faults: list[Fault], seconds: float, seeds: range) -> int:
    """Hunt for faults with each seed, print the table, and return the exit code."""
    told = []
    for fault in faults:
        console.Progress().note(f"hunting for {fault.name} with {len(seeds)} seeds")
        told.append(unlucky(fault, seconds, seeds))
    console.Progress().done()
    columns = ["fault", "seeds that find it", "s at most", "runtime steps, median", "at most"]
    table(f"Planted faults, with seeds {seeds[0]} to {seeds[-1]}", columns, [line for line, _ in told])
    return SHOWN if all(right for _, right in told) else VIOLATED


def main(words: list[str]) -> int:
    """Hunt for the named faults, or all, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which faults; none: all")
    parser.add_argument("--time", default="60s", help="how long to hunt for each, such as 60s or 2m")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=0, help="hunt with so many seeds, and do not shrink")
    parser.add_argument("--story", action="store_true", help="also print the program and the timeline of each")
    given = parser.parse_args(words)
    known = {fault.name: fault for fault in FAULTS}
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no fault is called {unknown[0]}; write one of {', '.join(known)}")
    try:
        seconds = seconds_of(given.time)
    except BadScope as error:
        parser.error(str(error))
    if given.seeds:
        seeds = range(given.seed, given.seed + given.seeds)
        return with_seeds([known[name] for name in given.names or known], seconds, seeds)
    results = []
    for name in given.names or known:
        console.Progress().note(f"hunting for {name}")
        results.append(hunted(known[name], seconds, given.seed))
        if given.story and (found := results[-1].found):
            console.say(f"{name}\n\n{found.program}\n{found.story}\n")
    console.Progress().done()
    columns = ["fault", "found by", "s", "s to shrink", "steps", "spec's shortest"]
    table("Planted faults, hunted for one at a time", columns, [result.cells() for result in results])
    wrong = [result.fault.name for result in results if not result.right]
    if wrong:
        console.say(f"python -m tests.faults --time {given.time} --seed {given.seed} {' '.join(wrong)}")
    return VIOLATED if wrong else SHOWN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
