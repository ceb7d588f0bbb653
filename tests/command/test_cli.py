"""The command line: exit codes, one clear sentence for bad input, JSON, and design files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT, TRACES

SMALL = "requests=1 slots=5 nodes=2 max_len=6"


def slotproof(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "checker", *words], cwd=cwd, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("explore", "--scope", "requests=1 slots=4"), 0),
        (("explore", "--scope", SMALL, "--design", "merged-29792"), 1),
        (("explore", "--scope", SMALL, "--max-states", "100"), 3),
        (("explore", "--scope", "requests=1 slots=4 max_len=1"), 1),
        (("play", "tests/scenarios/the-whole-story.txt"), 0),
        (("play", "tests/scenarios/the-whole-story.txt", "--design", "merged-29792"), 1),
        (("judge", str(TRACES / "sglang-0.5.23-eager-p12-n20-b5-good.ndjson")), 0),
        (("judge", str(TRACES / "sglang-0.5.23-eager-p9-n15-b7-bad.ndjson")), 1),
        (("judge", str(TRACES / "sglang-0.5.23-lazy-p9-n15-b7-good.ndjson"), "--design", "before-29792"), 1),
    ],
)
def test_exit_codes(words: tuple[str, ...], code: int) -> None:
    done = slotproof(*words)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explore", "--scope", "requests=1 slots=2"), "slots=3 or more"),
        (("explore", "--scope", "slots=four"), "slots=2"),
        (("explore", "--scope", f"interval={1 << 63}"), "or any"),
        (("explore", "--scope", "colour=4"), "write name=value with a name out of"),
        (("explore", "--scope", "slots=5 slots=5"), "given twice"),
        (("explore", "--scope", "mode=sleepy"), "eager or lazy"),
        (("explore", "--scope", "requests=9 slots=40"), "name fewer requests"),
        (("explore", "--design", "mine"), "or the path of a .py file"),
        (("explore", "--design", "missing.py"), "no such Python file"),
        (("explore", "--model", "tests/support/yardstick.py", "--set", "Q=3"), "write NAME=NUMBER with a name out of"),
        (("explore", "--symmetry", "some"), "full, none or auto"),
        (("mutants", "--sample", "0"), "write a number from 1 on"),
        (("explore", "--property", "exact-labels"), "exact-label"),
        (("explain", "cafecafe"), "no counterexample"),
        (("judge", "no-such-trace.ndjson"), "cannot be read"),
        (("play", "no-such-scenario.txt"), "no-such-scenario.txt"),
        (("fuzz", "--time", "soon"), "such as 30s"),
        (("replay", "tests/scenarios/merged-29792-eager.txt"), "played by design"),
        (("explore", "--model", "tests/support/yardstick.py", "--scope", "slots=5"), "write --set NAME=NUMBER"),
        (("explore", "--model", "tests/support/yardstick.py", "--design", "merged-29792"), "leave one of the two out"),
        (("explore", "--set", "R=3"), "add --model FILE"),
        (("bmc", "--set", "R=3"), "add --model FILE"),
        (("judge", "x.ndjson", "--without-spare", "skip"), "add --design NAME"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words: tuple[str, ...], said: str) -> None:
    done = slotproof(*words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_trace_that_cannot_be_judged_does_not_keep_the_others_from_being_judged() -> None:
    good, bad = (str(TRACES / f"sglang-0.5.23-eager-{rest}.ndjson") for rest in ("p12-n20-b5-good", "p9-n15-b7-bad"))
    done = slotproof("judge", "nowhere.ndjson", good, bad)
    assert done.returncode == 2
    assert done.stderr == "slotproof: nowhere.ndjson:0: the file cannot be read: No such file or directory\n"
    assert "p12-n20-b5-good" in done.stdout
    assert "p9-n15-b7-bad" in done.stdout
    told = json.loads(slotproof("judge", "nowhere.ndjson", good, bad, "--json").stdout)
    assert [one["code"] for one in told] == [2, 0, 1]


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "--max-states", "0"),
        ("explore", "--max-seconds", "-1"),
        ("explore", "--max-seconds", "nan"),
        ("bmc", "--max-seconds", "0"),
        ("bmc", "--depth", "0"),
        ("repair", "merged-29792", "--max-seconds", "0"),
        ("mutants", "--sample", "0"),
    ],
    ids=" ".join,
)
def test_a_limit_under_which_nothing_can_be_done_is_refused(words: tuple[str, ...]) -> None:
    done = slotproof(*words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words[-2] in done.stderr
    assert done.stdout == ""


def test_the_version_is_printed() -> None:
    done = slotproof("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("slotproof")


def test_json_is_for_machines() -> None:
    done = slotproof("explore", "--scope", SMALL, "--design", "merged-29792", "--all", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert told["status"] == "violated"
    assert told["violated"]["ring-apart"] == 9
    assert told["complete"]
    assert len(told["steps"]["exact-label"]) == told["violated"]["exact-label"] == 11


def test_a_failing_run_ends_with_the_line_that_reproduces_it(tmp_path: Path) -> None:
    first = slotproof("explore", "--scope", SMALL, "--design", "merged-29792", "--property", "exact-label")
    line = first.stdout.strip().splitlines()[-1].removeprefix("Again: ")
    assert line.startswith("slotproof explore --design merged-29792")
    identity = next(word for word in first.stdout.split() if len(word) == 8 and set(word) <= set("0123456789abcdef"))
    story = slotproof("explain", identity)
    assert story.returncode == 1
    assert story.stdout.strip().splitlines()[-1].startswith("Again: slotproof explore --design merged-29792")


DESIGN = '''
from spec.design import Design
from spec.state import Request, Row

class Mine(Design):
    """Flips when the result is processed."""

    summary = "flips when the result is processed"

    def flips_at_preparation(self, row: Row) -> bool:
        return False

    def flips_at_processing(self, me: Request, row: Row, lookahead: int) -> bool:
        return row.mark != -1
'''


def test_a_design_of_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DESIGN)
    done = slotproof("explore", "--scope", "requests=1 slots=5 nodes=2 interval=1 max_len=6", "--design", str(file))
    assert done.returncode == 1
    assert "violated:" in done.stdout
    assert str(file) in done.stdout.strip().splitlines()[-1]


def test_a_design_outside_the_subset_says_what_to_write(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(DESIGN.replace("        return False", "        while True:\n            pass"))
    done = slotproof("explore", "--scope", SMALL, "--design", str(file))
    assert done.returncode == 2
    assert "odd.py:11" in done.stderr
    assert "for ... in range(n)" in done.stderr


def test_a_design_that_breaks_when_imported(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("import nothing_of_that_name\n")
    done = slotproof("explore", "--design", str(file))
    assert done.returncode == 2
    assert "ModuleNotFoundError" in done.stderr


BOUNDARY = "    event.boundary = row.mark != ABSENT\n"
LABEL_BY_LENGTH = "    if row.seq_len % 2 == 0:\n        me.last_len = row.seq_len\n"
FLIP = "    if flips:\n"
GUARDED = "if me.ring[position] != ABSENT:\n            give_back"
GATE = "return not claims(s, request, slot)"
WRONG = [
    ("spec/design.py", GATE, "return True", "mode=lazy", "exact-label"),
    ("spec/ring.py", FLIP, "    me.next = following(scope, me.next)\n" + FLIP, "", "flip-once"),
    ("spec/slots.py", GUARDED, "if True:\n            give_back", "mode=lazy", "one-owner"),
    ("spec/design.py", "        return row.mark\n", "        return me.seq_len\n", "", "batch-local"),
    (
        "spec/actions/results.py",
        BOUNDARY,
        BOUNDARY + LABEL_BY_LENGTH,
        "mode=lazy without_spare=skip",
        "written-before-donated",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "words", "caught_by"), WRONG, ids=[wrong[4] for wrong in WRONG])
def test_a_wrong_edit_of_the_spec_is_named_and_told(
    tmp_path: Path, file: str, old: str, new: str, words: str, caught_by: str
) -> None:
    for room in ("spec", "checker"):
        shutil.copytree(ROOT / room, tmp_path / room)
    text = (tmp_path / file).read_text()
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new))
    done = slotproof("explore", "--scope", f"{SMALL} {words}", "--property", caught_by, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{caught_by} is violated" in done.stdout
    assert "The condition that broke it" in done.stdout
    assert done.stdout.strip().splitlines()[-1].startswith("Again: slotproof explore")
