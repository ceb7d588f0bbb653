"""The ring-size theorem: how many positions the track ring needs, and that one fewer is not enough.

Three claims, each for lookahead L in 0..3 and interval K in 1..4. A bound is *enough* by complete search of a scope,
and by induction for every length; *one fewer* is not enough by a run that breaks the claim.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import spec.model
from checker.deadline import Deadline
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.model.model import Model
from checker.proof.induction import PROVED, Induction
from checker.proof.matrix import EVERY_LENGTH
from checker.search.bfs import Limits, Search
from checker.search.check import stored
from checker.workers import spread
from spec.choices import supply_at_admission
from spec.design import Design
from spec.language import ABSENT, Action, Property, always, lemma, step
from spec.lemmas import label_is_written
from spec.properties import ring_apart
from spec.rows import awaits_write, claim_at, claims
from spec.scope import EAGER, LAZY, Scope
from spec.state import IDLE, RUNNING, RequestId, Slot, State, Text

LOOKAHEADS = range(4)
PROVED_TO = 1
"""The lookahead up to which `slotproof prove --ring` proves: beyond it proofs take minutes; a slow test has them."""
INTERVALS = range(1, 5)


class NoGate(Design):
    """Our design without any gate: what has a label may be published, whatever is going to be written."""

    name = "no-gate"
    summary = "ours, but every publication is allowed: only the length of the ring protects a checkpoint"

    def may_publish(self, s: State, request: RequestId, slot: Slot) -> bool:
        """Nobody asks; label_survives and may_donate answer the same."""
        return True


apart_everywhere = always(each=RUNNING)(ring_apart.written)
"""The property ring-apart, claimed in rings of any length."""


@step()
def ring_has_room(before: State, after: State, design: Design) -> bool:
    """No lazy boundary row goes without a spare because every position of the ring is taken."""
    for number, event in enumerate(after.step.events):
        if event.no_spare and all(slot != ABSENT for slot in before.requests[number].ring):
            return False
    return True


@lemma()
def label_outlives_its_claims(s: State, design: Design) -> bool:
    """A labelled `last` is written; only the newest of L + 1 rows may target it, while the oldest completes another.

    In the shortest ring that is enough at a finish this is all that is true: the claim that comes round to `last` is
    launched just before the label moves on, and whoever finishes does so after that.
    """
    for number, request in enumerate(s.requests):
        if request.phase == RUNNING and request.last_len != ABSENT:
            slot = request.ring[request.last]
            if request.last_len <= 0 or slot == ABSENT:
                return False
            for index in range(design.scope.lookahead):
                row = s.batches[index].rows[number]
                if row.mark != ABSENT and row.slot == slot:
                    return False
            if claims(s, number, slot):
                if any(not batch.rows[number].present for batch in s.batches):
                    return False
                if s.batches[0].rows[number].mark == ABSENT:
                    return False
            elif s.holds[slot] != Text(request.family, request.last_len) or awaits_write(s, slot):
                return False
    return True


@lemma()
def ring_holds_what_is_used(s: State, design: Design) -> bool:
    """Lazy: a filled ring position is `last`, or a pending row has claimed it; a prefill's claim is at `last`."""
    for number, request in enumerate(s.requests):
        if request.phase == RUNNING:
            for batch in s.batches:
                row = batch.rows[number]
                if row.decode_count == 0 and row.mark != ABSENT and row.position != request.last:
                    return False
        if request.phase != IDLE:
            for position, slot in enumerate(request.ring):
                if slot != ABSENT and position != request.last and not claim_at(s, number, position):
                    return False
    return True


@dataclass(frozen=True, slots=True)
class Claim:
    """One of the claims of the theorem."""

    name: str
    sentence: str
    mode: str
    design: type[Design]
    rows: int
    """How many rows beyond L may hold a claim beside the checkpoint: the bound is 1 + ceil((L + rows) / K)."""
    broken_by: tuple[str, ...]
    """The properties of which a ring with one position fewer violates at least one."""
    properties: tuple[Property, ...] = ()
    """What is claimed or assumed beside the properties and lemmas of the spec."""
    without: tuple[Property, ...] = ()
    """What is not."""

    def bound(self, lookahead: int, interval: int) -> int:
        """Return the number of ring positions that is enough."""
        return 1 + math.ceil((lookahead + self.rows) / interval)


AT_A_FINISH = Claim(
    "at a finish",
    "eager, no gate at all: 1 + ceil(L / K) positions keep exact-label, no-inflight-target and checkpoint-not-lost",
    EAGER,
    NoGate,
    0,
    ("exact-label", "no-inflight-target", "checkpoint-not-lost"),
    (label_outlives_its_claims,),
    (label_is_written,),
)
AT_EVERY_MOMENT = Claim(
    "at every moment",
    "eager, no gate at all: 1 + ceil((L + 1) / K) positions keep every claim away from a labelled `last` (ring-apart)",
    EAGER,
    NoGate,
    1,
    ("ring-apart",),
    (apart_everywhere,),
    (ring_apart,),
)
LAZY_RING = Claim(
    "a lazy ring",
    "lazy: with 1 + ceil((L + 1) / K) positions no boundary row finds the ring full (ring-has-room)",
    LAZY,
    Design,
    1,
    ("ring-has-room",),
    (ring_has_room, ring_holds_what_is_used),
)
CLAIMS = (AT_A_FINISH, AT_EVERY_MOMENT, LAZY_RING)


