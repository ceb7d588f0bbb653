"""The pytest plugin of slotproof-attach, in a process of its own, with a recorder that writes what a test hands it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.attach.test_recording import FAULTS
from tests.support.paths import ATTACHED, ROOT
from tests.support.recording import FAKE, PRELUDE
from tests.support.trace_examples import LAZY

GOOD, BAD = LAZY.lines, LAZY.edited(LAZY.edits[0])
CUT = "".join(GOOD.splitlines(keepends=True)[:-1])
LEAK = GOOD.replace('{"e":"free","slots":[1]}\n', "")
UNREADABLE = GOOD.replace('"count":7', '"count":"seven"')
TRACES = {"good": GOOD, "bad": BAD, "cut": CUT, "leak": LEAK, "unreadable": UNREADABLE}

RECORDER = '''
"""Stands in for the recorder: a test hands over the lines."""
import importlib.resources
from pathlib import Path

class Refused(Exception):
    pass

path = None

def attach(engine, out):
    global path
    if engine != "fake":
        raise Refused(f"no adapter for {engine}")
    assert path is None, "attached twice"
    path = Path(out) / "trace.ndjson"

def close():
    global path
    assert path is not None, "never attached"
    path = None

def record(kind, name="trace"):
    text = importlib.resources.files(__name__).joinpath(f"{kind}.ndjson").read_text()
    path.with_name(f"{name}.ndjson").write_text(text)
'''
JUDGE = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from checker.__main__ import main; main()"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package, in which the recorder is another one, and traces that tests may hand to it."""
    package = tmp_path / "path" / "slotproof_attach"
    package.mkdir(parents=True)
    shutil.copy(ATTACHED / "pytest_plugin.py", package)
    (package / "__init__.py").write_text(RECORDER)
    for name, text in TRACES.items():
        (package / f"{name}.ndjson").write_text(text)
    (tmp_path / "suite").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("SLOTPROOF", f'{sys.executable} -c "{JUDGE}"')
    return tmp_path / "suite"


def run(suite: Path, tests: str, *words: str, engine: str = "fake") -> subprocess.CompletedProcess[str]:
    (suite / "test_it.py").write_text("import pytest, slotproof_attach\n" + tests)
    command = [sys.executable, "-m", "pytest", "-p", "slotproof_attach.pytest_plugin", "-rA", *words]
    command += ["--slotproof", engine, "--slotproof-out", "traces"] if engine else []
    return subprocess.run(command, cwd=suite, capture_output=True, text=True, timeout=100, check=False)


def recording(*kinds: str) -> str:
    return "".join(f"def test_{kind}():\n    slotproof_attach.record({kind!r})\n" for kind in kinds)


