"""What a run of the fuzzer is likely to do: weights drawn once for each run, and what is worth more in a situation.

Weights of their own for every run (swarm testing) make runs that never abort anything, or hardly let the device go on.
They do not bring together what needs several steps in a row: so some situations, read off the lockstep, change weights
for as long as they hold. None of them names a story; each says what would be a pity to pass by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from checker.lockstep import enabled
from checker.lockstep.lockstep import Lockstep
from spec.state import ADMITTED

ACTIONS: Final = ("device", "process", "abort", "evict", "admit", "prefill", "prepare", "move", "regroup")
"""The rules of the machine."""

_WEIGHTS: Final = {
    "device": (16, 16, 4),
    "process": (16, 16, 4),
    "abort": (0, 1, 2),
    "evict": (0, 1, 3),
    "admit": (16, 8, 3),
    "prefill": (16, 16, 4),
    "prepare": (16, 16, 4),
    "move": (0, 1, 3),
    "regroup": (0, 2, 6),
}
"""By rule the weights that a run draws from, up to 16. Those without which nothing moves on are never left out."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What may be the case for a while, and by what it multiplies the weights of some rules meanwhile."""

    holds: Callable[[Lockstep], bool]
    factors: Mapping[str, float]


def _nobody_decodes(lockstep: Lockstep) -> bool:
    """Preparing a batch makes the lookahead jitter then, and does little else."""
    return not enabled.decodable(lockstep)


def _cache_is_read(lockstep: Lockstep) -> bool:
    """A launched prefill copies from the cache: what is given up meanwhile must not be handed on."""
    return any(node.read_by > lockstep.engine.processed for node in lockstep.engine.cache)


def _sources(lockstep: Lockstep) -> list[int]:
    return [me.source for me in lockstep.state.requests if me.phase == ADMITTED and me.source >= 0]


def _entry_is_locked(lockstep: Lockstep) -> bool:
    """An admitted request is going to copy from the cache: another one may come to share the entry with it."""
    return bool(_sources(lockstep))


def _entry_is_shared(lockstep: Lockstep) -> bool:
    """Two are going to copy from one entry: now one of them may leave, or go on alone."""
    sources = _sources(lockstep)
    return len(sources) > len(set(sources))


ALWAYS: Final = (
    Situation(_nobody_decodes, {"prepare": 1 / 8}),
    Situation(_cache_is_read, {"evict": 5}),
)
CROWD: Final = (
    Situation(_entry_is_locked, {"admit": 4, "prefill": 1 / 8, "abort": 2}),
    Situation(_entry_is_shared, {"abort": 8, "prefill": 4}),
)
"""In a run that crowds, admitted requests wait for each other before they are prefilled."""


class Mix:
    """The weights of one run."""

    def __init__(self, rng: Random) -> None:
        self.weights = {action: rng.choice(choices) for action, choices in _WEIGHTS.items()}
        self.situations = ALWAYS + rng.choice(((), CROWD))

    def now(self, lockstep: Lockstep) -> dict[str, int]:
        """Return what the rules weigh in the present situation."""
        weights = dict(self.weights)
        for situation in self.situations:
            if situation.holds(lockstep):
                for action, factor in situation.factors.items():
                    # What a run never does stays out of it, and what it does may always happen.
                    weights[action] = weights[action] and max(1, int(weights[action] * factor))
        return weights
