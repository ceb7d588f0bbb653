"""Who owns a slot, what it holds, and the violations: the half of the judge that can make a trace bad.

A slot's owner is a request, the cache, or nobody. Every method takes the line number of the event first.
"""

from __future__ import annotations

from collections import deque

from checker.traces.format import BadTrace, Header
from checker.traces.request import TraceBatch, TraceRequest
from checker.traces.slot_history import Slot, Value, Write
from checker.traces.verdict import Hazards, HistoryEntry, Problem, Violation, Violations


class SlotTable:
    """The slots of one trace. `batches`: the launched, unprocessed ones, shared with the judge that fills it."""

    def __init__(self, header: Header, path: str, hazards: Hazards, batches: deque[TraceBatch]) -> None:
        self.violations = Violations()
        self.processed = -1  # batches up to this one have certainly run
        self._header = header
        self._path = path
        self._hazards = hazards
        self._batches = batches
        self._slots: dict[int, Slot] = {}

    def at(self, line: int, number: int) -> Slot:
        """The slot with that id; BadTrace if the header has no such slot."""
        slot = self._slots.get(number)
        if slot is None:
            first = self._header.first_slot
            if not first <= number < first + self._header.slots:
                last = first + self._header.slots - 1
                raise BadTrace(self._path, line, f"there is no slot {number}: the header has {first} to {last}")
            slot = self._slots[number] = Slot(number)
        slot.settle(self.processed)
        return slot

    def take(self, line: int, event: str, request: TraceRequest, number: int, role: str) -> None:
        """The request gets a slot (`role`: for what); anything but a free one then has two owners."""
        slot = self.at(line, number)
        root = None
        if slot.owner is not None or slot.cached:
            message = f"{request.name} takes slot {number} as its {role}, which belongs to {owner_words(slot)}"
            root = self._bad(line, event, request, slot, slot.label, "one-owner", message)
        slot.note(line, None, f"{request.name} takes it as its {role}")
        slot.owner, slot.cached, slot.label, slot.key, slot.bad, slot.worker = request, False, None, None, root, None

    def twice(self, line: int, event: str, request: TraceRequest, number: int) -> None:
        """Two ring positions of one request hold the same slot."""
        slot = self.at(line, number)
        message = f"two positions of {request.name}'s ring hold slot {number}"
        slot.bad = self._bad(line, event, request, slot, None, "one-owner", message)

    def comes_back(self, line: int, number: int) -> bool:
        """A slot in transit is in the ring again; returns whether there was a reason for it."""
        slot = self.at(line, number)
        excused, slot.excused = slot.excused, False
        self.heal_leak(line, slot)
        return excused

    def excuse(self, line: int, numbers: set[int]) -> None:
        """It has been told, or explained, that these slots left the ring: they may come back."""
        for number in numbers:
            self.at(line, number).excused = True

    def hold_working(self, line: int, request: TraceRequest) -> None:
        """From now on the working slot's content is what the request's own rows say."""
        if request.working is not None:
            self.at(line, request.working).worker = request

    def retire(self, line: int, request: TraceRequest) -> None:
        """The request is over: write its working slot's content down, pending rows included."""
        if request.working is None:
            return
        slot = self.at(line, request.working)
        if slot.worker is request:
            slot.pending += self._steps(slot)
            slot.worker = None
            slot.note(line, None, f"{request.name} is over; its working slot", f"holds {slot.holds([])}")

    def free(self, line: int, number: int) -> TraceRequest | None:
        """Give a slot back. Returns the running request that was still using it, if there is one."""
        slot = self.at(line, number)
        owner = slot.owner
        using = None
        if owner is None:
            message = f"slot {number} is freed, and belongs to {owner_words(slot)}"
            self._bad(line, "free", None, slot, slot.label, "one-owner", message)
        elif owner.over is None and number not in owner.transit:
            if slot.bad is not None:
                slot.note(line, None, f"freed, while {owner.name} uses it")
                return None
            using = owner
        self._release(line, slot, "freed")
        return using

    def evict(self, line: int, number: int) -> None:
        """The cache gives a slot up."""
        slot = self.at(line, number)
        if not slot.cached:
            message = f"slot {number} is evicted, and belongs to {owner_words(slot)}"
            self._bad(line, "evict", slot.owner, slot, None, "one-owner", message)
        self._release(line, slot, "evicted")

    def publish(self, line: int, request: TraceRequest, number: int, length: int) -> None:
        """The slot goes to the cache under `length` tokens of the request."""
        slot = self.at(line, number)
        root, message = None, ""
        if slot.cached or slot.owner is not request:
            message = f"{request.name} publishes slot {number}, which belongs to {owner_words(slot)}"
        elif request.over is None and number not in request.transit:
            message = f"{request.name} publishes slot {number} and goes on using it"
        if message:
            root = self._bad(line, "publish", request, slot, length, "one-owner", message)
        else:
            root = self._publish_content(line, request, slot, length)
        slot.note(line, None, f"{request.name} publishes it as the state after {length} tokens")
        self.heal_leak(line, slot)
        slot.owner, slot.cached, slot.key, slot.label, slot.bad, slot.worker = None, True, request, length, root, None

    def _publish_content(self, line: int, request: TraceRequest, slot: Slot, length: int) -> int | None:
        """Exactly `length` tokens must be what the slot has or is still to receive; else the line of the first cause.

        A write of something else on the way there counts too, as in no-inflight-target: whether a reader comes before
        or after it is not for the slot's new owner to hope for.
        """
        writes = [*slot.pending, *self._steps(slot)]
        values = [write.value for write in writes]
        if slot.certain is not None:
            values.insert(0, slot.certain)
        right = Value(request, length, None)
        strange = [write for write in writes if write.value != right]
        if values and values[-1] == right and not strange:
            return slot.bad
        name = f"{request.name}'s state after {length} tokens"
        root = slot.bad
        if not values:
            kind, text = "written-before-donated", "no launched batch was ever told to write that slot"
        elif right in values:
            kind = "no-inflight-target"
            text = f"b{strange[-1].batch}, launched at line {strange[-1].line}, writes something else into it"
        else:
            kind, text = "exact-label", f"what it ends up with is {values[-1].words()}"
            root = values[-1].root if root is None and values[-1][:2] == right[:2] else root
            root = None if root is not None and root < 0 else root
        message = f"{request.name} publishes slot {slot.id} as {name}, but {text}{self._elsewhere(right, slot)}"
        for hazard in request.opened.values():
            hazard.harmful_at = line
        return self._bad(line, "publish", request, slot, length, kind, message, root)

    def _elsewhere(self, value: Value, published: Slot) -> str:
        """Where that state really is, if some other slot certainly holds it."""
        for slot in self._slots.values():
            if slot is published:
                continue
            slot.settle(self.processed)
            if slot.certain == value and slot.id != value.request.working:
                return f" (slot {slot.id} holds that state)"
        return ""

    def keep(self, line: int, request: TraceRequest, number: int, length: int) -> None:
        """A publication that wasn't stored: the slot stays with its owner, which must be this request."""
        slot = self.at(line, number)
        if slot.owner is not request:
            text = f"slot {number} is said to stay with {request.name}, and belongs to {owner_words(slot)}"
            self._hazards.open(line, request.name, Problem("keep", "inconsistent-record", text, number))
        slot.excused = True
        slot.note(line, None, f"not stored: {length} tokens of {request.name} are cached already")

    def hit(self, line: int, batch: int, request: TraceRequest, number: int, prefix: int) -> None:
        """The request starts from a copy of a slot, as the state of `prefix` tokens."""
        slot = self.at(line, number)
        root, message = None, ""
        if slot.bad is not None and slot.cached:
            message, root = "which is wrong", slot.bad
        elif not slot.cached:
            message = f"which isn't in the cache: it belongs to {owner_words(slot)}"
        elif slot.label != prefix:
            message = f"which is cached under {slot.label}"
        if message:
            message = f"{request.name} copies slot {number} as the state of {prefix} tokens, {message}"
            request.taint = self._bad(line, "prefill", request, slot, prefix, "exact-label", message, root)
        slot.note(line, batch, f"launch b{batch}: {request.name} copies it as the state of {prefix} tokens")

    def write(
        self, line: int, event: str, batch: int, request: TraceRequest, number: int, mark: int, passed: bool
    ) -> list[Problem]:
        """A launched row will write a checkpoint into the slot; `passed`: it comes by the mark on its way."""
        slot = self.at(line, number)
        value = Value(request, mark, request.taint if passed or request.taint is not None else -line)
        found = []
        if slot.cached:
            if value != Value(slot.key or request, slot.label or 0, None):
                message = f"b{batch} writes {value.words()} into slot {number}, which belongs to {owner_words(slot)}"
                slot.bad = self._bad(line, event, request, slot, slot.label, "no-inflight-target", message, slot.bad)
        else:
            others = [write.value.request for write in slot.pending if write.value.request is not request]
            others += [slot.worker or request]
            for other in others:
                if other.over is None and (other is not request or slot.worker is request):
                    text = f"b{batch} writes {value.words()} into slot {number}, which {other.name}'s rows write too"
                    found.append(Problem("launch:distinct", "distinct-targets", text, number))
        slot.pending.append(Write(batch, line, value))
        slot.note(line, batch, f"launch b{batch}: told to write {value.words()}")
        return found

    def ran(self, line: int, batch: int, number: int) -> None:
        """The result of a batch that writes the slot has been processed."""
        slot = self.at(line, number)
        holds = slot.certain.words() if slot.certain else "nothing"
        slot.note(line, batch, f"result of b{batch} processed", f"b{batch} has run: {holds}")

    def reclaim(self, line: int, event: str, request: TraceRequest, number: int) -> bool:
        """A request that was over goes on using a slot. True if that slot isn't its own any more."""
        slot = self.at(line, number)
        if slot.owner is request:
            return False
        message = f"{request.name} goes on using slot {number}, which belongs to {owner_words(slot)}"
        root = self._bad(line, event, request, slot, slot.label, "one-owner", message)
        slot.owner, slot.cached, slot.bad = request, False, root
        return True

    def holds_label(self, line: int, request: TraceRequest, number: int, length: int) -> str:
        """Return what the slot holds if that isn't certainly the request's state after `length` tokens, else ""."""
        slot = self.at(line, number)
        value = slot.certain
        if value is not None and value.request is request and value.length == length:
            return ""
        return slot.holds(self._steps(slot))

    def leak(self, line: int, request: TraceRequest, number: int) -> None:
        """Report a slot that its request lets go without freeing or publishing it, once."""
        slot = self.at(line, number)
        if slot.leak is None and slot.owner is request:
            text = f"{request.name} let go of slot {number} without freeing or publishing it"
            slot.leak = self._hazards.open(line, request.name, Problem("leak", "release-all", text, number))

    def heal_leak(self, line: int, slot: Slot) -> None:
        """The slot has an owner again, or is free."""
        if slot.leak is not None:
            slot.leak.healed_at = line
            slot.leak = None
        slot.excused = False
        if slot.owner is not None:
            slot.owner.transit.discard(slot.id)

    def _release(self, line: int, slot: Slot, how: str) -> None:
        self.heal_leak(line, slot)
        slot.note(line, None, how)
        slot.owner, slot.cached, slot.label, slot.key, slot.bad, slot.worker = None, False, None, None, None, None

    def _steps(self, slot: Slot) -> list[Write]:
        """The pending writes of the running request whose working slot this is."""
        worker = slot.worker
        if worker is None:
            return []
        return [
            Write(batch.b, batch.line, Value(worker, row.len, worker.taint))
            for batch in self._batches
            for row, request in zip(batch.rows, batch.requests, strict=False)
            if request is worker
        ]

    def _bad(
        self,
        line: int,
        event: str,
        request: TraceRequest | None,
        slot: Slot,
        label: int | None,
        kind: str,
        message: str,
        root: int | None = None,
    ) -> int:  # fmt: skip
        """Add a violation; returns the line of its first cause, which is `root` if it follows from another one."""
        root = slot.bad if root is None else root
        holds = slot.holds(self._steps(slot))
        story: list[HistoryEntry] = slot.story() if root is None and len(self.violations.kept) < 100 else []
        name = None if request is None else request.name
        return self.violations.add(Violation(line, event, name, slot.id, label, kind, holds, message, root, story))


def owner_words(slot: Slot) -> str:
    """Who owns the slot, for a person."""
    if slot.cached:
        return f"the cache ({slot.key.name if slot.key else '?'}, {slot.label} tokens)"
    if slot.owner is None:
        return "nobody (it is free)"
    if slot.owner.over is None:
        return slot.owner.name
    return f"{slot.owner.name}, which was over at line {slot.owner.over_line}"
