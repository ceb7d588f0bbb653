"""Streams perform work in the order in which it was submitted, and whoever waits hears what went wrong."""

import threading

import pytest

from runtime.streams import Inline, Interrupted, Simulated, Worker

STREAMS = [Inline, Worker, Simulated]


class Broken(Exception):
    pass


def breaks():
    raise Broken("by the device")


@pytest.mark.parametrize("kind", STREAMS)
def test_work_is_performed_in_order(kind):
    stream, order = kind(), []
    events = [stream.submit(lambda number=number: order.append(number)) for number in range(20)]
    events[7].wait()
    assert order[:8] == list(range(8))
    assert all(event.done() for event in events[:8])
    stream.close()
    assert order == list(range(20))
    assert all(event.done() for event in events)
    events[19].wait()


@pytest.mark.parametrize("kind", STREAMS)
def test_an_error_surfaces_at_whoever_waits_or_asks_and_later_work_goes_on(kind):
    stream, order = kind(), []
    before = stream.submit(lambda: order.append(1))
    failed = stream.submit(breaks)
    after = stream.submit(lambda: order.append(2))
    with pytest.raises(Broken):
        failed.wait()
    with pytest.raises(Broken):
        failed.done()
    with pytest.raises(Broken):
        failed.wait()
    before.wait()
    after.wait()
    assert order == [1, 2]
    assert after.done()
    stream.close()


@pytest.mark.parametrize("kind", STREAMS)
def test_closing_twice_is_nothing(kind):
    stream = kind()
    stream.submit(lambda: None)
    stream.close()
    stream.close()


def test_a_closed_worker_refuses_work_instead_of_never_performing_it():
    stream = Worker()
    stream.close()
    with pytest.raises(RuntimeError, match="closed"):
        stream.submit(lambda: None)


def test_a_worker_runs_beside_the_host():
    stream, gate, names = Worker(), threading.Event(), []
    waiting = stream.submit(lambda: (gate.wait(), names.append(threading.current_thread().name)))
    assert not waiting.done()
    gate.set()
    waiting.wait()
    assert names == ["device"]
    assert threading.current_thread().name != "device"
    stream.close()


def test_a_simulated_device_does_nothing_until_it_is_told():
    stream, order = Simulated(), []
    events = [stream.submit(lambda number=number: order.append(number)) for number in range(3)]
    assert (order, stream.waiting, stream.performed) == ([], 3, 0)
    assert [event.done() for event in events] == [False, False, False]
    stream.advance()
    assert (order, stream.waiting, stream.performed) == ([0], 2, 1)
    assert [event.done() for event in events] == [True, False, False]
    later = stream.submit(lambda: order.append(3))
    events[1].wait()
    assert (order, later.done()) == ([0, 1], False)
    later.wait()
    assert order == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="nothing to do"):
        stream.advance()


def test_a_simulated_device_that_fails_is_told_by_advance_too():
    stream = Simulated()
    failed = stream.submit(breaks)
    following = stream.submit(lambda: None)
    with pytest.raises(Broken):
        stream.advance()
    assert not following.done()
    with pytest.raises(Broken):
        failed.done()
    stream.advance()
    assert following.done()


def test_whoever_waits_hears_of_their_own_work_only():
    stream, order = Simulated(), []
    failed = stream.submit(breaks)
    following = stream.submit(lambda: order.append(1))
    following.wait()
    assert order == [1]
    with pytest.raises(Broken):
        failed.wait()


@pytest.mark.parametrize("kind", [Worker, Simulated])
def test_work_that_is_ended_is_told_from_an_interrupt_of_who_waits(kind):
    def exits():
        raise KeyboardInterrupt

    stream = kind()
    event = stream.submit(exits)
    with pytest.raises(Interrupted, match="ended by KeyboardInterrupt"):
        event.wait()
    stream.close()
