"""Random traces of format 2: the verdict is the oracle's, which replays slot contents and knows nothing of the judge.

Every kind of row and event and every fault occurs often enough, or a test says so. A fault is a wrong decision of the toy
engine, not of the text; without one its runs are correct.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.support.slot_simulator import Finding, oracle
from tests.support.toy_engine import HARMLESS, faults
from tests.support.toy_recorder import KINDS, toy_trace

CORRECT = {kind: 30 if kind == "crowd" else 200 for kind in KINDS}
"""Fault-free traces of each kind of engine."""
WRONG = 60
"""Traces of each fault in which it was injected, spread over the kinds of engines that can have it."""

HAS_JUDGE = importlib.util.find_spec("checker.traces.judge_file") is not None


def verdict_of(lines: list[dict]) -> str:
    """What the judge says of these lines: good, bad, not covered or cut."""
    from checker.traces.judge_file import judge_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.ndjson"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return judge_file(path).verdict.outcome


@cache
def correct(kind):
    """Traces without a fault, each with what the oracle finds."""
    traces = (toy_trace(seed, kind)[0] for seed in range(CORRECT[kind]))
    return [(lines, oracle(lines)) for lines in traces]


@cache
def wrong(fault):
    """Traces in which the fault was injected, each with what the oracle finds."""
    found: list[tuple[list[dict], Finding]] = []
    for seed in range(WRONG * 3):
        for kind in KINDS[:-1]:
            if len(found) == WRONG:
                return found
            lines, engine = toy_trace(f"{fault} {seed}", kind, fault)
            if engine.injected:
                found.append((lines, oracle(lines)))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_calls_no_correct_run_bad(kind):
    bad = [(seed, found) for seed, (_, found) in enumerate(correct(kind)) if found.outcome == "bad" or found.leaks]
    assert not bad


@pytest.mark.parametrize("fault", faults())
def test_the_oracle_finds_each_fault(fault):
    outcomes = Counter(found.outcome for _, found in wrong(fault))
    leaks = sum(found.leaks > 0 for _, found in wrong(fault))
    assert outcomes.total() >= 10
    assert (leaks if fault in HARMLESS else outcomes["bad"]) >= 3, outcomes
