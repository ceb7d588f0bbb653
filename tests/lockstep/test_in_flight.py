"""What only the runtime knows is held against its rows in flight: a change behind its back is seen at once."""

import pytest

from checker.lockstep.delayed_stream import Late
from checker.lockstep.failure import Failed
from checker.lockstep.lockstep import Lockstep
from runtime.batch import LaunchedBatch
from runtime.engine import Engine
from runtime.pool import FREE, SlotPool
from runtime.prefix_cache import PrefixCache
from spec.scope import Scope

EAGER = Scope(requests=2, slots=7, nodes=2, families=2, mode="eager", max_len=8)


def lockstep_of():
    """A request that has decoded to a boundary, whose batch is in flight."""
    lockstep = Lockstep(EAGER)
    lockstep.admit(0, 0, 3)
    lockstep.prefill(0)
    run(lockstep)
    lockstep.prepare([0])
    return lockstep


def run(lockstep, *names):
    lockstep.device()
    lockstep.process(names)


def test_slots_that_are_held_back_for_ever_are_seen(monkeypatch):
    monkeypatch.setattr(SlotPool, "advance_to", lambda *_: None)
    lockstep = lockstep_of()
    lockstep.abort(0)
    with pytest.raises(Failed, match="held back: slots wait for batch 1"):
        run(lockstep)


def test_a_slot_that_is_held_back_for_nothing_is_seen(monkeypatch):
    put_back = SlotPool.put_back
    monkeypatch.setattr(SlotPool, "put_back", lambda self, slots, after: put_back(self, slots, 1))
    with pytest.raises(Failed, match=r"held back: slot \d is held back, and nothing in flight touches it"):
        lockstep_of().abort(0)


def test_a_free_slot_that_a_row_in_flight_touches_is_seen(monkeypatch):
    put_back = SlotPool.put_back
    monkeypatch.setattr(SlotPool, "put_back", lambda self, slots, after: put_back(self, slots, -1))
    with pytest.raises(Failed, match=r"in-flight: slot \d may be taken"):
        lockstep_of().abort(0)


def test_a_claim_that_stays_on_a_free_slot_is_seen():
    lockstep = lockstep_of()
    lockstep.engine.pool.claims[lockstep.engine.pool.kind == FREE] += 1
    with pytest.raises(Failed, match="claims: 1 rows are noted"):
        run(lockstep)


def test_a_free_slot_that_somebody_holds_is_seen():
    lockstep = lockstep_of()
    lockstep.engine.pool.holder[lockstep.engine.pool.kind == FREE] = 0
    with pytest.raises(Failed, match="holder: slot"):
        run(lockstep)


def test_a_token_that_is_another_texts_is_seen():
    lockstep = lockstep_of()
    lockstep.engine.table.tokens[0, 3] += 1
    with pytest.raises(Failed, match="tokens: r1"):
        run(lockstep)


def test_a_seat_that_is_lost_is_seen():
    lockstep = lockstep_of()
    lockstep.engine.table._seats.pop()
    with pytest.raises(Failed, match="seats: 0 are left beside 1 taken"):
        run(lockstep)


def test_a_read_that_the_cache_does_not_know_is_seen():
    lockstep = lockstep_of()
    run(lockstep)
    lockstep.abort(0)
    lockstep.admit(1, 0, 3)
    lockstep.prefill(1)
    next(iter(lockstep.engine.cache)).read_by = -1
    with pytest.raises(Failed, match="read by: slot"):
        lockstep.prepare([])


def test_an_admission_that_waits_for_nothing_is_seen(monkeypatch):
    monkeypatch.setattr(Engine, "admit", lambda *_: -1)
    with pytest.raises(Failed, match="waits, and 0 entries are evicted for it: 0 slots missing"):
        Lockstep(EAGER).admit(0, 0, 3)


def test_an_eviction_too_many_is_seen(monkeypatch):
    lockstep = lockstep_of()
    run(lockstep)
    evictable = PrefixCache.evictable
    monkeypatch.setattr(PrefixCache, "evictable", lambda self, processed, most: evictable(self, processed, 99))
    monkeypatch.setattr(SlotPool, "make_available", lambda self, count: self.reclaim(count) or count)
    with pytest.raises(Failed, match="is admitted, and 1 entries are evicted for it: 0 slots missing"):
        lockstep.admit(1, 1, 3)


def test_rows_of_a_request_that_has_left_may_say_anything():
    lockstep = lockstep_of()
    lockstep.abort(0)
    lockstep.admit(1, 1, 3)
    run(lockstep)
    lockstep.prefill(1)
    run(lockstep)


def test_a_result_that_is_not_waited_for_is_seen_on_a_thread(monkeypatch):
    monkeypatch.setattr(LaunchedBatch, "tokens", lambda self: self.produced.numpy())
    lockstep = Lockstep(EAGER, Late(0.02))
    lockstep.admit(0, 0, 3)
    lockstep.prefill(0)
    with pytest.raises(AttributeError, match="produced"):
        lockstep.process()
    lockstep.engine.close()


@pytest.mark.parametrize(("pause", "ahead"), [(0.0, True), (0.05, False)])
def test_a_thread_is_ahead_of_the_host_or_behind(pause, ahead):
    stream, done = Late(pause), []
    event = stream.submit(lambda: done.append(1))
    assert bool(done) == ahead
    event.wait()
    stream.close()
    assert done == [1]
