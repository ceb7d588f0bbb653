"""What is wrong with a script is said with line and column, and with what to write instead."""

import ast
import re

import pytest

from checker.scenarios.commands import COMMANDS
from checker.scenarios.expectations import EXPECTATIONS
from checker.scenarios.read import BadScenario, play, read
from spec.language import Disabled
from tests.support.paths import ROOT, SPEC

HEAD = "scenario Small\nscope requests=2 slots=6 nodes=1 mode=eager max_len=6\n"
LAZY = HEAD.replace("eager", "lazy")
ANY = HEAD.replace("nodes=1", "nodes=1 interval=any")
CUT = HEAD.replace("max_len=6", "max_len=6 short_keys=on")
RUNNING = "admit r1 prompt 1\nprefill r1\ndevice\nprocess\n"

UNREADABLE = [
    # The head.
    ("", 1, 1, "write a line `scenario` with a title"),
    ("scenario A\nscope requests=1\n", 2, 1, "at least one command"),
    ("admit r1 prompt 3\n", 1, 1, "write: scenario and a title"),
    ("scenario A\nadmit r1 prompt 3\n", 2, 1, "write before it for example: scope requests=1 slots=5"),
    ("scenario\n", 1, 10, "write a title"),
    ("scenario A\nscope\n", 2, 7, "for example requests=1 slots=5"),
    ("scenario A\nscope requests=1 slot=5\n", 2, 18, "write name=value with a name out of"),
    ("scenario A\nscope requests=1 mode=hasty\n", 2, 18, "write eager or lazy"),
    ("scenario A\nscope ring=99\n", 2, 7, "choose a value in that range"),
    ("scenario A\nscope requests=1 slots=2\n", 2, 7, "write slots=3 or more"),
    ("scenario A\nscope requests=1 requests=2\n", 2, 7, "write it once"),
    ("scenario A\nscope slots=5\nscope slots=6\n", 3, 1, "write one such line"),
    ("scenario A\ndesign merged-29729\n", 2, 8, "write merged-29792"),
    (HEAD + "device\ndesign merged-29792\n", 4, 1, "write it before the first command"),
    # Commands.
    (HEAD + "admitt r1 prompt 3\n", 3, 1, "write admit"),
    (
        HEAD + "launch r1\n",
        3,
        1,
        "write admit, prefill, prepare, device, process, finish, cut, abort, evict, move or regroup",
    ),
    (HEAD + "  device now\n", 3, 10, "the line ends before it"),
    (HEAD + "admit r3 prompt 3\n", 3, 7, "write r1 to r2, or a larger requests="),
    (HEAD + "admit A prompt 3\n", 3, 7, "write r1 to r2"),
    (HEAD + "admit r1\n", 3, 10, "write prompt"),
    (HEAD + "admit r1 length 3\n", 3, 10, "write prompt"),
    (HEAD + "admit r1 prompt\n", 3, 17, "a number from 1 to 6"),
    (HEAD + "admit r1 prompt three\n", 3, 17, "write a number from 1 to 6"),
    (HEAD + "admit r1 prompt 7\n", 3, 17, "outside 1..6"),
    (HEAD + "admit r1 prompt 3 text B\n", 3, 24, "write A, or a larger families="),
    (HEAD + "admit r1 prompt 3 at 4\n", 3, 19, "the command reads: admit r1 prompt 3 [text A] [taking slot 4]"),
    (HEAD + "admit r1 prompt 3 taking slot 6\n", 3, 31, "write a slot from 0 to 5, or a larger slots="),
    (HEAD + "admit r1 prompt 3 text A text A\n", 3, 26, "write it once"),
    (HEAD + "prefill r1 mark 2\n", 3, 12, "leave it out, or write interval=any"),
    (HEAD + "prepare r1 boundary r1\n", 3, 12, "leave it out, or write interval=any"),
    (HEAD + "prepare r1 r1\n", 3, 12, "write it once"),
    (HEAD + "prepare r1 no spare\n", 3, 12, "write mode=lazy"),
    (HEAD + "prepare r1 r4\n", 3, 12, "write r1 to r2"),
    (LAZY + "prepare r1 no slot\n", 3, 15, "write spare or replacement"),
    (LAZY + "prepare r1 no spare taking slot 1\n", 3, 21, "write it once"),
    (HEAD + "finish\n", 3, 8, "the name of a request"),
    (HEAD + "process order r2\n", 3, 15, "write some order of r1 r2"),
    (HEAD + "cut r1 to 3\n", 3, 5, "write that on the scope line"),
    (CUT + "cut r1 at 3\n", 3, 8, "write to"),
    (HEAD + "evict 3\n", 3, 7, "write slot"),
    (HEAD + "evict slot x\n", 3, 12, "write a slot from 0 to 5"),
    (HEAD + "refused:\n", 3, 10, "write admit"),
    # Expectations.
    (HEAD + "expect label r1 absent\n", 3, 1, "write a command before it"),
    (HEAD + "device\nexpect labels r1 absent\n", 4, 8, "write label"),
    (HEAD + "device\nexpect violation exact-labels\n", 4, 18, "write exact-label"),
    (HEAD + "device\nexpect violation\n", 4, 18, "the name of a property"),
    (HEAD + "device\nexpect label r1 none\n", 4, 17, "write a number from 1 to 6, or absent"),
    (HEAD + "device\nexpect next r1 2\n", 4, 16, "outside 0..1"),
    (HEAD + "device\nexpect keep r1 slot 9 at 2\n", 4, 21, "write a slot from 0 to 5"),
    (HEAD + "device\nexpect slot 3 contains A@2\n", 4, 15, "write holds, promised, free, owned or cached"),
    (HEAD + "device\nexpect slot three free\n", 4, 13, "write a number from 0 to 5"),
    (HEAD + "device\nexpect slot 3 holds A2\n", 4, 21, "write for example A@2"),
    (HEAD + "device\nexpect slot 3 holds B@2\n", 4, 21, "texts here are A"),
    (HEAD + "device\nexpect slot 3 holds A@9\n", 4, 21, "write 1 to 6"),
    (HEAD + "device\nexpect event r1 refuse\n", 4, 17, "write refused"),
]

