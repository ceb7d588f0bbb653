"""Models and designs of a user's own, right and wrong: what a person is told, and which exit code that is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checker.command import cli
from checker.command.report.search import exit_code, lines, why_vacuous
from checker.model.designs import design_class
from checker.model.source import OutsideSubset
from checker.model.user_files import BadFile, BadModel, blame
from checker.search.check import Check
from checker.search.perform import model_for, run
from checker.workers import spread
from tests.support.paths import ROOT

MODEL = '''
from dataclasses import dataclass
from typing import Annotated

from spec.language import Range, action, always, guard, record


@dataclass
class Scope:
    high: int = 3
    none: int = 0


@record
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
    ("old", "line", "name"), [("actions = (up,)", 23, "up"), ("properties = (small,)", 29, "small")]
)
def test_what_is_declared_and_not_listed_is_reported(tmp_path: Path, old: str, line: int, name: str) -> None:
    outcome = run(Check("", model=model(tmp_path, MODEL.replace(old, f"{old.split('(', maxsplit=1)[0]}()"))))
    assert outcome.unlisted == {name: f"{tmp_path / 'model.py'}:{line}"}
    assert any(f"model.py:{line}: {name} is declared and was not looked at" in said for said in lines(outcome))
    assert run(Check("", model=model(tmp_path))).unlisted == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("print(s.count)", "this call of print; take it out"),
        ("print(f'{s.count}')", "this call of print; take it out"),
        ("import math", "import at the top of the file"),
        ("s.count = s.cuont", "s.cuont is no field of a record"),
        ("s.cuont = 1", "s.cuont is no field of the state"),
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


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("actions = (up,)", "", 0, "no `actions`"),
        ("@always()\n", "", 29, "small in `properties` is none"),
        ("    s.count += 1", "    s.count += 1 1", 26, "importing it failed with SyntaxError"),
        ("from spec.language", "print(nothing)\nfrom spec.language", 5, "importing it failed with NameError"),
        ("actions = (up,)", "actions = iter([up])", 0, "`actions` is a list_iterator, which may be read only once"),
        ("properties = (small,)", "properties = (p for p in [small])", 0, "`properties` is a generator"),
        ("properties = (small,)", "properties = small", 0, "write a tuple: properties = (first, second)"),
        ("properties = (small,)", "properties = (small, small)", 29, "two of the properties are called small"),
        ("actions = (up,)", "actions = (up, up)", 23, "two of the actions are called up"),
        (
            "properties = (",
            "small.function.__name__ = 'well_formed'\nproperties = (",
            29,
            "every model has a property well-formed already",
        ),
        ("@always()", "@always", 29, "@always needs parentheses; write @always() above the def of small"),
        ("@always()", "@always(3)", 29, "asks no function; write one of the context, or leave it out"),
        ("@always()", "@always(lambda: True)", 29, "<lambda> is called with 1 argument"),
        ("@always()", "@always(lambda scope: 1 // 0)", 29, "<lambda> fails with ZeroDivisionError"),
        ("@always()", "@always(lambda scope: 3)", 29, "answers neither True nor False"),
        (
            "@always()\ndef small(s, scope)",
            "@sometimes()\ndef small(s, scope)",
            29,
            "write def small(before, after, scope)",
        ),
        ("@always()\ndef small(s, scope)", "@always()\ndef small(s)", 29, "write def small(s, scope)"),
        ("@always()\ndef small(s, scope)", "@always()\ndef small(s, scope=1)", 29, "write its name alone"),
        ("@action()\n", "@action\n", 23, "write @action() above the def"),
        ("@action()", "@action(by=3)", 23, "the choices of by are no function"),
        ("@action()", "@action(by=lambda scope: (1, 2))", 23, "write def up(s, scope, by)"),
        ("scope):\n    guard", "scope, by):\n    guard", 23, "write def up(s, scope)"),
        ("return State(0)", "return None", 19, "init returns None"),
        ("return State(0)", "return State(scope.nothing)", 20, "init fails with AttributeError"),
        ("return State(0)", "raise SystemExit(0)", 20, "init fails with SystemExit: 0"),
        ("def init(scope)", "def init()", 19, "init is called with 1 argument"),
        ("    high: int = 3", "    high: int", 0, "high of Scope has no default"),
        ("@dataclass\nclass Scope", "class Scope", 0, "Scope is no dataclass"),
        ("actions = (up,)", "actions = (up,)\nsymmetric = ('cells',)", 0, "`symmetric` names 'cells'"),
        ("actions = (up,)", "actions = (up,)\nsymmetric = 'high'", 0, "write a tuple of names"),
        ("actions = (up,)", "actions = (up,)\nclass Context:\n    pass", 0, "Context is called with 1 argument"),
        ("def up(s, scope)", "def up(s, scope: nothing)", 0, ""),
    ],
)
def test_what_a_model_says_wrongly_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    text = (
        MODEL.replace("{CHOICES}", "").replace("{PARAMETERS}", "").replace("always, guard", "always, guard, sometimes")
    )
    assert text.count(old) == 1
    with pytest.raises(BadModel) as error:
        run(Check("", model=model(tmp_path, text.replace(old, new))))
    assert said in str(error.value)
    assert f"model.py:{line}: " in str(error.value) if line else "model.py:" in str(error.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("'text'", "are 'text'"),
        ("None", "are None"),
        ("3", "are 3"),
        ("{1: 2}", "are {1: 2}"),
        ("(1, None)", "have None in them"),
        ("(1, 2.5)", "have 2.5 in them"),
        ("('a', 'b')", "have 'a' in them"),
        ("(1, True)", "let all be numbers"),
        ("((1, None),)", "have (1, None) in them"),
        ("ONCE", "are others when they are asked for again"),
        ("range(10 ** 9) and (n for n in range(10 ** 9))", "are more than"),
        ("scope.nothing", "fails with AttributeError"),
        ("1 // 0", "fails with ZeroDivisionError"),
    ],
)
def test_values_that_no_parameter_can_have_are_refused(tmp_path: Path, values: str, said: str) -> None:
    text = MODEL.replace("@action(", "ONCE = iter((1, 2))\n\n\n@action(")
    with pytest.raises(BadModel) as error:
        run(Check("", model=model(tmp_path, text, f"by=lambda scope: {values}", ", by")))
    assert said in str(error.value)
    assert "model.py:26: " in str(error.value)


@pytest.mark.parametrize("word", ["high", "high=", "high=x", "high=--5", "high=1.5", "high=" + "9" * 5000, "low=3"])
def test_a_setting_that_is_none_is_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(BadModel, match="write NAME=NUMBER"):
        run(Check(word, model=model(tmp_path)))


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
    ("old", "new", "said"),
    [
        (
            "(self, row)",
            "(self)",
            "mine.py:8: Mine.flips_at_preparation takes (self); write def flips_at_preparation(self, row)",
        ),
        ("(self, row)", "(self, row, more=1)", "mine.py:8: Mine.flips_at_preparation takes (self, row, more=1)"),
        ("(self, row)", "(self, *rows)", "write def flips_at_preparation(self, row)"),
        ("    def flips", "    summary = 3\n\n    def flips", "mine.py: Mine.summary is 3; write a text"),
        (
            "    def flips",
            "    may_publish = True\n\n    def flips",
            "Mine.may_publish is no method; write def may_publish(",
        ),
        ("    def flips", "    @staticmethod\n    def flips", "Mine.flips_at_preparation is no method"),
    ],
)
def test_a_decision_that_cannot_be_asked_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = Path(design(tmp_path))
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(BadModel) as error:
        design_class(str(file))
    assert said in str(error.value)


def _fail(text: str) -> int:
    """What a worker does that comes upon a mistake in a user's file."""
    file, name = text.split(" ")
    made = design_class(file)(model_for(Check("requests=1 slots=4")).scope)
    return int(getattr(made, name)(None))


