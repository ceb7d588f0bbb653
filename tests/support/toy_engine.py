"""A small random control plane that writes what it does in format 2: without a fault each run is a correct one.

`ToyEngine(rng, settings, fault)` decides; `record` (tests/support/toy_recorder.py) is what a recorder makes of it.
A fault is a name; wherever the engine decides what that fault is about, it decides wrongly every second time.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

from tests.support.paths import TESTS
from tests.support.toy_parts import CacheEntry, Line, Settings, ToyRequest, ToyRow, ToySession, digest
from tests.support.toy_rows import Rows
from tests.support.toy_sessions import Sessions
from tests.support.toy_transfers import Transfers

NAIVE = ("flip-missed", "flipped-twice", "label-kept", "may-over-label")
"""Faults of a design that trusts its ring: it asks no gate, and a claim leaves the label that it goes over."""

HARMLESS = ("leak",)
"""Faults that are no bad verdict."""

DURING = ("take", "publish", "free", "evict", "copy", "rekey")


class ToyEngine(Rows, Sessions, Transfers):
    """One run. `lines` are its events, `seen` counts what happened, `injected` the wrong decisions."""

    def __init__(self, rng: Random, settings: Settings, fault: str | None = None) -> None:
        self.rng, self.settings, self.fault = rng, settings, fault
        self.naive = fault in NAIVE
        self.injected = 0
        self.lines: list[Line] = []
        self.free_slots = list(range(settings.first, settings.first + settings.slots))
        self.free_slots = [slot for slot in self.free_slots if slot != 0]
        self.cache: list[CacheEntry] = []
        self.evicted: list[CacheEntry] = []
        self.requests: list[ToyRequest] = []
        self.waiting: list[ToyRequest] = []
        self.sessions: list[ToySession] = []
        self.pending: list[list[ToyRow]] = []
        self.transfers: dict[int, Any] = {}
        self.reading: set[int | None] = set()
        self.batch = self.serial = 0
        self.during: int | None = None
        rng.shuffle(self.free_slots)

    def chance(self, of: float) -> bool:
        return self.rng.random() < of

    def wrong(self, fault: str, possible: bool = True) -> bool:
        """Whether to decide wrongly here."""
        if self.fault != fault or not possible or self.chance(0.5):
            return False
        self.injected += 1
        return True

    def say(self, event: str, **fields: Any) -> None:
        line = {"e": event, **fields}
        if event in DURING:
            line["during"] = self.during
        self.lines.append(line)

    # Pool and cache

    def take(self, count: int, **who: Any) -> list[int] | None:
        """Slots from the pool, with evictions if need be; nothing if there are not enough."""
        while len(self.free_slots) < count:
            victims = [entry for entry in self.cache if entry.slot is not None and not self.busy(entry)]
            if not victims:
                return None
            self.evict(self.rng.choice(victims))
        ends = -1 if self.settings.newest_first else 0
        slots = [self.free_slots.pop(ends) for _ in range(count)]
        others = [slot for request in self.requests for slot in request.slots()]
        if self.wrong("taken-twice", bool(others) and count > 0):
            slots[0] = self.rng.choice(others)
        self.say("take", slots=list(slots), **who)
        return slots

    def busy(self, entry: CacheEntry) -> bool:
        """Whether something still needs the entry's slot."""
        shared = any(request.shared and request.working == entry.slot for request in self.requests)
        return entry.transfer is not None or bool(entry.locks) or shared or entry.slot in self.reading

    def evict(self, entry: CacheEntry) -> None:
        assert entry.slot is not None
        self.say("evict", slot=entry.slot)
        self.free_slots.append(entry.slot)
        self.evicted.append(CacheEntry(entry.key, entry.len, entry.slot))
        entry.slot = None
        if entry.host is None:
            self.cache.remove(entry)

    def release(self, slots: list[int]) -> None:
        """Slots go back to the pool."""
        if not slots:
            return
        told: list[int | None] = list(slots)
        self.free_slots += slots
        if self.wrong("freed-null"):
            told.append(None)
        if self.wrong("freed-twice"):
            told.append(slots[0])
        self.say("free", slots=told)

    def publish(self, request: ToyRequest, slot: int, tokens: int, **fields: Any) -> bool:
        """Hand the slot to the cache under so many tokens, if the key is new."""
        if self.wrong("published-as-longer"):
            tokens += 1
        if self.wrong("published-floored"):
            tokens = max(tokens - 1, 1)
        found = [entry for entry in self.cache if entry.key == request.key(tokens)]
        stored = not found or (found[0].slot is None and found[0].transfer is None)
        if not stored:
            fields = {}
        told = 0 if self.wrong("published-reserved", stored) else slot
        fields |= {"slot": told, "len": tokens, "stored": stored, "text": digest(request.key(tokens))}
        self.say("publish", r=request.name, **fields)
        if stored and found:
            found[0].slot = slot
        elif stored:
            self.cache.append(CacheEntry(request.key(tokens), tokens, slot))
        return stored

    # Coming and going

    def admit(self, request: ToyRequest) -> bool:
        """Give the request its slots, from the longest or any prefix of its text that is cached; False: no room."""
        settings, hit = self.settings, request.hit
        moving = settings.style == "moving"
        positions = {"eager": settings.ring, "lazy": 1, "none": 0}[settings.mode]
        if hit is not None:
            hit.locks += 1
        slots = self.take(positions + (not moving), r=request.name)
        if slots is None:
            if hit is not None:
                hit.locks -= 1
            return False
        fields: Line = {"r": request.name, "hit": None}
        if request.epoch:
            fields["epoch"] = request.epoch
        if not moving:
            request.working = fields["working"] = slots.pop()
        if positions:
            request.ring = [*slots, *[None] * (settings.ring - positions)]
            request.next, request.last = 0, settings.ring - 1 if settings.mode == "eager" else 0
            fields |= {"ring": list(request.ring), "next": request.next, "last": request.last}
        if hit is not None:
            assert hit.slot is not None
            request.source, request.len = hit.slot, hit.len
            if self.wrong("hit-of-evicted", bool(self.evicted)):
                old = self.rng.choice(self.evicted)
                request.source, request.len = old.slot, old.len
            others = [entry for entry in self.cache if entry.slot is not None and entry.key != hit.key]
            if self.wrong("hit-of-other-text", bool(others)):
                other = self.rng.choice(others)
                request.source, request.len = other.slot, other.len
            if self.wrong("hit-of-other-length", request.len > 1):
                request.len -= 1
            text = digest(request.key(request.len))
            fields["hit"] = {"slot": request.source, "len": request.len, "text": text}
        request.low = request.high = request.committed = request.prefix = request.len
        request.clear = settings.clears and not moving and hit is None
        self.say("admit", **fields)
        self.requests.append(request)
        if hit is None:
            self.restore(request)
        return True

    def arrive(self) -> None:
        """A new request, or one that waits since it was retracted."""
        if len(self.requests) >= self.settings.running:
            return
        if self.waiting and self.chance(0.7):
            request = self.waiting.pop()
            self.match(request, own=True)
            if not self.admit(request):
                self.waiting.append(request)
            return
        self.serial += 1
        name = f"R{self.serial}"
        request = ToyRequest(name, [(name, 0)], prompt=self.rng.randint(1, 11), stop=0)
        self.match(request, own=False)
        request.stop = request.prompt + self.rng.randint(1, 14)
        if self.admit(request):
            self.maybe_open(request)

    def match(self, request: ToyRequest, own: bool) -> None:
        """Find a cached prefix: of its own text, or any, of which the new request's text is then the continuation."""
        request.hit = None
        usable = [entry for entry in self.cache if entry.slot is not None]
        if own:
            usable = [entry for entry in usable if entry.key == request.key(entry.len) and entry.len < request.prompt]
        if not usable or self.chance(0.35):
            return
        loading = [entry for entry in usable if entry.loading is not None]
        hit = request.hit = self.rng.choice(loading if loading and self.chance(0.7) else usable)
        if not own:
            request.text = [*hit.key[:-1], (request.name, hit.len)]
            request.prompt = hit.len + self.rng.randint(1, 9)

    def leave(self, request: ToyRequest, why: str, **fields: Any) -> None:
        """The request is over: what it owns goes back."""
        slots = request.slots()
        if self.wrong("leak", bool(slots)):
            slots = slots[1:]
        if slots and request.session is None and self.wrong("freed-of-other", len(self.requests) > 1):
            other = self.rng.choice([each for each in self.requests if each is not request])
            slots = [*slots, *other.slots()[:1]]
        self.release(slots)
        self.forget(request)
        self.say("end", r=request.name, why=why, **fields)

    def forget(self, request: ToyRequest) -> None:
        request.over = True
        if request.hit is not None and request.source is not None:
            request.hit.locks -= 1
        self.requests.remove(request)

    def drop(self) -> None:
        """An abort, or a retraction after which the request comes back with a higher epoch."""
        request = self.rng.choice(self.requests)
        if request.loading in self.transfers:
            return
        if request.session is not None:
            self.abort_turn(request)
            return
        if self.chance(0.5):
            self.leave(request, "abort" if request.count or request.pending else "reject")
            return
        again = ToyRequest(request.name, request.text, max(request.committed, request.prompt), request.stop + 4)
        again.epoch = request.epoch + 1
        saved = self.save(request, again)
        self.leave(request, "preempt" if self.settings.mode == "none" else "retract", saved=saved)
        self.waiting.append(again)

    # The loop

    def run(self, steps: int) -> list[Line]:
        """So many steps; then everything is processed, and the file is closed."""
        crowd = self.settings.running if self.settings.running > 20 else 0
        for _ in range(crowd):
            self.arrive()
        for request in self.requests if crowd else ():
            request.stop = request.prompt = 4
        for _ in range(steps // 5 if crowd else steps):
            self.step()
        while self.pending:
            self.process()
        self.say("stop", why="closed")
        return self.lines

    def step(self) -> None:
        settings = self.settings
        actions = [self.arrive] * 2 + [self.process] * (2 if self.pending else 0)
        if len(self.pending) <= settings.lookahead:
            actions += [self.launch] * 4
        if self.requests and self.chance(0.6 if self.fault in ("dropped-row-labels", "saved-as-longer") else 0.12):
            actions.append(self.drop)
        if self.chance(0.2):
            actions.append(self.give_up)
        if settings.sessions:
            actions.append(self.session_step)
        if settings.transfers:
            actions += [self.transfer_step] * 2
        if settings.style == "moving":
            actions.append(self.give_key_away)
        self.rng.choice(actions)()

    def give_up(self) -> None:
        """An eviction that nobody asked for."""
        on_device = [entry for entry in self.cache if entry.slot is not None]
        idle = [entry for entry in on_device if not self.busy(entry)]
        locked = [entry for entry in on_device if entry.locks]
        moving = [entry for entry in on_device if entry.transfer is not None]
        if self.wrong("evicted-under-hit", bool(locked)):
            idle = locked
        if self.wrong("evicted-in-transfer", bool(moving)):
            idle = moving
        if idle:
            self.evict(self.rng.choice(idle))


def faults() -> list[str]:
    """The names of all faults, as the engine's own text has them."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((TESTS / "support").glob("toy_*.py")))
    return sorted({name for text in texts for name in re.findall(r'self\.wrong\(\s*"([\w-]+)"', text)})
