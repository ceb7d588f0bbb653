"""Files with mistakes in them: whatever they are, the command ends in time, blames the file, and never itself."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from checker.command import cli
from tests.support.broken_files import broken
from tests.support.paths import YARDSTICK_FILE

COUNTER = '''
from dataclasses import dataclass
from typing import Annotated

from spec.language import Id, Per, Range, Vector, action, always, copy, guard, record, require, sometimes, step


@dataclass(frozen=True)
class Scope:
    cells: int = 2
    high: int = 2


@record
class Cell:
    value: Annotated[int, Range(0, "high")]
    full: bool


@record
class State:
    cells: Annotated[Vector[Cell], Per("cells")]
    newest: Annotated[int, Id("cells")]


def init(scope):
    return State(Vector(Cell(0, False) for _ in range(scope.cells)), -1)


def some_cell(scope):
    return range(scope.cells)


def total(s):
    return sum(cell.value for cell in s.cells)


@action(cell=some_cell, by=lambda scope: (1, 2))
def add(s, scope, cell, by):
    """Add to a cell."""
    guard(s.cells[cell].value + by <= scope.high)
    s.cells[cell].value += by
    if s.cells[cell].value == scope.high:
        s.cells[cell].full = True
    s.newest = cell


@action()
def clear(s, scope):
    """Empty all cells."""
    guard(any(cell.full for cell in s.cells))
    require(total(s) > 0, "not-empty")
    for number, cell in enumerate(s.cells):
        if cell.full:
            s.cells[number] = Cell(0, False)
    s.newest = -1


@always()
def bounded(s, scope):
    """No more than fits."""
    return total(s) <= scope.cells * scope.high


@step()
def monotonic(before, after, scope):
    """Grows, or is emptied."""
    return total(after) > total(before) or after.newest == -1


@sometimes()
def all_full(before, after, scope):
    """All cells get full."""
    return all(cell.full for cell in after.cells)


actions = (add, clear)
properties = (bounded, monotonic, all_full)
symmetric = ("cells",)
'''

MINE = '''
from spec.design import Design
from spec.language import ABSENT
from spec.rows import claims


class Mine(Design):
    """Flips late, and asks its own gate."""

    summary = "flips late"

    def __init__(self, scope):
        super().__init__(scope)

    def flips_at_preparation(self, row):
        return False

    def flips_at_processing(self, me, row, lookahead):
        return row.mark != ABSENT and lookahead >= 0

    def may_publish(self, s, request, slot):
        for batch in s.batches:
            if batch.rows[request].present and batch.rows[request].slot == slot:
                return False
        return not claims(s, request, slot)
'''

YARDSTICK = YARDSTICK_FILE.read_text(encoding="utf-8")
SCRIPT = """scenario One request lives and ends
scope requests=1 slots=5 nodes=2 mode=eager max_len=6

admit r1 prompt 3
prepare r1
device
process
prepare r1
prepare r1
device
device
process
finish r1
"""
KINDS = {
    "counter": (COUNTER, ("explore", "--max-states", "200", "--max-seconds", "20", "--model")),
    "yardstick": (YARDSTICK, ("explore", "--max-states", "100", "--max-seconds", "20", "--model")),
    "bmc": (COUNTER, ("bmc", "--depth", "3", "--max-seconds", "20", "--model")),
    "played": (MINE, ("play", "script.txt", "--design")),
    "searched": (
        MINE,
        ("explore", "--scope", "requests=1 slots=4", "--max-states", "200", "--max-seconds", "20", "--design"),
    ),
}
"""For each kind of file the text that works, and the command that takes it."""


@pytest.fixture(autouse=True)
def in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.txt").write_text(SCRIPT)
    monkeypatch.setattr("checker.deadline.LAST_RESORT", math.inf)


def judged(file: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command on a file in this process; what it says where it refuses the file."""
    code = cli.run([*words, str(file)])
    return code, capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_that_are_broken_below_work(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, words = KINDS[kind]
    file = tmp_path / f"whole_{kind}.py"
    file.write_text(text)
    code, said = judged(file, words, capsys)
    assert code in (0, 1, 3), said


def check_broken(kind: str, seeds: range, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, words = KINDS[kind]
    wrong = []
    for seed in seeds:
        new, changes = broken(text, seed)
        # A name that Python's caches have not seen.
        file = folder / f"broken_{kind}_{seed}.py"
        file.write_text(new)
        code, said = judged(file, words, capsys)
        if code not in (0, 1, 2, 3) or (code == 2 and not any(name in said for name in (file.name, "script.txt:"))):
            wrong.append(f"{kind} {seed} ({changes}): {code}: {said.strip()[-600:]}")
    assert not wrong, "\n\n".join(wrong)


SOME = {"counter": 70, "yardstick": 25, "bmc": 15, "played": 30, "searched": 10}
ALL = {"counter": 450, "yardstick": 200, "bmc": 100, "played": 200, "searched": 50}


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_blamed(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_broken(kind, range(SOME[kind]), tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_broken_files_are_blamed(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_broken(kind, range(1000, 1000 + ALL[kind]), tmp_path, capsys)
