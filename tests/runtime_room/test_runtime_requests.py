"""The request table: a record is moved and cleared as a whole, whatever columns it has."""

import numpy as np
import pytest

from runtime.batch import Rows
from runtime.requests import IDLE, RUNNING, TABLE_COLUMNS, RequestTable, TableFull
from tests.support.runtime_engines import config


def table(**changes):
    return RequestTable(config(**changes))


def record(made, seat):
    return {name: int(getattr(made, name)[seat]) for name in TABLE_COLUMNS} | {"ring": made.ring[seat].tolist()}


def fill(made, seat):
    """Give every column of a record a value of its own that an idle record never has."""
    for number, name in enumerate(TABLE_COLUMNS):
        getattr(made, name)[seat] = 100 + number
    made.phase[seat] = RUNNING
    made.ring[seat] = range(50, 50 + made.ring.shape[1])
    made.tokens[seat] = 7


@pytest.mark.parametrize(("mode", "last"), [("eager", 2), ("lazy", 0)])
def test_an_idle_record_owns_nothing(mode, last):
    made = table(mode=mode)
    for seat in range(3):
        idle = record(made, seat)
        assert idle["phase"] == IDLE
        assert idle["ring"] == [-1, -1, -1]
        assert (idle["next"], idle["last"], idle["last_len"], idle["working"]) == (0, last, -1, -1)
        assert (idle["source"], idle["prefix"], idle["last_batch"]) == (-1, 0, -1)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_clearing_leaves_no_column_behind_and_drops_the_rows_of_who_left(mode):
    made = table(mode=mode)
    idle, others = record(made, 0), record(made, 1)
    seat = made.sit("r")
    assert seat == 0
    columns = dict.fromkeys(("decode_count", "seq_len", "start", "working", "source", "position", "slot", "mark"), 0)
    rows = Rows.of(seat=np.array([0, 1]), epoch=made.epoch[[0, 1]], **columns)
    fill(made, seat)
    assert made.present(rows).tolist() == [True, True]
    made.clear(seat)
    assert record(made, 0) == idle
    assert record(made, 1) == others
    assert made.present(rows).tolist() == [False, True]
    assert made.sit("next") == 0
    assert made.present(rows).tolist() == [False, True]


def test_every_seat_is_given_once():
    made = table()
    assert [made.sit(name) for name in "abc"] == [0, 1, 2]
    assert made.seats_left == 0
    with pytest.raises(TableFull, match="request d: all 3 seats are taken"):
        made.sit("d")
    made.clear(1)
    assert (made.seats_left, made.sit("e"), made.names) == (1, 1, ["a", "e", "c"])


def test_moving_carries_every_column():
    made = table()
    idle = record(made, 0)
    made.sit("r")
    fill(made, 0)
    before = record(made, 0)
    made.move(0, 2)
    assert record(made, 2) == before
    assert record(made, 0) == idle
    assert made.tokens[2].tolist() == [7] * made.tokens.shape[1]
    assert made.names[2] == "r"
    assert made.epoch.tolist() == [1, 0, 0]
    assert sorted([made.sit("x"), made.sit("y")]) == [0, 1]


@pytest.mark.parametrize(("source", "target"), [(1, 2), (0, 0), (0, 1)])
def test_moving_from_an_idle_seat_or_onto_one_in_use_is_refused(source, target):
    made = table()
    made.sit("a")
    fill(made, 0)
    if target == 1:
        made.sit("b")
        fill(made, 1)
    before = [record(made, seat) for seat in range(3)], made.seats_left
    with pytest.raises(ValueError, match=f"cannot move seat {source} to seat {target}"):
        made.move(source, target)
    assert ([record(made, seat) for seat in range(3)], made.seats_left) == before


def test_columns_are_views_of_one_block():
    made = table()
    made.seq_len[1] = 5
    assert made.block[TABLE_COLUMNS["seq_len"].number].tolist() == [0, 5, 0]
