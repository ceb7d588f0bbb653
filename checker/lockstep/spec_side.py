"""The spec's half of a lockstep: a state that takes the runtime's steps, and after each the properties asked of it."""

from __future__ import annotations

import functools

import spec.model
from checker.lockstep.failure import Failed
from checker.model.model import Model, TakenStep
from spec.design import Design
from spec.language import ABSENT, Action, Disabled, Property, Violated, copy, new
from spec.rows import in_flight
from spec.scope import ON, Scope
from spec.state import Slot, State, Step, Supply


class Mismatch(Exception):
    """The runtime has done what the spec could not do."""


class FromRuntime(Design):
    """The reference design with the runtime as its allocator; everything else it decides itself."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.handed_out: list[Slot] = []
        """What the runtime has taken in this step, in the order of asking."""

    def pick(self, s: State, supply: Supply) -> Slot:
        """Return what the runtime took: a free slot that nothing in flight touches, or none if there is none."""
        if not self.handed_out:
            left = [slot for slot, free in enumerate(s.free) if free]
            if left:
                raise Mismatch(f"the runtime takes no slot, and {left} are free")
            return ABSENT
        slot = self.handed_out.pop(0)
        if not s.free[slot] or in_flight(s, slot):
            raise Mismatch(f"the runtime takes slot {slot}, which is {'in flight' if s.free[slot] else 'not free'}")
        return slot


class SpecSide:
    """The state of the spec, and how it came to be."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope.replace(nodes=scope.slots, others=ON)
        self.design = FromRuntime(self.scope)
        self.state: State = spec.model.init(self.scope)
        self.steps: list[TakenStep] = []
        """The steps so far."""
        self.states: list[State] = [self.state]
        """The states so far, one more than steps unless the last step has failed."""
        self._always = self.stated("always")
        self._step = self.stated("step")

    def stated(self, kind: str) -> list[Property]:
        """Return the properties of one kind that apply to this run."""
        return [it for it in spec.model.properties if it.kind == kind and it.applies(self.design)]

    @functools.cached_property
    def model(self) -> Model:
        """The spec as the checker loads it: a timeline is narrated by it."""
        return Model(spec.model, self.scope, self.design)

    def take(self, action: Action, *arguments: object) -> None:
        """Take one step on the spec; raises Failed where it is not one, or breaks a property."""
        before = self.state
        after = copy(before)
        after.step = new(Step, self.scope)
        self.steps.append(TakenStep(action, arguments))
        try:
            action.function(after, self.design, *arguments)
        except Disabled as error:
            raise Failed("refinement", "not-allowed", f"the spec does not allow {action.name}{arguments}") from error
        except Violated as error:
            raise Failed("property", error.name, str(error)) from error
        except Mismatch as error:
            raise Failed("refinement", "slots", str(error)) from error
        self.state = after
        self.states.append(after)
        for stated in self._always:
            if not stated.function(after, self.design):
                raise Failed("property", stated.name, f"{action.name}{arguments}: {stated.sentence}")
        for stated in self._step:
            if not stated.function(before, after, self.design):
                raise Failed("property", stated.name, f"{action.name}{arguments}: {stated.sentence}")
