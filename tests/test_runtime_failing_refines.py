"""Random runs on runtime and spec together in which the device fails now and then: a failure is a few aborts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.lockstep import machine
from checker.lockstep.lockstep import Failed
from runtime.engine import Engine
from runtime.pool import SlotPool
from spec.scope import Scope
from tests.failing_twin import FailingTwin

NUMBERS = st.tuples(st.integers(0, 127), st.integers(0, 15), st.integers(0, 15))


def drive(scope, drawn):
    """Take what is drawn, as far as it is possible; returns how many requests have failed."""
    run = machine.Run(scope)
    run.twin = FailingTwin(scope)
    failed = 0
    for rule, who, special in drawn:
        if rule % 3 == 2 and run.twin.can_fail():
            failed += len(run.twin.fail())
            continue
        enabled = run.enabled()
        run.take(machine._move(run.twin, enabled[rule % len(enabled)], who, special))
    run.finish()
    return failed


@given(scope=machine.scopes(), drawn=st.lists(NUMBERS, min_size=20, max_size=60))
def test_a_failure_is_an_abort_of_every_request_of_the_batch(scope, drawn):
    drive(scope, drawn)


EAGER = Scope(requests=3, slots=8, families=2, mode="eager", max_len=10)
LAZY = EAGER.replace(mode="lazy")


@pytest.mark.parametrize("scope", [EAGER, LAZY])
@pytest.mark.parametrize("behind", [0, 1])
def test_a_failure_with_a_batch_behind_it(scope, behind):
    twin = FailingTwin(scope)
    for name in (0, 1):
        twin.admit(name, name, 3)
        twin.prefill(name)
        twin.device()
        twin.process()
    twin.prepare([0])
    for _ in range(behind):
        twin.prepare([0, 1])
    assert twin.fail() == [0]
    assert twin.spoilt or not behind
    twin.admit(twin.unused()[0], 1, 5)
    for _ in range(behind):
        twin.device()
        twin.process()
    assert not twin.spoilt
    twin.prepare([1])
    twin.device()
    twin.process([1])
    twin.settle()


def leaves_one_behind(self, seat):
    if seat == 0:
        release(self, seat)


release = Engine._abort


def test_a_request_that_is_left_in_is_seen(monkeypatch):
    monkeypatch.setattr(Engine, "_abort", leaves_one_behind)
    with pytest.raises(Failed):
        both_fail()


def test_a_slot_that_leaves_quarantine_early_is_seen(monkeypatch):
    put_back = SlotPool.put_back
    monkeypatch.setattr(SlotPool, "put_back", lambda self, slots, after: put_back(self, slots, -1))
    with pytest.raises(Failed, match="in-flight: slot"):
        both_fail()


def both_fail():
    twin = FailingTwin(EAGER)
    for name in (0, 1):
        twin.admit(name, name, 3)
        twin.prefill(name)
        twin.device()
        twin.process()
    twin.prepare([0, 1])
    twin.prepare([0, 1])
    twin.fail()
