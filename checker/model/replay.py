"""A run taken natively, step by step: its states, what ended it, and which properties its last step violates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checker.model.model import Model, TakenStep
from spec.language import WELL_FORMED, Disabled, Property, Violated, copy


class Replay:
    """A run of a model. A step that is disabled is no part of it; one that raises a violation is its last."""

    def __init__(self, model: Model, steps: Iterable[TakenStep] = ()) -> None:
        """Begin in the first state and take the steps, as far as each can be taken."""
        self.model = model
        self.states: list[Any] = [copy(model.init)]
        self.steps: list[TakenStep] = []
        self.failure: Disabled | Violated | None = None
        """Why there is no state after the step that was tried last; None: there is one."""
        for step in steps:
            if not self.take(step):
                break

    @property
    def state(self) -> Any:
        """The newest state."""
        return self.states[-1]

    def take(self, step: TakenStep) -> bool:
        """Take one more step; whether there is a state after it, and if not `failure` says why."""
        assert not isinstance(self.failure, Violated), "nothing follows a step that was cut short by a violation"
        self.failure = None
        try:
            after = self.model.take(self.state, step.action, step.arguments)
        except Disabled as disabled:
            self.failure = disabled
            return False
        except Violated as violation:
            self.failure = violation
        else:
            self.states.append(after)
        self.steps.append(step)
        return self.failure is None

    def spoken_of(self, stated: Property) -> list[Any]:
        """Return the states at the end of the run that a property speaks about; empty: no step has been taken yet."""
        if not stated.of_steps:
            return self.states[-1:]
        return self.states[-2:] if len(self.states) > 1 else []

    def holds(self, stated: Property) -> bool:
        """Return whether a property holds at the end; raises Violated where evaluating it goes out of bounds."""
        states = self.spoken_of(stated)
        return not states or bool(stated(*states, self.model.context))

    def violated(self) -> dict[str, str]:
        """Return all that the last step violates, each with its sentence."""
        if isinstance(self.failure, Violated):
            return {self.failure.name: str(self.failure)}
        found = {}
        for stated in self.model.properties:
            if stated.kind in ("always", "step", "postcondition"):
                try:
                    if not self.holds(stated):
                        found[stated.name] = stated.sentence
                except Violated as violation:
                    found[WELL_FORMED] = f"while {stated.name} was evaluated: {violation}"
        return found


def replay(model: Model, steps: Iterable[TakenStep]) -> list[Any]:
    """Return the states of a run, the first one included; raises the Disabled or Violated that ends it early."""
    run = Replay(model, steps)
    if run.failure is not None:
        raise run.failure
    return run.states
