"""What slots hold while a device works through what it was given: the ground truth, slow and plain.

A state is (text, tokens). Two requests have the same state where one's text extends the other's and the state is that
short. Two devices run side by side: one does everything at once, the other only what it must have done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any


class Bad(Exception):
    """The trace is bad, and why."""


@dataclass(eq=False)
class Text:
    """The text of one life of a request: its first `at` tokens are those of `parent`."""

    name: str
    parent: Text | None = None
    at: int = 0

    def prefix(self, tokens: int) -> State:
        text = self
        while text.parent is not None and tokens <= text.at:
            text = text.parent
        return (text, tokens) if tokens else EMPTY


State = tuple[Text | None, int | tuple[int, int]]  # a pair: any of these lengths
EMPTY: State = (None, 0)
JUNK: State = (None, -1)  # whatever was there before
BLUR: State = (None, -2)  # a verify may have written it, and nothing says how many tokens it accepted


@dataclass(eq=False)
class Life:
    """One life of a request. `adopts`: its text is that of the first state that it starts from."""

    name: str
    epoch: int
    text: Text
    adopts: bool = False
    admitted: bool = False
    over: bool = False
    again: bool = False
    hit: bool | None = None
    rows: int = 0
    session: Any = None
    shares: set[int] = field(default_factory=set)
    told: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Row:
    """A row as launched. `excused`: the recorder may have kept silent about what filled the slot that it reads."""

    life: Life
    batch: int
    fields: dict[str, Any]
    excused: bool
    base: int | None = None
    before: list[Row] = field(default_factory=list)
    accepted: int | None = None

    @property
    def verify(self) -> bool:
        return bool(self.fields["kind"] == "verify")

    @property
    def targets(self) -> list[int]:
        own = self.fields.get("may", []) if self.verify else [mark["slot"] for mark in self.fields["marks"]]
        return [self.fields["writes"], *(slot for slot in own if slot is not None)]


@dataclass(eq=False)
class Work:
    """One thing in the queue: a batch (numbered), or a move of another stream, which has rows of none."""

    batch: int | None
    clears: list[int] = field(default_factory=list)
    copies: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    puts: dict[int, State | None] = field(default_factory=dict)
    fresh: int | None = None
    """A slot with a new owner: what nobody knows of it before is of no use from then on."""

    def reads(self) -> set[int]:
        return {copy["from"] for copy in self.copies} | {row.fields["reads"] for row in self.rows}

    def writes(self) -> set[int]:
        targets = {slot for row in self.rows for slot in row.targets}
        return targets | set(self.clears) | {copy["to"] for copy in self.copies} | set(self.puts)


@dataclass
class World:
    """Contents of the slots (a missing one: unknown), and what each verify has written: (tokens, slot) or None."""

    contents: dict[int, State] = field(default_factory=dict)
    wrote: dict[Row, tuple[int, int] | None] = field(default_factory=dict)

    def put(self, slot: int, state: State | None) -> None:
        self.contents.pop(slot, None)
        if state is not None:
            self.contents[slot] = state

    def run(self, work: Work, grid: int | None, accepted: dict[Row, int], strict: bool = True) -> None:
        """Do one piece of work. Not `strict`: what starts wrong has been judged elsewhere."""
        for slot, state in work.puts.items():
            self.put(slot, state)
        if work.fresh is not None:
            self.contents.setdefault(work.fresh, JUNK)
        for slot in work.clears:
            self.contents[slot] = EMPTY
        for copy in work.copies:
            self._copy(copy, strict)
        for row in work.rows:
            if row.verify:
                self._verify(row, grid, accepted.get(row, row.accepted), strict)
            else:
                self._exact(row, strict)

    def _copy(self, copy: dict[str, Any], strict: bool) -> None:
        state = self.contents.get(copy["from"])
        life = copy.get("life")
        if strict and state is not None:
            same = life is None or life.adopts or state == life.text.prefix(copy["len"])
            if state[1] != copy["len"] or not same:
                raise Bad(f"copies {state} as {copy['len']} tokens")
        if state is None and life is not None and not life.adopts:
            state = self.contents[copy["from"]] = life.text.prefix(copy["len"])
        self.put(copy["to"], state)

    def _start(self, row: Row, strict: bool) -> None:
        """The row reads a state of exactly `start` tokens of its own text."""
        slot, start, life = row.fields["reads"], row.fields["start"], row.life
        if slot is None:
            return
        state = self.contents.get(slot)
        if life.adopts and state is not None and state[0] is not None and state[1] == start:
            life.text.parent, life.text.at, life.adopts = state[0], start, False
        if row.excused:
            return
        if state is None:
            self.contents[slot] = life.text.prefix(start)
        elif strict and state != life.text.prefix(start):
            raise Bad(f"{life.name} starts at {start} from {state}")

    def _exact(self, row: Row, strict: bool) -> None:
        self._start(row, strict)
        text = row.life.text
        row.life.adopts = False
        self.contents[row.fields["writes"]] = text.prefix(row.fields["len"])
        for mark in row.fields["marks"]:
            self.contents[mark["slot"]] = text.prefix(mark["len"])

    def _verify(self, row: Row, grid: int | None, accepted: int | None, strict: bool) -> None:
        f, text = row.fields, row.life.text
        state = self.contents.get(f["reads"])
        first, last = f["low"], f["high"] - f["tokens"]
        if state is not None:
            lowest, highest = state[1] if isinstance(state[1], tuple) else (state[1], state[1])
            if strict and (state[0] != text.prefix(highest)[0] or lowest > last or highest < first):
                raise Bad(f"{row.life.name} verifies from {state}, not from {first} to {last}")
            first, last = max(first, lowest), min(last, highest)
        start = first if first == last else None
        end = (first + (accepted or 1), last + (accepted or f["tokens"]))
        self.contents[f["writes"]] = text.prefix(end[0]) if end[0] == end[1] else (text, end)
        mark = end[1] // grid * grid if grid else 0
        if mark <= first:
            self.wrote[row] = None
            return
        slots = self._position(row)
        certain = start is not None and accepted is not None
        if certain:
            self.wrote[row] = (mark, slots[0]) if slots else None
        for slot in slots if certain else [slot for slot in f["may"] if slot is not None]:
            self.contents[slot] = text.prefix(mark) if certain else BLUR

    def _position(self, row: Row) -> list[int]:
        """Where a crossing goes: to the one slot that was planned, or as many positions on as were written before."""
        may = row.fields["may"]
        if row.base is None:
            return [slot for slot in may if slot is not None]
        slot = may[(row.base + sum(self.wrote.get(other) is not None for other in row.before)) % len(may)]
        return [] if slot is None else [slot]


@dataclass
class Device:
    """A device that is `late` does a batch when its result is processed; the other one at once."""

    late: bool
    grid: int | None
    world: World = field(default_factory=World)
    queue: list[Work] = field(default_factory=list)

    def give(self, work: Work) -> None:
        self.queue.append(work)
        if not self.late:
            self._run(len(self.queue))

    def certain(self, batch: int) -> None:
        """Everything up to this batch has run."""
        numbers = [at for at, work in enumerate(self.queue, 1) if work.batch is not None and work.batch <= batch]
        self._run(numbers[-1] if numbers else 0)

    def _run(self, count: int) -> None:
        for _ in range(count):
            self.world.run(self.queue.pop(0), self.grid, {})

    def pending_rows(self, life: Life) -> list[Row]:
        return [row for work in self.queue for row in work.rows if row.life is life]

    def futures(self, slot: int, after: int | None = None) -> list[list[State | None]]:
        """What the slot may hold from now on, one list for each way in which pending verifies may go.

        `after`: from that batch on. What has been launched is done in order; nothing new is launched.
        """
        rows = [row for work in self.queue for row in work.rows if row.verify]
        lives = {row.life for row in rows if slot in row.targets}
        rows = [row for row in rows if row.life in lives]
        found = []
        for counts in product(*(range(1, row.fields["tokens"] + 1) for row in rows)):
            world = World(dict(self.world.contents), dict(self.world.wrote))
            seen = [world.contents.get(slot)]
            for work in self.queue:
                world.run(work, self.grid, dict(zip(rows, counts, strict=True)), strict=False)
                if after is not None and work.batch is not None and work.batch <= after:
                    seen = [world.contents.get(slot)]
                elif slot in work.writes():
                    seen.append(world.contents.get(slot))
            found.append(seen)
        return found
