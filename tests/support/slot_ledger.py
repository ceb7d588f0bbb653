"""Who owns each slot, and what the slots of the cache and of sessions are said to hold: the oracle's ledger."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.slot_device import Bad, Device, Life, State, Text, Work

FREE, CACHE, NOBODY = "free", "the cache", "nobody yet"
Line = dict[str, Any]


@dataclass(eq=False)
class Session:
    name: str
    loan: Life | None = None


@dataclass
class Entry:
    state: State
    digest: Any = None


@dataclass
class Transfer:
    dir: str
    slot: int
    host: Any
    len: int
    submitted: bool = False
    awaited: bool = False
    state: State | None = None


def differ(one: Any, other: Any) -> bool:
    return one is not None and other is not None and one != other


def name_of(owner: Any) -> str:
    return getattr(owner, "name", None) or str(owner)


class Ledger:
    """Owners, entries, lives and transfers of one trace; each method says Bad if what it is asked for cannot be."""

    def __init__(self, lines: list[Line]) -> None:
        self.header = lines[0]
        self.lines = lines
        self.knows = set(self.header.get("knows", ()))
        self.reserved = set(self.header.get("reserved", ()))
        self.pool = range(self.header["first_slot"], self.header["first_slot"] + self.header["slots"])
        self.devices = [Device(late, self.header.get("interval")) for late in (False, True)]
        self.owners: dict[int, Any] = {}
        self.entries: dict[int, Entry] = {}
        self.lives: dict[str, list[Life]] = {}
        self.sessions: dict[str, Session] = {}
        self.transfers: dict[Any, Transfer] = {}
        self.pins: dict[int, Transfer] = {}
        self.host_pins: dict[Any, Transfer] = {}
        self.hosts: dict[Any, State] = {}
        self.leaks: Counter[int] = Counter()
        self.arrivals: list[tuple[Life, int]] = []
        """What the result that is being processed has shown as new in rings."""
        self.accepted = {
            (row["r"], line["b"]): row["accepted"]
            for line in lines[1:]
            if line["e"] == "process"
            for row in line["rows"]
            if "accepted" in row
        }

    @property
    def late(self) -> Device:
        return self.devices[1]

    # Owners

    def id(self, slot: Any) -> None:
        if slot is None or slot in self.reserved or slot not in self.pool:
            raise Bad(f"{slot} is no slot that anybody may have")

    def may_have_left(self, owner: Any) -> bool:
        """The owner may have given the slot up in silence."""
        if isinstance(owner, Life):
            gone = owner.over or "ends" not in self.knows
            return "frees" not in self.knows or (gone and "sessions" not in self.knows)
        if isinstance(owner, Session):
            return not {"frees", "sessions"} <= self.knows
        return owner == NOBODY or (owner == CACHE and "evicts" not in self.knows)

    def uses(self, who: Any, slot: int) -> bool:
        owner = self.owners.get(slot)
        if isinstance(owner, Session):
            owner = owner.loan or owner
        again = isinstance(owner, Life) and isinstance(who, Life) and owner.name == who.name
        return owner is who or (again and "ends" not in self.knows)

    def claim(self, slot: Any, who: Any, taken: bool = False, fresh: bool = False) -> None:
        """The slot turns up with `who`, or is taken for it. `fresh`: what it holds is not of this owner."""
        self.id(slot)
        owner = self.owners.get(slot)
        if self.uses(who, slot) and not taken:
            return
        silent = taken or "takes" not in self.knows
        if owner == FREE and not silent:
            raise Bad(f"slot {slot} is free, and turns up with {name_of(who)}")
        if owner not in (None, FREE, NOBODY) and not (silent and self.may_have_left(owner)):
            raise Bad(f"slot {slot} of {name_of(owner)} turns up with {name_of(who)}")
        if owner == NOBODY and taken and "frees" in self.knows:
            raise Bad(f"slot {slot} is taken twice")
        self.owners[slot] = who
        self.entries.pop(slot, None)
        if "copies" not in self.knows or (who == NOBODY and "transfers" not in self.knows):
            self.put(slot, None)
        elif taken or fresh:
            for device in self.devices:
                device.give(Work(None, fresh=slot))

    def put(self, slot: int, state: State | None) -> None:
        for device in self.devices:
            device.give(Work(None, puts={slot: state}))

    def release(self, slot: Any) -> None:
        self.id(slot)
        owner = self.owners.get(slot)
        silent = "takes" not in self.knows
        if owner in (FREE, CACHE) and not (silent and (owner == FREE or self.may_have_left(owner))):
            raise Bad(f"slot {slot} of {name_of(owner)} is freed")
        self.pinned(slot)
        self.entries.pop(slot, None)
        self.owners[slot] = FREE

    def pinned(self, slot: int) -> None:
        if slot in self.pins:
            raise Bad(f"slot {slot} is in a transfer")

    def leaves(self, who: Any, kept: list[int]) -> None:
        """Whoever is over, or at rest, owns no more than it says."""
        if {"takes", "frees", "ends"} <= self.knows:
            self.leaks.update(slot for slot, owner in self.owners.items() if owner is who and slot not in kept)

    # Labels

    def settled(self, slot: int, want: State, what: str) -> None:
        """Once everything launched has been done the slot holds `want`, however the pending verifies go."""
        for device in self.devices:
            for seen in device.futures(slot):
                if seen == [None]:
                    device.world.contents[slot] = want
                elif seen[-1] not in (want, None):
                    raise Bad(f"{what} slot {slot} as {want[1]} tokens of {want[0] and want[0].name}, it gets {seen}")

    def state_of(self, life: Life | None, slot: int, tokens: int) -> State:
        """The state after so many tokens of the life's text; without a known text, of the text that is there."""
        if life is not None and not life.adopts:
            return life.text.prefix(tokens)
        state = self.devices[0].world.contents.get(slot)
        return state if state is not None and state[1] == tokens else Text("unknown").prefix(tokens)

    # Requests

    def life(self, line: Line) -> Life:
        lives = self.lives.setdefault(line["r"], [])
        for life in lives:
            if life.epoch == line.get("epoch"):
                return life
        if not lives:
            lives.append(Life(line["r"], line.get("epoch", 0), Text(line["r"]), adopts=True))
        return lives[-1]

    def new_life(self, line: Line) -> Life:
        lives = self.lives.setdefault(line["r"], [])
        unknown = "ends" not in self.knows
        again = bool(lives) and (unknown or lives[-1].told.get("why") in ("retract", "preempt"))
        epoch = line.get("epoch", lives[-1].epoch + 1 if lives else 0)
        life = Life(line["r"], epoch, Text(f"{line['r']}.{epoch}"), adopts=again, again=again)
        lives.append(life)
        return life

    # What a batch or a copy does to slots

    def reading(self, slot: int) -> None:
        if self.owners.get(slot) == FREE and "takes" in self.knows:
            raise Bad(f"slot {slot} is read, and it is free")
        if slot not in self.pool and slot not in self.reserved:
            raise Bad(f"slot {slot} is outside the pool")
        pin = self.pins.get(slot)
        if pin is not None and pin.dir in ("h2d", "in") and not pin.awaited:
            raise Bad(f"slot {slot} is read while it is being loaded")

    def written(self, slot: int) -> None:
        """The slot is written for nobody in particular: at least it is not the cache's, nor an idle session's."""
        if slot in self.reserved:
            return
        self.id(slot)
        if slot in self.pins and not self.pins[slot].awaited:
            raise Bad(f"slot {slot} is written, and it is in a transfer")
        owner = self.owners.get(slot)
        idle = isinstance(owner, Session) and owner.loan is None
        if (owner == CACHE or idle) and not ("takes" not in self.knows and self.may_have_left(owner)):
            raise Bad(f"slot {slot} of {name_of(owner)} is written")

    def target(self, slot: int, life: Life | None) -> None:
        self.written(slot)
        if life is not None and slot not in self.reserved:
            self.claim(slot, life)
