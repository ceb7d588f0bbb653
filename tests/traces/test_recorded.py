"""Recorded traces: which design an engine release took, and what a row says that is not as it should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.command.report.verify import cells
from checker.model.known_designs import RELEASES, released
from checker.traces.corpus import design_of, judge_recorded
from checker.traces.judge_file import judge_file
from checker.traces.reading import BadTrace
from tests.support.paths import ROOT, TRACES

GOOD = TRACES / "sglang-0.5.23-eager-p12-n20-b5-good.ndjson"


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("sglang-0.5.17-eager-x-bad.ndjson", "before-29792"),
        ("sglang-0.4.9-lazy-x-bad.ndjson", "before-29792"),
        ("sglang-0.5.18-lazy-x-bad.ndjson", "lazy-0.5.18"),
        ("sglang-0.5.21-lazy-x-bad.ndjson", "lazy-0.5.18"),
        ("sglang-0.5.22-lazy-x-bad.ndjson", "merged-0.5.22"),
        ("sglang-0.5.21-eager-x-bad.ndjson", "merged-29792"),
        ("sglang-0.5.22-eager-x-bad.ndjson", "merged-0.5.22"),
        ("sglang-0.5.18-eager-x-bad.ndjson", "merged-29792"),
    ],
)
def test_a_release_has_the_design_of_its_range(name: str, design: str) -> None:
    assert design_of(name) == design


@pytest.mark.parametrize(
    "name",
    ["sglang-0.5.24-eager-x-bad", "other-0.5.17-eager-x-bad", "sglang-0.5.17-odd-x-bad", "sglang-new-eager-bad", "x"],
)
def test_a_release_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(BadTrace, match="no design is known"):
        design_of(name)


def test_the_page_on_designs_says_where_each_design_was_released() -> None:
    lines = (ROOT / "docs" / "designs.md").read_text().splitlines()
    for design in {release.design for release in RELEASES}:
        assert any(line.startswith(f"| `{design}` | {released(design)} |") for line in lines), released(design)


def test_a_row_says_what_is_wrong(tmp_path: Path) -> None:
    assert judge_recorded(GOOD).right
    copies = {
        "sglang-0.5.23-eager-x-bad": "it is bad",
        "sglang-0.5.17-eager-x-good": "it is not before-29792 from line",
        "sglang-0.6.0-eager-x-good": "not judged: no design is known",
    }
    for name, said in copies.items():
        path = tmp_path / f"{name}.ndjson"
        path.write_bytes(GOOD.read_bytes())
        row = judge_recorded(path)
        assert not row.right
        assert said in row.wrong
        assert cells(row)[-1] == f"WRONG: {row.wrong}"
        if "line" in said:
            assert "it is good" not in row.wrong
    broken = tmp_path / "sglang-0.5.23-eager-x-good.ndjson"
    broken.write_bytes(GOOD.read_bytes().replace(b'"e"', b'"f"', 3))
    assert judge_recorded(broken).wrong.startswith("not judged: ")
    with pytest.raises(BadTrace):
        judge_file(broken)
