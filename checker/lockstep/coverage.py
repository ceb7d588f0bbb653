"""What runs have done and seen, added up: actions, pairs of actions, and each *sometimes*."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from checker.lockstep.mix import ACTIONS


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
