"""The recordings of docs/findings.md are bad, and the cures that stand there are those that are applied."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checker.traces.judge_file import judge_file
from tests.engines import findings
from tests.engines.findings import FINDINGS, FOLDER, Finding
from tests.engines.install import CURES
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
OPEN = [finding for finding in FINDINGS if finding.release == "0.5.23"]


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.recording.stem)
def test_a_recording_is_bad_and_stands_on_the_page(finding: Finding) -> None:
    verdict = judge_file(finding.recording).verdict
    assert verdict.outcome == "bad"
    assert verdict.engine == f"sglang {finding.release}"
    assert not verdict.violations[0].root
    assert verdict.violations[0].story
    assert f"$ slotproof judge {finding.recording.relative_to(ROOT)}" in PAGE


def test_every_recording_is_made_by_a_finding() -> None:
    assert sorted(FOLDER.iterdir()) == sorted(finding.recording for finding in FINDINGS)


def test_the_cures_on_the_page_are_those_that_are_applied() -> None:
    shown = re.findall(r"^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown == [path.read_text(encoding="utf-8") for path in sorted(CURES.glob("*.diff"))]


def test_a_recording_that_is_not_what_the_engine_does_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def played(*_: object) -> tuple[None, list[Path]]:
        return None, [finding.recording for finding in OPEN[:-1]] + [OPEN[0].recording]

    monkeypatch.setattr(findings, "played", played)
    assert list(findings.changed(["0.5.23"])) == [
        "engines/findings/0.5.23-eager-off-the-page.ndjson is not what sglang 0.5.23 eager does: "
        "see 0.5.23-eager-alone.ndjson"
    ]
