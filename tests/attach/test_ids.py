"""Ids that lie on a device: the engine's thread only asks for a copy, and lines wait for it in their order."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import ClassVar

import pytest
from slotproof_attach.ids import Arriving, ids_of
from slotproof_attach.lines import Lines
from slotproof_attach.trace_file import TraceFile


class OnDevice:
    """A tensor on a device of its own: whoever reads its numbers without a copy, or too early, fails."""

    is_cpu = False
    device = "device:0"

    def __init__(self, numbers, arrived=None):
        self.numbers, self.arrived = list(numbers), arrived

    def reshape(self, _shape):
        return self

    def to(self, where, non_blocking=False):
        if where == "int64":
            return self
        assert (where, non_blocking) == ("cpu", True), "a copy that blocks waits for the device"
        return OnDevice(self.numbers, self.arrived or STREAM)

    def tolist(self):
        assert self.arrived is not None, "read from the device"
        assert self.arrived.is_set(), "read before it has arrived"
        return self.numbers


STREAM = threading.Event()


class Event:
    waited_in: ClassVar[list[str]] = []

    def record(self):
        pass

    def synchronize(self):
        Event.waited_in.append(threading.current_thread().name)
        STREAM.wait()


@pytest.fixture
def device(monkeypatch):
    torch = SimpleNamespace(
        int64="int64",
        cat=lambda parts: OnDevice([number for part in parts for number in part.numbers]),
        get_device_module=lambda _device: SimpleNamespace(Event=Event),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    STREAM.clear()
    Event.waited_in.clear()


def test_ids_on_the_host_are_read_at_once():
    torch = pytest.importorskip("torch")
    ring = torch.tensor([4, -1])
    found = ids_of(torch.tensor(3), ring)
    ring[1] = 9
    assert found == [3, 4, -1]


def test_lines_wait_for_ids_in_their_order_and_the_engine_for_nothing(device, tmp_path):
    file = TraceFile(str(tmp_path / "run.ndjson"), Lines().of)
    file.notes.append(("header", {"trace": 2}))
    ids = ids_of(OnDevice([1]), OnDevice([2, 3]))
    assert isinstance(ids, Arriving)
    file.notes += [("free", [7], False), ("free", ids, False), ("free", [8], False)]
    assert Event.waited_in == []
    writer = threading.Thread(target=file.drain, name="writer")
    writer.start()
    writer.join(0.2)
    assert writer.is_alive(), "the writer waits for the copy"
    STREAM.set()
    writer.join(5)
    assert Event.waited_in == ["writer"]
    freed = [line for line in (tmp_path / "run.ndjson").read_text().splitlines() if "free" in line]
    assert [line[line.index("[") : line.index("]") + 1] for line in freed] == ["[7]", "[1,2,3]", "[8]"]
