"""A launched batch: what its clears, copies and rows read and write, and whether each finds what it takes for granted."""

from __future__ import annotations

from collections import Counter

from msgspec import UNSET, UnsetType

from checker.traces import rules
from checker.traces.book import Book
from checker.traces.format import (
    CopiedState,
    Copy,
    DecodeRow,
    Header,
    Id,
    Launch,
    Mark,
    PlainRow,
    PrefillRow,
    ResultRow,
    Row,
    VerifyRow,
)
from checker.traces.lives import Claim, Life, PendingBatch
from checker.traces.requests import Requests
from checker.traces.slots import CLEARS, COPIES, MARKS, ROWS, Content, Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem


class Launches:
    """Follows batches from their launch on; shares slots, requests and book with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests, book: Book, close_look: bool) -> None:
        self.unmarked = 0
        """Boundaries that decode rows passed without a mark."""
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
        batch = PendingBatch(b, line, event.rows, lives, event)
        for number in event.clears:
            slot = self._table.at(number)
            if slot is not None:
                slot.write(Content(b, line, None, 0, None, 0, CLEARS))
                slot.note(line, b, f"launch b{b}: cleared")
        if event.clears:
            self._once(line, event.b, [number for number in event.clears if number is not None], (), "clears")
        copied: dict[str, Id | UnsetType] = {}
        for copy in event.copies:
            self._copied(line, b, copy, copied)
        if event.copies:
            self._once(line, b, [c.to for c in event.copies], [c.from_ for c in event.copies], "copies")
        written: list[Id | UnsetType] = []
        read: list[Id | UnsetType] = []
        close: list[tuple[Row, Life]] = []
        for row in event.rows:
            life = running.get(row.r)
            if life is None and not self._header.is_whole and row.r not in self._requests.ended:
                life = self._requests.begin_unseen(row)
            if life is None or (row.epoch is not UNSET and life.epoch is not UNSET and row.epoch != life.epoch):
                life = self._requests.revive(line, "launch", row.r)
                self._wrong_row(line, life, row, f"b{b} has a row for {row.r}, which was over at line {life.over_line}")
            if life.last_batch == b:
                self._wrong_row(line, life, row, f"b{b} has two rows for {row.r}")
            life.last_batch = b
            life.out += 1
            lives.append(life)
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
        starts = [self._start(line, b, row, life, row.r in copied) for row, life in close]
        for (row, life), root in zip(close, starts, strict=True):
            if isinstance(row, PrefillRow | DecodeRow):
                self._plain(line, b, row, life, copied.get(row.r), root)
            else:
                self._verify(line, b, row, life, root)
        return batch

    def copy_outside(self, line: int, event: Copy, newest: int) -> None:
        """A copy outside of any batch: it reads what the batch that it waits for leaves."""
        after = -1 if event.after is None else event.after
        source = self._table.at(event.from_)
        later = source is not None and any(content.batch > after for content in source.pending)
        self._copied(line, max(newest, 0), CopiedState(event.from_, event.to, event.len, event.r), {}, later)

    def _once(self, line: int, b: int, written: list[Id | UnsetType] | list[int], read: object, what: str) -> None:
        """A slot that is written twice in one phase of a batch, or written and read, holds nobody knows what."""
        reads = list(read) if isinstance(read, list) else []
        if len(set(written)) == len(written) and not reads:
            return
        twice = [number for number, times in Counter(written).items() if times > 1]
        both = (
            [] if set(reads).isdisjoint(written) else [number for number in dict.fromkeys(reads) if number in written]
        )
        for number in [*twice, *both]:
            slot = self._table.at(number)
            if slot is not None:
                how = "write" if number in twice else "write and read"
                message = f"two {what} of b{b} {how} slot {number}, and there is no order between them"
                slot.bad = self._table.bad(line, "launch", slot.owner, slot, slot.label, "distinct-targets", message)

    def _copied(
        self, line: int, b: int, copy: CopiedState, copied: dict[str, Id | UnsetType], unsafe: bool = False
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
            root = self._taken_for(line, b, life, copy.from_, copy.len, name, COPIES, unsafe, copy.text)
        if target is not None and life is not None:
            self._own_target(line, b, life, target, f"{life.name}@{copy.len}")
            state = Content(b, line, life, copy.len, root, copy.len, COPIES)
            target.write(state)
            life.taint = root

    def _taken_for(
        self,
        line: int,
        b: int,
        life: Life | None,
        number: Id,
        length: int,
        name: str,
        phase: int,
        unsafe: bool = False,
        digest: str | UnsetType = UNSET,
    ) -> int | None:
        """A slot of the cache (or one of the request's own) is read as the state of `length` tokens; returns the root."""
        slot = self._table.at(number)
        if slot is None:
            self._table.impossible(line, "launch", life, number, f"{name} reads the state of {length} tokens from")
            return line
        message, root = "", None
        self._loaded(line, life, slot)
        own = life is not None and slot.owner is life.holder
        if unsafe:
            message = "while a launched batch that the copy does not wait for may still write it"
        elif slot.bad is not None and slot.cached:
            message, root = "which is wrong", slot.bad
        elif not own and not (life is not None and life.hit_text is not None and slot.owner is not None):
            message = self._table.unlike_entry(slot, length, digest)
        if not message and not slot.opaque and slot.named:
            found = slot.before(b, phase)
            text = life.text if own and life is not None else slot.key.text if slot.key is not None else None
            text = life.hit_text if life is not None and not slot.cached and not own else text
            if text is None and slot.cached:
                return slot.bad
            if found is None or not found.covers(text, length):
                message = f"which holds {slot.holds()}"
            elif found.root is not None:
                root = found.root
        verb = "copies" if phase == COPIES else "starts from"
        if message:
            text = f"{name} {verb} slot {number} as the state of {length} tokens, {message}"
            root = self._table.bad(line, "launch", life, slot, length, "exact-label", text, root)
        slot.note(line, b, f"launch b{b}: {name} {verb} it as the state of {length} tokens")
        return root

    def _start(self, line: int, b: int, row: Row, life: Life, copied: bool) -> int | None:
        """What a row starts from must cover exactly the tokens that it says; returns the line of what went wrong."""
        if life.leaving:
            life.leaving = False
            for number in sorted(life.in_use()):
                self._table.reclaim(line, "launch", life, number)
        low, high = _starts(row, life)
        if row.reads is None:
            if low == 0:
                return None
            message = f"{life.name}'s row of b{b} starts at {low} tokens from the empty state"
            slot = self._table.at(row.writes)
            return line if slot is None else self._table.bad(line, "launch", life, slot, low, "exact-label", message)
        slot = self._table.at(row.reads)
        if row.reads is UNSET or slot is None:
            self._book.unknown["the slot that a row starts from"] += 1
            return life.taint
        hit = life.hit
        self._loaded(line, life, slot)
        if slot.cached and row.reads == row.writes and not self._table.knows_takes and self._table.may_have_left(slot):
            self._table.hand_to(slot, life.holder)
        if slot.cached and low == high:
            return self._taken_for(line, b, life, row.reads, low, life.name, ROWS)
        if (
            not life.started
            and not copied
            and hit is not UNSET
            and hit is not None
            and "copies" not in self._header.knows
        ):
            return self._taken_for(line, b, life, hit.slot, low, life.name, COPIES)
        if slot.owner is not life.holder:
            self._requests.turn_up(line, "launch", life, row.reads, "working slot")
        found = slot.before(b, ROWS)
        fits = found is not None and any(found.covers(life.text, length) for length in (low, high, found.length))
        if found is not None and low != high:
            fits = (
                found.life is not None and found.life.text is life.text and found.least <= high and found.length >= low
            )
        elif found is not None:
            fits = found.covers(life.text, low)
        if fits and found is not None:
            return found.root
        if life.adopts and found is not None and found.life is not None and found.covers(found.life.text, low):
            life.text, fits = found.life.text, True
        life.adopts = False
        if fits and found is not None:
            return found.root
        if found is not None and not life.started and found.life is not None and found.life.text is life.before:
            # It goes on from what the life before it has saved.
            life.text = life.before
            fits = found.covers(life.text, low)
            if fits:
                return found.root
        if slot.opaque or not slot.named:
            self._book.unknown["what is in the slot that a row starts from"] += 1
            return None
        if not life.started and "clears" not in self._header.knows and low == 0:
            self._book.unknown["whether a slot was cleared"] += 1
            return None
        holds = "nothing" if found is None else found.words()
        said = f"{low}" if low == high else f"{low} to {high}"
        message = f"{life.name}'s row of b{b} starts at {said} tokens from slot {slot.id}, which holds {holds}"
        return self._table.bad(line, "launch", life, slot, low, "exact-label", message)

    def _wrong_row(self, line: int, life: Life, row: Row, message: str, number: Id | UnsetType = UNSET) -> None:
        """A row that cannot be as it is."""
        slot = self._table.at(number if number is not UNSET else row.writes)
        if slot is not None:
            self._table.bad(line, "launch", life, slot, None, "inconsistent-record", message)

    def _loaded(self, line: int, life: Life | None, slot: Slot) -> None:
        """What is still being loaded may only be read behind its transfer."""
        if slot.pin is not None and slot.pin.loads and not slot.pin.awaited:
            message = f"slot {slot.id} is read, and {slot.pin.name}, for which the batch does not wait, is to fill it"
            self._table.bad(line, "launch", life, slot, slot.label, "exact-label", message)

    def _plain(
        self,
        line: int,
        b: int,
        row: PrefillRow | DecodeRow,
        life: Life,
        copied: Id | UnsetType | None,
        root: int | None,
    ) -> None:
        """A prefill or decode row."""
        start = life.len if row.start is UNSET else row.start
        prefill = isinstance(row, PrefillRow)
        problems = list(rules.launched(self._header, life, row, start, copied))
        life.taint = root if start < row.len or root is not None else -line
        life.prefills += prefill
        problems += self._pointers(line, life, row)
        if not prefill:
            life.count = life.count + 1 if row.count is UNSET else row.count
            if self._interval and not row.marks and row.len // self._interval > start // self._interval:
                self.unmarked += 1
        self._home(line, b, life, row.writes, Content(b, line, life, row.len, life.taint, row.len))
        for mark in row.marks:
            pos = _position(row, mark, life)
            expected = life.expected_position(self._header.ring) if self._header.ring is not UNSET else None
            astray = pos is not UNSET and expected is not None and pos != expected
            life.claim(Claim(b, line, mark.len, mark.slot, pos, prefill, astray))
            newest = life.newest
            if newest is not None and newest.slot == mark.slot and self._header.mode == "lazy":
                life.newest = None  # An in-place claim gives the old checkpoint up, and says so by its label.
            if not start < mark.len <= row.len:
                text = f"{life.name}'s row of b{b} goes from {start} to {row.len} tokens, and writes a checkpoint of {mark.len}"
                self._wrong_row(line, life, row, f"{text}, which it cannot compute", mark.slot)
            passed = start < mark.len <= row.len
            taint = life.taint if passed or life.taint is not None else -line
            problems += self._mark(line, b, life, mark.slot, Content(b, line, life, mark.len, taint, mark.len, MARKS))
            if (
                isinstance(pos, int)
                and pos < len(life.ring)
                and life.ring[pos] != mark.slot
                and mark.slot is not UNSET
                and row.ring is not UNSET
            ):
                text = f"b{b} writes {life.name}@{mark.len} into slot {mark.slot}, and position {pos}, which it names, holds "
                self._wrong_row(line, life, row, f"{text}{rules.slot_words(life.ring[pos])}", mark.slot)
        life.started = True
        life.len = row.len
        self._after(line, life, row, problems)

    def _after(self, line: int, life: Life, row: Row, problems: list[Problem]) -> None:
        next_ = life.shown_next if row.next is UNSET and row.same else row.next
        last = life.shown_last if row.last is UNSET and row.same else row.last
        life.shown_next, life.shown_last = next_, last
        marks = row.marks if isinstance(row, PlainRow) else ()
        lazy_to = _position(row, marks[0], life) if isinstance(row, PlainRow) and marks else None
        self._requests.advance(life, next_, lazy_to)
        if life.last is None and isinstance(row, PrefillRow) and isinstance(last, int):
            life.last = last
        self._requests.sync(line, life, "launch", problems)
        self._requests.follow_flip(line, life, next_)

    def _pointers(self, line: int, life: Life, row: Row) -> list[Problem]:
        """The ring and the pointers that a row shows."""
        if self._header.ring is UNSET or (row.ring is UNSET and row.next is UNSET and row.last is UNSET):
            return []
        ring = row.ring if isinstance(row.ring, tuple) else life.ring
        self._requests.check_ring(line, ring)
        problems = list(rules.launch_pointers(self._header, life, row, row.next, row.last, ring))
        problems += self._requests.adopt(line, "launch", life, ring)
        problems += rules.slots_held(self._header, life, ring)
        marks = row.marks if isinstance(row, PlainRow) else ()
        if isinstance(row, PrefillRow) and isinstance(row.last, int) and life.last is not None:
            life.last = row.last if any(mark.pos == row.last for mark in marks) else life.last
        return problems

    def _home(self, line: int, b: int, life: Life, number: Id | UnsetType, content: Content) -> None:
        """A row leaves its state in its working slot, which may be another one than before."""
        slot = self._table.at(number)
        if slot is None:
            life.state = content
            return
        if slot is not life.home or slot.owner is not life.holder or slot.pin is not None:
            self._own_target(line, b, life, slot, content.words())
        if slot is not life.home:
            self._moved(line, life, slot)
        slot.write(content)
        life.state = content

    def _moved(self, line: int, life: Life, slot: Slot) -> None:
        """The working slot is another one from now on; the old one is somebody's, or still the request's own."""
        life.home = slot
        slot.note(line, None, f"{life.name} works in it from now on")

    def _own_target(self, line: int, b: int, life: Life, slot: Slot, what: str) -> None:
        """A launched write goes to a slot: of the request's own, or it has two owners, or it is the cache's."""
        if slot.pin is not None and not slot.pin.awaited:
            message = f"b{b} writes {what} into slot {slot.id}, and {slot.pin.name}, which has not ended, uses it"
            slot.bad = self._table.bad(line, "launch", life, slot, slot.label, "no-inflight-target", message, slot.bad)
        if slot.cached and (self._table.knows_takes or not self._table.may_have_left(slot)):
            message = f"b{b} writes {what} into slot {slot.id}, which belongs to {slot.owner_words()}"
            slot.bad = self._table.bad(line, "launch", life, slot, slot.label, "no-inflight-target", message, slot.bad)
        elif slot.owner is not life.holder:
            self._requests.turn_up(line, "launch", life, slot.id, f"target of b{b}")

    def _mark(self, line: int, b: int, life: Life, number: Id | UnsetType, content: Content) -> list[Problem]:
        """A launched row will write a checkpoint into a slot."""
        slot = self._table.at(number)
        if slot is None:
            if number is not UNSET and number is not None and number not in self._header.reserved:
                self._table.impossible(line, "launch", life, number, f"b{b} writes {content.words()} into")
            return []
        found = []
        same = slot.cached and slot.key is not None and slot.label is not None
        if not (same and content.stands_for(slot.key.text, slot.label)):  # type: ignore[union-attr, arg-type]
            self._own_target(line, b, life, slot, content.words())
        for other in slot.pending:
            if other.life is not None and other.life is not life and not other.life.over and other.batch < b:
                text = f"b{b} writes {content.words()} into slot {slot.id}, which {other.life.name}'s rows write too"
                found.append(Problem("launch:distinct", "distinct-targets", text, slot.id))
        slot.write(content)
        slot.note(line, b, f"launch b{b}: told to write {content.words()}")
        return found

    def _verify(self, line: int, b: int, row: VerifyRow, life: Life, root: int | None) -> None:
        """A verify row: how many tokens it absorbs, and so which boundary it writes where, its result will say."""
        life.taint = root
        problems = self._pointers(line, life, row)
        life.count = life.count + 1 if row.count is UNSET else row.count
        first = row.next if isinstance(row.next, int) else life.shown_next
        life.verifies.append((b, row.tokens, life.crossed, first if isinstance(first, int) else None))
        before = life.state
        least = (row.low if before is None else max(row.low, before.least)) + 1
        most = row.high if before is None else min(row.high, before.length + row.tokens)
        self._home(line, b, life, row.writes, Content(b, line, life, max(most, least), root, least))
        for number in row.may:
            slot = self._table.at(number)
            if slot is not None:
                content = Content(b, line, life, row.high, root, row.low + 1, MARKS, maybe=True)
                if slot.cached:
                    if self._table.can_happen(content):
                        self._own_target(line, b, life, slot, f"a boundary of {content.words()}")
                elif slot.owner is not life.holder:
                    self._own_target(line, b, life, slot, content.words())
                slot.write(content)
                slot.note(line, b, f"launch b{b}: may write a boundary up to {row.high} tokens")
        life.started, life.len = True, row.high
        self._after(line, life, row, problems)

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
        root = life.taint
        problems = []
        if not 1 <= accepted <= row.tokens:
            problems.append(Problem("process:accepted", rules.ODD, f"{accepted} of {row.tokens} tokens were accepted"))
        if retained > accepted or (retained < accepted and not result.done):
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
        if self._header.crossing == "counted" and first is not None and self._header.ring is not UNSET:
            return (first + crossed) % self._header.ring
        return next((place for place, number in enumerate(row.may) if number is not None), None)


def _wrote(what: tuple[int, Id] | None) -> str:
    return "nothing" if what is None else f"{what[0]} tokens in slot {what[1]}"


def _targets(row: Row) -> list[Id | UnsetType]:
    """Every slot that a row writes."""
    marks = [mark.slot for mark in row.marks] if isinstance(row, PlainRow) else list(row.may)
    return [number for number in (row.writes, *marks) if number is not None and number is not UNSET]


def _position(row: PlainRow, mark: Mark, life: Life) -> int | UnsetType:
    """The ring position of a mark: as the row says it, else where its slot is."""
    stated = mark.pos if mark.pos is not UNSET else row.pos
    return life.ring.index(mark.slot) if stated is UNSET and mark.slot in life.ring else stated


def _starts(row: Row, life: Life) -> tuple[int, int]:
    """The least and the most tokens that a row may start from."""
    if isinstance(row, VerifyRow):
        return row.low, row.high - row.tokens
    start = life.len if row.start is UNSET else row.start
    return start, start
