"""The slots of one trace, who owns each, and the violations: the half of the judge that can make a trace bad.

An owner is a request, a session, a transfer, the cache, or nobody. Every method takes the line of the event first.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, UnsetType

from checker.traces.book import Book
from checker.traces.format import Header, Id, Publish
from checker.traces.lives import Life
from checker.traces.owners import Owner
from checker.traces.slots import Content, Slot
from checker.traces.verdict import Problem, Violation


class SlotTable:
    """The slots of one trace."""

    def __init__(self, header: Header, book: Book) -> None:
        self.processed = -1  # batches up to this one have certainly run
        self._header = header
        self._book = book
        self._slots: dict[int, Slot] = {}
        self._reserved = frozenset(header.reserved)
        self.knows_takes = "takes" in header.knows

    def at(self, number: Id | UnsetType) -> Slot | None:
        """Return a slot of the pool, with what has certainly run; None: there is no such slot, or it is reserved."""
        if number is None or number is UNSET:
            return None
        slot = self._slots.get(number)
        if slot is None:
            first = self._header.first_slot
            if number in self._reserved or not first <= number < first + self._header.slots:
                return None
            slot = self._slots[number] = Slot(number)
            slot.named = self._header.is_whole
        if slot.pending and slot.pending[0].batch <= self.processed:
            slot.settle(self.processed)
        return slot

    def every(self) -> Iterable[Slot]:
        """Return the slots that the trace has named."""
        return self._slots.values()

    def impossible(self, line: int, event: str, owner: Owner | None, number: Id, what: str) -> None:
        """Report an id that nobody can have: the engine's fault."""
        first = self._header.first_slot
        last = first + self._header.slots - 1
        if number is None:
            which = "the marker for no slot"
        elif number in self._reserved:
            which = f"slot {number}, which is reserved and belongs to nobody"
        else:
            which = f"slot {number}, and the header has {first} to {last}"
        text = f"{what} {which}"
        self._book.add(
            Violation(line, event, owner.name if owner else None, number, None, "one-owner", "nothing", text)
        )

    def bad(
        self,
        line: int,
        event: str,
        owner: Owner | None,
        slot: Slot,
        label: int | None,
        kind: str,
        message: str,
        root: int | None = None,
    ) -> int:  # fmt: skip
        """Add a violation; returns the line of its first cause, which is `root` if it follows from another one."""
        root = slot.bad if root is None else root
        story = slot.story() if root is None and not self._book.is_full else []
        name = None if owner is None else owner.name
        found = Violation(line, event, name, slot.id, label, kind, slot.holds(), message, root, story)
        return self._book.add(found)

    def take(self, line: int, event: str, owner: Owner, number: Id, role: str = "") -> Slot | None:
        """Somebody gets a slot (`role`: for what); anything but a free one then has two owners."""
        slot = self.at(number)
        what = f"{owner.name} takes" + (f" as its {role}" if role else "")
        if slot is None:
            self.impossible(line, event, owner, number, what)
            return None
        root = None
        # That it was given up may be unseen; that it was taken again is not, where takes are known.
        left = self.may_have_left(slot) and not (role and self.knows_takes and slot.named)
        if (slot.owner is not None or slot.cached) and not left:
            message = f"{owner.name} takes slot {number}{f' as its {role}' if role else ''}, which belongs to "
            root = self.bad(line, event, owner, slot, slot.label, "one-owner", message + slot.owner_words())
        self.hand_to(line, slot, owner)
        slot.bad = root
        return slot

    def hand_to(self, line: int, slot: Slot, owner: Owner) -> None:
        """Give a slot to a new owner, with contents that may be of nobody known."""
        self._lose(line, slot)
        slot.give_to(owner)
        if "copies" not in self._header.knows:
            slot.fill_unseen()

    def may_have_left(self, slot: Slot) -> bool:
        """Whether the owner may have given a slot up unseen: of what a recorder does not know, silence says nothing."""
        knows, owner = self._header.knows, slot.owner
        if slot.cached:
            return "evicts" not in knows
        if isinstance(owner, Life):
            gone = bool(owner.over) or "ends" not in knows
            return "frees" not in knows or (gone and "sessions" not in knows)
        if owner is None or type(owner) is Owner:
            return "frees" not in knows
        return not {"frees", "sessions"} <= set(knows)

    def twice(self, line: int, event: str, life: Life, number: int) -> None:
        """Two ring positions of one request hold the same slot."""
        slot = self.at(number)
        if slot is not None:
            message = f"{life.name} has slot {number} twice, in its ring or as its working slot"
            slot.bad = self.bad(line, event, life, slot, None, "one-owner", message)

    def unlike_entry(self, slot: Slot, length: int, digest: str | UnsetType) -> str:
        """Return why a slot is not in the cache as the state of so many tokens; empty: it is, or nobody knows."""
        if slot.cached and slot.bad is not None:
            return "which is wrong"
        if not slot.cached:
            return "" if not slot.named else f"which isn't in the cache: it belongs to {slot.owner_words()}"
        if slot.label != length:
            return f"which is cached under {slot.label}"
        if UNSET not in (digest, slot.digest) and digest != slot.digest:
            return "which is cached for another text"
        return ""

    def free(self, line: int, number: Id, in_flight: Life | None) -> None:
        """Give a slot back; `in_flight`: a running request that uses it, with a launched row that is to write it."""
        slot = self.at(number)
        if slot is None:
            self.impossible(line, "free", None, number, "the engine frees")
            return
        if slot.owner is None and slot.named and (self.knows_takes or (slot.cached and not self.may_have_left(slot))):
            message = f"slot {number} is freed, and belongs to {slot.owner_words()}"
            self.bad(line, "free", None, slot, slot.label, "one-owner", message)
        self._unpinned(line, "free", slot)
        if in_flight is not None:
            text = f"slot {number} is freed, and a launched row of {in_flight.name}, which runs, is still to write it"
            self._book.open(line, in_flight.name, Problem("freed", "distinct-targets", text, slot.id))
        self._release(line, slot, "freed")

    def evict(self, line: int, number: Id) -> None:
        """The cache gives a slot up."""
        slot = self.at(number)
        if slot is None:
            self.impossible(line, "evict", None, number, "the cache gives up")
            return
        if not slot.cached and slot.named:
            message = f"slot {number} is evicted, and belongs to {slot.owner_words()}"
            self.bad(line, "evict", slot.owner, slot, None, "one-owner", message)
        self._unpinned(line, "evict", slot)
        self._release(line, slot, "evicted")

    def _unpinned(self, line: int, event: str, slot: Slot) -> None:
        if slot.pin is not None:
            message = f"slot {slot.id} goes back to the pool, and {slot.pin.name}, which has not ended, uses it"
            self.bad(line, event, slot.owner, slot, slot.label, "one-owner", message)

    def publish(self, line: int, life: Life | None, event: Publish, early: bool) -> None:
        """The slot goes to the cache under `length` tokens of the request.

        `early`: it belongs to a result that has not been read yet, so that its ring is still the one before.
        """
        number, length, shared = event.slot, event.len, event.shared
        slot = self.at(number)
        if slot is None:
            self.impossible(line, "publish", life, number, f"{life.name if life else 'the engine'} publishes")
            return
        if life is None:
            self._published_by_nobody(line, event, slot)
            return
        message, root = "", None
        used = not life.over and slot.id in life.in_use() and slot.id not in life.transit
        silent = not slot.named or (not self.knows_takes and self.unseen(slot))
        silent |= slot.owner is not None and type(slot.owner) is Owner and slot.owner.name in ("", life.name)
        if (slot.cached or slot.owner is not life.holder) and not silent:
            message = f"{life.name} publishes slot {number}, which belongs to {slot.owner_words()}"
        elif used and not shared and not early:
            message = f"{life.name} publishes slot {number} and goes on using it"
        if message:
            root = self.bad(line, "publish", life, slot, length, "one-owner", message)
        else:
            root = self._content(line, "publish", life, slot, length)
        slot.note(line, None, f"{life.name} publishes it as the state after {length} tokens")
        self.heal_leak(line, slot)
        slot.give_to(None)
        slot.cached, slot.key, slot.label, slot.bad, slot.digest = True, life, length, root, event.text

    def _published_by_nobody(self, line: int, event: Publish, slot: Slot) -> None:
        """By a request that no line has shown: whether its content is right nobody knows, but that it is its own."""
        self._book.unknown["whose state is published"] += 1
        stranger = isinstance(event.r, str) and slot.owner is not None and slot.owner.name not in ("", event.r)
        root = None
        if slot.named and (stranger or slot.owner is None) and (self.knows_takes or not self.unseen(slot)):
            message = f"{event.r or 'somebody'} publishes slot {slot.id}, which belongs to {slot.owner_words()}"
            root = self.bad(line, "publish", None, slot, event.len, "one-owner", message)
        elif slot.named and {"copies", "transfers"} <= set(self._header.knows) and slot.is_blank:
            message = f"slot {slot.id} is published, but no launched batch was ever told to write that slot"
            root = self.bad(line, "publish", None, slot, event.len, "written-before-donated", message)
        slot.give_to(None)
        slot.cached, slot.label, slot.digest, slot.bad = True, event.len, event.text, root

    def unseen(self, slot: Slot) -> bool:
        """Whether a slot may be somebody else's by now without a line that says so, where takes are not known."""
        return (slot.owner is None and not slot.cached) or self.may_have_left(slot)

    def _content(self, line: int, event: str, life: Life, slot: Slot, length: int) -> int | None:
        """Exactly `length` tokens must be what the slot has or is still to receive; else the line of the first cause.

        A write of something else on the way there counts too, as in no-inflight-target: whether a reader comes before
        or after it is not for the slot's new owner to hope for.
        """
        found = slot.promised
        again = not life.started and found is not None and found.life is not None and found.life.text is life.before
        if (life.adopts or again) and found is not None and found.life is not None:
            # What it started from nobody has said; by this it was a state of that text.
            life.text, life.adopts = found.life.text, False
        text = life.text
        if slot.opaque or (slot.certain is None and not slot.pending and not slot.named):
            self._book.unknown["what is in a slot that is published"] += 1
            return slot.bad
        contents = [content for content in slot.pending if self.can_happen(content)]
        # What comes before that state in the stream comes before it for every reader.
        right = [index for index, content in enumerate(contents) if content.stands_for(text, length)]
        strange = contents[right[-1] + 1 if right else 0 :]
        if slot.certain is not None:
            contents.insert(0, slot.certain)
        if contents and not strange and contents[-1].stands_for(text, length):
            return slot.bad
        root = slot.bad
        if not contents:
            kind, why = "written-before-donated", "no launched batch was ever told to write that slot"
        elif any(content.stands_for(text, length) for content in contents):
            kind = "no-inflight-target"
            why = f"b{strange[-1].batch}, launched at line {strange[-1].line}, writes something else into it"
        else:
            kind, why = "exact-label", f"what it ends up with is {contents[-1].words()}"
            if root is None and contents[-1].covers(text, length) and (contents[-1].root or -1) >= 0:
                root = contents[-1].root
        elsewhere = "" if self._book.is_full else self._elsewhere(life, length, slot)
        message = f"{life.name} publishes slot {slot.id} as {life.name}'s state after {length} tokens, but "
        for hazard in life.opened.values():
            hazard.harmful_at = line
        return self.bad(line, event, life, slot, length, kind, f"{message}{why}{elsewhere}", root)

    def can_happen(self, content: Content) -> bool:
        """Whether a write that a verify row may perform can still happen: a boundary lies within its reach."""
        interval, life = self._header.interval, content.life
        if not content.maybe or not isinstance(life, Life) or interval is UNSET:
            return True
        tokens = [tokens for batch, tokens, _, _ in life.verifies if batch <= content.batch]
        least, most = content.least - 1, content.length
        if life.done_len:
            least = max(least, life.done_len + len(tokens) - 1)
            most = min(most, life.done_len + sum(tokens))
        return most // interval > least // interval

    def _elsewhere(self, life: Life, length: int, published: Slot) -> str:
        """Where that state really is, if some other slot certainly holds it."""
        for slot in self._slots.values():
            slot.settle(self.processed)
            certain = slot.certain
            if slot is published or certain is None or slot is life.home:
                continue
            if certain.stands_for(life.text, length) and certain.life is not None:
                return f" (slot {slot.id} holds that state)"
        return ""

    def keep(self, line: int, event: str, life: Life, number: Id, length: int) -> None:
        """A publication that wasn't stored: the slot stays with its owner, which must be this request."""
        slot = self.at(number)
        if slot is None:
            self.impossible(line, event, life, number, f"{life.name} publishes")
            return
        if slot.owner is not life.holder:
            text = f"slot {number} is said to stay with {life.name}, and belongs to {slot.owner_words()}"
            self._book.open(line, life.name, Problem("keep", "inconsistent-record", text, slot.id))
        slot.excused = True
        slot.note(line, None, f"not stored: {length} tokens of {life.name} are cached already")

    def rekey(self, line: int, source: Id, target: Id, using: Life | None) -> None:
        """The key of one slot moves to another; the first goes back to who uses it, else to the pool."""
        old, new = self.at(source), self.at(target)
        if old is None or new is None:
            number = source if old is None else target
            self.impossible(line, "rekey", None, number, "a key moves from or to")
            return
        if not old.cached or not isinstance(old.key, Life) or old.label is None:
            message = f"the key of slot {source} moves, which belongs to {old.owner_words()}"
            self.bad(line, "rekey", old.owner, old, None, "one-owner", message)
            return
        key, label = old.key, old.label
        root: int | None
        if new.cached or (new.owner is None and new.named):
            message = f"a key moves to slot {target}, which belongs to {new.owner_words()}"
            root = self.bad(line, "rekey", None, new, label, "one-owner", message)
        else:
            root = self._content(line, "rekey", key, new, label)
        new.note(line, None, f"the key of {label} tokens of {key.name} moves here")
        new.give_to(None)
        new.cached, new.key, new.label, new.bad = True, key, label, root
        self._release(line, old, f"its key moves to slot {target}")
        if using is not None:
            old.give_to(using.holder)

    def heal_leak(self, line: int, slot: Slot) -> None:
        """The slot has an owner again, or is free."""
        if slot.leak is not None:
            slot.leak.healed_at = line
            slot.leak = None
        slot.excused = False
        if isinstance(slot.owner, Life):
            slot.owner.transit.discard(slot.id)

    def leak(self, line: int, owner: Owner, number: int) -> None:
        """Report a slot that its owner lets go without freeing or publishing it, once."""
        slot = self.at(number)
        if slot is not None and slot.leak is None and slot.owner is owner:
            text = f"{owner.name} let go of slot {number} without freeing or publishing it"
            slot.leak = self._book.open(line, owner.name, Problem("leak", "release-all", text, number))

    def reclaim(self, line: int, event: str, life: Life, number: int) -> bool:
        """A request that was over goes on using a slot. True if that slot isn't its own any more."""
        slot = self.at(number)
        if slot is None or slot.owner is life.holder:
            return False
        if type(slot.owner) is Owner and slot.owner.name in ("", life.name):
            # It was given back, and taken again for this request.
            self.hand_to(line, slot, life.holder)
            return False
        message = f"{life.name} goes on using slot {number}, which belongs to {slot.owner_words()}"
        root = self.bad(line, event, life, slot, slot.label, "one-owner", message)
        slot.give_to(life.holder)
        slot.bad = root
        return True

    def _release(self, line: int, slot: Slot, how: str) -> None:
        self.heal_leak(line, slot)
        slot.note(line, None, how)
        self._lose(line, slot)
        slot.give_to(None)

    def _lose(self, line: int, slot: Slot) -> None:
        owner = slot.owner
        if isinstance(owner, Life) and not owner.over and slot.id in owner.ring:
            owner.lost[slot.id] = line
            owner.quiet = False
