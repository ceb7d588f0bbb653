"""The verdict of a trace, independent of any design: is a cached slot, or may it become, something else than its label?

A trace is bad if and only if a slot stored in the cache (or kept by an idle session) holds, is promised, or may later
receive a state other than its label, or is read as something that it isn't, or a row starts from a state that does not
cover its tokens, or a batch writes a slot twice or reads what it writes, or a slot has two owners. Every other broken
property of spec/properties is a hazard: reported, with the line where it healed, and without effect on the outcome.
What refers to nothing (an unknown request, a result out of launch order) is a `BadTrace`.
"""

from __future__ import annotations

from os import PathLike

from msgspec import UNSET

from checker.traces.format import Admit, Event, Header, Launch, Process, Publish, Rekey, Stop
from checker.traces.lives import Life
from checker.traces.meanings import EVENTS, tag
from checker.traces.reading import read_trace
from checker.traces.results import Results
from checker.traces.verdict import Problem, Verdict

__all__ = ["Judge", "judge_trace"]


class Judge(Results):
    """Feed it the events of one trace in order, then ask for the `result`. Memory: slots and running requests.

    It is one object in layers, each of which knows only those below it: what was found (book), slots (table),
    transfers, requests, sessions, device, results. Each event has a method of its name, in the layer that it is about.
    `path` is only for messages. `close_look` turns off the short cut for rows that change nothing (for tests).
    """

    def __init__(self, header: Header, path: str = "-", close_look: bool = False) -> None:
        super().__init__(header, path, close_look)
        self._in_result = False  # whether what comes belongs to the result of the line before, unless it says otherwise
        self._events = self._newest_line = 0
        self._stop: Stop | None = None
        self._follow = {record: (tag(record), getattr(self, tag(record))) for record in EVENTS}

    def feed(self, line: int, event: Event) -> None:
        """Judge one event; raises BadTrace if it refers to something that doesn't exist."""
        kind = type(event)
        name, follow = self._follow[kind]
        if kind in (Launch, Process, Admit, Stop):
            self.arrive()
            self._in_result = kind is Process
        self.line, self.event = line, name
        if self._stop is not None:
            raise self.error("an event follows the `stop` line, which is the last one")
        # A line of format 1 may be several events.
        self._events += line > self._newest_line
        self._newest_line = max(line, self._newest_line)
        follow(event)

    def result(self, cut: bool = False) -> Verdict:
        """The verdict so far; `cut`: the reader met an incomplete last line. BadTrace if there was no event at all."""
        if not self._events and not cut:
            raise self.error("no event follows the header")
        stop, missing = self._stop, []
        if cut:
            missing.append("the last line is incomplete")
        if self.batches:
            missing.append(f"{len(self.batches)} batches were launched and have no result")
        if self.running:
            missing.append(f"{self.running} requests are still running")
        because = "; ".join(missing or ["there is no `stop` line"]) if stop is None else ""
        uncovered = ""
        if stop is not None and stop.why == "not covered":
            uncovered = f"from line {self._newest_line} on: {stop.what or 'the recorder does not say what'}"
        outcome = "bad" if self.violations else "not covered" if uncovered else "cut" if because else "good"
        return Verdict(
            outcome, self.header.engine, self._events, self.launches, self.admitted, because,  # type: ignore[arg-type]
            self.violations, self.hazards, self.hidden_violations, self.hidden_hazards, uncovered, dict(self.unknown),
            self.unmarked,
        )  # fmt: skip

    def publish(self, event: Publish) -> None:
        """The cache has a slot under so many tokens, or had that key already."""
        life = self._publisher(event)
        if life is None or not life.admitted:
            self.unknown["whose state is published"] += 1
        if life is None:
            if event.stored:
                self.store(None, event, early=False)
            return
        newest = life.newest
        if newest is not None and (event.len >= newest.length or (event.stored and event.slot == newest.slot)):
            life.newest = None
        if not event.stored:
            self.keep(life, event)
            return
        grid = self.header.prefill_grid
        if grid is not UNSET and self.header.grid_from == "zero" and event.len % grid:
            text = f"a key of {event.len} tokens isn't a multiple of {grid}"
            self.report(life, Problem("publish", "grid", text, event.slot))
        if life.over == "left" or (life.leaves and not life.over):
            text = f"{life.name} left without finishing, and publishes"
            self.report(life, Problem("publish", "retract-pure", text, event.slot))
        # Only a line that shows a ring after this says whether the slot is still in it; a result has shown it before.
        seen = self._in_result and event.during in (UNSET, self.processed)
        self.replaced(life, event, seen)
        self.store(life, event, early=not seen)
        life.hush()

    def _publisher(self, event: Publish) -> Life | None:
        """Return whose state is published: the request that the line names, else the slot's owner; None: unknown."""
        if isinstance(event.r, str):
            if event.r not in self.lives and self.header.is_whole:
                raise self.error(f"request {event.r} publishes slot {event.slot}, but there is no such request")
            return self.meant(event.r)
        slot = self.at(event.slot)
        if slot is None:
            return None
        owner, author = slot.owner, slot.promised.life if slot.promised is not None else None
        if isinstance(owner, Life) and not owner.over and not self.may_have_left(slot):
            return owner
        return next((each for each in (author, owner) if isinstance(each, Life)), None)

    def rekey(self, event: Rekey) -> None:
        """A key moves to another slot; its slot goes back to the request that works there, its author before others."""
        slot = self.at(event.from_)
        using = [life for life in self.lives.values() if slot is not None and life.runs and life.home is slot]
        author = slot.key.life if slot is not None and slot.key is not None else None
        using.sort(key=lambda life: life is not author)
        self.move_key(event.from_, event.to, using[0] if using else None)

    def stop(self, event: Stop) -> None:
        """The last line."""
        self._stop = event


def judge_trace(path: str | PathLike[str], close_look: bool = False) -> Verdict:
    """Read and judge one trace. Raises BadTrace, and OSError if the file can't be read."""
    reader = read_trace(path)
    judge = Judge(reader.header, reader.path, close_look)
    for line, event in reader:
        judge.feed(line, event)
    return judge.result(reader.cut)
