"""Sessions of the toy engine: a turn's record becomes the session's, and the next turn borrows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.toy_parts import Line, ToyRequest, ToyRow, ToySession

if TYPE_CHECKING:
    from tests.support.toy_engine import ToyEngine as Engine
else:
    Engine = object


class Sessions(Engine):
    """Opening, turns, closing."""

    def maybe_open(self, request: ToyRequest) -> None:
        """Some requests are the first turn of a session."""
        if not self.settings.sessions or self.chance(0.4):
            return
        idle = [session for session in self.sessions if not session.busy and session.record is None]
        session = self.rng.choice(idle) if idle else ToySession(f"S{self.serial}")
        if not idle:
            self.sessions.append(session)
            self.say("session", op="open", s=session.name)
        session.busy, request.session = True, session
        if self.chance(0.5):
            self.hand_over(request)

    def hand_over(self, request: ToyRequest) -> None:
        """The request's record becomes the session's; the request goes on with it."""
        if not request.lent and request.session is not None and request.working is not None:
            request.lent = True
            self.say("session", op="take", s=request.session.name, r=request.name, **self.named(request))

    def named(self, request: ToyRequest) -> Line:
        """The record in full."""
        record: Line = {"working": request.working, "ring": list(request.ring)}
        if self.settings.mode != "none":
            record |= {"next": request.next, "last": request.last, "last_len": request.label}
        return record

    def end_turn(self, request: ToyRequest, row: ToyRow) -> None:
        """Rows may be pending: the working state covers them, and what they claimed is of no use."""
        session, settings = request.session, self.settings
        assert session is not None
        spare = [slot for pos, slot in enumerate(request.ring) if slot is not None and pos != request.last]
        if settings.mode == "eager" and request.claims():
            request.next = (request.last + 1) % settings.ring
        elif settings.mode == "lazy":
            request.ring = [slot if pos == request.last else None for pos, slot in enumerate(request.ring)]
            request.next = request.last
        elif settings.mode == "none":
            spare, request.ring = request.slots()[: len(request.ring)], []
        if settings.mode != "none":
            slot = request.ring[request.last]
            late = request.label is not None and request.label > request.committed
            if late or (request.label is not None and not self.gate(request, slot)):
                request.label = None
        if settings.mode != "eager":
            self.release(spare)
        self.hand_over(request)
        covers = request.len if request.exact and request.len <= request.committed + 1 else None
        record = self.named(request) | {"covers": covers}
        if self.wrong("covers-one-more", covers is not None):
            record["covers"] = (covers or 0) + 1
        if self.wrong("session-other-slot", record.get("last_len") is not None and settings.mode == "eager"):
            record["last"] = (request.last + 1) % settings.ring
        self.say("session", op="end", s=session.name, r=request.name, **record)
        session.record, session.text, session.busy = record, request.text, False
        session.turns += 1
        self.forget(request)
        self.say("end", r=request.name, why="finish")

    def abort_turn(self, request: ToyRequest) -> None:
        """Everything of the record goes back; the session owns nothing until its next first turn."""
        session = request.session
        assert session is not None
        self.release(request.slots())
        self.say("session", op="abort", s=session.name, r=request.name, working=None, ring=[None] * len(request.ring))
        session.record, session.busy = None, False
        self.forget(request)
        self.say("end", r=request.name, why="abort")

    def session_step(self) -> None:
        """An idle session that owns something gets its next turn, or is closed."""
        idle = [session for session in self.sessions if session.record is not None]
        if not idle:
            return
        session = self.rng.choice(idle)
        if self.chance(0.15):
            assert session.record is not None
            self.release([slot for slot in [session.record["working"], *session.record["ring"]] if slot is not None])
            self.say("session", op="close", s=session.name)
            session.record = None
            self.sessions.remove(session)
        elif len(self.requests) < self.settings.running:
            self.turn(session)

    def turn(self, session: ToySession) -> None:
        """The next turn, from the working state, from the checkpoint, or from nothing."""
        record = session.record
        assert record is not None
        name = f"{session.name}-{session.turns}-{self.batch}-{len(self.lines)}"
        request = ToyRequest(name, [(name, 0)], 0, 0, working=record["working"], ring=list(record["ring"]), lent=True)
        request.next, request.last = record.get("next", 0), record.get("last", 0)
        request.label, request.session = record.get("last_len"), session
        choices = [0]
        choices += [record["covers"]] * 4 if record["covers"] is not None else []
        choices += [request.label] * 2 if request.label is not None else []
        start = self.rng.choice(choices)
        if start == 0:
            request.label, request.clear = None, self.settings.clears and self.settings.style != "moving"
        else:
            request.text = [*session.text, (name, start)]
            if start != record["covers"]:
                request.source = request.ring[request.last]
        request.len = request.low = request.high = request.committed = start
        if start and self.wrong("resumed-one-off"):
            request.len += 1
        request.prompt = request.len + self.rng.randint(1, 9)
        request.stop = request.prompt + self.rng.randint(1, 9)
        session.record, session.busy = None, True
        self.say("session", op="borrow", s=session.name, r=name)
        self.say("admit", r=name, s=session.name, hit=None)
        self.requests.append(request)
