"""Random traces of format 2: the verdict is the oracle's, which replays slot contents and knows nothing of the judge.

Every kind of row and event and every fault occurs often enough, or a test says so. A fault is a wrong decision of the
toy engine, not of the text; without one its runs are correct.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.support.slot_simulator import Finding, oracle
from tests.support.toy_engine import HARMLESS, faults
from tests.support.toy_recorder import KINDS, toy_trace
from tests.support.trace_census import NAMES, census
from tests.support.trace_fields import misspelt

CORRECT = {kind: 30 if kind == "crowd" else 330 for kind in KINDS}
"""Traces without a fault of each kind of engine, 2,010 in all."""
AT_LEAST = 5
"""How often each situation occurs in these."""
WRONG, SEEDS = 30, 200
"""Traces of each fault in which it was injected, and how many seeds of each kind of engine are tried for them."""


def verdict_of(lines: list[dict]) -> str:
    """What the judge says of these lines: good, bad, not covered or cut."""
    from checker.traces.judge_file import judge_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.ndjson"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return judge_file(path).verdict.outcome


@cache
def traces(kind):
    """Traces without a fault."""
    return [toy_trace(seed, kind)[0] for seed in range(CORRECT[kind])]


@cache
def correct(kind):
    """The same, each with what the oracle finds."""
    return [(lines, oracle(lines)) for lines in traces(kind)]


@cache
def wrong(fault):
    """Traces in which the fault was injected, each with what the oracle finds."""
    found: list[tuple[list[dict], Finding]] = []
    kinds = Counter(KINDS[:-1])
    for seed in range(SEEDS):
        for kind in list(kinds):
            lines, engine = toy_trace(f"{fault} {seed}", kind, fault)
            if engine.injected and len(found) < WRONG:
                found.append((lines, oracle(lines)))
                kinds[kind] += 1
            if seed > 25 and kinds[kind] == 1:
                del kinds[kind]  # this kind of engine does not decide what the fault is about
        if len(found) == WRONG:
            break
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_writes_the_fields_of_the_page(kind):
    assert not [part for lines in traces(kind)[:100] for part in misspelt(lines)]


def test_every_kind_of_row_and_event_occurs():
    counted = census([lines for kind in KINDS for lines in traces(kind)])
    assert not {name: counted[name] for name in NAMES if counted[name] < AT_LEAST}


@pytest.mark.parametrize("kind", KINDS)
def test_the_judge_agrees_on_correct_runs(kind):
    other = [(lines, found) for lines, found in correct(kind) if verdict_of(lines) != found.outcome]
    assert not other, saved(other)


@pytest.mark.parametrize("fault", faults())
def test_the_judge_agrees_on_each_fault(fault):
    other = [(lines, found) for lines, found in wrong(fault) if verdict_of(lines) != found.outcome]
    assert not other, saved(other)


def saved(other):
    """What to read after a failure: the shortest trace on which they differ, and what the oracle says."""
    lines, found = min(other, key=lambda pair: pair[1].line)
    text = "\n".join(json.dumps(line) for line in lines[: found.line])
    return f"{len(other)} differ; the judge says {verdict_of(lines)}, the oracle {found} of\n{text}"
