"""A counterexample that a person understands: `tell` finds what there is to say, `render` writes it down.

One line a step in two lanes, the slots that matter and what they hold, the condition that broke, and what slotproof
would have done at the same schedule.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checker.explain.failing_condition import Clause, false_clause, violated_clause
from checker.explain.lanes import CPU, LaneEntry, broken, timeline
from checker.explain.narrate import launched, request_name, say, slot_name, text_name
from checker.explain.reproduce import reproduce_line
from checker.model.any_order import protocol
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from spec.design import Design
from spec.language import ABSENT, WELL_FORMED, Disabled, Violated
from spec.rows import promised
from spec.scope import Scope
from spec.state import RUNNING, State

_AMONG_COMMAS = re.compile(r", (?![^(\[]*[)\]])")
"""The commas between the parts of a sentence: those outside brackets."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What slotproof does at the same schedule: the steps at which it differs, and how that ends."""

    entries: tuple[LaneEntry, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that a timeline says, as data."""

    scope: str
    design: str
    summary: str
    """What the design does, in a line; empty: it does not say."""
    property: str
    sentence: str
    protocol: bool
    """Whether the model is the protocol, whose words the legend explains."""
    entries: tuple[LaneEntry, ...]
    clause: Clause
    comparison: Comparison | None
    reproduce: str


def tell(model: Model, steps: Sequence[TakenStep], property_name: str, reproduce: str = "") -> Story:
    """Return the story of a run that violates a property; `reproduce` replaces the line made from design and scope.

    Raises ValueError if the property is unknown, or if the run does not violate it.
    """
    run = Replay(model, steps)
    clause = _why(run, property_name)
    if clause is None:
        raise ValueError(f"these {len(steps)} steps do not violate {property_name}: there is no story to tell")
    context = model.context
    design = str(getattr(context, "name", "")) if context is not model.scope else ""
    slots = _concerned(run, clause)
    entries = entries_of(model, steps, run.states, slots)
    comparison = None
    if isinstance(context, Design) and type(context) is not Design:
        ours = protocol(model.scope, Design)
        comparison = _compare(ours, steps, property_name, entries, slots)
    return Story(
        scope=_spelled(model.scope),
        design=design,
        summary=str(getattr(context, "summary", "")) if design else "",
        property=property_name,
        sentence=_sentence(model, property_name),
        protocol=isinstance(model.init, State),
        entries=entries,
        clause=clause,
        comparison=comparison,
        reproduce=reproduce or reproduce_line(design, model.scope, property_name),
    )


# Finding.


def _lenient(model: Model, steps: Sequence[TakenStep]) -> Replay:
    """Take the steps one by one, up to one that fails; the supply may go unused by another design."""
    run = Replay(model)
    for step in steps:
        if not run.take(step) and isinstance(run.failure, Disabled):
            run.take(_unsupplied(step))
        if run.failure is not None:
            break
    return run


def _unsupplied(taken: TakenStep) -> TakenStep:
    """Return the step with an ordinary supply: what the allocator would have given matters only if it is asked."""
    named = zip(taken.action.choices, taken.arguments, strict=True)
    return TakenStep(taken.action, tuple(ABSENT if name == "supply" else value for name, value in named))


def _why(run: Replay, property_name: str) -> Clause | None:
    """Return why the run violates the property in its last step; None: it does not."""
    model = run.model
    if isinstance(run.failure, Violated):
        return violated_clause(run.failure, run.states[-1:]) if run.failure.name == property_name else None
    if run.failure is not None:
        raise ValueError(f"step {len(run.states)} cannot happen in this model: {_cannot(run)}") from run.failure
    stated = next((one for one in model.properties if one.name == property_name), None)
    if stated is None and property_name != WELL_FORMED:
        names = ", ".join(one.name for one in model.properties)
        raise ValueError(f"unknown property {property_name!r}; there are {names}")
    states = [] if stated is None else run.spoken_of(stated)
    return false_clause(stated, states, model.context) if stated is not None and states else None


def _spelled(scope: object) -> str:
    """Return a scope as `name=value` words, also one that does not spell itself."""
    if isinstance(scope, Scope) or not dataclasses.is_dataclass(scope):
        return str(scope)
    return " ".join(f"{field.name}={getattr(scope, field.name)}" for field in dataclasses.fields(scope))


def _sentence(model: Model, property_name: str) -> str:
    if property_name == WELL_FORMED:
        return "No index lies outside its vector, and no value outside its declared range."
    return next((one.sentence for one in model.properties if one.name == property_name), "")


def _cannot(run: Replay) -> str:
    assert run.failure is not None
    clause = violated_clause(run.failure, run.states[-1:])
    values = ", ".join(f"{name} = {value}" for name, value in clause.values)
    return f"{clause.code} at {clause.where}" + (f", with {values}" if values else "")


def entries_of(
    model: Model, steps: Sequence[TakenStep], states: Sequence[Any], slots: Sequence[int] = ()
) -> tuple[LaneEntry, ...]:
    """Return a run as entries of a timeline: of `states` the first is before all steps; the last step may have none."""
    entries, number = [], 0
    for index, taken in enumerate(steps[: len(states)]):
        before = states[index]
        after = states[index + 1] if index + 1 < len(states) else None
        lane, words = say(model, number, before, taken, after)
        shown = before if after is None else after
        entries.append(LaneEntry(index + 1, lane, words, tuple(_slot(shown, slot) for slot in slots)))
        number += launched(before, after)
    return tuple(entries)


def _concerned(run: Replay, clause: Clause) -> list[int]:
    """Return the slots that matter: those of the broken condition, and the rings at the end of who had them."""
    if not isinstance(run.states[0], State):
        return []
    found, requests = set(clause.slots), set(clause.requests)
    if not found and not requests:
        requests = {number for number, me in enumerate(run.states[-1].requests) if me.phase == RUNNING}
    for state in run.states:
        requests |= {number for number, me in enumerate(state.requests) if found & set(me.ring)}
    for state in run.states[-2:]:
        found |= {slot for number in requests for slot in state.requests[number].ring if slot != ABSENT}
    return sorted(found)


def _slot(s: State, slot: int) -> str:
    """Return a slot's owner, what it holds, and what launched batches are going to put there."""
    held, coming = text_name(s.holds[slot]), text_name(promised(s, slot))
    return f"{slot_name(slot)} {_owner(s, slot)}: {held}" + (f" -> {coming}" if coming != held else "")


def _owner(s: State, slot: int) -> str:
    owners = ["free"] if s.free[slot] else []
    if s.cached[slot].family != ABSENT:
        owners.append(f"cached as {text_name(s.cached[slot])}")
    for number, me in enumerate(s.requests):
        owners += [f"{request_name(number)}.work"] if me.working == slot else []
        owners += [f"{request_name(number)}.ring[{place}]" for place, held in enumerate(me.ring) if held == slot]
    return " and ".join(owners) or "lost"


def _compare(
    ours: Model, steps: Sequence[TakenStep], property_name: str, entries: Sequence[LaneEntry], slots: Sequence[int]
) -> Comparison | None:
    """Return what our design does differently; None: nothing."""
    run = _lenient(ours, steps)
    taken = run.steps[: len(run.states) - 1]
    found: list[LaneEntry] = []
    for theirs, mine in zip(entries, entries_of(ours, taken, run.states, slots), strict=False):
        words = _difference(theirs.words, mine.words)
        if words or (found and mine.number == len(steps) and mine.slots != theirs.slots):
            same = f"{_parts(mine.words)[0]} the same, but see the slots"
            found.append(LaneEntry(mine.number, mine.lane, words or same, mine.slots))
    if run.failure is not None:
        found.append(LaneEntry(len(run.states), CPU, f"cannot happen: {_cannot(run)}"))
        return Comparison(tuple(found), "The schedule ends here for slotproof.")
    if not found:
        return None
    held = _why(run, property_name) is None
    verdict = f"{property_name} {'holds' if held else 'is violated here too'}"
    return Comparison(tuple(found), f"In the end {verdict}; {_cache(run.states[-1])}.")


def _cache(s: State) -> str:
    entries = [
        f"{slot_name(slot)} as {text_name(key)} ({_truth(s, slot)})"
        for slot, key in enumerate(s.cached)
        if key.family != ABSENT
    ]
    return f"the cache has {' and '.join(entries)}" if entries else "the cache is empty"


def _truth(s: State, slot: int) -> str:
    if s.holds[slot] == promised(s, slot):
        return "which it holds" if s.holds[slot] == s.cached[slot] else f"but it holds {text_name(s.holds[slot])}"
    return f"but launched batches are going to put {text_name(promised(s, slot))} there"


def _difference(theirs: str, mine: str) -> str:
    """Return what `mine` says and `theirs` does not, part by part; empty: they say the same."""
    (head, *new), (_, *old) = _parts(mine), _parts(theirs)
    found: list[str] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = ", ".join(old[a:b]), ", ".join(new[c:d])
        if kind == "replace":
            found.append(f'{come}, instead of "{gone}"')
        elif kind == "delete":
            found.append(f'without "{gone}"')
        elif kind == "insert":
            found.append(come)
    return f"{head} {'; '.join(found)}" if found else ""


def _parts(words: str) -> list[str]:
    head, colon, rest = words.partition(": ")
    parts = [part for sentence in rest.split("; ") for part in _AMONG_COMMAS.split(sentence)]
    return [head + colon.rstrip(), *parts]


# Rendering.

_LEGEND = (
    "How to read it: r1 is a request, s1 a state slot, A@2 the state after the first 2 tokens of text A, '-' no valid "
    "state. 's1 r1.ring[0]: A@2 -> A@4' says that s1 is position 0 of r1's checkpoint ring, holds A@2, and a launched "
    "batch is going to overwrite it with A@4. A checkpoint is written to the ring position that `next` names; `last` "
    "and the label say which finished checkpoint may be published and as how many tokens. Lookahead: how many tokens "
    "the request had already been moved on when the result came in."
)


def render(story: Story, width: int = 100) -> str:
    """Return the story as text of lines of at most `width` characters (the command at the end is never broken)."""
    lines = [f"{story.property} is violated", *([f"    {story.sentence}"] if story.sentence else [])]
    if story.design:
        lines.append(f"design {story.design}" + (f": {story.summary}" if story.summary else ""))
    lines.append(f"scope {story.scope}")
    out = [part for line in lines for part in broken(line, width, hanging=4)]
    if story.protocol:
        out += ["", *broken(_LEGEND, width, hanging=0)]
    out += ["", *timeline(story.entries, width)]
    out += ["", "The condition that broke it:"]
    for line in story.clause.lines:
        out += broken(line, width, "  ", hanging=len(line) - len(line.lstrip()) + 6)
    if story.comparison is not None:
        out += ["", "What slotproof would have done at the same schedule, where it differs:"]
        out += timeline(story.comparison.entries, width)
        out += broken(story.comparison.outcome, width, " " * 6, hanging=0)
    return "\n".join([*out, "", f"Again: {story.reproduce}", ""])
