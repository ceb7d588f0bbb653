"""Failing runs made shorter: steps that are not needed go, and what still fails is a failing run of its own."""

import pytest

from checker.lockstep.machine import Run
from checker.lockstep.shrink import (
    MOST_NAMES,
    _elsewhere,
    _without_batch,
    _without_request,
    failing,
    shorten,
    told_to_run,
)
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
        assert len(run.moves) > 12
        assert len(short.moves) <= 8
        assert short.failed.name == run.failed.name
        assert failing(short.scope, short.moves).failed.detail == short.failed.detail
        assert short.scope.slots < SCOPE.slots


def test_a_run_that_holds_is_none():
    assert failing(SCOPE, LONG) is None
    assert failing(SCOPE.replace(interval=0), LONG) is None


def test_what_has_become_impossible_is_left_out():
    with CLEAR_LOST.planted():
        without = failing(SCOPE, [DrawnStep("abort", 1), DrawnStep("device"), DrawnStep("process"), *LONG])
        assert [str(move) for move in without.moves] == [str(move) for move in failing(SCOPE, LONG).moves]


def test_no_time_leaves_the_run_as_it_is():
    with CLEAR_LOST.planted():
        run = failing(SCOPE, LONG)
        assert shorten(run, 0).moves == run.moves


def test_what_the_device_raises_at_the_end_is_a_failure():
    run = Run(SCOPE, Simulated())
    run.take(LONG[0])
    run.take(LONG[1])
    run.twin.engine.model.absorb = None
    with pytest.raises(Exception, match="error TypeError"):
        run.finish()
    assert [move.action for move in run.moves] == ["admit", "prefill", "device"]
    run.close()


def test_a_request_or_a_batch_is_left_out_as_a_whole():
    moves = [*first(0, 3), *first(1, 3), *batch(0, 1), DrawnStep("abort", 0), *first(0, 2)]
    without = _without_request(moves, 0)
    assert [str(move) for move in without if move.action in ("admit", "prepare")] == [
        "admit r2 prompt 3 text B",
        "prepare r2",
        "admit r1 prompt 2 text A",
    ]
    assert not any(move.action == "abort" for move in without)
    assert _without_request(moves, 3) is None
    assert [move.action for move in _without_batch(moves, 0)] == ["admit"] + [move.action for move in moves[4:]]
    assert _without_batch(moves, 4) is None


def test_a_run_on_a_thread_is_told_when_the_device_runs():
    assert [move.action for move in told_to_run([DrawnStep("prepare"), DrawnStep("process")])] == [
        "prepare",
        "device",
        "process",
    ]


@pytest.mark.parametrize("admitted", [MOST_NAMES, MOST_NAMES + 1])
def test_no_run_is_given_more_names_than_a_timeline_can_be_told_with(admitted):
    run = Run(SCOPE, Simulated())
    run.moves = [DrawnStep("admit", 0, 0, 1)] * admitted
    assert any(scope.requests == admitted for scope, _ in _elsewhere(run)) == (admitted == MOST_NAMES)
