"""Records: classes with fields that are compared and copied by value, so that a state is one value."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast, dataclass_transform

from spec.language.vectors import Vector

T = TypeVar("T")


class BadRecord(SyntaxError):
    """A record that says too little of a field; it is written FILE:LINE, what is missing, and the line to write."""

    def __str__(self) -> str:
        """Return the sentence behind its place."""
        return f"{self.filename}:{self.lineno}: {self.msg}" if self.lineno else self.msg


@dataclass_transform()
def record(cls: type[T]) -> type[T]:
    """Make a class a record of the state: fields of ints, bools, records and Vectors, compared by value.

    `= 0` beside a field says how it starts, `= each(ABSENT)` how each element of its Vector does, and `= by_scope(f)`
    that it starts as f(scope); a record with such fields is made by `new`.
    """
    try:
        return dataclasses.dataclass(slots=True)(cls)
    except TypeError as error:
        # Python says which argument without a default follows one with it, and not where.
        for name in inspect.get_annotations(cls):
            if f"argument '{name}' follows" in str(error):
                raise no_default(cls, name) from None
        raise


def no_default(cls: type, name: str) -> BadRecord:
    """Return the error of a field that does not say how it starts, with its place."""
    declared = inspect.get_annotations(cls)[name]
    declared = declared if isinstance(declared, str) else getattr(declared, "__name__", "...")
    how = "each(ABSENT)" if "Vector" in declared else "False" if declared == "bool" else "0"
    what = f"{cls.__name__}.{name} does not say how it starts; write its default beside it: {name}: {declared} = {how}"
    try:
        lines, first = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return BadRecord(what)
    found = [number for number, line in enumerate(lines, first) if line.strip().startswith(f"{name}:")]
    return BadRecord(what, (file, found[0] if found else first, None, None))


def copy(value: T) -> T:
    """Return an independent copy of a record or Vector: assigning one into the state without it would alias."""
    return cast(T, _COPIERS[type(value)](value))


class _Copiers(dict[type, Callable[[Any], Any]]):
    """How values of each type are copied, found out once: copying states is most of what a native run does."""

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        if issubclass(kind, int):
            self[kind] = lambda value: value
        elif issubclass(kind, Vector):
            self[kind] = self._vector
        else:
            self[kind] = self._record_copier(kind)
        return self[kind]

    def _vector(self, value: Vector[Any]) -> Vector[Any]:
        return Vector([part if type(part) is int or type(part) is bool else self[type(part)](part) for part in value])

    def _record_copier(self, kind: type) -> Callable[[Any], Any]:
        """Return a function that copies such a record, one assignment a field, as if it had been written by hand."""
        lines = ["def copier(value):", "    copied = blank(kind)"]
        for field in dataclasses.fields(kind):
            lines.append(f"    part = value.{field.name}")
            lines.append("    of = type(part)")
            lines.append(f"    copied.{field.name} = part if of is int or of is bool else copiers[of](part)")
        names: dict[str, Any] = {"blank": kind.__new__, "kind": kind, "copiers": self}
        exec("\n".join([*lines, "    return copied"]), names)
        return cast(Callable[[Any], Any], names["copier"])


_COPIERS = _Copiers()
