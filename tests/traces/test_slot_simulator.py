"""The oracle by hand: small runs, each good as it stands and bad with one line changed."""

from __future__ import annotations

import pytest

from tests.support.slot_simulator import oracle
from tests.traces.test_against_the_simulator import verdict_of

KNOWS = ["takes", "frees", "evicts", "ends", "clears", "copies", "texts", "transfers", "sessions"]
HEADER = {"trace": 2, "engine": "by hand", "mode": "eager", "slots": 9, "first_slot": 1, "lookahead": 2, "knows": KNOWS}
HEADER |= {"reserved": [0], "interval": 4, "window": 3, "crossing": "counted"}


def launch(b, *rows, **fields):
    return {"e": "launch", "b": b, "rows": list(rows), **fields}


def process(b, *names, **fields):
    rows = [{"r": name, "skipped": False, "done": False, **fields} for name in names]
    return {"e": "process", "b": b, "rows": rows}


def row(r, start, to, slot=1, reads="same", marks=()):
    marks = [{"len": tokens, "slot": target} for tokens, target in marks]
    reads = (slot if start else None) if reads == "same" else reads
    fields = {"r": r, "kind": "decode" if to == start + 1 else "prefill", "start": start, "len": to}
    return fields | {"reads": reads, "writes": slot, "marks": marks}


def verify(r, low, high, may, tokens=3, slot=1):
    return {
        "r": r,
        "kind": "verify",
        "low": low,
        "high": high,
        "tokens": tokens,
        "reads": slot,
        "writes": slot,
        "may": may,
    }


def accepted(b, r, count, wrote=None, retained=None):
    return process(
        b, r, accepted=count, retained=retained or count, wrote=wrote and {"len": wrote[0], "slot": wrote[1]}
    )


def take(r, *slots):
    return {"e": "take", "r": r, "slots": list(slots), "during": None}


def admit(r, *slots, hit=None, **fields):
    working = {"working": slots[0]} if slots else {}
    return {"e": "admit", "r": r, **working, "ring": list(slots[1:]), "next": 0, "last": 1, "hit": hit, **fields}


def publish(r, slot, tokens, **fields):
    return {"e": "publish", "r": r, "slot": slot, "len": tokens, "stored": True, "during": None, **fields}


def free(*slots):
    return {"e": "free", "slots": list(slots), "during": None}


def evict(slot):
    return {"e": "evict", "slot": slot, "during": None}


def hit(slot, tokens):
    return {"slot": slot, "len": tokens}


def copied(source, to, tokens, r):
    return {"from": source, "to": to, "len": tokens, "r": r}


def session(op, **fields):
    return {"e": "session", "op": op, "s": "S", **fields}


def transfer(op, dir, slot=2, tokens=4, **fields):
    return {"e": "transfer", "op": op, "t": 1, "dir": dir, "slot": slot, "host": 0, "len": tokens, **fields}


END_A = {"e": "end", "r": "A", "why": "finish"}
ARRIVED = [take("A", 1, 2, 3), admit("A", 1, 2, 3)]
CACHED = [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2)])), process(0, "A"), publish("A", 2, 4)]
B = [take("B", 4, 5, 6), admit("B", 4, 5, 6, hit=hit(2, 4))]
B_ALONE = [take("B", 4, 5, 6), admit("B", 4, 5, 6)]
B_COPIES = launch(1, row("B", 4, 6, 4), copies=[copied(2, 4, 4, "B")])
IN_SESSION = [*ARRIVED, launch(0, row("A", 0, 4)), launch(1, row("A", 4, 5)), process(0, "A", done=True)]
COVERS = {"r": "A", "working": 1, "ring": [2, 3], "next": 0, "last": 1, "last_len": None}
TURN = [session("end", **COVERS, covers=5), END_A, session("borrow", r="T"), admit("T", s="S")]
TURN[-1] = {"e": "admit", "r": "T", "s": "S", "hit": None}
VERIFY = [*ARRIVED, launch(0, row("A", 0, 6)), process(0, "A")]
COUNTED = [
    *VERIFY,
    launch(1, verify("A", 6, 9, [2, 3]) | {"next": 0}),
    launch(2, verify("A", 7, 12, [2, 3]) | {"next": 0}),
]
WRITTEN_BACK = [transfer("queue", "d2h"), transfer("submit", "d2h", after=None), transfer("ack", "d2h")]
SAVES = [transfer("queue", "d2h", 1, tokens=5), transfer("submit", "d2h", 1, after=None)]
LOADED = [
    *CACHED,
    *WRITTEN_BACK,
    evict(2),
    take(None, 7),
    transfer("queue", "h2d", 7),
    transfer("submit", "h2d", 7, after=0),
]
READS_LOADED = [*LOADED, publish(None, 7, 4), take("B", 4, 5, 6), admit("B", 4, 5, 6, hit=hit(7, 4))]
MOVED = [take("A", 1), launch(0, row("A", 0, 4)), publish("A", 1, 4, shared=True)]
BESIDE = {"e": "copy", "from": 1, "to": 2, "len": 4, "after": 0}
LEFT = [*CACHED, launch(1, row("A", 5, 6)), free(1, 3), END_A]
REUSED = [*LEFT, take("B", 1, 4), admit("B", 1, 4), launch(2, row("B", 0, 4))]
QUEUED = [*CACHED, *WRITTEN_BACK, launch(1, row("A", 5, 6)), free(1), take(None, 1), transfer("queue", "h2d", 1)]

