"""Transfers between the device and host memory or another process: both ends are theirs until they end."""

from __future__ import annotations

from msgspec import UNSET

from checker.traces.book import Book
from checker.traces.format import Id, Transfer
from checker.traces.lives import Life, Owner
from checker.traces.slots import COPIES, Content, Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem


class Move(Owner):
    """A transfer that has not ended; `before`: whose the slot was, with its key."""

    __slots__ = ("bad", "before", "event", "key", "label", "length")

    def __init__(self, event: Transfer, slot: Slot) -> None:
        super().__init__(f"transfer {event.t}")
        self.event = event
        self.before, self.key, self.label, self.bad = (
            slot.owner,
            slot.key if slot.cached else None,
            slot.label,
            slot.bad,
        )
        self.length = event.len


class Transfers:
    """Follows transfers; shares the slots with the judge."""

    def __init__(self, table: SlotTable, book: Book) -> None:
        self._table = table
        self._book = book
        self._moves: dict[str | int, Move] = {}
        self._hosted: dict[Id, tuple[Life | None, int, int | None]] = {}

    def waited_for(self, names: tuple[str | int, ...]) -> frozenset[int]:
        """Return the slots whose transfers a batch waits for."""
        return frozenset(slot for name in names if name in self._moves for slot in self._moves[name].owned)

    def follow(self, line: int, event: Transfer) -> None:
        """One step of a transfer."""
        slot = self._table.at(event.slot)
        if slot is None:
            if event.op == "queue":
                self._table.impossible(line, "transfer", None, event.slot, f"transfer {event.t} uses")
            return
        if event.op == "queue":
            move = self._moves[event.t] = Move(event, slot)
            slot.give_to(move)
            slot.note(line, None, f"queued as transfer {event.t}")
            return
        found = self._moves.get(event.t)
        if found is None:
            text = f"transfer {event.t} was never queued"
            self._book.open(line, None, Problem("transfer", "inconsistent-record", text, slot.id))
            return
        if event.op == "submit" and event.dir in ("d2h", "out"):
            self._reads(line, event, found, slot)
        if event.op in ("ack", "abort"):
            self._ends(line, event, found, slot)

    def _reads(self, line: int, event: Transfer, move: Move, slot: Slot) -> None:
        """The slot's content is read by another stream, behind the batch that the transfer waits for."""
        after = self._table.processed
        if isinstance(event.after, int):
            after = max(after, event.after)
        content = slot.certain
        for pending in slot.pending:
            if pending.batch <= after:
                content = pending
        later = [pending for pending in slot.pending if pending.batch > after]
        message = ""
        if later:
            message = f"which b{later[0].batch}, launched at line {later[0].line}, may be writing"
        elif content is None or content.root is not None or not content.least == content.length == event.len:
            message = f"which holds {slot.holds()}"
        elif move.bad is not None:
            message = "which is wrong"
        root = None
        if message:
            text = f"transfer {event.t} reads slot {slot.id} as the state of {event.len} tokens, {message}"
            root = self._table.bad(line, "transfer", move, slot, event.len, "exact-label", text, move.bad)
        self._hosted[event.host] = (content.life if content is not None else None, event.len, root)

    def _ends(self, line: int, event: Transfer, move: Move, slot: Slot) -> None:
        """Both ends go back to whose they were; what was loaded is in the slot."""
        del self._moves[event.t]
        if event.op == "ack" and event.dir in ("h2d", "in"):
            life, length, root = self._hosted.get(event.host, (None, -1, None))
            if event.dir == "h2d" and length != event.len:
                text = f"transfer {event.t} loads {event.len} tokens from host {event.host}, which holds "
                held = "nothing" if length < 0 else f"{length} tokens"
                root = self._table.bad(line, "transfer", move, slot, event.len, "exact-label", text + held)
            holder = life or (move.before if isinstance(move.before, Life) else move.key)
            content = Content(self._table.processed, line, holder, event.len, root, event.len, COPIES)
            slot.pending.clear()
            slot.certain = slot.promised = content
        slot.give_to(move.before)
        if move.key is not None:
            slot.cached, slot.key, slot.label, slot.bad = True, move.key, move.label, move.bad
        slot.note(line, None, f"transfer {event.t} {'has ended' if event.op == 'ack' else 'is aborted'}")
        if event.op == "ack" and event.dir == "out" and event.after is not UNSET:
            self._hosted.pop(event.host, None)
