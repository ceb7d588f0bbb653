"""A counterexample that a person understands: everything that there is to say about it, as data.

One line a step in two lanes, the slots that matter and what they hold, the condition that broke, and what slotproof
would have done at the same schedule.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from checker.explain.clause import Clause
from checker.explain.comparison import Comparison, compare
from checker.explain.entries import concerned_slots, entries_of
from checker.explain.failing_condition import violation_in
from checker.explain.lanes import LaneEntry
from checker.explain.reproduce import reproduce_line
from checker.model.any_order import protocol
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from spec.design import Design
from spec.language import WELL_FORMED
from spec.scope import Scope
from spec.state import State


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that a timeline says, as data."""

    scope: str
    design: str
    summary: str
    """What the design does, in a line; empty: it does not say."""
    property: str
    sentence: str
    protocol: bool
    """Whether the model is the protocol, whose words the legend explains."""
    entries: tuple[LaneEntry, ...]
    clause: Clause
    comparison: Comparison | None
    reproduce: str


def story_of(model: Model, steps: Sequence[TakenStep], property_name: str, reproduce: str = "") -> Story:
    """Return the story of a run that violates a property; `reproduce` replaces the line made from design and scope.

    Raises ValueError if the property is unknown, or if the run does not violate it.
    """
    run = Replay(model, steps)
    clause = violation_in(run, property_name)
    if clause is None:
        raise ValueError(f"these {len(steps)} steps do not violate {property_name}: there is no story to tell")
    context = model.context
    design = str(getattr(context, "name", "")) if context is not model.scope else ""
    slots = concerned_slots(run, clause)
    entries = entries_of(model, steps, run.states, slots)
    comparison = None
    if isinstance(context, Design) and type(context) is not Design:
        reference = protocol(model.scope, Design)
        comparison = compare(reference, steps, property_name, entries, slots)
    return Story(
        scope=_spelled(model.scope),
        design=design,
        summary=str(getattr(context, "summary", "")) if design else "",
        property=property_name,
        sentence=_sentence(model, property_name),
        protocol=isinstance(model.init, State),
        entries=entries,
        clause=clause,
        comparison=comparison,
        reproduce=reproduce or reproduce_line(design, model.scope, property_name),
    )


def _spelled(scope: object) -> str:
    """Return a scope as `name=value` words, also one that does not spell itself."""
    if isinstance(scope, Scope) or not dataclasses.is_dataclass(scope):
        return str(scope)
    return " ".join(f"{field.name}={getattr(scope, field.name)}" for field in dataclasses.fields(scope))


def _sentence(model: Model, property_name: str) -> str:
    if property_name == WELL_FORMED:
        return "No index lies outside its vector, and no value outside its declared range."
    return next((one.sentence for one in model.properties if one.name == property_name), "")