CASES = {
    "a mark goes to the own ring": (
        [*ARRIVED, *B_ALONE, launch(0, row("A", 0, 5, marks=[(4, 2)]), row("B", 0, 2, 4))],
        [*ARRIVED, *B_ALONE, launch(0, row("A", 0, 5, marks=[(4, 4)]), row("B", 0, 2, 4))],
    ),
    "a second chunk goes on where the first has ended": (
        [*ARRIVED, launch(0, row("A", 0, 1)), launch(1, row("A", 1, 4))],
        [*ARRIVED, launch(0, row("A", 0, 1)), launch(1, row("A", 2, 4))],
    ),
    "a hit needs its copy": ([*CACHED, *B, B_COPIES], [*CACHED, *B, launch(1, row("B", 4, 6, 4))]),
    "a hit has the length of its entry": (
        [*CACHED, *B, B_COPIES],
        [
            *CACHED,
            B[0],
            admit("B", 4, 5, 6, hit=hit(2, 3)),
            launch(1, row("B", 3, 6, 4), copies=[copied(2, 4, 3, "B")]),
        ],
    ),
    "a hit has the text of its entry": (
        [*CACHED[:-1], publish("A", 2, 4, text="t"), B[0], admit("B", 4, 5, 6, hit=hit(2, 4) | {"text": "t"})],
        [*CACHED[:-1], publish("A", 2, 4, text="t"), B[0], admit("B", 4, 5, 6, hit=hit(2, 4) | {"text": "u"})],
    ),
    "a copied entry is still there": ([*CACHED, *B, B_COPIES], [*CACHED, *B, evict(2), B_COPIES]),
    "a slot is published as what it is promised": (
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2)])), publish("A", 2, 4)],
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2)])), publish("A", 2, 5)],
    ),
    "nothing launched goes over what is published": (
        [*CACHED[:-1], launch(1, row("A", 5, 8, marks=[(8, 3)])), publish("A", 2, 4)],
        [*CACHED[:-1], launch(1, row("A", 5, 8, marks=[(8, 2)])), publish("A", 2, 4)],
    ),
    "a slot of the cache is written by nobody": (
        [*CACHED, launch(1, row("A", 5, 8, marks=[(8, 3)]))],
        [*CACHED, launch(1, row("A", 5, 8, marks=[(8, 2)]))],
    ),
    "a freed slot goes to users that are ordered after": (
        [*REUSED, publish("B", 1, 4)],
        [*REUSED, publish("B", 1, 6)],
    ),
    "a slot has to be cleared before it is read": (
        [*CACHED, free(1), take("B", 1), launch(1, row("B", 0, 1, reads=1), clears=[1])],
        [*CACHED, free(1), take("B", 1), launch(1, row("B", 0, 1, reads=1))],
    ),
    "a slot is freed once": ([*CACHED, free(1, 3)], [*CACHED, free(1, 3, 3)]),
    "a cached slot is not freed": ([*CACHED, free(1)], [*CACHED, free(2)]),
    "the absent marker is not freed": ([*CACHED, free(1)], [*CACHED, free(1, None)]),
    "a reserved slot is not published": (CACHED, [*CACHED[:-1], publish("A", 0, 4)]),
    "a reserved slot may be written twice": (
        [*ARRIVED, *B_ALONE, launch(0, row("A", 0, 4, marks=[(4, 0)]), row("B", 0, 4, 4, marks=[(4, 0)]))],
        [*ARRIVED, *B_ALONE, launch(0, row("A", 0, 4, marks=[(4, 2)]), row("B", 0, 4, 4, marks=[(4, 2)]))],
    ),
    "an id lies in the pool": ([*ARRIVED, launch(0, row("A", 0, 4))], [*ARRIVED, launch(0, row("A", 0, 4, 10))]),
    "a slot is taken from the pool": ([*ARRIVED, take("B", 4)], [*ARRIVED, take("B", 3)]),
    "what turns up has been taken": (
        [*CACHED, free(3), take("A", 3), launch(1, row("A", 5, 8, marks=[(8, 3)]))],
        [*CACHED, free(3), launch(1, row("A", 5, 8, marks=[(8, 3)]))],
    ),
    "only the cache evicts": ([*CACHED, evict(2)], [*CACHED, evict(3)]),
    "one row writes a slot once": (
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2), (2, 3)]))],
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2), (2, 2)]))],
    ),
    "a request has one row in a batch": (
        [*ARRIVED, launch(0, row("A", 0, 4)), launch(1, row("A", 4, 5))],
        [*ARRIVED, launch(0, row("A", 0, 4), row("A", 4, 5))],
    ),
    "two copies have two targets": (
        [*CACHED, *B, launch(1, copies=[copied(2, 4, 4, "B"), copied(2, 5, 4, "B")])],
        [*CACHED, *B, launch(1, copies=[copied(2, 4, 4, "B"), copied(2, 4, 4, "B")])],
    ),
    "a row does not follow the end": (
        [*ARRIVED, launch(0, row("A", 0, 4)), END_A],
        [*ARRIVED, launch(0, row("A", 0, 4)), END_A, launch(1, row("A", 4, 5))],
    ),
    "nothing covers no tokens": (
        [*ARRIVED, launch(0, row("A", 0, 4))],
        [*ARRIVED, launch(0, row("A", 1, 4, reads=None))],
    ),
    "a shared slot is read and not written": (
        [*MOVED, take("A", 2), launch(1, row("A", 4, 5, 2, reads=1))],
        [*MOVED, launch(1, row("A", 4, 5))],
    ),
    "a batch does not read what it writes": (
        [*MOVED, take("B", 2), admit("B", hit=hit(1, 4)), launch(1, row("B", 4, 6, 2, reads=1))],
        [*MOVED[:1], take("B", 2), launch(0, row("A", 0, 4), row("B", 4, 6, 2, reads=1))],
    ),
    "a key moves to a copy": (
        [*MOVED, take("A", 2), BESIDE, {"e": "rekey", "from": 1, "to": 2}, launch(1, row("A", 4, 5))],
        [*MOVED, take("A", 2), {"e": "rekey", "from": 1, "to": 2}, launch(1, row("A", 4, 5))],
    ),
    "a copy outside a batch waits for what it reads": (
        [*MOVED, take("A", 2), BESIDE],
        [*MOVED, take("A", 2), BESIDE | {"after": None}],
    ),
    "an accepted run may cross a boundary": (
        [*COUNTED, accepted(1, "A", 3, (8, 2)), accepted(2, "A", 3, (12, 3)), publish("A", 2, 8)],
        [*COUNTED, accepted(1, "A", 3, (8, 2)), accepted(2, "A", 3, (12, 2))],
    ),
    "a run that crosses nothing writes nothing": (
        [*COUNTED, accepted(1, "A", 1), accepted(2, "A", 1, (8, 2)), publish("A", 2, 8)],
        [*COUNTED, accepted(1, "A", 1, (8, 2)), accepted(2, "A", 1)],
    ),
    "a pending verify may not reach what is published": (
        [
            *COUNTED[:-1],
            launch(2, verify("A", 7, 12, [None, 3]) | {"next": 0}),
            accepted(1, "A", 2, (8, 2)),
            publish("A", 2, 8),
        ],
        [
            *COUNTED,
            launch(3, verify("A", 8, 15, [2, 3]) | {"next": 0}),
            accepted(1, "A", 2, (8, 2)),
            publish("A", 2, 8),
        ],
    ),
    "nobody keeps more than was accepted": (
        [*COUNTED, accepted(1, "A", 2, (8, 2), retained=1)],
        [*COUNTED, accepted(1, "A", 2, (8, 2), retained=3)],
    ),
    "a verify starts within its window": (
        [*VERIFY, launch(1, verify("A", 6, 9, [2, 3]) | {"next": 0})],
        [*VERIFY, launch(1, verify("A", 7, 10, [2, 3]) | {"next": 0})],
    ),
    "a turn starts where the session stands": (
        [*IN_SESSION, *TURN, launch(2, row("T", 5, 8, 1))],
        [*IN_SESSION, *TURN, launch(2, row("T", 4, 8, 1))],
    ),
    "a session knows what it covers": (
        [*IN_SESSION, session("end", **COVERS, covers=5)],
        [*IN_SESSION, session("end", **COVERS, covers=4)],
    ),
    "a session's checkpoint is what it says": (
        [*CACHED[:-1], session("end", **COVERS | {"last": 0, "last_len": 4}, covers=5)],
        [*CACHED[:-1], session("end", **COVERS | {"last": 1, "last_len": 4}, covers=5)],
    ),
    "a session's slot is nobody else's": (
        [*IN_SESSION, *TURN[:2], *B_ALONE, launch(2, row("B", 0, 4, 4))],
        [*IN_SESSION, *TURN[:2], *B_ALONE, launch(2, row("B", 0, 4, 1))],
    ),
    "a write-back has the entry's length": (
        [*CACHED, *WRITTEN_BACK],
        [*CACHED, transfer("queue", "d2h", tokens=5), *WRITTEN_BACK[1:]],
    ),
    "a write-back waits for the row that it reads": (
        [*CACHED[:-2], CACHED[-1], transfer("queue", "d2h"), transfer("submit", "d2h", after=0)],
        [*CACHED[:-2], CACHED[-1], transfer("queue", "d2h"), transfer("submit", "d2h", after=None)],
    ),
    "a slot is not evicted from under a transfer": (
        [*CACHED, *WRITTEN_BACK, evict(2)],
        [*CACHED, *WRITTEN_BACK[:2], evict(2)],
    ),
    "a batch waits for the load that it reads": (
        [*READS_LOADED, launch(1, row("B", 4, 6, 4), copies=[copied(7, 4, 4, "B")], waits=[1])],
        [*READS_LOADED, launch(1, row("B", 4, 6, 4), copies=[copied(7, 4, 4, "B")])],
    ),
    "a load waits for those who use its target": (
        [*QUEUED, transfer("submit", "h2d", 1, after=1), publish(None, 1, 4)],
        [*QUEUED, transfer("submit", "h2d", 1, after=None), publish(None, 1, 4)],
    ),
    "what is saved is what the host has": (
        [*CACHED, *WRITTEN_BACK, END_A | {"saved": {"host": 0, "len": 4}}],
        [*CACHED, *WRITTEN_BACK, END_A | {"saved": {"host": 0, "len": 5}}],
    ),
    "a copy has the length of its source": (
        [*CACHED, take("A", 4), launch(1, copies=[copied(1, 4, 5, "A")])],
        [*CACHED, take("A", 4), launch(1, copies=[copied(1, 4, 4, "A")])],
    ),
    "a copy has the text of its source": (
        [*CACHED[:-1], publish("A", 2, 4, text="t"), *B, launch(1, copies=[copied(2, 4, 4, "B") | {"text": "t"}])],
        [*CACHED[:-1], publish("A", 2, 4, text="t"), *B, launch(1, copies=[copied(2, 4, 4, "B") | {"text": "u"}])],
    ),
    "a slot is taken for one": ([take(None, 4), take("A", 5)], [take(None, 4), take("A", 4)]),
    "a slot that is written back is not written": (
        [*CACHED, *SAVES, launch(1, row("A", 5, 6, 3, reads=1))],
        [*CACHED, *SAVES, launch(1, row("A", 5, 6))],
    ),
    "a slot of the cache is not cleared": ([*CACHED, launch(1, clears=[3])], [*CACHED, launch(1, clears=[2])]),
    "what is read lies in the pool": (
        [*ARRIVED, launch(0, row("A", 0, 1)), launch(1, row("A", 1, 2))],
        [*ARRIVED, launch(0, row("A", 0, 1)), launch(1, row("A", 1, 2, reads=11))],
    ),
    "a free slot is not published": ([*CACHED, evict(2)], [*CACHED, evict(2), publish("A", 2, 4)]),
    "a slot is published once": (CACHED, [*CACHED, publish(None, 2, 4)]),
    "a request publishes its own": (
        [*CACHED, *B, launch(1, copies=[copied(2, 5, 4, "B")]), evict(2), publish("B", 5, 4)],
        [*CACHED, *B, launch(1, copies=[copied(2, 5, 4, "B")]), evict(2), publish("A", 5, 4)],
    ),
    "a key is there before it moves": (
        [*MOVED, take("A", 2), BESIDE, {"e": "rekey", "from": 1, "to": 2}],
        [*MOVED[:-1], take("A", 2), BESIDE, {"e": "rekey", "from": 1, "to": 2}],
    ),
    "a key moves to a slot that somebody has": (
        [*CACHED, BESIDE | {"from": 2, "to": 3}, {"e": "rekey", "from": 2, "to": 3}],
        [*CACHED, free(3), BESIDE | {"from": 2, "to": 3}, {"e": "rekey", "from": 2, "to": 3}],
    ),
    "a session is lent once": (
        [*IN_SESSION, *TURN],
        [*IN_SESSION, *TURN, session("borrow", r="U")],
    ),
    "a free slot is not written back": (
        [*CACHED, transfer("queue", "d2h")],
        [*CACHED, evict(2), transfer("queue", "d2h")],
    ),
    "a place on the host is one transfer's": (
        [*CACHED, transfer("queue", "d2h"), transfer("queue", "d2h", 3) | {"t": 2, "host": 1}],
        [*CACHED, transfer("queue", "d2h"), transfer("queue", "d2h", 3) | {"t": 2}],
    ),
    "a load has the length of what is on the host": (
        [*LOADED, publish(None, 7, 4)],
        [*LOADED[:-2], transfer("queue", "h2d", 7, tokens=5), LOADED[-1]],
    ),
    "an aborted load leaves nothing": (
        [*LOADED, transfer("abort", "h2d", 7)],
        [*LOADED, publish(None, 7, 4), transfer("abort", "h2d", 7)],
    ),
    "a hit is of the cache": (
        [*CACHED, *B[:1], admit("B", 4, 5, 6, hit=hit(2, 4))],
        [*CACHED, *B[:1], admit("B", 4, 5, 6, hit=hit(1, 5))],
    ),
    "a row passes what it marks": (
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(4, 2)]))],
        [*ARRIVED, launch(0, row("A", 0, 5, marks=[(8, 2)]))],
    ),
    "a verify accepts what it was given": (
        [*VERIFY, launch(1, verify("A", 6, 9, [None, None]) | {"next": 0}), accepted(1, "A", 1)],
        [*VERIFY, launch(1, verify("A", 6, 9, [None, None]) | {"next": 0}), accepted(1, "A", 4)],
    ),
    "one row of a request in a batch": (
        [*ARRIVED, launch(0, row("A", 0, 4))],
        [*ARRIVED, launch(0, row("A", 0, 4), row("A", 0, 4, 2))],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_small_run(name):
    good, bad = ([HEADER, *lines, {"e": "stop", "why": "closed"}] for lines in CASES[name])
    assert oracle(good).outcome == "good", oracle(good)
    assert oracle(bad).outcome == "bad", oracle(bad)


@pytest.mark.parametrize("name", CASES)
def test_the_judge_agrees_on_a_small_run(name):
    good, bad = ([HEADER, *lines, {"e": "stop", "why": "closed"}] for lines in CASES[name])
    assert (verdict_of(good), verdict_of(bad)) == ("good", "bad")


def test_silence_means_nothing():
    """The same lines are bad or not by what the recorder would have written."""
    lines = [*CACHED, free(3), launch(1, row("A", 5, 8, marks=[(8, 3)])), {"e": "stop", "why": "closed"}]
    assert oracle([HEADER, *lines]).outcome == "bad"
    assert oracle([HEADER | {"knows": ["frees"]}, *lines]).outcome == "good"


def test_a_leak_is_no_bad_verdict():
    found = oracle([HEADER, *CACHED, free(1), END_A, {"e": "stop", "why": "closed"}])
    assert (found.outcome, found.leaks) == ("good", 1)
