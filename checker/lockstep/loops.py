"""The scheduler's loops on a twin, plain and overlapped side by side: of the same requests the same must come.

Each step of a loop is taken on runtime and spec, so all that is compared after any step is compared here. What is asked
besides: which batch comes next, who finishes when, that every request gets its text, and, where slots were never
scarce and nobody was aborted, that both loops leave the same keys in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from checker.explain.narrate import family_name
from checker.lockstep.lockstep import Failed
from checker.lockstep.machine import Run
from checker.lockstep.step import DrawnStep, attempt
from runtime.batch import LaunchedBatch
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.exact_model import text
from runtime.requests import Handle
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Simulated
from spec.scope import Scope
from spec.state import ADMITTED, RUNNING, RequestId

if TYPE_CHECKING:
    from runtime.engine import Engine

MOST_TURNS: Final = 500
"""A loop that has come round so often with so few requests never ends."""
NEVER: Final = 0
LOOKED_AT: Final = ("config", "guard", "launched", "pending", "table", "window_is_full")
"""What the loops look at and leave as it is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a stream, and at which turn of the loop it comes and is aborted; NEVER: it is not aborted."""

    name: str
    family: int
    prompt: int
    produce: int
    comes: int
    aborted: int

    def __str__(self) -> str:
        """Spell it as a person would."""
        gone = f", aborted at turn {self.aborted}" if self.aborted else ""
        words = f"{self.name}: text {family_name(self.family)} prompt {self.prompt} produce {self.produce}"
        return f"{words} at turn {self.comes}{gone}"

    @property
    def tokens(self) -> Ints:
        """The text that the prompt begins, as long as it is going to be."""
        return np.array(text(self.family + 1, self.prompt + self.produce)[0], np.int64)


def stream_of(rng: Random, scope: Scope) -> list[Asked]:
    """Draw the requests of one stream: some at once, some later; in every second stream some are aborted."""
    aborts = rng.choice(((NEVER,), (NEVER, NEVER, 1, 2, 3, 5)))
    found = []
    for number in range(rng.randint(1, 6)):
        prompt, comes, later = rng.randint(1, scope.max_len), rng.choice((0, 0, 1, 2, 4, 8)), rng.choice(aborts)
        found.append(
            Asked(
                name=f"q{number + 1}",
                family=rng.randrange(scope.families),
                prompt=prompt,
                produce=rng.randint(1, scope.max_len + 1 - prompt),
                comes=comes,
                aborted=comes + later if later else NEVER,
            )
        )
    return found


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
        return getattr(self._run.twin.engine, name)

    def _at(self, handle: Handle) -> RequestId:
        return self._loop.named(handle)

    def admit(self, name: str, prompt: Ints) -> Handle:
        """Admit a request under a name of the spec; it waits also while none is left."""
        names = self._run.twin.unused()
        if not names:
            return ABSENT
        self._run.take(DrawnStep("admit", names[0], int(prompt[0]) - 1, len(prompt)))
        seat = self._run.twin.seats.get(names[0], ABSENT)
        return ABSENT if seat == ABSENT else self._run.twin.engine.table.handle(seat)

    def prefill(self, handle: Handle) -> LaunchedBatch:
        """Launch a prefill."""
        self._run.take(DrawnStep("prefill", self._at(handle)))
        return self._run.twin.engine.pending[-1]

    def decode(self, handles: Ints) -> LaunchedBatch:
        """Launch a decode batch, of requests that are short of a token which is not on its way yet."""
        for handle in handles.tolist():
            if not self._loop.is_short(handle):
                self._run.fail("decode", f"{self._loop.seated[handle].name} is decoded further than it has asked for")
        self._run.take(DrawnStep("prepare", names=tuple(sorted(map(self._at, handles.tolist())))))
        return self._run.twin.engine.pending[-1]

    def process(self, tokens: Ints, finishes: Bools) -> LaunchedBatch:
        """Process the oldest result, once what the loop says of it has been found right."""
        twin = self._run.twin
        batch = twin.engine.pending[0]
        present = twin.engine.table.present(batch.rows)
        handles = twin.engine.table.handles(batch.rows.seat).tolist()
        if not np.array_equal(tokens, batch.tokens()):
            self._run.fail("tokens", f"the result of batch {batch.number} is processed with other tokens than its own")
        for place, handle in enumerate(handles):
            if present[place]:
                last = int(batch.rows.decode_count[place]) == self._loop.seated[handle].produce - 1
                if last != finishes[place]:
                    told = "goes on" if last else "finishes"
                    self._run.fail("finish", f"{self._loop.seated[handle].name} {told} with batch {batch.number}")
        ending = [self._at(handle) for place, handle in enumerate(handles) if finishes[place]]
        self._run.take(DrawnStep("process", names=tuple(sorted(ending))))
        return batch

    def abort(self, handle: Handle) -> None:
        """Abort a request."""
        self._run.take(DrawnStep("abort", self._at(handle)))


class Loop(Scheduler):
    """One loop over one stream of requests, on a run of its own."""

    def __init__(self, run: Run, stream: list[Asked], overlapped: bool, behind: int) -> None:
        super().__init__(run.twin.engine)
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
        """Run the loop until every request has come and gone; raises checker.lockstep.lockstep.Failed."""
        self.run.attempt(partial(attempt, self._play))

    def _play(self) -> None:
        loop = self.run_overlapped if self.overlapped else self.run_plain
        loop()
        while self._later:
            self._submit()
            loop()
        if self.waiting or self.seated or self.run.twin.engine.pending:
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
        while self.run.twin.state.pending - self.run.twin.state.written > self._behind:
            self.run.take(DrawnStep("device"))
        return super().launch()

    def process(self) -> None:
        """Process the oldest result, once the device has run its batch."""
        twin = self.run.twin
        if self.overlapped and twin.room() and (twin.in_phase(ADMITTED) or any(map(self.is_short, self.seated))):
            self.run.fail("idle", "a result is processed although another batch could have been launched before it")
        if not self.overlapped and len(twin.engine.pending) > 1:
            self.run.fail("ahead", f"the plain loop has launched {len(twin.engine.pending)} batches at once")
        while not twin.ready():
            self.run.take(DrawnStep("device"))
        super().process()

    def named(self, handle: Handle) -> RequestId:
        """Return the name that a request goes by in the spec."""
        seat = self.run.twin.engine.table.seat(handle)
        name = next((name for name, taken in self.run.twin.seats.items() if taken == seat), None)
        if name is None:
            self.run.fail("gone", f"the loop goes on with handle {handle}, whose request has left")
        return name

    def is_short(self, handle: Handle) -> bool:
        """Return whether a running request has to be decoded further, by what the spec knows of it."""
        me = self.run.twin.state.requests[self.named(handle)]
        return me.phase == RUNNING and me.decode_count < self.seated[handle].produce - 1

    def _submit(self) -> None:
        asked = self._later.pop(0)
        self.submit(GenerationRequest(asked.name, asked.tokens[: asked.prompt], asked.produce))


def compare(scope: Scope, stream: list[Asked], behind: int) -> tuple[Run, Run]:
    """Drive both loops with a stream of requests; return their runs, of which one has failed if anything is wrong.

    behind: by how many batches the device may be behind without being asked.
    """
    runs = Run(scope, Simulated()), Run(scope, Simulated())
    try:
        _compare(*runs, stream, behind)
    except Failed:
        pass
    finally:
        for run in runs:
            run.close()
    return runs


def shorten_stream(failed: Run, stream: list[Asked], behind: int, seconds: float) -> Run:
    """Return a failing run of a loop over fewer, smaller requests, as far as the time allows it."""
    until = time.monotonic() + seconds
    best, tried = stream, _fewer(stream)
    while time.monotonic() < until and (fewer := next(tried, None)) is not None:
        runs = compare(failed.scope, fewer, behind)
        if found := next((run for run in runs if run.failed and run.failed.kind == "loop"), None):
            failed, best = found, fewer
            tried = _fewer(best)
    return failed


def _fewer(stream: list[Asked]) -> Iterator[list[Asked]]:
    """Yield the stream with a request less, and then with one said more plainly."""
    for place in range(len(stream)):
        yield stream[:place] + stream[place + 1 :]
    for place, asked in enumerate(stream):
        plainer = [replace(asked, aborted=NEVER)] * bool(asked.aborted) + [replace(asked, comes=0)] * bool(asked.comes)
        plainer += [replace(asked, produce=produce) for produce in range(1, asked.produce)]
        plainer += [replace(asked, prompt=prompt) for prompt in range(1, asked.prompt)]
        for instead in plainer:
            yield [*stream[:place], instead, *stream[place + 1 :]]


def _compare(plain: Run, overlapped: Run, stream: list[Asked], behind: int) -> None:
    loops = [Loop(plain, stream, False, behind), Loop(overlapped, stream, True, behind)]
    for loop in loops:
        loop.play()
    one, other = ({request.name: tuple(request.output) for request in loop.done} for loop in loops)  # type: ignore[arg-type]
    aborted = {asked.name for asked in stream if asked.aborted}
    if lost := [name for name in one.keys() ^ other.keys() if name not in aborted]:
        overlapped.fail("done", f"{', '.join(sorted(lost))} has finished in one loop only")
    if wrong := [name for name in one.keys() & other.keys() if one[name] != other[name]]:
        overlapped.fail("output", f"{', '.join(sorted(wrong))} has got other tokens than in the plain loop")
    if not aborted and not any(_scarce(loop.run) for loop in loops):
        here, there = (set(loop.run.twin.watch.used) for loop in loops)
        if here != there:
            overlapped.fail("published", f"the plain loop has published {sorted(here)}, this one {sorted(there)}")


def _scarce(run: Run) -> bool:
    """Return whether a slot was ever wanting: an entry had to go, or a spare or a replacement was not to be had."""
    events = (event for state in run.twin.states for event in state.step.events)
    return run.twin.watch.evicted > 0 or any(event.no_spare or event.no_replacement for event in events)
