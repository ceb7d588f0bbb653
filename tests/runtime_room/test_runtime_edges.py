"""What comes in at the door: of the wrong kind it is refused, with what it is, before anything is changed."""

import logging
import threading

import numpy as np
import pytest
import torch

from runtime import config as configs
from runtime.arguments import BadArgument
from runtime.batch import ROW_COLUMNS, Rows
from runtime.boundary import ABSENT
from runtime.engine import Engine
from runtime.exact_model import ExactModel
from runtime.guard import Halted, WrongThread
from runtime.observer import Observer
from runtime.pool import CACHE, COOLING, FREE, OUTSIDE, RING, WORKING, SlotPool, WrongSlots
from runtime.requests import MOST_REQUESTS, SEAT_BITS, TableFull
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Simulated
from runtime.tracking import Contradiction
from tests.support.runtime_engines import by_handle, config, prompt, seats
from tests.support.whole_state import snapshot


def answer(made, *finishing):
    batch = made.pending[0]
    return made.process(batch.tokens(), np.isin(made.table.handles(batch.rows.seat), finishing))


@pytest.fixture
def made():
    """Two run with a decode pending, one is admitted after a hit; one entry more is cached, two slots are out."""
    made = by_handle(slots=24, requests=4)
    for first in (3, 5):
        made.prefill(leaves := made.admit("leaves", prompt(first, 4)))
        answer(made, leaves)
    for name in ("one", "two"):
        made.prefill(made.admit(name, prompt(7, 3)))
        answer(made)
    made.admit("waits", prompt(3, 6))
    made.pool.take(2, OUTSIDE, 7)
    made.decode(made.table.handles(seats(0, 1)))
    return made


def out(made):
    """The slots that were taken from outside."""
    return (made.pool.kind == OUTSIDE).nonzero()[0]


def column(*numbers, dtype=np.int64):
    return np.array(numbers, dtype)


NO_COLUMNS = {
    "int32": (column(0, 1, dtype=np.int32), "ndarray of int32 with shape (2,)"),
    "uint8": (column(0, 1, dtype=np.uint8), "ndarray of uint8 with shape (2,)"),
    "floats": (column(0, 1, dtype=np.float64), "ndarray of float64 with shape (2,)"),
    "strings": (np.array(["1", "2"]), "ndarray of <U1 with shape (2,)"),
    "objects": (np.array([0, 1], object), "ndarray of object with shape (2,)"),
    "two dimensions": (column(0, 1).reshape(2, 1), "ndarray of int64 with shape (2, 1)"),
    "a row": (column(0, 1).reshape(1, 2), "ndarray of int64 with shape (1, 2)"),
    "a masked array": (np.ma.array([0, 1]), "MaskedArray of int64 with shape (2,)"),
    "a list": ([0, 1], "'[0, 1]' of type list"),
    "a number": (1, "'1' of type int"),
    "a scalar": (np.int64(1), "'1' of type int64"),
    "a tensor": (torch.tensor([0, 1]), "Tensor of torch.int64 with shape (2,)"),
    "bools": (column(True, False, dtype=np.bool_), "ndarray of bool with shape (2,)"),
    "other bytes": (column(0, 1, dtype=">i8"), "ndarray of >i8 with shape (2,)"),
    "nothing": (None, "'None' of type NoneType"),
}
NO_MASKS = {name: pair for name, pair in NO_COLUMNS.items() if name != "bools"} | {
    "ints": (column(0, 1), "ndarray of int64 with shape (2,)"),
    "a column of bools": (np.zeros((2, 1), bool), "ndarray of bool with shape (2, 1)"),
    "too many bools": (np.zeros(3, bool), "ndarray of bool with shape (3,)"),
}
NO_NUMBERS = {
    "a float": (1.0, "'1.0' of type float"),
    "a bool": (True, "'True' of type bool"),
    "a string": ("1", "'1' of type str"),
    "nothing": (None, "'None' of type NoneType"),
    "an array": (column(1), "ndarray of int64 with shape (1,)"),
    "a numpy bool": (np.True_, "'True' of type bool"),
    "a tensor": (torch.tensor(1), "'tensor(1)' of type Tensor"),
}

