"""Why a step differs: run it again from the state before, with other answers of the design, until the trace fits.

Nothing is known here about what a decision means. Every decision that the spec consults in the step is answered in
another way, one at a time, then several where one answer alone brings the step further.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar

from msgspec import to_builtins

from checker.model.source import is_of_the_language
from checker.traces.conformance.divergence import ROOT, DesignAnswer, Diverged, Divergence, Group, Place, place_of
from checker.traces.conformance.shadow import Follower
from checker.traces.conformance.shadow_design import FollowedDesign
from spec.design import Design
from spec.language import ABSENT
from spec.state import Request, Row

NOT_ASKED = ("name", "summary", "pick", "ready")  # Slots and device progress are the trace's, or in no trace at all.
DECISIONS = tuple(name for name in vars(Design) if not name.startswith("_") and name not in NOT_ASKED)
DEEPEST = 3  # Decisions that are answered differently together.
MOST_TRIES = 600

Step = Callable[[Follower, Group], None]
Changed = dict[int, int | bool]  # the answers to replace, by the order in which the spec asks


class Probe:
    """What the spec asked of the design in one step, in order, and the answers to replace."""

    def __init__(self, follower: Follower, changed: Changed) -> None:
        self.follower = follower
        self.changed = changed
        self.asked: list[tuple[str, tuple[object, ...], int | bool]] = []
        self.inside = False


class Probed(FollowedDesign):
    """Mixed in front of a followed design: tells its probe what it is asked."""

    probe: ClassVar[Probe]


def _asking(base: type[FollowedDesign], name: str) -> Callable[..., object]:
    decide = getattr(base, name)

    def ask(self: Probed, *arguments: object) -> object:
        probe = self.probe
        if probe.inside:
            return decide(self, *arguments)
        probe.inside = True
        try:
            answer = decide(self, *arguments)
        finally:
            probe.inside = False
        number = len(probe.asked)
        probe.asked.append((name, arguments, answer))
        return probe.changed.get(number, answer)

    return ask


def attempt(before: Follower, group: Group, changed: Changed, step: Step) -> tuple[Probe, Divergence | None]:
    """Take the step on a copy with some answers replaced. An answer that breaks the spec is a difference as well."""
    base = type(before.design)
    kind = type("Probing", (base,), {name: _asking(base, name) for name in DECISIONS})
    follower = before.copy(kind)
    probe = kind.probe = Probe(follower, changed)  # type: ignore[attr-defined]
    try:
        step(follower, group)
    except Diverged as diverged:
        return probe, (*follower.passed_over, diverged.divergence)[0]
    return probe, next(iter(follower.passed_over), None)


def explain(before: Follower, group: Group, divergence: Divergence, step: Step) -> None:
    """Fill in which answers explain the difference, and which statements gave the field its value."""
    if divergence.guard is None:
        divergence.written = _writers(before, group, divergence, step)
    tries = [MOST_TRIES]
    first, _ = attempt(before, group, {}, step)
    seen = _numbers(group)
    # Shorter explanations first: every single answer is tried before any two.
    level: list[tuple[Changed, Divergence]] = [({}, divergence)]
    for depth in range(DEEPEST):
        further: list[tuple[Changed, Divergence]] = []
        for changed, stopped in level:
            found = _next_answers(before, group, changed, stopped, step, seen, tries, further)
            if found is not None:
                divergence.answers = found
                return
        if depth == 0:
            divergence.consulted = [_answer(first, number, None) for number in sorted({min(c) for c, _ in further})]
        level = further


def _next_answers(
    before: Follower,
    group: Group,
    changed: Changed,
    stopped: Divergence,
    step: Step,
    seen: list[int],
    tries: list[int],
    further: list[tuple[Changed, Divergence]],
) -> list[DesignAnswer] | None:
    """Replace one more answer; returns the explanation, or collects in `further` what made a difference."""
    probe, _ = attempt(before, group, changed, step)
    for number, (name, _, answer) in enumerate(probe.asked):
        if changed and number <= max(changed):
            continue
        for instead in _others(name, answer, before.ring, seen):
            if tries[0] == 0:
                return None
            tries[0] -= 1
            more = {**changed, number: instead}
            after, differs = attempt(before, group, more, step)
            if differs is None:
                return [_answer(after, place, value) for place, value in more.items()]
            consulted_others = [asked[0] for asked in after.asked] != [asked[0] for asked in probe.asked]
            further_on = (differs.field, differs.expected) != (stopped.field, stopped.expected)
            if differs.guard is None and (further_on or consulted_others):
                further.append((more, differs))
    return None


def _others(name: str, answer: int | bool, ring: int, seen: list[int]) -> list[int | bool]:
    """The answers to try: the other truth value, any other position, or any other number that the trace shows."""
    if isinstance(answer, bool):
        return [not answer]
    kind = getattr(Design, name).__annotations__["return"]
    values = [*range(ring), ABSENT] if kind == "RingPosition" else [*seen, ABSENT]
    return [value for value in values if value != answer]


def _numbers(group: Group) -> list[int]:
    """Every number in the events, as a candidate for a length."""
    found: dict[int, None] = {}

    def visit(value: object) -> None:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list | tuple):
            for inner in value:
                visit(inner)
        elif isinstance(value, int) and not isinstance(value, bool):
            found[value] = None

    for _, event in group:
        visit(to_builtins(event))
    return list(found)


def _answer(probe: Probe, number: int, instead: int | bool | None) -> DesignAnswer:
    name, arguments, answer = probe.asked[number]
    return DesignAnswer(name, _about(probe.follower, name, arguments), answer, instead)


def _about(follower: Follower, name: str, arguments: tuple[Any, ...]) -> str:
    """What a decision was asked about, in words."""
    words = []
    for parameter, value in zip(list(inspect.signature(getattr(Design, name)).parameters)[1:], arguments, strict=True):
        if isinstance(value, Request):
            who = [index for index, request in enumerate(follower.state.requests) if request is value]
            words += [follower.names[index] or "?" for index in who]
        elif isinstance(value, Row):
            mark = "no mark" if value.mark == ABSENT else f"mark {value.mark} at position {value.position}"
            words.append(f"row to {value.seq_len} tokens with {mark}")
        elif parameter == "request":
            words.append(follower.names[value] or "?")
        elif parameter == "slot":
            words.append(f"slot {follower.slots.physical.get(value)}")
        elif isinstance(value, int):
            words.append(f"{parameter} {value}")
    return ", ".join(words)


def _writers(before: Follower, group: Group, divergence: Divergence, step: Step) -> list[Place]:
    """Run the step once more and watch which statements of the spec change the field that differs."""
    field = {"publication": "cached", "freed": "free", "slots": "free"}.get(divergence.field, divergence.field)
    follower = before.copy()

    def read() -> object:
        state = follower.state
        if field in ("cached", "free"):
            return [(key.family, key.length) for key in state.cached] if field == "cached" else list(state.free)
        request = next((r for r, name in enumerate(follower.names) if name == divergence.request), None)
        if request is None or not hasattr(state.requests[request], field):
            return None
        value = getattr(state.requests[request], field)
        return list(value) if isinstance(value, list) else value

    places: list[Place] = []
    value, where = read(), Place("", 0, "", "")

    def watch(frame: FrameType, event: str, argument: object) -> object:
        nonlocal value, where
        now = read()
        if now != value:
            places.append(where)
            value = now
        at = frame.f_back if event == "return" and frame.f_back is not None else frame
        where = place_of(at.f_code.co_filename, at.f_lineno, at.f_code.co_name)
        return watch

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_code.co_filename
        return watch if name.startswith(str(ROOT / "spec")) and not is_of_the_language(name) else None

    before_tracing = sys.gettrace()
    sys.settrace(enter)
    try:
        step(follower, group)
    except Diverged:
        pass
    finally:
        sys.settrace(before_tracing)
    return [place for place in dict.fromkeys(places) if place.file.startswith("spec")]
