"""Trace format 1, which is still read: each line is turned into events of format 2.

It was made for one engine's decode path, and says less: null is "none" or "unknown", a slot is taken where it turns up,
a request is over where a result says so or where a slot that it still uses is freed (abort and retraction have no
event), and what a result publishes and frees follows its line. `Upgrade` makes that explicit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from checker.traces import format as new

Natural = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Positive = Annotated[int, Meta(ge=1, le=(1 << 63) - 1)]
Ring1 = tuple[Natural | None, ...]
Pointer = int | None | UnsetType


class Unreadable(ValueError):
    """An event that cannot follow those before it."""


class Header1(Struct, frozen=True, omit_defaults=True):
    """The first line: sizes and choices of the recorded engine.

    `slots` ids are allowed, `first_slot` .. `first_slot + slots - 1`; `ring` is the number of ring positions and
    `lookahead` the number of batches that the scheduler runs ahead.
    """

    trace: Literal[1]
    engine: str
    mode: Literal["eager", "lazy"]
    interval: Positive
    ring: new.Positions
    slots: Positive
    first_slot: Natural
    lookahead: Natural
    without_spare: Literal["overwrite", "skip"] = "overwrite"
    """What the engine does where a lazy boundary row gets no spare; a header need not say."""


class Admit1(Struct, frozen=True, gc=False, tag="admit", tag_field="e"):
    """A request takes its working slot and fills its ring."""

    r: str
    working: Natural | None
    ring: Ring1
    next: Natural | None
    last: Natural | None


class PrefillRow1(Struct, frozen=True, gc=False):
    """One request in a prefill batch; `next`, `last` and `ring` are its values after preparation.

    The request starts from a cached state of `prefix` tokens, copied from slot `copy_from` before this forward; the
    forward leaves the state after `len` tokens in the working slot and the one after `mark` tokens in `slot`.
    """

    r: str
    len: Positive
    prefix: Natural
    copy_from: Natural | None
    mark: Natural | None
    slot: Natural | None
    pos: Natural | None
    next: Natural | None
    last: Natural | None
    ring: Ring1


class PrepareRow1(Struct, frozen=True, gc=False):
    """One request in a decode batch; `count` is its decode count and `len` its length with this step."""

    r: str
    count: Natural
    len: Positive
    mark: Natural | None
    slot: Natural | None
    pos: Natural | None
    next: Natural | None
    last: Natural | None
    ring: Ring1


class ProcessRow1(Struct, frozen=True, gc=False):
    """One request in a result: `skipped` rows were ignored, a `done` one finished here.

    Any other row carries the request's pointers, label and ring after processing; a decode row that wasn't skipped
    carries the lookahead that the engine computed (not restricted here: a wrong one is what a judge looks for).
    """

    r: str
    skipped: bool
    done: bool
    lookahead: int | UnsetType = UNSET
    next: Natural | UnsetType | None = UNSET
    last: Natural | UnsetType | None = UNSET
    last_len: Natural | UnsetType | None = UNSET
    ring: Ring1 | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.skipped or self.done:
            return
        for name in ("next", "last", "last_len", "ring"):
            if getattr(self, name) is UNSET:
                raise ValueError(f"a row that is neither skipped nor done needs the field `{name}`")


class Prefill1(Struct, frozen=True, gc=False, tag="prefill", tag_field="e"):
    """Prefill batch `b` has been prepared and launched."""

    b: Natural
    rows: tuple[PrefillRow1, ...]


class Prepare1(Struct, frozen=True, gc=False, tag="prepare", tag_field="e"):
    """Decode batch `b` has been prepared and launched."""

    b: Natural
    rows: tuple[PrepareRow1, ...]


class Process1(Struct, frozen=True, gc=False, tag="process", tag_field="e"):
    """The result of batch `b` has been processed; its effects (`publish`, `free`) follow as events of their own."""

    b: Natural
    rows: tuple[ProcessRow1, ...]


class Publish1(Struct, frozen=True, gc=False, tag="publish", tag_field="e"):
    """`slot` now belongs to the cache under the first `len` tokens of request `r`.

    `stored` False: that key was cached already, and the slot stays with its owner.
    """

    r: str
    slot: new.Id
    len: Natural
    stored: bool


class Free1(Struct, frozen=True, gc=False, tag="free", tag_field="e"):
    """The slots go back to the free list. A null among them is the absent marker, which nobody may free."""

    slots: tuple[new.Id, ...]


class Evict1(Struct, frozen=True, gc=False, tag="evict", tag_field="e"):
    """The cache gives up `slot`, which is free from now on."""

    slot: new.Id


Event1 = Admit1 | Prefill1 | Prepare1 | Process1 | Publish1 | Free1 | Evict1


class OldRequest:
    """What is known of a request from its lines: its slots, and which pointers it ever showed."""

    def __init__(self, event: Admit1) -> None:
        self.working = event.working
        self.ring: Ring1 = ()
        self.started = False
        self.shows_next = self.shows_last = False
        self.owned: set[int] = set()

    def pointers(self, next_: Pointer, last: Pointer) -> tuple[Pointer, Pointer]:
        """Return `next` and `last`: null is unknown as long as there never was one, and none from then on."""
        if next_ is not None:
            self.shows_next = True
        elif not self.shows_next:
            next_ = UNSET
        if last is not None:
            self.shows_last = True
        elif not self.shows_last:
            last = UNSET
        return next_, last


class WholeHeader(new.Header, frozen=True, omit_defaults=True):
    """The header of a trace that begins where its engine begins: a slot that no line has named is free."""

    is_whole = True


class Upgrade:
    """Turns the events of one trace of format 1 into those of format 2. Memory: running requests and their slots."""

    def __init__(self, header: Header1) -> None:
        self.header: new.Header = WholeHeader(
            trace=2,
            engine=header.engine,
            mode=header.mode,
            slots=header.slots,
            first_slot=header.first_slot,
            lookahead=header.lookahead,
            ring=header.ring,
            interval=header.interval,
            without_spare=header.without_spare,
            prefill_grid=header.interval,
            knows=("takes", "frees", "evicts", "ends", "copies", "transfers", "sessions"),
        )
        self._requests: dict[str, OldRequest] = {}
        self._leaving: dict[str, Literal["finish", "abort"]] = {}
        self._turned_up: list[tuple[int, str, int]] = []
        """What a result shows as new in rings: line, request, slot. That very result may have freed it before."""
        self._owners: dict[int, str] = {}
        self._disputed: set[int] = set()
        self._pending: deque[tuple[int, bool]] = (
            deque()
        )  # batches that have no result yet, and whether each is a prefill
        self._any = False

    def events(self, line: int, event: Event1) -> Iterator[tuple[int, new.Event]]:
        """Yield what a line says; raises Unreadable."""
        self._any = True
        if isinstance(event, Publish1):
            yield from self._taken_before(event.slot)
            owner = None if event.slot is None else self._owners.get(event.slot)
            if event.stored and owner is not None and event.slot is not None:
                self._drop(event.slot)
            yield line, new.Publish(r=event.r, slot=event.slot, len=event.len, stored=event.stored)
            return
        if isinstance(event, Free1):
            for slot in event.slots:
                yield from self._taken_before(slot)
                self._freed(slot)
            yield line, new.Free(slots=event.slots)
            return
        if isinstance(event, Evict1):
            yield line, new.Evict(slot=event.slot)
            return
        yield from self._settled(line)
        if isinstance(event, Admit1):
            yield from self._admit(line, event)
        elif isinstance(event, Process1):
            yield from self._process(line, event)
        else:
            yield from self._launch(line, event)

    def rest(self, line: int, cut: bool) -> Iterator[tuple[int, new.Event]]:
        """Yield what the end of the file says: the last line, unless it is cut."""
        yield from self._takes_of_results()
        if self._any and not cut and not self._pending and self._requests.keys() <= self._leaving.keys():
            yield from self._settled(line)
            yield line, new.Stop(why="closed")

    def _settled(self, line: int) -> Iterator[tuple[int, new.Event]]:
        """Yield what the effects of the last result, all of which have been read, come to."""
        yield from self._takes_of_results()
        for name, why in self._leaving.items():
            for slot in self._requests.pop(name).owned:
                self._owners.pop(slot, None)
            yield line, new.End(r=name, why=why)
        self._leaving.clear()

    def _takes_of_results(self) -> Iterator[tuple[int, new.Event]]:
        for line, name, slot in self._turned_up:
            if name in self._requests:
                yield from self._take(line, name, self._requests[name], (slot,))
        self._turned_up.clear()

    def _taken_before(self, slot: int | None) -> Iterator[tuple[int, new.Event]]:
        """Yield the taking of a slot that turned up in a result, is nobody's, and is given away again already."""
        for found in self._turned_up:
            if found[2] == slot and slot not in self._owners and found[1] in self._requests:
                self._turned_up.remove(found)
                yield from self._take(found[0], found[1], self._requests[found[1]], (slot,))
                return

    def _take(self, line: int, name: str, request: OldRequest, slots: Ring1) -> Iterator[tuple[int, new.Event]]:
        found = tuple(slot for slot in dict.fromkeys(slots) if slot is not None and slot not in request.owned)
        for slot in found:
            if slot in self._owners:
                self._disputed.add(slot)
            self._drop(slot)
            self._owners[slot] = name
            request.owned.add(slot)
        if found:
            yield line, new.Take(slots=found, r=name)

    def _drop(self, slot: int) -> None:
        owner = self._owners.pop(slot, None)
        if owner is not None and owner in self._requests:
            self._requests[owner].owned.discard(slot)

    def _freed(self, slot: int | None) -> None:
        owner = None if slot is None else self._owners.get(slot)
        if slot is None or owner is None:
            return
        if slot in self._disputed:
            # Two have had it; that one of them gives it back says nothing of the other.
            self._disputed.discard(slot)
            return
        request = self._requests[owner]
        if slot == request.working or slot in request.ring:
            self._leaving.setdefault(owner, "abort")
        self._drop(slot)

    def _admit(self, line: int, event: Admit1) -> Iterator[tuple[int, new.Event]]:
        if event.r in self._requests:
            raise Unreadable(f"request {event.r} is admitted, and is running already")
        request = self._requests[event.r] = OldRequest(event)
        request.ring = event.ring
        yield from self._take(line, event.r, request, (event.working, *event.ring))
        working = UNSET if event.working is None else event.working
        next_, last = request.pointers(event.next, event.last)
        yield line, new.Admit(r=event.r, working=working, ring=event.ring, next=next_, last=last)

    def _launch(self, line: int, event: Prefill1 | Prepare1) -> Iterator[tuple[int, new.Event]]:
        rows: list[new.Row] = []
        copies: list[new.CopiedState] = []
        for row in event.rows:
            request = self._requests.get(row.r)
            if request is None:
                rows.append(self._row(row, OldRequest(Admit1(row.r, None, (), None, None)), copies))
                continue
            if row.ring != request.ring:
                request.ring = row.ring
                yield from self._take(line, row.r, request, row.ring)
            rows.append(self._row(row, request, copies))
        self._pending.append((event.b, isinstance(event, Prefill1)))
        yield line, new.Launch(b=event.b, rows=tuple(rows), copies=tuple(copies))

    def _row(self, row: PrefillRow1 | PrepareRow1, request: OldRequest, copies: list[new.CopiedState]) -> new.Row:
        working: new.Id | UnsetType = UNSET if request.working is None else request.working
        marks: tuple[new.Mark, ...] = ()
        if row.mark is not None:
            slot: new.Id | UnsetType = UNSET if row.slot is None else row.slot
            marks = (new.Mark(row.mark, slot, UNSET if row.pos is None else row.pos),)
        elif row.slot is not None or row.pos is not None:
            raise Unreadable(
                f"the row of {row.r} has no mark, and names slot {row.slot} and position {row.pos}; "
                "a row that writes no checkpoint has null for all three"
            )
        next_, last = request.pointers(row.next, row.last)
        if isinstance(row, PrepareRow1):
            return new.DecodeRow(
                r=row.r, reads=working, writes=working, start=row.len - 1, len=row.len, marks=marks,
                count=row.count, next=next_, last=last, ring=row.ring,
            )  # fmt: skip
        start: int | UnsetType = row.prefix
        reads: new.Id | UnsetType = working
        if row.copy_from is not None or (row.prefix and not request.started):
            # A copy from an unknown slot is one all the same.
            source: new.Id | UnsetType = UNSET if row.copy_from is None else row.copy_from
            copies.append(new.CopiedState(source, working, row.prefix, row.r))
        elif not request.started:
            reads = None
        elif not row.prefix:
            start = UNSET
        request.started = True
        return new.PrefillRow(
            r=row.r, reads=reads, writes=working, start=start, len=row.len, marks=marks,
            next=next_, last=last, ring=row.ring,
        )  # fmt: skip

    def _process(self, line: int, event: Process1) -> Iterator[tuple[int, new.Event]]:
        rows = []
        b, prefill = self._pending.popleft() if self._pending else (event.b, True)
        for row in event.rows:
            request = self._requests.get(row.r)
            next_: int | None | UnsetType = UNSET
            last: int | None | UnsetType = UNSET
            if not prefill and b == event.b and not row.skipped and row.lookahead is UNSET:
                raise Unreadable(f"the row of {row.r} was decoded, so it needs the field `lookahead`")
            if request is not None and not row.skipped:
                if row.done:
                    self._leaving.setdefault(row.r, "finish")
                else:
                    next_, last = request.pointers(row.next, row.last)
                    if isinstance(row.ring, tuple) and row.ring != request.ring:
                        request.ring = row.ring
                        new_here = [slot for slot in row.ring if slot is not None and slot not in request.owned]
                        self._turned_up += [(line, row.r, slot) for slot in dict.fromkeys(new_here)]
            rows.append(
                new.ResultRow(
                    r=row.r, skipped=row.skipped, done=row.done, lookahead=row.lookahead, next=next_, last=last,
                    last_len=row.last_len, ring=row.ring,
                )
            )  # fmt: skip
        yield line, new.Process(b=event.b, rows=tuple(rows))
