"""One run: the steps that have been taken on runtime and spec, what they have shown, and how it failed."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from checker.lockstep import enabled
from checker.lockstep.coverage import Coverage
from checker.lockstep.failure import Failed, attempt
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.mix import ACTIONS
from checker.lockstep.run_text import script, story
from checker.lockstep.step import DrawnStep
from runtime.streams import Stream
from spec.scope import Scope
from spec.state import ADMITTED


class Run:
    """One run of the machine."""

    def __init__(self, scope: Scope, stream: Stream | None = None, looks: bool = True) -> None:
        """Begin; `looks`: whether each *sometimes* is looked for."""
        self.scope = scope
        self.lockstep = Lockstep(scope, stream)
        self.steps: list[DrawnStep] = []
        self.failed: Failed | None = None
        self.remarks: list[str] = []
        """What its script says of it besides."""
        self._sometimes = self.lockstep.spec.stated("sometimes") if looks else []
        self.seen: set[str] = set()
        """Each *sometimes* that this run has shown."""
        self._looked = 0

    def enabled(self) -> list[str]:
        """Return which rules may be taken now."""
        lockstep = self.lockstep
        possible = {
            "device": lockstep.state.written < lockstep.state.pending and lockstep.simulated,
            "process": enabled.ready(lockstep),
            "abort": bool(lockstep.seats),
            "evict": bool(enabled.unlocked(lockstep)),
            "admit": bool(enabled.unused(lockstep)),
            "prefill": enabled.room(lockstep) and bool(enabled.in_phase(lockstep, ADMITTED)),
            "prepare": enabled.room(lockstep),
            "move": bool(enabled.seats_left(lockstep) and enabled.movable(lockstep)),
            "regroup": bool(enabled.regroupable(lockstep)),
        }
        return [action for action in ACTIONS if possible[action]]

    def take(self, step: DrawnStep) -> None:
        """Take one step; raises Failed, and keeps it."""
        self.steps.append(step)
        self.attempt(partial(step.perform, self.lockstep))
        self._look()

    def finish(self) -> None:
        """Let the device run what is left, and compare; raises Failed, and keeps it."""
        while self.lockstep.simulated and self.lockstep.state.written < self.lockstep.state.pending:
            self.take(DrawnStep("device"))
        self.attempt(partial(attempt, self.lockstep.drain))

    def close(self) -> None:
        """Let the device end. What it still raises belongs to a run that has not been finished, and says nothing."""
        with contextlib.suppress(Exception):
            self.lockstep.engine.close()

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
        lockstep = self.lockstep
        left = [stated for stated in self._sometimes if stated.name not in self.seen]
        for before, after in itertools.pairwise(lockstep.spec.states[self._looked :] if left else ()):
            self.seen |= {stated.name for stated in left if stated.function(before, after, lockstep.spec.design)}
        self._looked = len(lockstep.spec.states) - 1

    def count(self, coverage: Coverage) -> None:
        """Add this run to what has been covered."""
        names = [step.action for step in self.steps]
        coverage.add(
            Coverage(
                runs=1,
                steps=self.lockstep.checked,
                actions=Counter(names),
                pairs=Counter(itertools.pairwise(names)),
                seen=Counter(self.seen),
                unseen={stated.name for stated in self._sometimes} - self.seen,
            )
        )

    def text(self) -> str:
        """Return the run as a short program."""
        title = f"found by fuzzing: {self.failed.name}" if self.failed else "a run"
        return script(title, self.scope, self.steps, self.remarks)

    def story(self) -> str:
        """Return the run as a timeline of the spec."""
        return story(self.lockstep, self.failed)
