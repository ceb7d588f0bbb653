"""Streaming sessions: a record that moves as one object, and the turns that run on it."""

from __future__ import annotations

from msgspec import UNSET

from checker.traces import rules
from checker.traces.book import Book
from checker.traces.format import Admit, Header, Id, Session
from checker.traces.lives import Life
from checker.traces.owners import Owner
from checker.traces.requests import Requests
from checker.traces.slots import Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem


class Turn(Owner):
    """A session: its slots, and the text and the pointers that its next turn goes on with."""

    __slots__ = ("home", "label", "last", "life", "next", "ring", "text")

    def __init__(self, name: str) -> None:
        super().__init__(f"session {name}")
        self.home: Slot | None = None
        self.ring: tuple[Id, ...] = ()
        self.text: object = self
        self.life: Life | None = None
        self.next: int | None = None
        self.last: int | None = None
        self.label: int | None = None


class Turns:
    """Follows sessions; shares slots, requests and book with the judge."""

    def __init__(self, header: Header, table: SlotTable, requests: Requests, book: Book) -> None:
        self._header = header
        self._table = table
        self._requests = requests
        self._book = book
        self._sessions: dict[str, Turn] = {}

    def admit(self, line: int, life: Life, name: str) -> None:
        """A turn of a session is admitted: it has the session's slots where it has borrowed them."""
        session = self._sessions.get(name)
        if session is None or session.life is None or session.life.name != life.name:
            return
        self._lend(session, life)

    def follow(self, line: int, event: Session) -> None:
        """One step of a session."""
        session = self._sessions.get(event.s)
        if session is None or event.op == "open":
            session = self._sessions[event.s] = Turn(event.s)
        if event.op == "open":
            return
        if event.op == "close":
            for number in sorted(session.owned):
                self._table.leak(line, session, number)
            del self._sessions[event.s]
            return
        life = self._requests.named(event.r) if isinstance(event.r, str) else None
        if event.op == "borrow":
            lent = session.life
            if lent is not None and lent.borrowed is session and not lent.over and lent is not life:
                home = session.home
                if home is not None:
                    text = f"{session.name} is lent to {event.r}, and {lent.name} has it"
                    self._table.bad(line, "session", session, home, None, "one-owner", text)
            # The turn is admitted after this line, or was before it.
            if life is not None and not life.over:
                self._lend(session, life)
            session.life = life if life is not None and not life.over else Life(_turn(event), len(session.ring))
            session.life.borrowed = session
            return
        if event.op == "take" and life is not None:
            life.borrowed, session.text, session.life = session, life.text, life
        elif life is not None:
            life.borrowed = None
        self._record(line, event, session, life)

    def _lend(self, session: Turn, life: Life) -> None:
        life.borrowed, life.text = session, session.text
        session.life = life
        life.home, life.ring = session.home, session.ring or life.ring
        life.next = life.base = session.next
        life.last, life.label = session.last, session.label
        if session.home is not None:
            life.state = session.home.promised
        life.hush()

    def _record(self, line: int, event: Session, session: Turn, life: Life | None) -> None:
        """The session owns what the line names, in full; idle, its slots must hold what it takes them to stand for."""
        named = [event.working if event.working is not UNSET else None]
        if isinstance(event.ring, tuple):
            self._requests.check_ring(line, event.ring)
            named += event.ring
        for number in [number for number in named if number is not None]:
            slot = self._table.at(number)
            if slot is None:
                self._table.impossible(line, "session", session, number, f"{session.name} has")
            elif slot.owner is not session:
                if slot.owner is not life and not self._requests.is_taken_for(life, slot):
                    self._table.take(line, "session", session, number, "slot")
                slot.give_to(session)
        session.home = self._table.at(event.working) if event.working is not UNSET else None
        session.ring = event.ring if isinstance(event.ring, tuple) else ()
        if life is not None:
            session.text = life.text
            life.home, life.ring = (session.home, life.ring) if event.op == "take" else (None, (None,) * len(life.ring))
        session.next = event.next if isinstance(event.next, int) else None
        session.last = event.last if isinstance(event.last, int) else None
        session.label = event.last_len if isinstance(event.last_len, int) else None
        if event.op in ("end", "abort"):
            session.life = None
        if event.op != "end":
            return
        if isinstance(event.covers, int) and session.home is not None:
            self._stands_for(line, session, session.home, event.covers, "covers")
        if session.label is not None and session.last is not None and session.last < len(session.ring):
            kept = self._table.at(session.ring[session.last])
            if kept is not None:
                self._stands_for(line, session, kept, session.label, "keeps, under its label,")
        if life is not None and not life.over:
            text = f"the turn {life.name} of {session.name} ends, and is still running"
            self._book.open(line, life.name, Problem("turn", rules.ODD, text))

    def _stands_for(self, line: int, session: Turn, slot: Slot, length: int, verb: str) -> None:
        """What an idle session's slot is taken to stand for is what it holds when all that was launched has run."""
        promised = slot.promised
        if slot.opaque or (promised is None and not slot.pending and not slot.named):
            return
        if any(content.maybe and self._table.can_happen(content) for content in slot.pending):
            promised = None
        if promised is not None and promised.stands_for(session.text, length):
            return
        root = promised.root if promised is not None and (promised.root or -1) >= 0 else None
        text = f"{session.name} {verb} {length} tokens in slot {slot.id}, which holds {slot.holds()}"
        slot.bad = self._table.bad(line, "session", session, slot, length, "exact-label", text, root)


def _turn(event: Session) -> Admit:
    return Admit(r=event.r if isinstance(event.r, str) else "")
