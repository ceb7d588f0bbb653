"""A failing run made shorter, step by step: what can be left out, or said more plainly, goes.

Whole steps are left out, many at first and then fewer, alone and in pairs. A step that has become impossible without an
earlier one goes with it, so that a batch takes its device work and its result along.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from checker.lockstep.lockstep import Failed, Lockstep
from checker.lockstep.machine import Run
from checker.lockstep.step import DrawnStep, possible
from runtime.streams import Simulated, Stream
from spec.scope import BadScope, Scope
from spec.state import RequestId

NewStream = Callable[[], Stream]
"""Makes the device that a run is played on."""
Cut = Callable[[list[DrawnStep], int], list[DrawnStep] | None]
"""Leaves out of some moves what stands at a place, counted in its own way; None: there is no such place."""
MOST_NAMES = 7
"""With more names there are too many orders of them for a model, and a timeline is told by one."""
PAIRS_UP_TO = 20
"""A run of so many steps is short enough to try every pair of them."""


_PRESENT = {"prepare": Lockstep.decodable, "process": Lockstep.ending, "regroup": Lockstep.regroupable}
"""Who can be named in a step about several requests."""

_SIZES = ("requests", "slots", "families", "ring", "lookahead", "max_len")


def told_to_run(moves: Sequence[DrawnStep]) -> list[DrawnStep]:
    """Return the moves of a run on a thread for a device that runs when it is told to."""
    return [each for move in moves for each in ([DrawnStep("device"), move] if move.action == "process" else [move])]


def shorten(run: Run, seconds: float, stream: NewStream = Simulated) -> Run:
    """Return the shortest failing run that leaving steps out leads to; the run itself if there is none shorter."""
    until = time.monotonic() + seconds
    best = _shortened(_thinned(run, until, stream), until, stream)
    for scope, moves in _elsewhere(best):
        if time.monotonic() > until:
            break
        found = failing(scope, moves, stream)
        best = min(best, _shortened(found, until, stream), key=_cost) if found else best
    return best


def _thinned(run: Run, until: float, stream: NewStream) -> Run:
    """Leave out the bulk of a long run: pieces of it, whole requests, whole batches, each tried once in its place."""
    cuts: tuple[Cut, ...] = (*_PIECES[:2], _without_request, *_PIECES[2:], _without_batch, _PIECES[-1])
    for cut in cuts:
        place = 0
        while (moves := cut(run.moves, place)) is not None and time.monotonic() < until:
            found = failing(run.scope, moves, stream)
            if found and len(found.moves) < len(run.moves):
                run = found
            else:
                place += 1
    return run


def _without_piece(moves: list[DrawnStep], place: int, size: int) -> list[DrawnStep] | None:
    start = place * size
    return moves[:start] + moves[start + size :] if start < len(moves) else None


def _without_request(moves: list[DrawnStep], place: int) -> list[DrawnStep] | None:
    """Return the moves without those of a request, from one admission to the next under its name."""
    admitted = [at for at, move in enumerate(moves) if move.action == "admit"]
    if place >= len(admitted):
        return None
    start, name = admitted[place], moves[admitted[place]].request
    end = next((at for at in admitted if at > start and moves[at].request == name), len(moves))
    left = []
    for at, move in enumerate(moves):
        if not start <= at < end:
            left.append(move)
        elif move.request != name:
            left.append(dataclasses.replace(move, names=tuple(other for other in move.names if other != name)))
    return left


def _without_batch(moves: list[DrawnStep], place: int) -> list[DrawnStep] | None:
    """Return the moves without a launch, its work on the device, and its result."""
    kinds = (("prefill", "prepare"), ("device",), ("process",))
    listed = [[at for at, move in enumerate(moves) if move.action in kind] for kind in kinds]
    if place >= len(listed[0]):
        return None
    gone = {each[place] for each in listed if place < len(each)}
    return [move for at, move in enumerate(moves) if at not in gone]


_PIECES: tuple[Cut, ...] = tuple(partial(_without_piece, size=size) for size in (32, 16, 8, 4, 2, 1))


def _shortened(run: Run, until: float, stream: NewStream) -> Run:
    best = run
    while found := next((shorter for shorter in _tried(best, until, stream) if shorter), None):
        best = found
    return best


def _elsewhere(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the moves where they may be shortened further than where they have been found."""
    # Where slots or names are scarce, steps are needed to get them back.
    roomy = _with_room(run)
    if roomy[0].requests <= MOST_NAMES:
        yield roomy
    # Where boundaries are far from each other, steps are needed to get there.
    for interval in range(1, run.scope.interval):
        yield run.scope.replace(interval=interval), run.moves


