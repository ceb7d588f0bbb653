"""The oracle of format 2: says of a trace whether it is bad, from nothing but its lines and the page of the format.

Two devices hold contents (tests/support/slot_device.py), this file owners, labels and locks. It is slow, and it stops at
the first bad line. Its input is what json.loads makes of each line.

Where the page leaves a choice, this is the reading here:

 1. A slot that the trace has not named before belongs to whoever it turns up with, also where `takes` is known: a trace
    may start in the middle, and the page's own second example admits a request into slots that nobody took.
 2. What lies in a slot that is taken is of no use to the taker: a first row that reads it starts wrong, unless something
    that the recorder does not know (`copies`, `transfers`, for start 0 `clears`) may have filled it.
 3. A hit of a slot that is not in the cache is bad, and so is a copy or a row that reads a free slot: the slot has two
    users, whether or not somebody has written it since.
 4. A `wrote` that is not what the row wrote is bad (the third example asks for it), and so is `retained` > `accepted`.
    Other pointers of a running request (`last`, `last_len`, `next`) are no fault of their own.
 5. A pending verify of which nothing is known may have accepted any count: a publication of a slot that one of them
    reaches is bad, whatever its result says later.
 6. The result of a skipped verify says no count, so its working slot is then of no known length for ever.
 7. A copy names the tokens that it copies: a source of another length or text is bad.
 8. A batch may write the dump (a reserved slot) any number of times.
 9. A wait for a transfer that has not been submitted is no wait. Batches launched after one that waited come after
    the transfer as well, so they may read and write its ends before the `ack`; the CPU may not free or evict them.
10. `t` of a `transfer` line is the transfer's name; such a line has no clock.
11. What a life or a session still owns at its end is a leak, and a leak is no bad verdict. The slot stays with the dead:
    whoever takes it without a `free` is its second owner.
12. A row of a life that is over is bad, and so are two rows of one life in a batch, a mark that the row does not pass,
    and one whose slot is not what the row's `ring` has at its `pos` (the first example asks for it).
13. A request that was retracted or preempted comes back with the same text: it may start from what it saved.
14. A copy outside any batch conflicts with every pending batch that it does not wait for and that touches its ends. It
    comes before the batches launched after it, and has certainly been done when one of those has been processed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.support.slot_device import EMPTY, JUNK, Bad, Device, Life, Row, State, Text, Work

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


@dataclass(frozen=True)
class Finding:
    """What the oracle says: the outcome, and of a bad one the line (the header is 1) and why."""

    outcome: str
    line: int | None = None
    why: str = ""
    leaks: int = 0


class Simulator:
    """Replays one trace. `feed` raises Bad."""

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
        self.accepted = {
            (row["r"], line["b"]): row["accepted"]
            for line in lines[1:]
            if line["e"] == "process"
            for row in line["rows"]
            if not row["skipped"] and "accepted" in row
        }

    @property
    def late(self) -> Device:
        return self.devices[1]

    def run(self) -> Finding:
        number = 1
        stop = "cut"
        for number, line in enumerate(self.lines[1:], 2):
            try:
                self.feed(line)
            except Bad as bad:
                return Finding("bad", number, str(bad), self.leaks.total())
            if line["e"] == "stop":
                stop = "not covered" if line["why"] == "not covered" else "good"
        return Finding(stop, number, "", self.leaks.total())

    def feed(self, line: Line) -> None:
        during = line.get("during")
        if during is not None:
            for device in self.devices:
                device.certain(during)
        getattr(self, "_" + line["e"])(line)

    # Owners

    def id(self, slot: Any) -> None:
        if slot is None or slot in self.reserved or slot not in self.pool:
            raise Bad(f"{slot} is no slot that anybody may have")

    def _may_have_left(self, owner: Any) -> bool:
        """The owner may have given the slot up in silence."""
        if isinstance(owner, Life):
            gone = owner.over or "ends" not in self.knows
            return "frees" not in self.knows or (gone and "sessions" not in self.knows)
        if isinstance(owner, Session):
            return not {"frees", "sessions"} <= self.knows
        return owner == NOBODY or (owner == CACHE and "evicts" not in self.knows)

    def _uses(self, who: Any, slot: int) -> bool:
        owner = self.owners.get(slot)
        if isinstance(owner, Session):
            owner = owner.loan or owner
        again = isinstance(owner, Life) and isinstance(who, Life) and owner.name == who.name
        return owner is who or (again and "ends" not in self.knows)

    def claim(self, slot: Any, who: Any, taken: bool = False, fresh: bool = False) -> None:
        """The slot turns up with `who`, or is taken for it. `fresh`: what it holds is not of this owner."""
        self.id(slot)
        owner = self.owners.get(slot)
        if self._uses(who, slot) and not taken:
            return
        silent = taken or "takes" not in self.knows
        if owner == FREE and not silent:
            raise Bad(f"slot {slot} is free, and turns up with {_name(who)}")
        if owner not in (None, FREE, NOBODY) and not (silent and self._may_have_left(owner)):
            raise Bad(f"slot {slot} of {_name(owner)} turns up with {_name(who)}")
        if owner == NOBODY and taken and "frees" in self.knows:
            raise Bad(f"slot {slot} is taken twice")
        if slot in self.pins and owner not in (None, NOBODY):
            raise Bad(f"slot {slot} is in a transfer, and turns up with {_name(who)}")
        self.owners[slot] = who
        self.entries.pop(slot, None)
        if "copies" not in self.knows or (who == NOBODY and "transfers" not in self.knows):
            self._put(slot, None)
        elif taken or fresh:
            for device in self.devices:
                device.world.contents.setdefault(slot, JUNK)

    def _put(self, slot: int, state: State | None) -> None:
        for device in self.devices:
            device.give(Work(None, puts={slot: state}))

    def release(self, slot: Any) -> None:
        self.id(slot)
        owner = self.owners.get(slot)
        if (owner == FREE and "takes" in self.knows) or (owner == CACHE and not self._may_have_left(owner)):
            raise Bad(f"slot {slot} of {_name(owner)} is freed")
        if owner == CACHE and "takes" in self.knows:
            raise Bad(f"slot {slot} of the cache is freed")
        self._pinned(slot)
        self.entries.pop(slot, None)
        self.owners[slot] = FREE

    def _pinned(self, slot: int) -> None:
        if slot in self.pins:
            raise Bad(f"slot {slot} is in a transfer")

    def _leaves(self, who: Any, kept: list[int]) -> None:
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

    def _new_life(self, line: Line) -> Life:
        lives = self.lives.setdefault(line["r"], [])
        unknown = "ends" not in self.knows
        again = bool(lives) and (unknown or lives[-1].told.get("why") in ("retract", "preempt"))
        epoch = line.get("epoch", lives[-1].epoch + 1 if lives else 0)
        life = Life(line["r"], epoch, Text(f"{line['r']}.{epoch}"), adopts=again, again=again)
        lives.append(life)
        return life

    def _admit(self, line: Line) -> None:
        known = self.lives.get(line["r"], [])[-1:]
        if known and not (known[0].admitted or known[0].over or known[0].rows):
            life = known[0]
            life.epoch = line.get("epoch", life.epoch)
        else:
            life = self._new_life(line)
        life.admitted = True
        life.adopts = life.again or life.session is not None
        hit = line.get("hit", "unknown")
        life.hit = None if hit == "unknown" else hit is not None
        life.adopts |= life.hit is None
        if isinstance(hit, dict):
            self._hit(life, hit)
        for slot in [line.get("working"), *line.get("ring", ())]:
            if slot is not None:
                self.claim(slot, life, fresh=True)
        self._remember(life, line)

    def _hit(self, life: Life, hit: Line) -> None:
        slot = hit["slot"]
        self.id(slot)
        entry, owner = self.entries.get(slot), self.owners.get(slot)
        if owner is None:
            life.adopts = True
        elif owner != CACHE or entry is None:
            raise Bad(f"a hit of slot {slot} of {_name(owner)}")
        elif entry.state[1] != hit["len"] or _differ(entry.digest, hit.get("text")):
            raise Bad(f"a hit of slot {slot} as {hit['len']} tokens, it is cached as {entry.state}")
        else:
            life.text.parent, life.text.at, life.adopts = entry.state[0], hit["len"], False

    def _remember(self, life: Life, fields: Line) -> None:
        life.told.update({key: fields[key] for key in ("ring", "next") if key in fields})

    def _end(self, line: Line) -> None:
        life = self.life(line)
        life.over = True
        life.told["why"] = line["why"]
        self._leaves(life, [])
        saved = line.get("saved")
        if saved and saved["host"] in self.hosts and self.hosts[saved["host"]][1] != saved["len"]:
            raise Bad(f"saved as {saved['len']} tokens, the host has {self.hosts[saved['host']]}")

    # Batches

    def _launch(self, line: Line) -> None:
        copies = [dict(copy, life=self.life(copy) if "r" in copy else None) for copy in line.get("copies", ())]
        for name in line.get("waits", ()):
            if name in self.transfers and self.transfers[name].submitted:
                self.transfers[name].awaited = True
        for slot in line.get("clears", ()):
            self._written(slot)
        for copy in copies:
            self._reading(copy["from"])
            self._copy_text(copy)
            self._target(copy["to"], copy["life"])
        rows = [self._row(line["b"], fields) for fields in line["rows"]]
        if len({row.life for row in rows}) < len(rows):
            raise Bad("two rows of one request in a batch")
        self._conflicts([([], [slot]) for slot in line.get("clears", ())])
        self._conflicts([([copy["from"]], [copy["to"]]) for copy in copies])
        self._conflicts([([row.fields["reads"]], row.targets) for row in rows])
        work = Work(line["b"], list(line.get("clears", ())), copies, rows)
        for device in self.devices:
            device.give(work)

    def _conflicts(self, uses: list[tuple[list[Any], list[int]]]) -> None:
        for at, (_, writes) in enumerate(uses):
            written = [slot for slot in writes if slot not in self.reserved]
            if len(set(written)) < len(written):
                raise Bad("one row writes a slot twice")
            for reads, others in uses[:at] + uses[at + 1 :]:
                if both := set(written) & {*reads, *others}:
                    raise Bad(f"a batch writes slot {min(both)} and uses it once more")

    def _row(self, batch: int, fields: Line) -> Row:
        life = self.life(fields)
        if life.over:
            raise Bad(f"a row of {life.name}, which is over")
        reads, start = fields["reads"], fields.get("start")
        if reads is None and start != 0:
            raise Bad(f"{life.name} starts at {start} from nothing")
        if reads is not None:
            self._reading(reads)
        if reads not in life.shares:
            life.shares.clear()
        life.shares &= {reads}
        row = Row(life, batch, fields, self._excused(life, reads, start))
        for slot in row.targets:
            self._target(slot, life)
        self._remember(life, fields)
        for slot in life.told.get("ring", ()) if "ring" in fields or fields.get("same") else ():
            if slot is not None:
                self.claim(slot, life)
        for mark in fields.get("marks", ()):
            if mark["slot"] not in self.reserved and not fields["start"] <= mark["len"] <= fields["len"]:
                raise Bad(f"{life.name} does not pass {mark['len']}")
            if "pos" in mark and life.told.get("ring", {mark["pos"]: mark["slot"]})[mark["pos"]] != mark["slot"]:
                raise Bad(f"{life.name} has another slot at position {mark['pos']} than {mark['slot']}")
        if row.verify:
            row.accepted = self.accepted.get((life.name, batch))
            row.before = [other for other in self.late.pending_rows(life) if other.verify]
            row.base = life.told.get("next") if self.header.get("crossing") == "counted" else None
        life.rows += 1
        return row

    def _excused(self, life: Life, reads: int | None, start: int | None) -> bool:
        if start == 0:
            return reads is not None and "clears" not in self.knows
        if life.rows or life.session is not None or reads is None:
            return False
        silent = {"copies"} if life.hit else {"copies", "transfers"}
        return not silent <= self.knows and reads not in self.entries

    def _reading(self, slot: int) -> None:
        if self.owners.get(slot) == FREE and "takes" in self.knows:
            raise Bad(f"slot {slot} is read, and it is free")
        if slot not in self.pool and slot not in self.reserved:
            raise Bad(f"slot {slot} is outside the pool")
        pin = self.pins.get(slot)
        if pin is not None and pin.dir in ("h2d", "in") and not pin.awaited:
            raise Bad(f"slot {slot} is read while it is being loaded")

    def _written(self, slot: int) -> None:
        """The slot is written for nobody in particular: at least it is not the cache's, nor an idle session's."""
        if slot in self.reserved:
            return
        self.id(slot)
        if slot in self.pins and not self.pins[slot].awaited:
            raise Bad(f"slot {slot} is written, and it is in a transfer")
        owner = self.owners.get(slot)
        idle = isinstance(owner, Session) and owner.loan is None
        if (owner == CACHE or idle) and not ("takes" not in self.knows and self._may_have_left(owner)):
            raise Bad(f"slot {slot} of {_name(owner)} is written")

    def _target(self, slot: int, life: Life | None) -> None:
        self._written(slot)
        if life is not None and slot not in self.reserved:
            self.claim(slot, life)

    def _process(self, line: Line) -> None:
        for device in self.devices:
            device.certain(line["b"])
        for fields in line["rows"]:
            life = self.life(fields)
            if fields["skipped"]:
                continue
            self._result(life, line["b"], fields)
            self._remember(life, fields)
            if not fields["done"] and not life.over:
                for slot in life.told.get("ring", ()) if "ring" in fields or fields.get("same") else ():
                    if slot is not None:
                        self.claim(slot, life)

    def _result(self, life: Life, batch: int, fields: Line) -> None:
        if fields.get("retained", 0) > fields.get("accepted", 0):
            raise Bad(f"{life.name} keeps more than it accepted")
        for row, wrote in list(self.late.world.wrote.items()):
            if row.life is life and row.batch == batch:
                if not 1 <= fields["accepted"] <= row.fields["tokens"]:
                    raise Bad(f"{life.name} accepts {fields['accepted']} of {row.fields['tokens']}")
                taken = fields.get("wrote", "unknown")
                believed = taken and taken != "unknown" and (taken["len"], taken["slot"])
                if taken != "unknown" and believed != wrote:
                    raise Bad(f"{life.name} takes the row to have written {believed}, it wrote {wrote}")

    # Slots that move

    def _take(self, line: Line) -> None:
        who: Any = NOBODY
        if line.get("r") is not None:
            who = self.life(line)
            if who.over:
                who = self._new_life({"r": line["r"]})
        elif line.get("s") is not None:
            who = self.sessions.setdefault(line["s"], Session(line["s"]))
        for slot in line["slots"]:
            self.claim(slot, who, taken=True)

    def _free(self, line: Line) -> None:
        for slot in line["slots"]:
            self.release(slot)

    def _evict(self, line: Line) -> None:
        slot = line["slot"]
        self.id(slot)
        if self.owners.get(slot) not in (None, CACHE):
            raise Bad(f"slot {slot} of {_name(self.owners[slot])} is evicted")
        self._pinned(slot)
        self.entries.pop(slot, None)
        self.owners[slot] = FREE

    def _publish(self, line: Line) -> None:
        slot = line["slot"]
        self.id(slot)
        if not line["stored"]:
            return
        life = self.life(line) if line.get("r") is not None else None
        owner = self.owners.get(slot)
        silent = "takes" not in self.knows
        if owner == FREE and not silent:
            raise Bad(f"slot {slot} is published, and it is free")
        if owner == CACHE and not (silent and self._may_have_left(owner)):
            raise Bad(f"slot {slot} is published twice")
        if life is not None and owner not in (None, FREE, NOBODY) and not self._uses(life, slot):
            if not (silent and self._may_have_left(owner)):
                raise Bad(f"{life.name} publishes slot {slot} of {_name(owner)}")
        want = self.state_of(life, slot, line["len"])
        self.owners[slot] = CACHE
        self.settled(slot, want, "published is")
        self.entries[slot] = Entry(want, line.get("text"))
        if line.get("shared") and life is not None:
            life.shares = {slot}

    def _rekey(self, line: Line) -> None:
        old, new = line["from"], line["to"]
        self.id(old)
        self.id(new)
        entry = self.entries.pop(old, None)
        if entry is None and self.owners.get(old) is not None:
            raise Bad(f"slot {old} has no key that could move")
        if self.owners.get(new) in (FREE, CACHE):
            raise Bad(f"slot {new} of {_name(self.owners[new])} gets a key")
        self._pinned(old)
        self.owners[new] = CACHE
        if entry is not None:
            self.settled(new, entry.state, "rekeyed is")
            self.entries[new] = entry
        holders = [life for lives in self.lives.values() for life in lives if old in life.shares and not life.over]
        self.owners[old] = holders[0] if holders else FREE

    def _copy_text(self, copy: Line) -> None:
        entry = self.entries.get(copy["from"])
        if entry is not None and _differ(entry.digest, copy.get("text")):
            raise Bad(f"copies slot {copy['from']} as another text")

    def _copy(self, line: Line) -> None:
        """A copy outside any batch."""
        life = self.life(line) if line.get("r") is not None else None
        self._reading(line["from"])
        self._copy_text(line)
        self._target(line["to"], life)
        for work in self._not_waited_for(line["after"]):
            if {line["from"], line["to"]} & work.writes() or line["to"] in work.reads():
                raise Bad(f"the copy does not wait for batch {work.batch}")
        for device in self.devices:
            device.give(Work(None, copies=[dict(line, life=life)]))

    def _not_waited_for(self, after: int | None) -> list[Work]:
        return [work for work in self.late.queue if work.batch is not None and (after is None or work.batch > after)]

    # Sessions

    def _session(self, line: Line) -> None:
        session = self.sessions.setdefault(line["s"], Session(line["s"]))
        op = line["op"]
        if op == "borrow":
            if session.loan is not None and not session.loan.over and "sessions" in self.knows:
                raise Bad(f"{session.name} is lent twice")
            session.loan = life = self._new_life(line)
            life.session, life.adopts = session, True
        named = [slot for slot in [line.get("working"), *line.get("ring", ())] if slot is not None]
        if op in ("take", "end", "abort"):
            turn = self.life(line) if line.get("r") is not None else session.loan
            for slot in named:
                if not self._uses(turn, slot) and self.owners.get(slot) is not session:
                    self.claim(slot, session)
                self.owners[slot] = session
        if op == "take":
            session.loan = turn
            turn.session = session
        if op in ("end", "abort"):
            session.loan = None
            self._labels(line, turn)
        if op in ("end", "abort", "close"):
            kept = named if op != "close" else []
            self._leaves(session, kept)

    def _labels(self, line: Line, turn: Life | None) -> None:
        working, covers = line.get("working"), line.get("covers")
        if working is not None and covers is not None:
            self.settled(working, self.state_of(turn, working, covers), "the session's working")
        last, label = line.get("last"), line.get("last_len")
        if last is not None and label is not None and line.get("ring"):
            slot = line["ring"][last]
            self.id(slot)
            self.settled(slot, self.state_of(turn, slot, label), "the session's checkpoint")

    # Transfers

    def _transfer(self, line: Line) -> None:
        getattr(self, "_transfer_" + line["op"])(line)

    def _transfer_queue(self, line: Line) -> None:
        slot, host = line["slot"], line["host"]
        self.id(slot)
        if self.owners.get(slot) == FREE and "takes" in self.knows:
            raise Bad(f"a transfer of slot {slot}, which is free")
        if slot in self.pins or host in self.host_pins:
            raise Bad("one end of the transfer is another transfer's")
        transfer = Transfer(line["dir"], slot, host, line["len"])
        self.transfers[line["t"]] = self.pins[slot] = self.host_pins[host] = transfer

    def _transfer_submit(self, line: Line) -> None:
        transfer = self.transfers[line["t"]]
        transfer.submitted = True
        slot, after = transfer.slot, line.get("after")
        for work in self._not_waited_for(after):
            if slot in work.writes() or (slot in work.reads() and transfer.dir in ("h2d", "in")):
                raise Bad(f"the transfer does not wait for batch {work.batch}")
        if transfer.dir in ("h2d", "in"):
            state = self.hosts.get(transfer.host)
            if state is not None and state[1] != transfer.len:
                raise Bad(f"loads {state} as {transfer.len} tokens")
            self._put(slot, state)
            return
        for device in self.devices:
            for seen in device.futures(slot, after):
                if any(state is not None and state[1] != transfer.len for state in seen):
                    raise Bad(f"writes back slot {slot} as {transfer.len} tokens, it reads {seen}")
                transfer.state = seen[-1]

    def _transfer_ack(self, line: Line) -> None:
        transfer = self._unpin(line)
        if transfer.dir not in ("h2d", "in"):
            self.hosts.pop(transfer.host, None)
            if transfer.state is not None:
                self.hosts[transfer.host] = transfer.state

    def _transfer_abort(self, line: Line) -> None:
        transfer = self._unpin(line)
        if not transfer.submitted:
            return
        if transfer.dir not in ("h2d", "in"):
            self.hosts[transfer.host] = JUNK
            return
        self._put(transfer.slot, JUNK)
        if transfer.slot in self.entries:
            raise Bad(f"slot {transfer.slot} is cached, and its load was aborted")

    def _unpin(self, line: Line) -> Transfer:
        transfer = self.transfers.pop(line["t"])
        del self.pins[transfer.slot], self.host_pins[transfer.host]
        return transfer

    def _stop(self, line: Line) -> None:
        """The last line; what it says is the verdict's."""


def _differ(one: Any, other: Any) -> bool:
    return one is not None and other is not None and one != other


def _name(owner: Any) -> str:
    return getattr(owner, "name", None) or str(owner)


def oracle(lines: list[Line]) -> Finding:
    return Simulator(lines).run()


__all__ = ["EMPTY", "Finding", "Simulator", "oracle"]
