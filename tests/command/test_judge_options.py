"""`slotproof judge`: hazards that fail a trace, a file that grows, and what CI services read of it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from checker.command import cli
from checker.command.report import traces
from checker.traces.judge_file import Judgement
from checker.traces.verdict import Hazard, Verdict
from tests.support.paths import ROOT
from tests.support.trace_examples import DONATED, LAZY

GOOD, BAD = LAZY.lines, LAZY.edited(LAZY.edits[0])
FREED = '{"e":"free","slots":[1]}\n'
LEAK = GOOD.replace(FREED, "")
"""A's working slot is never freed."""
CUT = "".join(GOOD.splitlines(keepends=True)[:-1])
UNREADABLE = GOOD.replace('"count":7', '"count":"seven"')
COLOURED = GOOD.replace("example 1.0", r"\u001b[2Jclean%0A").replace('"A"', r'"A\u0085\u202e"')

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder that has a trace of each kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"good": GOOD, "bad": BAD, "leak": LEAK, "cut": CUT, "unreadable": UNREADABLE}.items():
        Path(f"{name}.ndjson").write_text(text, encoding="utf-8")


def judge(*words: str) -> int:
    return cli.run(["judge", *words])


@pytest.mark.parametrize(
    ("words", "code", "headline"),
    [
        (("leak.ndjson",), 0, "good: leak.ndjson ("),
        (("leak.ndjson", "--fail-on", "leak"), 1, "good: ... but fails on leak (release-all at line 27)"),
        (
            ("leak.ndjson", "--fail-on", "flip-once,release-all"),
            1,
            "good: ... but fails on release-all (release-all at",
        ),
        (("leak.ndjson", "--strict"), 1, "good: ... but fails on any (release-all at line 27)"),
        (("leak.ndjson", "--fail-on", "lost-checkpoint,grid"), 0, "good: leak.ndjson ("),
        (("good.ndjson", "--strict"), 0, "good: good.ndjson ("),
        (("bad.ndjson", "--fail-on", "leak"), 1, "bad: bad.ndjson ("),
        (("cut.ndjson", "--strict"), 3, "cut: cut.ndjson ("),
    ],
)
def test_a_hazard_that_is_named_fails_the_trace_and_the_headline_says_so(
    words: tuple[str, ...], code: int, headline: str, capsys: Out
) -> None:
    assert judge(*words) == code
    first = capsys.readouterr().out.splitlines()[0]
    begins, _, names = headline.partition("...")
    assert first.startswith(begins)
    assert names in first


@pytest.mark.parametrize("kind", ["good", "bad", "cut", "not covered"])
def test_what_is_said_of_a_trace_begins_with_its_verdict_wherever_it_is_said(kind: str, capsys: Out) -> None:
    Path("not covered.ndjson").write_text(CUT + '{"e":"stop","why":"not covered","what":"sessions"}\n')
    code = judge(f"{kind}.ndjson", "--junit", "out.xml", "--github")
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"{kind}: {kind}.ndjson (")
    messages = [wrong.get("message", "") for wrong in ET.parse("out.xml").iter() if wrong.tag in ("failure", "error")]
    assert [message.startswith(f"{kind}: ") for message in messages] == [True] * (code != 0)
    assert any(line.endswith(said[0]) for line in said if "title=no verdict" in line) == (code == 3)


