"""A script replayed on the runtime and the spec together: what comes of it, or why no runtime can follow it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import spec.model
from checker.lockstep import enabled
from checker.lockstep.failure import Failed, attempt
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.run_text import story
from checker.lockstep.step import DrawnStep, possible
from checker.lockstep.watch import RecordingWatch
from checker.model.model import Model
from checker.model.replay import Replay
from checker.scenarios.commands import Command
from checker.scenarios.expectations import Expectation
from checker.scenarios.read import Scenario
from runtime.streams import Stream
from spec.design import Design
from spec.scope import Scope
from spec.state import EXHAUSTED, Text


class Unplayable(Exception):
    """A script that no runtime can follow: it asks for what the runtime decides by itself."""


@dataclass(slots=True)
class Replayed:
    """What came of a script on the runtime."""

    steps: int
    failed: Failed | None
    text: str
    """The timeline up to the end, or to the failure."""
    unasked: int
    """How many lines of the script say what must be the case, or may not happen: that is asked of the spec alone."""


def replay(scenario: Scenario, stream: Stream | None = None, trace: Path | None = None) -> Replayed:
    """Play a script on the runtime and the spec; raises Unplayable where the runtime cannot follow it."""
    lockstep = Lockstep(scenario.scope, stream, RecordingWatch(trace) if trace else None)
    alone = _Alone(scenario.scope)
    failed = None
    try:
        for command in scenario.items:
            if isinstance(command, Command) and not command.refused:
                step = step_of(command, lockstep, alone, scenario)
                alone.follow(command)
                if not possible(lockstep, step):
                    raise Unplayable(f"{_place(command)}: {_why_not(lockstep, step)}")
                step.perform(lockstep)
        attempt(lockstep.drain)
    except Failed as failure:
        failed = failure
    finally:
        # After a failure the device may raise once more, and that says nothing.
        with contextlib.suppress(*[Exception] if failed else []):
            lockstep.engine.close()
        if isinstance(lockstep.watch, RecordingWatch):
            lockstep.watch.close()
    unasked = sum(
        isinstance(item, Expectation) or (isinstance(item, Command) and item.refused) for item in scenario.items
    )
    return Replayed(lockstep.checked, failed, story(lockstep, failed), unasked)


class _Alone:
    """The spec without the runtime, as far as it can follow a script: there slots have the numbers of the script.

    It can't follow for ever what fuzzing has written down. There the runtime lets an admission wait because it holds
    slots back, or has a replacement although others took all that was free, and the spec alone would not.
    """

    def __init__(self, scope: Scope) -> None:
        self.run = Replay(Model(spec.model, scope, Design(scope)))

    def follow(self, command: Command) -> None:
        """Take the step, if it is one."""
        if self.run.failure is None:
            self.run.take(command.taken(self.run.state, self.run.model.scope))

    def key_in(self, slot: int, command: Command) -> Text:
        """Return what a slot of the script is cached as; raises Unplayable where nobody knows any more."""
        if self.run.failure is not None:
            raise Unplayable(f"{_place(command)}: which slot that is cannot be told here; write its key, such as A@4")
        found: Text = self.run.state.cached[slot]
        return found


def step_of(command: Command, lockstep: Lockstep, alone: _Alone, scenario: Scenario) -> DrawnStep:
    """Return the step that a line means; raises Unplayable."""
    if scenario.design != Design.name:
        raise Unplayable(f"{scenario.path}: it is played by design {scenario.design}, and the runtime is another one")
    key = command.named.get("key")
    if "slot" in command.named:
        key = alone.key_in(command.named["slot"], command)
    taken = command.taken(lockstep.state, scenario.scope)
    named = dict(zip(taken.action.choices, taken.arguments, strict=True))
    if named.get("supply", EXHAUSTED) >= 0:
        raise Unplayable(f"{_place(command)}: the runtime hands out no slot that is in flight; leave `taking` out")
    chosen = next((named[word] for word in ("rows", "finishes", "first") if word in named), ())
    return DrawnStep(
        action=taken.action.name,
        request=named.get("request", -1),
        family=named.get("family", 0),
        prompt=named.get("prompt", 0),
        names=tuple(name for name, present in enumerate(chosen) if present),
        exhausted=named.get("supply") == EXHAUSTED,
        key=key,
        seat=named.get("seat", 0),
    )


def _why_not(lockstep: Lockstep, step: DrawnStep) -> str:
    if step.action == "process" and lockstep.state.pending and not enabled.ready(lockstep):
        return "the device has not run it; write `device` before it, or play it on a thread with --threaded"
    return "the runtime cannot do this here, for want of a slot or a seat, or because the spec does not allow it"


def _place(command: Command) -> str:
    return f"{command.path}:{command.line}"
