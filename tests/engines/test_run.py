"""`make engines` where there is no engine to run: one sentence, and never a pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import install, play, run

PIP = """#!/bin/sh
echo "WARNING: Retrying after connection broken" >&2
echo "ERROR: No matching distribution found for sglang==0.5.23" >&2
exit 1
"""


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment whose pip reaches nobody."""
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(PIP, encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "env" / "installed").touch()
    monkeypatch.setattr(install, "FOLDER", tmp_path)
    monkeypatch.setattr(install, "PYTHON", python)
    monkeypatch.setattr(play, "FOLDER", tmp_path)
    monkeypatch.setattr(play, "PYTHON", python)
    return tmp_path


@pytest.mark.usefixtures("offline")
def test_without_a_network_one_sentence_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--quick"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert "pip could not get sglang 0.5.23, so no engine was run and nothing was shown" in said.err
    assert "No matching distribution found" in said.err


def test_an_engine_that_cannot_be_started_is_no_pass(
    offline: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (offline / "sglang-0.5.23").mkdir()
    monkeypatch.setattr(install, "CURES", offline)
    assert run.main(["--quick"]) == 2
    assert "sglang-0.5.23 ended with 1" in capsys.readouterr().err


def test_a_change_that_does_not_fit_a_release_is_no_pass(offline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (offline / "sglang-0.5.23").mkdir()
    assert run.main(["--quick"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("0.5.23-next.diff does not fit sglang 0.5.23 (")
    assert said.count("\n") == 1
