"""The machine: its rules are the spec's actions and two more, and each step is taken on runtime and spec together.

Sizes, modes and the weights of the rules (mix.py) are drawn anew for every run. What is enabled is asked of the
lockstep, so no step is wasted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from checker.lockstep import enabled
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.mix import Mix
from checker.lockstep.run import Run
from checker.lockstep.step import DrawnStep
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


def drive(rng: Random, run: Run) -> None:
    """Draw and take steps; raises Failed, and that is the end of the run."""
    mix = Mix(rng)
    for _ in range(rng.choice(_STEPS)):
        take_one(rng, run, mix)
    run.finish()


def take_one(rng: Random, run: Run, mix: Mix) -> None:
    """Draw and take one step, if any is possible of those that the run does at all; raises Failed."""
    weights = mix.now(run.lockstep)
    possible = [action for action in run.enabled() if weights[action]]
    if possible:
        (action,) = rng.choices(possible, [weights[action] for action in possible])
        run.take(_draw_step(run.lockstep, action, rng.randrange(16), rng.randrange(16)))


def _draw_step(lockstep: Lockstep, action: str, who: int, special: int) -> DrawnStep:
    """Return the step that the numbers mean; `who` and `special` are 0..15, and 0 is the plainest."""
    # Each once in four times: mostly requests live long, batches are full, and the pool has what is asked for.
    some, exhausted = who if special % 4 == 3 else 0, special // 4 == 3
    match action:
        case "admit":
            unused, families, longest = enabled.unused(lockstep), lockstep.scope.families, lockstep.scope.max_len
            name = unused[who // families % len(unused)]
            # Each second one asks for what is cached, where there is room for a token more: hits are what to look at.
            cached = [key for key in lockstep.state.cached if 0 < key.length < longest] if special >= 8 else []
            if cached:
                key = _one(cached, who)
                return DrawnStep(action, name, key.family, key.length + 1 + special % (longest - key.length))
            return DrawnStep(action, name, who % families, 1 + special % longest)
        case "prefill":
            return DrawnStep(action, _one(enabled.in_phase(lockstep, ADMITTED), who))
        case "prepare":
            names = tuple(name for name in enabled.decodable(lockstep) if not some >> name & 1)
            return DrawnStep(action, names=names, exhausted=lockstep.scope.mode == LAZY and exhausted)
        case "process":
            # Who cannot go on would otherwise sit there until it is aborted.
            names = tuple(
                name
                for name in enabled.ending(lockstep)
                if some >> name & 1 or (special % 4 in (1, 2) and name not in enabled.decodable(lockstep))
            )
            return DrawnStep(action, names=names, exhausted=exhausted)
        case "abort":
            return DrawnStep(action, _one(sorted(lockstep.seats), who))
        case "evict":
            return DrawnStep(action, key=_one(enabled.unlocked(lockstep), who))
        case "move":
            seat = _one(enabled.seats_left(lockstep), special)
            return DrawnStep(action, _one(enabled.movable(lockstep), who), seat=seat)
        case "regroup":
            together = enabled.regroupable(lockstep)
            names = tuple(name for name in together if who >> name & 1) or (_one(together, who),)
            return DrawnStep(action, names=names)
    return DrawnStep(action)


def _one(possible: Sequence[T], who: int) -> T:
    return possible[who % len(possible)]
