"""Streaming sessions: a record that moves as one object, and the turns that run on it."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from checker.traces import rules
from checker.traces.format import Admit, Header, Id, Session
from checker.traces.lives import Life
from checker.traces.requests import Requests
from checker.traces.slots import Owner, Slot
from checker.traces.verdict import Problem


@dataclass(eq=False, slots=True)
class OpenSession(Owner):
    """A session: its slots, the text and the pointers that its next turn goes on with, and the turn that has it."""

    home: Slot | None = None
    ring: tuple[Id, ...] = ()
    turn: Life | None = None
    next: int | None = None
    last: int | None = None
    label: int | None = None

    def lose(self, slot: Slot, line: int) -> None:
        """The turn that runs on it may go on using the slot."""
        if self.turn is not None:
            self.turn.lose(slot, line)

    @property
    def is_idle(self) -> bool:
        """Whether no turn runs on it."""
        return self.turn is None or bool(self.turn.over)


class Sessions(Requests):
    """Follows sessions."""

    def __init__(self, header: Header, path: str) -> None:
        super().__init__(header, path)
        self.records: dict[str, OpenSession] = {}

    def admit(self, event: Admit) -> Life:
        """A turn of a session has the session's slots where it has borrowed them."""
        life = super().admit(event)
        record = self.records.get(event.s) if isinstance(event.s, str) else None
        if record is not None and record.turn is life:
            self._lend(record, life)
        return life

    def _lend(self, record: OpenSession, life: Life) -> None:
        life.holder, life.text = record, record.text
        life.home, life.ring = record.home, record.ring or life.ring
        life.next = life.base = record.next
        life.last, life.label = record.last, record.label
        if record.home is not None:
            life.state = record.home.promised
        life.hush()

    def session(self, event: Session) -> None:
        """One step of a session."""
        record, name = self.records.get(event.s), event.r if isinstance(event.r, str) else ""
        if record is None or (event.op == "open" and record.is_idle):
            record = self.records[event.s] = OpenSession(f"session {event.s}")
        turn = None if record.is_idle else record.turn
        if event.op == "close":
            self.leak(record, record.owned)
            del self.records[event.s]
        elif event.op != "open":
            if turn is not None and name not in ("", turn.name) and record.home is not None:
                text = f"{record.name}: {event.op} by {name}, and {turn.name} has it"
                self.bad("one-owner", text, record.home, record)
            life = self.coming(name) if event.op == "borrow" else self.named(name)
            if event.op == "borrow" and life is not None:
                self._borrow(record, life)
                return
            if life is not None and event.op == "take":
                life.holder, record.text, record.turn = record, life.text, life
            elif life is not None:
                life.holder = life
            self._keep(event, record, life)

    def _borrow(self, record: OpenSession, life: Life) -> None:
        if life.started and life.holder is not record:
            text = f"{record.name}: borrow by {life.name}, which runs already on slots of its own"
            self.bad("one-owner", text, record.home, record)
        record.turn, life.holder = life, record
        # The turn is admitted after this line, or was before it.
        if life.admitted:
            self._lend(record, life)

    def _keep(self, event: Session, record: OpenSession, life: Life | None) -> None:
        """The session owns what the line names, in full; idle, its slots must hold what it takes them to stand for."""
        ring = event.ring if isinstance(event.ring, tuple) else ()
        if isinstance(event.ring, tuple):
            self.check_ring(ring)
        for number in (event.working, *ring):
            slot = self.at(number)
            if slot is not None and slot.owner in (life, record):
                slot.give_to(record)
            elif number is not None and number is not UNSET:
                self.claim(record, number, "slot")
        record.home, record.ring = self.at(event.working), ring
        if life is not None:
            record.text = life.text
            life.home, life.ring = (record.home, life.ring) if event.op == "take" else (None, (UNSET,) * len(life.ring))
        record.next, record.last, record.label = (
            value if isinstance(value, int) else None for value in (event.next, event.last, event.last_len)
        )
        if event.op in ("end", "abort"):
            record.turn = None
        if event.op != "end":
            return
        if isinstance(event.covers, int):
            self._stands_for(record, record.home, event.covers, "covers")
        if record.label is not None and record.last is not None and record.last < len(ring):
            kept = self.at(ring[record.last])
            if kept is None:
                self.impossible(record, ring[record.last], f"{record.name} keeps {record.label} tokens in")
            self._stands_for(record, kept, record.label, "keeps, under its label,")
        if life is not None and not life.over:
            text = f"the turn {life.name} of {record.name} ends, and is still running"
            self.report(life, Problem("turn", rules.ODD, text))

    def _stands_for(self, record: OpenSession, slot: Slot | None, length: int, verb: str) -> None:
        """What an idle session's slot is taken to stand for is what it holds when all that was launched has run."""
        found = None if slot is None else self.fault(slot, record.text, length)
        if slot is not None and found is not None and found[0]:
            text = f"{record.name} {verb} {length} tokens in slot {slot.id}, which holds {slot.holds()}"
            slot.bad = self.bad("exact-label", text, slot, record, length, found[2])