TAKES_COLUMNS = {
    "the prompt of an admission": lambda made, it: made.admit("r", it),
    "the handles of a decode": lambda made, it: made.decode(it),
    "the tokens of a result": lambda made, it: made.process(it, np.zeros(2, bool)),
    "a prompt to be matched": lambda made, it: made.cache.match(it),
    "a text for a key": lambda made, it: made.cache.key(it),
    "texts for keys": lambda made, it: list(made.cache.keys(it)),
    "slots to give back": lambda made, it: made.pool.give_back(it, OUTSIDE, 7),
    "slots to move": lambda made, it: made.pool.move(it, OUTSIDE, 7, OUTSIDE, 8),
    "slots to claim": lambda made, it: made.pool.claim(it),
    "slots to unclaim": lambda made, it: made.pool.unclaim(it),
    "places of rows": lambda made, it: made.pending[0].rows.filter(it),
    "the seats of rows": lambda made, it: Rows.of(**dict.fromkeys(ROW_COLUMNS, 0) | {"seat": it}),
    "a prompt to be queued": lambda made, it: Scheduler(made).submit(GenerationRequest("r", it, 2)),
}
TAKES_NUMBERS = {
    "a prefill": lambda made, it: made.prefill(it),
    "an abort": lambda made, it: made.abort(it),
    "an eviction": lambda made, it: made.evict(it),
    "a reclaim": lambda made, it: made.reclaim(it),
    "slots of a pool": lambda made, it: SlotPool(it),
    "how many slots": lambda made, it: made.pool.take(it, OUTSIDE, 0),
    "how many slots to make available": lambda made, it: made.pool.make_available(it),
    "a class of owners": lambda made, it: made.pool.take(1, it, 0),
    "the class that gives back": lambda made, it: made.pool.give_back(out(made)[:1], it, 7),
    "the class that is moved to": lambda made, it: made.pool.move(out(made)[:1], OUTSIDE, 7, it, 0),
    "the batch to wait for": lambda made, it: made.pool.give_back(out(made)[:1], OUTSIDE, 7, it),
    "the newest result": lambda made, it: made.pool.advance_to(it),
    "whose slot": lambda made, it: made.pool.owner(it),
    "the entry of a slot": lambda made, it: made.cache.at(it),
    "the entry to remove": lambda made, it: made.cache.remove(it),
    "the slot to enter": lambda made, it: made.cache.insert(b"key", 2, it),
    "the length to enter": lambda made, it: made.cache.insert(b"key", it, 20),
    "which entries": lambda made, it: made.cache.evictable(it, 1),
    "how many entries": lambda made, it: made.cache.evictable(0, it),
    "a seat to clear": lambda made, it: made.table.clear(it),
    "a seat to move from": lambda made, it: made.table.move(it, 3),
    "a seat to move to": lambda made, it: made.table.move(0, it),
    "whose handle": lambda made, it: made.table.seat(it),
    "tokens to produce": lambda made, it: Scheduler(made).submit(GenerationRequest("r", prompt(3, 3), it)),
}
TAKES_OWNERS = {
    "a holder": lambda made, it: made.pool.take(1, OUTSIDE, it),
    "who gives back": lambda made, it: made.pool.give_back(out(made)[:1], OUTSIDE, it),
    "who is moved to": lambda made, it: made.pool.move(out(made)[:1], OUTSIDE, 7, OUTSIDE, it),
}


def assert_refused(made, call, it, said):
    before = snapshot(made)
    with pytest.raises(BadArgument) as refused:
        call(made, it)
    assert said in str(refused.value)
    assert snapshot(made) == before


@pytest.mark.parametrize("wrong", NO_COLUMNS)
@pytest.mark.parametrize("call", TAKES_COLUMNS)
def test_what_is_no_column_of_whole_numbers_is_refused(made, call, wrong):
    assert_refused(made, TAKES_COLUMNS[call], *NO_COLUMNS[wrong])


@pytest.mark.parametrize("wrong", NO_MASKS)
def test_decisions_that_are_no_mask_are_refused(made, wrong):
    """Ones and zeros would be places: both requests would finish."""
    assert_refused(made, lambda made, it: made.process(column(1, 1), it), *NO_MASKS[wrong])


@pytest.mark.parametrize("wrong", NO_NUMBERS)
@pytest.mark.parametrize("call", TAKES_NUMBERS | TAKES_OWNERS)
def test_what_is_no_whole_number_is_refused(made, call, wrong):
    if (call, wrong) in {("a holder", "an array"), ("who gives back", "an array")}:
        pytest.skip("one holder for each slot is taken")
    if (call, wrong) == ("the class that gives back", "an array"):
        pytest.skip("one class for each slot is taken")
    assert_refused(made, (TAKES_NUMBERS | TAKES_OWNERS)[call], *NO_NUMBERS[wrong])


