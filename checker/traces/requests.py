"""The requests of one trace: admitted, running, over; their rings and pointers as results show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import UNSET, UnsetType

from checker.traces import rules
from checker.traces.book import Book
from checker.traces.format import Admit, End, Header, Hit, Id, Publish, ResultRow, Ring, Row, Take
from checker.traces.lives import Claim, Life
from checker.traces.owners import Owner
from checker.traces.reading import BadTrace
from checker.traces.slots import Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import HARMFUL_IF, Problem

REMEMBERED = 64
"""Names of requests that are over and have no slot and no row left: a late row is told from one of nobody."""

Pointer = int | UnsetType | None


class Requests:
    """Follows every request between its rows; shares slots and book with the judge."""

    def __init__(self, header: Header, table: SlotTable, book: Book, error: Callable[[int, str], BadTrace]) -> None:
        self.running: dict[str, Life] = {}
        self.ended: dict[str, Life] = {}
        self.admitted = 0
        self._header = header
        self._table = table
        self._book = book
        self.error = error
        self._positions = 0 if header.ring is UNSET else header.ring
        self._taken: dict[str, Owner] = {}  # who has taken slots before it was admitted
        self._arrivals: list[tuple[int, Life, int, int]] = []

    def named(self, name: str) -> Life | None:
        """Return the newest life of that name."""
        return self.running.get(name) or self.ended.get(name)

    def take(self, line: int, event: Take) -> None:
        """Slots leave the pool, for somebody with whom they are still to turn up."""
        name = event.r if isinstance(event.r, str) else ""
        owner = self._taken.setdefault(name, Owner(name))
        for number in event.slots:
            self._table.take(line, "take", owner, number)

    def admit(self, line: int, event: Admit) -> Life:
        """A request may be launched from now on; raises BadTrace where it is running already."""
        if event.r in self.running and "ends" not in self._header.knows:
            self.over(line, self.running[event.r], "left")
        if event.r in self.running:
            raise self.error(line, f"request {event.r} is admitted, and is running already")
        ring = event.ring if isinstance(event.ring, tuple) else (None,) * self._positions
        self.check_ring(line, ring)
        life = Life(event, self._positions)
        before = self.ended.pop(event.r, None)
        if before is not None and before.over == "left" and not isinstance(event.hit, Hit):
            life.before = before.text
        life.adopts = event.hit is UNSET and not self._header.is_whole
        if isinstance(event.hit, Hit):
            self._hit(line, life, event.hit)
        self.running[event.r] = life
        self.admitted += 1
        if event.working is not UNSET:
            life.home = self.turn_up(line, "admit", life, event.working, "working slot")
        self.report(line, life, self.adopt(line, "admit", life, ring))
        return life

    def _hit(self, line: int, life: Life, hit: Hit) -> None:
        """The cached state that a request starts from must be there, under its length and of its text."""
        slot = self._table.at(hit.slot)
        if slot is None:
            self._table.impossible(line, "admit", life, hit.slot, f"{life.name} hits")
            return
        message = self._table.unlike_entry(slot, hit.len, hit.text)
        if message:
            text = f"{life.name} hits slot {slot.id} as the state of {hit.len} tokens, {message}"
            self._table.bad(line, "admit", life, slot, hit.len, "exact-label", text, slot.bad if slot.cached else None)
        elif slot.key is not None:
            life.hit_text = slot.key.text

    def begin_unseen(self, row: Row) -> Life:
        """A row of a request that was admitted before the recording began."""
        life = Life(Admit(r=row.r, epoch=row.epoch, ring=row.ring, next=row.next, last=row.last), self._positions)
        life.started = True
        life.home = self._table.at(row.writes)
        if isinstance(row.ring, tuple) and len(row.ring) == self._positions:
            life.ring = row.ring
        if life.home is not None and not life.home.named:
            life.home.give_to(life)
            life.home.opaque = True
        self.running[row.r] = life
        self._book.unknown["a request that was there before the recording began"] += 1
        return life

    def turn_up(self, line: int, event: str, life: Life, number: Id, role: str) -> Slot | None:
        """A slot is named as the request's: it is, or it was taken for it, or it has two owners or none."""
        slot = self._table.at(number)
        if slot is None:
            self._table.impossible(line, event, life, number, f"{life.name} has as its {role}")
            return None
        if slot.owner is life.holder:
            return slot
        before = slot.owner
        if self.is_taken_for(life, slot):
            disputed = slot.bad
            self._table.hand_to(line, slot, life.holder)
            slot.bad = disputed
        elif before is None and not slot.cached and slot.named and "takes" in self._header.knows:
            message = f"{life.name} has slot {number} as its {role}, which nobody took from the pool"
            root = self._table.bad(line, event, life, slot, None, "one-owner", message)
            slot.give_to(life.holder)
            slot.bad = root
        else:
            self._table.take(line, event, life.holder, number, role)
        slot.note(line, None, f"{life.name} takes it as its {role}")
        return slot

    def is_taken_for(self, life: Life | None, slot: Slot) -> bool:
        """Whether a slot has left the pool for this request, or for nobody yet."""
        names = ("",) if life is None else ("", life.name)
        return slot.owner is not None and any(slot.owner is self._taken.get(name) for name in names)

    def arrive(self, line: int) -> None:
        """A result is over, with all that it freed and took: what it showed as new in a ring must have been taken."""
        arrivals, self._arrivals = self._arrivals, []
        for shown, life, position, number in arrivals:
            if position < 0 and not life.over:
                self.turn_up(shown, "publish", life, number, "replacement")
            elif not life.over and position < len(life.ring) and life.ring[position] == number:
                self.turn_up(shown, "process", life, number, f"ring position {position}")

    def adopt(self, line: int, event: str, life: Life, ring: Ring) -> list[Problem]:
        """Take over the ring that a row shows: new slots are taken, old ones in transit until freed or published.

        Nothing takes a slot out of the ring at preparation, and one that left comes back only if the cache didn't
        want it.
        """
        old, waiting, found = life.ring, set(life.transit), []
        # Where the header does not say how long a ring is, the lines do.
        old += (None,) * (len(ring) - len(old))
        if ring != old:
            named = [number for number in ring if number is not None]
            gone = {number for number in old if number is not None and self._owns(life, number)} - set(named)
            if gone and event != "process":
                text = f"preparation took slot {min(gone)} out of the ring"
                found.append(Problem("launch:ring", rules.ODD, text, min(gone)))
                for departed in gone:
                    self._table.at(departed).excused = True  # type: ignore[union-attr]
            life.transit |= gone
            life.ring = ring
            for position, number in enumerate(ring):
                if number is None or number == old[position]:
                    continue
                if number in life.transit:
                    slot = self._table.at(number)
                    assert slot is not None, "what left the ring was a slot"
                    if not slot.excused:
                        text = f"slot {number} left the ring and came back"
                        scope = "process" if event == "process" else "launch"
                        found.append(Problem(f"{scope}:ring", rules.ODD, text, number))
                    self._table.heal_leak(line, slot)
                    life.transit.discard(number)
                elif number not in old:
                    if event == "process":
                        self._arrivals.append((line, life, position, number))
                    else:
                        self.turn_up(line, event, life, number, f"ring position {position}")
            if life.home is not None:
                named.append(life.home.id)
            for twice in sorted({number for number in named if named.count(number) > 1}):
                self._table.twice(line, event, life, twice)
        if "frees" in self._header.knows:
            for left in waiting & life.transit:
                self._table.leak(line, life, left)
        life.hush()
        return found

    def keep_lost(self, line: int, event: str, life: Life, ring: Ring) -> None:
        """A ring is shown after somebody has freed or taken slots of it: what it still has of them has two owners."""
        # What another row of the same line has taken shows with the next one: inside of a line there is no order.
        lost = [number for number, since in life.lost.items() if since < line]
        life.lost = {number: since for number, since in life.lost.items() if since >= line}
        for number in [number for number in sorted(lost) if number in ring]:
            slot = self._table.at(number)
            if slot is None or slot.owner is life.holder:
                continue
            if self.is_taken_for(life, slot) or (not self._table.knows_takes and self._table.unseen(slot)):
                self._table.hand_to(line, slot, life.holder)
            else:
                text = f"{life.name} goes on using slot {number}, which belongs to {slot.owner_words()}"
                slot.bad = self._table.bad(line, event, life, slot, slot.label, "one-owner", text)
        life.hush()

    def keep_given(self, life: Life, ring: Ring) -> None:
        """A ring is shown after publications of its slots: what it still has of them has two owners."""
        for number, line in life.given.items():
            slot = self._table.at(number)
            if slot is None or not slot.cached or slot.key is not life or number not in ring:
                continue
            if self._table.knows_takes or not self._table.may_have_left(slot):
                message = f"{life.name} publishes slot {number} and goes on using it"
                slot.bad = self._table.bad(line, "publish", life, slot, slot.label, "one-owner", message)
        life.given.clear()

    def _owns(self, life: Life, number: int) -> bool:
        slot = self._table.at(number)
        return slot is not None and slot.owner is life.holder

    def point(self, line: int, life: Life, claim: Claim | None, row: ResultRow, problems: list[Problem]) -> None:
        """Pointers, label and ring after a result; `claim` is the row's own, `problems` what was found so far."""
        header = self._header
        if not self._positions and not isinstance(row.ring, tuple):
            life.shown_next = row.next if row.next is not UNSET else life.shown_next
            self.sync(line, life, "process", problems)
            return
        ring = row.ring if isinstance(row.ring, tuple) else life.ring
        self.check_ring(line, ring)
        if life.lost and (row.same or isinstance(row.ring, tuple)):
            self.keep_lost(line, "process", life, ring)
        if isinstance(row.ring, tuple):
            self.keep_given(life, row.ring)
        labels = rules.explained_labels(header, life, claim, ring)
        problems += rules.result_pointers(header, life, claim, row, labels)
        back = self.adopt(line, "process", life, ring)
        next_ = life.shown_next if row.next is UNSET and row.same else row.next
        last = life.shown_last if row.last is UNSET and row.same else row.last
        label = life.shown_len if row.last_len is UNSET and row.same else row.last_len
        life.shown_next, life.shown_last, life.shown_len = next_, last, label
        self.advance(life, next_)
        if isinstance(last, int) or (last is UNSET and claim is not None):
            if claim is not None and claim.pos is not UNSET:
                life.last = claim.pos
            elif life.last is None and isinstance(last, int):
                life.last = last
            explained = claim.length if claim is not None else life.label
            life.label = label if label is not UNSET and label in labels else explained
        problems += self._label_problems(life, label, last, ring)
        problems += back
        self.sync(line, life, "process", problems)
        self.follow_flip(line, life, next_)
        self._ring_apart(line, life, label, last, ring)

    def follow_flip(self, line: int, life: Life, next_: Pointer) -> None:
        """The producer position after a line."""
        # While a row targets the labelled `last`, the wrong flip behind it has been reported already.
        if next_ is UNSET:
            return
        apart = "apart" in life.opened
        problems = [] if apart else rules.flips(self._header, life, next_)
        if not problems and next_ is not None and life.base is not None:
            problems = rules.advances(self._header, life)
            if problems:
                # From here on the count starts anew; after a wrong flip that has been reported it does so in silence.
                life.advances = life.boundaries + (next_ - life.base) % self._positions
                problems = [] if apart or "flip" in life.opened else problems
        self.sync(line, life, "flip", problems)

    def advance(self, life: Life, next_: Pointer, lazy_to: int | UnsetType | None = None) -> None:
        """Follow the producer position: as seen in eager mode, as the rows explain it in lazy mode."""
        if life.next is None:
            life.next = life.base = None if next_ is UNSET else next_
        elif self._header.mode == "lazy":
            life.next = lazy_to if isinstance(lazy_to, int) else life.next
        elif isinstance(next_, int) and self._positions:
            life.advances += (next_ - life.next) % self._positions
            life.next = next_

    def _label_problems(self, life: Life, label: Pointer, last: Pointer, ring: Ring) -> list[Problem]:
        """The label against what the slot at `last` certainly holds."""
        if label is UNSET or label is None:
            return []
        if not isinstance(last, int) or last >= len(ring):
            marks = {claim.length for claim in life.claims} | {life.newest.length if life.newest else None}
            text = f"the label is {label}, which no launched row has written"
            return [] if label in marks | {life.label} else [Problem("process:exact", "exact-label", text)]
        slot = self._table.at(ring[last])
        if slot is None or (slot.certain is not None and slot.certain.covers(life.text, label)):
            return []
        text = f"the label says that slot {slot.id} holds {label} tokens, but it holds {slot.holds()}"
        return [Problem("process:exact", "exact-label", text, slot.id)]

    def _ring_apart(self, line: int, life: Life, label: Pointer, last: Pointer, ring: Ring) -> None:
        """After a result: a pending decode row must not target `last` while the label is present."""
        if label is UNSET or label is None or not isinstance(last, int) or last >= len(ring) or ring[last] is None:
            self.sync(line, life, "apart", [])
            return
        slot = ring[last]
        claim = None
        if life.targets[slot]:
            claim = next((claim for claim in life.claims if claim.slot == slot and not claim.prefill), None)
        if claim is None:
            self.sync(line, life, "apart", [])
            return
        text = (
            f"b{claim.batch} (line {claim.line}) will write {life.name}@{claim.length} into slot {slot} at position "
            f"{last}, which is `last` and labelled {label}"
        )
        root = life.opened.pop("flip", None)
        if root is None:
            self.sync(line, life, "apart", [Problem("apart", "ring-apart", text, slot)])
            life.opened["apart"].line = claim.line
        else:
            # What began as a wrong flip is the same hazard, so it is reported once, at its worst.
            root.explanation = f"{text}; since line {root.line} {root.explanation}"
            root.property, root.line, root.slot = "ring-apart", claim.line, slot
            root.harmful_if = HARMFUL_IF["ring-apart"]
            life.opened["apart"] = root

    def replaced(self, line: int, life: Life, event: Publish) -> None:
        """A publication names the slot that takes its ring position, and that must be the request's in the end."""
        if event.replaced_by is not UNSET and event.slot in life.ring:
            life.ring = tuple(event.replaced_by if number == event.slot else number for number in life.ring)
        if isinstance(event.replaced_by, int):
            slot = self._table.at(event.replaced_by)
            if slot is not None and self.is_taken_for(life, slot):
                self.turn_up(line, "publish", life, slot.id, "replacement")
            elif slot is None or slot.owner is not life.holder or slot.id == event.slot:
                self._arrivals.append((line, life, -1, event.replaced_by))

    def done(self, line: int, life: Life) -> None:
        """A result says that it ends here."""
        self.over(line, life, "done")

    def over(self, line: int, life: Life, how: str) -> None:
        """It runs no more; its pending rows still write."""
        home = life.home
        if home is not None and home.owner is life.holder:
            home.note(line, None, f"{life.name} is over; its working slot", f"holds {home.holds()}")
        life.over = "done" if how == "done" else "left"
        life.over_line = line
        del self.running[life.name]
        self.ended[life.name] = life
        if len(self.ended) > REMEMBERED:
            for name, old in list(self.ended.items())[: len(self.ended) - REMEMBERED]:
                if not old.owned and not old.out:
                    del self.ended[name]

    def end(self, line: int, event: End) -> None:
        """This life is over: what it still owns then has leaked."""
        life = self.named(event.r)
        if life is None and not self._header.is_whole:
            return
        if life is None:
            raise self.error(line, f"request {event.r} ends, and there is no such request")
        if not life.over:
            self.over(line, life, "done" if event.why == "finish" else "left")
        if {"takes", "frees", "ends"} <= set(self._header.knows):
            unshown = self._taken.pop(life.name, None)
            for owner in (life, *([unshown] if unshown is not None else [])):
                for number in sorted(owner.owned):
                    self._table.leak(line, owner, number)
        newest = life.newest
        if newest is not None and life.over == "done" and event.why == "finish":
            text = (
                f"{life.name} finished with a completed checkpoint of {newest.length} tokens in slot "
                f"{newest.slot}, and published nothing that long (right only if its output was cut shorter)"
            )
            problem = Problem("lost", "checkpoint-not-lost", text, rules.id_of(newest.slot))
            self.report(life.over_line, life, [problem])
        for scope in ("launch", "process", "flip", "apart"):
            self._book.sync(life.over_line, life.name, life.opened, scope, [])
        life.hush()

    def revive(self, line: int, event: str, name: str) -> Life:
        """A row of a request that isn't running: if it is over and its slots are gone, they have two owners."""
        life = self.ended.pop(name, None)
        if life is None:
            raise self.error(line, f"request {name} isn't running")
        for number in life.in_use():
            slot = self._table.at(number)
            if slot is not None:
                self._table.heal_leak(line, slot)
        taken = [self._table.reclaim(line, event, life, number) for number in sorted(life.in_use())]
        if not any(taken):
            text = f"a row for {name}, which was over at line {life.over_line}"
            self.report(line, life, [Problem("late", rules.ODD, text)])
        life.over, life.leaving = "", False
        self.running[name] = life
        return life

    def sync(self, line: int, life: Life, scope: str, problems: list[Problem]) -> None:
        """Open what `problems` brings, heal what it no longer has; `scope` is the beginning of the keys concerned."""
        if problems or life.opened:
            self._book.sync(line, life.name, life.opened, scope, problems)
        life.hush()

    def report(self, line: int, life: Life, problems: Iterable[Problem]) -> None:
        """Hazards of one moment, which nothing can heal."""
        for problem in problems:
            self._book.open(line, life.name, problem)

    def check_ring(self, line: int, ring: Ring) -> None:
        """BadTrace unless the ring has as many positions as the header says."""
        if self._positions and len(ring) != self._positions:
            raise self.error(line, f"a ring of {len(ring)} positions, and the header says {self._positions}")
