"""Every size and mode in one place; a combination that cannot work is refused with the reason and the remedy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

EAGER, LAZY = "eager", "lazy"
OVERWRITE, SKIP = "overwrite", "skip"


MOST_REQUESTS = 1 << 20
"""What a handle has bits for: a power of two."""


class BadConfig(ValueError):
    """Sizes or modes that do not fit together; the message says which, why, and what to write instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The sizes of one engine. Counts are numbers of things, lengths are tokens."""

    requests: int
    """How many requests may hold slots at once: seats of the request table."""
    slots: int
    """Rows of the state pool that may be handed out; the padding row is not among them."""
    max_len: int
    """Longest sequence: prompt and output."""
    interval: int
    """Tokens from one boundary to the next."""
    mode: str = EAGER
    """eager: the ring is full from admission on. lazy: one position is filled, spares come and go."""
    ring: int = 2
    """Positions of the track ring."""
    lookahead: int = 1
    """Batches that may be launched ahead of the one whose result is processed next; 0: no overlap."""
    without_spare: str = OVERWRITE
    """What a lazy boundary row does when no spare can be had: overwrite in place, or skip its checkpoint."""
    device: str = "cpu"
    """Where the state pool lives, as torch spells it."""

    def __post_init__(self) -> None:
        for name, least in (("requests", 1), ("slots", 1), ("max_len", 1), ("interval", 1), ("ring", 1)):
            self._at_least(name, least)
        self._at_least("lookahead", 0)
        if self.requests > MOST_REQUESTS:
            raise BadConfig(f"requests={self.requests} is too many for a handle; write at most {MOST_REQUESTS}")
        for name, choices in (("mode", (EAGER, LAZY)), ("without_spare", (OVERWRITE, SKIP))):
            if getattr(self, name) not in choices:
                raise BadConfig(f"{name}={getattr(self, name)!r} is unknown; write {' or '.join(choices)}")
        try:
            torch.device(str(self.device))
        except RuntimeError as error:
            raise BadConfig(
                f"device={self.device!r} is no device that torch knows; write cpu, cuda or cuda:0"
            ) from error
        needed = self.ring_needed
        if self.ring < needed:
            raise BadConfig(
                f"ring={self.ring} is too short for lookahead={self.lookahead} and interval={self.interval}: a "
                f"checkpoint would be overwritten before its result is processed; write ring={needed} or more"
            )
        if self.slots < self.requests * self.slots_per_request:
            held = f"{self.ring} ring positions" if self.mode == EAGER else "one checkpoint"
            raise BadConfig(
                f"slots={self.slots} is too few for requests={self.requests}: each {self.mode} request needs "
                f"{self.slots_per_request}, one to work on and {held}; write "
                f"slots={self.requests * self.slots_per_request} or more, or fewer requests"
            )

    def _at_least(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise BadConfig(f"{name}={value!r} is no whole number of at least {least}; write one")

    @property
    def slots_per_request(self) -> int:
        """Slots that a request never runs without: working slot and whole ring (eager), or one checkpoint (lazy).

        Whatever it takes beyond that (a spare, the replacement at a donation) it can do without.
        """
        return 1 + (self.ring if self.mode == EAGER else 1)

    @property
    def ring_needed(self) -> int:
        """Positions that an eager ring must have: 1 + ceil(L / K) (ring size, `slotproof prove --ring`)."""
        return 1 + math.ceil(self.lookahead / self.interval) if self.mode == EAGER else 1

    @property
    def window(self) -> int:
        """How many launched batches may be pending at once: L + 1."""
        return self.lookahead + 1
