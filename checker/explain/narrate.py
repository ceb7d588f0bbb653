"""A step of the protocol in words for a person, from the states before and after it.

Requests are called r1, r2, ...; slots s0, s1, ...; texts A, B, ...; `A@2` is the state after the first 2 tokens of A.
Batches are numbered in launch order over the whole run. Models other than the protocol's get their action and what it
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from checker.explain.lanes import CPU, DEVICE
from checker.model.layout import flatten
from checker.model.model import Model, TakenStep
from spec.language import ABSENT, Vector
from spec.rows import awaits_write, claims
from spec.scope import EAGER
from spec.state import EXHAUSTED, RUNNING, Event, Request, Row, State, Text


def request_name(request: int) -> str:
    """Return the name of a request: r1 for index 0."""
    return f"r{request + 1}"


def slot_name(slot: int) -> str:
    """Return the name of a slot, or that there is none."""
    return "absent" if slot == ABSENT else f"s{slot}"


def slot_names(slots: Iterable[int]) -> str:
    """Return the names of several slots in order."""
    return " ".join(slot_name(slot) for slot in slots)


def family_name(family: int) -> str:
    """Return the name of a text: A for index 0."""
    return "absent" if family == ABSENT else chr(ord("A") + family)


def text_name(text: Text) -> str:
    """Return `A@2` for the first 2 tokens of text A, and a dash for bytes that nobody may rely on."""
    return "-" if text.family == ABSENT else f"{family_name(text.family)}@{text.length}"


def _tokens(count: int) -> str:
    return f"{count} token{'' if count == 1 else 's'}"


def launched(before: object, after: object) -> int:
    """Return how many batches a step launched: 1 or 0; 0 for models that do not count pending batches."""
    return int(isinstance(before, State) and isinstance(after, State) and after.pending > before.pending)


def say(model: Model, number: int, before: Any, taken: TakenStep, after: Any) -> tuple[str, str]:
    """Return the lane of a step and the step in words.

    `number` is how many batches were launched before it; `after` is None where the step itself raised a violation.
    """
    teller = _TELLERS.get(taken.action.name) if isinstance(before, State) else None
    if teller is None:
        return CPU, _generic(model, before, taken, after)
    lane = DEVICE if taken.action.name == "device" else CPU
    if after is None:
        return lane, f"{_attempt(number, before, taken)}: stops in the middle, see below"
    return lane, teller(model, number, before, _Chosen(taken), after)


class _Chosen:
    """The arguments of a step by name: each a number, or one number for each request."""

    def __init__(self, taken: TakenStep) -> None:
        self._named = dict(zip(taken.action.choices, taken.arguments, strict=True))

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def __getitem__(self, name: str) -> int:
        return int(self._named[name])

    def each(self, name: str) -> tuple[int, ...]:
        """Return the numbers of an argument that has one for each request."""
        return tuple(self._named[name])


def _attempt(number: int, before: State, taken: TakenStep) -> str:
    chosen = _Chosen(taken)
    if taken.action.name == "process":
        return f"result of batch {number - before.pending}" + "".join(
            f", {request_name(request)} ends" for request, ends in enumerate(chosen.each("finishes")) if ends
        )
    if "request" in chosen:
        return f"{taken.action.name} {request_name(chosen['request'])}"
    if "slot" in chosen:
        return f"{taken.action.name} {slot_name(chosen['slot'])}"
    if taken.action.name == "prepare":
        return f"launch batch {number}"
    return f"runs batch {number - before.pending + before.written}"


def _generic(model: Model, before: Any, taken: TakenStep, after: Any) -> str:
    call = f"{taken.action.name}({', '.join(_argument(value) for value in taken.arguments)})"
    if after is None:
        return f"{call}: stops in the middle, see below"
    changed = [
        f"{leaf.path} {_argument(was)} -> {_argument(now)}"
        for leaf, was, now in zip(model.leaves, flatten(before), flatten(after), strict=True)
        if was != now and not leaf.transient
    ]
    return f"{call}: {', '.join(changed) or 'changes nothing'}"


def _argument(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_argument(part) for part in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "absent" if value == ABSENT else str(value)


# One teller per action: model, batches launched before, state before, arguments by name, state after.


def _admit(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    me = after.requests[chosen["request"]]
    hit = ""
    if me.source != ABSENT:
        hit = f", will start from cached {text_name(Text(me.family, me.prefix))} in {slot_name(me.source)}"
    ring = ", ".join(slot_name(slot) if slot != ABSENT else "-" for slot in me.ring)
    prompt = text_name(Text(me.family, me.seq_len))
    return f"admit {request_name(chosen['request'])}: prompt {prompt}{hit}; works in {slot_name(me.working)}, " + (
        f"ring [{ring}]"
    )


def _prefill(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    request = chosen["request"]
    row = after.batches[before.pending].rows[request]
    copied = f" on top of {text_name(Text(row.family, row.start))} from {slot_name(row.source)}" if row.start else ""
    words = f"launch batch {number}: {request_name(request)} prefills {_tokens(row.seq_len)}{copied}"
    return words + _claim(model, before, row, request, after)


def _prepare(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    rows = after.batches[before.pending].rows
    parts = [
        f"{request_name(request)} decodes token {rows[request].seq_len}"
        + _claim(model, before, rows[request], request, after)
        for request in chosen.each("order")
        if chosen.each("rows")[request]
    ]
    words = f"launch batch {number}: {'; '.join(parts) or 'other work, no request of ours in it'}"
    return words + _allocator(before, chosen, after)


def _claim(model: Model, before: State, row: Row, request: int, after: State) -> str:
    """Say what the row checkpoints and where, and how that moved the request's pointers."""
    was, now, event = before.requests[request], after.requests[request], after.step.events[request]
    words = ""
    if event.spare_taken:
        words += f", takes spare {slot_name(now.ring[now.next])} into ring[{now.next}]"
    if event.no_spare:
        words += ", no spare slot" + ("" if row.mark != ABSENT else ": skips its checkpoint")
    if row.mark != ABSENT:
        words += f", checkpoint {text_name(Text(row.family, row.mark))} goes to ring[{row.position}] = " + (
            slot_name(row.slot)
        )
        if model.scope.mode == EAGER:
            words += f", {_next(was, now)}"
    elif not event.no_spare:
        words += ", no checkpoint"
    return words + _label(was, now)


