"""The spec run beside a trace: the trace makes the free choices, the design decides, and every value is compared.

Free choices are who comes and goes, how long prompts are, what is in a batch, which slot the allocator hands out and
whether it hands out any, what is in the cache already. All that follows from them is computed by the spec's own
functions. What the trace can't know is not followed: a request is a text of its own, the model's cache stays empty (a
stored slot leaves the model), and contents of slots are nobody's concern here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import UNSET

from checker.traces.conformance.divergence import Diverged, Divergence, FalseGuard, stopped_at
from checker.traces.conformance.shadow_design import FollowedDesign, followed
from checker.traces.conformance.slot_map import Physical, SlotNames
from checker.traces.format import Header
from spec.design import Design
from spec.language import ABSENT, Action, Disabled, Vector, Violated, copy, new
from spec.scope import ANY, ON, OVERWRITE, Scope
from spec.state import IDLE, RequestId, Slot, State, Step, Text, initial

LONGEST = 1 << 30  # Tokens; a trace has no longest sequence, and the spec wants a number.
FIRST_REQUESTS = 2

T = TypeVar("T")


class ShadowBatch:
    """A launched batch: its number in the trace, and its rows as (name, model request)."""

    def __init__(self, b: int, rows: list[tuple[str, RequestId]]) -> None:
        self.b = b
        self.rows = rows


class Follower:
    """The model's state, and what ties it to the trace. `follow_launches` and `follow_results` are its steps."""

    def __init__(self, header: Header, design: type[Design], without_spare: str) -> None:
        assert header.ring is not UNSET, "an engine without a ring is not covered"
        assert header.interval is not UNSET, "a header with a ring states an interval"
        self.header = header
        self.ring = header.ring
        per_request = 2 + header.ring + header.lookahead + 1
        without_spare = without_spare or (OVERWRITE if header.without_spare is UNSET else header.without_spare)
        self.scope = Scope(
            requests=FIRST_REQUESTS, slots=FIRST_REQUESTS * per_request, nodes=FIRST_REQUESTS * per_request,
            families=FIRST_REQUESTS, interval=header.interval, ring=header.ring, lookahead=header.lookahead,
            mode=header.mode, without_spare=without_spare, max_len=LONGEST, short_keys=ON,
        )  # fmt: skip
        self._per_request = per_request
        self._kind: type[FollowedDesign] = followed(design)
        self.design = self._kind(self.scope)
        self.state: State = initial(self.scope)
        self.slots = SlotNames(self.scope.slots)
        self.state.free = Vector([False] * self.scope.slots)
        self.running: dict[str, RequestId] = {}
        self.names: list[str | None] = [None] * self.scope.requests
        self.rows_out: list[int] = [0] * self.scope.requests
        self.batches: deque[ShadowBatch] = deque()
        self.newest = -1
        self.cache: dict[int, int] = {}
        """The slots that the cache owns, with their label in tokens."""
        self.contested: list[tuple[str, int, str]] = []
        """Slots that were still in use when this step took them: (request, physical slot, who had it in words)."""
        self.passed_over: list[Divergence] = []
        """Differences of this step that nothing else depends on: the state has the trace's value since."""
        self.line = 0
        self.event = ""
        self.batch: int | None = None

    def copy(self, kind: type[FollowedDesign] | None = None) -> Follower:
        """Return an independent copy, whose design is an instance of `kind` if that is given."""
        other = object.__new__(Follower)
        vars(other).update(vars(self))
        other._kind = kind or self._kind
        other.design = other._kind(self.scope)
        other.state, other.slots = copy(self.state), self.slots.copy()
        other.running, other.names, other.rows_out = dict(self.running), list(self.names), list(self.rows_out)
        other.batches, other.cache, other.contested = deque(self.batches), dict(self.cache), []
        other.passed_over = []
        return other

    @property
    def unfinished(self) -> bool:
        """Whether requests run or results are outstanding."""
        return bool(self.running or self.batches)

    # What all steps need.

    def begin(self, line: int, event: str, batch: int | None) -> None:
        """Start a step: from here on differences belong to this event."""
        self.line, self.event, self.batch = line, event, batch
        self.state.step = new(Step, self.scope)
        self.design.wanted = {}
        self.design.offered = {}
        self.design.preparing = ()
        self.contested, self.passed_over = [], []

    def differs(
        self, request: str | None, field: str, expected: object, seen: object, why: str = "", line: int = 0,
        event: str = "", missing: bool = False,
    ) -> Diverged:  # fmt: skip
        """Return the exception that reports a difference."""
        divergence = Divergence(
            line or self.line, event or self.event, self.batch, request, field, expected, seen, why, missing=missing
        )
        return Diverged(divergence)

    def act(self, action: Action, *arguments: object) -> None:
        """Take a step of the spec; raises Diverged where it isn't possible."""
        self.take(action.function, *arguments)

    def take(self, function: Callable[..., None], *arguments: object) -> None:
        """Take what a step of the spec does; raises Diverged where it isn't possible."""
        try:
            function(self.state, self.design, *arguments)
        except (Disabled, Violated) as error:
            raise self.stopped(error) from error

    def stopped(self, error: Disabled | Violated) -> Diverged:
        """Return the difference that a guard or require makes."""
        place, local = stopped_at(error)
        request = local.get("request")
        who = self.names[request] if isinstance(request, int) and 0 <= request < len(self.names) else None
        stated = error.name if isinstance(error, Violated) else None
        why = str(error).removeprefix(stated or "").removeprefix(": ")
        diverged = self.differs(who, "event", "not possible here", "it happened", why)
        diverged.divergence.guard = FalseGuard(place, stated)
        return diverged

    def ring_of(self, request: RequestId) -> tuple[Physical, ...]:
        """Return a request's ring in physical slots."""
        physical = self.slots.physical
        return tuple([physical[slot] for slot in self.state.requests[request].ring])

    def owner_words(self, slot: int) -> str:
        """Who has a physical slot, as the design has it."""
        if slot in self.cache:
            return f"the cache has it, under {self.cache[slot]} tokens"
        model = self.slots.owned(slot)
        for name, request in self.running.items():
            me = self.state.requests[request]
            if model != ABSENT and me.working == model:
                return f"{name} works on it"
            if model != ABSENT and model in me.ring:
                return f"{name} has it at ring position {me.ring.index(model)}"
        return "nobody has it"

    def take_slots(self, name: str, request: RequestId, taken: Sequence[Physical]) -> None:
        """Put slots that the trace shows as newly taken where the design's allocator finds them."""
        chosen = []
        for slot in taken:
            if slot is not None:
                if taken.count(slot) > 1:
                    raise self.differs(name, "ring", "every slot once", slot)
                if slot in self.cache:
                    raise self.differs(name, "ring", "a free slot", slot, self.owner_words(slot))
                if self.slots.owned(slot) != ABSENT:
                    self.contested.append((name, slot, self.owner_words(slot)))
            while (model := self.slots.bind(self.state, request, slot)) == ABSENT:
                self.grow()
            chosen.append(model)
        self.design.wanted[request] = chosen

    @contextmanager
    def free_boundary(self, request: RequestId) -> Iterator[None]:
        """Let the trace choose a prefill's mark: for one step boundaries are free, as with an interval of `any`."""
        me = self.state.requests[request]
        self.design.scope = self.scope.replace(interval=ANY)
        me.recent = Vector([False] * self.design.scope.memory)
        try:
            yield
        finally:
            self.design.scope, me.recent = self.scope, Vector([])

    def new_slots(self, request: RequestId, ring: Sequence[Physical]) -> list[Physical]:
        """Return the slots of a ring in the trace that the request doesn't have yet."""
        had = self.ring_of(request)
        if ring == had:
            return []
        return [slot for slot in ring if slot is not None and slot not in had]

    def collect(self) -> list[Physical]:
        """End the slots' part of a step: what is free now returns to the reserve. Returns the freed slots."""
        freed = self.slots.collect(self.state)
        for name, slot, words in self.contested:
            if slot not in freed:
                raise self.differs(name, "ring", "a free slot", slot, words)
        return freed

    def put_aside(self, keys: Sequence[Text]) -> list[Slot]:
        """Let the model's cache hold keys for one step; returns the slots that stand for the entries."""
        while len(aside := self.slots.spare(len(keys))) < len(keys):
            self.grow()
        for slot, key in zip(aside, keys, strict=True):
            self.state.cached[slot] = key
        return aside

    def forget_aside(self, aside: Sequence[Slot]) -> None:
        """Empty the model's cache again."""
        for slot in aside:
            self.state.cached[slot] = Text()

    def idle(self, name: str) -> RequestId:
        """Return a model request that no name uses and no row mentions, to be called `name` in reports."""
        while True:
            for request, out in enumerate(self.rows_out):
                if out == 0 and self.state.requests[request].phase == IDLE:
                    self.names[request] = name
                    return request
            self.grow()

    def grow(self) -> None:
        """Give the model more requests and slots; nothing else changes."""
        old, was = self.scope, self.state
        requests = old.requests + max(2, old.requests // 4)
        slots = requests * self._per_request
        self.scope = old.replace(requests=requests, families=requests, slots=slots, nodes=slots)
        new = self.state = initial(self.scope)
        new.requests = _longer(was.requests, new.requests)
        new.step.events = _longer(was.step.events, new.step.events)
        for batch, before in zip(new.batches, was.batches, strict=True):
            batch.rows = _longer(before.rows, batch.rows)
        new.pending, new.written = was.pending, was.written
        new.free = _longer(was.free, Vector([False] * slots))
        new.holds = _longer(was.holds, new.holds)
        new.cached = _longer(was.cached, new.cached)
        self.slots.grow(old.slots, slots)
        self.names += [None] * (requests - old.requests)
        self.rows_out += [0] * (requests - old.requests)
        design = self._kind(self.scope)
        design.wanted, design.offered, design.preparing = self.design.wanted, self.design.offered, ()
        self.design = design


def _longer(old: Vector[T], new: Vector[T]) -> Vector[T]:
    return Vector([*old, *list(new)[len(old) :]])
