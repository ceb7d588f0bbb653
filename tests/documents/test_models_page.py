"""The page on a model of one's own is true: its example is run by its commands, and its tables name what there is."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import pytest

from checker.command import cli
from spec import language
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
RUNS = re.findall(r"^\$ slotproof (.*)\n# exit code (\d+): (.*)$", PAGE, re.MULTILINE)


def test_the_page_has_commands_for_each_exit_code_that_a_model_can_have() -> None:
    assert {code for _, code, _ in RUNS} == {"0", "1", "2", "3"}


@pytest.mark.parametrize(("command", "code", "said"), RUNS)
def test_the_example_does_what_the_page_says(
    command: str, code: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("checker.deadline.LAST_RESORT", math.inf)
    (tmp_path / "tickets.py").write_text(EXAMPLE)
    assert cli.run(shlex.split(command)) == int(code)
    out, err = capfd.readouterr()
    assert said in out + err


@pytest.mark.parametrize("kind", ["always", "step", "sometimes", "lemma"])
def test_each_kind_of_property_is_in_the_table_as_it_is_called(kind: str) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| `@{kind}()` |")]
    declared = getattr(language, kind)()(lambda s, scope: True)
    assert ("`(before, after, scope)`" in line) == declared.of_steps


def test_the_readme_leads_there() -> None:
    assert "(docs/models.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
