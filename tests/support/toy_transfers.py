"""The host tier of the toy engine: write-back, load, and requests that are saved when they are retracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support.toy_parts import CacheEntry, Line, ToyRequest

if TYPE_CHECKING:
    from tests.support.toy_engine import ToyEngine as Engine
else:
    Engine = object

HOSTS = 6


@dataclass(eq=False)
class ToyTransfer:
    """One transfer on its way; `entry`: of the cache, None: a request's own."""

    dir: str
    slot: int
    host: int
    len: int
    entry: CacheEntry | None
    submitted: bool = False


class Transfers(Engine):
    """Queue, submit, acknowledge, abort."""

    def start(self, direction: str, slot: int, host: int, tokens: int, entry: CacheEntry | None = None) -> int:
        self.serial += 1
        if self.wrong("transfer-of-other-length"):
            tokens += 1
        self.transfers[self.serial] = ToyTransfer(direction, slot, host, tokens, entry)
        self.tell("queue", self.serial)
        return self.serial

    def tell(self, op: str, name: int, **fields: Any) -> None:
        transfer = self.transfers[name]
        ends = {"dir": transfer.dir, "slot": transfer.slot, "host": transfer.host, "len": transfer.len}
        self.say("transfer", op=op, t=name, **ends, **fields)

    def submit(self, name: int) -> None:
        """A write-back waits for the row that fills its slot, a load for everything that was launched."""
        transfer = self.transfers[name]
        transfer.submitted = True
        after = self.newest_writer(transfer.slot) if transfer.dir == "d2h" else self.batch - 1
        if after is not None and (after < 0 or self.wrong("transfer-unfenced")):
            after = None
        self.tell("submit", name, after=after)

    def newest_writer(self, slot: int) -> int | None:
        """The newest pending batch that may write the slot."""
        pending = {rows[0].batch for rows in self.pending}
        for line in reversed(self.lines):
            if line["e"] == "launch" and line["b"] in pending:
                targets = [copy["to"] for copy in line.get("copies", ())]
                for row in line["rows"]:
                    targets += [row["writes"], *row.get("may", ()), *(mark["slot"] for mark in row.get("marks", ()))]
                if slot in targets:
                    return int(line["b"])
        return None

    def finish_transfer(self, name: int, op: str = "ack") -> None:
        self.tell(op, name)
        transfer = self.transfers.pop(name)
        if transfer.entry is not None:
            transfer.entry.transfer = transfer.entry.loading = None
            if op == "ack" and transfer.dir == "d2h":
                transfer.entry.host = transfer.host

    def wait_for(self, name: int, batch: Line) -> None:
        """The batch reads what is being loaded."""
        if name in self.transfers and name not in batch["waits"] and not self.wrong("wait-missing"):
            batch["waits"].append(name)

    def host(self) -> int | None:
        """A free place on the host, if need be from an entry that has both copies."""
        used = {entry.host for entry in self.cache} | {transfer.host for transfer in self.transfers.values()}
        used |= {request.saved[0] for request in self.waiting if request.saved is not None}
        free = [host for host in range(HOSTS) if host not in used]
        for entry in self.cache:
            if not free and entry.slot is not None and entry.host is not None and entry.transfer is None:
                free, entry.host = [entry.host], None
        return self.rng.choice(free) if free else None

    def transfer_step(self) -> None:
        """Start one, or let one of those on their way go on."""
        if self.transfers and self.chance(0.6):
            name = self.rng.choice(list(self.transfers))
            transfer = self.transfers[name]
            if not transfer.submitted:
                self.finish_transfer(name, "abort") if self.chance(0.15) else self.submit(name)
            elif transfer.dir == "d2h" and self.chance(0.1):
                self.finish_transfer(name, "abort")
            else:
                self.finish_transfer(name)
            return
        both = [entry for entry in self.cache if entry.slot is not None and entry.host is not None]
        for entry in both:
            if not self.busy(entry) and self.chance(0.5):
                self.evict(entry)
                return
        kept = [entry for entry in self.cache if entry.transfer is None and (entry.slot is None or entry.host is None)]
        if not kept:
            return
        entry = self.rng.choice(kept)
        if entry.copied > self.batch - len(self.pending):
            return
        if entry.slot is not None:
            host = self.host()
            if host is not None:
                entry.transfer = self.start("d2h", entry.slot, host, entry.len, entry)
        else:
            self.load(entry)

    def load(self, entry: CacheEntry) -> None:
        """A hit of a host copy is expected: load it, and publish the slot, which is promised."""
        entry.transfer = -1
        slots = self.take(1, r=None)
        entry.transfer = None
        if slots is None or entry.host is None:
            return
        slot, entry.slot = slots[0], slots[0]
        entry.transfer = entry.loading = self.start("h2d", slot, entry.host, entry.len, entry)
        self.submit(entry.loading)
        self.say("publish", slot=slot, len=entry.len, stored=True)

    def save(self, request: ToyRequest, again: ToyRequest) -> Line | None:
        """What is retracted may leave its working state on the host."""
        idle = not request.pending and request.source is None and request.loading is None
        if not self.settings.transfers or self.settings.style == "moving" or not idle or not request.exact:
            return None
        host = self.host() if request.len and request.len == request.committed and self.chance(0.7) else None
        if host is None or request.working is None:
            return None
        name = self.start("d2h", request.working, host, request.len)
        self.submit(name)
        self.finish_transfer(name)
        again.saved = (host, request.len)
        again.prompt = max(again.prompt, request.len + 1)
        length = request.len + self.wrong("saved-as-longer")
        return {"host": host, "len": length}

    def restore(self, request: ToyRequest) -> None:
        """The saved state goes straight to the working slot."""
        if request.saved is not None and request.working is not None:
            host, request.len = request.saved
            request.low = request.high = request.committed = request.len
            request.saved, request.clear = None, False
            request.loading = self.start("h2d", request.working, host, request.len)
            self.submit(request.loading)
