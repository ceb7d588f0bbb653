"""Steps that may fail as well and are shorter or plainer: neighbours left out, prompts, batches and scopes smaller."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping

from checker.lockstep.run import Run
from checker.lockstep.step import DrawnStep
from spec.scope import BadScope, Scope
from spec.state import RequestId

MOST_NAMES = 7
"""With more names there are too many orders of them for a model, and a timeline is narrated by one."""
PAIRS_UP_TO = 20
"""A run of so many steps is short enough to try every pair of them."""
SIZES = ("requests", "slots", "families", "ring", "lookahead", "max_len")


def shorter(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield every attempt, the boldest first."""
    return itertools.chain(_without(run), _aborted(run), _prefilled(run), _plainer(run), _smaller(run))


def _without(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the steps without some neighbours, then without any two."""
    steps = run.steps
    for size in (4, 2, 1):
        for start in range(len(steps) - size, -1, -max(1, size // 2)):
            yield run.scope, steps[:start] + steps[start + size :]
    if len(steps) <= PAIRS_UP_TO:
        for first, second in itertools.combinations(range(len(steps)), 2):
            yield run.scope, [step for place, step in enumerate(steps) if place not in (first, second)]


def _aborted(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the steps with an abort in place of two or more neighbours: it is the shortest way out."""
    steps = run.steps
    if len(steps) <= PAIRS_UP_TO:
        for start, stop in itertools.combinations(range(len(steps) + 1), 2):
            for name in {step.request for step in steps[:start] if step.action == "admit"} if stop - start > 1 else ():
                yield run.scope, [*steps[:start], DrawnStep("abort", name), *steps[stop:]]


def _prefilled(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the steps with a longer prompt in place of a request's first decode steps."""
    steps = run.steps
    for place, step in enumerate(steps):
        prepared = [p for p in range(place, len(steps)) if steps[p] == DrawnStep("prepare", names=(step.request,))]
        # What ended with a decode step's result ends with the prefill's, so another result has to go.
        results = [p for p in range(place, len(steps)) if steps[p].action == "process"]
        for more in range(1, run.scope.max_len - step.prompt + 1 if step.action == "admit" else 0):
            longer = dataclasses.replace(step, prompt=step.prompt + more)
            for result in (-1, *results) if prepared else (-1,):
                gone = {*prepared[:more], result}
                rest = [steps[p] for p in range(place + 1, len(steps)) if p not in gone]
                yield run.scope, [*steps[:place], longer, *rest]


def _plainer(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the steps with one of them said more plainly."""
    for place, step in enumerate(run.steps):
        plainer = [dataclasses.replace(step, prompt=prompt) for prompt in range(1, step.prompt)]
        plainer += [dataclasses.replace(step, exhausted=False)] * step.exhausted
        plainer += [dataclasses.replace(step, names=tuple(n for n in step.names if n != name)) for name in step.names]
        plainer += [dataclasses.replace(step, family=0)] * (step.family > 0)
        for instead in plainer:
            yield run.scope, [*run.steps[:place], instead, *run.steps[place + 1 :]]


def _smaller(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the same steps with one name less, or in a scope that is smaller in one respect."""
    for name, other in itertools.combinations(range(run.scope.requests), 2):
        yield run.scope, [_renamed(step, {other: name}) for step in run.steps]
    for size in SIZES:
        least = 0 if size == "lookahead" else 1
        for value in range(least, getattr(run.scope, size)):
            try:
                scope = run.scope.replace(**{size: value})
            except BadScope:
                continue
            # Who has no place in it is not mentioned.
            yield scope, [step for step in run.steps if step.prompt <= scope.max_len and step.family < scope.families]


def elsewhere(run: Run) -> Iterator[tuple[Scope, list[DrawnStep]]]:
    """Yield the steps where they may be shortened further than where they have been found."""
    # Where slots or names are scarce, steps are needed to get them back.
    roomy = _with_room(run)
    if roomy[0].requests <= MOST_NAMES:
        yield roomy
    # Where boundaries are far from each other, steps are needed to get there.
    for interval in range(1, run.scope.interval):
        yield run.scope.replace(interval=interval), run.steps


def _with_room(run: Run) -> tuple[Scope, list[DrawnStep]]:
    """Return the steps with a name of its own for every admission, and slots for all of them at once."""
    names: dict[RequestId, RequestId] = {}
    steps = []
    admitted = 0
    for step in run.steps:
        if step.action == "admit":
            names[step.request] = admitted
            admitted += 1
        steps.append(_renamed(step, names))
    scope = run.scope
    return scope.replace(requests=max(1, admitted), slots=scope.slots + admitted * (1 + scope.ring)), steps


def _renamed(step: DrawnStep, names: Mapping[RequestId, RequestId]) -> DrawnStep:
    request = names.get(step.request, step.request)
    return dataclasses.replace(step, request=request, names=tuple(sorted({names.get(n, n) for n in step.names})))
