"""The runtime and the spec side by side: after every step the runtime, looked at as a state of the spec, is the spec's.

A `Twin` takes steps of the spec's actions on both. The free choices that the spec leaves open (which slot the allocator
hands out, which entry the cache gives up) are the runtime's; everything else the two compute on their own. Slots that
the runtime holds back, because rows in flight still touch them, belong for the spec to other requests (others=on).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import spec.model
from checker.abstraction import Mismatch, View, differences
from checker.model import Model, Taken
from runtime.boundary import ABSENT
from runtime.config import Config
from runtime.engine import Engine
from runtime.exact_model import ExactModel, text
from runtime.observer import Observer
from runtime.pool import OUTSIDE
from runtime.streams import Simulated, Stream
from spec.actions.admission import admit
from spec.actions.cache import evict
from spec.actions.decode import prepare
from spec.actions.device import device
from spec.actions.prefill import prefill
from spec.actions.results import process
from spec.actions.transfer import abort
from spec.design import Design
from spec.environment import others_give_back, others_take
from spec.language import Action, Disabled, Violated, copy
from spec.rows import has_rows, in_flight
from spec.scope import ON, Scope
from spec.state import ADMITTED, IDLE, RUNNING, Slot, State, Supply, quiet_step


class FromRuntime(Design):
    """Our design with the runtime as its allocator; everything else it decides itself."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.handed_out: list[Slot] = []
        """What the runtime has taken in this step, in the order of asking."""

    def pick(self, s: State, supply: Supply) -> Slot:
        """Return what the runtime took: a free slot that nothing in flight touches, or none if there is none."""
        if not self.handed_out:
            left = [slot for slot, free in enumerate(s.free) if free]
            if left:
                raise Mismatch(f"the runtime takes no slot, and {left} are free")
            return ABSENT
        slot = self.handed_out.pop(0)
        if not s.free[slot] or in_flight(s, slot):
            raise Mismatch(f"the runtime takes slot {slot}, which is {'in flight' if s.free[slot] else 'not free'}")
        return slot


@dataclass(frozen=True, slots=True)
class Broken:
    """What went wrong in a step."""

    kind: str
    """`property`, `refinement` (the two differ), or `error` (the runtime or the spec refuses)."""
    name: str
    """The property, the first thing that differs, or the kind of error."""
    detail: str


class Failed(Exception):
    """A step has failed; `broken` says how."""

    def __init__(self, broken: Broken) -> None:
        super().__init__(f"{broken.kind} {broken.name}: {broken.detail}")
        self.broken = broken


def scope_of(config: Config, families: int, names: int) -> Scope:
    """Return the scope of the spec in which a runtime of these sizes moves."""
    return Scope(
        requests=names,
        slots=config.slots,
        nodes=config.slots,
        families=families,
        interval=config.interval,
        ring=config.ring,
        lookahead=config.lookahead,
        mode=config.mode,
        without_spare=config.without_spare,
        max_len=config.max_len,
        others=ON,
    )


class _Evictions(Observer):
    """Notes what the cache gives up in a step."""

    __slots__ = ("slots",)

    def __init__(self) -> None:
        self.slots: list[int] = []

    def evict(self, slot: int) -> None:
        """Note one."""
        self.slots.append(slot)


