"""Traces that are long in one way only: no corner is quadratic, and memory does not grow with the length of a trace."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from checker.traces.judge import Judge, judge_trace
from checker.traces.reading import read_trace
from tests.support.small_trace2 import (
    ALL,
    EAGER,
    STOP,
    admit,
    begin,
    decode,
    end,
    free,
    launch,
    prefill,
    process,
    publish,
    result,
    take,
    write,
)
from tests.support.toy_recorder import toy_trace

BOUND = 5.0
"""CPU seconds; each takes about a tenth of it."""
WIDE = EAGER | {"slots": 60_000, "lookahead": 30_000, "knows": [*ALL, "transfers", "sessions"]}


def wrong_publications():
    yield from begin("A", 1, [2, 3])
    yield launch(0, prefill("A", 1, 0, 4))
    for number in range(16_000):
        yield take("A", 100 + number)
        yield publish("A", 100 + number, 4)


def pending_marks():
    yield from begin("A", 1, [2, 3])
    yield launch(0, prefill("A", 1, 0, 1))
    for number in range(1, 20_000):
        yield launch(number, decode("A", 1, number + 1, (number + 1, 2 + number % 2)))


def finishes_in_one_result():
    names = [f"R{number}" for number in range(200)]
    for number, name in enumerate(names):
        yield from begin(name, 10 + number)
    yield launch(0, *(prefill(name, 10 + number, 0, 3) for number, name in enumerate(names)))
    yield process(0, *(result(name, done=True) for name in names))
    for number, name in enumerate(names):
        yield free(10 + number)
        yield end(name)


def many_sessions():
    for number in range(5_000):
        name, slot = f"R{number}", 10 + number
        yield {"e": "session", "op": "open", "s": f"S{number}"}
        yield from begin(name, slot)
        yield {"e": "session", "op": "take", "s": f"S{number}", "r": name, "working": slot}
        yield launch(number, prefill(name, slot, 0, 3))
        yield process(number, result(name, done=True))
        yield {"e": "session", "op": "end", "s": f"S{number}", "r": name, "working": slot, "covers": 3}
        yield end(name)


def many_transfers():
    for number in range(5_000):
        slot = 10 + number
        yield {"e": "transfer", "op": "queue", "t": number, "dir": "d2h", "slot": slot, "host": number, "len": 4}
    for op in ("submit", "ack"):
        for number in range(5_000):
            yield {"e": "transfer", "op": op, "t": number, "dir": "d2h", "slot": 10 + number, "host": number, "len": 4}


CORNERS = [wrong_publications, pending_marks, finishes_in_one_result, many_sessions, many_transfers]


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner.__name__)
def test_no_corner_is_quadratic(corner, tmp_path: Path):
    path = write(tmp_path / "corner.ndjson", WIDE, [*corner(), STOP])
    start = time.process_time()
    verdict = judge_trace(path)
    assert time.process_time() - start < BOUND
    assert verdict.outcome == ("bad" if corner is wrong_publications else "good")


def rounds(count: int):
    """Requests that finish, or are aborted with a row pending; each is written back and verifies."""
    b = -1
    for number in range(count):
        name = f"R{number}"
        yield from [take(name, 1, 2, 3), admit(name, 1, [2, 3])]
        b += 1
        yield launch(b, prefill(name, 1, 0, 4, (4, 2)))
        yield process(b, result(name))
        transfer = {"e": "transfer", "t": f"T{number}", "dir": "d2h", "slot": 2, "host": 7, "len": 4}
        yield from [transfer | {"op": "queue"}, transfer | {"op": "submit", "after": b}, transfer | {"op": "ack"}]
        b += 1
        row = {"r": name, "kind": "verify", "low": 4, "high": 8, "tokens": 4, "may": [None, 3], "reads": 1, "writes": 1}
        yield launch(b, row)
        if number % 2:
            yield from [free(1, 2, 3), end(name, "abort"), process(b, result(name, skipped=True))]
        else:
            yield process(b, result(name, done=True, accepted=4, retained=4))
            yield from [publish(name, 3, 8), free(1, 2), end(name), {"e": "evict", "slot": 3}]


def test_memory_is_bounded_by_slots_and_running_requests_in_format_2(tmp_path: Path):
    header = EAGER | {"interval": 4, "window": 4, "crossing": "planned", "knows": [*ALL, "transfers", "sessions"]}
    reader = read_trace(write(tmp_path / "rounds.ndjson", header, rounds(2_000)))
    judge = Judge(reader.header)
    sizes = []
    for line, event in reader:
        judge.feed(line, event)
        if line % 1_000 == 0:
            sizes.append(held(judge))
    assert len(sizes) > 15
    assert max(sizes) < 100
    assert judge.result().violations == []


@pytest.mark.parametrize("kind", ["sessions", "transfers", "verify"])
def test_memory_is_bounded_in_long_runs_of_every_kind(kind, tmp_path: Path):
    lines, _ = toy_trace("long", kind, steps=3_000)
    reader = read_trace(write(tmp_path / "long.ndjson", lines[0], lines[1:]))
    judge = Judge(reader.header)
    for line, event in reader:
        judge.feed(line, event)
        assert len(judge.batches) <= reader.header.lookahead + 1
        if line % 500 == 0:
            assert held(judge) < 900, line


def held(judge: Judge) -> int:
    """How many things a judge remembers, but for what it has found."""
    slots, lives = judge.slots.values(), judge.lives.values()
    return (
        len(slots)
        + sum(len(slot.pending) for slot in slots)
        + len(lives)
        + sum(len(life.verifies) + len(life.claims) + len(life.owned) for life in lives)
        + len(judge.arrivals)
        + len(judge.records)
        + len(judge.pins)
        + len(judge.hosts)
        + len(judge.batches)
    )
