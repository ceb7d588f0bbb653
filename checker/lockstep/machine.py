"""The machine: its rules are the spec's actions and two more, and each step is taken on runtime and spec together.

Sizes, modes and the weights of the rules (mix.py) are drawn anew for every run. What is enabled is asked of the
twin, so no step is wasted.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import NoReturn, TypeVar

from checker.lockstep.lockstep import Failed, Lockstep
from checker.lockstep.mix import ACTIONS, Mix
from checker.lockstep.step import DrawnStep, attempt, script, story
from runtime.streams import Stream
from spec.scope import EAGER, LAZY, OVERWRITE, SKIP, Scope
from spec.state import ADMITTED

_STEPS = (30, 60, 90)
"""How many steps a run draws."""

T = TypeVar("T")


def scope_of(rng: Random) -> Scope:
    """Draw the sizes of a run: few slots more often than many, for pressure is where things go wrong."""
    mode = rng.choice((EAGER, LAZY))
    lookahead, interval = rng.randrange(3), rng.randint(1, 3)
    shortest = max(2, 1 + math.ceil(lookahead / interval)) if mode == EAGER else 2
    ring = shortest + rng.choice((0, 0, 1))
    seats = rng.choice((1, 2, 2, 3))
    per_request = 1 + (ring if mode == EAGER else 1)
    return Scope(
        requests=seats + rng.randrange(2),
        slots=seats * per_request + rng.choice((0, 1, 2, 3, 5)),
        families=rng.choice((1, 1, 1, 2)),
        interval=interval,
        ring=ring,
        lookahead=lookahead,
        mode=mode,
        without_spare=rng.choice((OVERWRITE, SKIP)),
        max_len=rng.randint(4, 10),
    )


@dataclass(slots=True)
class Coverage:
    """What has been done and seen, over many runs."""

    runs: int = 0
    steps: int = 0
    loops: int = 0
    """Streams of requests that both of the scheduler's loops have been driven with."""
    actions: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    """By name how many runs have seen each *sometimes*."""
    unseen: set[str] = field(default_factory=set)
    """Each *sometimes* that could have been seen in a run, and has not been in any."""

    def add(self, other: Coverage) -> None:
        """Add what another has counted."""
        self.runs += other.runs
        self.steps += other.steps
        self.loops += other.loops
        self.actions += other.actions
        self.pairs += other.pairs
        self.seen += other.seen
        self.unseen = (self.unseen | other.unseen) - self.seen.keys()

    @property
    def missing(self) -> list[str]:
        """Return the actions that have never been taken."""
        return [action for action in ACTIONS if not self.actions[action]]


class Run:
    """One run of the machine."""

    def __init__(self, scope: Scope, stream: Stream | None = None, looks: bool = True) -> None:
        """Begin; `looks`: whether each *sometimes* is looked for."""
        self.scope = scope
        self.twin = Lockstep(scope, stream)
        self.moves: list[DrawnStep] = []
        self.failed: Failed | None = None
        self.remarks: list[str] = []
        """What its script says of it besides."""
        self._sights = self.twin.stated("sometimes") if looks else []
        self.seen: set[str] = set()
        """Each *sometimes* that this run has shown."""
        self._looked = 0

    def enabled(self) -> list[str]:
        """Return which rules may be taken now."""
        twin = self.twin
        possible = {
            "device": twin.state.written < twin.state.pending and twin.told_when_to_run,
            "process": twin.ready(),
            "abort": bool(twin.seats),
            "evict": bool(twin.unlocked()),
            "admit": bool(twin.unused()),
            "prefill": twin.room() and bool(twin.in_phase(ADMITTED)),
            "prepare": twin.room(),
            "move": bool(twin.seats_left() and twin.movable()),
            "regroup": bool(twin.regroupable()),
        }
        return [action for action in ACTIONS if possible[action]]

    def take(self, move: DrawnStep) -> None:
        """Take one step; raises Failed, and keeps it."""
        self.moves.append(move)
        self.attempt(partial(move.perform, self.twin))
        self._look()

    def finish(self) -> None:
        """Let the device run what is left, and compare; raises Failed, and keeps it."""
        while self.twin.told_when_to_run and self.twin.state.written < self.twin.state.pending:
            self.take(DrawnStep("device"))
        self.attempt(partial(attempt, self.twin.settle))

    def close(self) -> None:
        """Let the device end. What it still raises belongs to a run that has not been finished, and tells nothing."""
        with contextlib.suppress(Exception):
            self.twin.engine.close()

    def fail(self, name: str, detail: str) -> NoReturn:
        """Keep that a scheduler's loop has done what it may not, and raise it."""
        self.failed = Failed("loop", name, detail)
        raise self.failed

    def attempt(self, step: Callable[[], None]) -> None:
        """Do something with the run; raises Failed, and keeps it."""
        try:
            step()
        except Failed as failed:
            self.failed = failed
            raise

    def _look(self) -> None:
        twin = self.twin
        left = [stated for stated in self._sights if stated.name not in self.seen]
        for before, after in itertools.pairwise(twin.states[self._looked :] if left else ()):
            self.seen |= {stated.name for stated in left if stated.function(before, after, twin.design)}
        self._looked = len(twin.states) - 1

    def count(self, coverage: Coverage) -> None:
        """Add this run to what has been covered."""
        names = [move.action for move in self.moves]
        coverage.add(
            Coverage(
                runs=1,
                steps=self.twin.checked,
                actions=Counter(names),
                pairs=Counter(itertools.pairwise(names)),
                seen=Counter(self.seen),
                unseen={stated.name for stated in self._sights} - self.seen,
            )
        )

    def text(self) -> str:
        """Return the run as a short program."""
        title = f"found by fuzzing: {self.failed.name}" if self.failed else "a run"
        return script(title, self.scope, self.moves, self.remarks)

    def story(self) -> str:
        """Return the run as a timeline of the spec."""
        return story(self.twin, self.failed)


