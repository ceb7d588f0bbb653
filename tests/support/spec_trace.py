"""Traces from the spec: a run of it, written down as an engine with that design would have recorded it.

`walk` takes random steps; `Recorder` turns steps into events. The first is seeded, so a walk is reproduced by its seed.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from msgspec import UNSET

from checker.traces.conformance.shadow_design import Offering
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Header1 as Header
from checker.traces.format1 import Prefill1 as Prefill
from checker.traces.format1 import PrefillRow1 as PrefillRow
from checker.traces.format1 import Prepare1 as Prepare
from checker.traces.format1 import PrepareRow1 as PrepareRow
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import ProcessRow1 as ProcessRow
from checker.traces.format1 import Publish1 as Publish
from spec.actions.abort import abort
from spec.actions.admission import admit
from spec.actions.cache import evict
from spec.actions.decode import prepare
from spec.actions.device import device
from spec.actions.prefill import prefill
from spec.actions.results import process
from spec.design import Design
from spec.language import ABSENT, Action, Disabled, Violated, copy, new
from spec.rows import awaits_write
from spec.scope import LAZY, Scope
from spec.state import ADMITTED, EXHAUSTED, IDLE, RUNNING, Request, RequestId, Row, State, initial

FIRST_SLOT = 1
"""Model slot 0 in a trace: engines keep their slot 0 for padding."""

Arguments = tuple[Any, ...]


class Step(NamedTuple):
    """One step of a run: the action and its arguments after (state, context), the states around it, what it shows."""

    action: Action
    arguments: Arguments
    before: State
    after: State
    events: list[Event]


def header_of(scope: Scope) -> Header:
    """Return the header of a trace in this scope, whose interval must be a number."""
    return Header(
        1, "the spec", scope.mode, scope.interval, scope.ring, scope.slots, FIRST_SLOT, scope.lookahead  # type: ignore[arg-type]
    )  # fmt: skip


class Recorder:
    """Writes steps down in order. Each admission gets a name of its own, and device steps leave no event."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._names: dict[RequestId, str] = {}
        self._admissions = count()
        self._batches: deque[tuple[int, dict[RequestId, str]]] = deque()
        self._launched = count()

    def events(
        self, action: Action, arguments: Arguments, before: State, after: State, design: Offering
    ) -> list[Event]:
        """Return what an engine records of this step; `design` has noted what its gates were asked about in it."""
        if action is admit:
            request = arguments[0]
            self._names[request] = f"r{request + 1}.{next(self._admissions)}"
            me = after.requests[request]
            return [Admit(self._names[request], _slot(me.working), _ring(me), me.next, me.last)]
        if action is prefill:
            return [Prefill(self._launch([arguments[0]]), (self._prefill_row(before, after, arguments[0]),))]
        if action is prepare:
            rows = arguments[0]
            requests = [request for request in arguments[1] if rows[request]]
            made = tuple(self._prepare_row(before, after, request) for request in requests)
            return [Prepare(self._launch(requests), made)]
        if action is process:
            return self._process(arguments, before, after, design)
        if action is abort:
            slots = _slots(before.requests[arguments[0]])
            return [Free(tuple(slot + FIRST_SLOT for slot in sorted(slots)))]
        if action is evict:
            return [Evict(arguments[0] + FIRST_SLOT)]
        return []

    def _launch(self, requests: list[RequestId]) -> int:
        number = next(self._launched)
        self._batches.append((number, {request: self._names[request] for request in requests}))
        return number

    def _prefill_row(self, before: State, after: State, request: RequestId) -> PrefillRow:
        row, me = after.batches[before.pending].rows[request], after.requests[request]
        return PrefillRow(
            self._names[request], row.seq_len, row.start, _slot(row.source), *_mark(row), me.next, me.last, _ring(me)
        )

    def _prepare_row(self, before: State, after: State, request: RequestId) -> PrepareRow:
        row, me = after.batches[before.pending].rows[request], after.requests[request]
        name = self._names[request]
        return PrepareRow(name, row.decode_count, row.seq_len, *_mark(row), me.next, me.last, _ring(me))

    def _process(self, arguments: Arguments, before: State, after: State, design: Offering) -> list[Event]:
        finishes, order = arguments[0], arguments[1]
        number, names = self._batches.popleft()
        rows: list[ProcessRow] = []
        effects: list[Event] = []
        for request in order:
            if request not in names:
                continue
            name, me, event = names[request], after.requests[request], after.step.events[request]
            if not event.processed:
                rows.append(ProcessRow(name, True, False))
                continue
            lookahead = event.lookahead if before.batches[0].rows[request].decode_count else UNSET
            if finishes[request]:
                rows.append(ProcessRow(name, False, True, lookahead))
            else:
                label = None if me.last_len == ABSENT else me.last_len
                rows.append(ProcessRow(name, False, False, lookahead, me.next, me.last, label, _ring(me)))
            effects += _effects(name, request, before, after, design)
        return [Process(number, tuple(rows)), *effects]