@dataclass(frozen=True, slots=True)
class Task:
    """One question: a claim in one cell, asked of one ring, of a search or (proof) of the solver."""

    claim: int
    """Its place in CLAIMS."""
    lookahead: int
    interval: int
    fewer: bool = False
    """Whether the ring has one position fewer than the bound."""
    proof: bool = False

    @property
    def ring(self) -> int:
        """The number of positions."""
        return CLAIMS[self.claim].bound(self.lookahead, self.interval) - self.fewer


@dataclass(slots=True)
class Answer:
    """What came out of a task."""

    task: Task
    scope: str
    states: int = 0
    complete: bool = False
    broken: dict[str, int] = field(default_factory=dict)
    """Violated properties, each with the steps of its shortest run."""
    steps: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    """The run that violates the first of them."""
    unproved: list[str] = field(default_factory=list)
    """Of a proof: obligations that are not met."""
    obligations: int = 0


@dataclass(slots=True)
class Cell:
    """All that is known about a claim for one lookahead and interval."""

    enough: Answer
    fewer: Answer | None
    """None: the bound is 1, and there is no shorter ring."""
    proof: Answer | None = None

    @property
    def code(self) -> int:
        """The exit code that the cell alone would give."""
        wrong = self.enough.broken or (self.fewer and self.fewer.complete and not self.fewer.broken)
        if wrong:
            return VIOLATED
        searched = self.enough.complete and (self.fewer is None or self.fewer.broken)
        return SHOWN if searched and (self.proof is None or not self.proof.unproved) else INCONCLUSIVE


def scope_of(task: Task) -> Scope:
    """Return the scope of a task: long enough for two boundaries after a prefill and everything that runs ahead.

    Beside what the request owns there is one slot for the cache and one to replace a donated one; a proof does not
    bound lengths, and needs no slots beyond the request's own, the donated one and its replacement.
    """
    longest = 2 * task.interval + task.lookahead + 2
    return Scope(
        requests=1,
        slots=1 + task.ring + 1 + (not task.proof),
        nodes=1,
        interval=task.interval,
        ring=task.ring,
        lookahead=task.lookahead,
        mode=CLAIMS[task.claim].mode,
        max_len=EVERY_LENGTH if task.proof else longest,
    )


def model_of(task: Task) -> Model:
    """Return the spec as a task needs it.

    A ring with one position fewer must fail by the claim itself, so nothing else is stated there; and it must fail
    although a spare is always to be had, so no other request ever empties the pool there.
    """
    claim = CLAIMS[task.claim]
    stated = [each for each in spec.model.properties if each not in claim.without and each.kind != "duty"]
    stated += claim.properties
    actions: tuple[Action, ...] = spec.model.actions
    if task.fewer:
        stated = [each for each in stated if each.name in claim.broken_by]
        actions = tuple(
            dataclasses.replace(each, choices=each.choices | {"supply": supply_at_admission})
            if "supply" in each.choices and claim.mode == LAZY
            else each
            for each in actions
        )
    scope = scope_of(task)
    return Model(spec.model, scope, claim.design(scope)).with_(stated, actions)


def search(task: Task, limits: Limits) -> Answer:
    """Search the scope of a task, to the end or to the first violation."""
    model = model_of(task)
    found = Search(model).run(limits)
    runs = sorted(found.counterexamples.values(), key=lambda each: len(each.steps))
    return Answer(
        task,
        str(model.scope),
        found.states,
        found.complete,
        {each.property: len(each.steps) for each in runs},
        stored(runs[0].steps) if runs else [],
    )


def prove(task: Task, seconds: float = 120.0) -> Answer:
    """Show by induction that the bound is enough for every length; `seconds` bound each obligation."""
    induction = Induction(model_of(task))
    answer = Answer(task, str(induction.model.scope))
    # That each lemma is needed is shown elsewhere; here they need only be enough.
    shown = list(induction.show(dict.fromkeys(induction.lemmas, ""), seconds=seconds))
    answer.obligations = len(shown)
    # An action that cannot happen in this scope breaks nothing.
    answer.unproved = [
        f"{each.name} ({each.verdict})" for each in shown if each.verdict != PROVED and each.target != "possible"
    ]
    return answer


def unanswered(task: Task) -> Answer:
    """Return what is known of a task before it is performed, or where the time was over before it was: nothing."""
    return Answer(task, str(scope_of(task)), unproved=["the time is used up"] if task.proof else [])


def answer(task: Task) -> Answer:
    """Perform a task."""
    return prove(task) if task.proof else search(task, Limits(seconds=120.0))


Table = dict[str, dict[tuple[int, int], Cell]]
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
        for each in _answers(ordered, workers):
            done[each.task] = each
            answered += 1
            note(f"{answered} of {len(ordered)} searches and proofs done")
    return {
        claim.name: {
            (ahead, every): Cell(
                done[Task(number, ahead, every)],
                done.get(Task(number, ahead, every, fewer=True)),
                done.get(proof_of(number, ahead, every)),
            )
            for ahead, every in places
        }
        for number, claim in enumerate(CLAIMS)
    }


def proof_of(number: int, lookahead: int, interval: int) -> Task:
    """Return the proof of a claim in one cell. Where the two eager bounds are the same number, so are their proofs."""
    claim = CLAIMS[number]
    if claim is AT_A_FINISH and claim.bound(lookahead, interval) == AT_EVERY_MOMENT.bound(lookahead, interval):
        number = CLAIMS.index(AT_EVERY_MOMENT)
    return Task(number, lookahead, interval, proof=True)


def _answers(tasks: Sequence[Task], workers: int | None) -> Iterator[Answer]:
    return spread(answer, tasks, workers)
