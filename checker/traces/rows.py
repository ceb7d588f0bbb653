"""One row at a time: what a launched row and its result change in a request, and the hazards that they show."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET

from checker.traces import consistency as checks
from checker.traces.format import BadTrace, Header, PrefillRow, PrepareRow, ProcessRow, Ring
from checker.traces.request import TraceClaim, TraceRequest
from checker.traces.slots import SlotTable
from checker.traces.verdict import HARMFUL_IF, Hazards, Problem


class RowFollower:
    """Follows the rows of every request; shares its slots and hazards with the judge."""

    def __init__(self, header: Header, path: str, table: SlotTable, hazards: Hazards) -> None:
        self._header = header
        self._path = path
        self._table = table
        self._hazards = hazards

    def launch_row(self, line: int, b: int, request: TraceRequest, row: PrefillRow | PrepareRow) -> None:
        """A row of batch `b` was launched: check it against the request, then let the request follow it."""
        header = self._header
        self.check_ring(line, row.ring)
        prefill = isinstance(row, PrefillRow)
        event = "prefill" if prefill else "prepare"
        if isinstance(row, PrefillRow):
            problems = checks.prefill_problems(header, request, row)
        else:
            problems = checks.decode_problems(header, request, row)
        problems += checks.target_problems(header, row)
        problems += checks.launch_pointer_problems(header, request, row)
        problems += self.adopt(line, event, request, row.ring)
        request.prefills += prefill
        problems += checks.held_problems(header, request, row.ring)
        if isinstance(row, PrefillRow):
            if row.copy_from is not None:
                self._table.hit(line, b, request, row.copy_from, row.prefix)
            if row.mark is not None and row.last == row.pos and request.last is not None:
                request.last = row.last
        else:
            request.count = row.count
        start = row.prefix if isinstance(row, PrefillRow) else request.len
        follows = start < row.len if isinstance(row, PrefillRow) else request.started and row.len == start + 1
        if not follows and request.taint is None:
            # What it leaves in the working slot is the state of no text, and so is all that comes after.
            request.taint = -line
        request.started = True
        request.len = row.len
        if row.mark is not None:
            request.claims.append(TraceClaim(b, line, row.mark, row.slot, row.pos, prefill))
            newest = request.newest
            if newest is not None and newest.slot == row.slot and header.mode == "lazy":
                request.newest = None  # An in-place claim gives the old checkpoint up, and says so by its label.
            if row.slot is not None:
                passed = start < row.mark <= row.len
                problems += self._table.write(line, event, b, request, row.slot, row.mark, passed)
        self._advance(request, row.next, lazy_to=row.pos if row.mark is not None else None)
        if request.last is None and prefill:
            request.last = row.last
        self.sync(line, request, "launch", problems)
        self._follow_flip(line, request, row.next)

    def point(
        self, line: int, request: TraceRequest, claim: TraceClaim | None, row: ProcessRow, problems: list[Problem]
    ) -> None:
        """Pointers, label and ring after a result; `claim` is the row's own, `problems` what was found so far."""
        header, ring, next_, last, label = self._header, row.ring, row.next, row.last, row.last_len
        assert isinstance(ring, tuple)
        assert next_ is not UNSET
        assert last is not UNSET
        assert label is not UNSET
        self.check_ring(line, ring)
        problems += checks.process_problems(header, request, claim, row)
        labels = checks.explained_labels(header, request, claim, ring)
        back = self.adopt(line, "process", request, ring)
        self._advance(request, next_)
        if last is not None:
            if claim is not None and claim.pos is not None:
                request.last = claim.pos
            elif request.last is None:
                request.last = last
            request.label = label if label in labels else claim.mark if claim is not None else request.label
        problems += self._label_problems(line, request, label, last, ring)
        problems += back
        self.sync(line, request, "process", problems)
        self._follow_flip(line, request, next_)
        self._ring_apart(line, request, label, last, ring)

    def _follow_flip(self, line: int, request: TraceRequest, next_: int | None) -> None:
        # While a row targets the labelled `last`, the wrong flip behind it has been told already.
        apart = "apart" in request.opened
        problems = [] if apart else checks.flip_problems(self._header, request, next_)
        if not problems and next_ is not None and request.base is not None:
            problems = checks.advance_problems(self._header, request)
            if problems:
                # From here on the count starts anew; after a wrong flip that has been told it does so in silence.
                request.advances = request.boundaries + (next_ - request.base) % self._header.ring
                problems = [] if apart or "flip" in request.opened else problems
        self.sync(line, request, "flip", problems)

    def _label_problems(
        self, line: int, request: TraceRequest, label: int | None, last: int | None, ring: Ring
    ) -> list[Problem]:
        """The label against what the slot at `last` certainly holds."""
        if label is None:
            return []
        if last is None or last >= len(ring):
            marks = {claim.mark for claim in request.claims} | {request.newest.mark if request.newest else None}
            text = f"the label is {label}, which no launched row has written"
            return [] if label in marks | {request.label} else [Problem("process:exact", "exact-label", text)]
        slot = ring[last]
        holds = "" if slot is None else self._table.holds_label(line, request, slot, label)
        text = f"the label says that slot {slot} holds {label} tokens, but it holds {holds}"
        return [Problem("process:exact", "exact-label", text, slot)] if holds else []

    def _ring_apart(self, line: int, request: TraceRequest, label: int | None, last: int | None, ring: Ring) -> None:
        """After a result: a pending decode row must not target `last` while the label is present."""
        slot = None if label is None or last is None or last >= len(ring) else ring[last]
        claims = [claim for claim in request.claims if claim.slot == slot and not claim.prefill]
        if slot is None or not claims:
            self.sync(line, request, "apart", [])
            return
        claim = claims[0]
        text = (
            f"b{claim.batch} (line {claim.line}) will write {request.name}@{claim.mark} into slot {slot} at position "
            f"{last}, which is `last` and labelled {label}"
        )
        root = request.opened.pop("flip", None)
        if root is None:
            self.sync(line, request, "apart", [Problem("apart", "ring-apart", text, slot)])
            request.opened["apart"].line = claim.line
        else:
            # What began as a wrong flip is the same hazard, so it is told once, at its worst.
            root.explanation = f"{text}; since line {root.line} {root.explanation}"
            root.property, root.line, root.slot = "ring-apart", claim.line, slot
            root.harmful_if = HARMFUL_IF["ring-apart"]
            request.opened["apart"] = root

    def adopt(self, line: int, event: str, request: TraceRequest, ring: Ring) -> list[Problem]:
        """Take over the ring that a row shows: new slots are taken, old ones in transit until freed or published.

        Nothing takes a slot out of the ring at preparation, and one that left comes back only if the cache didn't
        want it.
        """
        old, waiting, found = request.ring, set(request.transit), []
        if ring != old:
            named = [number for number in ring if number is not None]
            gone = {number for number in old if number is not None} - set(named)
            if gone and event != "process":
                text = f"preparation took slot {min(gone)} out of the ring"
                found.append(Problem("launch:ring", checks.ODD, text, min(gone)))
                self._table.excuse(line, gone)
            request.transit |= gone
            for position, number in enumerate(ring):
                if number is None or number == old[position]:
                    continue
                if number in request.transit:
                    if not self._table.comes_back(line, number):
                        text = f"slot {number} left the ring and came back"
                        scope = "process" if event == "process" else "launch"
                        found.append(Problem(f"{scope}:ring", checks.ODD, text, number))
                elif number not in old:
                    self._table.take(line, event, request, number, f"ring position {position}")
            for number in sorted({number for number in named if named.count(number) > 1}):
                self._table.twice(line, event, request, number)
            request.ring = ring
        for number in waiting & request.transit:
            self._table.leak(line, request, number)
        request.hush()
        return found

    def _advance(self, request: TraceRequest, next_: int | None, lazy_to: int | None = None) -> None:
        """Follow the producer position: as seen in eager mode, as the rows explain it in lazy mode."""
        if request.next is None:
            request.next = request.base = next_
        elif self._header.mode == "lazy":
            request.next = lazy_to if lazy_to is not None else request.next
        elif next_ is not None:
            request.advances += (next_ - request.next) % self._header.ring
            request.next = next_

    def sync(self, line: int, request: TraceRequest, scope: str, problems: list[Problem]) -> None:
        """Open what `problems` brings, heal what it no longer has; `scope` is the beginning of the keys concerned."""
        self._hazards.sync(line, request.name, request.opened, scope, problems)
        request.hush()

    def tell(self, line: int, request: TraceRequest, problems: Iterable[Problem]) -> None:
        """Hazards of one moment, which nothing can heal."""
        for problem in problems:
            self._hazards.open(line, request.name, problem)

    def check_ring(self, line: int, ring: Ring) -> None:
        """BadTrace unless the ring has as many positions as the header says."""
        if len(ring) != self._header.ring:
            raise BadTrace(
                self._path, line, f"a ring of {len(ring)} positions, and the header says {self._header.ring}"
            )
