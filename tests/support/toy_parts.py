"""What the toy engine is made of: its settings, its cache, its requests and their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

Line = dict[str, Any]


@dataclass
class Settings:
    """One engine. `style` is `ring`, or in mode none `moving` (blocks, read in place) or `snapshot` (copies)."""

    mode: str
    lookahead: int
    slots: int
    interval: int = 4
    grid: int = 2
    ring: int = 2
    window: int = 1
    crossing: str = "planned"
    without_spare: str = "overwrite"
    style: str = "ring"
    first: int = 1
    running: int = 4
    newest_first: bool = False
    dump: bool = False
    clears: bool = False
    sessions: bool = False
    transfers: bool = False
    mixed_skip: bool = False
    relative: bool = False
    result_last: bool = False

    def header(self, knows: list[str]) -> Line:
        line: Line = {"trace": 2, "engine": "toy 1", "mode": self.mode, "slots": self.slots, "first_slot": self.first}
        line |= {"lookahead": self.lookahead, "interval": self.interval, "reserved": [0], "knows": knows}
        if self.mode != "none":
            line |= {"without_spare": self.without_spare, "ring": self.ring, "prefill_grid": self.grid}
            line["grid_from"] = "prefix" if self.relative else "zero"
        if self.window > 1:
            line |= {"window": self.window, "crossing": self.crossing}
        return line


def any_settings(rng: Random, kind: str) -> Settings:
    """Random settings of an engine that has this kind of work."""
    mode = rng.choice(["eager", "lazy"])
    if kind in ("moving", "snapshot"):
        mode = "none"
    lookahead = 0 if kind == "snapshot" else rng.choice([0, 1, 1, 1, 2, 2])
    grid = rng.choice([1, 2, 2, 4])
    chosen = Settings(mode, lookahead, slots=rng.randint(12, 20), grid=grid, interval=grid * rng.choice([1, 2, 2]))
    chosen.ring = rng.choice([2, 2, 3])
    chosen.style = kind if mode == "none" else "ring"
    chosen.without_spare = rng.choice(["overwrite", "skip"])
    if kind == "verify":
        chosen.window = rng.choice([2, 3, 4])
        chosen.crossing = rng.choice(["planned", "counted"])
    chosen.first = rng.choice([0, 1, 1, 7])
    for name in ("newest_first", "dump", "clears", "mixed_skip", "result_last", "relative"):
        setattr(chosen, name, rng.random() < 0.4)
    chosen.result_last &= kind != "verify"
    if kind == "crowd":
        chosen.slots, chosen.running, chosen.lookahead = 400, 80, rng.choice([0, 1])
    chosen.sessions = kind == "sessions" or (kind in ("moving", "verify") and rng.random() < 0.3)
    chosen.transfers = kind == "transfers" or (kind in ("moving", "snapshot") and rng.random() < 0.3)
    return chosen


@dataclass(eq=False)
class CacheEntry:
    """A cached state, on the device, on the host, or on both. `locks`: admitted hits that have not been launched."""

    key: tuple[Any, ...]
    len: int
    slot: int | None = None
    host: int | None = None
    locks: int = 0
    transfer: int | None = None
    loading: int | None = None
    copied: int = 0


@dataclass(eq=False)
class ToyRow:
    """What a batch recorded about one request."""

    request: ToyRequest
    batch: int
    epoch: int
    line: Line
    len: int = 0
    mark: int | None = None
    pos: int | None = None
    slot: int | None = None
    donated: bool = False
    tokens: int = 0
    may: list[int | None] = field(default_factory=list)
    reachable: bool = False
    extra: int | None = None
    waits: int | None = None

    def targets(self) -> set[int | None]:
        """The checkpoint slots that the row may write."""
        return {self.slot, *(self.may if self.reachable else ())} - {None}


@dataclass(eq=False)
class ToyRequest:
    """A request of the toy engine. `len` counts launched rows, `committed` processed ones; `text` has (name, start)."""

    name: str
    text: list[tuple[str, int]]
    prompt: int
    stop: int
    epoch: int = 0
    working: int | None = None
    prefix: int = 0
    ring: list[int | None] = field(default_factory=list)
    next: int = 0
    last: int = 0
    label: int | None = None
    len: int = 0
    low: int = 0
    high: int = 0
    committed: int = 0
    count: int = 0
    pending: list[ToyRow] = field(default_factory=list)
    hit: CacheEntry | None = None
    source: int | None = None
    clear: bool = False
    shared: bool = False
    over: bool = False
    session: ToySession | None = None
    lent: bool = False
    loading: int | None = None
    saved: tuple[int, int] | None = None

    def key(self, tokens: int) -> tuple[Any, ...]:
        return (*((name, start) for name, start in self.text if start < tokens), tokens)

    @property
    def exact(self) -> bool:
        """Whether the CPU knows what the working state covers."""
        return self.low == self.high and not any(row.tokens for row in self.pending)

    def targets(self) -> set[int | None]:
        return {slot for row in self.pending for slot in row.targets()}

    def claims(self) -> set[int | None]:
        return {row.pos for row in self.pending if row.mark is not None}

    def slots(self) -> list[int]:
        own = [*self.ring, None if self.shared else self.working]
        return [slot for slot in own if slot is not None]


@dataclass(eq=False)
class ToySession:
    """A session of the toy engine; `record` is what its idle turn left, None while a turn runs or there is nothing."""

    name: str
    text: list[tuple[str, int]] = field(default_factory=list)
    turns: int = 0
    record: Line | None = None
    busy: bool = False


def digest(key: tuple[Any, ...]) -> str:
    """A digest of the tokens that a key stands for."""
    return ".".join(f"{name}@{start}" for name, start in key[:-1]) + f":{key[-1]}"
