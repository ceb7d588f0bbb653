"""What launched batches, and copies of their own, read and write: each write goes to a slot of its request's, and what
is read must be what it is taken for; inside of clears, of copies and of rows there is no order.
"""

from __future__ import annotations

from collections import deque

from msgspec import UNSET, UnsetType

from checker.traces import rules
from checker.traces.accesses import Accesses, Slots
from checker.traces.format import (
    CopiedState,
    Copy,
    DecodeRow,
    Header,
    Hit,
    Launch,
    PlainRow,
    PrefillRow,
    Row,
)
from checker.traces.lives import Life, PendingBatch, PendingVerify
from checker.traces.slots import CLEARS, COPIES, MARKS, OUTSIDE, ROWS, Write
from checker.traces.verdict import Hazard, Problem


class Device(Accesses):
    """Follows batches from their launch on."""

    def __init__(self, header: Header, path: str, close_look: bool) -> None:
        super().__init__(header, path)
        self.batches: deque[PendingBatch] = deque()
        self.newest = -1
        self.launches = self.unmarked = 0
        """Batches, and boundaries that decode rows passed without a mark."""
        self.close_look = close_look
        self._too_deep: Hazard | None = None  # more batches are pending than the header allows
        self._interval = 0 if header.interval is UNSET else header.interval

    def launch(self, event: Launch) -> None:
        """A batch is handed to the device; raises BadTrace where it is not a new one."""
        if event.b <= self.newest:
            raise self.error(f"batch {event.b} is launched after batch {self.newest}")
        self.newest = event.b
        self.launches += 1
        self.wait(event.waits)
        self._rows(event)
        allowed = self.header.lookahead
        if len(self.batches) > allowed + 1 and self._too_deep is None:
            text = f"{len(self.batches)} batches are pending, and lookahead {allowed} allows one more"
            self._too_deep = self.hazard(None, Problem("pending", "lookahead-window", text))

    def _rows(self, event: Launch) -> None:
        b, line, lives = event.b, self.line, self.lives
        batch = PendingBatch(b, line, event.rows, [])
        copied = self._before_rows(event) if event.clears or event.copies else {}
        written: list[Slots] = []
        close: list[tuple[Row, Life]] = []
        twice: list[tuple[Row, Life]] = []
        for row in event.rows:
            life = lives.get(row.r)
            if life is None or not life.quiet or row.epoch is not UNSET:
                life = self._whose(b, row)
            life.out += 1
            batch.lives.append(life)
            if life.last_batch == b:
                twice.append((row, life))
                continue
            life.last_batch = b
            if life.quiet and self._goes_on(row, life):
                # As Write(...) does it, at half the price: this is done for nearly every row of a trace.
                state = tuple.__new__(Write, (b, line, life, row.len, life.taint, row.len, ROWS, False))  # type: ignore[union-attr]
                home = life.home
                home.pending.append(state)  # type: ignore[union-attr]
                home.promised = life.state = state  # type: ignore[union-attr]
                life.len = row.len  # type: ignore[union-attr]
                life.count += 1
                written.append(row.writes)
            else:
                close.append((row, life))
                written += _targets(row)
        if close or len(set(written)) < len(written):
            elsewhere = [row.reads for row, _ in close if row.reads != row.writes]
            self._once(b, "rows", written, elsewhere)
        # What a row starts from is what was there before this batch's rows, so all are read before any is written.
        starts = [self._start(b, row, life, row.r in copied) for row, life in close]
        for (row, life), root in zip(close, starts, strict=True):
            self._row(b, row, life, copied.get(row.r), root)
        for row, life in twice:
            self._wrong(life, row, f"b{b} has two rows for {row.r}")
        self.batches.append(batch)

    def _goes_on(self, row: Row, life: Life) -> bool:
        """Whether a row is one of the many that only decode one more token; `close_look` takes none for such."""
        home = life.home
        return (
            type(row) is DecodeRow
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
            and not self.close_look
        )

    def _whose(self, b: int, row: Row) -> Life:
        """The request of a row that may be over, of another life, or from before the recording."""
        life = self.named(row.r)
        if life is None and not self.header.is_whole:
            life = self.begin_unseen(row)
            if life.again:
                self._wrong(life, row, f"b{b} has a row for {row.r}, which was over and is not admitted again")
            return life
        if life is None or life.over or (UNSET not in (row.epoch, life.epoch) and row.epoch != life.epoch):
            life = self.revive(row.r)
            which = f"{row.r}, which was over at line {life.over_line}"
            self._wrong(life, row, f"b{b} has a row for {which if life.over_line else f'another life of {row.r}'}")
        return life

    # Clears and copies

    def _before_rows(self, event: Launch) -> dict[str, Slots]:
        """The clears and copies of a batch; returns what was copied for whom."""
        b, line = event.b, self.line
        for number in event.clears:
            slot = self._write(None, number, Write(b, line, None, 0, None, 0, CLEARS), f"b{b} clears")
            if slot is not None:
                slot.note(line, b, f"launch b{b}: cleared")
        self._once(b, "clears", event.clears, ())
        copied: dict[str, Slots] = {}
        for copy in event.copies:
            self._copied(b, copy, copied, b, COPIES)
        self._once(b, "copies", [copy.to for copy in event.copies], [copy.from_ for copy in event.copies])
        return copied

    def copy(self, event: Copy) -> None:
        """A copy outside of any batch: it reads what the batch that it waits for leaves."""
        after = -1 if event.after is None else event.after
        later = [
            content.batch
            for slot in (self.at(event.from_), self.at(event.to))
            if slot is not None
            for content in slot.pending
            if content.batch > after and content.phase != OUTSIDE
        ]
        unsafe = "while a launched batch that the copy does not wait for may still write it" if later else ""
        # It has certainly been done when a batch that is launched after it has been.
        copied = CopiedState(event.from_, event.to, event.len, event.r)
        self._copied(self.newest + 1, copied, {}, after + 1, OUTSIDE, unsafe)

    def _copied(
        self, b: int, copy: CopiedState, copied: dict[str, Slots], before: int, phase: int, unsafe: str = ""
    ) -> None:
        """The state of a cached slot (or of the request itself) is copied into a slot of a request."""
        target, source = self.at(copy.to), self.at(copy.from_)
        owner = target.owner if target is not None else None
        life = self.meant(copy.r) if isinstance(copy.r, str) else owner if isinstance(owner, Life) else None
        root = None
        if copy.from_ is UNSET:
            self.unknown["where the state that a request starts from was copied from"] += 1
        else:
            name = f"{life.name if life is not None else f'slot {copy.to}'} copies"
            root = self._read(before, phase, life, copy.from_, (copy.len, copy.len), name, copy.text, unsafe)
        author = life or (source.promised.life if source is not None and source.promised is not None else None)
        if life is not None:
            copied[life.name] = copy.from_
            life.taint = root
        content = Write(b, self.line, author, copy.len, root, copy.len, phase)
        self._write(life, copy.to, content, f"b{b} copies {copy.len} tokens into")

    # Rows

    def _start(self, b: int, row: Row, life: Life, copied: bool) -> int | None:
        """What a row starts from must cover exactly the tokens that it says; returns the line of what went wrong."""
        low, high = life.tokens_before(row)
        if low == high == 0:
            # From the empty state on, its text is its own.
            life.adopts = False
        if row.reads is None:
            if low == 0:
                return None
            message = f"{life.name}'s row of b{b} starts at {low} tokens from the empty state"
            return self.bad("exact-label", message, self.at(row.writes), life, low)
        if row.reads in self.header.reserved and (low == 0 or row.writes in self.header.reserved):
            return life.taint
        if row.reads is UNSET:
            self.unknown["the slot that a row starts from"] += 1
            return life.taint
        if isinstance(life.hit, Hit) and not (life.started or copied or "copies" in self.knows):
            # The hit says what was copied, and no line will.
            if row.reads != life.hit.slot:
                return self._read(b, COPIES, life, life.hit.slot, (low, high), f"{life.name} starts from")
        slot = self.at(row.reads)
        if slot is not None and slot.key is None and slot.owner is not life.holder:
            self.claim(life, slot.id, "working slot")
        elif slot is not None and row.reads == row.writes and not self.is_settled(slot):
            self.claim(life, slot.id, "working slot")
        return self._read(b, ROWS, life, row.reads, (low, high), f"{life.name} starts from")

    def _row(self, b: int, row: Row, life: Life, copied: Slots, root: int | None) -> None:
        """What a row of a batch writes, and what it shows of its request."""
        line, start = self.line, life.tokens_before(row)[0]
        problems: list[Problem] = []
        pos: Slots = None
        life.taint = root
        if isinstance(row, PlainRow):
            prefill = isinstance(row, PrefillRow)
            problems += rules.launched(self.header, life, row, start, copied)
            if start >= row.len and root is None:
                life.taint = -line
            life.prefills += prefill
            if not prefill and self._interval and not row.marks:
                self.unmarked += row.len // self._interval > start // self._interval
            content = Write(b, line, life, row.len, life.taint, row.len)
        else:
            before = life.state
            least = (row.low if before is None else max(row.low, before.least)) + 1
            most = row.high if before is None else min(row.high, before.length + row.tokens)
            content = Write(b, line, life, max(most, least), root, least)
        problems += self.prepared(life, row)
        if not isinstance(row, PrefillRow):
            life.count = life.count + 1 if row.count is UNSET else row.count
        self._home(life, row, content)
        if isinstance(row, PlainRow):
            for mark in row.marks:
                at = self.marked(life, row, mark, b)
                pos = at if pos is None else pos
                problems += self._mark(b, life, row, start, (mark.len, mark.slot, at))
        else:
            first = row.next if isinstance(row.next, int) else life.shown.get("next")
            known = first if isinstance(first, int) else None
            life.verifies.append(PendingVerify(b, row.tokens, life.crossed, known))
            for number in row.may:
                content = Write(b, line, life, row.high, root, row.low + 1, MARKS, maybe=True)
                slot = self._write(life, number, content, f"b{b} may write a boundary into", "mark")
                if slot is not None:
                    slot.note(line, b, f"launch b{b}: may write a boundary up to {row.high} tokens")
        life.started, life.len = True, row.len if isinstance(row, PlainRow) else row.high
        self.after_launch(life, row, problems, pos)

    def _home(self, life: Life, row: Row, content: Write) -> None:
        """A row leaves its state in its working slot, which may be another one than before."""
        slot = self._write(life, row.writes, content, f"b{content.batch} writes {content.words()} into")
        if slot is not None and slot is not life.home:
            life.home = slot
            slot.note(self.line, None, f"{life.name} works in it from now on")
        life.state = content

    def _mark(
        self, b: int, life: Life, row: PlainRow, start: int, mark: tuple[int, Slots, int | UnsetType]
    ) -> list[Problem]:
        """A launched row will write a checkpoint into a slot."""
        (length, number, pos), line = mark, self.line
        passed = start < length <= row.len
        if not passed:
            text = f"{life.name}'s row of b{b} goes from {start} to {row.len} tokens and marks {length}"
            self._wrong(life, row, f"{text}, which it cannot compute", number)
        taint = life.taint if passed or life.taint is not None else -line
        content = Write(b, line, life, length, taint, length, MARKS)
        slot, found = self.at(number), []
        for other in reversed(slot.pending) if slot is not None else ():
            if other.life is life:
                # What was there before its own write has been reported with that one.
                break
            if isinstance(other.life, Life) and not other.life.over and other.batch < b:
                text = f"b{b} writes {content.words()} into slot {number}, which {other.life.name}'s rows write too"
                found.append(Problem("launch:distinct", "distinct-targets", text, rules.id_of(number)))
        slot = self._write(life, number, content, f"b{b} writes {content.words()} into", "mark")
        if slot is not None:
            slot.note(line, b, f"launch b{b}: told to write {content.words()}")
        shown = life.ring[pos] if isinstance(pos, int) and pos < len(life.ring) else UNSET
        if UNSET not in (shown, number) and shown != number:
            if life.shows_ring(row):
                text = f"b{b} writes {life.name}@{length} into slot {number}, and its position {pos} holds "
                self._wrong(life, row, f"{text}{rules.slot_words(shown)}", number)
        return found


def _targets(row: Row) -> list[Slots]:
    """Every slot that a row writes."""
    marks = [mark.slot for mark in row.marks] if isinstance(row, PlainRow) else list(row.may)
    return [number for number in (row.writes, *marks) if number is not None and number is not UNSET]
