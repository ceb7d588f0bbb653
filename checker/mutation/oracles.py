"""What a mutant of the spec is put before, one stage after the other, until something with a name kills it.

The stages are complete searches of small scopes (a property, a *sometimes* that is no longer seen, an action never
enabled, an error; then, in the same searches, lemmas and postconditions), then what must fail and under the mutant does
not, then the inductions. Another number of states kills nothing: that is a difference, but nobody has said that it is
wrong. The same states in every search by another number of steps does, as `choices`, and that is the weakest kill: it
has no property's name, only the rule that the arguments of an action say something and that each step is there once.
Where a mutant reads as the very graph that the spec has, no search and no solver tells the two apart, and the stage is
passed over.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from types import ModuleType

import spec.model
from checker.model.model import Model
from checker.model.spec_copy import edited_model
from checker.mutation.expected_failures import MOST_STATES, unmet
from checker.mutation.graph_hash import graph_hash, hash_of, hash_of_search
from checker.mutation.operators import Mutant
from checker.mutation.result import Kind, MutantResult, error_words, not_judged
from checker.mutation.stages import PROOFS, STAGES, Stage
from checker.proof.induction import FAILS, PROVED, UNKNOWN, Induction, spell
from checker.search.bfs import Search
from checker.search.exploration import Limits

SOLVER_SECONDS = 20.0
"""After so long one question of an induction is left open, which kills nothing."""


Found = tuple[Kind, str, int]
"""What kills a mutant: kind, name, and the steps of the shortest run."""


class Watching(Search):
    """A search that also watches the lemmas, and does not end at those and at postconditions."""

    def __init__(self, model: Model, symmetry: bool) -> None:
        super().__init__(model, symmetry)
        own = (Kind.LEMMA, Kind.POSTCONDITION)
        self.kinds = {stated.name: Kind(stated.kind) for stated in model.properties if stated.kind in own}
        reader = self.expander.reader
        lemmas = [(stated, reader.holds(stated, [reader.inputs])) for stated in model.of_kind("lemma")]
        self.always += [(stated, self.program(held)) for stated, held in lemmas]
        self.hash = hash_of_search(self)

    def _enough(self) -> bool:
        return bool(self.result.counterexamples.keys() - self.kinds.keys())

    def verdict(self, stage: Stage) -> list[Found]:
        """Return what kills the mutant, the most telling first."""
        result = self.result
        found = [
            (self.kinds.get(name, Kind.PROPERTY), name, len(example.steps))
            for name, example in result.counterexamples.items()
        ]
        if result.complete:
            found += [(Kind.IDLE, name, 0) for name, count in result.taken.items() if not count]
            found += [(Kind.SOMETIMES, name, 0) for name in result.unseen if name not in stage.unseen]
        return sorted(found, key=lambda it: list(Kind).index(it[0]))


def searching(module: ModuleType, stage: Stage) -> Watching:
    """Return the search of one scope."""
    return Watching(Model(module, module.Scope.parse(stage.scope)), stage.symmetry)


def induction_of(module: ModuleType, scope: str) -> Induction:
    """Return the induction of a copy of the spec."""
    return Induction(Model(module, module.Scope.parse(scope)))


@functools.cache
def _usual(stage: Stage) -> tuple[int, int, dict[str, int]]:
    watching = searching(spec.model, stage)
    exploration = watching.run(Limits())
    return watching.hash, exploration.states, exploration.taken


@functools.cache
def _induction(scope: str) -> Induction:
    return induction_of(spec.model, scope)


@functools.cache
def _proved(scope: str) -> tuple[int, frozenset[int]]:
    induction = _induction(scope)
    return graph_hash([*induction.now.values()]), frozenset(map(hash_of, induction.transitions))


@functools.cache
def _met(scope: str, by: str, target: str) -> bool:
    """Whether the spec itself meets an obligation: one that it does not meet says nothing about a mutant."""
    induction = _induction(scope)
    return any(
        obligation.target == target and obligation.verdict == PROVED
        for transition in induction.transitions
        if spell(transition) == by
        for obligation in induction.steps(transition, dict.fromkeys(induction.lemmas, ""), seconds=SOLVER_SECONDS)
    )


@dataclass(slots=True)
class Differences:
    """What the searches have shown of a mutant that they have not killed."""

    same_states: bool = True
    """Whether every search had as many states as the spec's."""
    choices: list[str] = field(default_factory=list)
    """Actions that were taken another number of times."""


def search(module: ModuleType, stage: Stage, differences: Differences | None = None) -> list[Found]:
    """Search one scope, and return what kills the mutant.

    A mutant may open up far more states than the spec has; then the search is cut and shows only what it has found.
    """
    watching = searching(module, stage)
    if module is not spec.model and watching.hash == _usual(stage)[0]:
        return []
    exploration = watching.run(Limits(states=MOST_STATES))
    found = watching.verdict(stage)
    if differences and not found:
        _, states, taken = _usual(stage)
        differences.same_states = differences.same_states and exploration.states == states
        differences.choices += [name for name, count in exploration.taken.items() if count != taken[name]]
    return found


def prove(module: ModuleType, scope: str) -> tuple[str, list[str]]:
    """Return the first obligation that fails, and those that the solver has left open."""
    induction = induction_of(module, scope)
    stated, transitions = _proved(scope)
    changed = graph_hash([*induction.now.values()]) != stated
    # Which lemmas are needed is asked of the spec, not of its mutants.
    needed = dict.fromkeys(induction.lemmas, "")
    left: list[str] = []
    for transition in induction.transitions:
        if not changed and hash_of(transition) in transitions:
            continue
        for obligation in induction.steps(transition, needed, seconds=SOLVER_SECONDS):
            if obligation.verdict == FAILS and _met(scope, obligation.by, obligation.target):
                return obligation.name, left
            if obligation.verdict == UNKNOWN:
                left.append(obligation.name)
    return "", left


def judge(mutant: Mutant) -> MutantResult:
    """Put one mutant before the oracles, stage by stage."""
    started = time.perf_counter()
    result = not_judged(mutant)
    differences = Differences()
    _searches(mutant, result, differences)
    if not result.killed:
        result.by, result.scope = next(unmet(mutant), ("", ""))
        result.kind = Kind.MUST_FAIL if result.by else None
    if not result.killed:
        _proofs(mutant, result)
    if not result.killed and differences.same_states and differences.choices:
        result.kind, result.by = Kind.CHOICES, differences.choices[0]
    result.seconds = time.perf_counter() - started
    return result


def _searches(mutant: Mutant, result: MutantResult, differences: Differences) -> None:
    try:
        module = edited_model(mutant.texts(), "mutant")
        for stage in STAGES:
            found = search(module, stage, differences)
            if found:
                result.kind, result.by, result.steps = found[0]
                result.scope = stage.scope
                return
    except Exception as error:
        # Whatever goes wrong while the text is read, walked or run is seen by anybody who runs it.
        result.kind, result.by = Kind.ERROR, error_words(error)


def _proofs(mutant: Mutant, result: MutantResult) -> None:
    module = edited_model(mutant.texts(), "mutant")
    for scope in PROOFS:
        result.by, left = prove(module, scope)
        result.open += left
        if result.by:
            result.kind, result.scope = Kind.INDUCTION, scope
            return
