"""Random runs on runtime and spec together in which the device fails now and then: a failure is a few aborts."""

from random import Random

import pytest

from checker.lockstep import enabled
from checker.lockstep.failure import Failed
from checker.lockstep.machine import scope_of, take_one
from checker.lockstep.mix import Mix
from checker.lockstep.run import Run
from runtime.engine import Engine
from runtime.pool import SlotPool
from spec.scope import Scope
from tests.support.failing_lockstep import FailingLockstep

RUNS = 25
STEPS = 60


def drive(rng):
    """Draw a run in which the device fails now and then.

    Returns how many requests have failed in each of its failures, and in how many of these more was in flight.
    """
    run = Run(scope_of(rng), looks=False)
    run.lockstep = FailingLockstep(run.scope)
    mix, failed, behind = Mix(rng), [], 0
    for _ in range(STEPS):
        if run.lockstep.can_fail() and rng.randrange(6) == 0:
            behind += len(run.lockstep.engine.pending) > 1
            failed.append(len(run.lockstep.fail()))
        else:
            take_one(rng, run, mix)
    run.finish()
    return failed, behind


@pytest.mark.parametrize("seed", range(8))
def test_a_failure_is_an_abort_of_every_request_of_the_batch(seed):
    drawn = [drive(Random(f"{seed} {number}")) for number in range(RUNS)]
    assert {0, 1, 2} <= {many for failed, _ in drawn for many in failed}, "whose requests had left, and of several"
    assert sum(behind for _, behind in drawn) > RUNS / 5


EAGER = Scope(requests=3, slots=8, families=2, mode="eager", max_len=10)
LAZY = EAGER.replace(mode="lazy")


@pytest.mark.parametrize("scope", [EAGER, LAZY])
@pytest.mark.parametrize("behind", [0, 1])
def test_a_failure_with_a_batch_behind_it(scope, behind):
    lockstep = FailingLockstep(scope)
    for name in (0, 1):
        lockstep.admit(name, name, 3)
        lockstep.prefill(name)
        lockstep.device()
        lockstep.process()
    lockstep.prepare([0])
    for _ in range(behind):
        lockstep.prepare([0, 1])
    assert lockstep.fail() == [0]
    assert lockstep.spoilt or not behind
    lockstep.admit(enabled.unused(lockstep)[0], 1, 5)
    for _ in range(behind):
        lockstep.device()
        lockstep.process()
    assert not lockstep.spoilt
    lockstep.prepare([1])
    lockstep.device()
    lockstep.process([1])
    lockstep.drain()


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
    lockstep = FailingLockstep(EAGER)
    for name in (0, 1):
        lockstep.admit(name, name, 3)
        lockstep.prefill(name)
        lockstep.device()
        lockstep.process()
    lockstep.prepare([0, 1])
    lockstep.prepare([0, 1])
    lockstep.fail()
