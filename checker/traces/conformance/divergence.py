"""What conformance hands back, as plain data, and the exception that carries the first difference out of a step."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from checker.model.source import is_of_the_language, on_one_line
from checker.traces.format1 import Event1
from spec.language import Disabled, Violated

Group = list[tuple[int, Event1]]
"""What is judged at once: one event with its line, and after a `process` or at an abort the effects that follow."""

ROOT = Path(__file__).parents[3]


class Place(NamedTuple):
    """A statement of the spec or of a design: where it is, in which function, and its text on one line."""

    file: str
    line: int
    function: str
    text: str


class FalseGuard(NamedTuple):
    """The condition that stopped the spec's action. `property`: the one that a `require` names, None for a guard."""

    place: Place
    property: str | None


class DesignAnswer(NamedTuple):
    """A decision that the spec consulted: what it was asked about, its answer, and the answer that the trace needs.

    `instead` is None where another answer changes what is expected, without making the event acceptable.
    """

    decision: str
    about: str
    answered: int | bool
    instead: int | bool | None


class Divergence(Struct):
    """The first event that the design would not have produced.

    Slots in `expected` and `seen` are physical; lengths are in tokens; None is ABSENT. `guard` is set if the action was
    not possible at all, and then `expected` is in words. `answers` explain the difference: with all of them the event
    is accepted. If there are none, `consulted` lists the decisions that have a say in it. `written` names the
    statements that gave the field its expected value. `missing`: an effect that should have followed did not.
    """

    line: int
    event: str
    batch: int | None
    request: str | None
    field: str
    expected: object
    seen: object
    why: str = ""
    guard: FalseGuard | None = None
    answers: list[DesignAnswer] = []
    consulted: list[DesignAnswer] = []
    written: list[Place] = []
    missing: bool = False
    times: int = 1
    """How often the trace differs like this: the same field of the same kind of event, where comparison went on."""


class Conformity(Struct):
    """Whether a trace is one that the design produces: it is if `divergence` is None. `events` have been judged.

    After a difference that nothing else depends on the comparison goes on; `more` are those that follow, one of a kind.
    `not_covered` says in words what the spec does not have, at `line` of the trace; from there on nothing was compared.
    """

    design: str
    events: int
    divergence: Divergence | None
    not_covered: str = ""
    line: int = 0
    more: list[Divergence] = []

    @property
    def conforms(self) -> bool:
        """Whether nothing differed, and nothing was left out."""
        return self.divergence is None and not self.not_covered


class Diverged(Exception):
    """Raised where a step of the spec and the trace part."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.field)
        self.divergence = divergence


def stopped_at(error: Disabled | Violated) -> tuple[Place, dict[str, object]]:
    """Return the statement that raised, outside of the language itself, and the local variables around it."""
    frames = [
        (summary, frame)
        for summary, (frame, _) in zip(
            traceback.extract_tb(error.__traceback__), traceback.walk_tb(error.__traceback__), strict=True
        )
        if not is_of_the_language(summary.filename)
    ]
    summary, frame = frames[-1]
    last = summary.end_lineno or summary.lineno or 0
    return place_of(summary.filename, summary.lineno or 0, summary.name, last), frame.f_locals


def place_of(filename: str, line: int, function: str, last: int | None = None) -> Place:
    """Return a statement that begins at `line` (from 1) and ends at `last`; files of ours are named from the root."""
    text = on_one_line("".join(linecache.getline(filename, number) for number in range(line, (last or line) + 1)))
    path = Path(filename)
    return Place(str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name, line, function, text)
