"""Passes are audited: random native tries are held against the reading that gave a verdict.

Plain Python says first what every try does; then the reading takes all of them in one block; then the two are compared:
enabled or not, what is violated, the state afterwards leaf by leaf, every property. Where they differ, no verdict of
that reading means anything.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from checker.exit_codes import InternalError
from checker.search import audit_place
from checker.search.bfs import Search
from checker.search.differences import differences, run_of, story
from checker.search.native import Native
from checker.search.readings import Reading, readings_of
from checker.search.tries import Try, afterwards

TRIES = 300
"""Native tries that an audit takes at least, unless the model has fewer."""


class Disagreement(InternalError):
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
    """Audit what a search ran, and, where it came to its end, that it was everywhere and missed nothing."""
    native = Native(search.model, seed)
    tries, every = reachable(native)
    first, *others = readings_of(search)
    audit = hold(native, first, tries, seed, every)
    for other in others:
        compare(native, other, tries, seed)
    reading = others[-1] if others else first
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
    compare(native, reading, tries, seed)
    return Audit(len(tries), seed, every)


def compare(native: Native, reading: Reading, tries: Sequence[Try], seed: int) -> None:
    """Raise Disagreement where a reading says something else than the tries, which have been judged."""
    unasked = sorted(reading.claims - reading.asked)
    if unasked and tries:
        raise Disagreement(f"the property {unasked[0]} is claimed, and the reading as {reading.name} never asks it")
    answers = reading.read(tries) if tries else []
    for done, answer in zip(tries, answers, strict=True):
        for difference in differences(native, reading, done, answer):
            raise Disagreement(story(native, reading, done, difference, seed))
