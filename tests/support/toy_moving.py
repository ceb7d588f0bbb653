"""The toy engine without a ring: working slots that move and are shared after publication, or snapshots by copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.toy_parts import Line, ToyRequest, ToyRow

if TYPE_CHECKING:
    from tests.support.toy_engine import ToyEngine as Engine
else:
    Engine = object


class Moving(Engine):
    """Rows in mode none."""

    def moving_row(self, row: ToyRow, batch: Line) -> bool:
        """The row reads where the state is (a hit: in the cache) and writes there, or moves to a new slot."""
        request = row.request
        reads = request.source if request.source is not None else request.working
        if request.len == 0:
            reads = None
        if request.hit is not None and request.source is not None and request.hit.loading is not None:
            self.wait_for(request.hit.loading, batch)
        self.reading.add(reads)
        must = request.shared and not self.wrong("shared-written")
        row.line |= {"reads": reads, "marks": [], "writes": request.working}
        if must or request.source is not None or request.working is None or self.chance(0.15):
            slots = self.take(1, r=request.name)
            if slots is None:
                return False
            row.line["writes"] = slots[0]
            if request.working is not None and not request.shared:
                row.extra = request.working
            request.working, request.shared = slots[0], False
        self.extra_mark(row)
        return True

    def extra_mark(self, row: ToyRow) -> None:
        """A checkpoint that a prefill writes beside its working slot."""
        mark = row.len // self.settings.grid * self.settings.grid
        if row.line["kind"] != "prefill" or not row.request.len < mark < row.len or self.chance(0.6):
            return
        slots = self.take(1, r=row.request.name)
        if slots:
            row.mark, row.slot = mark, slots[0]
            row.line["marks"] = [{"len": mark, "slot": slots[0]}]
            row.request.ring.append(slots[0])

    def snapshot(self, row: ToyRow, batch: Line) -> None:
        """The state that the row starts from is copied aside; it is published when the batch has been launched."""
        request = row.request
        if self.settings.style != "snapshot" or request.source is not None or request.len == 0:
            return
        if request.len % self.settings.interval or request.loading is not None or self.chance(0.4):
            return
        slots = self.take(1, r=request.name)
        if slots:
            copy = {"from": request.working, "to": slots[0], "len": request.len, "r": request.name}
            batch["copies"].append(copy)
            request.ring.append(slots[0])
            row.mark, row.slot = request.len, slots[0]

    def after_launch(self, rows: list[ToyRow]) -> None:
        """What moved leaves its old slot behind; what was written may be published before it has been."""
        for row in rows:
            request = row.request
            if row.extra is not None:
                self.release([row.extra])
                row.extra = None
            if row.mark is not None and row.slot is not None and self.settings.mode == "none":
                if self.chance(0.8):
                    self.publish_extra(row)
            if self.settings.style == "moving" and row.len % self.settings.interval == 0 and self.chance(0.4):
                self.share(request, row.len)
        if self.settings.style == "moving" and len(self.requests) > 1 and self.fault == "read-in-own-batch":
            self.join(rows)

    def join(self, rows: list[ToyRow]) -> None:
        """The fault: a request that hits what this batch writes becomes a row of the very same batch."""
        row = rows[-1]
        if row.request.shared and row.line["writes"] == row.request.working and self.wrong("read-in-own-batch"):
            slot, name = row.line["writes"], f"J{self.batch}"
            new = self.take(1, r=name)
            if new is None:
                return
            launch = next(line for line in reversed(self.lines) if line["e"] == "launch")
            fields = {"r": name, "kind": "prefill", "reads": slot, "start": row.len, "len": row.len + 1}
            launch["rows"].append(fields | {"marks": [], "writes": new[0], "last_chunk": True})

    def publish_extra(self, row: ToyRow) -> None:
        slot, mark = row.slot, row.mark
        assert slot is not None
        assert mark is not None
        stored = self.publish(row.request, slot, mark)
        row.request.ring.remove(slot)
        if not stored:
            self.release([slot])
        row.mark = row.slot = None

    def share(self, request: ToyRequest, tokens: int) -> None:
        """Publish the working slot; the request reads it once more and moves on."""
        if not request.shared and request.working is not None and request.session is None:
            request.shared = self.publish(request, request.working, tokens, shared=True)

    def publish_processed(self, row: ToyRow) -> None:
        """A block that is complete, and whose successor has not been launched."""
        request = row.request
        if not request.pending and request.len == row.len and row.len % self.settings.interval == 0:
            if self.chance(0.5):
                self.share(request, row.len)

    def finish_moving(self, request: ToyRequest) -> None:
        done = request.committed
        if request.pending or request.shared or request.working is None or done % self.settings.interval:
            return
        if self.publish(request, request.working, done):
            request.working = None

    def give_key_away(self) -> None:
        """A shared slot goes on as the request's own: the key moves to a copy of it."""
        for request in self.requests:
            entries = [entry for entry in self.cache if request.shared and entry.slot == request.working]
            if not entries or entries[0].locks or entries[0].transfer is not None or request.pending:
                continue
            entry = entries[0]
            slots = self.take(1, r=request.name)
            if slots is None or entry.slot is None:
                return
            old, new = request.working, slots[0]
            if not self.wrong("rekey-without-copy"):
                self.say("copy", **{"from": old, "to": new}, len=entry.len, after=self.batch - 1, r=request.name)
            self.say("rekey", **{"from": old, "to": new})
            entry.slot, entry.copied, request.shared = new, self.batch + 1, False
            return
