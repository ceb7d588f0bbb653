"""The Hypothesis machine: its rules are the spec's actions, and each step is taken on runtime and spec together.

Sizes, modes and the weights of the rules (checker/mix.py) are drawn anew for every run. What is enabled is asked of the
twin, so no step is wasted.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis import target

from checker.mix import ACTIONS, Mix
from checker.moves import Move, attempt, script, story
from checker.refinement import Failed, Twin
from runtime.streams import Stream
from spec.scope import EAGER, LAZY, OVERWRITE, SKIP, Scope
from spec.state import ADMITTED

_STEPS = 60
_TRIES = 3
"""How often a rule is drawn that may turn out not to be enabled, before one is drawn out of those that are."""

_RULES, _SIXTEEN = st.integers(0, 16 * len(ACTIONS) - 1), st.integers(0, 15)

Draw = Callable[[Any], Any]


@st.composite
def scopes(draw: Draw) -> Scope:
    """Draw the sizes of a run: few slots more often than many, for pressure is where things go wrong."""
    mode = draw(st.sampled_from((EAGER, LAZY)))
    lookahead = draw(st.sampled_from((1, 0, 2)))
    interval = draw(st.sampled_from((2, 1, 3)))
    shortest = max(2, 1 + math.ceil(lookahead / interval)) if mode == EAGER else 2
    ring = shortest + draw(st.sampled_from((0, 0, 1)))
    seats = draw(st.sampled_from((1, 2, 2, 3)))
    per_request = 1 + (ring if mode == EAGER else 1)
    return Scope(
        requests=seats + draw(st.integers(0, 1)),
        slots=seats * per_request + draw(st.integers(0, 5)),
        families=draw(st.sampled_from((1, 1, 1, 2))),
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
            "move": bool(twin.seats_left() and twin.movable()),
            "regroup": bool(twin.regroupable()),
        }
        return [action for action in ACTIONS if possible[action]]

    def take(self, move: Move) -> None:
        """Take one step; raises Failed, and keeps it."""
        self.moves.append(move)
        self._attempt(partial(move.perform, self.twin))
        self.depth = max(self.depth, self.twin.state.pending)
        self.fullest = max(self.fullest, self.twin.engine.pool.size - self.twin.engine.pool.available)
        self._look()

    def finish(self) -> None:
        """Let the device run what is left, and compare; raises Failed, and keeps it."""
        while self.twin.told_when_to_run and self.twin.state.written < self.twin.state.pending:
            self.take(Move("device"))
        self._attempt(partial(attempt, self.twin.settle))

    def close(self) -> None:
        """Let the device end. What it still raises belongs to a run that has not been finished, and tells nothing."""
        with contextlib.suppress(Exception):
            self.twin.engine.close()

    def _attempt(self, step: Callable[[], None]) -> None:
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
        return script(title, self.scope, self.moves)

    def story(self) -> str:
        """Return the run as a timeline of the spec."""
        return story(self.twin, self.failed)


def drive(draw: Draw, run: Run) -> None:
    """Draw and take steps until the drawing ends; raises Failed."""
    mix = Mix(draw)
    # A failure ends the run where it is, so the number of steps need not be drawn to be shrunk.
    for _ in range(_STEPS):
        drawn = draw(_steps(run.enabled(), mix.now(run.twin)))
        if drawn is not None:
            run.take(_move(run.twin, *drawn))
    run.finish()
    if run.twin.told_when_to_run:
        target(float(run.depth), label="depth in flight")
        target(run.fullest / run.twin.engine.pool.size, label="pool pressure")


@st.composite
def _steps(draw: Draw, enabled: Sequence[str], weights: Mapping[str, int]) -> tuple[str, int, int] | None:
    """Draw a step: the rule, who it is about, and what is special about it; None: no rule could be taken.

    A number means the same rule wherever it stands, whatever is enabled there: so Hypothesis can take a step out and
    leave the others what they are. That is what makes runs short. The remainder is the rule, the rest decides by its
    weight whether it counts, and 0 always does: so a rule that is masked stays that rule.
    """
    possible = {action: weights[action] for action in enabled if weights[action]}
    if not possible:
        return None
    heaviest = max(possible.values())
    for _ in range(_TRIES):
        chance, rule = divmod(draw(_RULES), len(ACTIONS))
        if chance * heaviest < 16 * possible.get(ACTIONS[rule], 0):
            return ACTIONS[rule], draw(_SIXTEEN), draw(_SIXTEEN)
    ends = list(itertools.accumulate(possible.values()))
    place = bisect.bisect(ends, draw(_RULES) * ends[-1] // (16 * len(ACTIONS)))
    return list(possible)[place], draw(_SIXTEEN), draw(_SIXTEEN)


def _move(twin: Twin, action: str, who: int, special: int) -> Move:
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
                return Move(action, name, key.family, key.length + 1 + special % (twin.scope.max_len - key.length))
            return Move(action, name, who % families, 1 + special % twin.scope.max_len)
        case "prefill":
            return Move(action, _one(twin.in_phase(ADMITTED), who))
        case "prepare":
            names = tuple(name for name in twin.decodable() if not some >> name & 1)
            return Move(action, names=names, exhausted=twin.scope.mode == LAZY and exhausted)
        case "process":
            # Who cannot go on would otherwise sit there until it is aborted.
            names = tuple(
                name
                for name in twin.ending()
                if some >> name & 1 or (special % 4 in (1, 2) and name not in twin.decodable())
            )
            return Move(action, names=names, exhausted=exhausted)
        case "abort":
            return Move(action, _one(sorted(twin.seats), who))
        case "evict":
            return Move(action, key=_one(twin.unlocked(), who))
        case "move":
            return Move(action, _one(twin.movable(), who), seat=_one(twin.seats_left(), special))
        case "regroup":
            together = twin.regroupable()
            return Move(action, names=tuple(name for name in together if who >> name & 1) or (_one(together, who),))
    return Move(action)


def _one(possible: Sequence[Any], who: int) -> Any:
    return possible[who % len(possible)]
