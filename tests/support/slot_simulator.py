"""The oracle of format 2: says of a trace whether it is bad, from nothing but its lines and the page of the format.

Two devices hold contents (tests/support/slot_device.py), a ledger owners and labels (tests/support/slot_ledger.py);
this file and tests/support/slot_moves.py follow the events. It is slow, and it stops at the first bad line.

Where the page leaves a choice, this is the reading here:

 1. A slot that the trace has not named before belongs to whoever it turns up with, also where `takes` is known: a trace
    may start in the middle, and the page's own second example admits a request into slots that nobody took.
 2. What lies in a slot that is taken is of no use to the taker: a first row that reads it starts wrong, unless
    something that the recorder does not know (`copies`, `transfers`, for start 0 `clears`) may have filled it.
 3. A hit of a slot that is not in the cache is bad, and so is a copy or a row that reads a free slot: the slot has two
    users, whether or not somebody has written it since.
 4. A `wrote` that is not what the row wrote is bad (the third example asks for it), and so is `retained` > `accepted`.
    Other pointers of a running request (`last`, `last_len`, `next`) are no fault of their own.
 5. A pending verify of which nothing is known may have accepted any count: a publication of a slot that one of them
    reaches is bad, whatever its result says later.
 6. The result of a skipped verify need not say a count; without one its working slot is then of no known
    length for ever.
 7. A copy names the tokens that it copies: a source of another length or text is bad.
 8. A batch may write the dump (a reserved slot) any number of times.
 9. A wait for a transfer that has not been submitted is no wait. Batches launched after one that waited come after
    the transfer as well, so they may read and write its ends before the `ack`; the CPU may not free or evict them.
10. `t` of a `transfer` line is the transfer's name; such a line has no clock.
11. What a life or a session still owns at its end is a leak, and a leak is no bad verdict. The slot stays with the
    dead: whoever takes it without a `free` is its second owner.
12. A row of a life that is over is bad, and so are two rows of one life in a batch, a mark that its row does not
    pass, and one whose slot is not what the row's `ring` has at its `pos` (the first example asks for it).
13. A request that was retracted or preempted comes back with the same text: it may start from what it saved.
14. A copy outside any batch conflicts with every pending batch that it does not wait for and that touches its ends. It
    comes before the batches launched after it, and has certainly been done when one of those has been processed.
15. What a result shows as new in a ring may be taken, or freed by its former owner, anywhere in the processing of that
    result, so also after the `process` line: it must be the request's when that result is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.support.slot_device import Bad, Life, Row, Work
from tests.support.slot_ledger import CACHE, Line, differ, name_of
from tests.support.slot_moves import Moves


@dataclass(frozen=True)
class Finding:
    """What the oracle says: the outcome, and of a bad one the line (the header is 1) and why.

    Beside the page's outcomes there is `unreadable`, for lines that no recorder of the format would write.
    """

    outcome: str
    line: int | None = None
    why: str = ""
    leaks: int = 0


class Simulator(Moves):
    """Replays one trace. `feed` raises Bad."""

    def run(self) -> Finding:
        number = 1
        stop = "cut"
        for number, line in enumerate(self.lines[1:], 2):
            try:
                self.feed(line)
            except Bad as bad:
                return Finding("bad", number, str(bad), self.leaks.total())
            except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
                return Finding("unreadable", number, repr(error), self.leaks.total())
            if line["e"] == "stop":
                stop = "not covered" if line["why"] == "not covered" else "good"
        return Finding(stop, number, "", self.leaks.total())

    def feed(self, line: Line) -> None:
        during = line.get("during")
        if during is not None:
            for device in self.devices:
                device.certain(during)
        if line["e"] in ("launch", "admit", "process", "stop"):
            self._arrive()
        getattr(self, "_" + line["e"])(line)

    def _arrive(self) -> None:
        """A result is over: what it showed in rings, and they still have, is their requests'."""
        arrivals, self.arrivals = self.arrivals, []
        for life, slot in arrivals:
            if not life.over and slot in life.told.get("ring", [slot]):
                self.claim(slot, life)

    def _admit(self, line: Line) -> None:
        known = self.lives.get(line["r"], [])[-1:]
        if known and not (known[0].admitted or known[0].over or known[0].rows):
            life = known[0]
            life.epoch = line.get("epoch", life.epoch)
        else:
            life = self.new_life(line)
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
            raise Bad(f"a hit of slot {slot} of {name_of(owner)}")
        elif entry.state[1] != hit["len"] or differ(entry.digest, hit.get("text")):
            raise Bad(f"a hit of slot {slot} as {hit['len']} tokens, it is cached as {entry.state}")
        else:
            life.text.parent, life.text.at, life.adopts = entry.state[0], hit["len"], False

    def _remember(self, life: Life, fields: Line) -> None:
        life.told.update({key: fields[key] for key in ("ring", "next") if key in fields})

    def _end(self, line: Line) -> None:
        life = self.life(line)
        life.over = True
        life.told["why"] = line["why"]
        self.leaves(life, [])
        saved = line.get("saved")
        if saved and saved["host"] in self.hosts and self.hosts[saved["host"]][1] != saved["len"]:
            raise Bad(f"saved as {saved['len']} tokens, the host has {self.hosts[saved['host']]}")

    # Batches

    def _launch(self, line: Line) -> None:
        copies = [
            dict(copy, life=self.life(copy) if copy.get("r") is not None else None) for copy in line.get("copies", ())
        ]
        for name in line.get("waits", ()):
            if name in self.transfers and self.transfers[name].submitted:
                self.transfers[name].awaited = True
        for slot in line.get("clears", ()):
            self.written(slot)
        for copy in copies:
            self.reading(copy["from"])
            self._copy_text(copy)
            self.target(copy["to"], copy["life"])
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
            self.reading(reads)
        if reads not in life.shares:
            life.shares.clear()
        life.shares &= {reads}
        row = Row(life, batch, fields, self._excused(life, reads, start))
        again = {mark["slot"] for mark in fields.get("marks", ()) if self._is_entry(life, mark)}
        for slot in row.targets:
            if slot not in again:
                self.target(slot, life)
        self._remember(life, fields)
        for slot in life.told.get("ring", ()) if "ring" in fields or fields.get("same") else ():
            if slot is not None:
                self.claim(slot, life)
        for mark in fields.get("marks", ()):
            if mark["slot"] not in self.reserved and not fields["start"] <= mark["len"] <= fields["len"]:
                raise Bad(f"{life.name} does not pass {mark['len']}")
            shown = life.told.get("ring") if "ring" in fields or fields.get("same") else None
            if "pos" in mark and shown is not None and shown[mark["pos"]] != mark["slot"]:
                raise Bad(f"{life.name} has another slot at position {mark['pos']} than {mark['slot']}")
        if row.verify:
            row.accepted = self.accepted.get((life.name, batch))
            row.before = [other for other in self.late.pending_rows(life) if other.verify]
            row.base = life.told.get("next") if self.header.get("crossing") == "counted" else None
        life.rows += 1
        return row

    def _is_entry(self, life: Life, mark: Line) -> bool:
        """A row that writes what the cache has there already does it no harm."""
        entry = self.entries.get(mark["slot"])
        if entry is None or life.adopts:
            return entry is not None and entry.state[1] == mark["len"]
        return entry.state == life.text.prefix(mark["len"])

    def _excused(self, life: Life, reads: int | None, start: int | None) -> bool:
        if start == 0:
            return reads is not None and "clears" not in self.knows
        if life.rows or life.session is not None or reads is None:
            return False
        silent = {"copies"} if life.hit else {"copies", "transfers"}
        return not silent <= self.knows and reads not in self.entries

    def _process(self, line: Line) -> None:
        for device in self.devices:
            device.certain(line["b"])
        for fields in line["rows"]:
            life = self.life(fields)
            if fields["skipped"]:
                continue
            self._result(life, line["b"], fields)
            self._remember(life, fields)
            if not fields["done"] and not life.over and ("ring" in fields or fields.get("same")):
                shown = [slot for slot in life.told.get("ring", ()) if slot is not None]
                self.arrivals += [(life, slot) for slot in shown if not self.uses(life, slot)]

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


def oracle(lines: list[Line]) -> Finding:
    """What the page says of these lines."""
    return Simulator(lines).run()
