"""How a record begins: each field as its default says, which may depend on the scope."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from spec.language.fields import Per
from spec.language.records import no_default
from spec.language.vectors import Vector

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Start:
    """How a field starts whose first value depends on the scope: `value`, once or for each element of its Vector.

    The value is a number, a record class (one made by `new`) or a function of the scope.
    """

    value: Any
    every: bool
    count: str = ""
    """The scope's attribute with the number of elements, where it is not the sort that the Vector goes by."""

    def __call__(self) -> Any:
        """Refuse to start without a scope: dataclasses ask a default for its value where none is given."""
        raise TypeError("this record has fields that start by the scope; write new(TheRecord, scope)")


def each(value: Any, count: str = "") -> Any:
    """Say, beside the field of a Vector, how each of its elements starts."""
    return dataclasses.field(default_factory=Start(value, True, count))


def by_scope(value: Callable[[Any], Any]) -> Any:
    """Say, beside a field, that it starts as `value(scope)`, or, of a record class, as `new(value, scope)`."""
    return dataclasses.field(default_factory=Start(value, False))


def new(cls: type[T], scope: Any) -> T:
    """Return a record as it is at first: each field has the default that stands beside it."""
    found: T = cls(**{name: _started(start, scope) for name, start in starts(cast(Any, cls))})
    return found


def _started(start: Start, scope: Any) -> Any:
    if start.every:
        return Vector(_first(start.value, scope) for _ in range(getattr(scope, start.count)))
    return _first(start.value, scope)


def _first(value: Any, scope: Any) -> Any:
    if isinstance(value, int):
        return value
    return new(value, scope) if isinstance(value, type) else value(scope)


@functools.cache
def starts(cls: type) -> tuple[tuple[str, Start], ...]:
    """Return the fields of a record that start by the scope; raises BadRecord where one does not say how it starts."""
    found = []
    hints = get_type_hints(cls, cls.__init__.__globals__, include_extras=True)  # type: ignore[misc]
    for field in dataclasses.fields(cls):
        start = field.default_factory
        if isinstance(start, Start):
            sort = start.count or _sort_of(hints[field.name])
            if start.every and not isinstance(sort, str):
                raise no_default(cls, field.name)
            found.append((field.name, dataclasses.replace(start, count=sort or "")))
        elif field.default is start is dataclasses.MISSING:
            raise no_default(cls, field.name)
    return tuple(found)


def _sort_of(hint: Any) -> Any:
    """Return the sort of which a Vector has one element per member, as its annotation says; None: it does not say."""
    while get_origin(hint) is Annotated or hasattr(hint, "__value__"):
        if get_origin(hint) is not Annotated:
            hint = hint.__value__
            continue
        hint, *marks = get_args(hint)
        for mark in marks:
            if isinstance(mark, Per):
                return mark.sort
    return None
