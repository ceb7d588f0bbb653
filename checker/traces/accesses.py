"""What is read must be what it is taken for, and what is written must be the writer's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from checker.traces.format import Id, LaunchedRow
from checker.traces.lives import Life
from checker.traces.sessions import Sessions
from checker.traces.slots import MARKS, ROWS, Slot, Write

Slots = Id | UnsetType


class Accesses(Sessions):
    """Judges each read and each write of a launched batch, or of a copy of its own."""

    def _read(
        self,
        b: int,
        phase: int,
        life: Life | None,
        number: Id,
        tokens: tuple[int, int],
        what: str,
        digest: str | UnsetType = UNSET,
        wrong: str = "",
    ) -> int | None:
        """A slot is read as the state of so many tokens; returns the line of the first cause where it is not that."""
        slot, (low, high) = self.at(number), tokens
        state = f"the state of {low if low == high else f'{low} to {high}'} tokens"
        if slot is None:
            return self.impossible(life, number, f"{what} {state} in")
        if slot.pin is not None and slot.pin.loads and not slot.pin.awaited:
            message = f"slot {slot.id} is read, and {slot.pin.name}, for which the batch does not wait, is to fill it"
            self.bad("exact-label", message, slot, life, slot.label)
        found = slot.before(b, phase)
        if life is None and found is not None and isinstance(found.life, Life):
            # What says nothing of whose it is takes what is there, as long as its length is right.
            life = found.life
        key, own, root = slot.key, life is not None and slot.owner is life.holder, None
        if key is not None:
            wrong = wrong or self.unlike(slot, low, high, digest)
            if not wrong and life is not None and not self._may_be_of(life, key.life):
                wrong = "and that is not what its admission says it starts from"
        elif not own and (life is None or life.hit_text is None or slot.owner is None):
            wrong = wrong or self.unlike(slot, low, high, digest)
        if not wrong and slot.is_known and not (key is not None and key.life is None):
            root = None if found is None else found.root
            if not self._fits(life, slot, found, low, high):
                wrong, root = f"which holds {slot.holds()}", None
                if phase == ROWS and low == 0 and not life.started and "clears" not in self.knows:  # type: ignore[union-attr]
                    self.unknown["whether a slot was cleared"] += 1
                    wrong = ""
        elif not wrong and phase == ROWS and key is None:
            self.unknown["what is in the slot that a row starts from"] += 1
        if wrong:
            root = self.bad("exact-label", f"{what} slot {number} as {state}, {wrong}", slot, life, low)
        if phase != ROWS or key is not None:
            slot.note(self.line, b, f"launch b{b}: {what} it as {state}")
        if phase == ROWS and life is not None:
            life.adopts = False
        return root

    def _may_be_of(self, life: Life, other: object) -> bool:
        """Whether a key may be of the text of the request, or of the life that it goes on with."""
        if not isinstance(other, Life) or life.adopts or other.text in (life.text, life.text_before, life.hit_text):
            return True
        if life.started or life.hit is None or life.hit_text is not None:
            return False
        life.hit_text = other.text
        return True

    def _fits(self, life: Life | None, slot: Slot, found: Write | None, low: int, high: int) -> bool:
        """Whether a state has the reader's text and so many tokens; a first row may find out which text that is.

        A request of which nobody has said what it starts from has the text of what it reads; one that was retracted may
        go on from what its life before has saved.
        """
        if found is None:
            return False
        key, text = slot.key, None if life is None else life.text
        if key is not None and key.life is not None:
            text = key.life.text
        elif life is not None and slot.owner is not life.holder:
            text = life.hit_text
        elif life is not None and found.life is not None and found.covers(None, low, high):
            if life.adopts or (not life.started and found.life.text is life.text_before):
                life.text = text = found.life.text
        return found.covers(text, low, high)

    def _write(self, life: Life | None, number: Slots, content: Write, what: str, role: str = "target") -> Slot | None:
        """A launched write goes to a slot of its request's own; else that has two owners, or it is the cache's."""
        slot = self.at(number)
        if slot is None:
            if number not in self.header.reserved and not (number is None and role == "mark"):
                self.impossible(life, number, what)
            return None
        key, wrong = slot.key, ""
        if slot.pin is not None and not slot.pin.awaited:
            wrong = f"{what} slot {slot.id}, and {slot.pin.name}, which has not ended, uses it"
        elif key is not None or life is None:
            # What writes once more what the cache has there already, or cannot happen, does it no harm.
            known = key is not None and key.life is not None and content.phase == MARKS
            same = known and content.stands_for(key.life.text, key.label)  # type: ignore[union-attr]
            taken = key is not None or (slot.owner is not None and slot.owner.is_idle)
            if taken and not same and self.can_happen(content) and self.is_settled(slot):
                wrong = f"{what} slot {slot.id}, which belongs to {slot.owner_words()}"
            elif same or not self.can_happen(content):
                life = None
        if wrong:
            root = self.bad("no-inflight-target", wrong, slot, life, slot.label)
            slot.bad = root
        elif life is not None and slot.owner is not life.holder:
            self.claim(life, slot.id, f"target of b{content.batch}")
        slot.write(content)
        return slot

    def _wrong(self, life: Life, row: LaunchedRow, message: str, number: Slots = UNSET) -> None:
        """A row that cannot be as it is."""
        slot = self.at(number) or self.at(row.writes) or life.home
        self.bad("inconsistent-record", message, slot, life)

    def _once(self, b: int, what: str, written: Sequence[Slots], read: Sequence[Slots]) -> None:
        """A slot that is written twice in one phase of a batch, or written and read, holds nobody knows what."""
        twice = {number for number, times in Counter(written).items() if times > 1}
        for number in [*twice, *({*written} & {*read} - twice)]:
            slot = self.at(number)
            if slot is not None:
                how = "write" if number in twice else "write and read"
                message = f"two {what} of b{b} {how} slot {number}, and there is no order between them"
                slot.bad = self.bad("distinct-targets", message, slot, slot.owner, slot.label)