@pytest.mark.parametrize("kind", [FREE, COOLING, ABSENT, OUTSIDE + 1])
@pytest.mark.parametrize("call", ["a class of owners", "the class that gives back", "the class that is moved to"])
def test_nobody_owns_slots_as_free_ones(made, call, kind):
    assert_refused(made, TAKES_NUMBERS[call], kind, f"class of an owner: {kind}; write a whole number from 2 to 5")


@pytest.mark.parametrize(
    ("call", "holders"),
    [
        (lambda made, it: made.pool.take(2, OUTSIDE, it), column(0, 1, 2)),
        (lambda made, it: made.pool.take(2, OUTSIDE, it), column(0, -1)),
        (lambda made, it: made.pool.take(2, OUTSIDE, it), column(0, 1).reshape(2, 1)),
        (lambda made, it: made.pool.take(2, OUTSIDE, it), -1),
        (lambda made, it: made.pool.give_back(out(made), OUTSIDE, it), column(7)),
        (lambda made, it: made.pool.give_back(out(made), it, 7), column(OUTSIDE)),
    ],
)
def test_owners_that_do_not_fit_the_slots_are_refused(made, call, holders):
    assert_refused(made, call, holders, "owner" if np.isin(holders, OUTSIDE).any() else "holder")


@pytest.mark.parametrize("name", ["", None, 7, b"r"])
@pytest.mark.parametrize(
    "call",
    [
        lambda made, it: made.admit(it, prompt(3, 3)),
        lambda made, it: made.table.sit(it),
        lambda made, it: Scheduler(made).submit(GenerationRequest(it, prompt(3, 3), 2)),
    ],
)
def test_a_name_is_a_string(made, call, name):
    assert_refused(made, call, name, "name of a request")


def test_an_engine_has_a_config():
    with pytest.raises(BadArgument, match="'None' of type NoneType; write a Config"):
        Engine(None, ExactModel())


@pytest.mark.parametrize("column", ROW_COLUMNS)
def test_a_column_of_rows_is_not_cut_to_whole_numbers(column):
    columns = dict.fromkeys(ROW_COLUMNS, 0) | {"seat": np.array([0, 1])}
    for wrong in (np.array([0.5, 1.5]), 1.5, True, "1"):
        with pytest.raises(BadArgument, match=f"column {column}"):
            Rows.of(**columns | {column: wrong})


def test_places_of_rows_do_not_count_from_the_end(made):
    with pytest.raises(BadArgument, match=r"places of rows: -1 is none; write 0\.\.1"):
        made.pending[0].rows.filter(column(0, -1))


def test_more_seats_than_a_handle_can_name_are_refused():
    with pytest.raises(configs.BadConfig, match="too many for a handle"):
        config(requests=MOST_REQUESTS + 1, slots=9 * MOST_REQUESTS)


# Whose slots they are.


def test_a_slot_is_not_given_back_by_who_had_it_before(made):
    """A double free after the slot has gone to somebody else: two would own it, and then neither could leave."""
    slots = made.pool.take(1, OUTSIDE, 30)
    made.pool.give_back(slots, OUTSIDE, 30)
    assert made.pool.take(1, OUTSIDE, 31).tolist() == slots.tolist()
    before = snapshot(made)
    for call in (
        lambda: made.pool.give_back(slots, OUTSIDE, 30),
        lambda: made.pool.move(slots, OUTSIDE, 30, OUTSIDE, 32),
        lambda: made.pool.give_back(slots, RING, 31),
    ):
        with pytest.raises(WrongSlots, match="it belongs to outside 31, not to"):
            call()
        assert snapshot(made) == before


@pytest.mark.parametrize("kind", [WORKING, RING, CACHE])
def test_slots_of_requests_and_cache_are_nobodys_to_give_back(made, kind):
    for slot in (made.pool.kind == kind).nonzero()[0]:
        before = snapshot(made)
        with pytest.raises(WrongSlots, match=r"it belongs to (working|ring|cache) \w+, not to outside 7"):
            made.pool.give_back(np.array([slot]), OUTSIDE, 7)
        assert snapshot(made) == before


def test_a_claim_is_taken_back_once(made):
    before = snapshot(made)
    with pytest.raises(WrongSlots, match=r"cannot unclaim slot \d+: no row is going to write it"):
        made.pool.unclaim(out(made))
    assert snapshot(made) == before


