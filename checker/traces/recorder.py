"""Records what the runtime does in the trace format, so that it is judged like any other engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from msgspec import UNSET

from checker.traces import format
from runtime.batch import LaunchedBatch
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.observer import Observer, Recordable


class Recorder(Observer):
    """Writes one event a line; hand it to an `Engine` as its observer, and close it in the end.

    What comes of a result is told by the engine first, and written behind it.
    """

    def __init__(self, path: str | Path) -> None:
        self._file: BinaryIO = Path(path).open("wb")  # noqa: SIM115 (closed by `close`)
        self._held: list[format.Event] = []
        self._names: dict[int, list[str]] = {}
        """Whom the rows of each pending batch belong to: a seat may have been given to another since."""

    def attach(self, engine: Recordable) -> None:
        """Write the header for an engine; raises ValueError where it has done something: a trace tells all of it."""
        if engine.launched or engine.table.seats_left < engine.config.requests:
            raise ValueError("this engine has admitted requests already; record it from its beginning")
        super().attach(engine)
        self._engine = engine
        config = engine.config
        self._write(
            format.Header(
                trace=1,
                engine="slotproof runtime",
                mode="eager" if config.mode == "eager" else "lazy",
                interval=config.interval,
                ring=config.ring,
                slots=config.slots,
                first_slot=0,
                lookahead=config.lookahead,
                without_spare="skip" if config.without_spare == "skip" else "overwrite",
            )
        )

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def admit(self, seat: int) -> None:
        """Write an `admit`."""
        table = self._engine.table
        self._write(
            format.Admit(
                r=table.names[seat],
                working=int(table.working[seat]),
                ring=self._ring(seat),
                next=int(table.next[seat]),
                last=int(table.last[seat]),
            )
        )

    def prefill(self, batch: LaunchedBatch) -> None:
        """Write a `prefill`."""
        rows = self._remember(batch)
        self._write(
            format.Prefill(
                b=batch.number,
                rows=tuple(
                    format.PrefillRow(
                        prefix=row["start"],
                        copy_from=present(row["source"]),
                        **self._prepared(row),
                    )
                    for row in rows
                ),
            )
        )

    def prepare(self, batch: LaunchedBatch) -> None:
        """Write a `prepare`."""
        rows = self._remember(batch)
        self._write(
            format.Prepare(
                b=batch.number,
                rows=tuple(
                    format.PrepareRow(
                        count=row["decode_count"],
                        **self._prepared(row),
                    )
                    for row in rows
                ),
            )
        )

    def process(self, batch: LaunchedBatch, alive: Bools, finishes: Bools, ahead: Ints) -> None:
        """Write a `process`, and then what came of it."""
        names = self._names.pop(batch.number)
        decoded = batch.rows.decode_count > 0
        self._write(
            format.Process(
                b=batch.number,
                rows=tuple(
                    self._result(names[place], int(seat), bool(alive[place]), bool(finishes[place]))
                    if not decoded[place]
                    else self._result(
                        names[place], int(seat), bool(alive[place]), bool(finishes[place]), int(ahead[place])
                    )
                    for place, seat in enumerate(batch.rows.seat)
                ),
            )
        )
        self._flush()

    def _result(self, name: str, seat: int, alive: bool, done: bool, ahead: int | None = None) -> format.ProcessRow:
        table = self._engine.table
        if not alive:
            return format.ProcessRow(r=name, skipped=True, done=False)
        lookahead = UNSET if ahead is None else ahead
        if done:
            return format.ProcessRow(r=name, skipped=False, done=True, lookahead=lookahead)
        return format.ProcessRow(
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

    def abort(self, seat: int) -> None:
        """Write what an abort has freed: that is all that a trace tells of it."""
        self._flush()

    def evict(self, slot: int) -> None:
        """Write an `evict`."""
        self._write(format.Evict(slot=slot))

    def _remember(self, batch: LaunchedBatch) -> list[dict[str, int]]:
        rows = batch.rows.listed()
        self._names[batch.number] = [self._engine.table.names[row["seat"]] for row in rows]
        return rows

    def _prepared(self, row: dict[str, int]) -> dict[str, Any]:
        """Return what the rows of a prefill and of a decode both tell, the request's values after preparation."""
        table, seat = self._engine.table, row["seat"]
        return {
            "r": table.names[seat],
            "len": row["seq_len"],
            "mark": present(row["mark"]),
            "slot": present(row["slot"]),
            "pos": present(row["position"]),
            "next": int(table.next[seat]),
            "last": int(table.last[seat]),
            "ring": self._ring(seat),
        }

    def _ring(self, seat: int) -> format.Ring:
        return tuple(present(slot) for slot in self._engine.table.ring[seat].tolist())

    def _flush(self) -> None:
        for event in self._held:
            self._write(event)
        self._held.clear()

    def _write(self, event: format.Header | format.Event) -> None:
        self._file.write(format.encode(event))


def present(value: int) -> int | None:
    """Return a number as a trace spells it: null for ABSENT."""
    return None if value == ABSENT else value
