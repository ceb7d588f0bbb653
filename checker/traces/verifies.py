"""Verify rows: how many tokens one absorbs, and so which boundary it writes where, only its result says."""

from __future__ import annotations

from msgspec import UNSET

from checker.traces import rules
from checker.traces.format import Header, Id, ResultRow, VerifyRow
from checker.traces.lives import Claim, Life, PendingBatch
from checker.traces.requests import Requests
from checker.traces.slots import MARKS, ROWS, Content, Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem
from checker.traces.writes import Writes


class Verifies:
    """Follows verify rows; shares slots, requests and what rows write with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests, writes: Writes) -> None:
        self._header = header
        self._table = table
        self._requests = requests
        self._writes = writes
        self._interval = 0 if header.interval is UNSET else header.interval

    def launch(self, line: int, b: int, row: VerifyRow, life: Life, root: int | None) -> None:
        """A verify row: how many tokens it absorbs, and so which boundary it writes where, its result will say."""
        life.taint = root
        problems = self._writes.pointers(line, life, row)
        life.count = life.count + 1 if row.count is UNSET else row.count
        first = row.next if isinstance(row.next, int) else life.shown_next
        life.verifies.append((b, row.tokens, life.crossed, first if isinstance(first, int) else None))
        before = life.state
        least = (row.low if before is None else max(row.low, before.least)) + 1
        most = row.high if before is None else min(row.high, before.length + row.tokens)
        self._writes.home(line, b, life, row.writes, Content(b, line, life, max(most, least), root, least))
        for number in row.may:
            slot = self._table.at(number)
            if slot is None and number is not None and number not in self._header.reserved:
                self._table.impossible(line, "launch", life, number, f"b{b} may write a boundary into")
            if slot is not None:
                content = Content(b, line, life, row.high, root, row.low + 1, MARKS, maybe=True)
                if slot.cached:
                    if self._table.can_happen(content):
                        self._writes.own_target(line, b, life, slot, f"a boundary of {content.words()}")
                elif slot.owner is not life.holder:
                    self._writes.own_target(line, b, life, slot, content.words())
                slot.write(content)
                slot.note(line, b, f"launch b{b}: may write a boundary up to {row.high} tokens")
        life.started, life.len = True, row.high
        self._writes.show(line, life, row, problems)

    def resolve(
        self, line: int, batch: PendingBatch, life: Life, row: VerifyRow, result: ResultRow | None
    ) -> Claim | None:
        """A verify's result: how many tokens were accepted says what its row has written. Returns the checkpoint."""
        started, first = 0, None
        while life.verifies and life.verifies[0][0] <= batch.b:
            _, _, started, first = life.verifies.popleft()
        if result is None or result.accepted is UNSET or result.retained is UNSET:
            return None
        accepted, retained = result.accepted, result.retained
        before = life.done_len or row.low
        after = before + accepted
        if not row.low <= before <= row.high - row.tokens and life.home is not None:
            text = f"b{batch.b} verifies from {row.low} to {row.high - row.tokens} tokens, and there were {before}"
            life.taint = self._table.bad(line, "process", life, life.home, None, "exact-label", text, life.taint)
        root = life.taint
        problems = []
        if retained < accepted and not result.done:
            text = f"{life.name} goes on with {retained} tokens of b{batch.b}, and its state has absorbed {accepted}"
            problems.append(Problem("process:retained", rules.ODD, text))
        if not 1 <= accepted <= row.tokens and life.home is not None:
            text = f"{accepted} of the {row.tokens} tokens of b{batch.b} are said to be accepted"
            self._table.bad(line, "process", life, life.home, None, "inconsistent-record", text)
        if retained > accepted:
            text = f"{life.name} keeps {retained} tokens of b{batch.b}, and its state has absorbed {accepted}"
            home = life.home
            if home is not None:
                root = life.taint = self._table.bad(line, "process", life, home, None, "exact-label", text)
        exact = Content(batch.b, batch.line, life, after, root, after)
        if life.home is not None:
            self._settled(life.home, batch.b, ROWS, exact)
        life.done_len = after
        claim = None
        wrote_here: tuple[int, int] | None = None
        interval = self._interval
        crossing = after // interval * interval if interval and after // interval > before // interval else None
        position = self._position(row, first, life.crossed - started)
        for place, number in enumerate(row.may):
            slot = self._table.at(number)
            if slot is None:
                continue
            wrote = crossing is not None and place == position
            found = Content(batch.b, batch.line, life, crossing or 0, root, crossing or 0, MARKS) if wrote else None
            self._settled(slot, batch.b, MARKS, found)
            if wrote and crossing is not None:
                slot.note(
                    line, batch.b, f"result of b{batch.b} processed", f"b{batch.b} has run: {life.name}@{crossing}"
                )
                life.crossed += 1
                wrote_here = (crossing, slot.id)
                if crossing <= before + retained:
                    claim = Claim(batch.b, line, crossing, slot.id, place, False, False)
        if result.wrote is not UNSET:
            said = None if result.wrote is None else (result.wrote.len, result.wrote.slot)
            if said != wrote_here and life.home is not None:
                text = f"the engine takes b{batch.b} to have written {_wrote(said)}, and by what was accepted it is "
                self._table.bad(line, "process", life, life.home, None, "exact-label", text + _wrote(wrote_here))
        self._requests.sync(line, life, "process:", problems)
        life.hush()
        return claim

    def _settled(self, slot: Slot, batch: int, phase: int, found: Content | None) -> None:
        """The write of a processed batch is known; it may have been passed over as something that may have happened."""
        if any((content.batch, content.phase) == (batch, phase) for content in slot.pending):
            slot.replace(batch, phase, found)
        elif found is not None:
            slot.certain = found
            slot.promised = slot.pending[-1] if slot.pending and not slot.pending[-1].maybe else found
        slot.settle(batch)

    def _position(self, row: VerifyRow, first: int | None, crossed: int) -> int | None:
        """Which ring position a crossing goes to: the planned one, or as many behind `first` as were written since."""
        if self._header.crossing == "counted" and first is not None and row.may:
            return (first + crossed) % len(row.may)
        return next((place for place, number in enumerate(row.may) if number is not None), None)


def _wrote(what: tuple[int, Id] | None) -> str:
    return "nothing" if what is None else f"{what[0]} tokens in slot {what[1]}"
