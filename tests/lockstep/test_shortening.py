"""Failing runs made shorter: steps that are not needed go, and what still fails is a failing run of its own."""

import pytest

from checker.lockstep.cuts import without_batch, without_request
from checker.lockstep.run import Run
from checker.lockstep.shorter import MOST_NAMES, elsewhere
from checker.lockstep.shrink import failing, for_a_simulated_device, shorten
from checker.lockstep.step import DrawnStep
from runtime.streams import Simulated
from spec.scope import Scope
from tests.faults import FAULTS

SCOPE = Scope(requests=2, slots=8, nodes=1, families=2, mode="eager", max_len=8)
CLEAR_LOST = next(fault for fault in FAULTS if fault.name == "clear-lost")


def batch(*names):
    return [DrawnStep("prepare", names=names), DrawnStep("device"), DrawnStep("process")]


def first(name, prompt):
    return [
        DrawnStep("admit", name, name, prompt),
        DrawnStep("prefill", name),
        DrawnStep("device"),
        DrawnStep("process"),
    ]


LONG = [
    *first(0, 3),
    *batch(0),
    *batch(0),
    *batch(),
    DrawnStep("abort", 0),
    *first(1, 3),
    *batch(1),
    DrawnStep("abort", 1),
]
"""A slot is worked in and given back, and worked in again."""


def test_a_long_run_is_made_short():
    with CLEAR_LOST.planted():
        run = failing(SCOPE, LONG)
        short = shorten(run, 60)
        assert len(run.steps) > 12
        assert len(short.steps) <= 8
        assert short.failed.name == run.failed.name
        assert failing(short.scope, short.steps).failed.detail == short.failed.detail
        assert short.scope.slots < SCOPE.slots


def test_a_run_that_holds_is_none():
    assert failing(SCOPE, LONG) is None
    assert failing(SCOPE.replace(interval=0), LONG) is None


def test_what_has_become_impossible_is_left_out():
    with CLEAR_LOST.planted():
        without = failing(SCOPE, [DrawnStep("abort", 1), DrawnStep("device"), DrawnStep("process"), *LONG])
        assert [str(step) for step in without.steps] == [str(step) for step in failing(SCOPE, LONG).steps]


def test_no_time_leaves_the_run_as_it_is():
    with CLEAR_LOST.planted():
        run = failing(SCOPE, LONG)
        assert shorten(run, 0).steps == run.steps


def test_what_the_device_raises_at_the_end_is_a_failure():
    run = Run(SCOPE, Simulated())
    run.take(LONG[0])
    run.take(LONG[1])
    run.lockstep.engine.model.absorb = None
    with pytest.raises(Exception, match="error TypeError"):
        run.finish()
    assert [step.action for step in run.steps] == ["admit", "prefill", "device"]
    run.close()


def test_a_request_or_a_batch_is_left_out_as_a_whole():
    steps = [*first(0, 3), *first(1, 3), *batch(0, 1), DrawnStep("abort", 0), *first(0, 2)]
    without = without_request(steps, 0)
    assert [str(step) for step in without if step.action in ("admit", "prepare")] == [
        "admit r2 prompt 3 text B",
        "prepare r2",
        "admit r1 prompt 2 text A",
    ]
    assert not any(step.action == "abort" for step in without)
    assert without_request(steps, 3) is None
    assert [step.action for step in without_batch(steps, 0)] == ["admit"] + [step.action for step in steps[4:]]
    assert without_batch(steps, 4) is None


def test_a_run_on_a_thread_is_told_when_the_device_runs():
    assert [step.action for step in for_a_simulated_device([DrawnStep("prepare"), DrawnStep("process")])] == [
        "prepare",
        "device",
        "process",
    ]


@pytest.mark.parametrize("admitted", [MOST_NAMES, MOST_NAMES + 1])
def test_no_run_is_given_more_names_than_a_timeline_can_be_told_with(admitted):
    run = Run(SCOPE, Simulated())
    run.steps = [DrawnStep("admit", 0, 0, 1)] * admitted
    assert any(scope.requests == admitted for scope, _ in elsewhere(run)) == (admitted == MOST_NAMES)
