"""The recorded traces say the same in format 2 as in format 1: the same verdict, violations, stories, hazards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.traces.judge import judge_trace
from checker.traces.verdict import HistoryEntry, Verdict
from tests.support.converted import converted
from tests.support.paths import TRACES


def said(verdict: Verdict, lines: list[int]) -> object:
    """All that a verdict says, with the lines of the file that it was recorded in."""

    def line(number: int | None) -> int | None:
        return None if number is None else lines[number - 1]

    def told(entry: HistoryEntry) -> object:
        return line(entry.line), entry.batch, entry.cpu

    violations = [
        (line(it.line), it.event, it.request, it.slot, it.label, it.kind, line(it.root), [*map(told, it.story)])
        for it in verdict.violations
    ]
    hazards = [
        (it.property, line(it.line), it.request, it.slot, line(it.healed_at), line(it.harmful_at), it.harmful_if)
        for it in verdict.hazards
    ]
    counts = (verdict.batches, verdict.requests, verdict.unmarked, verdict.hidden_violations, verdict.hidden_hazards)
    return verdict.outcome, violations, hazards, counts


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.ndjson")), ids=lambda path: path.stem)
def test_a_recorded_trace_says_the_same_in_format_2(path: Path, tmp_path: Path):
    lines, numbers = converted(path)
    file = tmp_path / "converted.ndjson"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    verdict = judge_trace(path)
    assert said(judge_trace(file), numbers) == said(verdict, list(range(1, len(numbers) + 1)))
    assert verdict.violations or verdict.outcome == "good"
