"""Small traces written by hand: the parts of one, and a good one to start from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from checker.traces.format import Event as Event2
from checker.traces.format import Header as Header2
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Header1 as Header
from checker.traces.format1 import Prefill1 as Prefill
from checker.traces.format1 import PrefillRow1 as PrefillRow
from checker.traces.format1 import Prepare1 as Prepare
from checker.traces.format1 import PrepareRow1 as PrepareRow
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import ProcessRow1 as ProcessRow
from checker.traces.format1 import Publish1 as Publish
from checker.traces.format1 import Unreadable, Upgrade
from checker.traces.judge import Judge
from checker.traces.reading import BadTrace
from checker.traces.verdict import Verdict

EAGER = Header(1, "by hand", "eager", 2, 2, 16, 1, 1)
LAZY = Header(1, "by hand", "lazy", 2, 2, 16, 1, 1)

# The row of a launched decode step: (r, count, len, mark, slot, pos, next, last, ring).
# The row of a result: (r, skipped, done, lookahead, next, last, last_len, ring).


def prefill(b: int, *row: Any) -> Prefill:
    return Prefill(b, (PrefillRow(*row),))


def prepare(b: int, *row: Any) -> Prepare:
    return Prepare(b, (PrepareRow(*row),))


def process(b: int, *row: Any) -> Process:
    return Process(b, (ProcessRow(*row),))


def good() -> list[Event]:
    """Interval 2: A prefills 2 tokens and donates them, decodes to 6, and finishes while the write of 6 is pending.

    Slot 1 is its working slot; the ring is (2, 3), then (4, 3). Line n of the trace is event n - 2.
    """
    return [
        Admit("A", 1, (2, 3), 0, 1),
        prefill(0, "A", 2, 0, None, 2, 2, 0, 1, 0, (2, 3)),
        prepare(1, "A", 1, 3, None, None, None, 1, 0, (2, 3)),
        process(0, "A", False, False, UNSET, 1, 0, None, (4, 3)),
        Publish("A", 2, 2, True),
        prepare(2, "A", 2, 4, 4, 3, 1, 0, 0, (4, 3)),
        process(1, "A", False, False, 1, 0, 0, None, (4, 3)),
        prepare(3, "A", 3, 5, None, None, None, 0, 0, (4, 3)),
        process(2, "A", False, False, 1, 0, 1, 4, (4, 3)),
        prepare(4, "A", 4, 6, 6, 4, 0, 1, 1, (4, 3)),
        process(3, "A", False, True, 1),
        Publish("A", 3, 4, True),
        Free((1,)),
        Free((4,)),
        process(4, "A", True, False),
    ]


def hit(prefix: int, source: int, start: int = 5, name: str = "C") -> list[Event]:
    """A request that copies a cached slot, prefills one token beyond it and finishes at once."""
    ring = (start + 1, start + 2)
    return [
        Admit(name, start, ring, 0, 1),
        prefill(start, name, prefix + 1, prefix, source, None, None, None, 0, 1, ring),
        process(start, name, False, True),
        Free((start, *ring)),
    ]


def with_row(event: Any, **fields: Any) -> Any:
    """The event with fields of its first row replaced."""
    return msgspec.structs.replace(event, rows=(msgspec.structs.replace(event.rows[0], **fields), *event.rows[1:]))


def change(index: int, events: list[Event] | None = None, **fields: Any) -> list[Event]:
    """The trace with fields of the event at `index` replaced, or of its first row if it has rows."""
    events = list(good() if events is None else events)
    event = events[index]
    known = set(event.__struct_fields__)
    events[index] = msgspec.structs.replace(event, **fields) if set(fields) <= known else with_row(event, **fields)
    return events


def judge(events: list[Event], header: Header = EAGER, cut: bool = False) -> Verdict:
    """The verdict of a trace; the look at every row must agree with the short cut."""
    results = []
    for close_look in (False, True):
        upgraded, lines = upgrade(header, events, cut)
        judge = Judge(upgraded, close_look=close_look)
        for line, event in lines:
            judge.feed(line, event)
        results.append(judge.result(cut))
    assert results[0] == results[1]
    return results[0]


def upgrade(header: Header, events: Iterable[Event], cut: bool = False) -> tuple[Header2, Iterator[tuple[int, Event2]]]:
    """A trace of format 1 as a reader gives it: its header and its events in format 2, with their lines."""
    upgrading = Upgrade(header)

    def lines() -> Iterator[tuple[int, Event2]]:
        line = 1
        for line, event in enumerate(events, 2):
            try:
                yield from upgrading.events(line, event)
            except Unreadable as error:
                raise BadTrace("-", line, str(error)) from error
        yield from upgrading.rest(line, cut)

    return upgrading.header, lines()


def kinds(verdict: Verdict) -> list[str]:
    """The kinds of the first causes."""
    return [violation.kind for violation in verdict.violations if violation.root is None]


def hazards(verdict: Verdict) -> list[tuple[str, int, int | None]]:
    """Property, line, and where it healed."""
    return [(hazard.property, hazard.line, hazard.healed_at) for hazard in verdict.hazards]