DISABLED = [
    (HEAD + "device\n", 3, "prepare one first"),
    (HEAD + "process\n", 3, "prepare one first"),
    (HEAD + "prefill r1\n", 3, "admit it first"),
    (HEAD + "prepare r1\n", 3, "prefill it first, alone on its line"),
    (HEAD + "abort r1\n", 3, "admit it first"),
    (HEAD + "evict slot 0\n", 3, "name one that is"),
    (HEAD + RUNNING + "admit r1 prompt 3\n", 7, "use another name"),
    (HEAD + "admit r1 prompt 1\nadmit r2 prompt 1\nprepare r1 r2\n", 5, "alone on its line"),
    (HEAD + RUNNING + "prepare\nprepare\nprepare\n", 9, "process one first"),
    (HEAD + RUNNING + "prepare r1\nprocess\n", 8, "write `device` before"),
    (HEAD + RUNNING + "prepare\ndevice\nfinish r1\n", 9, "with a row in the oldest pending batch"),
    (CUT + RUNNING + "prepare r1\ndevice\ncut r1 to 3\n", 9, "what is kept is not shorter than the label"),
    (HEAD + RUNNING + "prepare r1\ndevice\nprocess no replacement\n", 9, "leave that clause out"),
    (HEAD + RUNNING + "prepare r1\ndevice\nprocess order r2 r1\n", 9, "the order matters only among several rows"),
    (HEAD + RUNNING + "prepare r1\nabort r1\nadmit r1 prompt 1\n", 9, "process them first"),
    (HEAD + "admit r1 prompt 1\nadmit r2 prompt 1\nabort r1\nadmit r1 prompt 1 taking slot 0\n", 6, "leave it out"),
    (HEAD.replace("slots=6", "slots=5") + "admit r1 prompt 1\nadmit r2 prompt 1\n", 4, "too few slots are free"),
    (HEAD.replace("nodes=1", "nodes=0") + "admit r1 prompt 2\nprefill r1\ndevice\nprocess\n", 6, "the cache is full"),
    (HEAD.replace("max_len=6", "max_len=1") + RUNNING + "prepare r1\n", 7, "write a larger max_len="),
    (ANY + "admit r1 prompt 3\nprefill r1 mark 4\n", 4, "write one beyond the cached prefix"),
    (ANY + RUNNING + "prepare boundary r1\n", 7, "name the request in the batch"),
    (ANY + "admit r1 prompt 3\nprefill r1 mark 3\nprepare r1 boundary r1\n", 5, "the gap rule forbids"),
    (HEAD + "admit r1 prompt 3\nprefill r1\ndevice\nprocess\nadmit r2 prompt 3\nevict slot 1\n", 7, "too few slots"),
    (
        HEAD.replace("slots=6", "slots=7")
        + "admit r1 prompt 3\nprefill r1\ndevice\nprocess\nadmit r2 prompt 3\nevict slot 1\n",
        8,
        "prefill that first",
    ),
]


