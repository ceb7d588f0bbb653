"""A launched batch: its clears, its copies, its rows; inside of each of the three there is no order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from checker.traces.book import Book
from checker.traces.format import CopiedState, Copy, DecodeRow, Header, Id, Launch, PlainRow, PrefillRow, Row
from checker.traces.lives import Life, PendingBatch
from checker.traces.requests import Requests
from checker.traces.slots import CLEARS, COPIES, OUTSIDE, ROWS, Content, Slot
from checker.traces.starts import Starts
from checker.traces.table import SlotTable
from checker.traces.verifies import Verifies
from checker.traces.writes import Writes

Slots = Id | UnsetType


class Launches:
    """Follows batches from their launch on; shares slots, requests and book with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests, book: Book, close_look: bool) -> None:
        self.writes = Writes(header, table, requests)
        self.verifies = Verifies(header, table, requests, self.writes)
        self._starts = Starts(header, table, requests, book)
        self._header = header
        self._table = table
        self._requests = requests
        self._book = book
        self._close_look = close_look
        self._interval = 0 if header.interval is UNSET else header.interval

    def follow(self, line: int, event: Launch) -> PendingBatch:
        """A batch is handed to the device. Inside of clears, copies and rows there is no order."""
        b, running = event.b, self._requests.running
        lives: list[Life] = []
        batch = PendingBatch(b, line, event.rows, lives)
        copied = self._before_rows(line, event) if event.clears or event.copies else {}
        written: list[Id | UnsetType] = []
        read: list[Id | UnsetType] = []
        close: list[tuple[Row, Life]] = []
        twice: list[tuple[Row, Life]] = []
        for row in event.rows:
            life = running.get(row.r)
            if life is None and not self._header.is_whole and row.r not in self._requests.ended:
                life = self._requests.begin_unseen(row)
            if life is None or (row.epoch is not UNSET and life.epoch is not UNSET and row.epoch != life.epoch):
                life = self._requests.revive(line, "launch", row.r)
                self.writes.wrong_row(
                    line, life, row, f"b{b} has a row for {row.r}, which was over at line {life.over_line}"
                )
            life.out += 1
            lives.append(life)
            if life.last_batch == b:
                twice.append((row, life))
                continue
            life.last_batch = b
            home = life.home
            if (
                type(row) is DecodeRow
                and life.quiet
                and home is not None
                and row.reads == home.id == row.writes
                and row.start == life.len
                and row.len == row.start + 1
                and not row.marks
                and home.promised is life.state
                and home.owner is life.holder
                and home.pin is None
                and (row.count == life.count + 1 or row.count is UNSET)
                and (row.ring == life.ring or row.ring is UNSET)
                and (row.next == life.next or row.next is UNSET)
                and (row.last == life.last or row.last is UNSET)
                and not (self._interval and row.len % self._interval == 0)
                and not self._close_look
            ):
                # As Content(...) does it, at half the price: this is done for nearly every row of a trace.
                state = tuple.__new__(Content, (b, line, life, row.len, life.taint, row.len, ROWS, False))
                home.pending.append(state)
                home.promised = life.state = state
                life.len = row.len
                life.count += 1
                written.append(row.writes)
            else:
                close.append((row, life))
                written += _targets(row)
                if row.reads != row.writes and row.reads is not None:
                    read.append(row.reads)
        if close or len(written) > len(event.rows):
            self._once(line, b, written, read, "rows")
        # What a row starts from is what was there before this batch's rows, so all are read before any is written.
        starts = [self._starts.of_row(line, b, row, life, row.r in copied) for row, life in close]
        for (row, life), root in zip(close, starts, strict=True):
            if isinstance(row, PrefillRow | DecodeRow):
                self.writes.plain(line, b, row, life, copied.get(row.r), root)
            else:
                self.verifies.launch(line, b, row, life, root)
        for row, life in twice:
            self.writes.wrong_row(line, life, row, f"b{b} has two rows for {row.r}")
        return batch

    def _copied(
        self,
        line: int,
        b: int,
        copy: CopiedState,
        copied: dict[str, Id | UnsetType],
        unsafe: bool = False,
        reads_before: int | None = None,
    ) -> None:
        """The state of a cached slot (or of the request itself) is copied into a slot of a request."""
        target = self._table.at(copy.to)
        owner = target.owner if target is not None else None
        life = self._requests.named(copy.r) if isinstance(copy.r, str) else owner if isinstance(owner, Life) else None
        if life is not None:
            copied[life.name] = copy.from_
        root = None
        if copy.from_ is UNSET:
            self._book.unknown["where the state that a request starts from was copied from"] += 1
        else:
            name = life.name if life is not None else f"slot {copy.to}"
            read_in, phase = (b, COPIES) if reads_before is None else (reads_before, OUTSIDE)
            root = self._starts.taken_for(line, read_in, life, copy.from_, copy.len, name, phase, unsafe, copy.text)
        if target is None:
            if copy.to is not UNSET and copy.to not in self._header.reserved:
                self._table.impossible(line, "launch", life, copy.to, f"b{b} copies {copy.len} tokens into")
            return
        source = self._table.at(copy.from_)
        author = life or (source.promised.life if source is not None and source.promised is not None else None)
        if life is not None:
            self.writes.own_target(line, b, life, target, f"{life.name}@{copy.len}")
            life.taint = root
        phase = COPIES if reads_before is None else OUTSIDE
        target.write(Content(b, line, author, copy.len, root, copy.len, phase))

    def _before_rows(self, line: int, event: Launch) -> dict[str, Id | UnsetType]:
        """The clears and copies of a batch; returns what was copied for whom."""
        b = event.b
        for number in event.clears:
            slot = self._table.at(number)
            if slot is not None:
                self._cleared(line, b, slot)
                slot.write(Content(b, line, None, 0, None, 0, CLEARS))
                slot.note(line, b, f"launch b{b}: cleared")
            elif number not in self._header.reserved:
                self._table.impossible(line, "launch", None, number, f"b{b} clears")
        self._once(line, b, [number for number in event.clears if number is not None], (), "clears")
        copied: dict[str, Id | UnsetType] = {}
        for copy in event.copies:
            self._copied(line, b, copy, copied)
        self._once(line, b, [copy.to for copy in event.copies], [copy.from_ for copy in event.copies], "copies")
        return copied

    def _cleared(self, line: int, b: int, slot: Slot) -> None:
        """What the cache has, or a transfer, is not to be cleared."""
        message = ""
        if slot.cached and (self._table.knows_takes or not self._table.may_have_left(slot)):
            message = f"b{b} clears slot {slot.id}, which belongs to {slot.owner_words()}"
        elif slot.pin is not None and not slot.pin.awaited:
            message = f"b{b} clears slot {slot.id}, and {slot.pin.name}, which has not ended, uses it"
        if message:
            slot.bad = self._table.bad(line, "launch", None, slot, slot.label, "no-inflight-target", message, slot.bad)

    def copy_outside(self, line: int, event: Copy, newest: int) -> None:
        """A copy outside of any batch: it reads what the batch that it waits for leaves."""
        after = -1 if event.after is None else event.after
        source = self._table.at(event.from_)
        later = source is not None and any(content.batch > after for content in source.pending)
        # It has certainly been done when a batch that is launched after it has been.
        copied = CopiedState(event.from_, event.to, event.len, event.r)
        self._copied(line, newest + 1, copied, {}, later, after + 1)

    def _once(self, line: int, b: int, written: Sequence[Slots], read: Sequence[Slots], what: str) -> None:
        """A slot that is written twice in one phase of a batch, or written and read, holds nobody knows what."""
        if len(set(written)) == len(written) and not read:
            return
        twice = [number for number, times in Counter(written).items() if times > 1]
        both = sorted({*written} & {*read} - {None, UNSET}, key=str)
        for number in [*twice, *both]:
            slot = self._table.at(number)
            if slot is not None:
                how = "write" if number in twice else "write and read"
                message = f"two {what} of b{b} {how} slot {number}, and there is no order between them"
                slot.bad = self._table.bad(line, "launch", slot.owner, slot, slot.label, "distinct-targets", message)


def _targets(row: Row) -> list[Id | UnsetType]:
    """Every slot that a row writes."""
    marks = [mark.slot for mark in row.marks] if isinstance(row, PlainRow) else list(row.may)
    return [number for number in (row.writes, *marks) if number is not None and number is not UNSET]
