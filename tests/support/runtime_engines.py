"""Engines for tests: small configurations, prompts of known texts, and all that the host knows as plain data."""

import numpy as np

from runtime.boundary import ABSENT
from runtime.config import Config
from runtime.engine import Engine
from runtime.exact_model import ExactModel, text
from runtime.streams import Inline

FIRSTS = (3, 5, 7)
"""The texts of these tests, by their first token."""


def config(**changes):
    """A configuration that fits, with the given changes."""
    sizes = {"requests": 3, "slots": 15, "max_len": 40, "interval": 2, "ring": 3} | changes
    return Config(**sizes)


class BySeat(Engine):
    """An engine whose requests go by where they sit: most tests look at a seat's record and hold no handle for long."""

    def admit(self, name, prompt):
        handle = super().admit(name, prompt)
        return ABSENT if handle == ABSENT else self.table.seat(handle)

    def prefill(self, seat):
        return super().prefill(self.handle(seat))

    def decode(self, seats):
        return super().decode(np.array([self.handle(seat) for seat in seats.tolist()], np.int64))

    def abort(self, seat):
        super().abort(self.handle(seat))

    def handle(self, seat):
        return self.table.handle(seat) if 0 <= seat < self.config.requests else seat


def engine(stream=None, **changes):
    """An engine whose requests go by their seats."""
    return BySeat(config(**changes), ExactModel(), stream or Inline())


def by_handle(stream=None, **changes):
    """An engine as it ships."""
    return Engine(config(**changes), ExactModel(), stream or Inline())


def prompt(first, length):
    return np.array(text(first, length)[0], np.int64)


def token_after(first, length):
    """The token that a text goes on with."""
    return text(first, length + 1)[0][length]


def seats(*numbers):
    return np.array(numbers, np.int64)


def start(made, name="r", first=3, length=3):
    """Admit a request and launch its prefill; returns its seat."""
    seat = made.admit(name, prompt(first, length))
    assert seat != ABSENT
    made.prefill(seat)
    return seat


def step(made, *finishing):
    """Process the oldest result with the tokens that came back; the named seats finish."""
    batch = made.pending[0]
    return made.process(batch.tokens(), np.isin(batch.rows.seat, finishing))


def host(made):
    """All that the host knows about requests, slots, cache and batches, to be compared as a whole."""
    table, pool = made.table, made.pool
    return {
        "records": table.block.tolist(),
        "rings": table.ring.tolist(),
        "tokens": table.tokens.tolist(),
        "epochs": table.epoch.tolist(),
        "names": list(table.names),
        "seats": list(table._seats),
        "pool": ledger(pool),
        "cache": [(node.key, node.length, node.slot, node.locks, node.read_by) for node in made.cache],
        "pending": [(batch.number, batch.rows.block.tolist()) for batch in made.pending],
        "launched": made.launched,
    }


def ledger(pool):
    """All that a slot pool knows."""
    return {
        "kind": pool.kind.tolist(),
        "holder": pool.holder.tolist(),
        "claims": pool.claims.tolist(),
        "free": pool._free[: pool.available].tolist(),
        "cooling": [(after, slots.tolist()) for after, slots in pool._cooling],
    }


def state_of(made, slot):
    """What a slot of the device pool holds: per layer the count and the hash of what it has absorbed."""
    return tuple(
        (int(conv[slot, 0]), int(ssm[slot, 0])) for conv, ssm in zip(made.states.conv, made.states.ssm, strict=True)
    )


def assert_quiescent(made):
    """Nothing leaked, and every cached slot holds the state that its length promises of one of the texts."""
    assert not made.pending
    owners = made.pool.owners()
    assert sum(len(slots) for owner in owners.values() for slots in owner.values()) == made.config.slots
    assert {name for name, owner in owners.items() if owner} <= {"free", "cache", "outside"}
    assert not made.pool.claims.any()
    held = sorted(slot for slots in owners["cache"].values() for slot in slots)
    assert held == sorted(node.slot for node in made.cache)
    for node in made.cache:
        assert node.locks == 0
        assert state_of(made, node.slot) in [text(first, node.length)[1] for first in FIRSTS], node
    assert all(int(tensor[-1].abs().sum()) == 0 for tensor in made.states.tensors()), "the padding row was written"
