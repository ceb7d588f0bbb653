"""Every single-field edit of a trace, for tests of whatever judges traces: a sharp judge notices nearly all of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

Place = tuple[str | int, ...]


class Edit(NamedTuple):
    """Line `line` (from 1) of the trace with its scalar at `place` replaced; `lines` is the whole edited trace.

    `kind` is the event's kind ("header" for the first line), `field` the place without indices, such as `rows.len`.
    """

    line: int
    kind: str
    field: str
    place: Place
    old: object
    new: object
    lines: list[bytes]

    @property
    def change(self) -> str:
        """What kind of change it is: "+1", "-1", "to null", "from null", "flip" or "other name"."""
        if self.new is None:
            return "to null"
        if self.old is None:
            return "from null"
        if isinstance(self.old, bool):
            return "flip"
        if isinstance(self.old, int) and isinstance(self.new, int):
            return f"{self.new - self.old:+d}"
        return "other name"


def enumerate_edits(path: Path) -> Iterator[Edit]:
    """Change every scalar field of every line: a number by one each way, a flag, a name; to null, and from null."""
    lines = path.read_bytes().splitlines(keepends=True)
    for index, line in enumerate(lines):
        event = json.loads(line)
        kind = "header" if index == 0 else event["e"]
        for place, old in scalars(event, ()):
            for new in replacements(place, old):
                changed = copy.deepcopy(event)
                put(changed, place, new)
                edited = [*lines[:index], json.dumps(changed).encode() + b"\n", *lines[index + 1 :]]
                field = ".".join(part for part in place if isinstance(part, str))
                yield Edit(index + 1, kind, field, place, old, new, edited)


def scalars(value: Any, place: Place) -> Iterator[tuple[Place, object]]:
    """The scalars inside a JSON value, with where they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from scalars(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from scalars(inner, (*place, index))
    else:
        yield place, value


def replacements(place: Place, old: object) -> list[object]:
    """What a scalar is changed to."""
    if old is None:
        return [0, 1, 8]
    if isinstance(old, bool):
        return [not old, None]
    if isinstance(old, int):
        return [old + 1, old - 1, None]
    if place[-1] == "mode":
        return ["lazy" if old == "eager" else "eager", "other", None]
    if place[-1] == "r":
        return [name for name in ("A", "B", "C", "nobody") if name != old] + [None]
    return ["other", None]


def put(value: Any, place: Place, new: object) -> None:
    """Replace the scalar at `place`."""
    for part in place[:-1]:
        value = value[part]
    value[place[-1]] = new
