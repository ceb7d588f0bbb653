"""The verdict of a trace, independent of any design: is a cached slot, or may it become, something else than its label?

A trace is bad if and only if a slot stored in the cache holds, is promised, or may later receive a state other than its
label, or a hit copies such a slot (or one that isn't cached under that length), or a slot has two owners. Every other
broken property of spec/properties.py is a hazard: told, with the line where it healed, and without effect on the
outcome. What refers to nothing (an unknown request, batch, or slot, a result out of launch order) is a `BadTrace`.

Conventions that the format leaves open, as the judge reads them:
- A request is over when its row is done, or when one of its slots is freed while it runs (abort, retraction: the format
  has no event for them). Its remaining slots must be freed or published before the next event of another kind.
- A slot that leaves a running request's ring must be published or freed, or be back, by that request's next row.
- Batch numbers increase; they needn't be consecutive. A row may be missing from a result if its request is over.
"""

from __future__ import annotations

from collections import deque
from os import PathLike

from msgspec import UNSET

from checker.traces import consistency as checks
from checker.traces.format import (
    Admit,
    BadTrace,
    Event,
    Evict,
    Free,
    Header,
    Prefill,
    PrefillRow,
    Prepare,
    PrepareRow,
    Process,
    ProcessRow,
    Publish,
    read_trace,
)  # fmt: skip
from checker.traces.request import TraceBatch, TraceClaim, TraceRequest
from checker.traces.rows import RowFollower
from checker.traces.slots import SlotTable
from checker.traces.verdict import Hazard, Hazards, Problem, Verdict

__all__ = ["Judge", "judge_trace"]

REMEMBERED = 64  # Names of requests that are over, so that a late row can be told from a row out of nowhere.


