"""Wrong runs that mutated traces have shown to go unnoticed, each in its smallest form: the judge calls it bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.traces.judge import judge_trace
from checker.traces.reading import BadTrace
from tests.support.small_trace2 import (
    ALL,
    EAGER,
    NONE,
    admit,
    begin,
    decode,
    end,
    free,
    judged,
    launch,
    prefill,
    process,
    publish,
    result,
    take,
    write,
)

KNOWING = {"knows": [*ALL, "transfers", "sessions"]}
A = begin("A", 1, [2, 3])
RUNNING = [*A, launch(0, prefill("A", 1, 0, 4, (4, 2))), process(0, result("A", ring=[2, 3]))]
VERIFY = {"interval": 4, "window": 4, "crossing": "planned"}


def verify(low: int, high: int, tokens: int, may: list) -> dict:
    row = {"r": "A", "kind": "verify", "low": low, "high": high, "tokens": tokens, "may": may}
    return row | {"reads": 1, "writes": 1}


def transfer(op: str, name: int, slot: int, host: int, **more) -> dict:
    return {"e": "transfer", "op": op, "t": name, "dir": "d2h", "slot": slot, "host": host, "len": 4} | more


BAD = {
    "a slot that another has taken, though nobody frees": (
        EAGER | {"knows": ["takes", "copies"]},
        [take("B", 7), admit("A", 7), launch(0, prefill("A", 7, 0, 3))],
    ),
    "a publication by a request of which nothing else is known, of a slot that is another's": (
        EAGER,
        [*RUNNING, publish("X", 2, 4)],
    ),
    "a free slot, published by nobody": (EAGER, [*RUNNING, take("A", 9), free(9), publish("X", 9, 4)]),
    "a slot that nothing was written into, published by nobody": (
        EAGER | KNOWING,
        [take("A", 9), {"e": "publish", "slot": 9, "len": 4, "stored": True}],
    ),
    "a replacement that is free": (EAGER, [*RUNNING, take("A", 9), free(9), publish("A", 2, 4, replaced_by=9)]),
    "a replacement that is reserved": (EAGER | {"reserved": [0]}, [*RUNNING, publish("A", 2, 4, replaced_by=0)]),
    "a replacement that is what it replaces": (EAGER, [*RUNNING, publish("A", 2, 4, replaced_by=2)]),
    "a mark into no slot at all, at a position that has one": (
        EAGER,
        [*A, launch(0, prefill("A", 1, 0, 4, None, marks=[{"len": 4, "slot": None, "pos": 0}], ring=[2, 3]))],
    ),
    "a row of a request that is over and whose slots no line names": (
        NONE,
        [
            *begin("A", 1),
            launch(0, prefill("A", 1, 0, 4)),
            {"e": "end", "r": "A", "why": "finish"},
            launch(1, decode("A", 1, 5, None, writes=0)),
        ],
    ),
    "a ring that is shown with a slot that has been freed": (
        EAGER,
        [*RUNNING, free(3, during=0), launch(1, decode("A", 1, 5)), process(1, result("A", ring=[2, 3]))],
    ),
    "a ring that is shown as it was, with a slot that another has": (
        EAGER | {"knows": ["takes", "copies"]},
        [*RUNNING, take("B", 3), launch(1, decode("A", 1, 5, None, same=True)), process(1, result("A", same=True))],
    ),
    "a hit of a slot that is somebody's and was never published": (
        EAGER | {"knows": ["copies"]},
        [*RUNNING, admit("B", 5, hit={"slot": 2, "len": 4})],
    ),
    "a start from a reserved slot": (
        EAGER | {"reserved": [0]},
        [*RUNNING, launch(1, decode("A", 1, 5, None, reads=0))],
    ),
    "a copy of a cached state for a request that has hit nothing": (
        EAGER,
        [
            *RUNNING,
            publish("A", 2, 4),
            *begin("B", 5),
            launch(1, prefill("B", 5, 4, 6), copies=[{"from": 2, "to": 5, "len": 4, "r": "B"}]),
        ],
    ),
    "a copy into no slot": (
        EAGER,
        [*RUNNING, launch(1, copies=[{"from": 1, "to": None, "len": 4, "r": "A"}])],
    ),
    "a clear of what is no slot": (EAGER, [*RUNNING, launch(1, clears=[99])]),
    "a verify that may write what is no slot": (EAGER | VERIFY, [*RUNNING, launch(1, verify(4, 8, 4, [None, 99]))]),
    "a verify whose bounds leave out where it starts": (
        EAGER | VERIFY,
        [
            *RUNNING,
            launch(1, verify(4, 8, 4, [None, None])),
            launch(2, verify(7, 12, 4, [None, None])),
            process(1, result("A", accepted=1, retained=1)),
            process(2, result("A", accepted=1, retained=1)),
        ],
    ),
    "a second transfer of one name": (
        EAGER | KNOWING,
        [*RUNNING, transfer("queue", 1, 2, 7), transfer("queue", 1, 3, 8)],
    ),
    "a slot that goes while a transfer that was never queued reads it": (
        EAGER | KNOWING,
        [*RUNNING, transfer("submit", 1, 3, 7, after=0), free(3)],
    ),
    "a replacement of a request of which nothing else is known, that is another's": (
        EAGER,
        [*RUNNING, take("X", 9), publish("X", 9, 4, replaced_by=3)],
    ),
    "a slot of the cache that a row writes once more, as its working slot": (
        NONE,
        [
            *begin("A", 1),
            launch(0, prefill("A", 1, 0, 4)),
            publish("A", 1, 4, shared=True),
            launch(1, prefill("A", 1, 0, 4)),
        ],
    ),
    "a publication that names no request, and a ring that is as it was": (
        EAGER,
        [*RUNNING, publish(None, 2, 4, during=None), launch(1, decode("A", 1, 5, None, same=True)), process(1)],
    ),
    "a mark at a position that the last ring that was shown has empty": (
        EAGER | {"mode": "lazy"},
        [*begin("A", 1, [2, None]), launch(0, prefill("A", 1, 0, 4, (4, 2), same=True) | {"pos": 1})],
    ),
    "a row of a request whose result was applied after its end": (
        EAGER,
        [
            *RUNNING,
            launch(1, decode("A", 1, 5)),
            end("A", "abort"),
            process(1, result("A")),
            launch(2, decode("A", 1, 6)),
        ],
    ),
    "a row of a name that is over, has slots again, and is not admitted": (
        NONE,
        [
            *begin("A", 1),
            launch(0, prefill("A", 1, 0, 4)),
            process(0, result("A", done=True)),
            free(1),
            end("A"),
            take("A", 1),
            launch(1, decode("A", 1, 5)),
        ],
    ),
    "a copy for a request that was never heard of, into another's slot": (
        EAGER | {"knows": ["takes", "frees", "ends", "copies"]},
        [*RUNNING, launch(1, copies=[{"from": 1, "to": 3, "len": 4, "r": "X"}])],
    ),
    "a start of a request that runs from what another has published": (
        EAGER,
        [
            *RUNNING,
            publish("A", 2, 4, during=0),
            take("B", 5, 6, 7),
            {"e": "admit", "r": "B", "working": 5, "ring": [6, 7]},
            launch(1, prefill("B", 5, 0, 4)),
            launch(2, decode("B", 5, 5, None, reads=2)),
        ],
    ),
    "a verify whose slot is known although copies are not": (
        EAGER | VERIFY | {"knows": ["takes", "frees"]},
        [
            *RUNNING,
            launch(1, verify(4, 8, 4, [None, 3])),
            process(1, result("A", accepted=4, retained=4)),
            publish("A", 3, 6),
        ],
    ),
    "an end of a transfer that was never queued, of a slot that another transfer has": (
        EAGER | KNOWING,
        [*RUNNING, transfer("queue", 1, 2, 7), transfer("ack", 2, 2, 8)],
    ),
    "a session that two requests take": (
        EAGER | KNOWING,
        [
            *A,
            *begin("B", 5, [6, 7]),
            {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2, 3]},
            {"e": "session", "op": "take", "s": "S", "r": "B", "working": 5, "ring": [6, 7]},
        ],
    ),
    "a turn that another request ends": (
        EAGER | KNOWING,
        [
            *A,
            {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2, 3]},
            {"e": "session", "op": "end", "s": "S", "r": "B", "working": 1, "ring": [2, 3]},
        ],
    ),
    "a turn of a request that runs on slots of its own": (
        EAGER | KNOWING,
        [*RUNNING, {"e": "session", "op": "open", "s": "S"}, {"e": "session", "op": "borrow", "s": "S", "r": "A"}],
    ),
    "a checkpoint of a session at a position that is empty": (
        EAGER | KNOWING | {"mode": "lazy"},
        [
            *begin("A", 1, [2, None]),
            {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2, None]},
            launch(0, prefill("A", 1, 0, 4, (4, 2))),
            process(0, result("A", done=True)),
            {"e": "session", "op": "end", "s": "S", "r": "A", "ring": [2, None], "last": 1, "last_len": 4},
        ],
    ),
    "a slot of a session's turn that another takes, in a ring that is shown": (
        EAGER | {"knows": ["takes", "copies", "sessions"]},
        [
            *A,
            {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2, 3]},
            launch(0, prefill("A", 1, 0, 4)),
            take("B", 3),
            process(0, result("A", ring=[2, 3])),
        ],
    ),
    "a session that is lent twice before a turn is admitted": (
        EAGER | KNOWING,
        [
            *A,
            {"e": "session", "op": "open", "s": "S"},
            {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2, 3], "next": 0, "last": 1},
            launch(0, prefill("A", 1, 0, 4)),
            process(0, result("A", done=True)),
            {"e": "session", "op": "end", "s": "S", "r": "A", "working": 1, "ring": [2, 3], "next": 0, "last": 1},
            {"e": "end", "r": "A", "why": "finish"},
            {"e": "session", "op": "borrow", "s": "S", "r": "B"},
            {"e": "session", "op": "borrow", "s": "S", "r": "C"},
        ],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_bad(name, tmp_path: Path):
    header, lines = BAD[name]
    assert judged(tmp_path, header, *lines).outcome == "bad"


@pytest.mark.parametrize("line", [free(9, during=1), publish("A", 2, 4, during=1), launch(1, clears=[9])])
def test_a_key_twice_is_refused_whatever_else_is_left_out(line, tmp_path: Path):
    path = write(tmp_path / "twice.ndjson", EAGER, [*RUNNING, line])
    key = list(line)[-1]
    text = json.dumps(line)
    twice = f'{{"{key}": {json.dumps(line[key])}, {text[1:]}'
    path.write_text(path.read_text(encoding="utf-8").replace(text, twice), encoding="utf-8")
    with pytest.raises(BadTrace, match="stands there twice"):
        judge_trace(path)


def test_a_ring_of_another_length_is_refused_wherever_it_stands(tmp_path: Path):
    record = {"e": "session", "op": "take", "s": "S", "r": "A", "working": 1, "ring": [2]}
    late = launch(1, decode("A", 1, 5, None, marks=[{"len": 5, "slot": 3, "pos": 1}], ring=[3]))
    for line in (record, late):
        with pytest.raises(BadTrace, match="a ring of 1 positions"):
            judge_trace(write(tmp_path / "ring.ndjson", EAGER, [*RUNNING, line]))


def test_what_a_request_gives_back_and_shows_no_more_is_fine(tmp_path: Path):
    end = [result("A", ring=[2, None])]
    verdict = judged(
        tmp_path, EAGER, *RUNNING, launch(1, decode("A", 1, 5)), free(3, during=1), process(1, *end), stop=False
    )
    assert verdict.violations == []


def test_a_replacement_may_be_taken_after_the_publication(tmp_path: Path):
    lines = [*RUNNING, publish("A", 2, 4, replaced_by=9), launch(1, decode("A", 1, 5)), process(1, result("A"))]
    assert judged(tmp_path, EAGER, *lines, stop=False).violations == []


def test_a_moved_key_goes_by_who_works_there_and_not_by_who_has_left(tmp_path: Path):
    header = NONE | {"knows": ["takes", "frees", "copies"]}
    left = [*begin("A", 5), launch(0, prefill("A", 5, 0, 2)), free(5)]
    runs = [take("B", 5), admit("B", 5), launch(1, prefill("B", 5, 0, 4)), process(0, result("A", skipped=True))]
    moves = [process(1, result("B")), publish("B", 5, 4, shared=True), take("B", 7)]
    copied = {"e": "copy", "from": 5, "to": 7, "len": 4, "after": 1, "r": "B"}
    rest = [copied, {"e": "rekey", "from": 5, "to": 7}, launch(2, decode("B", 5, 5))]
    assert judged(tmp_path, header, *left, *runs, *moves, *rest, stop=False).violations == []
