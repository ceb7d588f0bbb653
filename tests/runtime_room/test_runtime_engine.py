"""The engine: whatever contradicts the protocol is refused before anything changes; a life in small steps."""

import numpy as np
import pytest

from runtime.arguments import BadArgument
from runtime.boundary import ABSENT
from runtime.pool import COOLING, FREE, OUTSIDE, RING, WrongSlots
from runtime.requests import IDLE
from runtime.streams import Inline, Simulated
from runtime.tracking import Contradiction
from tests.support.runtime_engines import assert_quiescent, engine, host, prompt, seats, start, state_of, step


def busy(**changes):
    """Seat 0 runs with one decode pending, seat 1 is admitted after a hit, seat 2 is idle, one entry is cached."""
    made = engine(**{"slots": 16, "lookahead": 2} | changes)
    first = start(made, "leaves", 3, 4)
    step(made, first)
    runs = start(made, "runs", 5, 3)
    waits = made.admit("waits", prompt(3, 5))
    step(made)
    made.decode(seats(runs))
    assert (runs, waits) == (0, 1)
    assert made.table.source[1] >= 0
    return made


def too_long(made):
    made.table.seq_len[0] = made.config.max_len


def too_far_ahead(made):
    made.table.decode_count[0] += 3


def fill_window(made):
    while len(made.pending) < made.config.window:
        made.decode(seats(0))


def drain(made):
    while made.pending:
        step(made)


def free_early(made):
    made.pool.give_back(made.table.ring[0, 2:3], RING, 0)


WRONG = {
    "prefill of a request that runs": (lambda made: made.prefill(0), r"seat 0 \(runs\): batch 3 would prefill it"),
    "prefill of nobody": (lambda made: made.prefill(2), "handle 2: nobody goes by it"),
    "prefill of ABSENT": (lambda made: made.prefill(ABSENT), "handle -1: nobody goes by it"),
    "decode of a request without a prefill": (lambda made: made.decode(seats(1)), r"request waits \(seat 1\)"),
    "decode of nobody": (lambda made: made.decode(seats(0, 2)), r"seat 2\): batch 3 would decode it to 1 tokens"),
    "decode of ABSENT": (lambda made: made.decode(seats(ABSENT)), "handle -1: nobody goes by it"),
    "decode twice in a batch": (lambda made: made.decode(seats(0, 0)), "in ascending seats"),
    "decode out of order": (lambda made: made.decode(seats(1, 0)), "in ascending seats"),
    "tokens of another number": (
        lambda made: made.process(seats(1, 2), np.zeros(1, bool)),
        r"batch 2: tokens: ndarray of int64 with shape \(2,\); write a numpy array of int64 with shape \(1,\)",
    ),
    "decisions of another number": (
        lambda made: made.process(seats(1), np.zeros(0, bool)),
        r"batch 2: finishes: ndarray of bool with shape \(0,\); write a numpy array of bool with shape \(1,\)",
    ),
    "abort of nobody": (lambda made: made.abort(2), "handle 2: nobody goes by it"),
    "abort of ABSENT": (lambda made: made.abort(ABSENT), "handle -1: nobody goes by it"),
    "eviction of a locked entry": (lambda made: made.evict(next(iter(made.cache)).slot), "is going to copy from it"),
}


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("wrong", WRONG)
def test_a_contradiction_is_refused_before_anything_changes(mode, wrong):
    made = busy(mode=mode)
    call, reason = WRONG[wrong]
    before = host(made)
    with pytest.raises((Contradiction, BadArgument), match=reason):
        call(made)
    assert host(made) == before


PREPARED = {
    "decode beyond max_len": (too_long, lambda made: made.decode(seats(0)), "to 41 tokens; .*at most max_len=40"),
    "a lookahead outside the window": (
        too_far_ahead,
        lambda made: made.process(seats(1), np.zeros(1, bool)),
        r"request runs, batch 2: the request is at decode count 4 and the row at 1, a lookahead outside 0\.\.2",
    ),
    "a decode into a full window": (fill_window, lambda made: made.decode(seats(0)), "3 batches are pending"),
    "a prefill into a full window": (fill_window, lambda made: made.prefill(1), "only up to 3; process a result first"),
    "a result that nobody launched": (
        drain,
        lambda made: made.process(seats(1), np.zeros(1, bool)),
        "no batch is pending",
    ),
}


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("wrong", PREPARED)
def test_what_only_comes_up_later_is_refused_as_well(mode, wrong):
    made = busy(mode=mode)
    prepare, call, reason = PREPARED[wrong]
    prepare(made)
    before = host(made)
    with pytest.raises(Contradiction, match=reason):
        call(made)
    assert host(made) == before


