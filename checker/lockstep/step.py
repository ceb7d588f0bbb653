"""Lines of a scenario performed on the runtime and the spec together, and written down again.

A failure that the fuzzer finds is such a script: short, readable, and played again by `slotproof replay`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import spec.model
from checker.explain.entries import entries_of
from checker.explain.lanes import timeline
from checker.explain.names import family_name, request_name, text_name
from checker.lockstep.lockstep import Failed, Lockstep
from checker.lockstep.watch import RecordingWatch
from checker.model.model import Model
from checker.model.replay import Replay
from checker.scenarios.commands import Command
from checker.scenarios.expectations import Expectation
from checker.scenarios.read import Scenario
from runtime.streams import Stream
from spec.design import Design
from spec.scope import Scope
from spec.state import ADMITTED, EXHAUSTED, RequestId, Text


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """One step for a twin: an action of the spec, and what a script would say of it."""

    action: str
    request: RequestId = -1
    family: int = 0
    prompt: int = 0
    names: tuple[RequestId, ...] = ()
    """Who is in the batch, who finishes, or whose rows go in front."""
    exhausted: bool = False
    key: Text | None = None
    seat: int = 0

    def __str__(self) -> str:
        """Spell the move as a line of a script."""
        listed = " ".join(map(request_name, self.names))
        match self.action:
            case "admit":
                return f"admit {request_name(self.request)} prompt {self.prompt} text {family_name(self.family)}"
            case "prefill" | "abort":
                return f"{self.action} {request_name(self.request)}"
            case "prepare":
                return f"prepare {listed}".rstrip() + " no spare" * self.exhausted
            case "process":
                return "process" + f" finish {listed}" * bool(listed) + " no replacement" * self.exhausted
            case "evict":
                return f"evict {text_name(self.key or Text())}"
            case "move":
                return f"move {request_name(self.request)} seat {self.seat + 1}"
            case "regroup":
                return f"regroup {listed}".rstrip()
        return self.action

    def perform(self, twin: Lockstep) -> None:
        """Take the step; raises checker.lockstep.lockstep.Failed where something is wrong."""
        attempt(lambda: self._perform(twin))

    def _perform(self, twin: Lockstep) -> None:
        match self.action:
            case "admit":
                twin.admit(self.request, self.family, self.prompt)
            case "prefill":
                twin.prefill(self.request)
            case "prepare":
                twin.prepare(self.names, self.exhausted)
            case "device":
                twin.device()
            case "process":
                twin.process(self.names, self.exhausted)
            case "abort":
                twin.abort(self.request)
            case "evict":
                assert self.key is not None, "an eviction names the key of what goes"
                twin.evict(self.key)
            case "move":
                twin.move(self.request, self.seat)
            case "regroup":
                twin.regroup(self.names)


def attempt(step: Callable[[], None]) -> None:
    """Take a step that the spec allows; raises Failed, also for whatever else the runtime raises in it."""
    try:
        step()
    except Failed:
        raise
    except Exception as error:
        raise Failed("error", type(error).__name__, str(error)) from error


_HELD_BACK = "Slots that the runtime holds back while rows in flight touch them are another request's here."


_WRONG = {
    "property": "a property is violated",
    "refinement": "the runtime is not what the spec says",
    "error": "the runtime raises what it may not",
    "loop": "the scheduler's loop does what it may not",
}


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
    twin = Lockstep(scenario.scope, stream, RecordingWatch(trace) if trace else None)
    alone = _Alone(scenario.scope)
    failed = None
    try:
        for command in scenario.items:
            if isinstance(command, Command) and not command.refused:
                move = move_of(command, twin, alone, scenario)
                alone.follow(command)
                if not possible(twin, move):
                    raise Unplayable(f"{_place(command)}: {_why_not(twin, move)}")
                move.perform(twin)
        attempt(twin.settle)
    except Failed as failure:
        failed = failure
    finally:
        # After a failure the device may raise once more, and that tells nothing.
        with contextlib.suppress(*[Exception] if failed else []):
            twin.engine.close()
        if isinstance(twin.watch, RecordingWatch):
            twin.watch.close()
    unasked = sum(
        isinstance(item, Expectation) or (isinstance(item, Command) and item.refused) for item in scenario.items
    )
    return Replayed(twin.checked, failed, story(twin, failed), unasked)


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


def move_of(command: Command, twin: Lockstep, alone: _Alone, scenario: Scenario) -> DrawnStep:
    """Return the move that a line means; raises Unplayable."""
    if scenario.design != Design.name:
        raise Unplayable(f"{scenario.path}: it is played by design {scenario.design}, and the runtime is another one")
    key = command.named.get("key")
    if "slot" in command.named:
        key = alone.key_in(command.named["slot"], command)
    taken = command.taken(twin.state, scenario.scope)
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


def possible(twin: Lockstep, move: DrawnStep) -> bool:
    """Return whether a twin can take a step now: whom it names is there, and there is a seat, a batch or an entry."""
    match move.action:
        case "admit":
            return move.request in twin.unused()
        case "prefill":
            return move.request in twin.in_phase(ADMITTED) and twin.room()
        case "prepare":
            return twin.room() and set(move.names) <= set(twin.decodable())
        case "device":
            return twin.state.written < twin.state.pending
        case "process":
            return twin.ready() and set(move.names) <= set(twin.ending())
        case "abort":
            return move.request in twin.seats
        case "evict":
            return move.key in twin.unlocked()
        case "move":
            return move.request in twin.movable() and move.seat in twin.seats_left()
        case "regroup":
            return bool(move.names) and set(move.names) <= set(twin.regroupable())
    raise AssertionError(f"no step is called {move.action}")


def _why_not(twin: Lockstep, move: DrawnStep) -> str:
    if move.action == "process" and twin.state.pending and not twin.ready():
        return "the device has not run it; write `device` before it, or play it on a thread with --threaded"
    return "the runtime cannot do this here, for want of a slot or a seat, or because the spec does not allow it"


def _place(command: Command) -> str:
    return f"{command.path}:{command.line}"


def script(title: str, scope: Scope, moves: Sequence[DrawnStep], remarks: Sequence[str] = ()) -> str:
    """Return a script that `read` reads."""
    told = [f"# {remark}" for remark in remarks]
    return "\n".join([f"scenario {title}", f"scope {scope}", *told, "", *map(str, moves)]) + "\n"


def story(twin: Lockstep, failed: Failed | None, width: int = 100) -> str:
    """Return the steps of a twin as a timeline, and what went wrong in the last one."""
    entries = entries_of(twin.model, twin.steps, twin.states)
    out = [f"scope {twin.scope}", _HELD_BACK, "", *timeline(entries, width)]
    if failed:
        out += ["", f"{_WRONG[failed.kind]}: {failed.name}", f"  {failed.detail}"]
    return "\n".join(out)