def test_json_has_what_failed(capsys: Out) -> None:
    assert judge("leak.ndjson", "--fail-on", "leak", "--json") == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["failed_on"] == [{"name": "leak", "property": "release-all", "line": 27}]
    assert found["code"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("good.ndjson", "--fail-on", "leeks"), "write names out of leak"),
        (("good.ndjson", "bad.ndjson", "--follow"), "--follow reads one file"),
        (("good.ndjson", "--github", "--json"), "leave one of the two out"),
        (("good.ndjson", "--junit", "nowhere/out.xml"), "the file cannot be written: No such file"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(words: tuple[str, ...], said: str, capsys: Out) -> None:
    assert judge(*words) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_hazard_that_was_not_kept_may_be_the_one_that_was_named() -> None:
    other = Hazard("flip-once", 5, "A", None, "so it is", "so it were")
    verdict = Verdict("good", "e", 9, 3, 1, "", [], [other], hidden_hazards=7)
    judged = Judgement(Path("long.ndjson"), verdict, None, ("leak",))
    assert traces.exit_code(judged) == 3
    assert any("7 more hazards, of which some may be what --fail-on names" in line for line in traces.lines(judged))


def test_junit_has_a_case_for_each_trace_and_passes_only_what_is_good() -> None:
    files = [f"{name}.ndjson" for name in ("good", "bad", "leak", "cut", "unreadable", "missing")]
    assert judge(*files, "--fail-on", "leak", "--junit", "out.xml") == 2
    suite = ET.parse("out.xml").getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors")] == ["6", "2", "3"]
    outcomes = {case.get("name"): [child.tag for child in case] for case in suite.findall("testcase")}
    wanted = ["system-out"], ["failure"], ["failure"], ["error"], ["error"], ["error"]
    assert outcomes == dict(zip(files, wanted, strict=True))
    types = [wrong.get("type") for wrong in suite.iter() if wrong.tag in ("failure", "error")]
    assert types == ["bad", "good", "cut", "unreadable", "unreadable"]
    (story,) = [case.findtext("failure") for case in suite.findall("testcase") if case.get("name") == "bad.ndjson"]
    assert story is not None
    assert "the story of slot 4" in story


ANNOTATION = re.compile(r"::(error|warning) file=([^,]+),line=(\d+),title=([^,:]+)::(.+)")


def annotations(out: str) -> list[tuple[str, str, int, str]]:
    lines = [line for line in out.splitlines() if line.startswith("::")]
    found = [ANNOTATION.fullmatch(line) for line in lines]
    assert all(found), lines
    return [(it[1], it[2], int(it[3]), it[4]) for it in found if it]


def test_github_shows_each_thing_at_its_line_after_the_text(capsys: Out) -> None:
    assert judge("bad.ndjson", "leak.ndjson", "cut.ndjson", "unreadable.ndjson", "--github") == 2
    out = capsys.readouterr().out
    assert out.index("::") > out.index("cut: cut.ndjson")
    found = annotations(out)
    assert ("error", "bad.ndjson", 26, "written-before-donated") in found
    assert ("warning", "leak.ndjson", 27, "release-all") in found
    assert ("error", "cut.ndjson", 1, "no verdict") in found
    assert ("error", "unreadable.ndjson", 20, "unreadable trace") in found


def test_a_hazard_that_fails_is_an_error_to_github(capsys: Out) -> None:
    assert judge("leak.ndjson", "--github", "--fail-on", "leak") == 1
    assert annotations(capsys.readouterr().out) == [("error", "leak.ndjson", 27, "release-all")]


def test_what_has_a_meaning_in_a_workflow_command_is_escaped(capsys: Out) -> None:
    Path("50%,a:b.ndjson").write_text(LEAK.replace('"A"', r'"100%\n::error::x"'), encoding="utf-8")
    assert judge("50%,a:b.ndjson", "--github") == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert line.startswith("::warning file=50%25%2Ca%3Ab.ndjson,line=27,title=release-all::")
    assert r"100%25\n::error::x" in line


def test_what_a_trace_says_is_printed_without_its_control_characters(capsys: Out) -> None:
    for name, text in {"coloured": COLOURED, "odd": BAD.replace('"A"', r'"A\u001b[31m\u0000"')}.items():
        Path(f"{name}.ndjson").write_text(text, encoding="utf-8")
    Path("key.ndjson").write_text(GOOD.replace('"count":7', r'"cou\u001b\nnt":7'), encoding="utf-8")
    assert judge("coloured.ndjson", "odd.ndjson", "key.ndjson", "--github", "--junit", "out.xml") == 2
    out, err = capsys.readouterr()
    for text in (out, err, Path("out.xml").read_text(encoding="utf-8")):
        assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert r"\x1b[2Jclean" in out
    assert r"A\x1b[31m\x00" in out
    assert r"cou\x1b\nnt" in err
    assert err.count("\n") == 1
    assert len(ET.parse("out.xml").getroot()) == 3


def test_json_is_printed_without_control_characters_and_says_the_same(capsys: Out) -> None:
    Path("odd.ndjson").write_text(
        GOOD.replace("example 1.0", r"\u001b\u009b\u202e\ud83d\ude00\udb40\udc01é"), encoding="utf-8"
    )
    assert judge("odd.ndjson", "--json") == 0
    out = capsys.readouterr().out
    assert all(sign.isprintable() or sign == "\n" for sign in out)
    assert json.loads(out)[0]["verdict"]["engine"] == "\x1b\x9b\u202e\U0001f600\U000e0001é"


@contextmanager
def following(text: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """Start the command on a file with that much in it; its output is read to the end by hand."""
    Path("growing.ndjson").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "checker", "judge", "growing.ndjson", "--follow"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}) as process:
        assert process.stdout is not None
        # A reader of a line that never comes would wait for ever.
        watchdog = threading.Timer(30, process.kill)
        watchdog.start()
        yield process, process.stdout
        watchdog.cancel()