class Judge:
    """Feed it the events of one trace in order, then ask for the `result`. Memory: slots and running requests.

    `path` is only for messages. `close_look` turns off the short cut for rows that change nothing (for tests).
    """

    def __init__(self, header: Header, path: str = "-", close_look: bool = False) -> None:
        self._header = header
        self._path = path
        self._close_look = close_look
        self._hazards = Hazards()
        self._batches: deque[TraceBatch] = deque()
        self._table = SlotTable(header, path, self._hazards, self._batches)
        self._rows = RowFollower(header, path, self._table, self._hazards)
        self._running: dict[str, TraceRequest] = {}
        self._ended: dict[str, TraceRequest] = {}
        self._leaving: list[TraceRequest] = []
        self._too_deep: Hazard | None = None  # more batches are pending than the header allows
        self._newest_batch = -1
        self._events = self._launched = self._admitted = 0

    def feed(self, line: int, event: Event) -> None:
        """Judge one event; raises BadTrace if it refers to something that doesn't exist."""
        self._events += 1
        if isinstance(event, Publish):
            self._publish(line, event)
        elif isinstance(event, Free):
            self._free(line, event)
        elif isinstance(event, Evict):
            self._table.evict(line, event.slot)
        else:
            if self._leaving:
                self._settle(line)
            if isinstance(event, Process):
                self._process(line, event)
            elif isinstance(event, Admit):
                self._admit(line, event)
            else:
                self._launch(line, event)

    def result(self, cut: bool = False) -> Verdict:
        """The verdict so far; `cut`: the reader met an incomplete last line. BadTrace if there was no event at all."""
        if not self._events and not cut:
            raise self._error(1, "no event follows the header")
        missing = []
        if cut:
            missing.append("the last line is incomplete")
        if self._batches:
            missing.append(f"{len(self._batches)} batches were launched and have no result")
        if self._running:
            missing.append(f"{len(self._running)} requests are still running")
        if not missing:
            self._settle(self._events + 1)
        violations = self._table.violations
        outcome = "bad" if violations else "cut" if missing else "good"
        return Verdict(
            outcome, self._header.engine, self._events, self._launched, self._admitted, "; ".join(missing),  # type: ignore[arg-type]
            violations.kept, self._hazards.kept, violations.hidden, self._hazards.hidden,
        )  # fmt: skip

    def _admit(self, line: int, event: Admit) -> None:
        if event.r in self._running:
            raise self._error(line, f"request {event.r} is admitted, and is running already")
        self._rows.check_ring(line, event.ring)
        request = TraceRequest(event.r, event.working, self._header.ring, event.next, event.last)
        self._ended.pop(event.r, None)
        self._running[event.r] = request
        self._admitted += 1
        if event.working is not None:
            self._table.take(line, "admit", request, event.working, "working slot")
            self._table.hold_working(line, request)
        self._rows.adopt(line, "admit", request, event.ring)
        self._rows.tell(line, request, checks.admit_problems(self._header, event))

    def _launch(self, line: int, event: Prefill | Prepare) -> None:
        if event.b <= self._newest_batch:
            raise self._error(line, f"batch {event.b} is launched after batch {self._newest_batch}")
        self._newest_batch = b = event.b
        self._launched += 1
        requests: list[TraceRequest] = []
        batch = TraceBatch(b, line, isinstance(event, Prefill), event.rows, requests)
        self._batches.append(batch)
        interval, close_look, running = self._header.interval, self._close_look, self._running
        for row in event.rows:
            request = running.get(row.r)
            if request is None:
                request = self._revive(line, "prefill" if batch.prefill else "prepare", row.r)
            if request.last_batch == b:
                raise self._error(line, f"batch {b} has two rows for request {row.r}")
            request.last_batch = b
            requests.append(request)
            if (
                isinstance(row, PrepareRow)
                and row.mark is None
                and request.quiet
                and row.len % interval
                and row.len == request.len + 1
                and row.count == request.count + 1
                and row.next == request.next
                and row.last == request.last
                and row.ring == request.ring
                and row.slot is None
                and row.pos is None
                and not request.claims
                and request.started
                and not close_look
            ):
                request.len = row.len
                request.count = row.count
            else:
                self._rows.launch_row(line, b, request, row)
        if len(self._batches) > self._header.lookahead + 1 and self._too_deep is None:
            text = f"{len(self._batches)} batches are pending, and lookahead {self._header.lookahead} allows one more"
            self._too_deep = self._hazards.open(line, None, Problem("pending", "lookahead-window", text))

    def _process(self, line: int, event: Process) -> None:
        if not self._batches or self._batches[0].b != event.b:
            first = f"batch {self._batches[0].b} is next" if self._batches else "none is pending"
            raise self._error(line, f"the result of batch {event.b} is processed, but {first}")
        batch = self._batches.popleft()
        self._table.processed = event.b
        if self._too_deep is not None and len(self._batches) <= self._header.lookahead + 1:
            self._too_deep.healed_at = line
            self._too_deep = None
        lookahead, close_look = self._header.lookahead, self._close_look
        waiting = {}
        if len(event.rows) != len(batch.rows) or any(a.r != b.r for a, b in zip(event.rows, batch.rows, strict=False)):
            waiting = {row.r: i for i, row in enumerate(batch.rows)}
        for i, row in enumerate(event.rows):
            if waiting or i >= len(batch.rows) or row.r != batch.rows[i].r:
                place = waiting.pop(row.r, None)
                if place is None:
                    raise self._error(line, f"the result of batch {event.b} has a row for {row.r}, the batch has none")
            else:
                place = i
            launched, request = batch.rows[place], batch.requests[place]
            if (
                isinstance(launched, PrepareRow)
                and not row.skipped
                and not row.done
                and request.quiet
                and request.over is None
                and not request.claims
                and row.lookahead == request.count - launched.count
                and 0 <= row.lookahead <= lookahead
                and row.last_len == request.label
                and row.next == request.next
                and row.last == request.last
                and row.ring == request.ring
                and not close_look
            ):
                request.done_len = launched.len
            else:
                self._process_row(line, batch, request, launched, row)
        for name, place in waiting.items():
            self._missing_row(line, batch, name, place)

    def _process_row(
        self, line: int, batch: TraceBatch, request: TraceRequest, launched: PrefillRow | PrepareRow, row: ProcessRow
    ) -> None:
        claim = self._returned(line, batch, request, launched)
        if row.skipped:
            problems = []
            if request.over is None:
                problems.append(Problem("process:skipped", checks.ODD, "the row of a running request was ignored"))
            if row.done:
                problems.append(Problem("process:skipped", checks.ODD, "a row is both skipped and done"))
            if request.over is None:
                self._rows.sync(line, request, "process", problems)
            else:
                self._rows.tell(line, request, problems)
            return
        if request.over is not None and not self._late_result(line, request):
            return
        problems = []
        if isinstance(launched, PrepareRow):
            if row.lookahead is UNSET:
                raise self._error(line, f"the row of {row.r} was decoded, so it needs the field `lookahead`")
            problems = checks.lookahead_problems(self._header, request, launched.count, row.lookahead)
        if claim is not None:
            request.newest = claim if self._still_owed(line, request, claim) else None
            request.boundaries += 1
            if claim.pos is not None and request.base is not None:
                request.base = (claim.pos + 1) % self._header.ring
        if row.done:
            self._rows.sync(line, request, "process", [p for p in problems if p.key != "process:skipped"])
            self._over(line, request, "done")
        else:
            self._rows.point(line, request, claim, row, problems)

    def _publish(self, line: int, event: Publish) -> None:
        request = self._running.get(event.r) or self._ended.get(event.r)
        if request is None:
            raise self._error(line, f"request {event.r} publishes slot {event.slot}, but there is no such request")
        newest = request.newest
        if newest is not None and (event.len >= newest.mark or (event.stored and event.slot == newest.slot)):
            request.newest = None
        if not event.stored:
            self._table.keep(line, request, event.slot, event.len)
            return
        if event.len % self._header.interval:
            text = f"a key of {event.len} tokens isn't a multiple of {self._header.interval}"
            self._rows.tell(line, request, [Problem("publish", "grid", text, event.slot)])
        if request.over == "freed":
            text = f"{event.r} left without finishing (line {request.over_line}), and publishes"
            self._rows.tell(line, request, [Problem("publish", "retract-pure", text, event.slot)])
        self._table.publish(line, request, event.slot, event.len)
        request.hush()

    def _free(self, line: int, event: Free) -> None:
        for number in event.slots:
            if number is None:
                text = "the absent marker is freed: an allocator may hand it out as a slot"
                self._hazards.open(line, None, Problem("free", "one-owner", text))
                continue
            using = self._table.free(line, number)
            if using is not None:
                self._over(line, using, "freed")

    def _returned(
        self, line: int, batch: TraceBatch, request: TraceRequest, launched: PrefillRow | PrepareRow
    ) -> TraceClaim | None:
        """A row has come back: it has run. Returns its claim."""
        claim = None
        request.prefills -= batch.prefill
        if launched.mark is not None:
            claim = next((claim for claim in request.claims if claim.batch == batch.b), None)
            request.claims = [claim for claim in request.claims if claim.batch != batch.b]
            if launched.slot is not None:
                self._table.ran(line, batch.b, launched.slot)
        if request.over is None:
            request.done_len = launched.len
        return claim

    def _still_owed(self, line: int, request: TraceRequest, claim: TraceClaim) -> bool:
        """Whether a finish must publish this completed checkpoint, if no newer one follows."""
        if claim.slot is None or self._table.at(line, claim.slot).owner is not request:
            return False
        # A lazy engine that finds no spare writes in place and thereby gives the checkpoint up.
        return self._header.mode == "eager" or all(other.slot != claim.slot for other in request.claims)

    def _missing_row(self, line: int, batch: TraceBatch, name: str, place: int) -> None:
        request = batch.requests[place]
        self._returned(line, batch, request, batch.rows[place])
        if request.over is None:
            text = f"the result of batch {batch.b} has no row for {name}, which is running"
            self._rows.tell(line, request, [Problem("missing", checks.ODD, text)])

    def _late_result(self, line: int, request: TraceRequest) -> bool:
        """A result for a request that is over. True if it turns out to be running still."""
        if request.over == "freed" and self._ended.get(request.name) is request:
            self._revive(line, "process", request.name)
            return True
        text = f"a result was applied to {request.name}, which was over at line {request.over_line}"
        self._rows.tell(line, request, [Problem("late", checks.ODD, text)])
        return False

    def _over(self, line: int, request: TraceRequest, how: str) -> None:
        self._table.retire(line, request)
        request.over = "done" if how == "done" else "freed"
        request.over_line = line
        self._leaving.append(request)
        del self._running[request.name]
        self._ended[request.name] = request
        if len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _revive(self, line: int, event: str, name: str) -> TraceRequest:
        """A row of a request that isn't running: if it is over and its slots are gone, they have two owners."""
        request = self._ended.pop(name, None)
        if request is None:
            raise self._error(line, f"request {name} isn't running")
        taken = [self._table.reclaim(line, event, request, number) for number in sorted(request.slots())]
        if not any(taken):
            text = f"a row for {name}, which was over at line {request.over_line}"
            self._rows.tell(line, request, [Problem("late", checks.ODD, text)])
        request.over = None
        self._running[name] = request
        self._table.hold_working(line, request)
        self._leaving = [leaving for leaving in self._leaving if leaving is not request]
        return request

    def _settle(self, line: int) -> None:
        """The effects of the last result are over: what a request still owns then is a leak."""
        for request in self._leaving:
            for number in sorted(request.slots()):
                self._table.leak(line, request, number)
            newest = request.newest
            if newest is not None and request.over == "done":
                text = (
                    f"{request.name} finished with a completed checkpoint of {newest.mark} tokens in slot "
                    f"{newest.slot}, and published nothing that long (right only if its output was cut shorter)"
                )
                self._rows.tell(request.over_line, request, [Problem("lost", "checkpoint-not-lost", text, newest.slot)])
            for scope in ("launch", "process", "flip", "apart"):
                self._hazards.sync(request.over_line, request.name, request.opened, scope, [])
        self._leaving = []

    def _error(self, line: int, reason: str) -> BadTrace:
        return BadTrace(self._path, line, reason)


def judge_trace(path: str | PathLike[str], close_look: bool = False) -> Verdict:
    """Read and judge one trace. Raises BadTrace, and OSError if the file can't be read."""
    reader = read_trace(path)
    judge = Judge(reader.header, reader.path, close_look)
    for line, event in reader:
        judge.feed(line, event)
    return judge.result(reader.cut)
