"""What is likely now: situations change weights, and what a run never does stays out of it."""

from random import Random

from checker.lockstep.lockstep import Lockstep
from checker.lockstep.mix import ACTIONS, ALWAYS, CROWD, Mix
from spec.scope import Scope

SCOPE = Scope(requests=3, slots=12, mode="eager", max_len=6)


def cached():
    """A lockstep of which one entry is cached and nobody is there."""
    lockstep = Lockstep(SCOPE)
    lockstep.admit(0, 0, 2)
    lockstep.prefill(0)
    lockstep.device()
    lockstep.process([0])
    return lockstep


def mix_of(situations, **weights):
    mix = Mix(Random(0))
    mix.weights = dict.fromkeys(ACTIONS, 8) | weights
    mix.situations = situations
    return mix


def test_an_entry_that_is_locked_draws_others_to_share_it_and_then_one_of_them_away():
    lockstep, mix = cached(), mix_of(CROWD)
    assert mix.now(lockstep) == mix.weights
    lockstep.admit(0, 0, 3)
    assert mix.now(lockstep) | {"admit": 0, "prefill": 0, "abort": 0} == mix.weights | {
        "admit": 0,
        "prefill": 0,
        "abort": 0,
    }
    assert (mix.now(lockstep)["admit"], mix.now(lockstep)["prefill"], mix.now(lockstep)["abort"]) == (32, 1, 16)
    lockstep.admit(1, 0, 3)
    assert (mix.now(lockstep)["prefill"], mix.now(lockstep)["abort"]) == (4, 128)


def test_what_a_launched_prefill_reads_is_likelier_to_be_evicted():
    lockstep, mix = cached(), mix_of(ALWAYS)
    lockstep.admit(0, 0, 3)
    lockstep.prefill(0)
    assert mix.now(lockstep)["evict"] == 40
    assert mix.now(lockstep)["prepare"] == 8


def test_what_a_run_never_does_stays_out_of_it_and_what_it_does_may_happen():
    lockstep = cached()
    assert mix_of(ALWAYS, prepare=0).now(lockstep)["prepare"] == 0
    assert mix_of(ALWAYS, prepare=4).now(lockstep)["prepare"] == 1


def test_runs_differ_in_what_they_do_at_all():
    drawn = [Mix(Random(number)) for number in range(50)]
    assert {mix.weights["abort"] for mix in drawn} == {0, 1, 2}
    assert {len(mix.situations) for mix in drawn} == {len(ALWAYS), len(ALWAYS + CROWD)}
