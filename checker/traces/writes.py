"""What a launched prefill or decode row writes, and what it shows of its request."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from checker.traces import rules
from checker.traces.format import DecodeRow, Header, Id, Mark, PlainRow, PrefillRow, Row
from checker.traces.lives import Claim, Life
from checker.traces.requests import Requests
from checker.traces.slots import MARKS, Content, Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem


class Writes:
    """Follows what rows write; shares slots and requests with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests) -> None:
        self.unmarked = 0
        """Boundaries that decode rows passed without a mark."""
        self._header = header
        self._table = table
        self._requests = requests
        self._interval = 0 if header.interval is UNSET else header.interval

    def plain(
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
        problems += self.pointers(line, life, row)
        if not prefill:
            life.count = life.count + 1 if row.count is UNSET else row.count
            if self._interval and not row.marks and row.len // self._interval > start // self._interval:
                self.unmarked += 1
        self.home(line, b, life, row.writes, Content(b, line, life, row.len, life.taint, row.len))
        for mark in row.marks:
            pos = position_of(row, mark, life)
            expected = life.expected_position(self._header.ring) if self._header.ring is not UNSET else None
            astray = pos is not UNSET and expected is not None and pos != expected
            life.claim(Claim(b, line, mark.len, mark.slot, pos, prefill, astray))
            newest = life.newest
            if newest is not None and newest.slot == mark.slot and self._header.mode == "lazy":
                life.newest = None  # An in-place claim gives the old checkpoint up, and says so by its label.
            if not start < mark.len <= row.len:
                text = f"{life.name}'s row of b{b} goes from {start} to {row.len} tokens and marks {mark.len}"
                self.wrong_row(line, life, row, f"{text}, which it cannot compute", mark.slot)
            passed = start < mark.len <= row.len
            taint = life.taint if passed or life.taint is not None else -line
            problems += self._mark(line, b, life, mark.slot, Content(b, line, life, mark.len, taint, mark.len, MARKS))
            if (
                isinstance(pos, int)
                and pos < len(life.ring)
                and life.ring[pos] != mark.slot
                and mark.slot is not UNSET
                and (row.ring is not UNSET or (row.same and life.ring[pos] is not None))
            ):
                text = f"b{b} writes {life.name}@{mark.len} into slot {mark.slot}, and its position {pos} holds "
                self.wrong_row(line, life, row, f"{text}{rules.slot_words(life.ring[pos])}", mark.slot)
        life.started = True
        life.len = row.len
        self.show(line, life, row, problems)

    def home(self, line: int, b: int, life: Life, number: Id | UnsetType, content: Content) -> None:
        """A row leaves its state in its working slot, which may be another one than before."""
        slot = self._table.at(number)
        if slot is None:
            life.state = content
            if number is None or (number is not UNSET and number not in self._header.reserved):
                self._table.impossible(line, "launch", life, number, f"b{b} writes {content.words()} into")
            return
        if slot is not life.home or slot.owner is not life.holder or slot.pin is not None:
            self.own_target(line, b, life, slot, content.words())
        if slot is not life.home:
            self._moved(line, life, slot)
        slot.write(content)
        life.state = content

    def _moved(self, line: int, life: Life, slot: Slot) -> None:
        """The working slot is another one from now on; the old one is somebody's, or still the request's own."""
        life.home = slot
        slot.note(line, None, f"{life.name} works in it from now on")

    def own_target(self, line: int, b: int, life: Life, slot: Slot, what: str) -> None:
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
            self.own_target(line, b, life, slot, content.words())
        for other in reversed(slot.pending):
            if other.life is life:
                # What was there before its own write has been reported with that one.
                break
            if isinstance(other.life, Life) and other.life is not life and not other.life.over and other.batch < b:
                text = f"b{b} writes {content.words()} into slot {slot.id}, which {other.life.name}'s rows write too"
                found.append(Problem("launch:distinct", "distinct-targets", text, slot.id))
        slot.write(content)
        slot.note(line, b, f"launch b{b}: told to write {content.words()}")
        return found

    def pointers(self, line: int, life: Life, row: Row) -> list[Problem]:
        """The ring and the pointers that a row shows."""
        if life.lost and (row.same or isinstance(row.ring, tuple)):
            self._requests.keep_lost(line, "launch", life, row.ring if isinstance(row.ring, tuple) else life.ring)
        if self._header.ring is UNSET or (row.ring is UNSET and row.next is UNSET and row.last is UNSET):
            return []
        ring = row.ring if isinstance(row.ring, tuple) else life.ring
        self._requests.check_ring(line, ring)
        if isinstance(row.ring, tuple):
            self._requests.keep_given(life, row.ring)
        problems = list(rules.launch_pointers(self._header, life, row, row.next, row.last, ring))
        problems += self._requests.adopt(line, "launch", life, ring)
        problems += rules.slots_held(self._header, life, ring)
        marks = row.marks if isinstance(row, PlainRow) else ()
        if isinstance(row, PrefillRow) and isinstance(row.last, int) and life.last is not None:
            life.last = row.last if any(mark.pos == row.last for mark in marks) else life.last
        return problems

    def show(self, line: int, life: Life, row: Row, problems: list[Problem]) -> None:
        """Follow the pointers that a row shows, and report what is odd about it."""
        next_ = life.shown_next if row.next is UNSET and row.same else row.next
        last = life.shown_last if row.last is UNSET and row.same else row.last
        life.shown_next, life.shown_last = next_, last
        marks = row.marks if isinstance(row, PlainRow) else ()
        lazy_to = position_of(row, marks[0], life) if isinstance(row, PlainRow) and marks else None
        self._requests.advance(life, next_, lazy_to)
        if life.last is None and isinstance(row, PrefillRow) and isinstance(last, int):
            life.last = last
        self._requests.sync(line, life, "launch", problems)
        self._requests.follow_flip(line, life, next_)

    def wrong_row(self, line: int, life: Life, row: Row, message: str, number: Id | UnsetType = UNSET) -> None:
        """A row that cannot be as it is."""
        slot = self._table.at(number) or self._table.at(row.writes) or life.home
        if slot is not None:
            self._table.bad(line, "launch", life, slot, None, "inconsistent-record", message)
        else:
            self._table.impossible(line, "launch", life, None, f"{message}; it works in")


def position_of(row: PlainRow, mark: Mark, life: Life) -> int | UnsetType:
    """The ring position of a mark: as the row says it, else where its slot is."""
    stated = mark.pos if mark.pos is not UNSET else row.pos
    return life.ring.index(mark.slot) if stated is UNSET and mark.slot in life.ring else stated
