"""A small decode-only protocol with published state counts, written in the spec's subset: the checker's own yardstick.

R requests decode to at most N tokens with at most two batches in a queue; a boundary every K tokens is written into one
of two slots. `broken=1` is the historical mistake: the result side asks the request's own length, and keeps the slot
that `next` does not point at. `slotproof explore --model tests/support/yardstick.py --set R=3 --set N=8`
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from spec.language import Per, Range, Vector, action, always, copy, guard, record, subsets


@dataclass(frozen=True)
class Scope:
    """R requests, lengths up to N, an interval of K tokens."""

    R: int = 1
    N: int = 8
    K: int = 2
    broken: int = 0
    queue: int = 2


Length = Annotated[int, Range(0, "N")]
Position = Annotated[int, Range(0, 1)]


@record
class Request:
    """A request and the two slots of its checkpoints, each with the length whose state it holds."""

    committed: Length
    decode_count: Length
    next: Position
    last: Position
    last_len: Length
    slots: Annotated[Vector[Length], Per("queue")]
    finished: bool


@record
class Row:
    """What a batch recorded about a request."""

    present: bool
    decode_count: Length
    seq_len: Length
    position: Position


@record
class Batch:
    """A launched batch."""

    launched: bool
    executed: bool
    rows: Annotated[Vector[Row], Per("R")]


@record
class State:
    """Requests, and the queue: the oldest batch first."""

    requests: Annotated[Vector[Request], Per("R")]
    queue: Annotated[Vector[Batch], Per("queue")]


def no_batch(scope: Scope) -> Batch:
    """Return an empty place of the queue."""
    return Batch(False, False, Vector(Row(False, 0, 0, 0) for _ in range(scope.R)))


def init(scope: Scope) -> State:
    """Return the state before anything has been launched."""
    return State(
        Vector(Request(0, 0, 0, 0, 0, Vector(0 for _ in range(2)), False) for _ in range(scope.R)),
        Vector(no_batch(scope) for _ in range(2)),
    )


def some_requests(scope: Scope) -> Iterable[tuple[bool, ...]]:
    """Return every subset of the requests."""
    return subsets(range(scope.R))


@action(chosen=some_requests)
def launch(s: State, scope: Scope, chosen: tuple[bool, ...]) -> None:
    """Launch a batch of the chosen requests."""
    guard(any(chosen))
    guard(not s.queue[1].launched)
    for number, request in enumerate(s.requests):
        if chosen[number]:
            guard(not request.finished and request.committed < scope.N)
    batch = s.queue[1 if s.queue[0].launched else 0]
    batch.launched = True
    for number, request in enumerate(s.requests):
        if chosen[number]:
            request.committed += 1
            request.decode_count += 1
            batch.rows[number] = Row(True, request.decode_count, request.committed, request.next)
            if request.committed % scope.K == 0:
                request.next = 1 - request.next


@action()
def run(s: State, scope: Scope) -> None:
    """Let the device run the oldest batch that it has not run."""
    first = s.queue[0].executed
    batch = s.queue[1 if first else 0]
    guard(batch.launched and not batch.executed)
    batch.executed = True
    for request, row in zip(s.requests, batch.rows):
        if row.present and row.seq_len % scope.K == 0:
            request.slots[row.position] = row.seq_len


@action(finishes=some_requests)
def process(s: State, scope: Scope, finishes: tuple[bool, ...]) -> None:
    """Process the oldest batch; some of its requests finish with it."""
    guard(s.queue[0].executed)
    for number, request in enumerate(s.requests):
        row = s.queue[0].rows[number]
        if finishes[number]:
            guard(row.present and not request.finished)
        if row.present and not request.finished:
            lookahead = request.decode_count - row.decode_count
            length = request.committed if scope.broken else request.committed - lookahead
            if length % scope.K == 0:
                request.last = 1 - request.next if scope.broken else row.position
                request.last_len = length
            if finishes[number]:
                request.finished = True
    s.queue[0] = copy(s.queue[1])
    s.queue[1] = no_batch(scope)


@always()
def lookahead_window(s: State, scope: Scope) -> bool:
    """A request is at most one step ahead of each of its rows."""
    for batch in s.queue:
        for request, row in zip(s.requests, batch.rows):
            if row.present and not request.finished and not 0 <= request.decode_count - row.decode_count <= 1:
                return False
    return True


@always()
def safe(s: State, scope: Scope) -> bool:
    """A finished request's label is what its slot holds, and nothing is going to overwrite it."""
    for number, request in enumerate(s.requests):
        if request.finished and request.last_len > 0:
            if request.slots[request.last] != request.last_len:
                return False
            for batch in s.queue:
                row = batch.rows[number]
                if row.present and not batch.executed and row.seq_len % scope.K == 0 and row.position == request.last:
                    return False
    return True


actions = (launch, run, process)
properties = (lookahead_window, safe)
symmetric = ("R",)