def test_an_error_that_shows_in_a_worker_only_is_blamed_on_its_file(tmp_path: Path) -> None:
    file = design(tmp_path, decision="return row.nope")
    with pytest.raises(BadFile) as error:
        list(spread(_fail, [f"{file} flips_at_preparation"] * 2, 2))
    assert str(error.value).startswith(f"{file}:9: AttributeError")
    with pytest.raises(AttributeError):
        list(spread(_fail, [f"{file} nothing"] * 2, 2))


def test_a_stored_story_of_a_model_that_has_changed_since_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    broken = MODEL.replace("s.count <= 3", "s.count <= 1")
    file = model(tmp_path, broken)
    assert cli.run(["explore", "--model", file]) == 1
    (stored,) = [path.stem for path in (tmp_path / ".slotproof").glob("*.json")]
    assert cli.run(["explain", stored]) == 1
    text = Path(file).read_text()
    for old, new in [
        ("actions = (up,)", "actions = ()"),
        ("def small", "def tiny"),
        ("def up(", "def down("),
        ("@always()", "@step()"),
        ("return State(0)", "return State(None)"),
        ("s.count += 1", "s.nothing += 1"),
        ("s.count += 1", "s.count += None"),
        ("s.count <= 1", "s.nothing <= 1"),
        ("s.count <= 1", "s.count <= 3"),
        ("guard(s.count < scope.high)", "guard(s.count > scope.high)"),
        ("from spec.language", "from nothing"),
    ]:
        assert old in text
        Path(file).write_text(text.replace(old, new).replace("small,", "tiny," if "tiny" in new else "small,"))
        capfd.readouterr()
        code = cli.run(["explain", stored])
        assert (code, old) == (2, old), capfd.readouterr().err
        said = capfd.readouterr().err
        assert said.count("\n") == 1
        assert "model.py" in said


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("return self.nope", "self.nope fails with AttributeError"),
        ("return row.nope", "row.nope is no field of a record"),
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
    (tmp_path / "checker").symlink_to(ROOT / "checker")
    shutil.copytree(ROOT / "spec", tmp_path / "spec", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "spec" / "scope.py").open("a") as scope:
        scope.write("\ndef broken(:\n")
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
