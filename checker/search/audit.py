"""Passes are audited: random native tries are held against the reading that gave a verdict.

Plain Python says first what every try does; then the reading takes all of them in one block; then the two are compared:
enabled or not, what is violated, the state afterwards leaf by leaf, every property. Where they differ, no verdict of
that reading means anything.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from checker.model.model import Model, TakenStep
from checker.search import audit_place
from checker.search.bfs import Search
from checker.search.readings import Columns, Reading
from checker.search.tries import Native, Try, TryAnswer, afterwards

TRIES = 300
"""Native tries that an audit takes at least, unless the model has fewer."""


class Disagreement(Exception):
    """Two readings of one text differ, or one leaves something out: an error of slotproof itself."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit has looked at; it is over once everything agrees."""

    tries: int = 0
    """Native tries that agree with the reading that gave the verdict."""
    seed: int = 0
    every: bool = False
    """Whether the model has no other tries."""

    @property
    def enough(self) -> bool:
        """Whether it has looked at enough for the verdict to stand: an audit of nothing is none."""
        return self.tries >= TRIES or (self.every and self.tries > 0)


def seed_of(words: str) -> int:
    """Return the seed that belongs to the words of a check."""
    return zlib.crc32(words.encode()) % 1000


def of_search(search: Search, seed: int) -> Audit:
    """Audit the columns of a search, and, where it came to its end, that it was everywhere and missed nothing."""
    native = Native(search.model, seed)
    tries, every = reachable(native)
    reading = Columns(search)
    audit = hold(native, reading, tries, seed, every)
    if search.result.complete and tries:
        refute(native, reading, tries, frozenset(search.result.counterexamples), seed)
        found = reading.found(tries)
        for done, known in zip(tries, found, strict=True):
            if not known:
                raise Disagreement(
                    f"a state that a native run reaches was never searched: {run_of(done)} (seed {seed})"
                )
    return audit


def refute(native: Native, reading: Reading, tries: Sequence[Try], violated: frozenset[str], seed: int) -> None:
    """Raise Disagreement where a try violates natively what a verdict says that nothing violates."""
    kinds = ("always", "step", "postcondition", "lemma")
    stated = {it.name for kind in kinds for it in native.model.of_kind(kind) if it.name in reading.claims}
    for done in tries:
        verdicts = done.answer.verdicts
        broken = {name for name in stated if not (verdicts.get(name, True) and verdicts.get(afterwards(name), True))}
        for name in sorted((broken | done.answer.faults) - violated):
            place = audit_place.of_action(native, done)
            raise Disagreement(
                f"{place}: {name} is violated natively, and the verdict by {reading.name} has it hold "
                f"(audit, seed {seed}); the state is {run_of(done)}"
            )


def reachable(native: Native) -> tuple[list[Try], bool]:
    """Return tries in states that native runs reach, and whether there are no others."""
    if not native.instances:
        return [], True
    tries = native.walk(TRIES)
    if len(tries) >= TRIES:
        return tries, False
    # Random runs keep coming to the same places: the model is small, or what there is to try is few steps away.
    rest, every = native.shallow(4 * TRIES)
    return [*tries, *rest], every


def hold(native: Native, reading: Reading, tries: Sequence[Try], seed: int, every: bool = False) -> Audit:
    """Hold native tries against a reading; raises Disagreement at the first difference."""
    native.judge(tries, reading.claims)
    unasked = sorted(reading.claims - reading.asked)
    if unasked and tries:
        raise Disagreement(f"the property {unasked[0]} is claimed, and the reading as {reading.name} never asks it")
    answers = reading.read(tries) if tries else []
    for done, answer in zip(tries, answers, strict=True):
        for difference in differences(native, reading, done, answer):
            raise Disagreement(story(native, reading, done, difference, seed))
    return Audit(len(tries), seed, every)


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
