"""What changes nothing about a run changes nothing about its verdict: the oracle's, and the judge's."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from tests.support.harmless_changes import CHANGES, split_batches
from tests.support.slot_simulator import oracle
from tests.support.toy_engine import faults
from tests.support.toy_recorder import KINDS, toy_trace
from tests.traces.test_against_the_simulator import verdict_of

PER_KIND, PER_FAULT = 25, 2


@cache
def traces():
    """Correct runs, and runs with each fault; for each whether it has one."""
    found = [(toy_trace(f"change {seed}", kind)[0], False) for kind in KINDS[:-1] for seed in range(PER_KIND)]
    for fault in faults():
        for kind in KINDS[:-1]:
            runs = [toy_trace(f"change {fault} {seed}", kind, fault) for seed in range(PER_FAULT)]
            found += [(lines, True) for lines, engine in runs if engine.injected]
    return found


def changed(change):
    """Each trace before and after the change."""
    for number, (lines, faulty) in enumerate(traces()):
        if change is not split_batches or not faulty:
            yield lines, change(lines, Random(number))


@pytest.mark.parametrize("change", [*CHANGES, split_batches], ids=lambda change: change.__name__)
def test_the_oracle_says_the_same(change):
    other = [(before, after) for before, after in changed(change) if oracle(before).outcome != oracle(after).outcome]
    assert not other, [oracle(lines) for lines in other[0]]
    assert any(before != after for before, after in changed(change))


@pytest.mark.parametrize("change", [*CHANGES, split_batches], ids=lambda change: change.__name__)
def test_the_judge_says_the_same(change):
    for number, (before, after) in enumerate(changed(change)):
        if number % 5 == 0:
            assert verdict_of(after) == verdict_of(before)
