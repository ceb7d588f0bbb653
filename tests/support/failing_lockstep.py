"""A lockstep whose device may fail: for the spec an abort of every request of the batch, and then its result."""

import contextlib

from checker.lockstep.lockstep import Lockstep
from runtime.boundary import ABSENT
from runtime.exact_model import ExactModel
from runtime.pool import COOLING
from spec.actions.abort import abort
from spec.actions.device import device
from spec.actions.results import process
from spec.state import Text


class Lost(Exception):
    """The device has failed."""


class Fails(ExactModel):
    """Fails when it is told to, with one layer written and the other not."""

    failing = False

    def absorb(self, pool, working, tokens):
        if self.failing:
            pool.ssm[0][working, 0] += 17
            raise Lost
        return super().absorb(pool, working, tokens)


class FailingLockstep(Lockstep):
    """Driven are failures of the oldest batch, discarded at once, whatever has been launched behind it.

    Not driven: a failed batch that waits while other results come in (they come in order, so none does) and devices
    that are not simulated; tests/runtime_room/test_runtime_failing_work.py goes through these.
    """

    def __init__(self, scope):
        super().__init__(scope)
        self.engine.model = Fails()
        self.spoilt = set()
        """Slots in quarantine: rows launched behind a failure go on from what it left there."""

    def can_fail(self):
        return bool(self.engine.pending) and self.state.written == 0 and len(self.engine.pending[0].rows) > 0

    def fail(self):
        """Let the device fail in the oldest batch, and discard it; returns who has failed."""
        rows = self.engine.pending[0].rows
        present = set(rows.seat[self.engine.table.present(rows)].tolist())
        names = [name for name, seat in self.seats.items() if seat in present]
        before = self._look()
        self.engine.model.failing = True
        with contextlib.suppress(Lost):
            self.stream.advance()
        self.engine.model.failing = False
        self.spoilt |= self._spoilt(rows)
        self.engine.discard()
        for name in names:
            del self.seats[name]
        nobody, everybody = (False,) * self.scope.requests, tuple(range(self.scope.requests))
        self._follow(
            before,
            *[(abort, (name,)) for name in names],
            (device, ()),
            (process, (nobody, everybody, ABSENT)),
        )
        return names

    def _spoilt(self, rows):
        """Return the slots that the failed rows, and rows of the same requests behind them, have written or will."""
        whose = set(zip(rows.seat.tolist(), rows.epoch.tolist(), strict=True))
        return {
            row[column]
            for batch in self.engine.pending
            for row in batch.rows.listed()
            if (row["seat"], row["epoch"]) in whose
            for column in ("working", "slot")
        } - {ABSENT}

    def _compare(self, contents):
        pool = self.engine.pool
        # Nobody reads a slot in quarantine; it leaves when it is free.
        self.spoilt = {slot for slot in self.spoilt if pool.kind[slot] == COOLING}
        held = {slot: self.state.holds[slot] for slot in self.spoilt}
        for slot in held:
            self.state.holds[slot] = Text()
        try:
            super()._compare(contents)
        finally:
            for slot, known in held.items():
                self.state.holds[slot] = known
