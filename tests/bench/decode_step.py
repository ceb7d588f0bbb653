"""What the bookkeeping of a decode step costs on one CPU thread, beside a naive implementation of the same protocol.

Usage: python -m tests.bench.decode_step [--steps 300]

A step is preparation plus result side, overlapped by one: columns packed and staged for the device, claims, labels,
frees. Nothing of the device is measured: a stream drops its work, and the model has no layers. The naive one
(tests/bench/naive_tracker.py) loops over an object for each request. A time is the lowest of five medians, since other
work on the machine only ever adds to it. Fails if a label is wrong after all those steps: fast and wrong says nothing.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import torch

from runtime.config import Config
from runtime.engine import Engine
from runtime.pool import RING, SlotPool
from runtime.streams import Inline
from tests.bench.naive_tracker import NaiveTracker, Pool

CURVE = (1, 16, 256, 1024, 4096)
PER_REQUEST = 3
"""Slots of an eager request with a ring of two."""


class Dropping:
    """A stream that drops the work: what the host does is all that is left. For benches only."""

    _done = Inline().submit(lambda: None)

    def submit(self, work):
        return self._done

    def close(self):
        pass


class NoModel:
    """A model without layers; its work is never performed."""

    layers = ()


def settings(requests, mode, boundary, steps):
    """Every row of every step on a boundary, or none of any."""
    interval = 1 if boundary else 1 << 20
    ring = 3 if boundary else 2
    # Room for full rings, and for one checkpoint of each that the cache keeps from the prefill.
    slots = requests * (ring + 2)
    length = steps + 16
    return Config(requests=requests, slots=slots, max_len=length, interval=interval, mode=mode, ring=ring, lookahead=1)


def typical(turn, steps):
    """The lowest of five medians of the time that a turn takes, in microseconds."""
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        turn()
        times.append(time.perf_counter() - start)
    size = len(times) // 5
    return min(statistics.median(times[first : first + size]) for first in range(0, 5 * size, size)) * 1e6


def ours(requests, mode, boundary, steps):
    """Microseconds that a step costs in the runtime."""
    engine = Engine(settings(requests, mode, boundary, steps), NoModel(), Dropping())
    for number in range(requests):
        engine.prefill(engine.admit(str(number), np.array([number])))
        engine.process(np.zeros(1, np.int64), np.zeros(1, bool))
    seats, tokens, finishes = np.arange(requests), np.zeros(requests, np.int64), np.zeros(requests, bool)
    engine.decode(seats)

    def turn():
        engine.decode(seats)
        engine.process(tokens, finishes)

    found = typical(turn, steps)
    assert int(engine.table.decode_count.min()) == steps + 1
    assert int(engine.table.last_len.min()) == (steps + 1 if boundary else -1)
    return found


def naive(requests, mode, boundary, steps):
    """The same for the naive tracker."""
    tracker = NaiveTracker(settings(requests, mode, boundary, steps))
    running = []
    for number in range(requests):
        running.append(tracker.admit(str(number), [number]))
        tracker.prefill(running[-1])
        tracker.process([0], [False])
    tokens, finishes = [0] * requests, [False] * requests
    tracker.decode(running)

    def turn():
        tracker.decode(running)
        tracker.process(tokens, finishes)

    found = typical(turn, steps)
    assert {request.last_len for request in running} == {steps + 1 if boundary else -1}
    return found


def allocation(slots, steps):
    """Microseconds a request for taking its slots and giving them back, 256 requests at a time: ours, naive."""
    requests = 256
    pool = SlotPool(slots)
    seats = np.repeat(np.arange(requests), PER_REQUEST)

    def turn():
        pool.give_back(pool.take(requests * PER_REQUEST, RING, seats), RING, seats)

    plain = Pool(slots)

    def naive_turn():
        taken = [[plain.take(request) for _ in range(PER_REQUEST)] for request in range(requests)]
        for held in taken:
            for slot in held:
                plain.give_back(slot)

    return typical(turn, steps) / requests, typical(naive_turn, steps) / requests


def admission(mode, steps):
    """Microseconds for a request that is admitted and aborted, by itself: ours, naive."""
    config = settings(256, mode, False, 1)
    engine, tracker = Engine(config, NoModel(), Dropping()), NaiveTracker(config)
    prompt, plain_prompt = np.arange(8), list(range(8))
    return (
        typical(lambda: engine.abort(engine.admit("r", prompt)), steps),
        typical(lambda: tracker.release(tracker.admit("r", plain_prompt)), steps),
    )


def hooks(steps):
    """Microseconds a step for hooks that do nothing: one of each that a step may call."""
    engine = Engine(settings(256, "lazy", True, 1), NoModel(), Dropping())
    nothing = [None] * 4
    loops = 1000

    def turn():
        for _ in range(loops):
            engine.notices.note("prepare", None)
            engine.notices.deliver()
            engine.notices.note("free", None)
            engine.notices.note("process", *nothing)
            engine.notices.deliver()

    def bare():
        for _ in range(loops):
            pass

    return (typical(turn, steps) - typical(bare, steps)) / loops


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300, help="steps of each measurement")
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    table = "{:<58}{:>10}{:>10}{:>8}"
    print(table.format("microseconds, one thread", "runtime", "naive", "ratio"))

    def line(name, runtime, plain):
        print(table.format(name, f"{runtime:.2f}", f"{plain:.2f}", f"{runtime / plain:.3f}"), flush=True)

    def step(requests, mode, boundary, count):
        rows = "all rows" if boundary else "no row"
        costs = [kind(requests, mode, boundary, count) for kind in (ours, naive)]
        line(f"decode step, {requests} requests, {mode}, {rows} on a boundary", *costs)
        return costs[0]

    for mode in ("eager", "lazy"):
        for boundary in (False, True):
            step(256, mode, boundary, steps)
    for mode, boundary in (("eager", False), ("lazy", True)):
        costs = {requests: step(requests, mode, boundary, min(steps, 100)) for requests in CURVE}
        print(
            f"    4096 requests cost {costs[4096] / costs[256]:.1f} times what 256 do, 256 {costs[256] / costs[1]:.1f} "
            "times what one does"
        )
    for slots in (1_024, 65_536):
        line(f"a request's slots taken and given back, of {slots}", *allocation(slots, steps))
    line("a whole request admitted and aborted, eager", *admission("eager", steps))
    print(f"{'hooks of a step when nobody observes':<58}{hooks(max(5, steps // 10)):>10.2f}")


if __name__ == "__main__":
    main()
