"""What a script may expect of a slot: what it holds, what it is going to hold, whose it is."""

from __future__ import annotations

from checker.scenarios.line import Line
from checker.scenarios.moment import Check
from checker.scenarios.spelling import spell
from spec.guarantee import owns
from spec.language import ABSENT
from spec.rows import promised
from spec.scope import Scope
from spec.state import State, Text


def of_a_slot(line: Line, scope: Scope, kind: str) -> Check:
    """Read what follows `cached` or `slot`."""
    if kind == "cached":
        slot = line.slot(scope)
        line.keyword("as")
        key = line.state(scope)
        return lambda s, design: (s.cached[slot] == key, f"slot {slot} is cached as {spell(s.cached[slot])}")
    column = line.column
    number = line.number_in("slot", 0, scope.last_slot) if line.peek().isdecimal() else ABSENT
    if number == ABSENT:
        raise line.error(f"{line.peek()!r} is no slot; write a number from 0 to {scope.last_slot}", column)
    match line.keyword("holds", "promised", "free", "owned", "cached"):
        case "holds":
            held = line.state(scope)
            return lambda s, design: (s.holds[number] == held, f"slot {number} holds {spell(s.holds[number])}")
        case "promised":
            due = line.state(scope)
            return lambda s, design: _seen_promise(s, number, due)
        case "free":
            return lambda s, design: (s.free[number], _owners(s, number))
        case "owned":
            line.keyword("by")
            request = line.request(scope)
            return lambda s, design: (owns(s.requests[request], number), _owners(s, number))
        case _:
            return lambda s, design: (s.cached[number].family != ABSENT, _owners(s, number))


def _seen_promise(s: State, slot: int, wanted: Text) -> tuple[bool, str]:
    due = promised(s, slot)
    return due == wanted, f"slot {slot} will hold {spell(due)}"


def _owners(s: State, slot: int) -> str:
    owners = ["the free list"] if s.free[slot] else []
    owners += [f"the cache, as {spell(s.cached[slot])}"] if s.cached[slot].family != ABSENT else []
    owners += [f"r{number}" for number, request in enumerate(s.requests, 1) if owns(request, slot)]
    return f"slot {slot} belongs to {' and '.join(owners) or 'nobody'}"
