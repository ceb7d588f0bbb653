"""A step of the protocol in words for a person, from the states before and after it.

Batches are numbered in launch order over the whole run. Models other than the protocol's get their action and what it
changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checker.explain.changes import slots_of
from checker.explain.lanes import CPU, DEVICE
from checker.explain.named_arguments import NamedArguments
from checker.explain.names import request_name, slot_name, slot_names, text_name
from checker.explain.narrate_launch import narrate_prefill, narrate_prepare
from checker.explain.narrate_result import narrate_process
from checker.model.layout import flatten
from checker.model.model import Model, TakenStep
from spec.language import ABSENT
from spec.state import State, Text


def launched(before: object, after: object) -> int:
    """Return how many batches a step launched: 1 or 0; 0 for models that do not count pending batches."""
    return int(isinstance(before, State) and isinstance(after, State) and after.pending > before.pending)


def say(model: Model, number: int, before: Any, taken: TakenStep, after: Any) -> tuple[str, str]:
    """Return the lane of a step and the step in words.

    `number` is how many batches were launched before it; `after` is None where the step itself raised a violation.
    """
    narrator = _NARRATORS.get(taken.action.name) if isinstance(before, State) else None
    if narrator is None:
        return CPU, _generic(model, before, taken, after)
    lane = DEVICE if taken.action.name == "device" else CPU
    if after is None:
        return lane, f"{_attempt(number, before, taken)}: stops in the middle, see below"
    return lane, narrator(model, number, before, NamedArguments(taken), after)


def _attempt(number: int, before: State, taken: TakenStep) -> str:
    chosen = NamedArguments(taken)
    if taken.action.name in ("process", "cut"):
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


# One narrator per action: model, batches launched before, state before, arguments by name, state after.


def _admit(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    me = after.requests[chosen["request"]]
    hit = ""
    if me.source != ABSENT:
        hit = f", will start from cached {text_name(Text(me.family, me.prefix))} in {slot_name(me.source)}"
    ring = ", ".join(slot_name(slot) if slot != ABSENT else "-" for slot in me.ring)
    prompt = text_name(Text(me.family, me.seq_len))
    return f"admit {request_name(chosen['request'])}: prompt {prompt}{hit}; works in {slot_name(me.working)}, " + (
        f"ring [{ring}]"
    )


def _device(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    filled: dict[int, str] = {}
    for row in before.batches[before.written].rows:
        if row.present:
            for slot in (row.working, row.slot if row.mark != ABSENT else row.working):
                filled[slot] = text_name(after.holds[slot])
    parts = [f"{slot_name(slot)} = {held}" for slot, held in filled.items()]
    return f"runs batch {number - before.pending + before.written}: {', '.join(parts) or 'no rows'}"


def _abort(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    request = chosen["request"]
    return f"abort {request_name(request)}: gives back {slot_names(slots_of(before.requests[request]))}"


def _evict(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    return f"evict {text_name(before.cached[chosen['slot']])}: {slot_name(chosen['slot'])} is free"


def _move(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    return f"{request_name(chosen['request'])} moves to seat {chosen['seat'] + 1}"


def _regroup(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    first = " ".join(request_name(request) for request, named in enumerate(chosen.each("first")) if named)
    return f"the rows in flight of {first} are put in front of the others"


def _others_take(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    return f"another request takes {slot_name(chosen['slot'])}"


def _others_give_back(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    return f"another request gives {slot_name(chosen['slot'])} back"


def _others_join(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    text = Text(chosen["family"], chosen["length"])
    return f"another request joins batch {number - 1}: {slot_name(chosen['slot'])} will hold {text_name(text)}"


def _others_publish(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    return (
        f"another request hands {slot_name(chosen['slot'])} to the cache as {text_name(after.cached[chosen['slot']])}"
    )


_NARRATORS: dict[str, Callable[[Model, int, State, NamedArguments, State], str]] = {
    "admit": _admit,
    "prefill": narrate_prefill,
    "prepare": narrate_prepare,
    "device": _device,
    "process": narrate_process,
    "cut": narrate_process,
    "abort": _abort,
    "evict": _evict,
    "move": _move,
    "regroup": _regroup,
    "others_take": _others_take,
    "others_give_back": _others_give_back,
    "others_join": _others_join,
    "others_publish": _others_publish,
}