def test_a_seat_is_not_freed_twice_nor_given_slots_twice(made):
    before = snapshot(made)
    with pytest.raises(TableFull, match="seat 3 is free already"):
        made.table.clear(3)
    with pytest.raises(Contradiction, match="request one has its slots already"):
        made.tracker.admit(0, 3, ABSENT, 0)
    assert snapshot(made) == before


def test_a_slot_has_one_entry(made):
    node = next(iter(made.cache))
    before = snapshot(made)
    with pytest.raises(BadArgument, match=f"slot {node.slot} has an entry"):
        made.cache.insert(b"another key", 2, node.slot)
    assert snapshot(made) == before


# Whose request it is.


@pytest.mark.parametrize("call", ["abort", "prefill", "decode"])
def test_the_handle_of_who_left_is_not_that_of_who_sits_there_now(made, call):
    answer(made)
    stale = made.table.handle(0)
    made.abort(stale)
    came = made.admit("came", prompt(5, 3))
    assert (made.table.seat(came), made.table.seat(stale), came != stale) == (0, ABSENT, True)
    if call == "decode":
        made.prefill(came)
    before = snapshot(made)
    with pytest.raises(Contradiction, match=f"handle {stale}: nobody goes by it"):
        getattr(made, call)(seats(stale) if call == "decode" else stale)
    assert snapshot(made) == before


@pytest.mark.parametrize("handle", [ABSENT, 4, 3, 1 << SEAT_BITS, -(1 << 62), (1 << 62) + 1, MOST_REQUESTS - 1])
@pytest.mark.parametrize("call", ["abort", "prefill", "decode"])
def test_a_handle_that_nobody_ever_had_is_refused(made, call, handle):
    if (call, handle) == ("decode", 3):
        pytest.skip("seat 3 is idle, and is refused for that")
    before = snapshot(made)
    with pytest.raises(Contradiction, match=f"handle {handle}: nobody goes by it"):
        getattr(made, call)(seats(handle) if call == "decode" else handle)
    assert snapshot(made) == before


def test_handles_of_many_generations_go_in_one_batch(made):
    answer(made)
    made.abort(made.table.handle(0))
    made.prefill(came := made.admit("came", prompt(5, 3)))
    assert came > MOST_REQUESTS
    made.decode(seats(came, 1))
    assert made.pending[-1].rows.seat.tolist() == [0, 1]
    assert made.table.handles(seats(0, 1)).tolist() == [came, 1]


# Who calls.


CALLS = {
    "admit": lambda made: made.admit("r", prompt(3, 3)),
    "prefill": lambda made: made.prefill(made.table.handle(2)),
    "decode": lambda made: made.decode(made.table.handles(seats(0, 1))),
    "process": lambda made: made.process(column(1, 1), np.zeros(2, bool)),
    "discard": lambda made: made.discard(),
    "abort": lambda made: made.abort(0),
    "evict": lambda made: made.evict(next(iter(made.cache)).slot),
    "reclaim": lambda made: made.reclaim(1),
    "observe": lambda made: made.observe(Observer()),
    "close": lambda made: made.close(),
    "take": lambda made: made.pool.take(1, OUTSIDE, 0),
    "give back": lambda made: made.pool.give_back(out(made)[:1], OUTSIDE, 7),
    "move": lambda made: made.pool.move(out(made)[:1], OUTSIDE, 7, OUTSIDE, 8),
    "make available": lambda made: made.pool.make_available(1),
    "submit": lambda made: Scheduler(made).submit(GenerationRequest("r", prompt(3, 3), 2)),
    "launch": lambda made: Scheduler(made).launch(),
    "scheduler process": lambda made: Scheduler(made).process(),
    "scheduler abort": lambda made: Scheduler(made).abort("r"),
}


def elsewhere(call):
    """Call on another thread; returns what it raised."""
    raised = []

    def run():
        try:
            call()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return raised[0] if raised else None


@pytest.mark.parametrize("call", CALLS)
def test_a_second_thread_is_refused(made, call):
    before = snapshot(made)
    error = elsewhere(lambda: CALLS[call](made))
    assert isinstance(error, WrongThread)
    assert "call it from one thread, or hand it over by calling `adopt`" in str(error)
    assert snapshot(made) == before


