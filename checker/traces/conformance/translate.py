"""What the spec covers of format 2: events in the terms of its actions, which are those of format 1.

A line that says more (chunks, mixed batches, verify rows, working slots that move, sessions, transfers) ends the
comparison: it is not covered from there on, and nothing is guessed.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET, UnsetType

from checker.traces import format as new
from checker.traces.format1 import (
    Admit1,
    Event1,
    Evict1,
    Free1,
    Prefill1,
    PrefillRow1,
    Prepare1,
    PrepareRow1,
    Process1,
    ProcessRow1,
    Publish1,
    Ring1,
)

Pointer = int | UnsetType | None


class NotCovered(Exception):
    """A line says what the spec doesn't have."""


class Shown(NamedTuple):
    """What the lines have last shown of a request; `same` in a later one stands for it."""

    working: int | None
    ring: Ring1
    next: int | None = None
    last: int | None = None
    last_len: int | None = None
    counted: int = 0
    started: bool = False


def header_covered(header: new.Header) -> str:
    """Return what of a header the spec does not have; empty: all of it is covered."""
    if header.mode == "none":
        return "an engine without a ring"
    if header.window > 1:
        return "verify rows"
    return ""


class Translator:
    """Translates the events of one trace in order. Memory: the requests that run."""

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}
        self._nobodys: set[int] = set()
        """Slots that were taken for nobody yet. An engine that takes several at once may give some back unused."""

    def event(self, event: new.Event) -> Event1 | None:
        """Return an event in the spec's terms; None: it says nothing that the spec asks. Raises NotCovered."""
        if isinstance(event, new.Launch):
            return self._launch(event)
        if isinstance(event, new.Process):
            return self._process(event)
        if isinstance(event, new.Admit):
            return self._admit(event)
        if isinstance(event, new.Publish):
            if event.shared:
                raise NotCovered("a checkpoint that is shared after its publication")
            if not isinstance(event.r, str) or event.slot is None:
                raise NotCovered("a publication by nobody known")
            if event.during is None:
                raise NotCovered(
                    "a checkpoint that is handed over outside of a result, as between the chunks of a prompt"
                )
            return Publish1(event.r, event.slot, event.len, event.stored)
        if isinstance(event, new.Free):
            return self._free(event)
        if isinstance(event, new.Evict):
            return Evict1(-1 if event.slot is None else event.slot)
        if isinstance(event, new.Take):
            if not isinstance(event.r, str) and not isinstance(event.s, str):
                self._nobodys.update(slot for slot in event.slots if slot is not None)
            return None
        if isinstance(event, new.Stop):
            if event.why == "not covered":
                raise NotCovered(event.what or "what the recorder could not follow")
            return None
        if isinstance(event, new.End):
            self._shown.pop(event.r, None)
            return None
        words = {new.Rekey: "a key that moves", new.Copy: "a copy outside of a batch", new.Session: "a session"}
        raise NotCovered(words.get(type(event), "a transfer"))

    def _free(self, event: new.Free) -> Free1 | None:
        """Return what of it the spec has: it takes no slot that nobody uses."""
        unused = self._nobodys.intersection(slot for slot in event.slots if slot is not None)
        self._nobodys -= unused
        freed = tuple(slot for slot in event.slots if slot not in unused)
        return Free1(freed) if freed or not unused else None

    def _admit(self, event: new.Admit) -> Admit1:
        if isinstance(event.s, str):
            raise NotCovered("a turn of a session")
        working, ring = _none(event.working), event.ring if isinstance(event.ring, tuple) else ()
        next_, last = _none(event.next), _none(event.last)
        self._shown[event.r] = Shown(working, ring, next_, last)
        self._nobodys.difference_update((working, *ring))
        return Admit1(event.r, working, ring, next_, last)

    def _launch(self, event: new.Launch) -> Prefill1 | Prepare1:
        prefills = [row for row in event.rows if isinstance(row, new.PrefillRow)]
        decodes = [row for row in event.rows if isinstance(row, new.DecodeRow)]
        if len(prefills) + len(decodes) < len(event.rows):
            raise NotCovered("a verify row")
        if prefills and decodes:
            raise NotCovered("a batch of prefill and decode rows")
        copied = {copy.r: _none(copy.from_) for copy in event.copies if isinstance(copy.r, str)}
        if len(copied) < len(event.copies):
            raise NotCovered("a copy for nobody known")
        if prefills:
            return Prefill1(event.b, tuple(self._prefill(row, copied.get(row.r)) for row in prefills))
        return Prepare1(event.b, tuple(self._decode(row) for row in decodes))

    def _prefill(self, row: new.PrefillRow, source: int | None) -> PrefillRow1:
        shown = self._row(row)
        if shown.started:
            raise NotCovered("a prompt in chunks")
        self._shown[row.r] = shown._replace(started=True)
        start = 0 if row.start is UNSET else row.start
        return PrefillRow1(row.r, row.len, start, source, *_mark(row), shown.next, shown.last, shown.ring)

    def _decode(self, row: new.DecodeRow) -> PrepareRow1:
        shown = self._row(row)
        if row.start is not UNSET and row.len != row.start + 1:
            raise NotCovered("a decode row of several tokens")
        count = shown.counted + 1 if row.count is UNSET else row.count
        self._shown[row.r] = shown._replace(counted=count)
        return PrepareRow1(row.r, count, row.len, *_mark(row), shown.next, shown.last, shown.ring)

    def _row(self, row: new.PlainRow) -> Shown:
        """Return what is shown of a request with this row."""
        shown = self._shown.get(row.r) or Shown(None, ())
        for slot in (row.reads, row.writes):
            if isinstance(slot, int) and shown.working is not None and slot != shown.working:
                raise NotCovered("a working slot that moves")
        return self._follow(row, shown)

    def _follow(self, row: new.LaunchedRow | new.ResultRow, shown: Shown) -> Shown:
        ring = row.ring if isinstance(row.ring, tuple) else shown.ring
        same = row.same
        found = shown._replace(
            ring=ring,
            next=shown.next if row.next is UNSET and same else _none(row.next),
            last=shown.last if row.last is UNSET and same else _none(row.last),
        )
        self._shown[row.r] = found
        if self._nobodys:
            self._nobodys.difference_update(found.ring)
        return found

    def _process(self, event: new.Process) -> Process1:
        return Process1(event.b, tuple(map(self._result, event.rows)))

    def _result(self, row: new.ResultRow) -> ProcessRow1:
        if row.accepted is not UNSET:
            raise NotCovered("a verify row")
        shown = self._shown.get(row.r)
        if row.skipped or row.done or shown is None:
            return ProcessRow1(row.r, row.skipped, row.done, row.lookahead, None, None, None, ())
        label = shown.last_len if row.last_len is UNSET and row.same else _none(row.last_len)
        found = self._follow(row, shown)._replace(last_len=label)
        self._shown[row.r] = found
        return ProcessRow1(row.r, False, False, row.lookahead, found.next, found.last, label, found.ring)


def _mark(row: new.PlainRow) -> tuple[int | None, int | None, int | None]:
    if len(row.marks) > 1:
        raise NotCovered("a row with several checkpoints")
    if not row.marks:
        return None, None, None
    mark = row.marks[0]
    return mark.len, _none(mark.slot), _none(mark.pos if mark.pos is not UNSET else row.pos)


def _none(value: Pointer) -> int | None:
    return None if value is UNSET else value
