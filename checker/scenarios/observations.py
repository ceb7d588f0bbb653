"""What the expectations of a scenario can look at: each is read from its line and becomes a check of the state."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from checker.scenarios.line import Line, spell
from spec.design import Design
from spec.guarantee import owns
from spec.language import ABSENT
from spec.rows import promised
from spec.scope import Scope
from spec.state import IDLE, Event, Request, State, Text

Check = Callable[[State, Design], tuple[bool, str]]
"""Whether the state is as expected, and what is the case."""

_EVENTS = [field.name.replace("_", "-") for field in dataclasses.fields(Event) if field.type in {"bool", bool}]


def _number_or(line: Line, word: str, what: str, low: int, high: int) -> int:
    """Take a number, or the word that stands for ABSENT."""
    if line.peek() == word:
        line.take("")
        return ABSENT
    if line.peek() and not line.peek().isdecimal():
        raise line.error(f"{line.peek()!r} is not {what}; write a number from {low} to {high}, or {word}")
    return line.number_in(what, low, high)


def _spell_slot(slot: int) -> str:
    return "absent" if slot == ABSENT else f"slot {slot}"


def _spell_length(length: int) -> str:
    return "absent" if length == ABSENT else str(length)


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
            wanted = _number_or(line, "absent", "a length", 1, scope.max_len)
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
    return (slot, me.last_len), f"the keep index is {_spell_slot(slot)}, the label {_spell_length(me.last_len)}"


def _seen_label(me: Request, design: Design) -> tuple[object, str]:
    return me.last_len, f"the label is {_spell_length(me.last_len)}"


def _seen_next(me: Request, design: Design) -> tuple[object, str]:
    return me.next, f"next is {me.next}"


def _seen_last(me: Request, design: Design) -> tuple[object, str]:
    return me.last, f"last is {me.last}"


def _seen_ring(me: Request, design: Design) -> tuple[object, str]:
    return list(me.ring), "the ring is " + " ".join(_spell_slot(slot) for slot in me.ring)


def _seen_source(me: Request, design: Design) -> tuple[object, str]:
    words = "it copies from nothing" if me.source == ABSENT else f"it copies from slot {me.source} at {me.prefix}"
    return (me.source, me.prefix), words


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


def of_the_step(line: Line, scope: Scope, kind: str) -> Check:
    """Read what follows `lookahead`, `published` or `event`."""
    request = line.request(scope)
    if kind == "lookahead":
        ahead = line.number_in("lookahead", 0, scope.max_len)
        return lambda s, design: _seen_lookahead(s.step.events[request], ahead)
    if kind == "published":
        length = _number_or(line, "nothing", "a length", 1, scope.max_len)
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
