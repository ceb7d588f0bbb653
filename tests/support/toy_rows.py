"""Batches of the toy engine: what a row is prepared to do, and what comes of its result."""

from __future__ import annotations

from tests.support.toy_moving import Moving
from tests.support.toy_parts import Line, ToyRequest, ToyRow, digest
from tests.support.toy_verify import Verify


class Rows(Moving, Verify):
    """Preparation, launch and results, in all modes."""

    def launch(self) -> None:
        """A batch of some of the requests that can go on."""
        ready = [request for request in self.requests if self.can_run(request)]
        if not ready:
            return
        self.donate_at_planning(ready)
        self.reading = set()
        chosen = self.rng.sample(ready, self.rng.randint(max(1, len(ready) - 2), len(ready)))
        batch: Line = {"b": self.batch, "rows": [], "clears": [], "copies": [], "waits": []}
        prefill = any(request.len < request.prompt for request in chosen)
        rows = [row for request in chosen if (row := self.row(request, batch, prefill)) is not None]
        if not rows:
            return
        if self.wrong("two-rows-one-slot", len(rows) > 1):
            rows[0].line["writes"] = rows[1].line["writes"]
        batch["rows"] = [row.line for row in rows]
        self.say("launch", **{key: value for key, value in batch.items() if key in ("b", "rows") or value})
        self.batch += 1
        self.pending.append(rows)
        for row in rows:
            row.request.pending.append(row)
            if row.request.hit is not None and row.request.source is not None:
                row.request.hit.locks -= 1
            row.waits, row.request.source, row.request.loading = row.request.loading, None, None
        self.after_launch(rows)

    def can_run(self, request: ToyRequest) -> bool:
        if request.high >= request.stop + self.settings.lookahead + self.settings.window:
            return False
        return request.exact or self.settings.window > 1

    def row(self, request: ToyRequest, batch: Line, prefill: bool) -> ToyRow | None:
        """Prepare one row; None: it has to wait."""
        verify = self.settings.window > 1 and request.len >= request.prompt
        if verify and (not request.exact or self.chance(0.7)):
            return self.verify_row(request, batch)
        in_prompt = request.len < request.prompt
        end = request.len + 1
        if in_prompt:
            whole = self.settings.running > 20 or self.chance(0.5)
            end = request.prompt if whole else self.rng.randint(end, request.prompt)
        row = ToyRow(request, self.batch, request.epoch, {}, len=end)
        start = request.len + self.wrong("start-off-by-one", request.len > 0)
        line = row.line = {"r": request.name, "kind": "prefill" if in_prompt else "decode", "start": start, "len": end}
        if self.settings.style == "moving":
            if not self.moving_row(row, batch):
                return None
        else:
            line["writes"] = request.working
            line["reads"] = self.source_of(request, batch)
            line["marks"] = []
            self.snapshot(row, batch)
            if not (prefill and not in_prompt and self.settings.mixed_skip):
                self.mark(row, in_prompt)
        line["last_chunk" if in_prompt else "count"] = end == request.prompt if in_prompt else request.count + 1
        request.count += not in_prompt
        request.len = request.low = request.high = end
        self.pointers(request, line)
        if request.working is not None and self.wrong("freed-early"):
            self.release([request.working])
        return row

    def pointers(self, request: ToyRequest, line: Line) -> None:
        if self.settings.mode != "none":
            line |= {"next": request.next, "last": request.last, "ring": list(request.ring)}
        if request.epoch:
            line["epoch"] = request.epoch

    def source_of(self, request: ToyRequest, batch: Line) -> int | None:
        """The slot that the row reads, with the copy, clear or wait that comes before it."""
        slot = request.working
        if request.loading is not None and request.loading in self.transfers:
            self.wait_for(request.loading, batch)
        if request.source is not None:
            if request.hit is not None and request.hit.loading is not None:
                self.wait_for(request.hit.loading, batch)
            copy = {"from": request.source, "to": slot, "len": request.len, "r": request.name}
            copy["text"] = digest(request.key(request.len))
            if not self.wrong("copy-missing"):
                batch["copies"].append(copy)
        if request.len == 0 and request.clear:
            others = [each.working for each in self.requests if each is not request and each.working is not None]
            if not self.wrong("clear-missing"):
                cleared = self.rng.choice(others) if self.wrong("clear-of-stranger", bool(others)) else slot
                batch["clears"].append(cleared)
            return slot
        return slot if request.len else None

    # Marks

    def mark(self, row: ToyRow, in_prompt: bool) -> None:
        """Decide the row's checkpoint and claim a position for it."""
        if self.settings.mode == "none":
            return
        start, grid = row.request.len, self.settings.grid if in_prompt else self.settings.interval
        base = row.request.prefix if in_prompt and self.settings.relative else 0
        newest = base + (row.len - base) // grid * grid
        if newest <= start:
            if self.settings.dump and not in_prompt:
                row.line["marks"] = [{"len": row.len, "slot": 0}]
            return
        pos = self.claim_eager(row.request) if self.settings.mode == "eager" else self.claim_lazy(row.request)
        if pos is None:
            return
        row.mark, row.pos, row.slot = newest, pos, row.request.ring[pos]
        slot = row.slot
        if self.wrong("mark-into-stranger", len(self.requests) > 1):
            other = self.rng.choice([each for each in self.requests if each is not row.request])
            slot = self.rng.choice(other.slots())
        row.line["marks"] = [{"len": newest, "slot": slot, "pos": pos}]

    def claim_eager(self, request: ToyRequest) -> int:
        pos, count = request.next, self.settings.ring
        if not self.wrong("flip-missed"):
            request.next = (pos + 1 + self.wrong("flipped-twice")) % count
        if pos == request.last and not self.naive and not self.wrong("label-kept", request.label is not None):
            request.label = None
        return pos

    def claim_lazy(self, request: ToyRequest) -> int | None:
        """The filled position if it has no label and no claim, else a spare, else over the label or nothing."""
        claimed, pos = request.claims(), request.next
        free = pos not in claimed and request.ring[pos] is not None
        if free and (request.label is None or pos != request.last):
            return pos
        if self.spare(request):
            return request.next
        if self.settings.without_spare == "skip" or claimed or pos != request.last:
            return None
        if not self.wrong("label-kept", request.label is not None):
            request.label = None
        return pos

    def spare(self, request: ToyRequest) -> bool:
        """Fill an absent position with a spare; `next` moves there."""
        absent = [pos for pos, slot in enumerate(request.ring) if slot is None]
        spared = absent and self.chance(0.7) and self.fault != "label-kept"
        slots = self.take(1, r=request.name) if spared else None
        if slots:
            request.next = absent[0]
            request.ring[absent[0]] = slots[0]
        return bool(slots)

    # Results

    def process(self) -> None:
        """The result of the oldest batch."""
        rows = self.pending.pop(0)
        self.during = rows[0].batch
        at = len(self.lines)
        told: list[tuple[ToyRow, Line]] = []
        for row in rows:
            request = row.request
            line: Line = {"r": request.name, "skipped": False, "done": False}
            if row.epoch or any(other.name == request.name and other.epoch for other in self.requests):
                line["epoch"] = row.epoch
            told.append((row, line))
            if row in request.pending:
                request.pending.remove(row)
            if row.waits in self.transfers:
                self.finish_transfer(row.waits)
            if request.over:
                line["skipped"] = True
                self.adopt_dropped(row)
                continue
            self.result(row, line)
        line = {"e": "process", "b": self.during, "rows": [line for _, line in told]}
        if self.settings.result_last:
            for row, fields in told:
                if not fields["done"] and not fields["skipped"]:
                    self.pointers(row.request, fields)
            self.lines.append(line)
        else:
            self.lines.insert(at, line)
        self.during = None

    def adopt_dropped(self, row: ToyRow) -> None:
        """A row of a life that is over labels nothing in the next one."""
        newer = [each for each in self.requests if each.name == row.request.name and each is not row.request]
        if not newer or row.pos is None or row.mark is None or not self.wrong("dropped-row-labels"):
            return
        slot, new = newer[0].ring[row.pos], self.take(1, r=row.request.name)
        if slot is not None and new is not None:
            self.publish(newer[0], slot, row.mark, replaced_by=new[0])
            newer[0].ring[row.pos] = new[0]

    def result(self, row: ToyRow, line: Line) -> None:
        request = row.request
        if row.line["kind"] == "verify":
            superseded = self.verify_result(row, line)
        else:
            request.committed = row.len
            superseded = self.exact_result(row)
        pending = len([other for other in request.pending if other.batch > row.batch])
        if row.line["kind"] != "prefill":
            line["lookahead"] = pending
        in_prompt = row.line["kind"] == "prefill" and not row.line["last_chunk"]
        stopped = request.committed >= request.stop or (not in_prompt and self.chance(0.3 if self.naive else 0.06))
        line["done"] = done = stopped and not in_prompt
        if row.line["kind"] == "verify":
            self.verify_kept(row, line, done)
        if not done:
            self.pointers(request, line)
            if self.settings.mode != "none":
                line["last_len"] = request.label
        self.release(superseded)
        if done:
            self.finish(request, row)
        elif row.pos is not None and row.line["kind"] == "prefill" and not row.donated and self.chance(0.6):
            self.donate(request, row)
        elif self.settings.style == "moving":
            self.publish_processed(row)

    def exact_result(self, row: ToyRow) -> list[int]:
        """Consumer pointers move; what they leave behind goes back to the pool."""
        request = row.request
        if row.mark is None or row.pos is None or row.donated:
            return []
        old, request.last = request.last, row.pos
        request.label = row.mark
        if self.wrong("label-of-request", request.len != row.mark):
            request.label = request.len
        return self.superseded(request, old)

    def superseded(self, request: ToyRequest, old: int) -> list[int]:
        slot = request.ring[old]
        if self.settings.mode != "lazy" or old == request.last or slot is None or slot in request.targets():
            return []
        request.ring[old] = None
        return [slot]

    def gate(self, request: ToyRequest, slot: int | None) -> bool:
        """Whether no row that is still pending may write the slot."""
        return slot not in request.targets() or self.naive or self.wrong("gate-missing")

    def donate(self, request: ToyRequest, row: ToyRow) -> None:
        """Hand the row's checkpoint to the cache; a slot taken beforehand gets its position."""
        assert row.pos is not None
        assert row.mark is not None
        slot = request.ring[row.pos]
        if slot is None or slot != row.slot or not self.gate(request, slot):
            return
        if any(entry.key == request.key(row.mark) for entry in self.cache):
            return
        new = self.take(1, r=request.name)
        if new is None:
            return
        if self.publish(request, slot, row.mark, replaced_by=new[0]):
            request.ring[row.pos] = new[0]
            row.donated = True
            if request.last == row.pos:
                request.label = None
        else:
            self.release(new)

    def donate_at_planning(self, ready: list[ToyRequest]) -> None:
        """A chunk's checkpoint may be handed over before its own result: the device will have written it."""
        for request in ready:
            rows = [row for row in request.pending if row.pos is not None and row.line["kind"] == "prefill"]
            if rows and self.chance(0.3) and not rows[-1].donated:
                row = rows[-1]
                others = {slot for other in request.pending if other is not row for slot in other.targets()}
                if row.slot not in others and row is request.pending[-1]:
                    self.donate_promised(request, row)

    def donate_promised(self, request: ToyRequest, row: ToyRow) -> None:
        held, request.pending = request.pending, []
        self.donate(request, row)
        request.pending = held
        if row.donated:
            row.slot = None

    def finish(self, request: ToyRequest, row: ToyRow) -> None:
        """The request ends here: publish its newest checkpoint, give the rest back; or the session gets it all."""
        if request.session is not None:
            self.end_turn(request, row)
            return
        if self.settings.style == "moving":
            self.finish_moving(request)
        elif self.settings.mode != "none" and request.label is not None:
            pos = request.last
            if self.wrong("wrong-keep-slot"):
                others = [at for at, slot in enumerate(request.ring) if slot is not None and at != pos]
                pos = self.rng.choice(others or [pos])
            slot = request.ring[pos]
            if slot is not None and request.label <= request.committed and self.gate(request, slot):
                if self.publish(request, slot, request.label):
                    request.ring[pos] = None
        self.leave(request, "finish")
