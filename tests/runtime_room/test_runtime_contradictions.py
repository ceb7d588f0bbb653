"""What cannot be is refused before anything is changed, and a record that moves takes its slots along."""

import numpy as np
import pytest

from runtime.boundary import ABSENT
from runtime.exact_model import ExactModel
from runtime.pool import CACHE, OUTSIDE, RING, WrongSlots
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Inline, Simulated, Worker
from runtime.tracking import Contradiction
from tests.support.runtime_engines import by_handle, engine, host, prompt, seats, start, step
from tests.support.whole_state import snapshot


def test_a_moved_record_takes_its_slots_along():
    made = engine()
    seat = start(made, "alice")
    step(made)
    moved(made, seat)
    owners = made.pool.owners()
    assert set(owners["working"]) == set(owners["ring"]) == {"alice"}
    assert set(made.pool.holder[made.table.ring[2]].tolist()) == {2}


def test_a_wrong_slot_at_a_finish_changes_nothing():
    made = engine()
    seat = start(made, length=3)
    step(made)
    made.decode(seats(seat))
    made.pool.give_back(made.table.ring[seat, 2:3], RING, seat)
    before = host(made)
    with pytest.raises(WrongSlots, match="it is free already"):
        step(made, seat)
    assert host(made) == before


def test_a_claim_of_no_slot_is_refused():
    made = engine()
    seat = start(made, length=3)
    step(made)
    made.table.ring[seat, made.table.next[seat]] = ABSENT
    before = host(made)
    with pytest.raises(Contradiction, match="holds no slot"):
        made.decode(seats(seat))
    assert host(made) == before


def test_two_requests_of_one_name_are_refused():
    scheduler = Scheduler(by_handle())
    scheduler.submit(GenerationRequest("r", prompt(3, 3), 2))
    with pytest.raises(ValueError, match="give it another name"):
        scheduler.submit(GenerationRequest("r", prompt(5, 3), 2))


def test_a_name_may_be_used_again():
    scheduler = Scheduler(by_handle())
    for _ in range(2):
        scheduler.submit(GenerationRequest("r", prompt(3, 3), 2))
        scheduler.run_overlapped()
    scheduler.submit(GenerationRequest("r", prompt(3, 3), 2))
    scheduler.abort("r")
    scheduler.submit(GenerationRequest("r", prompt(3, 3), 2))


def test_a_prefill_without_a_slot_is_refused():
    made = engine()
    seat = made.admit("r", prompt(3, 3))
    made.table.ring[seat, made.table.next[seat]] = ABSENT
    before = host(made)
    with pytest.raises(Contradiction, match="ring position 0 holds no slot"):
        made.prefill(seat)
    assert host(made) == before


@pytest.mark.parametrize("way_out", ["abort", "finish", "move"])
def test_a_slot_that_is_somebody_elses_is_not_given_back(way_out):
    made = engine()
    one, other = start(made, "alice"), start(made, "bob", first=5)
    step(made)
    step(made)
    made.table.ring[one, 2] = made.table.ring[other, 2]
    if way_out == "finish":
        made.decode(seats(one, other))
    before = host(made)
    ways = {"abort": made.abort, "finish": lambda seat: step(made, seat), "move": lambda seat: moved(made, seat)}
    with pytest.raises(WrongSlots, match=r"it belongs to ring bob, not to ring alice"):
        ways[way_out](one)
    assert host(made) == before


def test_a_cached_slot_is_not_given_back():
    made = engine()
    seat = start(made)
    step(made)
    (node,) = made.cache
    made.table.ring[seat, 0] = node.slot
    before = host(made)
    with pytest.raises(WrongSlots, match="it belongs to cache 0"):
        made.abort(seat)
    assert host(made) == before


def cached(**changes):
    """An engine for one request, and what its cache holds of one that has left."""
    made = engine(requests=1, **changes)
    step(made, start(made, "leaves", first=3, length=5))
    return made, next(iter(made.cache))


def gone_from_the_cache(made, node):
    """Somebody has given an entry's slot back behind the engine's back, and the pool is empty."""
    made.pool.give_back(np.array([node.slot]), CACHE, node.number)
    made.pool.take(made.pool.available, OUTSIDE, 7)


@pytest.mark.parametrize("step_of", ["admit", "reclaim", "decode", "process"])
def test_an_entry_that_has_lost_its_slot_is_not_evicted_in_the_middle_of_a_step(step_of):
    lazy = step_of == "decode"
    made, node = cached(slots=5 if step_of == "process" else 4, mode="lazy" if lazy else "eager")
    seat = ABSENT
    if step_of in ("decode", "process"):
        seat = start(made, "goes on", first=5, length=3 if lazy else 5)
    if lazy:
        step(made)
    gone_from_the_cache(made, node)
    steps = {
        "admit": lambda: made.admit("comes", prompt(5, 3)),
        "reclaim": lambda: made.reclaim(1),
        "decode": lambda: made.decode(seats(seat)),
        "process": lambda: step(made),
    }
    before = snapshot(made)
    with pytest.raises(WrongSlots, match="it belongs to outside 7, not to cache 0"):
        steps[step_of]()
    assert snapshot(made) == before


def test_a_superseded_slot_that_is_somebody_elses_is_not_freed():
    made = engine(mode="lazy")
    seat = start(made, "r", first=5, length=3)
    step(made)
    slot = made.table.ring[seat, made.table.last[seat]]
    batch = made.decode(seats(seat))
    assert batch.rows.mark[0] != ABSENT
    assert slot not in (ABSENT, batch.rows.slot[0])
    made.pool.give_back(np.array([slot]), RING, seat)
    before = snapshot(made)
    with pytest.raises(WrongSlots, match="it is free already"):
        step(made)
    assert snapshot(made) == before


def moved(made, seat, target=2):
    made.tracker.move(seat, target, made.processed)


def test_a_record_with_a_row_in_flight_does_not_move():
    made = engine()
    seat = start(made, length=3)
    before = host(made)
    with pytest.raises(Contradiction, match=r"request r \(seat 0\): batch 0 .* let it return first"):
        moved(made, seat)
    assert host(made) == before


class Fails(ExactModel):
    """A model that fails once when it is told to."""

    failing = False

    def absorb(self, pool, working, tokens):
        if self.failing:
            self.failing = False
            raise MemoryError("once")
        return super().absorb(pool, working, tokens)


@pytest.mark.parametrize("kind", [Inline, Simulated, Worker])
def test_what_the_device_raises_is_told_with_the_result_and_loses_no_token(kind):
    made = engine(kind())
    made.model = Fails()
    seat = start(made, length=3)
    step(made)
    made.model.failing = True
    made.decode(seats(seat))
    before = host(made)
    for _ in range(2):
        with pytest.raises(MemoryError, match="once"):
            made.process(np.zeros(1, np.int64), np.zeros(1, bool))
        assert host(made) == before
    made.close()


@pytest.mark.parametrize("wrong", [[3, 4, 5], np.array([3, 4, 5], np.int32), np.array([[3, 4, 5]])])
def test_a_prompt_that_is_no_column_of_tokens_is_refused_when_it_is_submitted(wrong):
    scheduler = Scheduler(by_handle())
    with pytest.raises(ValueError, match=r"request r: .*int64"):
        scheduler.submit(GenerationRequest("r", wrong, 2))
    scheduler.submit(GenerationRequest("r", prompt(3, 3), 2))
    scheduler.run_overlapped()
    assert len(scheduler.done) == 1
