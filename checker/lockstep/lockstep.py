"""The runtime and the spec side by side: after every step the runtime, looked at as a state of the spec, is the spec's.

A `Lockstep` takes the spec's actions on both. The free choices that the spec leaves open (which slot the allocator
hands out, which entry the cache gives up) are the runtime's; everything else the two compute on their own. Slots that
the runtime holds back, because rows in flight still touch them, belong for the spec to other requests (others=on).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from checker.lockstep.abstraction import differences
from checker.lockstep.failure import Failed
from checker.lockstep.runtime_invariants import evictable, rows_in_flight, touched
from checker.lockstep.spec_side import SpecSide
from checker.lockstep.view import View
from checker.lockstep.watch import Watch
from checker.scenarios.stutters import move, regroup
from runtime.boundary import ABSENT
from runtime.columns import Ints
from runtime.config import BadConfig, Config
from runtime.engine import Engine
from runtime.exact_model import ExactModel, text
from runtime.pool import OUTSIDE
from runtime.streams import Simulated, Stream
from spec.actions.abort import abort
from spec.actions.admission import admit
from spec.actions.cache import evict
from spec.actions.decode import prepare
from spec.actions.device import device
from spec.actions.prefill import prefill
from spec.actions.results import process
from spec.environment import others_give_back, others_take
from spec.language import Action
from spec.scope import ANY, ON, BadScope, Scope
from spec.state import RequestId, Slot, State, Text


def config_of(scope: Scope) -> Config:
    """Return a runtime of a scope's sizes: as many seats as its slots allow, at most one for each name.

    Raises BadScope where no runtime has such sizes.
    """
    if scope.interval == ANY:
        raise BadScope("interval=any is for the spec alone: the runtime's interval is a number of tokens; write one")
    if scope.short_keys == ON:
        raise BadScope("short_keys=on is for the spec alone: the runtime cuts no output; leave it out")
    per_request = scope.slots_to_start
    try:
        return Config(
            requests=min(scope.requests, scope.slots // per_request),
            slots=scope.slots,
            max_len=scope.max_len,
            interval=scope.interval,
            mode=scope.mode,
            ring=scope.ring,
            lookahead=scope.lookahead,
            without_spare=scope.without_spare,
        )
    except BadConfig as error:
        raise BadScope(f"no runtime has these sizes: {error}") from error


class Lockstep:
    """One runtime and one state of the spec, which take every step together.

    On a simulated device everything is compared after every step. On any other stream the device goes its own way: what
    slots hold is compared at publications, at hits, and in `drain`, when it has nothing left to do.
    """

    def __init__(self, scope: Scope, stream: Stream | None = None, watch: Watch | None = None) -> None:
        """Begin with everything free; raises BadScope where no runtime has the sizes of the scope."""
        config = config_of(scope)
        self.stream = stream or Simulated()
        self.watch = watch or Watch()
        self.engine = Engine(config, ExactModel(), self.stream, self.watch)
        self.spec = SpecSide(scope)
        self.scope = self.spec.scope
        self.view = self.watch.view = View(self.engine, scope.families)
        self.seats: dict[RequestId, int] = {}
        """The seat of each request of the spec that is in use."""
        self.checked = 0
        """How many steps of the runtime have been compared."""
        self._places: dict[int, Ints] = {}
        """For each batch that has been regrouped, where its rows have been when it was launched."""

    @property
    def state(self) -> State:
        """The spec's state."""
        return self.spec.state

    @property
    def simulated(self) -> bool:
        """Whether the device is simulated: it runs when a step says so, and not before."""
        return isinstance(self.stream, Simulated)

    # Steps, each named like the spec's action.

    def admit(self, name: RequestId, family: int, prompt: int) -> bool:
        """Admit a request under a name; False: the runtime lets it wait."""
        before, tokens = self._look(), np.array(text(family + 1, prompt)[0])
        missing, evictable = self._missing(tokens)
        handle = self.engine.admit(f"r{name + 1}", tokens)
        seat = self.engine.table.seat(handle)
        evicted = before.cached - {node.slot for node in self.engine.cache}
        if (seat == ABSENT) != (missing > evictable) or len(evicted) != (missing if seat != ABSENT else 0):
            done = f"{'waits' if seat == ABSENT else 'is admitted'}, and {len(evicted)} entries are evicted for it"
            raise Failed("refinement", "wait", f"r{name + 1} {done}: {missing} slots missing, {evictable} evictable")
        if seat == ABSENT:
            self._follow(before)
            return False
        self.seats[name] = seat
        ring = self.engine.table.ring[seat]
        self.spec.design.handed_out = [int(self.engine.table.working[seat]), *ring[ring != ABSENT].tolist()]
        self._follow(before, (admit, (name, family, prompt, ABSENT)))
        return True

    def prefill(self, name: RequestId) -> None:
        """Launch the prefill of an admitted request."""
        before = self._look()
        self.engine.prefill(self.engine.table.handle(self.seats[name]))
        self._follow(before, (prefill, (name, ABSENT)))

    def prepare(self, names: Sequence[RequestId], exhausted: bool = False) -> None:
        """Launch a decode batch; `exhausted`: others hold all that is free meanwhile."""
        seats = sorted(self.seats[name] for name in names)
        order = self._order(seats)
        before = self._look(exhausted)
        self.engine.decode(self.engine.table.handles(np.array(seats, dtype=np.int64)))
        ring = self.engine.table.ring
        self.spec.design.handed_out = ring[(before.ring == ABSENT) & (ring != ABSENT)].tolist()
        rows = tuple(name in names for name in range(self.scope.requests))
        self._follow(before, (prepare, (rows, order, (False,) * self.scope.requests, ABSENT)))

    def device(self) -> None:
        """Let the device run the oldest batch that it has not run."""
        before = self._look()
        if isinstance(self.stream, Simulated):
            self.stream.advance()
        else:
            self.engine.pending[self.state.written].ran.wait()
        self._follow(before, (device, ()))

    def process(self, names: Sequence[RequestId] = (), exhausted: bool = False) -> None:
        """Process the oldest result; the named requests end with it."""
        rows = self.engine.pending[0].rows
        # Asked for first: on a device of its own this is all that waits for it, as in the scheduler.
        tokens = self.engine.pending[0].tokens()
        tokens = tokens[self._places.pop(self.engine.pending[0].number, ...)]
        if not self.simulated and not self.state.written:
            self.device()
        present = self.engine.table.present(rows)
        order = self._order(rows.seat[present].tolist()) if len(rows) > 1 else tuple(range(self.scope.requests))
        # What comes for requests that have left is ignored, whatever it says.
        ending = np.isin(rows.seat, [self.seats[name] for name in names]) | ~present
        tokens = np.where(present, tokens, ABSENT)
        before = self._look(exhausted)
        self.engine.process(tokens, ending)
        ring = self.engine.table.ring
        self.spec.design.handed_out = ring[(before.ring != ring) & (ring != ABSENT)].tolist()
        for name in names:
            del self.seats[name]
        finishes = tuple(name in names for name in range(self.scope.requests))
        self._follow(before, (process, (finishes, order, ABSENT)))

    def abort(self, name: RequestId) -> None:
        """Abort a request."""
        before = self._look()
        self.engine.abort(self.engine.table.handle(self.seats.pop(name)))
        self._follow(before, (abort, (name,)))

    def evict(self, key: Text) -> None:
        """Let the cache give up the slot that it keeps under a key."""
        before = self._look()
        slot = self.watch.asked_for = next(slot for slot, cached in enumerate(self.state.cached) if cached == key)
        self.engine.evict(slot)
        self._follow(before)

    # Steps that change nothing for the spec.

    def move(self, name: RequestId, seat: int) -> None:
        """Move the record of a request to another seat."""
        before = self._look()
        self.engine.tracker.move(self.seats[name], seat, self.engine.processed)
        self.seats[name] = seat
        self._follow(before, (move, (name, seat)))

    def regroup(self, names: Sequence[RequestId]) -> None:
        """Put the rows of some requests in front of the others, in every batch in flight, the last of them foremost."""
        before = self._look()
        for batch in self.engine.pending:
            rows = batch.rows
            first = np.isin(rows.seat, [self.seats[name] for name in names]) & self.engine.table.present(rows)
            front, rest = first.nonzero()[0][::-1], (~first).nonzero()[0]
            batch.rows = rows.filter(front).merge(rows.filter(rest)).copy()
            batch.boundaries = (batch.rows.mark != ABSENT).nonzero()[0]
            places = np.concatenate((front, rest))
            self._places[batch.number] = self._places.get(batch.number, np.arange(len(rows)))[places]
            self.watch.regroup(batch.number, places)
        self._follow(before, (regroup, (tuple(name in names for name in range(self.scope.requests)),)))

    def drain(self) -> None:
        """Let the device run everything, and compare what all slots hold."""
        while self.state.written < self.state.pending:
            self.device()
        self._compare(contents=True)

    # Parts of the above.

    def _missing(self, prompt: Ints) -> tuple[int, int]:
        """Return how many slots an admission lacks, and how many the cache could give up for it.

        What it hits is kept, unless it lacks just that and nobody is there who would ever give a slot back.
        """
        engine = self.engine
        missing = max(0, engine.config.slots_per_request - engine.pool.available)
        hit, left = engine.cache.match(prompt), evictable(engine)
        if hit and (len(left) > missing or self.seats or engine.pending or missing == 0):
            self.watch.locked.add(hit.slot)
            left = [node for node in left if node is not hit]
        return missing, len(left)

    def _order(self, seats: Sequence[int]) -> tuple[RequestId, ...]:
        """Return every name, those of a batch first, in the order in which the runtime goes through its rows."""
        by_seat = {seat: name for name, seat in self.seats.items()}
        first = [by_seat[seat] for seat in seats]
        return (*first, *[name for name in range(self.scope.requests) if name not in first])

    def _look(self, exhausted: bool = False) -> _Before:
        """Note what the runtime's own choices are seen by; `exhausted`: let others take all that is free."""
        pool, cache = self.engine.pool, self.engine.cache
        self.watch.locked = {me.source for me in self.state.requests}
        self.watch.asked_for = ABSENT
        self.watch.launched = self.engine.launched
        held: list[Slot] = []
        if exhausted:
            # Nothing is evicted for the step's sake either.
            pool.reclaim = None
            held = pool.take(pool.available, OUTSIDE, 0).tolist()
        return _Before(self.engine.table.ring.copy(), {node.slot for node in cache}, self.view.cooling(), held)

    def _follow(self, before: _Before, *steps: tuple[Action, tuple[object, ...]]) -> None:
        """Take on the spec what the runtime has done, and compare; for the spec slots held back are other requests'."""
        cooling = self.view.cooling()
        for slot in [*before.held]:
            self.spec.take(others_take, slot)
        for slot in sorted(before.cooling - cooling):
            self.spec.take(others_give_back, slot)
        for slot in sorted(before.cached - {node.slot for node in self.engine.cache}):
            self.spec.take(evict, slot)
        for action, arguments in steps:
            self.spec.take(action, *arguments)
        if left := self.spec.design.handed_out:
            raise Failed("refinement", "slots", f"the runtime took {left}, which the spec did not ask for")
        for slot in sorted(cooling - before.cooling):
            if slot not in touched(rows_in_flight(self.engine)):
                raise Failed("refinement", "held back", f"slot {slot} is held back, and nothing in flight touches it")
            self.spec.take(others_take, slot)
        if before.held:
            self.engine.pool.give_back(np.array(before.held), OUTSIDE, 0)
            for slot in before.held:
                self.spec.take(others_give_back, slot)
        self.engine.pool.reclaim = self.engine.reclaim
        self.checked += 1
        self._compare(contents=self.simulated)

    def _compare(self, contents: bool) -> None:
        raised = [f"observer: it raised {error!r}" for error in self.engine.notices.failures]
        for what in [*raised, *self.watch.wrong_so_far(), *differences(self.view, self.state, self.seats, contents)]:
            raise Failed("refinement", what.split(":")[0], what)


@dataclass(frozen=True, slots=True)
class _Before:
    """The runtime before a step, as far as its own choices show in the difference."""

    ring: Ints
    cached: set[Slot]
    cooling: set[Slot]
    held: list[Slot]
