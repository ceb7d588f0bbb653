"""What a script may expect of the last step: its lookahead, what it published, what it notes of a request."""

from __future__ import annotations

import dataclasses

from checker.scenarios.line import Line
from checker.scenarios.moment import Check
from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import Event, State

_EVENTS = [field.name.replace("_", "-") for field in dataclasses.fields(Event) if field.type in {"bool", bool}]


def of_the_step(line: Line, scope: Scope, kind: str) -> Check:
    """Read what follows `lookahead`, `published` or `event`."""
    request = line.request(scope)
    if kind == "lookahead":
        ahead = line.number_in("lookahead", 0, scope.max_len)
        return lambda s, design: _seen_lookahead(s.step.events[request], ahead)
    if kind == "published":
        length = line.number_or("nothing", "a length", 1, scope.max_len)
        return lambda s, design: _seen_published(s.step.events[request], length)
    negated = line.peek() == "not"
    if negated:
        line.take("")
    name = line.keyword(*_EVENTS)
    field = name.replace("-", "_")

    def check(s: State, design: Design) -> tuple[bool, str]:
        event = s.step.events[request]
        noted = [name for name in _EVENTS if getattr(event, name.replace("-", "_"))]
        seen = f"the step notes of r{request + 1}: {', '.join(noted) or 'nothing'}"
        return getattr(event, field) != negated, seen

    return check


def _seen_lookahead(event: Event, wanted: int) -> tuple[bool, str]:
    if event.lookahead == ABSENT:
        return False, "the last step processed no result of it"
    return event.lookahead == wanted, f"the lookahead is {event.lookahead}"


def _seen_published(event: Event, wanted: int) -> tuple[bool, str]:
    if event.published == ABSENT:
        return wanted == ABSENT, "the last step published nothing of it"
    return event.published == wanted, f"the last step published {event.published} tokens"
