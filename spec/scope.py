"""The bounds and choices of one check: one object, one spelling, printed at the head of every result.

`Scope.parse("requests=2 slots=6 mode=lazy")` and `str(scope)` are inverse to each other.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

EAGER, LAZY = "eager", "lazy"
OVERWRITE, SKIP = "overwrite", "skip"
OFF, ON = "off", "on"
ANY = 0
"""An interval of ANY: whether a length is a boundary is a free choice, within the gap rule."""

_CHOICES = {
    "mode": (EAGER, LAZY),
    "without_spare": (OVERWRITE, SKIP),
    "others": (OFF, ON),
    "names": (OFF, ON),
    "short_keys": (OFF, ON),
}
_LIMITS = {
    "requests": (1, 4096),
    "slots": (1, 1 << 16),
    "nodes": (0, 1 << 16),
    "families": (1, 4096),
    "ring": (1, 64),
    "lookahead": (0, 63),
    "max_len": (1, 1 << 62),
}


class BadScope(ValueError):
    """A scope that makes no sense; the message says which part, why, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one check covers. Sizes are counts, lengths are tokens."""

    requests: int = 1
    """How many request names there are; a name is used again once its last row has returned."""
    slots: int = 4
    """Rows of the device state pool that may be handed out."""
    nodes: int = 1
    """How many entries the prefix cache holds; with a full cache a publication waits for an eviction."""
    families: int = 1
    """How many texts there are; requests of one family share theirs."""
    interval: int = 2
    """Tokens between two boundaries, or ANY."""
    ring: int = 2
    """Positions of the track ring (P)."""
    lookahead: int = 1
    """Batches that the scheduler runs ahead (L)."""
    mode: str = EAGER
    """eager: the ring is full from admission on. lazy: one position is filled, spares come and go."""
    without_spare: str = OVERWRITE
    """What a lazy boundary row does when no spare can be had: overwrite in place, or skip its mark."""
    max_len: int = 4
    """Longest sequence in tokens."""
    others: str = OFF
    """on: beside the named requests any number of others use the pool, the batches and the cache (environment.py)."""
    names: str = OFF
    """on: the allocator hands slots out in any order, for a design to which their names matter."""
    short_keys: str = OFF
    """on: a request that ends may hand fewer tokens to the cache than its label covers, because its output was cut."""

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value = getattr(self, name)
            if not isinstance(value, int) or not low <= value <= high:
                raise BadScope(f"scope: {name}={value} is outside {low}..{high}; choose a value in that range")
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise BadScope(f"scope: {name}={getattr(self, name)} is unknown; write {' or '.join(allowed)}")
        longest = _LIMITS["max_len"][1]
        if not isinstance(self.interval, int) or not ANY <= self.interval <= longest:
            raise BadScope(f"scope: interval={self.interval} is outside 1..{longest}; write a number of tokens, or any")
        if self.slots < self.slots_to_start:
            raise BadScope(
                f"scope: slots={self.slots} cannot admit one {self.mode} request, which takes {self.slots_to_start} "
                f"(one to work on, {self.slots_to_start - 1} for the ring); write slots={self.slots_to_start} or more"
            )
        if self.interval == ANY and self.ring < 2 and self.lookahead > 0:
            raise BadScope("scope: interval=any with ring=1 admits no boundary at all (gap rule); write ring=2 or more")

    @property
    def window(self) -> int:
        """How many launched batches may be pending at once: L + 1."""
        return self.lookahead + 1

    @property
    def last_position(self) -> int:
        """The highest ring position: P - 1."""
        return self.ring - 1

    @property
    def last_slot(self) -> int:
        """The highest slot: S - 1."""
        return self.slots - 1

    @property
    def memory(self) -> int:
        """How many of its newest lengths a request remembers as boundary or not: only an ANY interval needs it."""
        return self.window if self.interval == ANY else 0

    @property
    def watched(self) -> int:
        """How many slots the state says for whether other requests own and write them."""
        return self.slots if self.others == ON else 0

    @property
    def former_labels(self) -> int:
        """How many labels before the newest one a request remembers: one where a key may be too short for that."""
        return int(self.short_keys == ON and self.mode == EAGER)

    @property
    def slots_to_start(self) -> int:
        """Slots that admission takes: the working slot, and the whole ring (eager) or one position (lazy)."""
        return 1 + (self.ring if self.mode == EAGER else 1)

    @property
    def ring_suffices(self) -> bool:
        """Whether an eager ring is long enough for the protocol (ring size, first half): 1 + ceil(L / K) positions."""
        return self.mode == LAZY or self.interval == ANY or self.ring >= 1 + math.ceil(self.lookahead / self.interval)

    @property
    def ring_keeps_apart(self) -> bool:
        """Whether the ring is long enough that no claim ever targets a labelled `last` (ring size, second half).

        1 + ceil((L + 1) / K) positions are needed for that, and under the gap rule of an ANY interval the ring is long
        enough by definition. In a lazy ring it is no matter of length but of the design: one that claims in place must
        take the label back, and must give none to a checkpoint that a later claim is already going to overwrite.
        """
        if self.mode == LAZY or self.interval == ANY:
            return True
        return self.ring >= 1 + math.ceil(self.window / self.interval)

    def __str__(self) -> str:
        """Spell the scope as it is written on a command line; what is off goes without saying."""
        names = [field.name for field in dataclasses.fields(self) if getattr(self, field.name) != OFF]
        return " ".join(f"{name}={self._spell(name)}" for name in names)

    def _spell(self, name: str) -> str:
        value = getattr(self, name)
        return "any" if name == "interval" and value == ANY else str(value)

    def replace(self, **changes: int | str) -> Scope:
        """Return the scope with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, text: str, base: Scope | None = None) -> Scope:
        """Read `name=value` words separated by blanks or commas, on top of `base`; raises BadScope."""
        known = {field.name for field in dataclasses.fields(cls)}
        changes: dict[str, int | str] = {}
        for word in text.replace(",", " ").split():
            name, equals, value = word.partition("=")
            name = name.replace("-", "_")
            if not equals or name not in known:
                raise BadScope(
                    f"scope: cannot read {word!r}; write name=value with a name out of {', '.join(sorted(known))}"
                )
            if name in changes:
                raise BadScope(f"scope: {name} is given twice; write it once")
            changes[name] = value if name in _CHOICES else _number(name, value)
        return (base or cls()).replace(**changes)


def _number(name: str, value: str) -> int:
    if name == "interval" and value == "any":
        return ANY
    if not value.isdecimal() or (name == "interval" and int(value) == ANY):
        raise BadScope(f"scope: {name}={value} is not a positive whole number; write for example {name}=2")
    return int(value)
