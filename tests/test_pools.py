"""Work in processes: results as they come, and an end at once when somebody has had enough."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.workers import spread
from tests.support.paths import ROOT


def test_results_are_the_same_with_and_without_processes() -> None:
    assert sorted(spread(abs, [-1, -2, -3], 2)) == sorted(spread(abs, [-1, -2, -3], 1)) == [1, 2, 3]


def test_a_caller_that_takes_no_more_ends_the_workers() -> None:
    started = time.monotonic()
    results = spread(time.sleep, [0, *[60] * 5], 2)
    assert next(results) is None
    results.close()
    assert time.monotonic() - started < 30
    assert not multiprocessing.active_children()


def test_an_error_of_the_work_ends_the_workers_and_is_raised() -> None:
    started = time.monotonic()
    with pytest.raises(ValueError, match="non-negative"):
        list(spread(time.sleep, [60, -1, 60], 2))
    assert time.monotonic() - started < 30
    assert not multiprocessing.active_children()


def children_of(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def family(process: int) -> list[int]:
    return [process, *(one for child in children_of(process) for one in family(child))]


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="processes are listed on Linux"
)
@pytest.mark.parametrize("wait", [0.0, 3.0], ids=["while the workers start", "while they work"])
@pytest.mark.parametrize(
    "words",
    [
        ("prove", "--ring"),
        ("fuzz", "--time", "10m"),
        ("bmc", "--scope", "requests=2 slots=8 nodes=3 max_len=8", "--depth", "60"),
    ],
    ids=lambda words: words[0],
)
def test_ctrl_c_ends_a_command_and_its_workers_without_a_word(words: tuple[str, ...], wait: float) -> None:
    command = [sys.executable, "-m", "checker", *words]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        until = time.monotonic() + 60
        while words[0] != "bmc" and len(family(process.pid)) < 4 and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(wait + 4 * (words[0] == "bmc"))
        members = family(process.pid)
        # As a terminal does it: everybody in the group gets the signal.
        os.killpg(process.pid, signal.SIGINT)
        try:
            _out, err = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "Error" not in err
    time.sleep(0.2)
    assert not [member for member in members if alive(member)]


SOLVER = """
import z3
from checker.proof.solver import solver
asked = solver()
at = [[z3.Bool(f"pigeon {pigeon} in {hole}") for hole in range(12)] for pigeon in range(13)]
asked.add(*[z3.Or(places) for places in at])
asked.add(*[z3.Or(z3.Not(a[hole]), z3.Not(b[hole])) for hole in range(12) for a in at for b in at if a is not b])
print("ready", flush=True)
print(asked.check())
"""
DESTRUCTOR = """
import time
class Slow:
    def __del__(self):
        print("ready", flush=True)
        time.sleep(60)
Slow()
"""


@pytest.mark.parametrize("busy", [SOLVER, DESTRUCTOR], ids=["in the solver", "in a destructor"])
def test_ctrl_c_ends_what_python_does_not_interrupt(busy: str) -> None:
    code = f"from checker.command.interrupts import end_at_ctrl_c\nend_at_ctrl_c()\n{busy}"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=10) == ("", "")
        finally:
            process.kill()
    assert process.returncode == 130


def test_one_worker_is_renewed_too() -> None:
    processes = list(spread(own_number, range(3), workers=1, renewed_after=1))
    assert len(set(processes)) == 3
    assert os.getpid() not in processes


def own_number(_: int) -> int:
    return os.getpid()