def _next(was: Request, now: Request) -> str:
    return f"next {was.next} -> {now.next}" if was.next != now.next else f"next stays {now.next}"


def _label(was: Request, now: Request) -> str:
    """Say what became of `last` and the label; nothing where both stand."""
    if (was.last, was.last_len) == (now.last, now.last_len):
        return ""
    if now.last_len == ABSENT:
        return f", label {was.last_len} is taken back" if was.last_len != ABSENT else ""
    return f", last = ring[{now.last}] with label {now.last_len}"


def _device(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    filled: dict[int, str] = {}
    for row in before.batches[before.written].rows:
        if row.present:
            for slot in (row.working, row.slot if row.mark != ABSENT else row.working):
                filled[slot] = text_name(after.holds[slot])
    parts = [f"{slot_name(slot)} = {held}" for slot, held in filled.items()]
    return f"runs batch {number - before.pending + before.written}: {', '.join(parts) or 'no rows'}"


def _process(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    rows = before.batches[0].rows
    parts = [
        _result(model, before, request, rows[request], after)
        for request in chosen.each("order")
        if rows[request].present
    ]
    words = f"result of batch {number - before.pending}: {'; '.join(parts) or 'no rows'}"
    return words + _allocator(before, chosen, after)


def _result(model: Model, before: State, request: int, row: Row, after: State) -> str:
    name, event = request_name(request), after.step.events[request]
    if not event.processed:
        return f"{name} has left, its row is ignored"
    was, now = before.requests[request], after.requests[request]
    what = "prefill" if row.decode_count == 0 else f"token {row.seq_len}, lookahead {event.lookahead}"
    words = f"{name} ({what}){_completed(was, request, row, after)}"
    if now.phase == RUNNING:
        words += _donation(before, request, after)
        if model.scope.mode == EAGER and was.next != now.next:
            words += f", {_next(was, now)}"
    if event.finished:
        words += f"; {name} finishes, {_published(before, request, after)}"
    dropped = [slot for slot in _slots_of(was) if after.free[slot] and not before.free[slot]]
    return words + (f", frees {slot_names(dropped)}" if dropped else "")


def _completed(was: Request, request: int, row: Row, after: State) -> str:
    """Say what became of the row's checkpoint, and whether the label moved with it or without it."""
    now, event = after.requests[request], after.step.events[request]
    moved = _label(was, now) if now.phase == RUNNING and event.published == ABSENT else ""
    if not event.boundary:
        return ", no checkpoint in it" + (f", YET{moved[1:]}" if moved else "")
    words = f", checkpoint {text_name(Text(row.family, row.mark))} done"
    if row.mark not in (now.last_len, event.published) and not (event.refused or event.key_cached):
        overwritten = claims(after, request, row.slot)
        words += ", gets no label: a launched batch will overwrite it" if overwritten else ", NOT RECORDED"
    return words + moved


def _donation(before: State, request: int, after: State) -> str:
    event = after.step.events[request]
    if event.published != ABSENT:
        was, now = before.requests[request].ring, after.requests[request].ring
        replaced = [position for position, slot in enumerate(now) if slot != was[position]]
        return f", {_published(before, request, after)}" + "".join(
            f", {slot_name(now[position])} replaces it in ring[{position}]" for position in replaced
        )
    if event.no_replacement:
        return ", keeps it: no free slot to put in its place"
    return f", {_published(before, request, after)}" if event.refused or event.key_cached else ""


def _published(before: State, request: int, after: State) -> str:
    event, family = after.step.events[request], before.requests[request].family
    if event.published != ABSENT:
        key = Text(family, event.published)
        slots = [slot for slot, text in enumerate(after.cached) if text == key and before.cached[slot] != key]
        return f"{slot_names(slots)} goes to the cache as {text_name(key)}"
    if event.refused:
        return "publishes nothing: the gate refuses"
    return "publishes nothing: " + ("its key is cached already" if event.key_cached else "it has no label")


def _slots_of(me: Request) -> list[int]:
    return [slot for slot in (me.working, *me.ring) if slot != ABSENT]


def _allocator(before: State, chosen: _Chosen, after: State) -> str:
    if chosen["supply"] == EXHAUSTED:
        return " (others hold all free slots)"
    handed = [
        slot for slot, was in enumerate(before.free) if was and not after.free[slot] and awaits_write(before, slot)
    ]
    return f" (still to be written by a launched batch: {slot_names(handed)})" if after.step.reused else ""


def _abort(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    request = chosen["request"]
    return f"abort {request_name(request)}: gives back {slot_names(_slots_of(before.requests[request]))}"


def _evict(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    return f"evict {text_name(before.cached[chosen['slot']])}: {slot_name(chosen['slot'])} is free"


def _move(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    return f"{request_name(chosen['request'])} moves to seat {chosen['seat'] + 1}"


def _regroup(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    first = " ".join(request_name(request) for request, named in enumerate(chosen.each("first")) if named)
    return f"the rows in flight of {first} are put in front of the others"


def _others_take(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    return f"another request takes {slot_name(chosen['slot'])}"


def _others_give_back(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    return f"another request gives {slot_name(chosen['slot'])} back"


def _others_join(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    text = Text(chosen["family"], chosen["length"])
    return f"another request joins batch {number - 1}: {slot_name(chosen['slot'])} will hold {text_name(text)}"


def _others_publish(model: Model, number: int, before: State, chosen: _Chosen, after: State) -> str:
    return (
        f"another request hands {slot_name(chosen['slot'])} to the cache as {text_name(after.cached[chosen['slot']])}"
    )


_TELLERS: dict[str, Callable[[Model, int, State, _Chosen, State], str]] = {
    "admit": _admit,
    "prefill": _prefill,
    "prepare": _prepare,
    "device": _device,
    "process": _process,
    "abort": _abort,
    "evict": _evict,
    "move": _move,
    "regroup": _regroup,
    "others_take": _others_take,
    "others_give_back": _others_give_back,
    "others_join": _others_join,
    "others_publish": _others_publish,
}


# Values of the state in words.


def value_name(value: object, requests: Iterable[object] = ()) -> str:
    """Return a value of a state in a few words; `requests` are records that are called by name, told by identity."""
    if isinstance(value, (bool, int)):
        return str(value).lower() if isinstance(value, bool) else "absent" if value == ABSENT else str(value)
    if isinstance(value, Text):
        return text_name(value) if value.family != ABSENT else "nothing"
    if isinstance(value, Row):
        return _row_name(value)
    if isinstance(value, Request):
        return _request_record(value, requests)
    if isinstance(value, Event):
        told = {name: getattr(value, name) for name in Event.__slots__}  # type: ignore[attr-defined]
        return ", ".join(
            name if held is True else f"{name} {held}"
            for name, held in told.items()
            if held is not False and held != ABSENT
        )
    if isinstance(value, Vector) and value and all(isinstance(part, Text) for part in value):
        known = [f"{slot_name(slot)}: {text_name(text)}" for slot, text in enumerate(value) if text.family != ABSENT]
        return ", ".join(known) or "nothing in any slot"
    if isinstance(value, (Vector, list, tuple)):
        return "[" + ", ".join(value_name(part, requests) for part in value) + "]"
    if hasattr(value, "__dataclass_fields__"):
        fields = ", ".join(f"{name} {value_name(getattr(value, name))}" for name in value.__dataclass_fields__)
        return f"({fields})"
    return str(value)


def _row_name(row: Row) -> str:
    if not row.present:
        return "absent"
    kind = f"decode of token {row.seq_len}" if row.decode_count else f"prefill of {_tokens(row.seq_len)}"
    mark = "no checkpoint"
    if row.mark != ABSENT:
        mark = f"checkpoint {text_name(Text(row.family, row.mark))} to ring[{row.position}] = {slot_name(row.slot)}"
    return f"{kind}, works in {slot_name(row.working)}, {mark}"


def _request_record(me: Request, requests: Iterable[object]) -> str:
    name = next((f"{request_name(number)}: " for number, one in enumerate(requests) if one is me), "")
    ring = ", ".join(slot_name(slot) if slot != ABSENT else "-" for slot in me.ring)
    label = "no label" if me.last_len == ABSENT else f"label {me.last_len}"
    return f"{name}{_tokens(me.seq_len)}, ring [{ring}], next {me.next}, last {me.last}, {label}"
