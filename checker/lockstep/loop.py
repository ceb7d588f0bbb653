"""One of the scheduler's loops on a lockstep: what it asks of its engine is taken on runtime and spec.

Besides all that is compared after any step, it is asked which batch comes next, who finishes when, and that every
request gets its text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from checker.lockstep import enabled
from checker.lockstep.asked import Asked
from checker.lockstep.failure import attempt
from checker.lockstep.run import Run
from checker.lockstep.step import DrawnStep
from runtime.batch import LaunchedBatch
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.requests import Handle
from runtime.scheduler import GenerationRequest, Scheduler
from spec.state import ADMITTED, RUNNING, RequestId

if TYPE_CHECKING:
    from runtime.engine import Engine

MOST_TURNS: Final = 500
"""A loop that has come round so often with so few requests never ends."""
LOOKED_AT: Final = ("config", "guard", "launched", "pending", "table", "window_is_full")
"""What the loops look at and leave as it is."""


class FollowedEngine:
    """An engine as a loop sees it: what it is asked to do, a run takes on runtime and spec.

    It is no engine of its own, so nothing can be done behind the run: all that is not done here is only looked at.
    """

    def __init__(self, run: Run, loop: Loop) -> None:
        self._run = run
        self._loop = loop

    def __getattr__(self, name: str) -> object:
        """Return what a loop looks at from the engine itself."""
        if name not in LOOKED_AT:
            raise AttributeError(f"a loop asks its engine for `{name}`, which cannot be followed on the spec")
        return getattr(self._run.lockstep.engine, name)

    def _at(self, handle: Handle) -> RequestId:
        return self._loop.named(handle)

    def admit(self, name: str, prompt: Ints) -> Handle:
        """Admit a request under a name of the spec; it waits also while none is left."""
        names = enabled.unused(self._run.lockstep)
        if not names:
            return ABSENT
        self._run.take(DrawnStep("admit", names[0], int(prompt[0]) - 1, len(prompt)))
        seat = self._run.lockstep.seats.get(names[0], ABSENT)
        return ABSENT if seat == ABSENT else self._run.lockstep.engine.table.handle(seat)

    def prefill(self, handle: Handle) -> LaunchedBatch:
        """Launch a prefill."""
        self._run.take(DrawnStep("prefill", self._at(handle)))
        return self._run.lockstep.engine.pending[-1]

    def decode(self, handles: Ints) -> LaunchedBatch:
        """Launch a decode batch, of requests that are short of a token which is not on its way yet."""
        for handle in handles.tolist():
            if not self._loop.is_short(handle):
                self._run.fail("decode", f"{self._loop.seated[handle].name} is decoded further than it has asked for")
        self._run.take(DrawnStep("prepare", names=tuple(sorted(map(self._at, handles.tolist())))))
        return self._run.lockstep.engine.pending[-1]

    def process(self, tokens: Ints, finishes: Bools) -> LaunchedBatch:
        """Process the oldest result, once what the loop says of it has been found right."""
        lockstep = self._run.lockstep
        batch = lockstep.engine.pending[0]
        present = lockstep.engine.table.present(batch.rows)
        handles = lockstep.engine.table.handles(batch.rows.seat).tolist()
        if not np.array_equal(tokens, batch.tokens()):
            self._run.fail("tokens", f"the result of batch {batch.number} is processed with other tokens than its own")
        for place, handle in enumerate(handles):
            if present[place]:
                last = int(batch.rows.decode_count[place]) == self._loop.seated[handle].produce - 1
                if last != finishes[place]:
                    done = "goes on" if last else "finishes"
                    self._run.fail("finish", f"{self._loop.seated[handle].name} {done} with batch {batch.number}")
        ending = [self._at(handle) for place, handle in enumerate(handles) if finishes[place]]
        self._run.take(DrawnStep("process", names=tuple(sorted(ending))))
        return batch

    def abort(self, handle: Handle) -> None:
        """Abort a request."""
        self._run.take(DrawnStep("abort", self._at(handle)))


class Loop(Scheduler):
    """One loop over one stream of requests, on a run of its own."""

    def __init__(self, run: Run, stream: list[Asked], overlapped: bool, behind: int) -> None:
        super().__init__(run.lockstep.engine)
        # From here on all that the loop asks of its engine is taken on runtime and spec.
        self.engine = cast("Engine", FollowedEngine(run, self))
        self.run = run
        self.asked = {asked.name: asked for asked in stream}
        self.overlapped = overlapped
        self._behind = behind
        """By how many batches the device may be behind without being asked."""
        self._later = sorted(stream, key=lambda asked: asked.comes)
        self._turn = 0
        run.remarks += [f"the {'overlapped' if overlapped else 'plain'} loop", *map(str, stream)]

    def play(self) -> None:
        """Run the loop until every request has come and gone; raises Failed."""
        self.run.attempt(partial(attempt, self._play))

    def _play(self) -> None:
        loop = self.run_overlapped if self.overlapped else self.run_plain
        loop()
        while self._later:
            self._submit()
            loop()
        if self.waiting or self.seated or self.run.lockstep.engine.pending:
            self.run.fail("end", f"the loop has ended, and {len(self.waiting)} wait, {len(self.seated)} have seats")
        for request in self.done:
            asked = self.asked[request.name]
            if request.output is None or not np.array_equal(request.output, asked.tokens[asked.prompt :]):
                self.run.fail("output", f"{request.name} has got {request.output}, not how its text goes on")

    def launch(self) -> bool:
        """Let requests come and go and the device run on, and then take the loop's own turn."""
        self._turn += 1
        if self._turn > MOST_TURNS:
            self.run.fail("end", f"the loop has come round {MOST_TURNS} times and does not end")
        while self._later and self._later[0].comes < self._turn:
            self._submit()
        here = {request.name for request in (*self.waiting, *self.seated.values())}
        for asked in self.asked.values():
            if asked.aborted == self._turn and asked.name in here:
                self.abort(asked.name)
        while self.run.lockstep.state.pending - self.run.lockstep.state.written > self._behind:
            self.run.take(DrawnStep("device"))
        return super().launch()

    def process(self) -> None:
        """Process the oldest result, once the device has run its batch."""
        lockstep = self.run.lockstep
        if self.overlapped and enabled.room(lockstep) and self._has_more_to_launch():
            self.run.fail("idle", "a result is processed although another batch could have been launched before it")
        if not self.overlapped and len(lockstep.engine.pending) > 1:
            self.run.fail("ahead", f"the plain loop has launched {len(lockstep.engine.pending)} batches at once")
        while not enabled.ready(lockstep):
            self.run.take(DrawnStep("device"))
        super().process()

    def named(self, handle: Handle) -> RequestId:
        """Return the name that a request goes by in the spec."""
        seat = self.run.lockstep.engine.table.seat(handle)
        name = next((name for name, taken in self.run.lockstep.seats.items() if taken == seat), None)
        if name is None:
            self.run.fail("gone", f"the loop goes on with handle {handle}, whose request has left")
        return name

    def is_short(self, handle: Handle) -> bool:
        """Return whether a running request has to be decoded further, by what the spec knows of it."""
        me = self.run.lockstep.state.requests[self.named(handle)]
        return me.phase == RUNNING and me.decode_count < self.seated[handle].produce - 1

    def _has_more_to_launch(self) -> bool:
        return bool(enabled.in_phase(self.run.lockstep, ADMITTED)) or any(map(self.is_short, self.seated))

    def _submit(self) -> None:
        asked = self._later.pop(0)
        self.submit(GenerationRequest(asked.name, asked.tokens[: asked.prompt], asked.produce))