def test_a_test_whose_trace_is_bad_fails_with_the_story(suite: Path) -> None:
    done = run(suite, recording("good", "bad"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "PASSED test_it.py::test_good" in done.stdout
    assert "FAILED test_it.py::test_bad" in done.stdout
    assert "the story of slot" in done.stdout
    assert "2 tests recorded: 1 good, 1 bad" in done.stdout
    # Every trace is kept in a folder of its own, which the headline names.
    assert len(list((suite / "traces").glob("*/trace.ndjson"))) == 2
    assert f"test_it.py::test_bad: bad: {suite}" in done.stdout


def test_good_traces_fail_nothing(suite: Path) -> None:
    done = run(suite, recording("good", "leak"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert "2 tests recorded: 2 good" in done.stdout


def test_what_was_cut_is_named_and_fails_no_test(suite: Path) -> None:
    done = run(suite, recording("good", "cut"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 tests recorded: 1 good, 1 cut" in done.stdout
    assert "test_it.py::test_cut: cut: " in done.stdout


def test_what_was_not_covered_is_named_and_fails_no_test(suite: Path) -> None:
    stop = '{"e":"stop","why":"not covered","what":"sessions"}\n'
    uncovered = "".join(GOOD.splitlines(keepends=True)[:5]) + stop
    (suite.parent / "path" / "slotproof_attach" / "uncovered.ndjson").write_text(uncovered)
    done = run(suite, recording("uncovered"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 tests recorded: 1 not covered" in done.stdout
    assert "test_it.py::test_uncovered: not covered: " in done.stdout


def test_a_trace_that_cannot_be_read_fails_the_test(suite: Path) -> None:
    done = run(suite, recording("unreadable"))
    assert done.returncode == 1
    assert "FAILED test_it.py::test_unreadable" in done.stdout
    assert "1 tests recorded: 1 not judged" in done.stdout


def test_a_hazard_that_is_named_fails_the_test(suite: Path) -> None:
    done = run(suite, recording("good", "leak"), "--slotproof-fail-on", "leak")
    assert done.returncode == 1
    assert "FAILED test_it.py::test_leak" in done.stdout
    assert "2 tests recorded: 1 good, 1 named hazard" in done.stdout


def test_every_trace_of_a_test_is_judged(suite: Path) -> None:
    several = "def test_it():\n" + "".join(
        f"    slotproof_attach.record({kind!r}, {kind!r})\n" for kind in ("cut", "bad", "good")
    )
    done = run(suite, several)
    assert done.returncode == 1
    assert "1 tests recorded: 1 bad" in done.stdout
    assert "cut: " in done.stdout


def test_what_a_fixture_does_in_the_end_is_recorded_too(suite: Path) -> None:
    done = run(
        suite,
        "@pytest.fixture\ndef engine():\n    yield\n    slotproof_attach.record('bad')\n\n"
        "def test_it(engine):\n    pass\n",
    )
    assert done.returncode == 1
    assert "FAILED test_it.py::test_it" in done.stdout


def test_a_test_that_fails_by_itself_keeps_its_own_reason(suite: Path) -> None:
    done = run(suite, recording("bad") + "    assert 1 == 2, 'its own reason'\n")
    assert done.returncode == 1
    assert "its own reason" in done.stdout
    assert "the story of slot" in done.stdout


def test_a_run_in_which_nothing_was_judged_fails(suite: Path) -> None:
    done = run(suite, "def test_it():\n    pass\n")
    assert "1 passed" in done.stdout
    assert done.returncode == 1
    assert "1 tests recorded: 1 no trace" in done.stdout
    assert "nothing was judged" in done.stdout


def test_without_the_option_nothing_happens(suite: Path) -> None:
    done = run(suite, "def test_it():\n    assert slotproof_attach.path is None\n", engine="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests recorded" not in done.stdout


def test_an_engine_that_is_refused_ends_the_run(suite: Path) -> None:
    done = run(suite, recording("good"), engine="unheard-of")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "--slotproof unheard-of: no adapter for unheard-of" in done.stdout + done.stderr


def test_a_missing_judge_is_one_sentence(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTPROOF", "no-such-command")
    done = run(suite, recording("good"))
    assert done.returncode == 4
    assert "there is no command no-such-command; install slotproof" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_judge_that_says_nothing_has_judged_nothing(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOTPROOF", "true")
    done = run(suite, recording("good"))
    assert done.returncode == 1
    assert "1 tests recorded: 1 not judged" in done.stdout


def test_where_traces_are_not_kept_only_those_that_were_not_good_stay(suite: Path, tmp_path: Path) -> None:
    (suite / "test_it.py").write_text("import slotproof_attach\n" + recording("good", "bad"))
    command = [sys.executable, "-m", "pytest", "-p", "slotproof_attach.pytest_plugin", "--slotproof", "fake"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        command, cwd=suite, env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    left = Counter(path.parent.name.partition("-test_")[2][:3] for path in temporary.rglob("trace.ndjson"))
    assert left == {"bad": 1}


def test_workers_in_other_processes_report_too(suite: Path) -> None:
    done = run(suite, recording("good", "bad", "cut"), "-p", "xdist", "-n", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 tests recorded: " in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if "tests recorded" in line]
    assert all(f"1 {kind}" in line for kind in ("good", "bad", "cut"))


@pytest.mark.parametrize(
    ("engine", "code", "said"),
    [("sglang", 1, "nothing was judged"), ("unheard-of", 4, "no engine is called 'unheard-of'")],
)
def test_the_recorder_itself_is_asked_as_it_wants_to_be(
    engine: str, code: int, said: str, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ATTACHED.parent))
    done = run(suite, "def test_one():\n    pass\n\ndef test_two():\n    pass\n", engine=engine)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_an_engine_is_recorded_test_by_test(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ATTACHED.parent), str(FAKE)]))
    runs = "    Scheduler().run(Req('A', range(10), 10), Req('B', range(50, 60), 22))\n"
    faulty = "".join(f"    {line}\n" for line in FAULTS["exact-label"].splitlines())
    tests = f"{PRELUDE}\ndef test_right():\n{runs}\ndef test_once_more():\n{runs}\ndef test_wrong():\n{faulty}{runs}"
    done = run(suite, tests, engine="sglang")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 2 passed" in done.stdout
    assert "FAILED test_it.py::test_wrong" in done.stdout
    assert "3 tests recorded: 2 good, 1 bad" in done.stdout


def test_an_engine_that_outlives_a_test_is_recorded_in_the_first_only(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ATTACHED.parent), str(FAKE)]))
    tests = PRELUDE + (
        "@pytest.fixture(scope='module')\ndef engine():\n    return Scheduler()\n"
        "def test_first(engine):\n    engine.run(Req('A', range(10), 10))\n"
        "def test_second(engine):\n    engine.run(Req('B', range(50, 60), 10))\n"
    )
    done = run(suite, tests, engine="sglang")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 tests recorded: 1 good, 1 no trace" in done.stdout
