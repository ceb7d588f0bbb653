"""What a launched row or copy reads: it must be what it is taken for, and nobody else may still be writing it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from checker.traces.book import Book
from checker.traces.format import Header, Hit, Id, Row, VerifyRow
from checker.traces.lives import Life
from checker.traces.requests import Requests
from checker.traces.slots import COPIES, ROWS, Content, Slot
from checker.traces.table import SlotTable


class Starts:
    """Looks at what is read; shares slots, requests and book with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests, book: Book) -> None:
        self._header = header
        self._table = table
        self._requests = requests
        self._book = book

    def of_row(self, line: int, b: int, row: Row, life: Life, copied: bool) -> int | None:
        """What a row starts from must cover exactly the tokens that it says; returns the line of what went wrong."""
        if life.leaving:
            life.leaving = False
            for number in sorted(life.in_use() - life.given.keys()):
                self._table.reclaim(line, "launch", life, number)
        low, high = tokens_before(row, life)
        if low == high == 0:
            # From the empty state on, its text is its own.
            life.adopts = False
        if row.reads is None:
            return self._of_nothing(line, b, row, life, low)
        slot = self._table.at(row.reads)
        if slot is None and row.reads is not UNSET and row.reads not in self._header.reserved:
            self._table.impossible(line, "launch", life, row.reads, f"{life.name}'s row of b{b} starts from")
        if row.reads in self._header.reserved and low > 0 and row.writes not in self._header.reserved:
            self._table.impossible(
                line, "launch", life, row.reads, f"{life.name}'s row of b{b} starts at {low} tokens from"
            )
        if row.reads is UNSET or slot is None:
            self._book.unknown["the slot that a row starts from"] += 1
            return life.taint
        hit = life.hit
        self._loaded(line, life, slot)
        if slot.cached and row.reads == row.writes and not self._table.knows_takes and self._table.may_have_left(slot):
            self._table.hand_to(line, slot, life.holder)
        if slot.cached and low == high:
            return self.taken_for(line, b, life, row.reads, low, life.name, ROWS)
        if isinstance(hit, Hit) and not life.started and not copied and "copies" not in self._header.knows:
            return self.taken_for(line, b, life, hit.slot, low, life.name, COPIES)
        if slot.owner is not life.holder:
            self._requests.turn_up(line, "launch", life, row.reads, "working slot")
        found = slot.before(b, ROWS)
        fits = found is not None and _is_of(life, found, low, high)
        life.adopts = False
        if fits and found is not None:
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

    def _of_nothing(self, line: int, b: int, row: Row, life: Life, low: int) -> int | None:
        """A row that starts from the empty state has no tokens before it."""
        if low == 0:
            return None
        message = f"{life.name}'s row of b{b} starts at {low} tokens from the empty state"
        slot = self._table.at(row.writes)
        return line if slot is None else self._table.bad(line, "launch", life, slot, low, "exact-label", message)

    def taken_for(
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
        """A slot of the cache (or of the request's own) is read as the state of `length` tokens; returns the root."""
        slot = self._table.at(number)
        if slot is None:
            self._table.impossible(line, "launch", life, number, f"{name} reads the state of {length} tokens from")
            return line
        message, root = "", None
        self._loaded(line, life, slot)
        if life is None:
            # A copy that says nothing of whose it is: whatever is there, as long as its length is right.
            author = slot.before(b, phase)
            life = author.life if author is not None and isinstance(author.life, Life) else None
        own = life is not None and slot.owner is life.holder
        if unsafe:
            message = "while a launched batch that the copy does not wait for may still write it"
        elif slot.bad is not None and slot.cached:
            message, root = "which is wrong", slot.bad
        elif slot.cached and life is not None and not self._is_own(life, slot):
            message = "and that is not what its admission says it starts from"
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
        verb = "starts from" if phase == ROWS else "copies"
        if message:
            text = f"{name} {verb} slot {number} as the state of {length} tokens, {message}"
            root = self._table.bad(line, "launch", life, slot, length, "exact-label", text, root)
        slot.note(line, b, f"launch b{b}: {name} {verb} it as the state of {length} tokens")
        return root

    def _is_own(self, life: Life, slot: Slot) -> bool:
        """Whether an entry may be of the text of the request, or of the life that it goes on with."""
        hits = life.hit is UNSET or (life.hit is not None and life.hit_text is None)
        return hits or life.adopts or slot.key is None or slot.key.text in (life.text, life.before, life.hit_text)

    def _loaded(self, line: int, life: Life | None, slot: Slot) -> None:
        """What is still being loaded may only be read behind its transfer."""
        if slot.pin is not None and slot.pin.loads and not slot.pin.awaited:
            message = f"slot {slot.id} is read, and {slot.pin.name}, for which the batch does not wait, is to fill it"
            self._table.bad(line, "launch", life, slot, slot.label, "exact-label", message)


def _is_of(life: Life, found: Content, low: int, high: int) -> bool:
    """Whether a state has the request's text and `low` to `high` tokens; its first row may find out which text it has.

    A request of which nobody has said what it starts from has the text of what it reads; one that was retracted may go
    on from what its life before has saved.
    """
    if found.life is None:
        return low == 0
    if found.least > high or found.length < low:
        return False
    if life.adopts or (not life.started and found.life.text is life.before):
        life.text = found.life.text
    return found.life.text is life.text


def tokens_before(row: Row, life: Life) -> tuple[int, int]:
    """The least and the most tokens that a row may start from."""
    if isinstance(row, VerifyRow):
        return row.low, row.high - row.tokens
    start = life.len if row.start is UNSET else row.start
    return start, start
