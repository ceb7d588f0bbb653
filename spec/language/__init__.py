"""The words the spec is written in: plain Python, and a handful of names that give it its readings.

An action changes the state it is given. It says with `guard` when it may happen and with `require` what must never be
false while it does. Run it natively and both raise; evaluate it (checker/symbolic/) and both become conditions.

Read it in this order: conditions (guard and require), vectors (lists that refuse an index outside), records (what a
state is made of), fields (what an annotation says of a field), defaults (how a record begins), then actions and
properties (what a model declares). Whoever writes a model imports all of it from `spec.language`.
"""

from spec.language.actions import Action, ActionDeclaration, Choices, action, subsets
from spec.language.conditions import ABSENT, WELL_FORMED, Disabled, Violated, guard, require
from spec.language.defaults import Start, by_scope, each, new, starts
from spec.language.fields import Ghost, Id, Per, Range, Transient
from spec.language.properties import Declaration, Phases, Property, always, lemma, postcondition, sometimes, step
from spec.language.records import BadRecord, copy, record
from spec.language.vectors import Vector

__all__ = [
    "ABSENT",
    "WELL_FORMED",
    "Action",
    "ActionDeclaration",
    "BadRecord",
    "Choices",
    "Declaration",
    "Disabled",
    "Ghost",
    "Id",
    "Per",
    "Phases",
    "Property",
    "Range",
    "Start",
    "Transient",
    "Vector",
    "Violated",
    "action",
    "always",
    "by_scope",
    "copy",
    "each",
    "guard",
    "lemma",
    "new",
    "postcondition",
    "record",
    "require",
    "sometimes",
    "starts",
    "step",
    "subsets",
]
