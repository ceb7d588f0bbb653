"""What the example recorder writes is a good trace with nothing unknown; and an engine with a fault is found by it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from checker.traces.judge_file import judge_file
from checker.traces.verdict import Verdict
from tests.support.example_recorder import ExampleRecorder, Tokens, ToyEngine


def judged(folder: Path, engine: type[ToyEngine], requests: int = 60, slots: int = 4) -> Verdict:
    """Run requests that share prefixes, so that there are hits, keys that are there already, and evictions."""
    draw, path = random.Random(7), folder / "run.ndjson"
    texts: list[Tokens] = [tuple(range(5)), tuple(range(9)), (3, 1, 4)]
    with ExampleRecorder(path, "toy 1.0", slots) as recorder:
        runs = engine(recorder, slots)
        for number in range(requests):
            prompt = draw.choice(texts) + tuple(draw.choices((1, 2), k=draw.randrange(2)))
            texts.append(runs.generate(f"r{number}", prompt, draw.randrange(4)))
    return judge_file(path).verdict


def test_what_it_writes_is_good_and_leaves_nothing_open(tmp_path: Path) -> None:
    verdict = judged(tmp_path, ToyEngine)
    assert (verdict.outcome, verdict.violations, verdict.hazards, verdict.unknown) == ("good", [], [], {})
    lines = [json.loads(line) for line in (tmp_path / "run.ndjson").read_text(encoding="utf-8").splitlines()]
    assert {line["e"] for line in lines[1:]} == {
        *("take", "admit", "launch", "process", "publish", "free", "evict", "end", "stop"),
    }
    assert any(line.get("hit") for line in lines)


class KeepsTooMuch(ToyEngine):
    """Files its state under one token more than it has absorbed."""

    def _keep(self, name: str, tokens: Tokens, slot: int) -> None:
        super()._keep(name, (*tokens, 1), slot)


class ForgetsToFree(ToyEngine):
    """Leaks the slot of a text that is cached already."""

    def _keep(self, name: str, tokens: Tokens, slot: int) -> None:
        if tokens not in self._cache:
            super()._keep(name, tokens, slot)


class EvictsTooEarly(ToyEngine):
    """Hands out the slot of an entry that stays in the cache."""

    def _evict(self) -> None:
        self._free.append(next(iter(self._cache.values())))


class StartsTooLate(ToyEngine):
    """Takes a cached text for one token longer than it is."""

    def _longest(self, tokens: Tokens) -> Tokens | None:
        found = super()._longest(tokens)
        longer = tokens[: len(found or ()) + 1]
        if found is None or len(longer) == len(tokens):
            return found
        self._cache.setdefault(longer, self._cache[found])
        return longer


@pytest.mark.parametrize("fault", [KeepsTooMuch, EvictsTooEarly, StartsTooLate])
def test_a_fault_of_the_engine_is_bad(fault: type[ToyEngine], tmp_path: Path) -> None:
    assert judged(tmp_path, fault).outcome == "bad"


def test_a_leak_is_a_hazard(tmp_path: Path) -> None:
    verdict = judged(tmp_path, ForgetsToFree, requests=12, slots=16)
    assert verdict.outcome == "good"
    assert {hazard.property for hazard in verdict.hazards} == {"release-all"}


def test_an_engine_that_raises_ends_the_trace_as_not_covered(tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    recorder = ExampleRecorder(path, "toy 1.0", 4)
    recorder.event("take", r="A", slots=[0])
    recorder.__exit__(KeyError, KeyError("lost"), None)
    verdict = judge_file(path).verdict
    assert verdict.outcome == "not covered"
    assert "KeyError" in verdict.not_covered
