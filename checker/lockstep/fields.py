"""Fields that were added and forgotten: what no text reads or changes, what the runtime or a trace lacks.

Each is one sentence with the place, and the line to add.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import spec.model
from checker.lockstep.ties import FULL, ties
from checker.model.model import Model
from checker.symbolic.transitions import Reader
from checker.symbolic.unread import Field, declared, unchanged, unread
from spec.scope import Scope

SCOPES: Final = (FULL, "requests=1 slots=2 nodes=1 mode=lazy")
"""Scopes in which, between them, every field is read."""


def forgotten() -> list[str]:
    """Return everything that a field of the spec, a column of the runtime or a key of a trace lacks; empty: nothing."""
    return [*_of_the_spec(), *ties()]


def _of_the_spec() -> Iterator[str]:
    """Yield the fields that no text reads, and those that no action changes, in any of the scopes."""
    models = [Model(spec.model, Scope.parse(scope)) for scope in SCOPES]
    unasked: list[list[Field]] = []
    constant: list[list[Field]] = []
    for model in models:
        reader = Reader(model, postconditions=True)
        transitions = [reader.transition(instance) for instance in model.instances()]
        for stated in [*model.of_kind("always"), *model.of_kind("lemma")]:
            reader.holds(stated, [reader.inputs])
        unasked.append(unread(model.shape, reader.looked))
        constant.append(unchanged(reader, transitions))
    for field in dict.fromkeys(field for model in models for field in declared(model.shape)):
        if all(field in found for found in constant):
            yield (
                f"{field.place}: no action changes {field.spelled}; write it where it happens (spec/actions/): "
                f"me.{field.name} = ..."
            )
        if all(field in found for found in unasked):
            yield (
                f"{field.place}: nothing reads {field.spelled}: no action, decision, property, lemma or sometimes; say "
                f"in spec/properties.py what must be true of it: return all(request.{field.name} ... )"
            )
