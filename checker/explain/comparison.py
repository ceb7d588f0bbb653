"""What the reference design does at the same schedule: the steps at which it differs, and how that ends."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from checker.explain.entries import entries_of
from checker.explain.failing_condition import refusal, violation_in
from checker.explain.lanes import CPU, LaneEntry
from checker.explain.names import slot_name, text_name
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from spec.language import ABSENT, Disabled
from spec.rows import promised
from spec.state import State

_AMONG_COMMAS = re.compile(r", (?![^(\[]*[)\]])")
"""The commas between the parts of a sentence: those outside brackets."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What slotproof does at the same schedule: the steps at which it differs, and how that ends."""

    entries: tuple[LaneEntry, ...]
    outcome: str


def compare(
    reference: Model, steps: Sequence[TakenStep], property_name: str, entries: Sequence[LaneEntry], slots: Sequence[int]
) -> Comparison | None:
    """Return what the reference design does differently; None: nothing."""
    run = _lenient(reference, steps)
    taken = run.steps[: len(run.states) - 1]
    found: list[LaneEntry] = []
    for failing, entry in zip(entries, entries_of(reference, taken, run.states, slots), strict=False):
        words = _difference(failing.words, entry.words)
        if words or (found and entry.number == len(steps) and entry.slots != failing.slots):
            same = f"{_parts(entry.words)[0]} the same, but see the slots"
            found.append(LaneEntry(entry.number, entry.lane, words or same, entry.slots))
    if run.failure is not None:
        found.append(LaneEntry(len(run.states), CPU, f"cannot happen: {refusal(run)}"))
        return Comparison(tuple(found), "The schedule ends here for slotproof.")
    if not found:
        return None
    held = violation_in(run, property_name) is None
    verdict = f"{property_name} {'holds' if held else 'is violated here too'}"
    return Comparison(tuple(found), f"In the end {verdict}; {_cache(run.states[-1])}.")


def _lenient(model: Model, steps: Sequence[TakenStep]) -> Replay:
    """Take the steps one by one, up to one that fails; the supply may go unused by another design."""
    run = Replay(model)
    for step in steps:
        if not run.take(step) and isinstance(run.failure, Disabled):
            run.take(_with_the_usual_allocator(step))
        if run.failure is not None:
            break
    return run


def _with_the_usual_allocator(taken: TakenStep) -> TakenStep:
    """Return the step with an ordinary supply: what the allocator would have given matters only if it is asked."""
    named = zip(taken.action.choices, taken.arguments, strict=True)
    return TakenStep(taken.action, tuple(ABSENT if name == "supply" else value for name, value in named))


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


def _difference(failing: str, reference: str) -> str:
    """Return what `reference` says and `failing` does not, part by part; empty: they say the same."""
    (head, *new), (_, *old) = _parts(reference), _parts(failing)
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
