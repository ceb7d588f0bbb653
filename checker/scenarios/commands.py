"""The commands of a scenario: each is an action of the spec with its arguments by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checker.model.model import Arguments, TakenStep
from checker.scenarios.line import BadScenario
from checker.scenarios.stutters import STUTTERS
from spec.actions import ACTIONS
from spec.language import ABSENT, Action
from spec.scope import Scope
from spec.state import ADMITTED, State

_ACTIONS: dict[str, Action] = {action.name: action for action in (*ACTIONS, *STUTTERS)}
COMMANDS: dict[str, str] = {
    "admit": "admit r1 prompt 3 [text A] [taking slot 4]",
    "prefill": "prefill r1 [mark 2]",
    "prepare": "prepare [r1 r2] [boundary r1] [no spare | taking slot 4]",
    "device": "device",
    "process": "process [finish r1] [order r2 r1] [no replacement | taking slot 4]",
    "finish": "finish r1 [order r2 r1] [no replacement | taking slot 4]",
    "cut": "cut r1 to 3 [finish r2] [order r2 r1] [no replacement | taking slot 4]",
    "abort": "abort r1",
    "evict": "evict slot 3 | evict A@4",
    "move": "move r1 seat 2",
    "regroup": "regroup r1 [r2]",
}
"""Every command with its form, as help and error messages print it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One step of the script: an action's name and its arguments by name."""

    path: str
    line: int
    column: int
    text: str
    refused: bool
    """The script says that the step may not happen."""
    action: str
    named: dict[str, Any]

    def error(self, message: str, so_far: str) -> BadScenario:
        """Return the error that points at this command."""
        return BadScenario(self.path, self.line, self.column, message, so_far)

    def taken(self, state: State, scope: Scope) -> TakenStep:
        """Return the step; `prepare` of a request that has only been admitted means its prefill."""
        action, named = self.action, self.named
        if action == "prepare":
            chosen = [request for request, present in enumerate(named["rows"]) if present]
            fresh = [request for request in chosen if state.requests[request].phase == ADMITTED]
            if fresh and len(chosen) == 1 and not any(named["boundaries"]) and named["supply"] == ABSENT:
                action, named = "prefill", {"request": fresh[0], "choice": ABSENT}
        if "key" in named:
            # A key that is not cached: the guard of slot 0, which the cache does not own then, says so.
            cached = [slot for slot, key in enumerate(state.cached) if key == named["key"]]
            named = {"slot": cached[0] if cached else 0}
        found = _ACTIONS[action]
        arguments: Arguments = tuple(named[name] for name in found.choices)
        return TakenStep(found, arguments)
