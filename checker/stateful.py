"""The Hypothesis machine: its rules are the spec's actions, and each step is taken on runtime and spec together.

Sizes, modes and the weights of the rules are drawn anew for every run (swarm testing), so that a run may never abort
anything, or hardly let the device go on. What is enabled is asked of the twin, so no step is wasted.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis import target

from checker.moves import Move, errors_fail, script, story
from checker.refinement import Failed, Twin
from runtime.streams import Stream
from spec.scope import EAGER, LAZY, OVERWRITE, SKIP, Scope
from spec.state import ADMITTED

ACTIONS: Final = ("device", "process", "abort", "evict", "admit", "prefill", "prepare")
"""The rules. Hypothesis shrinks towards the first, and draws the first and the last a little more often."""

_WEIGHTS = {
    "device": (9, 9, 2),
    "process": (9, 9, 2),
    "abort": (0, 1, 1),
    "evict": (0, 1, 1),
    "admit": (4, 4, 1),
    "prefill": (9, 9, 2),
    "prepare": (9, 9, 2),
}
"""By rule the weights that a run draws from. Those without which nothing moves on are never left out."""
_STEPS = 60

Draw = Callable[[Any], Any]


@st.composite
def scopes(draw: Draw) -> Scope:
    """Draw the sizes of a run: few slots more often than many, for pressure is where things go wrong."""
    mode = draw(st.sampled_from((EAGER, LAZY)))
    lookahead = draw(st.sampled_from((1, 0, 2)))
    interval = draw(st.sampled_from((2, 1, 3)))
    shortest = max(2, 1 + math.ceil(lookahead / interval)) if mode == EAGER else 2
    ring = shortest + draw(st.sampled_from((0, 0, 1)))
    requests = draw(st.integers(1, 4))
    per_request = 1 + (ring if mode == EAGER else 1)
    return Scope(
        requests=requests,
        slots=per_request + draw(st.integers(0, (requests - 1) * per_request + 3)),
        families=draw(st.integers(1, 2)),
        interval=interval,
        ring=ring,
        lookahead=lookahead,
        mode=mode,
        without_spare=draw(st.sampled_from((OVERWRITE, SKIP))),
        max_len=draw(st.integers(4, 10)),
    )


@dataclass(slots=True)
class Coverage:
    """What has been done and seen, over many runs."""

    runs: int = 0
    steps: int = 0
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

    def __init__(self, scope: Scope, stream: Stream | None = None) -> None:
        self.scope = scope
        self.twin = Twin(scope, stream)
        self.moves: list[Move] = []
        self.failed: Failed | None = None
        self.depth = 0
        """The most batches that were in flight at once."""
        self.fullest = 0
        """The most slots that were in use at once."""
        self._sights = self.twin.stated("sometimes")
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
        }
        return [action for action in ACTIONS if possible[action]]

    def take(self, move: Move) -> None:
        """Take one step; raises Failed, and keeps it."""
        self.moves.append(move)
        try:
            move.perform(self.twin)
        except Failed as failed:
            self.failed = failed
            raise
        self.depth = max(self.depth, self.twin.state.pending)
        self.fullest = max(self.fullest, self.twin.engine.pool.size - self.twin.engine.pool.available)
        self._look()

    def settle(self) -> None:
        """Let the device finish, and compare what every slot holds; raises Failed, and keeps it."""
        try:
            with errors_fail():
                self.twin.settle()
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
        return script(title, self.scope, self.moves)

    def story(self) -> str:
        """Return the run as a timeline of the spec."""
        return story(self.twin, self.failed)


def drive(draw: Draw, run: Run) -> None:
    """Draw and take steps until the drawing ends; raises Failed."""
    weights = {action: draw(st.sampled_from(choices)) for action, choices in _WEIGHTS.items()}
    # A failure ends the run where it is, so the number of steps need not be drawn to be shrunk.
    for _ in range(_STEPS):
        chosen = [action for action in run.enabled() for _ in range(weights[action])]
        if not chosen:
            break
        run.take(_move(draw, run.twin, draw(st.sampled_from(chosen))))
    if run.twin.told_when_to_run:
        target(float(run.depth), label="depth in flight")
        target(run.fullest / run.twin.engine.pool.size, label="pool pressure")


def _move(draw: Draw, twin: Twin, action: str) -> Move:
    match action:
        case "admit":
            family, prompt = draw(st.integers(0, twin.scope.families - 1)), draw(st.integers(1, twin.scope.max_len))
            return Move(action, draw(st.sampled_from(twin.unused())), family, prompt)
        case "prefill":
            return Move(action, draw(st.sampled_from(twin.in_phase(ADMITTED))))
        case "prepare":
            absent = _some(draw)
            names = tuple(name for name in twin.decodable() if not absent >> name & 1)
            return Move(action, names=names, exhausted=twin.scope.mode == LAZY and _seldom(draw))
        case "process":
            ending = _some(draw)
            names = tuple(name for name in twin.ending() if ending >> name & 1)
            return Move(action, names=names, exhausted=_seldom(draw))
        case "abort":
            return Move(action, draw(st.sampled_from(sorted(twin.seats))))
        case "evict":
            return Move(action, key=draw(st.sampled_from(twin.unlocked())))
    return Move(action)


def _seldom(draw: Draw) -> bool:
    """Draw True once in four times."""
    return bool(draw(st.integers(0, 3)) == 3)


def _some(draw: Draw) -> int:
    """Draw a set of names as bits: mostly the empty one, so that requests live long and batches are full."""
    return int(draw(st.integers(0, 15))) if _seldom(draw) else 0