def drive(rng: Random, run: Run) -> None:
    """Draw and take steps; raises Failed, and that is the end of the run."""
    mix = Mix(rng)
    for _ in range(rng.choice(_STEPS)):
        take_one(rng, run, mix)
    run.finish()


def take_one(rng: Random, run: Run, mix: Mix) -> None:
    """Draw and take one step, if any is possible of those that the run does at all; raises Failed."""
    weights = mix.now(run.twin)
    possible = [action for action in run.enabled() if weights[action]]
    if possible:
        (action,) = rng.choices(possible, [weights[action] for action in possible])
        run.take(_move(run.twin, action, rng.randrange(16), rng.randrange(16)))


def _move(twin: Lockstep, action: str, who: int, special: int) -> DrawnStep:
    """Return the step that the numbers mean; `who` and `special` are 0..15, and 0 is the plainest."""
    # Each once in four times: mostly requests live long, batches are full, and the pool has what is asked for.
    some, exhausted = who if special % 4 == 3 else 0, special // 4 == 3
    match action:
        case "admit":
            unused, families = twin.unused(), twin.scope.families
            name = unused[who // families % len(unused)]
            # Each second one asks for what is cached, where there is room for a token more: hits are what to look at.
            cached = [key for key in twin.state.cached if 0 < key.length < twin.scope.max_len] if special >= 8 else []
            if cached:
                key = _one(cached, who)
                return DrawnStep(action, name, key.family, key.length + 1 + special % (twin.scope.max_len - key.length))
            return DrawnStep(action, name, who % families, 1 + special % twin.scope.max_len)
        case "prefill":
            return DrawnStep(action, _one(twin.in_phase(ADMITTED), who))
        case "prepare":
            names = tuple(name for name in twin.decodable() if not some >> name & 1)
            return DrawnStep(action, names=names, exhausted=twin.scope.mode == LAZY and exhausted)
        case "process":
            # Who cannot go on would otherwise sit there until it is aborted.
            names = tuple(
                name
                for name in twin.ending()
                if some >> name & 1 or (special % 4 in (1, 2) and name not in twin.decodable())
            )
            return DrawnStep(action, names=names, exhausted=exhausted)
        case "abort":
            return DrawnStep(action, _one(sorted(twin.seats), who))
        case "evict":
            return DrawnStep(action, key=_one(twin.unlocked(), who))
        case "move":
            return DrawnStep(action, _one(twin.movable(), who), seat=_one(twin.seats_left(), special))
        case "regroup":
            together = twin.regroupable()
            return DrawnStep(
                action, names=tuple(name for name in together if who >> name & 1) or (_one(together, who),)
            )
    return DrawnStep(action)


def _one(possible: Sequence[T], who: int) -> T:
    return possible[who % len(possible)]
