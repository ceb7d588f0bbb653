"""What a script may expect of a request's record: its ring, its pointers, its label, what it copies from."""

from __future__ import annotations

from collections.abc import Callable

from checker.scenarios.line import Line
from checker.scenarios.moment import Check
from checker.scenarios.spelling import spell_length, spell_slot
from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import IDLE, Request, State


def of_a_request(line: Line, scope: Scope, kind: str) -> Check:
    """Read what follows `keep`, `label`, `next`, `last`, `ring` or `source`."""
    request = line.request(scope)
    name = f"r{request + 1}"
    seen: Callable[[Request, Design], tuple[object, str]]
    wanted: object
    match kind:
        case "keep":
            slot = line.slot(scope)
            line.keyword("at")
            wanted = (slot, line.length(scope, "label"))
            seen = _seen_keep
        case "label":
            wanted = line.number_or("absent", "a length", 1, scope.max_len)
            seen = _seen_label
        case "next":
            wanted = line.number_in("ring position", 0, scope.last_position)
            seen = _seen_next
        case "last":
            wanted = line.number_in("ring position", 0, scope.last_position)
            seen = _seen_last
        case "ring":
            wanted = [_slot_or_absent(line, scope) for _ in range(scope.ring)]
            seen = _seen_ring
        case _:
            wanted = (ABSENT, 0)
            if line.peek() == "nothing":
                line.take("")
            else:
                slot = line.slot(scope)
                line.keyword("at")
                wanted = (slot, line.length(scope, "prefix"))
            seen = _seen_source

    def check(s: State, design: Design) -> tuple[bool, str]:
        me = s.requests[request]
        if me.phase == IDLE:
            return False, f"{name} is not in use"
        value, words = seen(me, design)
        return value == wanted, words

    return check


def _slot_or_absent(line: Line, scope: Scope) -> int:
    if line.peek() == "absent":
        line.take("")
        return ABSENT
    return line.slot(scope)


def _seen_keep(me: Request, design: Design) -> tuple[object, str]:
    slot = me.ring[design.keep_index(me)]
    return (slot, me.last_len), f"the keep index is {spell_slot(slot)}, the label {spell_length(me.last_len)}"


def _seen_label(me: Request, design: Design) -> tuple[object, str]:
    return me.last_len, f"the label is {spell_length(me.last_len)}"


def _seen_next(me: Request, design: Design) -> tuple[object, str]:
    return me.next, f"next is {me.next}"


def _seen_last(me: Request, design: Design) -> tuple[object, str]:
    return me.last, f"last is {me.last}"


def _seen_ring(me: Request, design: Design) -> tuple[object, str]:
    return list(me.ring), "the ring is " + " ".join(spell_slot(slot) for slot in me.ring)


def _seen_source(me: Request, design: Design) -> tuple[object, str]:
    words = "it copies from nothing" if me.source == ABSENT else f"it copies from slot {me.source} at {me.prefix}"
    return (me.source, me.prefix), words
