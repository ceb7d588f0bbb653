"""A limit of time is kept by every command that has one, and work that nobody sees on a terminal says what it does."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import z3

from checker.command import console
from checker.command.report import proof as proof_report
from checker.command.report import ring as ring_report
from checker.deadline import Deadline, TimeIsUp
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.matrix import Proof, Proven, prove, unneeded
from checker.proof.ring_search import ring_table
from checker.proof.solver import solver
from checker.search.audit import TRIES, Audit
from checker.search.check import Check
from checker.search.exploration import Exploration, Limits
from checker.search.perform import run
from tests.support.paths import ROOT, YARDSTICK_FILE

HUGE = "requests=4 slots=12 lookahead=3 ring=4 nodes=4 max_len=8"
SPARE = 10.0
"""Seconds beyond the limit that a command gets here: starting Python on a busy machine is most of it."""


def forever() -> None:
    while True:
        pass


def forever_not() -> None:
    pass


def hard_question() -> None:
    numbers = [z3.BitVec(f"hard{place}", 64) for place in range(4)]
    asked = solver()
    a, b, c, d = numbers
    asked.add(a * b * c == 0x1234567890ABCDEF, a > 1, b > 1, c > b, d * d * d == a * b + 3, a * d == b * c * 7 + 1)
    asked.check()


@pytest.mark.parametrize("work", [forever, hard_question, lambda: threading.Event().wait(0.05) or forever()])
def test_whatever_is_at_work_is_stopped(work) -> None:
    started = time.monotonic()
    with Deadline(0.2) as clock:
        work()
    assert clock.cut
    assert time.monotonic() - started < 5


def test_what_comes_after_a_limit_of_time_is_asked_of_a_solver_that_has_forgotten_it() -> None:
    number = z3.Int("number")
    with Deadline(0.05) as clock:
        while True:
            time.sleep(0.001)
    assert clock.cut
    assert z3.is_true(z3.simplify(number + 0 == number)), "an interrupted solver simplifies nothing"


def test_work_that_ends_in_time_is_not_cut_and_its_errors_are_its_own() -> None:
    with Deadline(100) as clock:
        pass
    assert not clock.cut
    with pytest.raises(ValueError), Deadline(100) as clock:
        raise ValueError
    assert not clock.cut
    with Deadline(None) as clock:
        pass
    assert (clock.cut, clock.over, clock.left, clock.at_most(5)) == (False, False, None, 5)


def test_an_inner_limit_leaves_the_outer_one_alone() -> None:
    after = 0
    with Deadline(1.5) as outer:
        with Deadline(0.1) as inner:
            forever()
        after += 1
        assert inner.cut
        forever()
    assert (outer.cut, after) == (True, 1)


def test_an_error_that_is_caught_by_what_is_called_is_not_the_end_of_the_time() -> None:
    assert not issubclass(TimeIsUp, Exception)


def test_leaving_in_the_nick_of_time_leaves_nothing_behind() -> None:
    # The tracer is what makes Python 3.11 wait for ever for an exception that was called back.
    seen = []
    for _ in range(5):
        with Deadline(0.001) as clock:
            while not clock.over:
                pass
            time.sleep(0.301)
    sys.settrace(lambda *event: seen.append(event) and None)
    try:
        forever_not()
    finally:
        sys.settrace(None)
    assert seen


def test_a_model_that_takes_for_ever_to_be_read_is_cut(tmp_path: Path) -> None:
    text = YARDSTICK_FILE.read_text().replace("    return State(\n", "    while True: pass\n    State(\n")
    (tmp_path / "endless.py").write_text(text)
    outcome = run(Check("", model=str(tmp_path / "endless.py"), limits=Limits(seconds=0.3)))
    assert (outcome.status, outcome.exploration.complete) == ("cut short", False)
    assert "before the search began" in outcome.exploration.cut


def test_a_proof_that_is_cut_is_none() -> None:
    result = prove(Proof("cut", "requests=1 slots=5 nodes=5 interval=any others=on", ends=time.monotonic() + 0.1))
    assert (result.complete, result.holds) == (False, False)
    assert proof_report.exit_code([result]) == INCONCLUSIVE
    whole = Proven(Proof("whole", "", needs=True), "", complete=True, lemmas=["one"], audit=Audit(TRIES))
    assert unneeded([whole]) == ["one"]
    assert proof_report.exit_code([whole]) == VIOLATED
    whole.needed["one"] = "something"
    assert proof_report.exit_code([whole]) == SHOWN
    # As long as one has not been shown to the end, nobody knows what is needed.
    assert unneeded([whole, Proven(Proof("cut", "", needs=True), "", lemmas=["two"])]) == []


def test_a_table_of_ring_sizes_that_is_cut_claims_nothing() -> None:
    table = ring_table([0], [1], proved_to=0, workers=1, seconds=0.001)
    assert ring_report.exit_code(table) == INCONCLUSIVE
    assert all(ring_report.cell_code(cell) == INCONCLUSIVE for cells in table.values() for cell in cells.values())


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "--scope", HUGE),
        ("bmc", "--scope", "requests=2 lookahead=2"),
        ("repair", "merged-29792"),
        ("prove",),
        ("prove", "--ring"),
        pytest.param(("prove", "--design", "merged-29792"), marks=pytest.mark.slow),
        pytest.param(("explore", "--scope", "requests=2 slots=6 nodes=2 families=2 max_len=6"), marks=pytest.mark.slow),
        pytest.param(("bmc", "--scope", "requests=1 slots=5 nodes=2", "--depth", "40"), marks=pytest.mark.slow),
        pytest.param(("repair", "before-29792", "--mode", "lazy"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_every_command_ends_in_time(words: tuple[str, ...], tmp_path: Path) -> None:
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "checker", *words, "--max-seconds", "1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stderr == "" or "in the middle of a step" in done.stderr
    assert time.monotonic() - started < 1 + SPARE


def test_where_nothing_else_helps_the_process_is_ended() -> None:
    text = (
        "import time\nfrom checker.deadline import Deadline, TimeIsUp\n"
        "with Deadline(0.1, last_resort=True):\n"
        "    while True:\n        try:\n            time.sleep(1)\n        except TimeIsUp:\n            pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == INCONCLUSIVE
    assert done.stderr == "slotproof: 0.1 s used up, in the middle of a step that cannot be divided\n"


def test_work_without_a_terminal_says_what_it_does(monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    monkeypatch.setattr(console, "EVERY", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with console.Progress() as progress:
        progress.note("reading")
        time.sleep(0.2)
        progress(Exploration(states=1200, transitions=3400, depth=7), 100)
        time.sleep(0.2)
    said = capfd.readouterr().err
    time.sleep(0.2)
    assert "s: reading\n" in said
    assert "s: depth 7: 1,200 states, 3,400 transitions, " in said
    assert " states/s\n" in said
    assert capfd.readouterr().err == ""


def test_a_short_run_without_a_terminal_says_nothing(capfd) -> None:
    with console.Progress() as progress:
        progress.note("reading")
    assert capfd.readouterr().err == ""
    assert console.EVERY <= 10
    assert not math.isinf(console.EVERY)
