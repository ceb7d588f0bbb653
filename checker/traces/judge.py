"""The verdict of a trace, independent of any design: is a cached slot, or may it become, something else than its label?

A trace is bad if and only if a slot stored in the cache (or kept by an idle session) holds, is promised, or may later
receive a state other than its label, or is read as something that it isn't, or a row starts from a state that does not
cover its tokens, or a batch writes a slot twice or reads what it writes, or a slot has two owners. Every other broken
property of spec/properties is a hazard: reported, with the line where it healed, and without effect on the outcome.
What refers to nothing (an unknown request, a result out of launch order) is a `BadTrace`.

Read `Judge.feed` first: one method for each event. launches.py follows a batch, table.py owners and the cache.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from os import PathLike
from typing import Any

from msgspec import UNSET

from checker.traces import rules
from checker.traces.book import Book
from checker.traces.format import (
    Admit,
    Copy,
    DecodeRow,
    End,
    Event,
    Evict,
    Free,
    Header,
    Launch,
    PrefillRow,
    Process,
    Publish,
    Rekey,
    ResultRow,
    Row,
    Saved,
    Session,
    Stop,
    Take,
    Transfer,
    VerifyRow,
)
from checker.traces.launches import Launches
from checker.traces.lives import Claim, Life, PendingBatch
from checker.traces.owners import Owner
from checker.traces.reading import BadTrace, read_trace
from checker.traces.requests import Requests
from checker.traces.table import SlotTable
from checker.traces.transfers import Transfers
from checker.traces.turns import Turns
from checker.traces.verdict import Hazard, Problem, Verdict

__all__ = ["Judge", "judge_trace"]


class Judge:
    """Feed it the events of one trace in order, then ask for the `result`. Memory: slots and running requests.

    `path` is only for messages. `close_look` turns off the short cut for rows that change nothing (for tests).
    """

    def __init__(self, header: Header, path: str = "-", close_look: bool = False) -> None:
        self._header = header
        self._path = path
        self._close_look = close_look
        self._book = Book()
        self._batches: deque[PendingBatch] = deque()
        self._table = SlotTable(header, self._book)
        self._requests = Requests(header, self._table, self._book, self._error)
        self._launches = Launches(header, self._table, self._requests, self._book, close_look)
        self._turns = Turns(header, self._table, self._requests, self._book)
        self._transfers = Transfers(self._table, self._book)
        self._too_deep: Hazard | None = None  # more batches are pending than the header allows
        self._newest_batch = -1
        self._in_result = False  # whether what comes belongs to the result of the line before, unless it says otherwise
        self._events = self._launched = self._line = 0
        self._stop: Stop | None = None
        self._not_covered = ""
        self._feed: dict[type, Callable[[int, Any], None]] = {
            Take: self._requests.take,
            Admit: self._admit,
            Launch: self._launch,
            Copy: self._copy,
            Process: self._process,
            Publish: self._publish,
            Rekey: self._rekey,
            Free: self._free,
            Evict: lambda line, event: self._table.evict(line, event.slot),
            End: self._end,
            Session: self._turns.follow,
            Transfer: self._transfers.follow,
            Stop: self._stopped,
        }

    def feed(self, line: int, event: Event) -> None:
        """Judge one event; raises BadTrace if it refers to something that doesn't exist."""
        if self._stop is not None:
            raise self._error(line, "an event follows the `stop` line, which is the last one")
        # A line of format 1 may be several events.
        self._events += line > self._line
        self._line = max(line, self._line)
        self._feed[type(event)](line, event)

    def result(self, cut: bool = False) -> Verdict:
        """The verdict so far; `cut`: the reader met an incomplete last line. BadTrace if there was no event at all."""
        if not self._events and not cut:
            raise self._error(1, "no event follows the header")
        missing = []
        if cut:
            missing.append("the last line is incomplete")
        if self._batches:
            missing.append(f"{len(self._batches)} batches were launched and have no result")
        if self._requests.running:
            missing.append(f"{len(self._requests.running)} requests are still running")
        if self._stop is None and not missing:
            missing.append("there is no `stop` line")
        if self._stop is not None:
            missing = []
        book = self._book
        outcome = "bad" if book.violations else "not covered" if self._not_covered else "cut" if missing else "good"
        return Verdict(
            outcome, self._header.engine, self._events, self._launched, self._requests.admitted, "; ".join(missing),  # type: ignore[arg-type]
            book.violations, book.hazards, book.hidden_violations, book.hidden_hazards, self._not_covered,
            dict(book.unknown), self._launches.writes.unmarked,
        )  # fmt: skip

    def _admit(self, line: int, event: Admit) -> None:
        self._requests.arrive(line)
        self._in_result = False
        life = self._requests.admit(line, event)
        if isinstance(event.s, str):
            self._turns.admit(line, life, event.s)
        self._requests.report(line, life, rules.admitted(self._header, event))

    def _launch(self, line: int, event: Launch) -> None:
        self._requests.arrive(line)
        self._in_result = False
        if event.b <= self._newest_batch:
            raise self._error(line, f"batch {event.b} is launched after batch {self._newest_batch}")
        self._newest_batch = event.b
        self._launched += 1
        self._transfers.wait(event.waits)
        self._batches.append(self._launches.follow(line, event))
        if len(self._batches) > self._header.lookahead + 1 and self._too_deep is None:
            text = f"{len(self._batches)} batches are pending, and lookahead {self._header.lookahead} allows one more"
            self._too_deep = self._book.open(line, None, Problem("pending", "lookahead-window", text))

    def _copy(self, line: int, event: Copy) -> None:
        self._launches.copy_outside(line, event, self._newest_batch)

    def _process(self, line: int, event: Process) -> None:
        self._requests.arrive(line)
        self._in_result = True
        oldest = self._batches[0].b if self._batches else self._newest_batch + 1
        if event.b < oldest and not self._header.is_whole and event.b > self._table.processed:
            # It was launched before the recording began.
            self._table.processed = event.b
            return
        if not self._batches or self._batches[0].b != event.b:
            first = f"batch {self._batches[0].b} is next" if self._batches else "none is pending"
            raise self._error(line, f"the result of batch {event.b} is processed, but {first}")
        batch = self._batches.popleft()
        self._table.processed = event.b
        if self._too_deep is not None and len(self._batches) <= self._header.lookahead + 1:
            self._too_deep.healed_at = line
            self._too_deep = None
        rows, lives, close_look = batch.rows, batch.lives, self._close_look
        if [row.r for row in event.rows] != [row.r for row in rows]:
            places = self._places(line, event, batch)
            rows, lives = tuple(rows[place] for place in places), [lives[place] for place in places]
        for launched, life, row in zip(rows, lives, event.rows, strict=True):
            life.out -= 1
            if life.quiet and not close_look and self._changes_nothing(life, launched, row):
                life.done_len = launched.len  # type: ignore[union-attr]
                home = life.home
                if home is not None and home.pending and home.pending[0].batch <= event.b:
                    home.settle(event.b)
            else:
                self._result(line, batch, life, launched, row)

    def _places(self, line: int, event: Process, batch: PendingBatch) -> list[int]:
        """Return which row of the batch each row of its result is about; what it leaves out has come back too."""
        waiting = {row.r: place for place, row in enumerate(batch.rows)}
        places = []
        for row in event.rows:
            place = waiting.pop(row.r, None)
            if place is None:
                raise self._error(line, f"the result of batch {event.b} has a row for {row.r}, the batch has none")
            places.append(place)
        for name, place in waiting.items():
            life = batch.lives[place]
            life.out -= 1
            self._returned(line, batch, life, batch.rows[place])
            if not life.over:
                text = f"the result of batch {batch.b} has no row for {name}, which is running"
                self._requests.report(line, life, [Problem("missing", rules.ODD, text)])
        return places

    def _changes_nothing(self, life: Life, launched: Row, row: ResultRow) -> bool:
        """Whether a result is one of the many that only say that a decode row without a mark has run."""
        # A field that a `same` line leaves out is what it was; without `same` it is unknown.
        return (
            type(launched) is DecodeRow
            and not (row.skipped or row.done or life.over or life.prefills)
            and (row.last_len == life.label or row.last_len is UNSET)
            and (row.next == life.next or row.next is UNSET)
            and (row.last == life.last or row.last is UNSET)
            and (row.ring == life.ring or row.ring is UNSET)
            and (
                row.lookahead is UNSET
                or (
                    launched.count is not UNSET
                    and row.lookahead == life.count - launched.count
                    and 0 <= row.lookahead <= self._header.lookahead
                )
            )
            and row.accepted is UNSET
        )

    def _result(self, line: int, batch: PendingBatch, life: Life, launched: Row, row: ResultRow) -> None:
        claims = self._returned(line, batch, life, launched, row)
        if row.skipped:
            problems = []
            if not life.over:
                problems.append(Problem("process:skipped", rules.ODD, "the row of a running request was ignored"))
            if row.done:
                problems.append(Problem("process:skipped", rules.ODD, "a row is both skipped and done"))
            if life.over:
                self._requests.report(line, life, problems)
            else:
                self._requests.sync(line, life, "process", problems)
            return
        if life.over and not self._late_result(line, life):
            return
        problems = []
        if isinstance(launched, DecodeRow) and launched.count is not UNSET and row.lookahead is not UNSET:
            problems = rules.lookahead(self._header, life, launched.count, row.lookahead)
        claim = self._completed(life, claims)
        if row.done:
            self._requests.sync(line, life, "process", problems)
            self._requests.done(line, life)
        else:
            self._requests.point(line, life, claim, row, problems)

    def _completed(self, life: Life, claims: list[Claim]) -> Claim | None:
        """The marks of a processed row are checkpoints now; returns the newest."""
        for claim in claims:
            life.newest = claim if self._still_owed(life, claim) else None
            life.boundaries += 1
            if claim.pos is not UNSET and life.base is not None and self._header.ring is not UNSET:
                life.base = (claim.pos + 1) % self._header.ring
        return claims[-1] if claims else None

    def _still_owed(self, life: Life, claim: Claim) -> bool:
        """Whether a finish must publish this completed checkpoint, if no newer one follows."""
        slot = self._table.at(claim.slot)
        if slot is None or slot.owner is not life.holder:
            return False
        # A lazy engine that finds no spare writes in place and thereby gives the checkpoint up.
        return self._header.mode == "eager" or not life.targets[claim.slot]

    def _returned(
        self, line: int, batch: PendingBatch, life: Life, launched: Row, row: ResultRow | None = None
    ) -> list[Claim]:
        """A row has come back: it has run. Returns its claims."""
        life.prefills -= isinstance(launched, PrefillRow)
        if life.home is not None and life.home.pending:
            life.home.settle(batch.b)
        if isinstance(launched, VerifyRow):
            if row is not None and not row.skipped and (row.accepted is UNSET or row.retained is UNSET):
                raise self._error(line, f"the row of {row.r} was a verify, so it needs `accepted` and `retained`")
            found = self._launches.verifies.resolve(line, batch, life, launched, row)
            return [found] if found is not None else []
        claims = life.returned(batch.b)
        for claim in claims:
            slot = self._table.at(claim.slot)
            if slot is not None:
                holds = slot.certain.words() if slot.certain else "nothing"
                slot.note(line, batch.b, f"result of b{batch.b} processed", f"b{batch.b} has run: {holds}")
        if not life.over:
            life.done_len = launched.len
        return claims

    def _late_result(self, line: int, life: Life) -> bool:
        """A result for a request that is over. True if it turns out to be running still."""
        if life.over == "left" and self._requests.ended.get(life.name) is life:
            self._requests.revive(line, "process", life.name)
            return True
        text = f"a result was applied to {life.name}, which was over at line {life.over_line}"
        self._requests.report(line, life, [Problem("late", rules.ODD, text)])
        return False

    def _publish(self, line: int, event: Publish) -> None:
        life = self._publisher(line, event)
        if life is None:
            if event.stored:
                self._table.publish(line, None, event, early=False)
            return
        newest = life.newest
        if newest is not None and (event.len >= newest.length or (event.stored and event.slot == newest.slot)):
            life.newest = None
        if not event.stored:
            self._table.keep(line, "publish", life, event.slot, event.len)
            return
        grid = self._header.prefill_grid
        if grid is not UNSET and self._header.grid_from == "zero" and event.len % grid:
            text = f"a key of {event.len} tokens isn't a multiple of {grid}"
            self._requests.report(line, life, [Problem("publish", "grid", text, event.slot)])
        if life.over == "left" or life.leaving:
            text = f"{life.name} left without finishing, and publishes"
            self._requests.report(line, life, [Problem("publish", "retract-pure", text, event.slot)])
        self._requests.replaced(line, life, event)
        # Only a line that shows a ring after this says whether the slot is still in it; a result has shown it before.
        seen = self._in_result and event.during in (UNSET, self._table.processed)
        self._table.publish(line, life, event, early=not seen)
        if not seen and not event.shared and isinstance(event.slot, int):
            life.given[event.slot] = line
        life.hush()

    def _publisher(self, line: int, event: Publish) -> Life | None:
        """Return whose state is published: the request that the line names, else the slot's owner; None: unknown."""
        if isinstance(event.r, str):
            life = self._requests.named(event.r)
            if life is None and self._header.is_whole:
                raise self._error(line, f"request {event.r} publishes slot {event.slot}, but there is no such request")
            return life
        slot = self._table.at(event.slot)
        owner: Owner | None = None if slot is None else slot.owner
        last = None if slot is None else slot.promised
        author = last.life if last is not None else None
        if isinstance(owner, Life) and slot is not None and not owner.over and not self._table.may_have_left(slot):
            return owner
        return next((each for each in (author, owner) if isinstance(each, Life)), None)

    def _rekey(self, line: int, event: Rekey) -> None:
        using = next(
            (
                life
                for life in self._requests.running.values()
                if life.home is self._table.at(event.from_) and not life.leaving
            ),
            None,
        )
        self._table.rekey(line, event.from_, event.to, using if using is not None and using.home else None)

    def _free(self, line: int, event: Free) -> None:
        for number in event.slots:
            slot = self._table.at(number)
            owner = None if slot is None else slot.owner
            running = owner if isinstance(owner, Life) and not owner.over else None
            if running is not None and number in running.in_use() - running.transit:
                if slot is not None and slot.bad is not None:
                    # Two have it, which has been reported; that one of them gives it back says nothing of the other.
                    slot.note(line, None, f"freed, while {running.name} uses it")
                    continue
                running.leaving = True
                running.hush()
            self._table.free(line, number, running if running is not None and running.targets[number] else None)

    def _end(self, line: int, event: End) -> None:
        self._requests.end(line, event)
        if isinstance(event.saved, Saved):
            self._transfers.saved(line, event.r, event.saved)

    def _stopped(self, line: int, event: Stop) -> None:
        self._requests.arrive(line)
        self._stop = event
        if event.why == "not covered":
            self._not_covered = f"from line {line} on: {event.what or 'the recorder does not say what'}"

    def _error(self, line: int, reason: str) -> BadTrace:
        return BadTrace(self._path, line, reason)


def judge_trace(path: str | PathLike[str], close_look: bool = False) -> Verdict:
    """Read and judge one trace. Raises BadTrace, and OSError if the file can't be read."""
    reader = read_trace(path)
    judge = Judge(reader.header, reader.path, close_look)
    for line, event in reader:
        judge.feed(line, event)
    return judge.result(reader.cut)
