"""The loops: overlapped, and plain. What they do to requests, slots and cache is the engine's; here is the order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from runtime import arguments
from runtime.arguments import BadArgument, described
from runtime.boundary import ABSENT
from runtime.columns import Ints
from runtime.engine import Engine
from runtime.requests import RUNNING, SEAT_MASK, Handle
from runtime.tracking import Contradiction


@dataclass(slots=True, eq=False)
class GenerationRequest:
    """What a user asks for: go on from a prompt until so many tokens have been produced."""

    name: str
    prompt: Ints
    produce: int
    """Tokens to produce, at least 1; prompt and output must fit into max_len."""
    output: Ints | None = None
    """Those tokens, once it has finished."""
    error: Exception | None = None
    """What the work of a batch with a row of it has raised, once it has failed."""


class Scheduler:
    """Admits requests as slots allow, prefills one at a time, and decodes all that run."""

    def __init__(self, engine: Engine) -> None:
        if not isinstance(engine, Engine):
            raise BadArgument(f"the engine of a scheduler: {described(engine)}; write an Engine")
        self.engine = engine
        self.waiting: deque[GenerationRequest] = deque()
        self.admitted: deque[Handle] = deque()
        self.seated: dict[Handle, GenerationRequest] = {}
        self.done: list[GenerationRequest] = []
        self.failed: list[GenerationRequest] = []
        self._names: set[str] = set()
        self._left: Ints = np.zeros(engine.config.requests, np.int64)
        """For each seat how many more decode steps are to be prepared."""
        self._missing: Ints = np.zeros(engine.config.requests, np.int64)
        """For each seat how many tokens have not come back."""

    def submit(self, request: GenerationRequest) -> None:
        """Queue a request; raises ValueError where it could never run, or its name is in use."""
        self.engine.guard.enter()
        if not isinstance(request, GenerationRequest):
            raise BadArgument(f"what is queued: {described(request)}; write a GenerationRequest")
        limit = self.engine.config.max_len
        arguments.name(request.name, "the name of a request")
        arguments.ints(request.prompt, f"request {request.name}: prompt")
        arguments.whole(request.produce, f"request {request.name}: tokens to produce")
        if request.produce < 1 or len(request.prompt) < 1 or len(request.prompt) + request.produce > limit + 1:
            raise BadArgument(
                f"request {request.name}: {len(request.prompt)} prompt tokens and {request.produce} to produce; "
                f"both must be at least 1, and together at most {limit + 1} (max_len={limit}; the last is not absorbed)"
            )
        if request.name in self._names:
            raise BadArgument(
                f"request {request.name}: another one of that name has not finished; give it another name"
            )
        # What was checked is what will run, whatever becomes of the caller's array.
        request.prompt = request.prompt.copy()
        self._names.add(request.name)
        self.waiting.append(request)

    def run_overlapped(self) -> None:
        """Launch up to L batches ahead of the result that is processed next, until nothing is left that can be done.

        Requests still wait then only if somebody else holds the slots that they need.
        """
        engine = self.engine
        while self.launch() or engine.pending:
            if engine.window_is_full or not self._more():
                self.process()

    def run_plain(self) -> None:
        """Launch one batch, process its result, and so on: the same without overlap."""
        while self.launch():
            self.process()

    def launch(self) -> bool:
        """Launch the next batch if there is one: a waiting request's prefill, else a decode of all that still run."""
        engine = self.engine
        engine.guard.enter()
        if engine.window_is_full:
            return False
        self._admit()
        number = engine.launched
        seats = self._decodable()
        try:
            if self.admitted:
                engine.prefill(self.admitted[0])
            elif len(seats):
                engine.decode(engine.table.handles(seats))
        finally:
            # An interrupt may come through although the batch is launched.
            if engine.launched > number:
                if self.admitted:
                    self.admitted.popleft()
                else:
                    self._left[seats] -= 1
        return engine.launched > number

    def process(self) -> None:
        """Process the oldest result; requests that have all their tokens finish with it, or fail if its work has."""
        self.engine.guard.enter()
        if not self.engine.pending:
            raise Contradiction("there is no result to process: no batch is pending")
        rows, table = self.engine.pending[0].rows, self.engine.table
        if error := self.engine.pending[0].failure():
            self._fail(error)
            return
        present = table.present(rows)
        missing = self._missing[rows.seat] - present
        finishes = present & (missing == 0)
        handles = table.handles(rows.seat[finishes])
        self.engine.process(self.engine.pending[0].tokens(), finishes)
        # Not before the engine has taken the step: it may refuse it.
        self._missing[rows.seat] = missing
        for seat, handle in zip(rows.seat[finishes].tolist(), handles.tolist(), strict=True):
            request = self.seated.pop(handle)
            end = len(request.prompt) + request.produce
            request.output = table.tokens[seat, len(request.prompt) : end].copy()
            self._names.remove(request.name)
            self.done.append(request)

    def abort(self, name: str) -> None:
        """Let a request go, wherever it is; raises KeyError where no request has that name."""
        self.engine.guard.enter()
        for request in self.waiting:
            if request.name == name:
                self.waiting.remove(request)
                self._names.remove(name)
                return
        handle = next((handle for handle, request in self.seated.items() if request.name == name), None)
        if handle is None:
            raise KeyError(f"no request is called {name}")
        # Not before the engine has taken the step: it may refuse it.
        self.engine.abort(handle)
        if handle in self.admitted:
            self.admitted.remove(handle)
        del self.seated[handle]
        self._names.remove(name)

    def _fail(self, error: Exception) -> None:
        """Let the requests of the oldest batch fail."""
        for handle in self.engine.discard().tolist():
            # Whom somebody else has admitted fails there.
            if request := self.seated.pop(handle, None):
                request.error = error
                self._names.remove(request.name)
                self.failed.append(request)

    def _admit(self) -> None:
        while self.waiting:
            request = self.waiting[0]
            handle = self.engine.admit(request.name, request.prompt)
            if handle == ABSENT:
                return
            self.waiting.popleft()
            self.seated[handle] = request
            self.admitted.append(handle)
            seat = handle & SEAT_MASK
            self._left[seat] = request.produce - 1
            self._missing[seat] = request.produce

    def _decodable(self) -> Ints:
        seats: Ints = ((self.engine.table.phase == RUNNING) & (self._left > 0)).nonzero()[0]
        return seats

    def _more(self) -> bool:
        return bool(self.admitted) or bool(len(self._decodable()))
