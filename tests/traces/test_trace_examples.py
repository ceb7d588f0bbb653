"""The five examples of format 2: each is good as it stands, and gets the verdict that is named with the edit named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.traces.judge_file import judge_file
from tests.support.slot_simulator import oracle
from tests.support.trace_examples import EXAMPLES, Edit, Example
from tests.support.trace_fields import misspelt

EDITS = [(example, edit) for example in EXAMPLES for edit in example.edits]


def verdict_of(folder: Path, lines: str) -> str:
    file = folder / "example.ndjson"
    file.write_text(lines, encoding="utf-8")
    return judge_file(file).verdict.outcome


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_good_as_it_stands(example: Example, tmp_path: Path) -> None:
    file = tmp_path / "example.ndjson"
    file.write_text(example.lines, encoding="utf-8")
    verdict = judge_file(file).verdict
    assert (verdict.outcome, verdict.violations, verdict.hazards) == ("good", [], [])


@pytest.mark.parametrize(("example", "edit"), EDITS, ids=[edit.name for _, edit in EDITS])
def test_an_edit_changes_the_verdict(example: Example, edit: Edit, tmp_path: Path) -> None:
    assert verdict_of(tmp_path, example.edited(edit)) == edit.verdict


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_oracle_says_the_same(example: Example) -> None:
    for text, verdict in [(example.lines, "good"), *((example.edited(edit), edit.verdict) for edit in example.edits)]:
        lines = [json.loads(line) for line in text.splitlines()]
        assert oracle(lines).outcome == verdict
        assert not misspelt(lines)
