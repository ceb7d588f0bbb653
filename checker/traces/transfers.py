"""Transfers between the device and host memory or another process: both ends are pinned until it ends."""

from __future__ import annotations

from checker.traces.format import Header, Id, Saved, Transfer
from checker.traces.slots import COPIES, Key, Owner, Pin, Slot, Write
from checker.traces.table import SlotTable
from checker.traces.verdict import Problem


class Transfers(SlotTable):
    """Follows transfers."""

    def __init__(self, header: Header, path: str) -> None:
        super().__init__(header, path)
        self.pins: dict[str | int, Pin] = {}
        self.hosts: dict[Id, Write] = {}
        """What lies in a place on the host, as far as a transfer has brought it there."""
        self._places: dict[Id, Pin] = {}
        """The pins by their place on the host."""

    def wait(self, names: tuple[str | int, ...]) -> None:
        """A batch waits for transfers; for one that has not been submitted it is no wait."""
        for name in names:
            pin = self.pins.get(name)
            if pin is not None and pin.submitted:
                pin.awaited = True

    def transfer(self, event: Transfer) -> None:
        """One step of a transfer."""
        slot, pin = self.at(event.slot), self.pins.get(event.t)
        if event.op == "queue":
            self._queue(event, slot)
            return
        if pin is None:
            # It was queued before the recording began, or never.
            self._odd(f"transfer {event.t} was never queued", event.slot)
            pin = self._queue(event, slot)
        elif (pin.slot, pin.host) != (event.slot, event.host):
            self._odd(f"transfer {event.t} was queued for slot {pin.slot} and place {pin.host} on the host", event.slot)
            slot = self.at(pin.slot)
        if slot is None or pin is None:
            return
        if event.op == "submit":
            self._submit(event, pin, slot)
        else:
            self._unpin(event, pin, slot)

    def _odd(self, text: str, number: Id) -> None:
        self.hazard(None, Problem("transfer", "inconsistent-record", text, number))

    def _queue(self, event: Transfer, slot: Slot | None) -> Pin | None:
        if slot is None:
            self.impossible(None, event.slot, f"transfer {event.t} uses")
            return None
        message, twin = "", self._places.get(event.host)
        if slot.pin is not None:
            message = f"is pinned by {slot.pin.name}"
        elif twin is not None:
            message = f"goes with a place on the host that is pinned by {twin.name}"
        elif event.t in self.pins:
            message = "is not the one that another transfer of that name, which has not ended, uses"
        elif slot.owner is None and slot.named and "takes" in self.knows:
            message = "belongs to nobody (it is free)"
        if message:
            text = f"transfer {event.t} uses slot {slot.id}, which {message}"
            self.bad("one-owner", text, slot, None, event.len)
        pin = slot.pin = self.pins[event.t] = self._places[event.host] = Pin(event)
        slot.note(self.line, None, f"queued as transfer {event.t}")
        return pin

    def _submit(self, event: Transfer, pin: Pin, slot: Slot) -> None:
        """The other stream begins behind the batch that it waits for, and reads or writes the slot."""
        pin.submitted = True
        after = max(self.processed, event.after if isinstance(event.after, int) else -1)
        later = [pending for pending in slot.pending if pending.batch > after]
        earlier = [pending for pending in slot.pending if pending.batch <= after]
        content, message, root = earlier[-1] if earlier else slot.certain, "", slot.bad
        if later:
            message = f"which b{later[0].batch}, launched at line {later[0].line}, may be writing"
        elif pin.loads:
            found, owner = self.hosts.get(pin.host), slot.owner
            if found is not None and found.length != pin.len:
                message = f"from host {pin.host}, which holds {found.length} tokens"
            holder: Owner | None = owner.life if isinstance(owner, Key) else owner
            if found is not None and found.life is not None:
                holder = found.life
            if holder is self.nobody:
                holder = None
            slot.pending.clear()
            slot.fill(Write(after, self.line, holder, pin.len, found.root if found else None, pin.len, COPIES))
        elif slot.bad is not None:
            message = "which is wrong"
        elif slot.is_known and not (content is not None and content.least == content.length == pin.len):
            message = f"which holds {slot.holds()}"
        if message:
            verb = "loads" if pin.loads else "reads"
            text = f"transfer {event.t} {verb} slot {slot.id} as the state of {pin.len} tokens, {message}"
            root = self.bad("exact-label", text, slot, None, pin.len)
        if not pin.loads:
            author = content.life if content is not None else None
            self.hosts[pin.host] = Write(after, self.line, author, pin.len, root, pin.len)

    def _unpin(self, event: Transfer, pin: Pin, slot: Slot) -> None:
        """Both ends are free of it again."""
        del self.pins[event.t]
        self._places.pop(pin.host, None)
        slot.pin = None
        slot.note(self.line, None, f"transfer {event.t} {'has ended' if event.op == 'ack' else 'is aborted'}")
        if event.op == "ack" or not pin.submitted:
            return
        # What was begun and not ended has left something that nobody knows at its other end.
        if not pin.loads:
            self.hosts.pop(pin.host, None)
            return
        slot.certain = slot.promised = None
        if slot.key is not None:
            message = f"slot {slot.id} is cached under {slot.label} tokens, and its load was aborted"
            slot.bad = self.bad("exact-label", message, slot, None, slot.label)

    def _saved(self, name: str, saved: Saved) -> None:
        """A request that was retracted takes a place of host memory to hold its state."""
        found = self.hosts.get(saved.host)
        if found is not None and found.length != saved.len:
            text = f"{name} is saved as {saved.len} tokens in host {saved.host}, which holds {found.length}"
            self.bad("exact-label", text, None, None, saved.len, found.root)
