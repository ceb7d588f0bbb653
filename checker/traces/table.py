"""Whose each slot is, and what the cache has: the half of the judge that counts owners."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from checker.traces.book import Book
from checker.traces.format import Evict, Free, Header, Id, Publish
from checker.traces.lives import Life
from checker.traces.slots import Key, Owner, Slot, Write
from checker.traces.verdict import Problem


class SlotTable(Book):
    """The slots of one trace."""

    def __init__(self, header: Header, path: str) -> None:
        super().__init__(header, path)
        self.processed = -1  # batches up to this one have certainly run
        self.knows = frozenset(header.knows)
        self.nobody = Owner("")
        """Has what was taken for nobody yet."""
        self.slots: dict[int, Slot] = {}
        self._reserved = frozenset(header.reserved)
        self._pool = range(header.first_slot, header.first_slot + header.slots)

    def at(self, number: Id | UnsetType) -> Slot | None:
        """Return a slot of the pool, with what has certainly run; None: there is no such slot, or it is reserved."""
        slot = self.slots.get(number)  # type: ignore[arg-type]
        if slot is None:
            if not isinstance(number, int) or number in self._reserved or number not in self._pool:
                return None
            slot = self.slots[number] = Slot(number, self.header.is_whole)
        if slot.pending and slot.pending[0].batch <= self.processed:
            slot.settle(self.processed)
        return slot

    def impossible(self, who: Owner | None, number: Id | UnsetType, what: str) -> int:
        """Report an id that nobody can have, which is the engine's fault; returns the line."""
        if number is UNSET:
            return self.line
        which = f"slot {number}, and the header has {self._pool[0]} to {self._pool[-1]}"
        if number is None:
            which = "the marker for no slot"
        elif number in self._reserved:
            which = f"slot {number}, which is reserved and belongs to nobody"
        return self.bad("one-owner", f"{what} {which}", number, who)

    # Owners

    def claim(self, who: Owner, number: Id, role: str = "") -> Slot | None:
        """A slot leaves the pool for somebody, or they use it (`role`: for what); else it has two owners, or none."""
        slot = self.at(number)
        if slot is None:
            self.impossible(who, number, f"{who.name} {f'has as its {role}' if role else 'takes'}")
            return None
        root, waits = slot.bad, bool(role) and self.waits(slot, who)
        if not (role and slot.owner is who.holder):
            if not waits:
                root = self._disputed(slot, who, role)
            self._lose(slot)
            slot.give_to(who.holder)
            slot.bad = root
            if "copies" not in self.knows or (who is self.nobody and "transfers" not in self.knows):
                slot.fill(None)
        if role:
            slot.note(self.line, None, f"{who.name} takes it as its {role}")
        return slot

    def waits(self, slot: Slot, who: Owner) -> bool:
        """Whether a slot has been taken for them, or nobody yet, or may be of an earlier life of the same name."""
        again = isinstance(slot.owner, Life) and slot.owner.name == who.name and "ends" not in self.knows
        return slot.owner is self.nobody or slot.owner is who or again

    def _disputed(self, slot: Slot, who: Owner, role: str) -> int | None:
        seen = bool(role) and "takes" in self.knows
        if not slot.named or not (seen or (slot.owner is not None and not self.may_have_left(slot))):
            return None
        which = "nobody took from the pool" if slot.owner is None else f"belongs to {slot.owner_words()}"
        what = f"has slot {slot.id} as its {role}" if role else f"takes slot {slot.id}"
        return self.bad("one-owner", f"{who.name} {what}, which {which}", slot, who, slot.label)

    def may_have_left(self, slot: Slot) -> bool:
        """Whether the owner may have given a slot up unseen: of what a recorder does not know, silence says nothing."""
        owner = slot.owner
        if isinstance(owner, Key):
            return "evicts" not in self.knows
        if owner is None or owner is self.nobody:
            return "frees" not in self.knows
        gone = not isinstance(owner, Life) or owner.over or "ends" not in self.knows
        return "frees" not in self.knows or (bool(gone) and "sessions" not in self.knows)

    def is_settled(self, slot: Slot) -> bool:
        """Whether a slot that the cache, or nobody, is said to have is certainly theirs."""
        return "takes" in self.knows or not (slot.owner is None or self.may_have_left(slot))

    def free(self, event: Free) -> None:
        """Slots go back to the pool."""
        for number in event.slots:
            self._back(number, "freed")

    def evict(self, event: Evict) -> None:
        """A slot of the cache goes back to the pool."""
        self._back(event.slot, "evicted")

    def _back(self, number: Id, how: str) -> None:
        slot, freed = self.at(number), how == "freed"
        if slot is None:
            self.impossible(None, number, "the engine frees" if freed else "the cache gives up")
            return
        owner = slot.owner
        runs = owner if isinstance(owner, Life) and not owner.over else None
        if freed and runs is not None and slot.bad is not None and number in runs.in_use():
            # Two have it, which has been reported; that one of them gives it back says nothing of the other.
            slot.note(self.line, None, f"freed, while {runs.name} uses it")
            return
        theirs = owner is None or isinstance(owner, Key) if freed else not isinstance(owner, Key)
        settled = not freed or "takes" in self.knows or (owner is not None and not self.may_have_left(slot))
        if slot.named and theirs and settled:
            message = f"slot {number} is {how}, and belongs to {slot.owner_words()}"
            self.bad("one-owner", message, slot, None if freed else owner, slot.label)
        if slot.pin is not None:
            message = f"slot {number} goes back to the pool, and {slot.pin.name}, which has not ended, uses it"
            self.bad("one-owner", message, slot, owner if not isinstance(owner, Key) else None, slot.label)
        if runs is not None and runs.targets[number]:
            text = f"slot {number} is freed, and a launched row of {runs.name}, which runs, is still to write it"
            self.hazard(runs.name, Problem("freed", "distinct-targets", text, slot.id))
        self._release(slot, how)

    def _release(self, slot: Slot, how: str) -> None:
        self.heal_leak(slot.id)
        slot.note(self.line, None, how)
        self._lose(slot)
        slot.give_to(None)

    def _lose(self, slot: Slot) -> None:
        if slot.owner is not None and not slot.owner.over:
            slot.owner.lose(slot, self.line)

    def heal_leak(self, number: int) -> None:
        """The slot has an owner again, or is free."""
        slot = self.at(number)
        if slot is not None and slot.leak is not None:
            slot.leak.healed_at = self.line
            slot.leak = None

    def leak(self, owner: Owner, numbers: Iterable[int]) -> None:
        """Report slots that their owner lets go without freeing or publishing them, each once."""
        for slot in [self.at(number) for number in sorted(numbers)]:
            if slot is not None and slot.leak is None and slot.owner is owner:
                text = f"{owner.name} let go of slot {slot.id} without freeing or publishing it"
                slot.leak = self.hazard(owner.name, Problem("leak", "release-all", text, slot.id))

    # The cache

    def store(self, life: Life | None, event: Publish, early: bool) -> None:
        """The cache has a slot under so many tokens of a request (None: of an unknown one).

        `early`: the publication belongs to a result that has not been read yet, so that its ring is still the one
        before.
        """
        number, owner = event.slot, None
        name = life.name if life is not None else event.r or "the engine"
        slot = self.at(number)
        if slot is None:
            self.impossible(life, number, f"{name} publishes")
            return
        owner = slot.owner
        holder = life.holder if life is not None else owner
        other = life is None and isinstance(event.r, str) and owner is not None and owner.name != event.r
        sure = slot.named and owner is not self.nobody and self.is_settled(slot)
        message = ""
        if sure and (other or owner is not holder or owner is None or isinstance(owner, Key)):
            message = f"which belongs to {slot.owner_words()}"
        elif life is not None and life.runs and number in life.in_use() and not event.shared and not early:
            message = "and goes on using it"
        if message:
            comma = "," if message.startswith("which") else ""
            text = f"{name} publishes slot {number}{comma} {message}"
            root: int | None = self.bad("one-owner", text, slot, life, event.len)
        else:
            root = self._checked(life, slot, event.len, name)
        if life is not None:
            slot.note(self.line, None, f"{life.name} publishes it as the state after {event.len} tokens")
        self.heal_leak(slot.id)
        known = life if life is not None and life.admitted else None
        slot.give_to(Key("?" if known is None else known.name, known, event.len, event.text))
        slot.bad = root

    def move_key(self, source: Id, target: Id, using: Life | None) -> None:
        """The key of one slot moves to another; the first goes back to who uses it, else to the pool."""
        old, new = self.at(source), self.at(target)
        if old is None or new is None:
            self.impossible(None, source if old is None else target, "a key moves from or to")
            return
        key = old.key
        if key is None:
            message = f"the key of slot {source} moves, which belongs to {old.owner_words()}"
            self.bad("one-owner", message, old, old.owner)
            return
        root: int | None
        if new.key is not None or (new.owner is None and new.named):
            message = f"a key moves to slot {target}, which belongs to {new.owner_words()}"
            root = self.bad("one-owner", message, new, None, key.label)
        else:
            root = self._checked(key.life, new, key.label, key.name)
        new.note(self.line, None, f"the key of {key.label} tokens of {key.name} moves here")
        new.give_to(Key(key.name, key.life, key.label, key.digest))
        new.bad = root
        self._release(old, f"its key moves to slot {target}")
        if using is not None:
            old.give_to(using.holder)

    def unlike(self, slot: Slot, low: int, high: int, digest: str | UnsetType) -> str:
        """Return why the cache does not have a slot as that state; empty: it does, or nobody knows."""
        key = slot.key
        if key is None:
            return f"which isn't in the cache: it belongs to {slot.owner_words()}" if slot.named else ""
        if slot.bad is not None:
            return "which is wrong"
        if not low <= key.label <= high:
            return f"which is cached under {key.label}"
        return "" if UNSET in (digest, key.digest) or digest == key.digest else "which is cached for another text"

    def keep(self, life: Life, event: Publish) -> None:
        """A publication that wasn't stored: the slot stays with its owner, which must be this request."""
        slot = self.at(event.slot)
        if slot is None:
            self.impossible(life, event.slot, f"{life.name} publishes")
            return
        if slot.owner is not life.holder:
            text = f"slot {slot.id} is said to stay with {life.name}, and belongs to {slot.owner_words()}"
            self.hazard(life.name, Problem("keep", "inconsistent-record", text, slot.id))
        elif slot.id in life.holder.transit:
            life.holder.transit[slot.id] = True
        slot.note(self.line, None, f"not stored: {event.len} tokens of {life.name} are cached already")

    def _checked(self, life: Owner | None, slot: Slot, length: int, name: str) -> int | None:
        """Return the line of the first cause why a slot is not what it is to be published as; None: it is."""
        if isinstance(life, Life) and slot.promised is not None and slot.promised.life is not None:
            text = slot.promised.life.text
            if life.adopts or (not life.started and text is life.text_before):
                # What it started from nobody has said; by this it was a state of that text.
                life.text, life.adopts = text, False
        found = self.fault(slot, None if life is None else life.text, length)
        if found is None:
            return slot.bad
        kind, why, root = found
        unseen = life is None and not {"copies", "transfers"} <= self.knows
        if not kind or (unseen and kind == "written-before-donated"):
            self.unknown["what is in a slot that is published"] += 1
            return slot.bad
        if isinstance(life, Life):
            for hazard in life.opened.values():
                hazard.harmful_at = self.line
            if not self.is_full:
                why += self._elsewhere(life, length, slot)
        message = f"{name} publishes slot {slot.id} as {name}'s state after {length} tokens, but {why}"
        return self.bad(kind, message, slot, life, length, slot.bad if root is None else root)

    def fault(self, slot: Slot, text: object, length: int) -> tuple[str, str, int | None] | None:
        """Why a slot is not, or does not stay, the state of so many tokens of a text: kind, words, first cause.

        A write of something else on the way there counts too, as in no-inflight-target: whether a reader comes before
        or after it is not for the slot's new owner to hope for. An empty kind: nobody knows what is in it.
        """
        contents = [content for content in slot.pending if self.can_happen(content)]
        # What comes before that state in the stream comes before it for every reader.
        right = [index for index, content in enumerate(contents) if content.stands_for(text, length)]
        strange = contents[right[-1] + 1 if right else 0 :]
        if slot.certain is not None:
            contents.insert(0, slot.certain)
        if slot.opaque or not (contents or slot.named):
            return "", "", None
        if not contents:
            return "written-before-donated", "no launched batch was ever told to write that slot", None
        final = contents[-1]
        if not strange and final.stands_for(text, length):
            return None
        if any(content.stands_for(text, length) for content in contents):
            told = f"b{strange[-1].batch}, launched at line {strange[-1].line}, writes something else into it"
            return "no-inflight-target", told, None
        known = final.covers(text, length, length) and (final.root or -1) >= 0
        return "exact-label", f"what it ends up with is {final.words()}", final.root if known else None

    def can_happen(self, content: Write) -> bool:
        """Whether a write that a verify row may perform can still happen: a boundary lies within its reach."""
        interval, life = self.header.interval, content.life
        if not content.maybe or not isinstance(life, Life) or interval is UNSET:
            return True
        tokens = [verify.tokens for verify in life.verifies if verify.batch <= content.batch]
        least, most = content.least - 1, content.length
        if life.done_len:
            least = max(least, life.done_len + len(tokens) - 1)
            most = min(most, life.done_len + sum(tokens))
        return most // interval > least // interval

    def _elsewhere(self, life: Life, length: int, published: Slot) -> str:
        """Where that state really is, if some other slot certainly holds it."""
        for slot in self.slots.values():
            slot.settle(self.processed)
            if slot is published or slot.certain is None or slot is life.home:
                continue
            if slot.certain.life is not None and slot.certain.stands_for(life.text, length):
                return f" (slot {slot.id} holds that state)"
        return ""