def rejected(tmp_path, text):
    path = tmp_path / "script.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadScenario) as caught:
        play(read(path))
    assert caught.value.path == str(path)
    assert str(caught.value) == f"{path}:{caught.value.line}:{caught.value.column}: {caught.value.message}"
    return caught.value


@pytest.mark.parametrize(("text", "line", "column", "instead"), UNREADABLE, ids=[t[-40:] for t, *_ in UNREADABLE])
def test_a_script_that_cannot_be_read(tmp_path, text, line, column, instead):
    error = rejected(tmp_path, text)
    assert (error.line, error.column) == (line, column), error.message
    assert instead in error.message


@pytest.mark.parametrize(("text", "line", "instead"), DISABLED, ids=[t[-40:] for t, *_ in DISABLED])
def test_a_step_that_may_not_happen(tmp_path, text, line, instead):
    error = rejected(tmp_path, text)
    assert (error.line, error.column) == (line, 1), error.message
    assert "this step may not happen" in error.message
    assert instead in error.message
    assert error.so_far.startswith("scenario Small\n")


def test_the_guard_that_was_false_is_named(tmp_path):
    error = rejected(tmp_path, HEAD + "device\n")
    place = error.message.split("[")[-1].split(": ")[0]
    file, line = place.rsplit(":", 1)
    source = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1].strip()
    assert source.startswith("guard(s.written < s.pending, ")
    assert error.message.endswith(f"[{place}: guard(s.written < s.pending)]")


def test_a_choice_that_no_search_makes_is_refused(tmp_path):
    error = rejected(tmp_path, LAZY + RUNNING.replace("process", "process no replacement"))
    assert "leave that clause out" in error.message


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(BadScenario, match=r"missing\.txt:1:1: cannot read the file \(No such file or directory\)"):
        read(tmp_path / "missing.txt")
    (tmp_path / "bytes.txt").write_bytes(b"scenario \xff\n")
    with pytest.raises(BadScenario, match="it is not UTF-8 text"):
        read(tmp_path / "bytes.txt")


def guards_without_words(text):
    """Yield the line of each guard of a text that has no second argument."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "guard":
            if len(node.args) != 2:
                yield node.lineno


def test_every_guard_of_the_spec_says_why():
    assert list(guards_without_words("guard(a)\nguard(b, 'why')")) == [1]
    for path in sorted(SPEC.rglob("*.py")):
        assert not list(guards_without_words(path.read_text(encoding="utf-8"))), path


def test_a_guard_without_words_is_shown_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(Disabled, "__init__", lambda error, why: setattr(error, "why", ""))
    error = rejected(tmp_path, HEAD + "device\n")
    shown = "guard(s.written < s.pending)"
    assert re.search(
        rf"may not happen: {re.escape(shown)} \[spec/actions/device.py:\d+: {re.escape(shown)}\]", str(error)
    )


def test_every_form_that_the_help_shows_can_be_read(tmp_path):
    """The forms are examples: without their brackets, and with the first of several alternatives, they are scripts."""
    scope = "scenario A\nscope requests=2 slots=6 interval=any mode=lazy max_len=6 short_keys=on\n"
    path = tmp_path / "script.txt"
    for form in COMMANDS.values():
        bare = form.split(" | ")[0].replace("[", "").replace("]", "").replace("...", "")
        path.write_text(f"{scope}{bare}\n", encoding="utf-8")
        assert read(path).items
    for form in EXPECTATIONS.values():
        bare = form.split(" | ")[0].replace("[", "").replace("]", "").replace("...", "")
        path.write_text(f"{scope}device\n{bare}\n", encoding="utf-8")
        assert len(read(path).items) == 2
