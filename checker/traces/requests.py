"""The requests of one trace: to come, running, over; their rings and pointers as rows and results show them."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from checker.traces import rules
from checker.traces.format import (
    Admit,
    End,
    Header,
    Hit,
    Id,
    Mark,
    PlainRow,
    PrefillRow,
    Publish,
    ResultRow,
    Ring,
    Row,
    Saved,
    Take,
)
from checker.traces.lives import Claim, Life
from checker.traces.transfers import Transfers
from checker.traces.verdict import HARMFUL_IF, Problem

REMEMBERED = 64
"""Names that have no slot and no row left are remembered up to so many: a late row is told from one of nobody."""


class Requests(Transfers):
    """Follows every request between its rows."""

    def __init__(self, header: Header, path: str) -> None:
        super().__init__(header, path)
        self.lives: dict[str, Life] = {}
        """The newest life of each name."""
        self.admitted = self.running = 0
        self.arrivals: dict[tuple[Life, int], tuple[int, str, int, str]] = {}
        """What results have shown as new, with the line, the event, the ring position and the role."""
        self._positions = 0 if header.ring is UNSET else header.ring
        self._most = REMEMBERED

    def named(self, name: str) -> Life | None:
        """Return the newest life of that name that was admitted."""
        life = self.lives.get(name)
        return life if life is not None and life.admitted else None

    def meant(self, name: str) -> Life:
        """Return the newest life of a name; of one that was never heard of, the life that is to come."""
        return self.lives.get(name) or self.coming(name)

    def coming(self, name: str) -> Life:
        """Return the life of that name that is not over: it runs, or has slots before it is admitted."""
        life = self.lives.get(name)
        if life is None or life.over:
            if len(self.lives) > self._most:
                kept = {name: life for name, life in self.lives.items() if life.runs or life.owned or life.out}
                self.lives, self._most = kept, 2 * len(kept) + REMEMBERED
            life = self.lives[name] = Life(name, self.lives.pop(name, None))
        return life

    def take(self, event: Take) -> None:
        """Slots leave the pool, for somebody with whom they are still to turn up."""
        owner = self.coming(event.r) if isinstance(event.r, str) else self.nobody
        for number in event.slots:
            self.claim(owner, number)

    def admit(self, event: Admit) -> Life:
        """A request may be launched from now on; raises BadTrace where it is running already."""
        life = self.lives.get(event.r)
        if life is not None and life.runs:
            if "ends" in self.knows:
                raise self.error(f"request {event.r} is admitted, and is running already")
            self.over(life, "left")
        life = self._begin(self.coming(event.r), event)
        if isinstance(event.hit, Hit):
            life.text_before = None
            self._hit(life, event.hit)
        life.adopts = event.hit is UNSET and not self.header.is_whole
        if event.working is not UNSET:
            life.home = self.claim(life, event.working, "working slot")
        if isinstance(event.ring, tuple):
            self.check_ring(event.ring)
            self.report(life, *self.adopt(life, event.ring))
        self.report(life, *rules.admitted(self.header, event))
        return life

    def _begin(self, life: Life, event: Admit | Row) -> Life:
        life.admitted, life.epoch = True, event.epoch
        life.hit = event.hit if isinstance(event, Admit) else UNSET
        life.next, life.last = (None if value is UNSET else value for value in (event.next, event.last))
        life.shown, life.base = {"next": event.next, "last": event.last}, life.next
        life.ring = (UNSET,) * self._positions
        self.admitted += isinstance(event, Admit)
        self.running += 1
        return life

    def _hit(self, life: Life, hit: Hit) -> None:
        """The cached state that a request starts from must be there, under its length and of its text."""
        slot = self.at(hit.slot)
        if slot is None:
            self.impossible(life, hit.slot, f"{life.name} hits")
            return
        message = self.unlike(slot, hit.len, hit.len, hit.text)
        if message:
            text = f"{life.name} hits slot {slot.id} as the state of {hit.len} tokens, {message}"
            self.bad("exact-label", text, slot, life, hit.len)
        elif slot.key is not None and slot.key.life is not None:
            life.hit_text = slot.key.life.text

    def begin_unseen(self, row: Row) -> Life:
        """A row of a request that was admitted before the recording began."""
        life = self._begin(self.coming(row.r), row)
        life.started = life.adopts = True
        life.home = self.at(row.writes)
        if isinstance(row.ring, tuple) and len(row.ring) == self._positions:
            life.ring = row.ring
        if life.home is not None and not life.home.named:
            life.home.give_to(life)
            life.home.opaque = True
        self.unknown["a request that was there before the recording began"] += 1
        return life

    def arrive(self) -> None:
        """A result is over, with all that it freed and took: what it showed as new in a ring must have been taken."""
        arrivals, self.arrivals = self.arrivals, {}
        for (life, number), (line, event, position, role) in arrivals.items():
            if not life.over and (position < 0 or (position < len(life.ring) and life.ring[position] == number)):
                self.line, self.event = line, event
                self.claim(life, number, role)

    def adopt(self, life: Life, ring: Ring) -> list[Problem]:
        """Take over the ring that a line shows: new slots are taken, old ones in transit until freed or published.

        Nothing takes a slot out of the ring at preparation, and one that left comes back only if the cache didn't
        want it.
        """
        found: list[Problem] = []
        life.shown["ring"] = ring
        transit, result = life.holder.transit, self.event == "process"
        if ring == life.ring and not transit:
            return found
        # Where the header does not say how long a ring is, the lines do.
        old, waiting = life.ring + (UNSET,) * (len(ring) - len(life.ring)), {*transit}
        if ring != old:
            held = {number for number in old if isinstance(number, int) and number in life.holder.owned}
            gone = held - {*ring}
            if gone and not result:
                text = f"preparation took slot {min(gone)} out of the ring"
                found.append(Problem("launch:ring", rules.ODD, text, min(gone)))
            transit.update(dict.fromkeys(gone, not result))
            life.ring = ring
            for position, number in enumerate(ring):
                if number is None or number == old[position]:
                    continue
                if number in transit:
                    if not transit.pop(number):
                        text, scope = f"slot {number} left the ring and came back", "process" if result else "launch"
                        found.append(Problem(f"{scope}:ring", rules.ODD, text, number))
                    self.heal_leak(number)
                elif number not in old and result:
                    place = (self.line, "process", position, f"ring position {position}")
                    self.arrivals.setdefault((life, number), place)
                elif number not in old:
                    self.claim(life, number, f"ring position {position}")
            self._held_once(life, ring)
        if "frees" in self.knows:
            self.leak(life.holder, waiting & transit.keys())
        return found

    def _held_once(self, life: Life, ring: Ring) -> None:
        """No two ring positions of a request hold the same slot, nor is one its working slot."""
        named = [number for number in ring if number is not None]
        if life.home is not None:
            named.append(life.home.id)
        for twice in sorted({number for number in named if named.count(number) > 1}):
            slot = self.at(twice)
            if slot is not None:
                message = f"{life.name} has slot {twice} twice, in its ring or as its working slot"
                slot.bad = self.bad("one-owner", message, slot, life)

    def _keeps(self, life: Life, row: Row | ResultRow, ring: tuple[Id | UnsetType, ...]) -> None:
        """A ring is shown after slots of it were freed, published or taken: what it still has of them has two owners.

        What another row of the same line has taken shows with the next one: inside of a line there is no order.
        """
        if not 0 < life.stale < self.line or not life.shows_ring(row):
            return
        life.stale = 0
        for position, number in enumerate(ring):
            slot = self.at(number)
            if slot is not None and slot.owner is not life.holder and slot.bad is None:
                self.claim(life, slot.id, f"ring position {position}")

    def prepared(self, life: Life, row: Row) -> list[Problem]:
        """The ring and the pointers that a launched row shows."""
        ring = row.ring if isinstance(row.ring, tuple) else life.ring
        self._keeps(life, row, ring)
        if self.header.ring is UNSET or (row.ring is UNSET and row.next is UNSET and row.last is UNSET):
            return []
        if isinstance(row.ring, tuple):
            self.check_ring(row.ring)
        problems = list(rules.launch_pointers(self.header, life, row, ring))
        if isinstance(row.ring, tuple):
            problems += self.adopt(life, row.ring)
        return [*problems, *rules.slots_held(self.header, life, ring)]

    def marked(self, life: Life, row: PlainRow, mark: Mark, b: int) -> int | UnsetType:
        """A row writes a checkpoint; returns its ring position: as the row says it, else where its slot is."""
        pos = mark.pos if mark.pos is not UNSET else row.pos
        if pos is UNSET and mark.slot in life.ring:
            pos = life.ring.index(mark.slot)
        expected = life.expected_position() if self._positions else None
        astray = pos is not UNSET and expected is not None and pos != expected
        life.claim(Claim(b, self.line, mark.len, mark.slot, pos, isinstance(row, PrefillRow), astray))
        if life.newest is not None and life.newest.slot == mark.slot and self.header.mode == "lazy":
            life.newest = None  # An in-place claim gives the old checkpoint up, and says so by its label.
        return pos

    def after_launch(self, life: Life, row: Row, problems: list[Problem], written_at: int | UnsetType | None) -> None:
        """Follow the pointers that a row shows, and report what is odd about it."""
        next_, last = life.tell(row, "next"), life.tell(row, "last")
        if isinstance(row, PrefillRow) and isinstance(last, int):
            # Some designs move the consumer position of a prefill when it is prepared.
            if life.last is None or any(mark.pos == last for mark in row.marks):
                life.last = last
        self._advance(life, next_, written_at)
        self.sync(life, "launch", problems)
        self._flip(life, next_)
        life.hush()

    def after_result(self, life: Life, claim: Claim | None, row: ResultRow, problems: list[Problem]) -> None:
        """Pointers, label and ring after a result; `claim` is the row's own, `problems` what was found so far."""
        next_, last, label = (life.tell(row, name) for name in ("next", "last", "last_len"))
        if not self._positions and not isinstance(row.ring, tuple):
            self.sync(life, "process", problems)
            life.hush()
            return
        ring = row.ring if isinstance(row.ring, tuple) else life.ring
        self._keeps(life, row, ring)
        labels = rules.explained_labels(self.header, life, claim, ring)
        problems += rules.result_pointers(self.header, life, claim, row, labels)
        back = []
        if isinstance(row.ring, tuple):
            self.check_ring(row.ring)
            back = self.adopt(life, row.ring)
        self._advance(life, next_)
        if isinstance(last, int) or (last is UNSET and claim is not None):
            if claim is not None and claim.pos is not UNSET:
                life.last = claim.pos
            elif life.last is None and isinstance(last, int):
                life.last = last
            explained = claim.length if claim is not None else life.label
            life.label = label if label is not UNSET and label in labels else explained
        kept = self.at(ring[last]) if isinstance(last, int) and last < len(ring) else None
        problems += [*rules.label_holds(life, label, last, ring, kept), *back]
        self.sync(life, "process", problems)
        self._flip(life, next_)
        self._apart(life, label if isinstance(last, int) and last < len(ring) else None, last, ring)
        life.hush()

    def _advance(self, life: Life, next_: rules.Pointer, lazy_to: int | UnsetType | None = None) -> None:
        """Follow the producer position: as seen in eager mode, as the rows explain it in lazy mode."""
        if life.next is None:
            life.next = life.base = None if next_ is UNSET else next_
        elif self.header.mode == "lazy":
            life.next = lazy_to if isinstance(lazy_to, int) else life.next
        elif isinstance(next_, int) and self._positions:
            life.advances += (next_ - life.next) % self._positions
            life.next = next_

    def _flip(self, life: Life, next_: rules.Pointer) -> None:
        """The producer position after a line."""
        # While a row targets the labelled `last`, the wrong flip behind it has been reported already.
        if next_ is UNSET:
            return
        apart = "apart" in life.opened
        problems = [] if apart else rules.flips(self.header, life, next_)
        if not problems and next_ is not None and life.base is not None:
            problems = rules.advances(self.header, life)
            if problems:
                # From here on the count starts anew; after a wrong flip that has been reported it does so in silence.
                life.advances = life.boundaries + (next_ - life.base) % self._positions
                problems = [] if apart or "flip" in life.opened else problems
        self.sync(life, "flip", problems)

    def _apart(self, life: Life, label: rules.Pointer, last: rules.Pointer, ring: tuple[Id | UnsetType, ...]) -> None:
        """After a result: a pending decode row must not target `last` while the label is present."""
        slot = ring[last] if isinstance(last, int) and isinstance(label, int) else None
        claim = None
        if isinstance(slot, int) and life.targets[slot]:
            claim = next((claim for claim in life.claims if claim.slot == slot and not claim.prefill), None)
        if claim is None:
            self.sync(life, "apart", [])
            return
        text = (
            f"b{claim.batch} (line {claim.line}) will write {life.name}@{claim.length} into slot {slot} at position "
            f"{last}, which is `last` and labelled {label}"
        )
        root = life.opened.pop("flip", None)
        if root is None:
            self.sync(life, "apart", [Problem("apart", "ring-apart", text, rules.id_of(slot))])
            life.opened["apart"].line = claim.line
        else:
            # What began as a wrong flip is the same hazard, so it is reported once, at its worst.
            root.explanation = f"{text}; since line {root.line} {root.explanation}"
            root.property, root.line, root.slot = "ring-apart", claim.line, rules.id_of(slot)
            root.harmful_if = HARMFUL_IF["ring-apart"]
            life.opened["apart"] = root

    def replaced(self, life: Life, event: Publish, seen: bool) -> None:
        """A published slot leaves the ring; what the line names in its place must be the request's in the end."""
        if event.slot in life.ring and not isinstance(event.r, str):
            life.stale = self.line
        elif event.slot in life.ring and (event.replaced_by is not UNSET or not (seen or event.shared)):
            life.ring = tuple(event.replaced_by if number == event.slot else number for number in life.ring)
        slot, same = self.at(event.replaced_by), event.replaced_by == event.slot
        if slot is not None and not same and self.waits(slot, life):
            self.claim(life, slot.id, "replacement")
        elif isinstance(event.replaced_by, int) and (slot is None or same or slot.owner is not life.holder):
            place = (self.line, "publish", -1, "replacement")
            self.arrivals.setdefault((life, event.replaced_by), place)

    def over(self, life: Life, how: str) -> None:
        """It runs no more; its pending rows still write."""
        if life.home is not None and life.home.owner is life.holder:
            told = f"{life.name} is over; its working slot"
            life.home.note(self.line, None, told, f"holds {life.home.holds()}")
        life.over, life.quiet = "done" if how == "done" else "left", False
        life.over_line = self.line
        self.running -= life.admitted

    def end(self, event: End) -> None:
        """This life is over: what it still owns then has leaked."""
        life = self.lives.get(event.r)
        if life is None and self.header.is_whole:
            raise self.error(f"request {event.r} ends, and there is no such request")
        if isinstance(event.saved, Saved):
            self._saved(event.r, event.saved)
        if life is None:
            return
        if not life.over:
            self.over(life, "done" if event.why == "finish" else "left")
        if {"takes", "frees", "ends"} <= self.knows:
            self.leak(life, life.owned)
        if life.newest is not None and life.over == "done" and event.why == "finish":
            text = (
                f"{life.name} finished with a completed checkpoint of {life.newest.length} tokens in slot "
                f"{life.newest.slot}, and published nothing that long (right only if its output was cut shorter)"
            )
            problem = Problem("lost", "checkpoint-not-lost", text, rules.id_of(life.newest.slot))
            self.hazard(life.name, problem, life.over_line)
        for scope in ("launch", "process", "flip", "apart"):
            self.sync(life, scope, (), life.over_line)

    def revive(self, name: str) -> Life:
        """A line of a request that isn't running: if it is over, it goes on with what may have become another's."""
        life = self.named(name)
        if life is None:
            raise self.error(f"request {name} isn't running")
        self.report(life, Problem("late", rules.ODD, f"a row for {name}, which was over at line {life.over_line}"))
        self.running += bool(life.over)
        life.over = ""
        for number in sorted(life.in_use()):
            self.heal_leak(number)
            self.claim(life, number, "slot")
        return life

    def check_ring(self, ring: Ring) -> None:
        """BadTrace unless the ring has as many positions as the header says."""
        if self._positions and len(ring) != self._positions:
            raise self.error(f"a ring of {len(ring)} positions, and the header says {self._positions}")
