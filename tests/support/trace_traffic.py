"""Long traces of a well-behaved eager engine: requests one after the other, several running at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import UNSET

from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Header1 as Header
from checker.traces.format1 import Prefill1 as Prefill
from checker.traces.format1 import PrefillRow1 as PrefillRow
from checker.traces.format1 import Prepare1 as Prepare
from checker.traces.format1 import PrepareRow1 as PrepareRow
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import ProcessRow1 as ProcessRow
from checker.traces.format1 import Publish1 as Publish
from checker.traces.reading import encode

HEADER = Header(1, "generated", "eager", 8, 2, 64, 1, 1)


@dataclass
class Running:
    """One request of the generated engine; it stops after `stop` decode steps."""

    name: str
    working: int
    ring: list[int]
    stop: int
    next: int = 0
    last: int = 1
    label: int | None = None
    len: int = 0
    count: int = 0
    over: bool = False


Info = tuple[Running, int, int | None, int | None, int | None]  # request, count, mark, slot, pos


def traffic(running: int) -> Iterator[Event]:
    """Events without end; `running` requests decode together, a new one is admitted when one has finished."""
    free = deque(range(1, 65))
    requests: list[Running] = []
    pending: deque[tuple[int, list[Info]]] = deque()
    serial = 0
    batch = -1
    while True:
        batch += 1
        if len(requests) < running:
            working, one, two = free.popleft(), free.popleft(), free.popleft()
            request = Running(f"R{serial}", working, [one, two], 30 + serial * 7 % 60, len=9 + serial % 5)
            serial += 1
            requests.append(request)
            yield Admit(request.name, working, (one, two), 0, 1)
            request.next, request.last = 1, 0
            yield Prefill(batch, (PrefillRow(request.name, request.len, 0, None, 8, one, 0, 1, 0, (one, two)),))
            pending.append((batch, [(request, 0, 8, one, 0)]))
        else:
            infos = [step(request) for request in requests]
            yield Prepare(batch, tuple(row(info) for info in infos))
            pending.append((batch, infos))
        if len(pending) > 1:
            yield from process(*pending.popleft(), free)
            requests = [request for request in requests if not request.over]


def step(request: Running) -> Info:
    """One decode step of one request."""
    request.len += 1
    request.count += 1
    if request.len % HEADER.interval:
        return request, request.count, None, None, None
    pos = request.next
    request.next = 1 - pos
    return request, request.count, request.len, request.ring[pos], pos


def row(info: Info) -> PrepareRow:
    """What a batch records about that step."""
    request, count, mark, slot, pos = info
    ring = tuple(request.ring)
    return PrepareRow(request.name, count, request.len, mark, slot, pos, request.next, request.last, ring)


def process(batch: int, infos: list[Info], free: deque[int]) -> Iterator[Event]:
    """The result of a batch and its effects; the cache evicts at once, so that slots go round."""
    rows: list[ProcessRow] = []
    effects: list[Event] = []
    for request, count, mark, slot, pos in infos:
        name = request.name
        if request.over:
            rows.append(ProcessRow(name, True, False))
            continue
        if mark is not None and pos is not None:
            request.last, request.label = pos, mark
        lookahead = request.count - count if count else UNSET
        if count >= request.stop:
            request.over = True
            kept = request.ring[request.last]
            rest = [number for number in (request.working, *request.ring) if number != kept]
            effects += [Publish(name, kept, request.label or 0, True), Free(tuple(rest)), Evict(kept)]
            free.extend([*rest, kept])
            rows.append(ProcessRow(name, False, True, lookahead))
            continue
        if not count and slot is not None and pos is not None:
            request.ring[pos], request.label = free.popleft(), None
            effects += [Publish(name, slot, 8, True), Evict(slot)]
            free.append(slot)
        ring = tuple(request.ring)
        rows.append(ProcessRow(name, False, False, lookahead, request.next, request.last, request.label, ring))
    yield Process(batch, tuple(rows))
    yield from effects


def long_trace(events: int, running: int) -> bytes:
    """A trace of that many events as the bytes of its file; it ends in the middle of the traffic."""
    lines = [encode(HEADER)]
    for event in traffic(running):
        if len(lines) > events:
            break
        lines.append(encode(event))
    return b"".join(lines)
