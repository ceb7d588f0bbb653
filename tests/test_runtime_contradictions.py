"""What cannot be is refused before anything is changed, and a record that moves takes its slots along."""

import pytest

from runtime.boundary import ABSENT
from runtime.pool import WrongSlots
from runtime.scheduler import Request, Scheduler
from runtime.tracking import Contradiction
from tests.runtime_engines import engine, host, prompt, seats, start, step


def test_a_moved_record_takes_its_slots_along():
    made = engine()
    seat = start(made, "alice")
    step(made)
    made.tracker.move(seat, 2)
    owners = made.pool.owners(made.table.names)
    assert set(owners["working"]) == set(owners["ring"]) == {"alice"}
    assert set(made.pool.holder[made.table.ring[2]].tolist()) == {2}


def test_a_wrong_slot_at_a_finish_changes_nothing():
    made = engine()
    seat = start(made, length=3)
    step(made)
    made.decode(seats(seat))
    made.pool.give_back(made.table.ring[seat, 2:3])
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
    scheduler = Scheduler(engine())
    scheduler.submit(Request("r", prompt(3, 3), 2))
    with pytest.raises(ValueError, match="give it another name"):
        scheduler.submit(Request("r", prompt(5, 3), 2))


def test_a_name_may_be_used_again():
    scheduler = Scheduler(engine())
    for _ in range(2):
        scheduler.submit(Request("r", prompt(3, 3), 2))
        scheduler.run_overlapped()
    scheduler.submit(Request("r", prompt(3, 3), 2))
    scheduler.abort("r")
    scheduler.submit(Request("r", prompt(3, 3), 2))
