"""Verify rows of the toy engine: rows that take several tokens, and learn how many from their result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.toy_parts import Line, ToyRequest, ToyRow

if TYPE_CHECKING:
    from tests.support.toy_engine import ToyEngine as Engine
else:
    Engine = object


class Verify(Engine):
    """Preparation and results of verify rows, planned and counted."""

    def verify_row(self, request: ToyRequest, batch: Line) -> ToyRow:
        tokens = self.rng.randint(1, self.settings.window)
        low, high = request.low, request.high + tokens
        row = ToyRow(request, self.batch, request.epoch, {}, tokens=tokens)
        row.reachable = high // self.settings.interval > low // self.settings.interval
        row.may = [None] * self.settings.ring
        planned = self.settings.crossing == "planned"
        if self.settings.mode == "lazy" or planned:
            self.plan(row)
        else:
            closed = request.claims() | ({request.last} if request.label is not None else set())
            if self.wrong("may-over-label"):
                closed = request.claims()
            row.may = [None if pos in closed else slot for pos, slot in enumerate(request.ring)]
        told = list(row.may)
        if self.wrong("plan-missing", any(slot is not None for slot in told)):
            told = [None] * len(told)
        request.count += 1
        row.line = {"r": request.name, "kind": "verify", "low": low, "high": high, "tokens": tokens}
        row.line |= {"reads": request.working, "writes": request.working, "may": told, "count": request.count}
        request.low, request.high = low + 1, high
        self.pointers(request, row.line)
        return row

    def plan(self, row: ToyRow) -> None:
        """One position, the next; in lazy mode a spare may have to fill one first."""
        request = row.request
        taken = request.claims() | ({request.last} if request.label is not None else set())
        if self.settings.mode == "lazy" and row.reachable:
            if request.next in taken or request.ring[request.next] is None:
                self.spare(request)
        pos = request.next
        if pos not in taken and (row.reachable or self.chance(0.5)):
            row.may[pos] = request.ring[pos]
            row.pos = pos

    def verify_result(self, row: ToyRow, line: Line) -> list[int]:
        """The accepted count arrives; the CPU repeats the device's decision from the row."""
        request, settings = row.request, self.settings
        accepted = self.rng.randint(1, row.tokens)
        before, after = request.committed, request.committed + accepted
        line["accepted"] = line["retained"] = accepted
        if self.wrong("accepted-of-other-row", row.tokens > 1):
            after = before + accepted % row.tokens + 1
        mark = after // settings.interval * settings.interval
        pos = row.pos if settings.crossing == "planned" else request.next
        line["wrote"] = None
        superseded: list[int] = []
        if mark > before and pos is not None and row.may[pos] is not None:
            line["wrote"] = {"len": mark, "slot": row.may[pos]}
            old, request.last, request.label = request.last, pos, mark
            request.next = (pos + 1) % settings.ring
            superseded = self.superseded(request, old)
        request.committed = request.len = before + accepted
        request.low = request.committed + len(request.pending)
        request.high = request.committed + sum(other.tokens for other in request.pending)
        for other in request.pending:
            reach = request.committed + sum(each.tokens for each in request.pending if each.batch <= other.batch)
            other.reachable = reach // settings.interval > request.committed // settings.interval
        return superseded

    def verify_kept(self, row: ToyRow, line: Line, done: bool) -> None:
        """Only a request that ends here may keep fewer tokens than it accepted."""
        request = row.request
        if done:
            line["retained"] = self.rng.randint(1, line["accepted"])
            request.committed -= line["accepted"] - line["retained"]
            request.high += line["accepted"] - line["retained"]
