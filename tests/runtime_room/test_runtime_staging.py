"""Staging buffers: one packed copy a step, and no buffer is written before its former contents are on the device."""

import numpy as np
import pytest
import torch

from runtime.batch import ROW_COLUMNS
from runtime.exact_model import ExactModel, text
from runtime.streams import Simulated
from runtime.upload import Buffer, Staging
from tests.support.runtime_engines import engine, start, step


def block(*numbers):
    return np.array([numbers], np.int64)


@pytest.mark.parametrize("lookahead", range(4))
def test_buffers_rotate_through_lookahead_and_two(lookahead):
    made = engine(lookahead=lookahead, ring=4, slots=20).staging
    turns = []
    for _ in range(3 * (lookahead + 2)):
        turns.append(made.next())
        assert made.next() is turns[-1], "a launch that fails leaves it the next one"
        made.advance()
    assert len({id(buffer) for buffer in turns}) == lookahead + 2
    assert turns == turns[: lookahead + 2] * 3


def test_a_block_and_its_tail_land_as_one_run_of_numbers():
    buffer = Buffer(8, "cpu")
    buffer.fill(np.array([[1, 2], [3, 4]]), np.array([5, 6, 7]))
    assert buffer.land().tolist() == [1, 2, 3, 4, 5, 6, 7]
    buffer.fill(np.array([[9], [8]]))
    assert buffer.land().tolist() == [9, 8]


def test_a_buffer_is_written_again_only_behind_its_event():
    stream, staging, landed = Simulated(), Staging(4, 2, "cpu"), []
    for number in range(5):
        buffer = staging.next()
        staging.advance()
        buffer.fill(block(number))
        # With two buffers, the one in turn was used the time before last: at most one copy may be outstanding.
        assert stream.performed >= number - 1
        buffer.copied = stream.submit(lambda buffer=buffer: landed.append(buffer.land().clone()))
    stream.close()
    assert [numbers.tolist() for numbers in landed] == [[0], [1], [2], [3], [4]]


def test_without_the_event_the_former_contents_would_be_lost():
    """What the event is for: this is the planted fault that the test above would see."""
    stream, staging, landed = Simulated(), Staging(4, 2, "cpu"), []
    for number in range(5):
        buffer = staging.next()
        staging.advance()
        buffer.fill(block(number))
        stream.submit(lambda buffer=buffer: landed.append(buffer.land().clone()))
    stream.close()
    assert [numbers.tolist() for numbers in landed] == [[4], [3], [4], [3], [4]]


class Landings(ExactModel):
    """Remembers where the columns of each decode batch had landed."""

    def __init__(self):
        super().__init__()
        self.places = []

    def absorb(self, pool, working, tokens):
        self.places.append(working.data_ptr())
        return super().absorb(pool, working, tokens)


@pytest.mark.parametrize("lookahead", range(4))
def test_the_engine_never_waits_for_a_buffer_while_the_window_is_open(lookahead):
    """With the window full and the device at rest, the next launch needs one result, not one more."""
    stream = Simulated()
    made = engine(stream, lookahead=lookahead, ring=4, slots=20)
    made.model = Landings()
    seat = start(made)
    for _ in range(11):
        if len(made.pending) > lookahead:
            step(made)
        performed = stream.performed
        made.decode(np.array([seat]))
        assert stream.performed == performed, "launching waited for the device"
    while made.pending:
        step(made)
    assert len(set(made.model.places)) == lookahead + 2


def test_an_engine_with_a_buffer_too_few_waits_for_it_and_loses_nothing():
    """The event is what keeps a buffer whole; the number of buffers only keeps the host from waiting."""
    stream = Simulated()
    made = engine(stream, lookahead=3, ring=4, slots=20)
    made.staging = Staging(100, 1, "cpu")
    seat = start(made, first=5, length=3)
    for _ in range(3):
        made.decode(np.array([seat]))
    assert stream.performed == 3
    while made.pending:
        step(made)
    assert made.table.tokens[seat, :7].tolist() == list(text(5, 7)[0])


def test_a_step_reaches_the_device_in_one_copy(monkeypatch):
    made = engine()
    seats = np.array([start(made)])
    landings = []
    original = Buffer.land

    def land(buffer):
        landings.append(buffer.used)
        return original(buffer)

    monkeypatch.setattr(Buffer, "land", land)
    made.decode(seats)
    assert landings == [len(ROW_COLUMNS)]


def test_memory_is_pinned_only_for_an_accelerator():
    for device in ("cpu", "meta"):
        buffer = Buffer(3, device)
        assert not buffer._host.is_pinned()
        buffer.fill(block(1, 2))
        assert buffer.land().device == torch.device(device)