def test_an_engine_may_be_handed_over(made):
    def go_on():
        made.adopt()
        answer(made)

    assert elsewhere(go_on) is None
    before = snapshot(made)
    with pytest.raises(WrongThread):
        made.abort(0)
    assert snapshot(made) == before
    made.adopt()
    made.abort(made.table.handle(0))


def test_an_engine_is_not_handed_over_in_the_middle_of_a_step(made):
    made.guard.begin("decode")
    with pytest.raises(Halted, match="between two steps"):
        made.adopt()


def test_three_threads_that_admit_and_abort_lose_nothing():
    made = by_handle(slots=60, requests=8)

    def churn():
        for _ in range(200):
            try:
                handle = made.admit("r", prompt(3, 3))
                if handle != ABSENT:
                    made.abort(handle)
            except WrongThread:
                pass

    threads = [threading.Thread(target=churn) for _ in range(2)]
    for thread in threads:
        thread.start()
    churn()
    for thread in threads:
        thread.join()
    assert (made.pool.available, made.table.seats_left) == (60, 8)


# Who observes.


class Raises(Observer):
    """Raises in one hook, and counts the calls of all."""

    def __init__(self, hook):
        self.calls = []
        for name in ("admit", "prefill", "prepare", "process", "publish", "abort", "free", "evict"):
            setattr(self, name, self._hook(name, name == hook))

    def _hook(self, name, raises):
        def hook(*given, **named):
            self.calls.append(name)
            if raises:
                raise OSError("the disk is full")

        return hook


def a_life(made):
    made.prefill(first := made.admit("first", prompt(3, 3)))
    answer(made)
    made.decode(seats(first))
    answer(made, first)
    made.abort(made.admit("second", prompt(5, 3)))
    made.evict(next(iter(made.cache)).slot)


HOOKS = ("admit", "prefill", "prepare", "process", "publish", "abort", "free", "evict")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_an_observer_that_raises_breaks_no_step_and_is_told_no_more(caplog, hook, mode):
    quiet, made = by_handle(mode=mode), by_handle(mode=mode)
    made.observe(observer := Raises(hook))
    with caplog.at_level(logging.ERROR):
        a_life(made)
    a_life(quiet)
    for name in ("table", "pool", "cache", "launched", "pending", "states"):
        assert snapshot(getattr(made, name)) == snapshot(getattr(quiet, name)), name
    assert [str(error) for error in made.notices.failures] == ["the disk is full"]
    assert observer.calls[-1] == hook
    assert observer.calls.count(hook) == 1
    (record,) = caplog.records
    assert "is told no more" in record.message


def test_an_observer_is_told_after_the_step(made):
    """It may even take a step of its own."""
    seen = []

    class Acts(Observer):
        def process(self, batch, alive, finishes, ahead):
            seen.append((made.pending.count(batch), made.processed))
            made.abort(made.table.handle(0))

    made.observe(Acts())
    number = made.pending[0].number
    answer(made)
    assert seen == [(0, number)]
    assert made.table.seat(0) == ABSENT
    assert made.notices.failures == []


def test_an_observer_that_is_refused_at_the_beginning_observes_nothing(made):
    class Refuses(Observer):
        def attach(self, engine):
            raise ValueError("too late")

    before = snapshot(made)
    with pytest.raises(ValueError, match="too late"):
        made.observe(Refuses())
    assert snapshot(made) == before


# The scheduler's own.


def test_a_scheduler_has_an_engine_and_requests(made):
    with pytest.raises(BadArgument, match="'None' of type NoneType; write an Engine"):
        Scheduler(None)
    scheduler = Scheduler(made)
    before = snapshot(scheduler)
    with pytest.raises(BadArgument, match="'r' of type str; write a GenerationRequest"):
        scheduler.submit("r")
    assert snapshot(scheduler) == before


def test_what_is_queued_is_what_was_checked():
    scheduler = Scheduler(by_handle())
    tokens = prompt(3, 3)
    scheduler.submit(GenerationRequest("r", tokens, 2))
    tokens[:] = 0
    scheduler.run_overlapped()
    assert scheduler.engine.table.tokens[0, :3].tolist() == prompt(3, 3).tolist()


def test_a_result_that_nobody_launched_is_refused_by_the_scheduler_too():
    scheduler = Scheduler(by_handle(Simulated()))
    before = snapshot(scheduler)
    with pytest.raises(Contradiction, match="no batch is pending"):
        scheduler.process()
    assert snapshot(scheduler) == before
