"""Models and designs of a user's own, right and wrong: what a person is told, and which exit code that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checker.checks import Check, model_for, run
from checker.designs import design_class
from checker.foreign import blame
from checker.model import BadModel
from checker.report import exit_code, why_vacuous
from checker.syntax import OutsideSubset

ROOT = Path(__file__).parents[1]

MODEL = '''
from dataclasses import dataclass
from typing import Annotated

from spec.language import Range, action, always, guard


@dataclass
class Scope:
    high: int = 3
    none: int = 0


@dataclass
class State:
    count: Annotated[int, Range(0, 9)]


def init(scope):
    return State(0)


@action({CHOICES})
def up(s, scope{PARAMETERS}):
    guard(s.count < scope.high)
    s.count += 1


@always()
def small(s, scope):
    """Small."""
    return s.count <= 3


actions = (up,)
properties = (small,)
'''


def model(tmp_path: Path, text: str = MODEL, choices: str = "", parameters: str = "") -> str:
    file = tmp_path / "model.py"
    file.write_text(text.replace("{CHOICES}", choices).replace("{PARAMETERS}", parameters))
    return str(file)


def test_a_model_holds(tmp_path: Path) -> None:
    assert run(Check("", model=model(tmp_path))).status == "holds"


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ("high=0", {}),
        ("", {"choices": "way=lambda scope: range(scope.none)", "parameters": ", way"}),
        ("", {"text": MODEL.replace("actions = (up,)", "actions = ()")}),
    ],
    ids=["never enabled", "nothing to choose from", "no actions"],
)
def test_a_model_in_which_nothing_can_happen_is_no_pass(tmp_path: Path, settings: str, changes: dict[str, str]) -> None:
    outcome = run(Check(settings, model=model(tmp_path, **changes)))
    assert outcome.status == "vacuous"
    assert exit_code(outcome) == 1
    assert why_vacuous(outcome)[0].startswith("nothing can ever happen")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("actions = (up,)", "", "no `actions`"),
        ("@always()\n", "", "small in `properties` is none"),
        ("@always()\n", "@always\n", "write @always()"),
        ("    s.count += 1", "    s.count += 1 1", "model.py:26"),
        ("from spec.language", "print(nothing)\nfrom spec.language", "model.py:5: importing it failed with NameError"),
    ],
)
def test_a_model_file_that_is_none_says_what_to_write(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert MODEL.count(old) == 1
    with pytest.raises(BadModel) as error:
        run(Check("", model=model(tmp_path, MODEL.replace(old, new))))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("print(s.count)", "this call of print; take it out"),
        ("print(f'{s.count}')", "this call of print; take it out"),
        ("import math", "import at the top of the file"),
        ("s.count = s.cuont", "fails with "),
        ("s.cuont = 1", "this fails with "),
        ("s.count = scope.hihg", "has no attribute 'hihg'"),
        ("s.count = int('x')", "fails with ValueError"),
        ("s.count = (1, 2)[5]", "fails with IndexError"),
    ],
)
def test_a_mistake_in_a_model_is_told_with_its_place(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(OutsideSubset) as error:
        run(Check("", model=model(tmp_path, MODEL.replace("    s.count += 1", f"    {line}"))))
    assert "model.py:26: " in str(error.value)
    assert said in str(error.value)


DESIGN = """
from spec.design import Design

class Mine(Design):
    def __init__(self, scope):
        INIT

    def flips_at_preparation(self, row):
        DECISION
"""


def design(tmp_path: Path, init: str = "super().__init__(scope)", decision: str = "return True") -> str:
    file = tmp_path / "mine.py"
    file.write_text(DESIGN.replace("INIT", init).replace("DECISION", decision))
    return str(file)


@pytest.mark.parametrize(
    ("init", "said"),
    [
        ("self.mine = 1", "begin its __init__ with super().__init__(scope)"),
        ("self.mine = self.scope.slots", "mine.py:6: Mine(scope) fails with AttributeError"),
        ("raise RuntimeError('no')", "mine.py:6: Mine(scope) fails with RuntimeError: no"),
    ],
)
def test_a_design_that_cannot_be_made_says_how_to_begin(tmp_path: Path, init: str, said: str) -> None:
    with pytest.raises(BadModel) as error:
        design_class(design(tmp_path, init))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("return self.nope", "self.nope fails with AttributeError"),
        ("return row.nope", "row.nope fails with "),
        ("raise ValueError", "write require("),
        ("import math", "import at the top of the file"),
    ],
)
def test_a_decision_that_fails_is_told_with_its_place(tmp_path: Path, decision: str, said: str) -> None:
    with pytest.raises(OutsideSubset) as error:
        run(Check("requests=1 slots=4", design=design(tmp_path, decision=decision)))
    assert "mine.py:9: " in str(error.value)
    assert said in str(error.value)


def test_an_error_of_our_own_is_not_blamed_on_the_user(tmp_path: Path) -> None:
    made = design_class(design(tmp_path, decision="raise ValueError('mine')"))
    scope = model_for(Check("requests=1 slots=4")).scope
    with pytest.raises(ValueError, match="mine") as raised:
        made(scope).flips_at_preparation(None)  # type: ignore[arg-type]
    assert blame(raised.value) == f"{tmp_path / 'mine.py'}:9: ValueError: mine; fix the file"
    with pytest.raises(ValueError, match="theirs") as raised:
        raise ValueError("theirs")
    assert blame(raised.value) == ""


def test_played_natively_a_decision_that_fails_is_bad_input(tmp_path: Path) -> None:
    words = ["play", "tests/scenarios/the-whole-story.txt", "--design", design(tmp_path, decision="return row.nope")]
    done = subprocess.run(
        [sys.executable, "-m", "checker", *words], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "mine.py:9: AttributeError" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_spec_that_python_cannot_read_is_bad_input(tmp_path: Path) -> None:
    for room in ("spec", "checker"):
        (tmp_path / room).symlink_to(ROOT / room)
    (tmp_path / "spec").unlink()
    (tmp_path / "spec").mkdir()
    for file in (ROOT / "spec").glob("*.py"):
        text = file.read_text()
        (tmp_path / "spec" / file.name).write_text(text + "\ndef broken(:\n" * (file.name == "scope.py"))
    done = subprocess.run(
        [sys.executable, "-m", "checker", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2
    assert "scope.py:" in done.stderr
    assert done.stderr.count("\n") == 1
