"""Claims, spares, labels and hand-over in small steps, where a person can say what must come out."""

import pytest

from runtime.boundary import ABSENT
from runtime.pool import COOLING, FREE, OUTSIDE
from runtime.streams import Simulated
from tests.support.runtime_engines import FIRSTS, assert_quiescent, engine, seats, start, state_of, step


def starve(made):
    """Let others hold every free slot, and the cache nothing that may go."""
    made.reclaim(made.config.slots)
    return made.pool.take(made.pool.available, OUTSIDE, 0)


def record(made, seat, *names):
    return tuple(int(getattr(made.table, name)[seat]) for name in names)


def test_an_eager_boundary_advances_next_once_and_at_preparation():
    made = engine(ring=3, lookahead=2)
    seat = start(made, length=3)
    ring = made.table.ring[seat].tolist()
    assert record(made, seat, "next", "last", "last_len") == (1, 2, ABSENT)
    marks = []
    for _ in range(2):
        batch = made.decode(seats(seat))
        marks.append((int(batch.rows.mark[0]), int(batch.rows.position[0]), int(batch.rows.slot[0])))
    assert marks == [(4, 1, ring[1]), (ABSENT, ABSENT, ABSENT)]
    assert record(made, seat, "next", "last", "last_len") == (2, 2, ABSENT)
    step(made)
    # The prefill's checkpoint was donated: another slot has its position, and there is no label.
    assert record(made, seat, "next", "last", "last_len") == (2, 0, ABSENT)
    assert made.table.ring[seat, 0] != ring[0]
    step(made)
    assert record(made, seat, "next", "last", "last_len") == (2, 1, 4)


def test_eager_positions_go_round():
    made = engine(ring=3, lookahead=0)
    seat = start(made, length=3)
    step(made)
    positions = []
    for _ in range(10):
        rows = made.decode(seats(seat)).rows
        step(made)
        positions += rows.position[rows.mark != ABSENT].tolist()
    assert positions == [1, 2, 0, 1, 2]


def test_a_lazy_spare_fills_the_empty_position_and_the_older_slot_goes_at_the_result():
    made = engine(mode="lazy", ring=2, lookahead=0)
    seat = start(made, length=2)
    step(made)
    made.decode(seats(seat))
    assert step(made).rows.mark[0] == ABSENT
    first = int(made.table.ring[seat, 0])
    batch = made.decode(seats(seat))
    spare = int(made.table.ring[seat, 1])
    assert (int(batch.rows.slot[0]), int(batch.rows.position[0])) == (spare, 1)
    assert record(made, seat, "next", "last") == (1, 0)
    step(made)
    assert record(made, seat, "next", "last", "last_len") == (1, 1, 4)
    assert made.table.ring[seat].tolist() == [ABSENT, spare]
    assert made.pool.kind[first] == FREE


@pytest.mark.parametrize(("without_spare", "label"), [("overwrite", ABSENT), ("skip", 4)])
def test_without_a_spare_a_lazy_row_goes_in_place_or_skips(without_spare, label):
    made = engine(mode="lazy", ring=2, lookahead=0, without_spare=without_spare)
    seat = start(made, length=3)
    step(made)
    made.decode(seats(seat))
    step(made)
    assert record(made, seat, "last", "last_len") == (1, 4)
    slot = int(made.table.ring[seat, 1])
    starve(made)
    for _ in range(2):
        batch = made.decode(seats(seat))
        if batch.rows.seq_len[0] == 6:
            assert record(made, seat, "next", "last", "last_len") == (1, 1, label)
        step(made)
    assert batch.rows.slot[0] == (slot if without_spare == "overwrite" else ABSENT)
    assert len(batch.boundaries) == (without_spare == "overwrite")
    assert record(made, seat, "last", "last_len") == (1, 6 if without_spare == "overwrite" else 4)
    assert state_of(made, slot)[0][0] == (6 if without_spare == "overwrite" else 4)


@pytest.mark.parametrize("without_spare", ["overwrite", "skip"])
def test_too_few_spares_go_to_the_first_seats_and_the_others_do_without(without_spare):
    made = engine(mode="lazy", ring=2, lookahead=0, without_spare=without_spare)
    for name, first in zip("abc", FIRSTS, strict=True):
        start(made, name, first, 3)
        step(made)
    taken = starve(made)
    made.pool.give_back(taken[:2], OUTSIDE, 0)
    rows = made.decode(seats(0, 1, 2)).rows
    in_place = without_spare == "overwrite"
    assert rows.position.tolist() == [1, 1, 0 if in_place else ABSENT]
    assert rows.mark.tolist() == [4, 4, 4 if in_place else ABSENT]
    assert set(rows.slot[:2].tolist()) == set(taken[:2].tolist())
    step(made)
    assert made.table.last_len.tolist() == [4, 4, 4 if in_place else ABSENT]
    made.pool.give_back(taken[2:], OUTSIDE, 0)
    for seat in range(3):
        made.abort(seat)
    assert_quiescent(made)


def test_what_a_pending_row_is_going_to_overwrite_gets_no_label_and_is_not_published():
    made = engine(Simulated(), mode="lazy", ring=1, interval=1, lookahead=1)
    seat = start(made, length=1)
    step(made)
    cached = len(made.cache)
    made.decode(seats(seat))
    made.decode(seats(seat))
    step(made)
    assert record(made, seat, "last", "last_len") == (0, ABSENT)
    assert made.tracker.publishable(seat) == ABSENT
    made.decode(seats(seat))
    step(made, seat)
    assert len(made.cache) == cached
    assert (made.pool.kind == COOLING).sum() == 2
    step(made)
    assert_quiescent(made)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_without_a_replacement_nothing_is_donated_and_the_finish_publishes_it(mode):
    made = engine(mode=mode)
    seat = start(made, length=3)
    taken = starve(made)
    step(made)
    assert (len(made.cache), record(made, seat, "last", "last_len")) == (0, (0, 2))
    made.decode(seats(seat))
    made.pool.give_back(taken, OUTSIDE, 0)
    step(made, seat)
    # It has four tokens now, and the newest completed checkpoint is the one of four.
    assert [node.length for node in made.cache] == [4]
    assert_quiescent(made)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_of_one_key_the_older_entry_is_kept(mode):
    made = engine(mode=mode)
    step(made, start(made, "first", 3, 2))
    (node,) = made.cache
    slot = node.slot
    # A prompt of just the cached length computes it again: one token has to be computed.
    seat = start(made, "second", 3, 2)
    step(made)
    assert record(made, seat, "last", "last_len") == (0, 2)
    made.decode(seats(seat))
    step(made, seat)
    assert [node.slot for node in made.cache] == [slot]
    assert_quiescent(made)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_a_label_is_the_rows_whatever_the_lookahead(mode, ahead):
    made = engine(mode=mode, ring=3, lookahead=2, interval=3)
    seat = start(made, length=4)
    step(made)
    labels = []
    for _ in range(9):
        made.decode(seats(seat))
        while len(made.pending) > ahead:
            row = made.pending[0].rows
            step(made)
            if row.mark[0] != ABSENT:
                labels.append((int(row.mark[0]), *record(made, seat, "last_len")))
    assert [mark for mark, _ in labels] == [6, 9, 12][: len(labels)]
    assert all(mark == label for mark, label in labels)
    assert len(labels) >= 2
