"""Bookkeeping never reads from the device: a read fails under a dispatch mode, and `meta` has nothing to read."""

import numpy as np
import pytest
import torch

from runtime import device_ops, tracking
from runtime.exact_model import ExactModel
from runtime.observer import Observer
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Inline, Simulated
from tests.support.no_device_read import DeviceRead, NoDeviceRead
from tests.support.runtime_engines import BySeat, by_handle, config, prompt

READS = {
    "item": lambda tensor: tensor[0].item(),
    "int": lambda tensor: int(tensor[0]),
    "bool": lambda tensor: bool(tensor[0] > 0),
    "condition": lambda tensor: 1 if (tensor < 0).any() else 2,
    "equal": lambda tensor: torch.equal(tensor, tensor + 1),
    "nonzero": lambda tensor: tensor.nonzero(),
    "mask": lambda tensor: tensor[tensor > 0],
    "unique": torch.unique,
}


@pytest.mark.parametrize("read", READS)
def test_the_mode_sees_every_kind_of_read(read):
    tensor = torch.tensor([1, 2, 3])
    with NoDeviceRead(), pytest.raises(DeviceRead):
        READS[read](tensor)


@pytest.mark.parametrize("read", [lambda tensor: tensor.to("cpu"), lambda tensor: torch.empty(3).copy_(tensor)])
def test_the_mode_or_the_device_refuses_a_copy_to_the_host(read):
    with NoDeviceRead("meta"), pytest.raises((DeviceRead, NotImplementedError)):
        read(torch.empty(3, device="meta"))


def requests(count=12):
    return [
        GenerationRequest(f"r{number}", prompt((3, 5, 7)[number % 3], 1 + number % 6), 1 + number % 7)
        for number in range(count)
    ]


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("stream", [Inline, Simulated])
def test_a_scheduler_run_reads_nothing(mode, stream):
    scheduler = Scheduler(by_handle(stream(), mode=mode))
    for request in requests():
        scheduler.submit(request)
    with NoDeviceRead() as watch:
        scheduler.run_overlapped()
    assert len(scheduler.done) == 12
    assert watch.calls > 100


def made_up(made, steps=40):
    """Drive an engine through every method with tokens that no device produced; nothing asks for a batch's own."""
    rng = np.random.default_rng(4)
    names = iter(range(1000))
    finished = 0
    for _ in range(steps):
        while (seat := made.admit(f"r{next(names)}", np.arange(rng.integers(1, 9)) + rng.integers(2))) >= 0:
            if rng.random() < 0.1:
                made.abort(seat)
                continue
            if len(made.pending) >= made.config.window:
                finished += answer(made, rng)
            made.prefill(seat)
        if len(made.pending) >= made.config.window:
            finished += answer(made, rng)
        made.decode(((made.table.phase == 2) & (made.table.seq_len < 30)).nonzero()[0])
        running = (made.table.phase == 2).nonzero()[0]
        if len(running) and rng.random() < 0.1:
            made.abort(int(running[0]))
        while made.table.seq_len.max() >= 30 and made.pending:
            finished += answer(made, rng, 1.0)
    while made.pending:
        finished += answer(made, rng)
    return finished


def answer(made, rng, rate=0.2):
    rows = made.pending[0].rows
    finishes = rng.random(len(rows)) < rate
    made.process(rng.integers(0, 9, len(rows)), finishes)
    return int(finishes.sum())


class Published(Observer):
    """Counts what the cache was handed."""

    stored = 0

    def publish(self, seat, slot, length, stored):
        self.stored += stored


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("without_spare", ["overwrite", "skip"])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_all_bookkeeping_runs_without_a_device_to_read(mode, without_spare, device):
    settings = config(mode=mode, without_spare=without_spare, slots=12 if mode == "eager" else 7, device=device)
    counter = Published()
    made = BySeat(settings, ExactModel(), observer=counter)
    with NoDeviceRead(device):
        assert made_up(made) > 10
    assert counter.stored > 3
    assert not made.pool.claims.any()
    assert {tensor.device.type for tensor in made.states.tensors()} == {device}


def planted_copy(pool, sources, targets):
    if (sources < 0).any():
        return
    for tensor in pool.tensors():
        tensor[targets] = tensor[sources]


class PlantedCompletion(tracking.Tracker):
    """Asks the device for what the row has on the host already."""

    def complete(self, batch):
        if len(batch.rows):
            int(batch.produced[0])
        return super().complete(batch)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("fault", ["device work", "result side"])
def test_a_planted_read_is_found(monkeypatch, device, fault):
    if fault == "device work":
        monkeypatch.setattr(device_ops, "copy_states", planted_copy)
    made = BySeat(config(device=device), ExactModel())
    if fault == "result side":
        made.tracker.__class__ = PlantedCompletion
    with NoDeviceRead(device), pytest.raises(DeviceRead):
        made_up(made)


def test_a_planted_read_is_found_on_meta_without_the_mode(monkeypatch):
    monkeypatch.setattr(device_ops, "copy_states", planted_copy)
    with pytest.raises(RuntimeError, match="meta tensors"):
        made_up(BySeat(config(device="meta"), ExactModel()))