def _with_room(run: Run) -> tuple[Scope, list[DrawnStep]]:
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


def _renamed(move: DrawnStep, names: Mapping[RequestId, RequestId]) -> DrawnStep:
    request = names.get(move.request, move.request)
    return dataclasses.replace(move, request=request, names=tuple(sorted({names.get(n, n) for n in move.names})))


def failing(scope: Scope, moves: Sequence[DrawnStep], stream: NewStream = Simulated) -> Run | None:
    """Play what is possible of some moves, on a simulated device or another; return the run if it fails."""
    try:
        run = Run(scope, stream(), looks=False)
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


def _adapted(twin: Lockstep, move: DrawnStep) -> DrawnStep:
    """Leave those out of a batch or a result who cannot be in it any more, and evict another entry if one is gone."""
    if move.action in ("prepare", "process", "regroup"):
        present = _PRESENT[move.action](twin)
        return dataclasses.replace(move, names=tuple(name for name in move.names if name in present))
    unlocked = twin.unlocked() if move.action == "evict" else []
    return dataclasses.replace(move, key=unlocked[-1]) if unlocked and move.key not in unlocked else move


def _tried(run: Run, until: float, stream: NewStream) -> Iterator[Run | None]:
    """Yield for each attempt the run if it is a better one, None if not; the boldest attempts come first."""
    for scope, moves in itertools.chain(_without(run), _aborted(run), _prefilled(run), _plainer(run), _smaller(run)):
        if time.monotonic() > until:
            return
        tried = failing(scope, moves, stream)
        yield tried if tried and _cost(tried) < _cost(run) else None


def _cost(run: Run) -> tuple[int, int, int]:
    """Return how long a run is, then how much there is to read in it, and then how large its scope is."""
    words = sum(
        sum(move.names, len(move.names)) + 9 * move.exhausted + move.prompt + move.request for move in run.moves
    )
    return len(run.moves), words, sum(getattr(run.scope, size) for size in _SIZES)


def _without(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the moves without some neighbours, then without any two."""
    moves = run.moves
    for size in (4, 2, 1):
        for start in range(len(moves) - size, -1, -max(1, size // 2)):
            yield run.scope, moves[:start] + moves[start + size :]
    if len(moves) <= PAIRS_UP_TO:
        for first, second in itertools.combinations(range(len(moves)), 2):
            yield run.scope, [move for place, move in enumerate(moves) if place not in (first, second)]


def _aborted(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the moves with an abort in place of two or more neighbours: it is the shortest way out."""
    moves = run.moves
    if len(moves) <= PAIRS_UP_TO:
        for start, stop in itertools.combinations(range(len(moves) + 1), 2):
            for name in {move.request for move in moves[:start] if move.action == "admit"} if stop - start > 1 else ():
                yield run.scope, [*moves[:start], DrawnStep("abort", name), *moves[stop:]]


def _prefilled(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the moves with a longer prompt in place of a request's first decode steps."""
    moves = run.moves
    for place, move in enumerate(moves):
        prepared = [p for p in range(place, len(moves)) if moves[p] == DrawnStep("prepare", names=(move.request,))]
        # What ended with a decode step's result ends with the prefill's, so another result has to go.
        results = [p for p in range(place, len(moves)) if moves[p].action == "process"]
        for more in range(1, run.scope.max_len - move.prompt + 1 if move.action == "admit" else 0):
            longer = dataclasses.replace(move, prompt=move.prompt + more)
            for result in (-1, *results) if prepared else (-1,):
                gone = {*prepared[:more], result}
                rest = [moves[p] for p in range(place + 1, len(moves)) if p not in gone]
                yield run.scope, [*moves[:place], longer, *rest]


def _plainer(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the moves with one of them said more plainly."""
    for place, move in enumerate(run.moves):
        plainer = [dataclasses.replace(move, prompt=prompt) for prompt in range(1, move.prompt)]
        plainer += [dataclasses.replace(move, exhausted=False)] * move.exhausted
        plainer += [dataclasses.replace(move, names=tuple(n for n in move.names if n != name)) for name in move.names]
        plainer += [dataclasses.replace(move, family=0)] * (move.family > 0)
        for instead in plainer:
            yield run.scope, [*run.moves[:place], instead, *run.moves[place + 1 :]]


def _smaller(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
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