class Twin:
    """One runtime and one state of the spec, which take every step together."""

    def __init__(
        self, config: Config, families: int = 2, stream: Stream | None = None, engine: type[Engine] = Engine
    ) -> None:
        self.stream = stream or Simulated()
        self.evictions = _Evictions()
        self.engine = engine(config, ExactModel(), self.stream, self.evictions)
        scope = scope_of(config, families, config.requests + 1)
        self.design = FromRuntime(scope)
        self.model = Model(spec.model, scope, self.design)
        self.state: State = copy(self.model.init)
        self.view = View(self.engine, families)
        self.names: dict[int, int] = {}
        """The seat of each request of the spec that is in use."""
        self.steps: list[Taken] = []
        """The spec's steps so far."""
        self.checked = 0
        """How many steps of the runtime have been compared."""
        self._always = [stated.function for stated in self.model.of_kind("always")]
        self._step = [stated.function for stated in self.model.of_kind("step")]
        self._stated = self.model.of_kind("always"), self.model.of_kind("step")

    # What can be done now.

    def idle(self) -> list[int]:
        """Return the spec's names that may be given to a new request."""
        requests = enumerate(self.state.requests)
        return [name for name, me in requests if me.phase == IDLE and not has_rows(self.state, name)]

    def in_phase(self, phase: int) -> list[int]:
        """Return the spec's names of requests in a phase."""
        return [name for name, me in enumerate(self.state.requests) if me.phase == phase]

    def decodable(self) -> list[int]:
        """Return the names that may be in a decode batch."""
        limit = self.engine.config.max_len
        return [name for name in self.in_phase(RUNNING) if self.state.requests[name].seq_len < limit]

    def room(self) -> bool:
        """Return whether one more batch may be launched."""
        return len(self.engine.pending) < self.engine.config.window

    def ready(self) -> bool:
        """Return whether there is a result to process."""
        return bool(self.engine.pending) and self.engine.pending[0].ran.done()

    def unlocked(self) -> list[int]:
        """Return the cached slots that may be evicted."""
        return [node.slot for node in self.engine.cache if not node.locks]

    # Steps, each named like the spec's action.

    def admit(self, name: int, family: int, prompt: int) -> bool:
        """Admit a request under a name; False: the runtime lets it wait."""
        seat = self.engine.admit(f"r{name + 1}", np.array(text(family + 1, prompt)[0]))
        if seat != ABSENT:
            self.names[name] = seat
            table = self.engine.table
            ring = table.ring[seat]
            self.design.handed_out = [int(table.working[seat]), *ring[ring != ABSENT].tolist()]
        self._follow([] if seat == ABSENT else [(admit, (name, family, prompt, ABSENT))])
        return seat != ABSENT

    def prefill(self, name: int) -> None:
        """Launch the prefill of an admitted request."""
        self.engine.prefill(self.names[name])
        self._follow([(prefill, (name, ABSENT))])

    def prepare(self, names: Sequence[int], exhausted: bool = False) -> None:
        """Launch a decode batch; `exhausted`: others hold all that is free meanwhile."""
        seats = sorted(self.names[name] for name in names)
        by_seat = {seat: name for name, seat in self.names.items()}
        ring = self.engine.table.ring
        before = ring.copy()
        held = self._exhaust() if exhausted else []
        self.engine.decode(np.array(seats, dtype=np.int64))
        self.design.handed_out = ring[(before == ABSENT) & (ring != ABSENT)].tolist()
        order = [by_seat[seat] for seat in seats]
        order += [name for name in range(len(self.state.requests)) if name not in order]
        rows = tuple(name in names for name in range(len(order)))
        self._follow([(prepare, (rows, tuple(order), (False,) * len(order), ABSENT))], held)

    def device(self) -> None:
        """Let the simulated device run the oldest batch that it has not run."""
        assert isinstance(self.stream, Simulated), "only a simulated device is told when to run"
        self.stream.advance()
        self._follow([(device, ())])

    def process(self, finishes: Sequence[int] = (), exhausted: bool = False) -> None:
        """Process the oldest result; these requests end with it."""
        batch = self.engine.pending[0]
        by_seat = {seat: name for name, seat in self.names.items()}
        present = self.engine.table.present(batch.rows)
        seats = batch.rows.seat.tolist()
        ending = np.array([bool(present[at]) and by_seat[seat] in finishes for at, seat in enumerate(seats)], bool)
        tokens = batch.tokens()
        ring = self.engine.table.ring
        before = ring.copy()
        held = self._exhaust() if exhausted else []
        self.engine.process(tokens, ending)
        self.design.handed_out = ring[(before != ring) & (ring != ABSENT)].tolist()
        for name in finishes:
            del self.names[name]
        order = [by_seat[seat] for at, seat in enumerate(seats) if present[at]]
        order += [name for name in range(len(self.state.requests)) if name not in order]
        if sum(row.present for row in self.state.batches[0].rows) <= 1:
            order.sort()
        ends = tuple(name in finishes for name in range(len(order)))
        self._follow([(process, (ends, tuple(order), ABSENT))], held)

    def abort(self, name: int) -> None:
        """Abort a request."""
        self.engine.abort(self.names.pop(name))
        self._follow([(abort, (name,))])

    def evict(self, slot: int) -> None:
        """Let the cache give a slot up."""
        self.engine.evict(slot)
        self._follow([])

    # Parts of the above.

    def _exhaust(self) -> list[int]:
        """Let somebody else take all that is free, and see to it that nothing is evicted for this step's sake."""
        pool = self.engine.pool
        pool.reclaim = None
        return pool.take(pool.available, OUTSIDE, 0).tolist() if pool.available else []

    def _follow(self, steps: list[tuple[Action, tuple[object, ...]]], held: Sequence[int] = ()) -> None:
        """Take on the spec what the runtime has done, and compare."""
        waiting = self.view.cooling()
        for slot in held:
            self._take(others_take, slot)
        for slot in sorted(self.view.waited - waiting):
            self._take(others_give_back, slot)
        for slot in self.evictions.slots:
            self._take(evict, slot)
        self.evictions.slots.clear()
        for action, arguments in steps:
            self._take(action, *arguments)
        if left := self.design.handed_out:
            raise Failed(Broken("refinement", "slots", f"the runtime took {left}, which the spec did not ask for"))
        for slot in sorted(waiting - self.view.waited):
            self._take(others_take, slot)
        self.view.waited = waiting
        if held:
            self.engine.pool.give_back(np.array(held))
            for slot in held:
                self._take(others_give_back, slot)
        self.engine.pool.reclaim = self.engine.reclaim
        self.checked += 1
        for what in differences(self.view, self.state, self.names):
            raise Failed(Broken("refinement", what.split(":")[0], what))

    def _take(self, action: Action, *arguments: object) -> None:
        """Take one step on the spec; raises Failed where it is not one, or breaks a property."""
        before = self.state
        after = copy(before)
        after.step = quiet_step(self.model.scope)
        self.steps.append(Taken(action, arguments))
        try:
            action.function(after, self.design, *arguments)
        except Disabled as error:
            raise Failed(Broken("error", "not-allowed", f"the spec does not allow {action.name}{arguments}")) from error
        except Violated as error:
            raise Failed(Broken("property", error.name, str(error))) from error
        except Mismatch as error:
            raise Failed(Broken("refinement", "slots", str(error))) from error
        self.state = after
        for name in self._violated(before, after):
            raise Failed(Broken("property", name, f"violated by {action.name}{arguments}"))

    def _violated(self, before: State, after: State) -> Iterator[str]:
        for place, holds in enumerate(self._always):
            if not holds(after, self.design):
                yield self._stated[0][place].name
        for place, holds in enumerate(self._step):
            if not holds(before, after, self.design):
                yield self._stated[1][place].name


__all__ = ["ADMITTED", "Broken", "Failed", "FromRuntime", "Twin", "scope_of"]
