"""Covering a scope: every step is taken, a fault of the runtime is found, and what is left out is no pass."""

import math

import pytest

from checker.command.report import cover as report
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.lockstep.cover import cover, every
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.step import possible
from spec.scope import BadScope, Scope
from tests.faults import FAULTS

SMALL = "requests=1 slots=4 nodes=1 max_len=2 mode=eager"


@pytest.mark.parametrize("text", [SMALL, SMALL.replace("eager", "lazy")])
def test_a_small_scope_is_covered(text):
    covered = cover(Scope.parse(text), math.inf)
    assert covered.complete
    assert (covered.left, covered.found, report.exit_code(covered)) == (0, None, SHOWN)
    assert covered.steps > 2 * covered.states > 100
    # Every step is taken once, and those on the way again.
    assert covered.coverage.steps > covered.steps
    assert report.data(covered)["complete"]
    assert any(line.startswith("complete:") for line in report.lines(covered))


def test_every_step_that_is_listed_can_be_taken():
    lockstep = Lockstep(Scope.parse(SMALL))
    for _ in range(12):
        steps = list(every(lockstep))
        assert len({str(step) for step in steps}) == len(steps)
        assert all(possible(lockstep, step) for step in steps)
        steps[-1 if len(lockstep.spec.states) % 2 else 0].perform(lockstep)


def test_what_is_left_out_is_no_pass():
    covered = cover(Scope.parse(SMALL), 0.05)
    assert not covered.complete
    assert report.exit_code(covered) == INCONCLUSIVE


def test_without_a_step_nothing_is_shown():
    covered = cover(Scope.parse(SMALL), 0.0)
    assert (covered.steps, covered.complete) == (0, False)


@pytest.mark.parametrize("name", ["label-without-write", "record-kept-next", "freed-in-flight"])
def test_a_fault_is_found(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fault = next(fault for fault in FAULTS if fault.name == name)
    with fault.planted():
        covered = cover(Scope.parse(SMALL.replace("max_len=2", "max_len=3")), 90)
    assert covered.found
    assert report.exit_code(covered) == VIOLATED
    assert any("slotproof replay" in line for line in report.lines(covered))


def test_a_scope_that_no_runtime_has_is_refused():
    with pytest.raises(BadScope):
        cover(Scope.parse("requests=1 slots=4 interval=any"), 1)
