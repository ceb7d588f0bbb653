"""The results of batches: what has certainly run, what each row says of its request, what a verify has written."""

from __future__ import annotations

from msgspec import UNSET

from checker.traces import rules
from checker.traces.device import Device
from checker.traces.format import DecodeRow, Id, PrefillRow, Process, ResultRow, Row, VerifyRow
from checker.traces.lives import Claim, Life, PendingBatch
from checker.traces.slots import MARKS, ROWS, Slot, Write
from checker.traces.verdict import Problem


class Results(Device):
    """Follows batches up to their results."""

    def process(self, event: Process) -> None:
        """The result of the oldest batch; raises BadTrace where it is not that."""
        oldest = self.batches[0].b if self.batches else self.newest + 1
        if event.b < oldest and not self.header.is_whole and event.b > self.processed:
            # It was launched before the recording began.
            self.processed = event.b
            return
        if not self.batches or oldest != event.b:
            first = f"batch {oldest} is next" if self.batches else "none is pending"
            raise self.error(f"the result of batch {event.b} is processed, but {first}")
        batch = self.batches.popleft()
        self.processed = event.b
        if self._too_deep is not None and len(self.batches) <= self.header.lookahead + 1:
            self._too_deep.healed_at = self.line
            self._too_deep = None
        rows, lives = batch.rows, batch.lives
        if [row.r for row in event.rows] != [row.r for row in rows]:
            places = self._order(event, batch)
            rows, lives = tuple(rows[place] for place in places), [lives[place] for place in places]
        for launched, life, row in zip(rows, lives, event.rows, strict=True):
            life.out -= 1
            if life.quiet and self._changes_nothing(life, launched, row):
                life.done_len = launched.len  # type: ignore[union-attr]
                home = life.home
                if home is not None and home.pending and home.pending[0].batch <= event.b:
                    home.settle(event.b)
            else:
                self._result(batch, life, launched, row)

    def _order(self, event: Process, batch: PendingBatch) -> list[int]:
        """Return which row of the batch each row of its result is about; what it leaves out has come back too."""
        waiting = {row.r: place for place, row in enumerate(batch.rows)}
        places = []
        for row in event.rows:
            place = waiting.pop(row.r, None)
            if place is None:
                raise self.error(f"the result of batch {event.b} has a row for {row.r}, the batch has none")
            places.append(place)
        for name, place in waiting.items():
            life = batch.lives[place]
            life.out -= 1
            self._returned(batch, life, batch.rows[place], None)
            if not life.over:
                text = f"the result of batch {batch.b} has no row for {name}, which is running"
                self.report(life, Problem("missing", rules.ODD, text))
        return places

    def _changes_nothing(self, life: Life, launched: Row, row: ResultRow) -> bool:
        """Whether a result is one of the many that only say that a decode row without a mark has run."""
        # A field that a `same` line leaves out is what it was; without `same` it is unknown.
        return (
            type(launched) is DecodeRow
            and not (row.skipped or row.done or launched.marks or life.prefills or life.exposed or self.close_look)
            and (row.last_len == life.label or row.last_len is UNSET)
            and (row.next == life.next or row.next is UNSET)
            and (row.last == life.last or row.last is UNSET)
            and (row.ring == life.ring or row.ring is UNSET)
            and row.accepted is UNSET
            and (
                row.lookahead is UNSET
                or (
                    launched.count is not UNSET
                    and row.lookahead == life.count - launched.count
                    and 0 <= row.lookahead <= self.header.lookahead
                )
            )
        )

    def _result(self, batch: PendingBatch, life: Life, launched: Row, row: ResultRow) -> None:
        claims = self._returned(batch, life, launched, row)
        if row.skipped:
            problems = []
            if not life.over:
                problems.append(Problem("process:skipped", rules.ODD, "the row of a running request was ignored"))
            if row.done:
                problems.append(Problem("process:skipped", rules.ODD, "a row is both skipped and done"))
            if life.over:
                self.report(life, *problems)
            else:
                self.sync(life, "process", problems)
                life.hush()
            return
        if life.over == "left" and self.lives.get(life.name) is life and self.header.is_whole:
            # No line has said that it is over, and it turns out to be running still.
            self.revive(life.name)
        elif life.over:
            text = f"a result was applied to {life.name}, which was over at line {life.over_line}"
            self.report(life, Problem("late", rules.ODD, text))
            return
        problems = []
        if isinstance(launched, DecodeRow) and launched.count is not UNSET and row.lookahead is not UNSET:
            problems = rules.lookahead(self.header, life, launched.count, row.lookahead)
        for claim in claims:
            life.newest = claim if self._is_owed(life, claim) else None
            life.boundaries += 1
            if claim.pos is not UNSET and life.base is not None and self.header.ring is not UNSET:
                life.base = (claim.pos + 1) % self.header.ring
        if row.done:
            self.sync(life, "process", problems)
            self.over(life, "done")
        else:
            self.after_result(life, claims[-1] if claims else None, row, problems)

    def _is_owed(self, life: Life, claim: Claim) -> bool:
        """Whether a finish must publish this completed checkpoint, if no newer one follows."""
        slot = self.at(claim.slot)
        if slot is None or slot.owner is not life.holder:
            return False
        # A lazy engine that finds no spare writes in place and thereby gives the checkpoint up.
        return self.header.mode == "eager" or not life.targets[claim.slot]

    def _returned(self, batch: PendingBatch, life: Life, launched: Row, row: ResultRow | None) -> list[Claim]:
        """A row has come back: it has run. Returns its claims."""
        life.prefills -= isinstance(launched, PrefillRow)
        if life.home is not None:
            life.home.settle(batch.b)
        if isinstance(launched, VerifyRow):
            if row is not None and not row.skipped and UNSET in (row.accepted, row.retained):
                raise self.error(f"the row of {row.r} was a verify, so it needs `accepted` and `retained`")
            return self._verified(batch, life, launched, row)
        claims = life.returned(batch.b)
        for claim in claims:
            slot = self.at(claim.slot)
            if slot is not None:
                self._ran(batch.b, slot, slot.certain.words() if slot.certain else "nothing")
        if not life.over:
            life.done_len = launched.len
        return claims

    def _ran(self, b: int, slot: Slot, what: str) -> None:
        slot.note(self.line, b, f"result of b{b} processed", f"b{b} has run: {what}")

    def _verified(self, batch: PendingBatch, life: Life, row: VerifyRow, result: ResultRow | None) -> list[Claim]:
        """A verify's result: how many tokens were accepted says what its row has written. Returns the checkpoint."""
        started, first = 0, None
        while life.verifies and life.verifies[0].batch <= batch.b:
            _, _, started, first = life.verifies.popleft()
        life.hush()
        if result is None or not isinstance(result.accepted, int) or not isinstance(result.retained, int):
            return []
        b, accepted, retained = batch.b, result.accepted, result.retained
        before = life.done_len or row.low
        after = life.done_len = before + accepted
        if not row.low <= before <= row.high - row.tokens:
            text = f"b{b} verifies from {row.low} to {row.high - row.tokens} tokens, and there were {before}"
            life.taint = self._wrong_result(life, "exact-label", text)
        if not 1 <= accepted <= row.tokens:
            text = f"{accepted} of the {row.tokens} tokens of b{b} are said to be accepted"
            self._wrong_result(life, "inconsistent-record", text)
        if retained > accepted:
            text = f"{life.name} keeps {retained} tokens of b{b}, and its state has absorbed {accepted}"
            life.taint = self._wrong_result(life, "exact-label", text)
        problems = []
        if retained < accepted and not result.done:
            text = f"{life.name} goes on with {retained} tokens of b{b}, and its state has absorbed {accepted}"
            problems.append(Problem("process:retained", rules.ODD, text))
        if life.home is not None:
            life.home.resolve(b, ROWS, Write(b, batch.line, life, after, life.taint, after))
        wrote, claims = None, []
        interval = 0 if self.header.interval is UNSET else self.header.interval
        crossing = after // interval * interval if interval else 0
        position = self._position(row, first, life.crossed - started) if crossing > before else None
        for place, number in enumerate(row.may):
            slot = self.at(number)
            if slot is None:
                continue
            found = Write(b, batch.line, life, crossing, life.taint, crossing, MARKS) if place == position else None
            slot.resolve(b, MARKS, found)
            if found is not None:
                self._ran(b, slot, f"{life.name}@{crossing}")
                life.crossed += 1
                wrote = (crossing, slot.id)
                if crossing <= before + retained:
                    claims = [Claim(b, self.line, crossing, slot.id, place, False, False)]
        if result.wrote is not UNSET:
            said = None if result.wrote is None else (result.wrote.len, result.wrote.slot)
            if said != wrote:
                text = f"the engine takes b{b} to have written {_wrote(said)}, and by what was accepted it is "
                self._wrong_result(life, "exact-label", text + _wrote(wrote))
        self.sync(life, "process:", problems)
        return claims

    def _wrong_result(self, life: Life, kind: str, text: str) -> int:
        return self.bad(kind, text, life.home, life)

    def _position(self, row: VerifyRow, first: int | None, crossed: int) -> int | None:
        """Which ring position a crossing goes to: the planned one, or as many behind `first` as were written since."""
        if self.header.crossing == "counted" and first is not None and row.may:
            return (first + crossed) % len(row.may)
        return next((place for place, number in enumerate(row.may) if number is not None), None)


def _wrote(what: tuple[int, Id] | None) -> str:
    return "nothing" if what is None else f"{what[0]} tokens in slot {what[1]}"
