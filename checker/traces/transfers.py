"""Transfers between the device and host memory or another process: both ends are pinned until it ends."""

from __future__ import annotations

from checker.traces.book import Book
from checker.traces.format import Id, Saved, Transfer
from checker.traces.lives import Life
from checker.traces.owners import Owner, Pin
from checker.traces.slots import COPIES, Content, Slot
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem, Violation


class Transfers:
    """Follows transfers; shares the slots with the judge."""

    def __init__(self, table: SlotTable, book: Book) -> None:
        self._table = table
        self._book = book
        self._pins: dict[str | int, Pin] = {}
        self._places: dict[Id, Pin] = {}
        """The pins by their place on the host."""
        self._hosts: dict[Id, tuple[Owner | None, int, int | None]] = {}

    def wait(self, names: tuple[str | int, ...]) -> None:
        """A batch waits for transfers; for one that has not been submitted it is no wait."""
        for name in names:
            pin = self._pins.get(name)
            if pin is not None and pin.submitted:
                pin.awaited = True

    def follow(self, line: int, event: Transfer) -> None:
        """One step of a transfer."""
        slot = self._table.at(event.slot)
        if slot is None:
            if event.op == "queue":
                self._table.impossible(line, "transfer", None, event.slot, f"transfer {event.t} uses")
            return
        if event.op == "queue":
            self._queue(line, event, slot)
            return
        pin = self._pins.get(event.t)
        if pin is None:
            text = f"transfer {event.t} was never queued"
            self._book.open(line, None, Problem("transfer", "inconsistent-record", text, slot.id))
            if event.op == "submit":
                self._queue(line, event, slot)
                self._submit(line, event, self._pins[event.t], slot)
            return
        if (pin.slot, pin.host) != (event.slot, event.host):
            text = f"transfer {event.t} was queued for slot {pin.slot} and place {pin.host} on the host"
            self._book.open(line, None, Problem("transfer", "inconsistent-record", text, slot.id))
            slot = self._table.at(pin.slot) or slot
        if event.op == "submit":
            self._submit(line, event, pin, slot)
        else:
            self._end(line, event, pin, slot)

    def _queue(self, line: int, event: Transfer, slot: Slot) -> None:
        message = ""
        twin = self._places.get(event.host)
        if slot.pin is not None:
            message = f"is pinned by {slot.pin.name}"
        elif twin is not None:
            message = f"goes with a place on the host that is pinned by {twin.name}"
        elif event.t in self._pins:
            message = "is not the one that another transfer of that name, which has not ended, uses"
        elif slot.owner is None and not slot.cached and slot.named and self._table.knows_takes:
            message = "belongs to nobody (it is free)"
        if message:
            text = f"transfer {event.t} uses slot {slot.id}, which {message}"
            self._table.bad(line, "transfer", None, slot, event.len, "one-owner", text)
        slot.pin = self._pins[event.t] = self._places[event.host] = Pin(event)
        slot.note(line, None, f"queued as transfer {event.t}")

    def _submit(self, line: int, event: Transfer, pin: Pin, slot: Slot) -> None:
        """The other stream begins behind the batch that it waits for, and reads or writes the slot."""
        pin.submitted = True
        after = max(self._table.processed, event.after if isinstance(event.after, int) else -1)
        later = [pending for pending in slot.pending if pending.batch > after]
        earlier = [pending for pending in slot.pending if pending.batch <= after]
        content = earlier[-1] if earlier else slot.certain
        message = ""
        if later:
            message = f"which b{later[0].batch}, launched at line {later[0].line}, may be writing"
        elif pin.loads:
            life, length, root = self._hosts.get(pin.host, (None, pin.len, None))
            if length != pin.len:
                message = f"from host {pin.host}, which holds {length} tokens"
            holder = life or (slot.owner if isinstance(slot.owner, Life) else slot.key)
            slot.certain = slot.promised = Content(after, line, holder, pin.len, root, pin.len, COPIES)
            slot.opaque = holder is None
            slot.pending.clear()
        elif slot.bad is not None:
            message = "which is wrong"
        elif not slot.opaque and slot.named and not (content and content.least == content.length == pin.len):
            message = f"which holds {slot.holds()}"
        root = slot.bad
        if message:
            verb = "loads" if pin.loads else "reads"
            text = f"transfer {event.t} {verb} slot {slot.id} as the state of {pin.len} tokens, {message}"
            root = self._table.bad(line, "transfer", None, slot, pin.len, "exact-label", text, slot.bad)
        if not pin.loads:
            self._hosts[pin.host] = (content.life if content is not None else None, pin.len, root)

    def saved(self, line: int, name: str, saved: Saved) -> None:
        """A request that was retracted takes a place of host memory to hold its state."""
        _, length, root = self._hosts.get(saved.host, (None, saved.len, None))
        if length != saved.len:
            text = f"{name} is saved as {saved.len} tokens in host {saved.host}, which holds {length}"
            self._book.add(Violation(line, "end", name, None, saved.len, "exact-label", f"{length} tokens", text, root))

    def _end(self, line: int, event: Transfer, pin: Pin, slot: Slot) -> None:
        """Both ends are free of it again."""
        del self._pins[event.t]
        self._places.pop(pin.host, None)
        slot.pin = None
        slot.note(line, None, f"transfer {event.t} {'has ended' if event.op == 'ack' else 'is aborted'}")
        if event.op == "ack" or not pin.submitted:
            return
        # What was begun and not ended has left something that nobody knows at its other end.
        if not pin.loads:
            self._hosts.pop(pin.host, None)
            return
        slot.certain = slot.promised = None
        if slot.cached:
            message = f"slot {slot.id} is cached under {slot.label} tokens, and its load was aborted"
            slot.bad = self._table.bad(line, "transfer", None, slot, slot.label, "exact-label", message)
