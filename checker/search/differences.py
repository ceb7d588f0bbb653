"""Where two readings of a try differ, and how that is told: the run, both values, and the line that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from checker.model.model import Model, TakenStep
from checker.search import audit_place
from checker.search.native import Native
from checker.search.readings import Reading
from checker.search.tries import Try, TryAnswer, afterwards


@dataclass(frozen=True, slots=True)
class TryDifference:
    """One thing of which two readings say different things."""

    what: str
    native: bool | int | str | None
    read: bool | int | str | None
    place: Callable[[], str]
    """Finds out where in the model's text it is decided."""


def differences(native: Native, reading: Reading, done: Try, read: TryAnswer) -> Iterator[TryDifference]:
    """Yield what differs in one try."""
    mine, model = done.answer, native.model
    place = partial(audit_place.of_action, native, done)
    if mine.enabled != read.enabled:
        yield TryDifference("the action", _enabled(mine), _enabled(read), place)
        return
    if mine.faults != read.faults:
        yield TryDifference("the action", _faults(mine), _faults(read), place)
        return
    if done.after is not None:
        for index in sorted(reading.leaves):
            expected, found = int(mine.after[index]), read.after.get(index)
            if expected != found:
                leaf = model.leaves[index]
                place = partial(audit_place.of_action, native, done, index)
                yield TryDifference(f"{leaf.path} afterwards", expected, "nothing" if found is None else found, place)
    for name, value in read.verdicts.items():
        if name in mine.verdicts and mine.verdicts[name] != value:
            place = partial(_property, model, done, name)
            yield TryDifference(f"the property {name}", mine.verdicts[name], value, place)


def _enabled(answer: TryAnswer) -> str:
    return "enabled" if answer.enabled else "not enabled"


def _faults(answer: TryAnswer) -> str:
    return f"violates {', '.join(sorted(answer.faults))}" if answer.faults else "violates nothing itself"


def _property(model: Model, done: Try, name: str) -> str:
    """Return where a property gives its value."""
    stated = next(it for it in model.properties if name in (it.name, afterwards(it.name)))
    before, after = done.at.state, done.after.state if done.after else None
    states = (before, after) if stated.of_steps else (after,) if name != stated.name else (before,)
    return audit_place.of_property(model, stated, *states)


def story(native: Native, reading: Reading, done: Try, difference: TryDifference, seed: int) -> str:
    """Tell a difference: what it is about, both values, where the text is, and the run that leads there."""
    instance = native.instances[done.number]
    step = spelled(TakenStep(instance.action, instance.arguments(done.chosen)))
    return (
        f"{difference.place()}: {step}: {difference.what}: natively {difference.native}, "
        f"read as {reading.name} {difference.read} (audit, seed {seed}); "
        f"the state is {run_of(done)}"
    )


def run_of(done: Try) -> str:
    """Return how the state of a try is reached."""
    run = ", ".join(map(spelled, done.at.run))
    return done.at.origin or (f"after {run}" if run else "the first")


def spelled(taken: TakenStep) -> str:
    """Return a step as a call."""
    named = zip(taken.action.choices, taken.arguments, strict=True)
    return f"{taken.action.name}({', '.join(f'{name}={value}' for name, value in named)})"
