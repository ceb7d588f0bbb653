"""Truth beside verdict: every way in which the two can differ is planted, and none of them passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.model.known_designs import DESIGNS
from tests.engines.compare import Compared, compare
from tests.engines.play import Truth
from tests.engines.table import Line, remarks, table
from tests.support.paths import TRACES

DESIGN = DESIGNS["merged-29792"]
GOOD, BAD = TRACES / "sglang-0.5.23-eager-p12-n20-b5-good.ndjson", TRACES / "sglang-0.5.23-eager-p9-n15-b7-bad.ndjson"
WRONG = "slot 3 is filed under 16 tokens and holds the state of 24"
RIGHT, MISFILED = Truth("run", ()), Truth("run", (WRONG,), misfiled=((3, 16),))


def line(*runs: Compared, known: int | None = None, cause: str = "") -> Line:
    return Line("sglang 0.5.23 eager", "alone", known, cause, list(runs))


def agrees(found: Compared) -> bool:
    return not (found.missed or found.invented or found.unjudged) and line(found).passes


def test_a_right_run_that_is_good_and_a_wrong_one_that_is_bad_pass() -> None:
    assert agrees(compare(RIGHT, GOOD, DESIGN))
    found = compare(MISFILED, BAD, DESIGN)
    assert agrees(found)
    assert found.bad


def test_a_wrong_run_that_is_good_is_missed() -> None:
    found = compare(MISFILED, GOOD, DESIGN)
    assert found.missed.startswith(f"wrong and not bad: {WRONG}")
    assert not agrees(found)


def test_a_right_run_that_is_bad_is_invented() -> None:
    found = compare(RIGHT, BAD, DESIGN)
    assert found.invented.startswith("bad and not wrong: ")
    assert not agrees(found)


@pytest.mark.parametrize("place", [(3, 24), (4, 16)])
def test_a_verdict_must_name_the_slot_and_the_label(place: tuple[int, int]) -> None:
    found = compare(Truth("run", (WRONG,), misfiled=(place,)), BAD, DESIGN)
    assert found.missed.endswith("and nothing is said of it")
    assert found.invented == "slot 3 is filed rightly under 16 tokens, and is said to be wrong"
    assert not agrees(found)


def test_a_leak_that_the_judge_does_not_see_is_missed() -> None:
    found = compare(Truth("run", (), leaked=(7,)), GOOD, DESIGN)
    assert found.missed == "slots have leaked, and nothing is said of them: [7]"
    assert not agrees(found)


def test_a_leak_that_is_none_is_invented(tmp_path: Path) -> None:
    header = '{"trace":2,"engine":"e","mode":"eager","ring":2,"interval":8,"slots":8,"first_slot":1,"lookahead":1,'
    lines = [
        header + '"knows":["takes","frees","evicts","ends"]}',
        '{"e":"take","r":"A","slots":[1,2,3]}',
        '{"e":"admit","r":"A","working":1,"ring":[2,3],"next":0,"last":1,"hit":null}',
        '{"e":"free","slots":[1,2]}',
        '{"e":"end","r":"A","why":"finish"}',
        '{"e":"stop","why":"closed"}',
    ]
    trace = tmp_path / "leak.ndjson"
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert compare(RIGHT, trace, DESIGN).invented.startswith("no slot has leaked, and the judge says so: ")
    assert not compare(Truth("run", (), leaked=(3,)), trace, DESIGN).missed


def unfinished(tmp_path: Path, stop: str) -> Path:
    """The right run's trace in format 2, with another end."""
    trace = tmp_path / "unfinished.ndjson"
    header = '{"trace":2,"engine":"e","mode":"eager","ring":2,"interval":8,"slots":8,"first_slot":1,"lookahead":1}'
    trace.write_text(header + "\n" + stop, encoding="utf-8")
    return trace


@pytest.mark.parametrize("stop", ["", '{"e":"stop","why":"not covered","what":"a session"}\n', '{"e":"st'])
def test_a_run_without_a_whole_verdict_is_no_pass(tmp_path: Path, stop: str) -> None:
    found = compare(RIGHT, unfinished(tmp_path, stop), DESIGN)
    assert found.unjudged
    assert not agrees(found)
    assert any(found.unjudged in remark for remark in remarks([line(found)]))


def test_a_run_without_a_trace_is_no_pass(tmp_path: Path) -> None:
    found = compare(RIGHT, tmp_path / "none.ndjson", DESIGN)
    assert found.unjudged.startswith("no verdict: ")
    assert not agrees(found)


def test_a_run_that_the_engine_has_ended_by_an_exception_is_judged_up_to_there(tmp_path: Path) -> None:
    trace = unfinished(tmp_path, '{"e":"stop","why":"not covered","what":"the engine raised"}\n')
    found = compare(Truth("run", (), raised="AssertionError at memory_pool.py:1: no slot"), trace, DESIGN)
    assert not found.unjudged
    assert any("raises (1 of the runs): AssertionError" in remark for remark in remarks([line(found)]))


def test_no_run_at_all_is_no_pass() -> None:
    assert not line().passes


def test_another_number_of_wrong_runs_than_is_known_is_no_pass() -> None:
    found = compare(MISFILED, BAD, DESIGN)
    assert line(found, known=1).passes
    assert not line(found, known=2).passes
    assert "1 runs are wrong, where 2 are known to be" in "\n".join(remarks([line(found, known=2)]))


def test_a_story_that_does_not_name_the_cause_is_no_pass() -> None:
    found = compare(MISFILED, BAD, DESIGN)
    assert line(found, cause="flip-once").passes
    other = line(found, cause="distinct-targets")
    assert not other.passes
    assert list(remarks([other])) == ["sglang 0.5.23 eager alone, run: the story does not name distinct-targets"]


def test_more_exceptions_than_one_in_a_hundred_are_no_pass_and_each_kind_is_named() -> None:
    other = compare(RIGHT, GOOD, DESIGNS["before-29792"])
    assert other.exception
    same = compare(RIGHT, GOOD, DESIGN)
    assert line(*[same] * 99, other).passes
    assert not line(*[same] * 98, other).passes
    assert f"leaves its design at (1 of the runs): {other.exception}" in "\n".join(remarks([line(same, other)]))


def test_an_engine_without_a_design_is_compared_with_none() -> None:
    found = compare(RIGHT, GOOD, None)
    assert agrees(found)
    assert table([line(found)]).split()[-2:] == ["-", "0"]


def test_the_table_counts() -> None:
    runs = [compare(RIGHT, GOOD, DESIGN), compare(MISFILED, BAD, DESIGN), compare(RIGHT, BAD, DESIGN)]
    head, row = table([line(*runs)]).splitlines()
    named = dict(zip(head.split()[2:], row.split()[4:], strict=False))
    assert named == {
        "runs": "3", "wrong": "1", "bad": "2", "missed": "0", "invented": "1", "unjudged": "0", "raised": "0",
        "conform": "100.0%", "in": "0",
    }  # fmt: skip
