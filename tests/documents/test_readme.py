"""What the README shows is so: its examples run, and its tables name what there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checker.command.cli import app
from checker.scenarios.commands import COMMANDS
from checker.scenarios.expectations import EXPECTATIONS
from checker.scenarios.read import play, read
from checker.search.check import Check, run
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def example(kind: str, containing: str = "") -> str:
    (found,) = [text for text in re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL) if containing in text]
    return str(found)


def test_the_script_plays_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "script.txt"
    file.write_text(example("text"))
    played = play(read(file))
    assert (played.failed, played.met) == ([], 3)


def test_the_design_is_caught_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "late.py"
    file.write_text(example("python", "class Late"))
    outcome = run(Check("", design=str(file)))
    assert outcome.symmetry == "full"
    assert [(name, len(steps)) for name, steps in outcome.steps.items()] == [("flip-once", 3)]


def test_the_runtime_runs_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example("python", "Scheduler"), "README.md", "exec"), {})
    assert capsys.readouterr().out == "200 {'0': [1]}\n"


@pytest.mark.parametrize("form", COMMANDS.values(), ids=COMMANDS)
def test_every_command_is_in_the_table(form: str) -> None:
    assert f"| `{form.replace('|', chr(92) + '|')}` |" in README


@pytest.mark.parametrize("form", EXPECTATIONS.values(), ids=EXPECTATIONS)
def test_every_expectation_is_in_the_table(form: str) -> None:
    assert f"| `{form.replace('|', chr(92) + '|')}` |" in README


def test_the_first_story_is_what_its_command_prints() -> None:
    words = shlex.split(next(line for line in README.splitlines() if "--design merged-29792" in line))
    printed = CliRunner().invoke(app, words[1:]).output
    (block,) = re.findall(r"```\n(step  CPU.*?)```", README, re.DOTALL)
    assert block in printed
