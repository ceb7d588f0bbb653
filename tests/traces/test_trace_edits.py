from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from checker.traces.judge import judge_trace
from checker.traces.reading import BadTrace, read_trace
from checker.traces.verdict import Verdict
from tests.support.paths import TRACES
from tests.support.trace_edits import Edit, enumerate_edits

FILES = [
    TRACES / f"sglang-{name}.ndjson"
    for name in (
        "0.5.17-eager-p9-n8-b0-good",
        "0.5.17-lazy-p9-n11-b7-bad",
        "0.5.18-eager-p9-n15-b0-good",
        "0.5.23-eager-p12-n20-b5-good",
        "0.5.23-lazy-p9-n15-b7-good",
    )
]


# Every single-field edit of recorded traces.

WHEN = "designs advance `next` at different moments between a claim and its result; conformance decides"
NULL = "null is unknown, and what isn't known isn't checked"
POSITION = "a position that isn't known isn't checked"
IN_THE_HEADER = {
    ("header", "engine", "other name"): "a name for people",
    ("header", "slots", "+1"): "a larger pool allows all that a smaller one does",
    ("header", "slots", "-1"): "the last slot isn't used",
    ("header", "first_slot", "-1"): "slot 0 isn't used, nor the last one",
    ("header", "lookahead", "+1"): "a larger window allows all that a smaller one does",
}
SURVIVORS = {
    ("prefill", "rows.pos", "to null"): POSITION,
    ("prepare", "rows.pos", "to null"): POSITION,
    (
        "prepare",
        "rows.last",
        "from null",
    ): "a pointer that no other line shows (0.5.17), with the value that rows explain",
    **IN_THE_HEADER,
    ("admit", "next", "to null"): NULL,
    ("admit", "last", "to null"): NULL,
    ("prefill", "rows.copy_from", "to null"): "a copy from an unknown slot is taken on trust",
    ("prefill", "rows.next", "-1"): WHEN,
    ("prepare", "rows.next", "-1"): WHEN,
    ("prepare", "rows.next", "+1"): WHEN,
    ("process", "rows.next", "-1"): WHEN,
    ("process", "rows.next", "+1"): WHEN,
    ("process", "rows.last_len", "from null"): "a label without a `last` (0.5.17) speaks about no known slot",
    ("process", "rows.last_len", "to null"): "a label without a `last` (0.5.17) speaks about no known slot",
}


def told(verdict: Verdict) -> tuple[object, object]:
    return (
        [(v.line, v.kind, v.slot) for v in verdict.violations],
        [*[(h.property, h.line, h.slot, h.healed_at, h.harmful_at) for h in verdict.hazards], verdict.unmarked],
    )


def classify(edit: Edit, before: Verdict, path: Path) -> str:
    """What the judge makes of an edit: error, violation, hazard, cut, or the same as before."""
    path.write_bytes(b"".join(edit.lines))
    try:
        after = judge_trace(path)
    except BadTrace as error:
        return "error" if error.line >= edit.line else "error before the edit"
    assert after == judge_trace(path, close_look=True), "the short cut must see what the close look sees"
    if told(after)[0] != told(before)[0]:
        return "violation"
    if told(after)[1] != told(before)[1]:
        return "hazard"
    return "same" if after.outcome == before.outcome else after.outcome


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_single_field_edits_are_noticed(path: Path, tmp_path: Path) -> None:
    before = judge_trace(path)
    outcomes: Counter[str] = Counter()
    survivors: Counter[tuple[str, str, str]] = Counter()
    for edit in enumerate_edits(path):
        outcome = classify(edit, before, tmp_path / "edited.ndjson")
        outcomes[outcome] += 1
        if outcome == "same":
            survivors[edit.kind, edit.field, edit.change] += 1
    assert set(survivors) <= set(SURVIVORS), "an edit goes unnoticed that has no reason to"
    assert set(outcomes) <= {"error", "hazard", "violation", "cut", "same"}
    # The share of survivors is small; this pins that it stays so.
    assert outcomes["same"] < 0.02 * outcomes.total()
    assert min(outcomes["error"], outcomes["hazard"], outcomes["violation"]) > 50


def test_every_survivor_in_the_table_exists(tmp_path: Path) -> None:
    found = set()
    for path in FILES:
        before = judge_trace(path)
        for edit in enumerate_edits(path):
            key = (edit.kind, edit.field, edit.change)
            if key in SURVIVORS and key not in found and classify(edit, before, tmp_path / "edited.ndjson") == "same":
                found.add(key)
    assert found == set(SURVIVORS)


def test_every_line_that_is_left_out_is_noticed(tmp_path: Path) -> None:
    path = FILES[0]
    lines = path.read_bytes().splitlines(keepends=True)
    before = told(judge_trace(path))
    for index in range(1, len(lines)):
        edited = tmp_path / "edited.ndjson"
        edited.write_bytes(b"".join([*lines[:index], *lines[index + 1 :]]))
        try:
            after = judge_trace(edited)
        except BadTrace:
            continue
        assert told(after) != before or after.outcome == "cut", f"line {index + 1} can go unnoticed"


def test_a_file_that_ends_in_the_middle_of_a_line_is_cut(tmp_path: Path) -> None:
    whole = FILES[-1].read_bytes()
    for size in range(len(whole) - 2, 200, -97):
        edited = tmp_path / "edited.ndjson"
        edited.write_bytes(whole[:size])
        verdict = judge_trace(edited)
        assert verdict.outcome == "cut"
        assert [hazard.property for hazard in verdict.hazards] == []


def test_reading_is_streamed() -> None:
    reader = read_trace(FILES[0])
    assert next(iter(reader))[0] == 2
    reader.close()
