"""The expectations of a scenario: what a script may say about the last step and the state after it."""

from __future__ import annotations

from dataclasses import dataclass

from checker.scenarios.line import Line
from checker.scenarios.moment import Check, Moment
from checker.scenarios.observed_request import of_a_request
from checker.scenarios.observed_slot import of_a_slot
from checker.scenarios.observed_step import of_the_step
from checker.scenarios.spelling import nearest
from spec.language import WELL_FORMED, Violated
from spec.postconditions import POSTCONDITIONS
from spec.properties import PROPERTIES
from spec.scope import Scope

EXPECTATIONS: dict[str, str] = {
    "violation": "expect violation exact-label [ring-apart ...]",
    "keep": "expect keep r1 slot 3 at 2",
    "label": "expect label r1 2 | absent",
    "next": "expect next r1 1",
    "last": "expect last r1 1",
    "ring": "expect ring r1 slot 1 absent",
    "source": "expect source r1 slot 2 at 2 | nothing",
    "cached": "expect cached slot 3 as A@2",
    "slot": "expect slot 3 holds A@2 | holds nothing | promised A@4 | free | owned by r1 | cached",
    "lookahead": "expect lookahead r1 1",
    "published": "expect published r1 2 | nothing",
    "event": "expect event r1 [not] refused | spare-taken | no-spare | key-cached | no-replacement | ...",
}
"""Every expectation with its form, as help and error messages print it."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation of the script."""

    line: int
    column: int
    text: str
    violations: tuple[str, ...]
    """The properties that are expected to be violated; empty: the expectation is about the state."""
    check: Check | None

    def unmet(self, moment: Moment) -> str:
        """Return what is the case instead; an empty string: it is as expected."""
        if self.violations:
            absent = [name for name in self.violations if name not in moment.violated]
            seen = f"violated: {', '.join(moment.violated) or 'nothing'}"
            return f"{', '.join(absent)} is not violated by this step; {seen}" if absent else ""
        if moment.after is None:
            return "the last step was cut short by a violation, so there is no state to look at"
        assert self.check is not None
        try:
            held, seen = self.check(moment.after, moment.design)
        except Violated as violation:
            return f"the design cannot say: {violation}"
        return "" if held else seen


def read_expectation(line: Line, scope: Scope) -> Expectation:
    """Read `expect ...`."""
    line.keyword("expect")
    column = line.column
    kind = line.keyword(*EXPECTATIONS)
    violations: list[str] = []
    check = None
    if kind == "violation":
        while not violations or not line.done():
            violations.append(_property(line))
    elif kind in {"cached", "slot"}:
        check = of_a_slot(line, scope, kind)
    elif kind in {"lookahead", "published", "event"}:
        check = of_the_step(line, scope, kind)
    else:
        check = of_a_request(line, scope, kind)
    line.close()
    return Expectation(line.number, column, line.text, tuple(violations), check)


def _property(line: Line) -> str:
    column, names = line.column, [*(stated.name for stated in PROPERTIES + POSTCONDITIONS), WELL_FORMED]
    name = line.take("the name of a property, for example exact-label")
    if name not in names:
        raise line.error(f"{name!r} is no property; write {nearest(name, names)}", column)
    return name