def test_a_growing_file_is_judged_while_it_grows_and_ends_at_its_stop_line() -> None:
    *lines, end, stop = BAD.splitlines(keepends=True)
    with following("".join(lines) + end[:10]) as (process, out):
        assert out.readline() == "bad: growing.ndjson (still being written)\n"
        first = out.readline()
        assert process.poll() is None
        with Path("growing.ndjson").open("a", encoding="utf-8") as file:
            file.write(end[10:] + stop)
        rest = out.read()
    assert process.returncode == 1
    assert first.startswith("  line ")
    assert first in rest.partition("bad: growing.ndjson (")[2]


def test_ctrl_c_ends_it_with_the_verdict_so_far() -> None:
    with following(BAD.rpartition('{"e":"stop"')[0]) as (process, out):
        assert out.readline() == "bad: growing.ndjson (still being written)\n"
        process.send_signal(signal.SIGINT)
        rest = out.read()
    assert process.returncode == 1
    assert "\nbad: growing.ndjson (" in rest


def test_what_had_no_end_at_ctrl_c_is_cut(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    @contextmanager
    def soon(call: Callable[[], None]) -> Iterator[None]:
        threading.Timer(0.5, call).start()
        yield

    monkeypatch.setattr("checker.command.judge.first_ctrl_c", soon)
    assert judge("cut.ndjson", "--follow") == 3
    assert capsys.readouterr().out.startswith("cut: cut.ndjson (")


def test_the_first_story_is_printed_without_control_characters_too(capsys: Out) -> None:
    Path("growing.ndjson").write_text(BAD.replace('"A"', r'"A\u001b[31m"'), encoding="utf-8")
    assert judge("growing.ndjson", "--follow") == 1
    out = capsys.readouterr().out
    assert out.startswith("bad: growing.ndjson (still being written)\n")
    assert all(sign.isprintable() or sign == "\n" for sign in out)


def test_a_file_that_is_cut_short_while_it_is_followed_is_bad_input(capsys: Out) -> None:
    file = Path("growing.ndjson")
    file.write_text(CUT, encoding="utf-8")
    cutting = threading.Timer(1.0, lambda: file.write_text(GOOD[:50], encoding="utf-8"))
    cutting.start()
    assert judge("growing.ndjson", "--follow") == 2
    cutting.join()
    assert "cut short or written anew" in capsys.readouterr().err


def test_a_trace_that_is_complete_can_be_followed_too(capsys: Out) -> None:
    Path("growing.ndjson").write_text(DONATED.lines, encoding="utf-8")
    assert judge("growing.ndjson", "--follow", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"]["outcome"] == "good"
