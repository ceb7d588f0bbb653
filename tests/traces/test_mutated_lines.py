"""One line of a trace made wrong in any way: an error, bad, or what the oracle calls good too; no crash, never long.

Where they differ the failure prints the shortest trace, cut behind the line at which the oracle has seen enough.
"""

from __future__ import annotations

import io
import json
import time
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest

from checker.command.report import traces as report
from checker.traces.format import Event
from checker.traces.judge import Judge
from checker.traces.judge_file import Judgement
from checker.traces.reading import BadTrace, TraceReader, encode
from checker.traces.verdict import Verdict
from tests.support.converted import converted
from tests.support.line_mutations import LINES, MUST_NOT_READ, TEXTS, VALUES, mutate
from tests.support.paths import TRACES
from tests.support.slot_simulator import oracle
from tests.support.toy_recorder import KINDS, toy_trace

ALL, SAMPLE = 100_000, 6_000
LONGEST = 2.0
"""CPU seconds for one trace, some hundred times what it takes."""


def judged(data: bytes) -> tuple[TraceReader, Verdict, list[Event]]:
    reader = TraceReader("mutant", io.BytesIO(data))
    judge, events = Judge(reader.header, "mutant"), []
    for line, event in reader:
        judge.feed(line, event)
        events.append(event)
    return reader, judge.result(reader.cut), events


@cache
def sources():
    """Toy traces of every kind, the recorded ones, and these in format 2."""
    recorded = sorted(TRACES.glob("*.ndjson"))
    return (
        [toy_trace(seed, kind, steps=25)[0] for kind in KINDS[:-1] for seed in range(100)],
        [[json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in recorded],
        [converted(path)[0] for path in recorded],
    )


def check(numbers: range) -> Counter:
    """Judge the mutants of these numbers; counts what comes of them."""
    counted: Counter = Counter()
    differ = []
    for number in numbers:
        rng = Random(f"mutant {number}")
        toys, old, new = sources()
        what, at, data = mutate(rng.choice(rng.choices((toys, old, new), (3, 1, 1))[0]), rng)
        start = time.process_time()
        try:
            reader, verdict, events = judged(data)
        except BadTrace:
            counted[what, "error"] += 1
            continue
        except Exception as error:
            raise AssertionError(f"mutant {number} ({what} in line {at}): {error!r}") from error
        finally:
            assert time.process_time() - start < LONGEST, (number, what, at)
        assert report.lines(Judgement(Path("mutant"), verdict))
        counted[what, verdict.outcome] += 1
        assert reader.format == 1 or what not in MUST_NOT_READ, (number, what, at)
        if verdict.outcome == "bad":
            continue
        lines = [json.loads(encode(line)) for line in (reader.header, *events)]
        found = oracle(lines)
        if found.outcome == "bad":
            differ.append((found.line, number, what, at, found.why, lines))
    assert not differ, shortest(differ)
    return counted


def shortest(differ):
    """What to read after a failure."""
    line, number, what, at, why, lines = min(differ)
    text = "\n".join(json.dumps(line) for line in lines[:line])
    return f"{len(differ)} differ, such as mutant {number} ({what} in line {at}): {why}\n{text}"


def test_no_mutated_line_upsets_the_judge():
    counted = check(range(SAMPLE))
    assert {what for what, _ in counted} == {*VALUES, *LINES, *TEXTS}
    outcomes = Counter(outcome for _, outcome in counted.elements())
    assert min(outcomes["error"], outcomes["bad"], outcomes["good"]) > SAMPLE / 10


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_no_line_of_a_hundred_thousand_upsets_the_judge(part):
    check(range(part * ALL // 10, (part + 1) * ALL // 10))