@pytest.mark.parametrize("call", ["prefill", "decode", "abort"])
def test_absent_is_not_the_last_seat(call):
    """ABSENT is what an admission that must wait returns; as an index it is the last seat, which is in use here."""
    made = engine(requests=1)
    made.admit("r", prompt(3, 3))
    if call == "decode":
        made.prefill(0)
        step(made)
    before = host(made)
    with pytest.raises(Contradiction, match="handle -1: nobody"):
        getattr(made, call)(seats(ABSENT) if call == "decode" else ABSENT)
    assert host(made) == before


def test_a_row_of_someone_who_left_is_no_contradiction():
    made = busy()
    made.abort(0)
    too_far_ahead(made)
    step(made)


@pytest.mark.parametrize("pending", [True, False])
def test_a_slot_that_was_freed_early_is_found_when_its_owner_leaves(pending):
    made = busy()
    if not pending:
        drain(made)
    free_early(made)
    before = host(made)
    with pytest.raises(WrongSlots, match="it is free already"):
        made.abort(0)
    assert host(made) == before


@pytest.mark.parametrize("length", [0, 41])
def test_a_prompt_that_can_never_run_is_refused(length):
    made = busy()
    before = host(made)
    with pytest.raises(ValueError, match=rf"request r: a prompt of {length} tokens; write 1\.\.40"):
        made.admit("r", np.arange(length))
    assert host(made) == before


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_who_must_wait_for_slots_or_a_seat_changes_nothing(mode):
    made = busy(mode=mode)
    taken = made.pool.take(made.pool.available - made.config.slots_per_request + 2, OUTSIDE, 0)
    before = host(made)
    assert made.admit("r", prompt(3, 5)) == ABSENT
    assert host(made) == before
    made.pool.give_back(taken, OUTSIDE, 0)
    assert made.admit("r", prompt(7, 5)) == 2
    before = host(made)
    assert made.admit("no seat", prompt(7, 5)) == ABSENT
    assert host(made) == before


def test_an_entry_that_is_not_there_cannot_be_evicted():
    made = busy()
    before = host(made)
    with pytest.raises(Contradiction, match="the cache does not own it"):
        made.evict(int(made.table.working[0]))
    assert host(made) == before


# Ways out.


def test_an_abort_before_the_prefill_unlocks_the_entry_and_gives_everything_back():
    made = busy()
    slot = int(made.table.source[1])
    free = made.pool.available
    made.abort(1)
    assert made.cache.at(slot).locks == 0
    assert made.pool.available == free + made.config.slots_per_request
    assert made.table.phase[1] == IDLE


def test_what_a_pending_row_writes_waits_and_the_rest_is_free_at_once():
    made = engine(Simulated(), lookahead=2)
    seat = start(made, length=3)
    step(made)
    working, ring = int(made.table.working[seat]), made.table.ring[seat].copy()
    made.decode(seats(seat))
    batch = made.pending[0]
    made.abort(seat)
    target = int(batch.rows.slot[0])
    assert target in ring
    kinds = {slot: int(made.pool.kind[slot]) for slot in (working, *ring.tolist())}
    assert kinds == {slot: COOLING if slot in (working, target) else FREE for slot in kinds}
    step(made)
    assert not (made.pool.kind == COOLING).any()
    assert_quiescent(made)


def test_the_rows_of_someone_who_left_do_nothing_to_who_came():
    made = engine(Simulated(), lookahead=2, requests=1)
    seat = start(made, "left", 3, 4)
    made.decode(seats(seat))
    made.abort(seat)
    assert start(made, "came", 5, 5) == seat
    before = made.table.block[:, seat].tolist(), made.table.tokens[seat].tolist()
    for _ in range(2):
        batch = step(made, seat)
        assert not made.table.present(batch.rows).any()
    assert (made.table.block[:, seat].tolist(), made.table.tokens[seat].tolist()) == before
    step(made, seat)
    assert_quiescent(made)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_request_that_hits_starts_from_the_cached_state(mode):
    made = engine(mode=mode)
    step(made, start(made, "leaves", 3, 5))
    (node,) = made.cache
    assert node.length == 4
    seat = made.admit("hits", prompt(3, 7))
    batch = made.prefill(seat)
    assert (int(batch.rows.start[0]), int(batch.rows.source[0])) == (4, node.slot)
    assert len(batch.rows) == 1
    step(made)
    working = int(made.table.working[seat])
    assert state_of(made, working)[0][0] == 7
    made.abort(seat)
    assert_quiescent(made)


def test_an_error_of_the_device_reaches_whoever_processes():
    made = engine(Simulated())
    seat = start(made)
    step(made)

    def absorb(pool, working, tokens):
        raise OSError("the device is gone")

    made.model.absorb = absorb
    made.decode(seats(seat))
    before = host(made)
    for _ in range(2):
        with pytest.raises(OSError, match="the device is gone"):
            made.process(seats(1), np.zeros(1, bool))
        assert host(made) == before


def test_a_batch_without_rows_is_a_batch():
    made = engine(Inline())
    batch = made.decode(seats())
    assert len(batch.rows) == 0
    step(made)
    assert_quiescent(made)