def _effects(name: str, request: RequestId, before: State, after: State, design: Offering) -> list[Event]:
    event = after.step.events[request]
    gone = _slots(before.requests[request]) - _slots(after.requests[request])
    found: list[Event] = []
    if event.key_cached:
        slot, label = design.offered[request]
        found.append(Publish(name, slot + FIRST_SLOT, label, False))
    if event.published != ABSENT:
        slot = next(slot for slot in gone if after.cached[slot].family != ABSENT)
        gone.remove(slot)
        found.append(Publish(name, slot + FIRST_SLOT, event.published, True))
    if gone:
        found.append(Free(tuple(slot + FIRST_SLOT for slot in sorted(gone))))
    return found


def _slot(slot: int) -> int | None:
    return None if slot == ABSENT else slot + FIRST_SLOT


def _ring(me: Request) -> tuple[int | None, ...]:
    return tuple(_slot(slot) for slot in me.ring)


def _slots(me: Request) -> set[int]:
    return {slot for slot in (me.working, *me.ring) if slot != ABSENT}


def _mark(row: Row) -> tuple[int | None, int | None, int | None]:
    if row.mark == ABSENT:
        return None, None, None
    return row.mark, _slot(row.slot), row.position


_CHOICE = (prepare, process, prefill, admit, device, evict, abort), (12, 12, 10, 5, 6, 2, 1)


def walk(scope: Scope, design: type[Design], seed: int, steps: int, idle_device: bool = False) -> Iterator[Step]:
    """Take `steps` random steps from the first state, then end every request; ends early where the spec is violated.

    `idle_device`: the device runs a batch only when its result is waited for, so that as much as possible is unwritten.
    """
    choose = random.Random(seed)
    asked = type(f"Offering{design.__name__}", (Offering, design), {})(scope)
    recorder = Recorder(scope)
    state = initial(scope)
    taken = 0
    for turn in count():
        if taken < steps and turn < 60 * steps:
            action = choose.choices(*_CHOICE)[0]
            arguments = _arguments(action, state, scope, choose)
        else:
            action, arguments = _last_steps(state, scope, asked)
        if arguments is None:
            if taken >= steps or turn >= 60 * steps:
                return
            continue
        ready = state.pending > 0 and asked.ready(state)
        if (action is process and not ready) or (action is device and idle_device and ready):
            continue
        after = copy(state)
        after.step = new(type(after.step), scope)
        asked.offered = {}
        try:
            action.function(after, asked, *arguments)
        except Disabled:
            continue
        except Violated:
            return
        taken += 1
        yield Step(action, arguments, state, after, recorder.events(action, arguments, state, after, asked))
        state = after


def _last_steps(s: State, scope: Scope, asked: Offering) -> tuple[Action, Arguments | None]:
    """Return the next step towards a state in which nothing runs; the device without arguments: it is reached."""
    for request, record in enumerate(s.requests):
        if record.phase != IDLE:
            return abort, (request,)
    if s.pending == 0:
        return device, None
    if asked.ready(s):
        return process, ((False,) * scope.requests, tuple(range(scope.requests)), ABSENT)
    return device, ()


def _arguments(action: Action, s: State, scope: Scope, choose: random.Random) -> Arguments | None:
    """Return arguments with which the action may be possible, or None: sampling from all of them would mostly fail."""
    names = range(scope.requests)
    order = tuple(choose.sample(names, len(names)))
    promised = [slot for slot, free in enumerate(s.free) if free and awaits_write(s, slot)]
    supply = choose.choice([ABSENT] * 6 + [EXHAUSTED] + 4 * promised)
    if action is admit:
        idle = [request for request in names if s.requests[request].phase == IDLE]
        if not idle or choose.random() < 0.5:
            return None
        prompt = choose.randrange(1, scope.max_len)
        return choose.choice(idle), choose.randrange(scope.families), prompt, ABSENT if supply == EXHAUSTED else supply
    if action in (prefill, prepare) and s.pending == scope.window:
        return None
    if action is prefill:
        waiting = [request for request in names if s.requests[request].phase == ADMITTED]
        return (choose.choice(waiting), ABSENT) if waiting else None
    if action is prepare:
        running = [r for r in names if s.requests[r].phase == RUNNING and s.requests[r].seq_len < scope.max_len]
        rows = tuple(request in running and choose.random() < 0.85 for request in names)
        if not any(rows) and choose.random() < 0.9:
            return None
        lazy = scope.mode == LAZY
        return rows, order if lazy else tuple(names), (False,) * len(names), supply if lazy else ABSENT
    if action is process:
        present = [row.present for row in s.batches[0].rows]
        finishes = tuple(there and choose.random() < 0.2 for there in present)
        return finishes, order if sum(present) > 1 else tuple(names), supply
    if action is evict:
        cached = [slot for slot, key in enumerate(s.cached) if key.family != ABSENT]
        return (choose.choice(cached),) if cached else None
    if action is abort:
        here = [request for request in names if s.requests[request].phase != IDLE]
        return (choose.choice(here),) if here and choose.random() < 0.5 else None
    return () if s.written < s.pending else None
