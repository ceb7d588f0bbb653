"""Records what the runtime does in the trace format, so that it is judged like any other engine."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from msgspec import UNSET
from msgspec.structs import replace

from checker.traces import format
from checker.traces.reading import encode
from runtime.batch import LaunchedBatch
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.observer import Observer, Recordable


class Recorder(Observer):
    """Writes one event a line; hand it to an `Engine` as its observer, and close it in the end.

    What the cache and the pool do is told by the engine before what it belongs to, and is written behind it.
    """

    def __init__(self, path: str | Path) -> None:
        self._file: BinaryIO = Path(path).open("wb")  # noqa: SIM115 (closed by `close`)
        self._held: list[format.Publish | format.Free | format.Evict] = []
        self._names: dict[int, list[str]] = {}
        """Whom the rows of each pending batch belong to: a seat may have been given to another since."""
        self._rings: dict[str, format.Ring] = {}
        """The ring of each running request as it was written last: what is new in it was taken from the pool."""

    def attach(self, engine: Recordable) -> None:
        """Write the header for an engine; raises ValueError where it has done something: a trace tells all of it."""
        if engine.launched or engine.table.seats_left < engine.config.requests:
            raise ValueError("this engine has admitted requests already; record it from its beginning")
        super().attach(engine)
        self._engine = engine
        config = engine.config
        self._write(
            format.Header(
                trace=2,
                engine="slotproof runtime",
                mode="eager" if config.mode == "eager" else "lazy",
                slots=config.slots,
                first_slot=0,
                lookahead=config.lookahead,
                ring=config.ring,
                interval=config.interval,
                without_spare="skip" if config.without_spare == "skip" else "overwrite",
                prefill_grid=config.interval,
                knows=("takes", "frees", "evicts", "ends", "copies"),
            )
        )

    def close(self) -> None:
        """End the file."""
        self._flush(None)
        self._write(format.Stop(why="closed"))
        self._file.close()

    def admit(self, seat: int) -> None:
        """Write an `admit`."""
        self._flush(None)
        table, name, ring = self._engine.table, self._engine.table.names[seat], self._ring(seat)
        working, source = int(table.working[seat]), int(table.source[seat])
        self._take(name, (working, *ring), None)
        self._rings[name] = ring
        self._write(
            format.Admit(
                r=name,
                working=working,
                ring=ring,
                next=int(table.next[seat]),
                last=int(table.last[seat]),
                hit=None if source == ABSENT else format.Hit(slot=source, len=int(table.prefix[seat])),
            )
        )

    def prefill(self, batch: LaunchedBatch) -> None:
        """Write the `launch` of a prefill."""
        rows = self._remember(batch)
        copies = tuple(
            format.CopiedState(
                from_=row["source"],
                to=row["working"],
                len=row["start"],
                r=name,
            )
            for name, row in zip(self._names[batch.number], rows, strict=True)
            if row["source"] not in (ABSENT, row["working"])
        )
        made = tuple(
            format.PrefillRow(
                r=name,
                reads=row["working"] if row["start"] else None,
                writes=row["working"],
                start=row["start"],
                len=row["seq_len"],
                marks=_marks(row),
                next=int(self._engine.table.next[row["seat"]]),
                last=int(self._engine.table.last[row["seat"]]),
                ring=self._ring(row["seat"]),
            )
            for name, row in zip(self._names[batch.number], rows, strict=True)
        )
        self._write(format.Launch(b=batch.number, rows=made, copies=copies))

    def prepare(self, batch: LaunchedBatch) -> None:
        """Write the `launch` of a decode batch."""
        rows = self._remember(batch)
        made = tuple(
            format.DecodeRow(
                r=name,
                reads=row["working"],
                writes=row["working"],
                start=row["start"],
                len=row["seq_len"],
                marks=_marks(row),
                count=row["decode_count"],
                next=int(self._engine.table.next[row["seat"]]),
                last=int(self._engine.table.last[row["seat"]]),
                ring=self._ring(row["seat"]),
            )
            for name, row in zip(self._names[batch.number], rows, strict=True)
        )
        self._write(format.Launch(b=batch.number, rows=made))

    def process(self, batch: LaunchedBatch, alive: Bools, finishes: Bools, ahead: Ints) -> None:
        """Write a `process`, and then what came of it."""
        names = self._names.pop(batch.number)
        decoded = batch.rows.decode_count > 0
        rows = tuple(
            self._result(names[place], int(seat), bool(alive[place]), bool(finishes[place]), int(ahead[place]))
            if decoded[place]
            else self._result(names[place], int(seat), bool(alive[place]), bool(finishes[place]))
            for place, seat in enumerate(batch.rows.seat)
        )
        self._write(format.Process(b=batch.number, rows=rows))
        self._flush(batch.number)
        for row in rows:
            if row.done:
                self._end(row.r, "finish")
            elif isinstance(row.ring, tuple):
                self._show(row.r, row.ring, batch.number)

    def _result(self, name: str, seat: int, alive: bool, done: bool, ahead: int | None = None) -> format.ResultRow:
        table = self._engine.table
        if not alive:
            return format.ResultRow(r=name, skipped=True, done=False)
        lookahead = UNSET if ahead is None else ahead
        if done:
            return format.ResultRow(r=name, skipped=False, done=True, lookahead=lookahead)
        return format.ResultRow(
            r=name,
            skipped=False,
            done=False,
            lookahead=lookahead,
            next=int(table.next[seat]),
            last=int(table.last[seat]),
            last_len=present(int(table.last_len[seat])),
            ring=self._ring(seat),
        )

    def publish(self, seat: int, slot: int, length: int, stored: bool) -> None:
        """Hold a `publish` until the result that it came of is written."""
        self._held.append(format.Publish(r=self._engine.table.names[seat], slot=slot, len=length, stored=stored))

    def free(self, slots: Ints) -> None:
        """Hold a `free` likewise."""
        self._held.append(format.Free(slots=tuple(slots.tolist())))

    def evict(self, slot: int) -> None:
        """Hold an `evict`: it made room for what comes next."""
        self._held.append(format.Evict(slot=slot))

    def abort(self, seat: int) -> None:
        """Write what an abort has freed, and the end."""
        self._flush(None)
        self._end(self._engine.table.names[seat], "abort")

    def _end(self, name: str, why: str) -> None:
        self._rings.pop(name, None)
        self._write(format.End(r=name, why="finish" if why == "finish" else "abort"))

    def _remember(self, batch: LaunchedBatch) -> list[dict[str, int]]:
        self._flush(None)
        rows = batch.rows.listed()
        names = self._names[batch.number] = [self._engine.table.names[row["seat"]] for row in rows]
        for name, row in zip(names, rows, strict=True):
            self._show(name, self._ring(row["seat"]), None)
        return rows

    def _show(self, name: str, ring: format.Ring, during: int | None) -> None:
        """Write as taken what is new in a ring."""
        before = self._rings.get(name, ())
        self._take(name, tuple(slot for slot in ring if slot not in before), during)
        self._rings[name] = ring

    def _take(self, name: str, slots: format.Ring, during: int | None) -> None:
        taken = tuple(slot for slot in slots if slot is not None)
        if taken:
            self._write(format.Take(slots=taken, r=name, during=during))

    def _ring(self, seat: int) -> format.Ring:
        return tuple(present(slot) for slot in self._engine.table.ring[seat].tolist())

    def _flush(self, during: int | None) -> None:
        for event in self._held:
            self._write(replace(event, during=during))
        self._held.clear()

    def _write(self, event: format.Header | format.Event) -> None:
        self._file.write(encode(event))


def _marks(row: dict[str, int]) -> tuple[format.Mark, ...]:
    if row["mark"] == ABSENT:
        return ()
    return (format.Mark(len=row["mark"], slot=row["slot"], pos=row["position"]),)


def present(value: int) -> int | None:
    """Return a number as a trace spells it: null for ABSENT."""
    return None if value == ABSENT else value
