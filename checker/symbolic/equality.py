"""Equality of values as Python has it: numbers, texts and None; records, vectors and tuples part by part."""

from __future__ import annotations

from types import NoneType

from checker.model.layout import Array, Record
from checker.symbolic.node import Value
from checker.symbolic.store import Refused, Store
from checker.symbolic.subset import compares_in_its_own_way, is_concrete, is_number, is_reference
from checker.symbolic.values import Held, Reference, model_of


def equal(store: Store, a: Held, b: Held) -> Value:
    """Return whether two values are equal as Python compares them; refuses what compares in a way of its own."""
    if is_number(a) and is_number(b):
        return store.graph.eq(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        return store.graph.all_of(equal(store, one, other) for one, other in zip(a, b, strict=True))
    if is_reference(a) and is_reference(b):
        return _same(store, a, b)
    for value in (a, b):
        if not isinstance(value, (str, tuple, NoneType)) and not is_number(value) and not is_reference(value):
            if is_concrete(a) and is_concrete(b):
                if compares_in_its_own_way(value):
                    raise Refused(f"a comparison of a {type(value).__name__} by code of its own", "compare numbers")
                return bool(a == b)
            raise Refused(f"a comparison with a {type(value).__name__}", "compare numbers, records or tuples")
    # Texts and None are left, beside something of another kind or of their own: known on both sides.
    return type(a) is type(b) and not is_number(a) and bool(a == b)


def _same(store: Store, a: Reference, b: Reference) -> Value:
    store.check(a)
    store.check(b)
    model, other = model_of(a), model_of(b)
    if isinstance(model, Array) and isinstance(other, Array):
        if len(model.elements) != len(other.elements):
            return False
        return store.graph.all_of(
            equal(store, store.read(store.element(a, i)), store.read(store.element(b, i)))
            for i in range(len(model.elements))
        )
    if isinstance(model, Record) and isinstance(other, Record) and model.cls is other.cls:
        return store.graph.all_of(
            equal(store, store.read(store.field(a, name)), store.read(store.field(b, name))) for name in model.fields
        )
    return False
