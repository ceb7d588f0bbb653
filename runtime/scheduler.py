"""The loops: overlapped, and plain. What they do to requests, slots and cache is the engine's; here is the order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from runtime.boundary import ABSENT
from runtime.columns import Ints
from runtime.engine import Engine
from runtime.requests import RUNNING


@dataclass(slots=True, eq=False)
class Request:
    """What a user asks for: go on from a prompt until so many tokens have been produced."""

    name: str
    prompt: Ints
    produce: int
    """Tokens to produce, at least 1; prompt and output must fit into max_len."""
    output: Ints | None = None
    """Those tokens, once it has finished."""


class Scheduler:
    """Admits requests as slots allow, prefills one at a time, and decodes all that run."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.waiting: deque[Request] = deque()
        self.admitted: deque[int] = deque()
        self.seated: dict[int, Request] = {}
        self.done: list[Request] = []
        self._names: set[str] = set()
        self._left: Ints = np.zeros(engine.config.requests, np.int64)
        """For each seat how many more decode steps are to be prepared."""
        self._missing: Ints = np.zeros(engine.config.requests, np.int64)
        """For each seat how many tokens have not come back."""

    def submit(self, request: Request) -> None:
        """Queue a request; raises ValueError where it could never run, or its name is in use."""
        limit = self.engine.config.max_len
        if request.produce < 1 or len(request.prompt) < 1 or len(request.prompt) + request.produce > limit + 1:
            raise ValueError(
                f"request {request.name}: {len(request.prompt)} prompt tokens and {request.produce} to produce; "
                f"both must be at least 1, and together at most {limit + 1} (max_len={limit}; the last is not absorbed)"
            )
        dtype, shape = getattr(request.prompt, "dtype", type(request.prompt).__name__), np.shape(request.prompt)
        if dtype != np.int64 or len(shape) != 1:
            raise ValueError(
                f"request {request.name}: a prompt of {dtype} with shape {shape}; write one array of int64 tokens"
            )
        if request.name in self._names:
            raise ValueError(f"request {request.name}: another one of that name has not finished; give it another name")
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
        if self.engine.window_is_full:
            return False
        self._admit()
        if self.admitted:
            self.engine.prefill(self.admitted[0])
            self.admitted.popleft()
            return True
        seats = self._decodable()
        if len(seats):
            self.engine.decode(seats)
            self._left[seats] -= 1
        return bool(len(seats))

    def process(self) -> None:
        """Process the oldest result; requests that have all their tokens finish with it."""
        rows, table = self.engine.pending[0].rows, self.engine.table
        present = table.present(rows)
        missing = self._missing[rows.seat] - present
        finishes = present & (missing == 0)
        self.engine.process(self.engine.pending[0].tokens(), finishes)
        # Not before the engine has taken the step: it may refuse it.
        self._missing[rows.seat] = missing
        for seat in rows.seat[finishes].tolist():
            request = self.seated.pop(seat)
            end = len(request.prompt) + request.produce
            request.output = table.tokens[seat, len(request.prompt) : end].copy()
            self._names.remove(request.name)
            self.done.append(request)

    def abort(self, name: str) -> None:
        """Let a request go, wherever it is; raises KeyError where no request has that name."""
        for request in self.waiting:
            if request.name == name:
                self.waiting.remove(request)
                self._names.remove(name)
                return
        seat = next((seat for seat, request in self.seated.items() if request.name == name), None)
        if seat is None:
            raise KeyError(f"no request is called {name}")
        if seat in self.admitted:
            self.admitted.remove(seat)
        del self.seated[seat]
        self._names.remove(name)
        self.engine.abort(seat)

    def _admit(self) -> None:
        while self.waiting:
            request = self.waiting[0]
            seat = self.engine.admit(request.name, request.prompt)
            if seat == ABSENT:
                return
            self.waiting.popleft()
            self.seated[seat] = request
            self.admitted.append(seat)
            self._left[seat] = request.produce - 1
            self._missing[seat] = request.produce

    def _decodable(self) -> Ints:
        seats: Ints = ((self.engine.table.phase == RUNNING) & (self._left > 0)).nonzero()[0]
        return seats

    def _more(self) -> bool:
        return bool(self.admitted) or bool(len(self._decodable()))
