"""The cells of the ring-size theorem: what search and induction say of each claim for a lookahead and an interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from checker.deadline import Deadline
from checker.model.model import Arguments
from checker.proof.induction import PROVED, Induction
from checker.proof.ring_theorem import CLAIMS, Task, model_of, proof_of, scope_of
from checker.search.bfs import Search
from checker.search.check import stored
from checker.search.exploration import Limits
from checker.workers import spread

LOOKAHEADS = range(4)
PROVED_TO = 1
"""The lookahead up to which `slotproof prove --ring` proves: beyond it proofs take minutes; a slow test has them."""
INTERVALS = range(1, 5)


@dataclass(slots=True)
class RingAnswer:
    """What came out of a task."""

    task: Task
    scope: str
    states: int = 0
    complete: bool = False
    broken: dict[str, int] = field(default_factory=dict)
    """Violated properties, each with the steps of its shortest run."""
    steps: list[tuple[str, Arguments]] = field(default_factory=list)
    """The run that violates the first of them."""
    unproved: list[str] = field(default_factory=list)
    """Of a proof: obligations that are not met."""
    obligations: int = 0


@dataclass(slots=True)
class RingCell:
    """All that is known about a claim for one lookahead and interval."""

    enough: RingAnswer
    fewer: RingAnswer | None
    """None: the bound is 1, and there is no shorter ring."""
    proof: RingAnswer | None = None


def search(task: Task, limits: Limits) -> RingAnswer:
    """Search the scope of a task, to the end or to the first violation."""
    model = model_of(task)
    found = Search(model).run(limits)
    runs = sorted(found.counterexamples.values(), key=lambda each: len(each.steps))
    return RingAnswer(
        task,
        str(model.scope),
        found.states,
        found.complete,
        {each.property: len(each.steps) for each in runs},
        stored(runs[0].steps) if runs else [],
    )


def prove(task: Task, seconds: float = 120.0) -> RingAnswer:
    """Show by induction that the bound is enough for every length; `seconds` bound each obligation."""
    induction = Induction(model_of(task))
    answer = RingAnswer(task, str(induction.model.scope))
    # That each lemma is needed is shown elsewhere; here they need only be enough.
    shown = list(induction.show(dict.fromkeys(induction.lemmas, ""), seconds=seconds))
    answer.obligations = len(shown)
    # An action that cannot happen in this scope breaks nothing.
    answer.unproved = [
        f"{each.name} ({each.verdict})" for each in shown if each.verdict != PROVED and each.target != "possible"
    ]
    return answer


def unanswered(task: Task) -> RingAnswer:
    """Return what is known of a task before it is performed, or where the time was over before it was: nothing."""
    return RingAnswer(task, str(scope_of(task)), unproved=["the time is used up"] if task.proof else [])


def answer(task: Task) -> RingAnswer:
    """Perform a task."""
    return prove(task) if task.proof else search(task, Limits(seconds=120.0))


Table = dict[str, dict[tuple[int, int], RingCell]]
"""Cells by claim, then by (L, K)."""


def ring_table(
    lookaheads: Iterable[int] = LOOKAHEADS,
    intervals: Iterable[int] = INTERVALS,
    proved_to: int = PROVED_TO,
    workers: int | None = None,
    note: Callable[[str], None] = lambda text: None,
    seconds: float | None = None,
) -> Table:
    """Answer every claim in every cell, in parallel processes; the result is by claim, then by (L, K).

    Cells with a lookahead up to `proved_to` are proved for every length as well; -1: none.
    """
    places = [(ahead, every) for ahead in lookaheads for every in intervals]
    tasks: set[Task] = set()
    for number, claim in enumerate(CLAIMS):
        for ahead, every in places:
            tasks.add(Task(number, ahead, every))
            if claim.bound(ahead, every) > 1:
                tasks.add(Task(number, ahead, every, fewer=True))
            if ahead <= proved_to:
                tasks.add(proof_of(number, ahead, every))
    # The longest come first, so that no worker is left alone with one of them at the end.
    ordered = sorted(tasks, key=lambda task: (task.proof, task.lookahead, task.ring, not task.fewer), reverse=True)
    done = {task: unanswered(task) for task in ordered}
    answered = 0
    with Deadline(seconds, last_resort=True):
        for each in spread(answer, ordered, workers):
            done[each.task] = each
            answered += 1
            note(f"{answered} of {len(ordered)} searches and proofs done")
    return {
        claim.name: {
            (ahead, every): RingCell(
                done[Task(number, ahead, every)],
                done.get(Task(number, ahead, every, fewer=True)),
                done.get(proof_of(number, ahead, every)),
            )
            for ahead, every in places
        }
        for number, claim in enumerate(CLAIMS)
    }
