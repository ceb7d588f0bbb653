"""A failing run made shorter, step by step: what can be left out, or said more plainly, goes.

Hypothesis shrinks the numbers that were drawn, one after the other, which is slow and stops where two have to change
together. Here whole steps are left out. A step that has become impossible without an earlier one goes with it, so that
a batch takes its device work and its result along.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence

from checker.moves import Move, possible
from checker.refinement import Failed, Twin
from checker.stateful import Run
from runtime.streams import Simulated
from spec.scope import BadScope, Scope
from spec.state import RequestId

PAIRS_UP_TO = 20
"""A run of so many steps is short enough to try every pair of them."""


_PRESENT = {"prepare": Twin.decodable, "process": Twin.ending, "regroup": Twin.regroupable}
"""Who can be named in a step about several requests."""

_SIZES = ("requests", "slots", "families", "ring", "lookahead", "max_len")


def shorten(run: Run, seconds: float) -> Run:
    """Return the shortest failing run that leaving steps out leads to; the run itself if there is none shorter."""
    until = time.monotonic() + seconds
    best = _shortened(run, until)
    for scope, moves in _elsewhere(best):
        found = failing(scope, moves)
        best = min(best, _shortened(found, until), key=_cost) if found else best
    return best


def _shortened(run: Run, until: float) -> Run:
    best = run
    while found := next((shorter for shorter in _tried(best, until) if shorter), None):
        best = found
    return best


def _elsewhere(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the moves where they may be shortened further than where they have been found."""
    # Where slots or names are scarce, steps are needed to get them back.
    yield _with_room(run)
    # Where boundaries are far from each other, steps are needed to get there.
    for interval in range(1, run.scope.interval):
        yield run.scope.replace(interval=interval), run.moves


def _with_room(run: Run) -> tuple[Scope, list[Move]]:
    """Return the moves with a name of its own for every admission, and slots for all of them at once."""
    names: dict[RequestId, RequestId] = {}
    moves = []
    admitted = 0
    for move in run.moves:
        if move.action == "admit":
            names[move.request] = admitted
            admitted += 1
        moves.append(_renamed(move, names))
    scope = run.scope
    return scope.replace(requests=max(1, admitted), slots=scope.slots + admitted * (1 + scope.ring)), moves


def _renamed(move: Move, names: Mapping[RequestId, RequestId]) -> Move:
    request = names.get(move.request, move.request)
    return dataclasses.replace(move, request=request, names=tuple(sorted({names.get(n, n) for n in move.names})))


def failing(scope: Scope, moves: Sequence[Move]) -> Run | None:
    """Play what is possible of some moves on a simulated device; return the run if it fails."""
    try:
        run = Run(scope, Simulated())
    except BadScope:
        return None
    try:
        for move in moves:
            adapted = _adapted(run.twin, move)
            if possible(run.twin, adapted):
                run.take(adapted)
    except Failed:
        return run
    finally:
        run.close()
    return None


def _adapted(twin: Twin, move: Move) -> Move:
    """Leave those out of a batch or a result who cannot be in it any more, and evict another entry if one is gone."""
    if move.action in ("prepare", "process", "regroup"):
        present = _PRESENT[move.action](twin)
        return dataclasses.replace(move, names=tuple(name for name in move.names if name in present))
    unlocked = twin.unlocked() if move.action == "evict" else []
    return dataclasses.replace(move, key=unlocked[-1]) if unlocked and move.key not in unlocked else move


def _tried(run: Run, until: float) -> Iterator[Run | None]:
    """Yield for each attempt the run if it is a better one, None if not; the boldest attempts come first."""
    for scope, moves in itertools.chain(_without(run), _aborted(run), _prefilled(run), _plainer(run), _smaller(run)):
        if time.monotonic() > until:
            return
        tried = failing(scope, moves)
        yield tried if tried and _cost(tried) < _cost(run) else None


def _cost(run: Run) -> tuple[int, int, int]:
    """Return how long a run is, then how much there is to read in it, and then how large its scope is."""
    words = sum(
        sum(move.names, len(move.names)) + 9 * move.exhausted + move.prompt + move.request for move in run.moves
    )
    return len(run.moves), words, sum(getattr(run.scope, size) for size in _SIZES)


def _without(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the moves without some neighbours, then without any two."""
    moves = run.moves
    for size in (16, 8, 4, 2, 1):
        for start in range(len(moves) - size, -1, -max(1, size // 2)):
            yield run.scope, moves[:start] + moves[start + size :]
    if len(moves) <= PAIRS_UP_TO:
        for first, second in itertools.combinations(range(len(moves)), 2):
            yield run.scope, [move for place, move in enumerate(moves) if place not in (first, second)]


def _aborted(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the moves with an abort in place of two or more neighbours: it is the shortest way out."""
    moves = run.moves
    if len(moves) <= PAIRS_UP_TO:
        for start, stop in itertools.combinations(range(len(moves) + 1), 2):
            for name in {move.request for move in moves[:start] if move.action == "admit"} if stop - start > 1 else ():
                yield run.scope, [*moves[:start], Move("abort", name), *moves[stop:]]


def _prefilled(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the moves with a longer prompt in place of a request's first decode steps."""
    moves = run.moves
    for place, move in enumerate(moves):
        prepared = [p for p in range(place, len(moves)) if moves[p] == Move("prepare", names=(move.request,))]
        # What ended with a decode step's result ends with the prefill's, so another result has to go.
        results = [p for p in range(place, len(moves)) if moves[p].action == "process"]
        for more in range(1, run.scope.max_len - move.prompt + 1 if move.action == "admit" else 0):
            longer = dataclasses.replace(move, prompt=move.prompt + more)
            for result in (-1, *results) if prepared else (-1,):
                gone = {*prepared[:more], result}
                rest = [moves[p] for p in range(place + 1, len(moves)) if p not in gone]
                yield run.scope, [*moves[:place], longer, *rest]


def _plainer(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the moves with one of them said more plainly."""
    for place, move in enumerate(run.moves):
        plainer = [dataclasses.replace(move, prompt=prompt) for prompt in range(1, move.prompt)]
        plainer += [dataclasses.replace(move, exhausted=False)] * move.exhausted
        plainer += [dataclasses.replace(move, names=tuple(n for n in move.names if n != name)) for name in move.names]
        plainer += [dataclasses.replace(move, family=0)] * (move.family > 0)
        for instead in plainer:
            yield run.scope, [*run.moves[:place], instead, *run.moves[place + 1 :]]


def _smaller(run: Run) -> Iterator[tuple[Scope, list[Move]]]:
    """Yield the same moves with one name less, or in a scope that is smaller in one respect."""
    for name, other in itertools.combinations(range(run.scope.requests), 2):
        yield run.scope, [_renamed(move, {other: name}) for move in run.moves]
    for size in _SIZES:
        least = 0 if size == "lookahead" else 1
        for value in range(least, getattr(run.scope, size)):
            try:
                scope = run.scope.replace(**{size: value})
            except BadScope:
                continue
            # Who has no place in it is not mentioned.
            yield scope, [move for move in run.moves if move.prompt <= scope.max_len and move.family < scope.families]
