"""One step of a lockstep: a line of a script, spelled and performed."""

from __future__ import annotations

from dataclasses import dataclass

from checker.explain.names import family_name, request_name, text_name
from checker.lockstep import enabled
from checker.lockstep.failure import attempt
from checker.lockstep.lockstep import Lockstep
from spec.state import ADMITTED, RequestId, Text


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """One step for a lockstep: an action of the spec, and what a script would say of it."""

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
        """Spell the step as a line of a script."""
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

    def perform(self, lockstep: Lockstep) -> None:
        """Take the step; raises Failed where something is wrong."""
        attempt(lambda: self._perform(lockstep))

    def _perform(self, lockstep: Lockstep) -> None:
        match self.action:
            case "admit":
                lockstep.admit(self.request, self.family, self.prompt)
            case "prefill":
                lockstep.prefill(self.request)
            case "prepare":
                lockstep.prepare(self.names, self.exhausted)
            case "device":
                lockstep.device()
            case "process":
                lockstep.process(self.names, self.exhausted)
            case "abort":
                lockstep.abort(self.request)
            case "evict":
                assert self.key is not None, "an eviction names the key of what goes"
                lockstep.evict(self.key)
            case "move":
                lockstep.move(self.request, self.seat)
            case "regroup":
                lockstep.regroup(self.names)


def possible(lockstep: Lockstep, step: DrawnStep) -> bool:
    """Return whether a step can be taken now: whom it names is there, and there is a seat, a batch or an entry."""
    match step.action:
        case "admit":
            return step.request in enabled.unused(lockstep)
        case "prefill":
            return step.request in enabled.in_phase(lockstep, ADMITTED) and enabled.room(lockstep)
        case "prepare":
            return enabled.room(lockstep) and set(step.names) <= set(enabled.decodable(lockstep))
        case "device":
            return lockstep.state.written < lockstep.state.pending
        case "process":
            return enabled.ready(lockstep) and set(step.names) <= set(enabled.ending(lockstep))
        case "abort":
            return step.request in lockstep.seats
        case "evict":
            return step.key in enabled.unlocked(lockstep)
        case "move":
            return step.request in enabled.movable(lockstep) and step.seat in enabled.seats_left(lockstep)
        case "regroup":
            return bool(step.names) and set(step.names) <= set(enabled.regroupable(lockstep))
    raise AssertionError(f"no step is called {step.action}")
