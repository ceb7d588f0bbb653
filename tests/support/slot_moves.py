"""Events that move slots for other reasons than a batch: publication, sessions, transfers, copies of their own."""

from __future__ import annotations

from typing import Any

from tests.support.slot_device import JUNK, Bad, Life, Work
from tests.support.slot_ledger import CACHE, FREE, NOBODY, Entry, Ledger, Line, Session, Transfer, differ, name_of


class Moves(Ledger):
    """Publication and eviction, copies, sessions, transfers."""

    # Slots that move

    def _take(self, line: Line) -> None:
        who: Any = NOBODY
        if line.get("r") is not None:
            who = self.life(line)
            if who.over:
                who = self.new_life({"r": line["r"]})
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
            raise Bad(f"slot {slot} of {name_of(self.owners[slot])} is evicted")
        self.pinned(slot)
        self.entries.pop(slot, None)
        self.owners[slot] = FREE

    def _publish(self, line: Line) -> None:
        slot = line["slot"]
        self.id(slot)
        if not line["stored"]:
            return
        life = self.life(line) if line.get("r") is not None else None
        owner = self.owners.get(slot)
        if life is None and line.get("shared") and isinstance(owner, Life):
            life = owner
        silent = "takes" not in self.knows
        if owner == FREE and not silent:
            raise Bad(f"slot {slot} is published, and it is free")
        if owner == CACHE and not (silent and self.may_have_left(owner)):
            raise Bad(f"slot {slot} is published twice")
        if life is not None and owner not in (None, FREE, NOBODY) and not self.uses(life, slot):
            if not (silent and self.may_have_left(owner)):
                raise Bad(f"{life.name} publishes slot {slot} of {name_of(owner)}")
        want = self.state_of(life, slot, line["len"])
        self.owners[slot] = CACHE
        self.settled(slot, want, "published is")
        self.entries[slot] = Entry(want, line.get("text"))
        replaced_by = line.get("replaced_by")
        if replaced_by is not None and life is not None and self.owners.get(replaced_by) == NOBODY:
            self.claim(replaced_by, life)
        elif replaced_by is not None and life is not None and not self.uses(life, replaced_by):
            self.arrivals.append((life, line["replaced_by"]))
        if life is not None and "ring" in life.told:
            life.told["ring"] = [line.get("replaced_by") if kept == slot else kept for kept in life.told["ring"]]
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
            raise Bad(f"slot {new} of {name_of(self.owners[new])} gets a key")
        self.pinned(old)
        self.owners[new] = CACHE
        if entry is not None:
            self.settled(new, entry.state, "rekeyed is")
            self.entries[new] = entry
        holders = [life for lives in self.lives.values() for life in lives if old in life.shares and not life.over]
        self.owners[old] = holders[0] if holders else FREE

    def _copy_text(self, copy: Line) -> None:
        entry = self.entries.get(copy["from"])
        if entry is not None and differ(entry.digest, copy.get("text")):
            raise Bad(f"copies slot {copy['from']} as another text")

    def _copy(self, line: Line) -> None:
        """A copy outside any batch."""
        life = self.life(line) if line.get("r") is not None else None
        self.reading(line["from"])
        self._copy_text(line)
        self.target(line["to"], life)
        for work in self.not_waited_for(line["after"]):
            if {line["from"], line["to"]} & work.writes() or line["to"] in work.reads():
                raise Bad(f"the copy does not wait for batch {work.batch}")
        for device in self.devices:
            device.give(Work(None, copies=[dict(line, life=life)]))

    def not_waited_for(self, after: int | None) -> list[Work]:
        return [work for work in self.late.queue if work.batch is not None and (after is None or work.batch > after)]

    # Sessions

    def _session(self, line: Line) -> None:
        session = self.sessions.setdefault(line["s"], Session(line["s"]))
        op = line["op"]
        if op == "borrow":
            turn = session.loan
            if turn is not None and not turn.over and turn is self.lives.get(line["r"], [None])[-1]:
                return
            if turn is not None and not turn.over and "sessions" in self.knows:
                raise Bad(f"{session.name} is lent twice")
            session.loan = life = self.new_life(line)
            life.session, life.adopts = session, True
        named = [slot for slot in [line.get("working"), *line.get("ring", ())] if slot is not None]
        if op in ("take", "end", "abort"):
            turn = self.life(line) if line.get("r") is not None else session.loan
            for slot in named:
                if not self.uses(turn, slot) and self.owners.get(slot) is not session:
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
            self.leaves(session, kept)

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
        if line["op"] != "queue" and line["t"] not in self.transfers:
            self._transfer_queue(line)  # it was queued before the trace began
        getattr(self, "_transfer_" + line["op"])(line)

    def _transfer_queue(self, line: Line) -> None:
        slot, host = line["slot"], line["host"]
        self.id(slot)
        if self.owners.get(slot) == FREE and "takes" in self.knows:
            raise Bad(f"a transfer of slot {slot}, which is free")
        if slot in self.pins or host in self.host_pins or line["t"] in self.transfers:
            raise Bad("one end of the transfer is another transfer's")
        transfer = Transfer(line["dir"], slot, host, line["len"])
        self.transfers[line["t"]] = self.pins[slot] = self.host_pins[host] = transfer

    def _transfer_submit(self, line: Line) -> None:
        transfer = self.transfers[line["t"]]
        transfer.submitted = True
        slot, after = transfer.slot, line.get("after")
        for work in self.not_waited_for(after):
            if slot in work.writes() or (slot in work.reads() and transfer.dir in ("h2d", "in")):
                raise Bad(f"the transfer does not wait for batch {work.batch}")
        if transfer.dir in ("h2d", "in"):
            state = self.hosts.get(transfer.host)
            if state is not None and state[1] != transfer.len:
                raise Bad(f"loads {state} as {transfer.len} tokens")
            self.put(slot, state)
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
        self.put(transfer.slot, JUNK)
        if transfer.slot in self.entries:
            raise Bad(f"slot {transfer.slot} is cached, and its load was aborted")

    def _unpin(self, line: Line) -> Transfer:
        transfer = self.transfers.pop(line["t"])
        del self.pins[transfer.slot], self.host_pins[transfer.host]
        return transfer

    def _stop(self, line: Line) -> None:
        """The last line; what it says is the verdict's."""
