"""The ladder that a mutant of the spec climbs until something with a name kills it.

Its rungs are complete searches of small scopes (a property, a *sometimes* that is no longer seen, an action never
enabled, an error; then, in the same searches, the lemmas and checker/told.py), and the inductions. Another number of
states is no kill: that is a difference, but nobody has said that it is wrong. The same states in every search by
another number of steps is one, `choices`: the arguments of an action are to say something, and each step once. Where a
mutant reads as the very graph that the spec has, no search and no solver can tell the two apart, and the rung is passed
over.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType

import spec.model
from checker.edits import edited_model
from checker.explore import Limits, Search
from checker.graph import Node, Value, order
from checker.induction import FAILS, PROVED, UNKNOWN, Induction, spell
from checker.model import Model
from checker.mutations import Mutant
from checker.told import TOLD
from checker.transitions import Transition


@dataclass(frozen=True, slots=True)
class Rung:
    """One small scope, and what the spec itself does not show in it."""

    scope: str
    unseen: tuple[str, ...] = ()


_TOO_FEW = ("key-already-cached", "cache-hit", "evicted-under-a-read")

RUNGS = (
    Rung("requests=1 slots=5 nodes=2 mode=eager max_len=4"),
    Rung("requests=1 slots=5 nodes=2 mode=lazy max_len=4"),
    Rung("requests=1 slots=5 nodes=2 mode=lazy without_spare=skip max_len=4"),
    Rung("requests=1 slots=5 nodes=2 interval=any mode=eager max_len=3"),
    Rung("requests=1 slots=5 nodes=2 interval=any mode=lazy max_len=3"),
    # As many slots as one request takes, and not one more.
    Rung("requests=1 slots=3 nodes=1 mode=eager max_len=4", _TOO_FEW),
    Rung("requests=1 slots=2 nodes=1 mode=lazy max_len=4", ("spare-taken", *_TOO_FEW)),
    Rung("requests=1 families=2 slots=4 nodes=2 mode=lazy max_len=3", ("publication-refused",)),
    Rung("requests=1 slots=4 nodes=1 lookahead=0 mode=lazy max_len=4"),
    Rung("requests=1 slots=6 nodes=1 interval=any ring=3 lookahead=2 mode=eager max_len=4"),
    Rung("requests=1 slots=6 nodes=1 interval=1 ring=3 lookahead=2 mode=lazy max_len=4"),
    Rung("requests=2 slots=5 nodes=1 families=1 mode=lazy max_len=3", ("publication-refused",)),
)
"""The searches, the cheapest and most telling first."""

PROOFS = (
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=eager",
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=lazy",
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=lazy without_spare=skip",
)
"""The inductions, for what no search has killed."""

MOST_STATES = 80_000
"""A mutant may open up far more states than the spec has; then the search is cut and shows only what it has found."""
SOLVER_SECONDS = 20.0
"""After so long one question of an induction is left open, which kills nothing."""

PROPERTY, SIGHT, IDLE, ERROR = "property", "sometimes", "never enabled", "error"
LEMMA, AS_TOLD, INDUCTION, CHOICES = "lemma", "told", "induction", "choices"
KINDS = (PROPERTY, SIGHT, IDLE, ERROR, LEMMA, AS_TOLD, INDUCTION, CHOICES)
"""What may kill a mutant, the most telling first."""


@dataclass(slots=True)
class Fate:
    """What became of a mutant."""

    name: str
    key: str
    operator: str
    old: str
    new: str
    kind: str = ""
    """What has killed it, one of KINDS; empty: nothing."""
    by: str = ""
    """The name of the property, *sometimes*, action, lemma or obligation; for an error, its words."""
    scope: str = ""
    steps: int = 0
    """How long the shortest run to the violation is; 0 where there is no run."""
    open: list[str] = field(default_factory=list)
    """Obligations that the solver has left open."""
    seconds: float = 0.0

    @property
    def killed(self) -> bool:
        """Whether anything has killed it."""
        return bool(self.kind)


class _Watching(Search):
    """A search that also watches the lemmas and checker/told.py, but does not end at those."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.kinds = {stated.name: LEMMA for stated in model.of_kind("lemma")} | {it.name: AS_TOLD for it in TOLD}
        self.always += [(stated, self._program(stated)) for stated in model.of_kind("lemma")]
        stated = [value for _, program in self.always for value in getattr(program, "outputs", [program])]
        self.mark = (mark(stated), *[mark_of(compiled.transition) for compiled in self.expander.compiled])

    def _enough(self) -> bool:
        return bool(self.result.counterexamples.keys() - self.kinds.keys())

    def verdict(self, rung: Rung) -> list[tuple[str, str, int]]:
        """Return what kills the mutant: kind, name and steps, the most telling first."""
        result = self.result
        found = [
            (self.kinds.get(name, PROPERTY), name, len(example.steps))
            for name, example in result.counterexamples.items()
        ]
        if result.complete:
            found += [(IDLE, name, 0) for name, count in result.taken.items() if not count]
            found += [(SIGHT, name, 0) for name in result.unseen if name not in rung.unseen]
        return sorted(found, key=lambda it: KINDS.index(it[0]))


def model_of(module: ModuleType, scope: str, kinds: Sequence[str] = ("always", "step", "sometimes")) -> Model:
    """Return the model of a copy of the spec, with what is told of our design beside its own properties."""
    model = Model(module, module.Scope.parse(scope))
    model.properties += tuple(stated for stated in TOLD if stated.kind in kinds and stated.applies(model.context))
    return model


def mark(values: Sequence[Value]) -> int:
    """Return a number that equal expressions share, in whichever graph they stand."""
    marks: dict[int, int] = {}
    for node in order(values):
        parts = [marks[arg.number] if isinstance(arg, Node) else hash((arg,)) for arg in node.args]
        if node.op in ("and", "or", "eq", "same", "add"):
            # Which side comes first depends on what else has been walked before.
            parts.sort()
        marks[node.number] = hash((node.op, node.name, *parts))
    return hash(tuple(marks[value.number] if isinstance(value, Node) else (value,) for value in values))


def mark_of(transition: Transition) -> int:
    """Return the same for all that a step does, breaks and shows."""
    told = [*transition.faults, *[(stated.name, value) for stated, value in [*transition.steps, *transition.sights]]]
    names = tuple(name for name, value in told if value is not False)
    values = [transition.enabled, *transition.after, *[value for _, value in told if value is not False]]
    return hash((transition.instance.action.name, names, mark(values)))


def induction_of(module: ModuleType, scope: str) -> Induction:
    """Return the induction of a copy of the spec; what is told of states was not written to be inductive."""
    return Induction(model_of(module, scope, ("step",)))


@functools.cache
def _usual(rung: Rung) -> tuple[tuple[int, ...], int, dict[str, int]]:
    watching = _Watching(model_of(spec.model, rung.scope))
    exploration = watching.run(Limits())
    return watching.mark, exploration.states, exploration.taken


@functools.cache
def _induction(scope: str) -> Induction:
    return induction_of(spec.model, scope)


@functools.cache
def _proved(scope: str) -> tuple[int, frozenset[int]]:
    induction = _induction(scope)
    return mark([*induction.now.values()]), frozenset(map(mark_of, induction.transitions))


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
class Climb:
    """What the searches have shown of a mutant that they have not killed."""

    same_states: bool = True
    """Whether every search had as many states as the spec's."""
    choices: list[str] = field(default_factory=list)
    """Actions that were taken another number of times."""


def search(module: ModuleType, rung: Rung, climb: Climb | None = None) -> list[tuple[str, str, int]]:
    """Search one scope, and return what kills the mutant."""
    watching = _Watching(model_of(module, rung.scope))
    if module is not spec.model and watching.mark == _usual(rung)[0]:
        return []
    exploration = watching.run(Limits(states=MOST_STATES))
    found = watching.verdict(rung)
    if climb and not found:
        _, states, taken = _usual(rung)
        climb.same_states = climb.same_states and exploration.states == states
        climb.choices += [name for name, count in exploration.taken.items() if count != taken[name]]
    return found


def prove(module: ModuleType, scope: str) -> tuple[str, list[str]]:
    """Return the first obligation that fails, and those that the solver has left open."""
    induction = induction_of(module, scope)
    stated, transitions = _proved(scope)
    changed = mark([*induction.now.values()]) != stated
    # Which lemmas are needed is asked of the spec, not of its mutants.
    needed = dict.fromkeys(induction.lemmas, "")
    left: list[str] = []
    for transition in induction.transitions:
        if not changed and mark_of(transition) in transitions:
            continue
        for obligation in induction.steps(transition, needed, seconds=SOLVER_SECONDS):
            if obligation.verdict == FAILS and _met(scope, obligation.by, obligation.target):
                return obligation.name, left
            if obligation.verdict == UNKNOWN:
                left.append(obligation.name)
    return "", left


def judge(mutant: Mutant) -> Fate:
    """Let one mutant climb the ladder."""
    started = time.perf_counter()
    fate = Fate(mutant.name, mutant.key, mutant.operator, mutant.old, mutant.new)
    climb = Climb()
    try:
        module = edited_model(mutant.texts(), "mutant")
        for rung in RUNGS:
            fate.scope = rung.scope
            found = search(module, rung, climb)
            if found:
                fate.kind, fate.by, fate.steps = found[0]
                break
    except Exception as error:
        # Whatever goes wrong while the text is read, walked or run is seen by anybody who runs it.
        fate.kind, fate.by = ERROR, f"{type(error).__name__}: {error}"
    if not fate.killed and climb.same_states and climb.choices:
        # The same states by another number of steps: arguments that say nothing, or a step under another argument.
        fate.kind, fate.by, fate.scope = CHOICES, climb.choices[0], ""
    for scope in PROOFS:
        if not fate.killed:
            fate.scope = scope
            fate.by, left = prove(module, scope)
            fate.kind = INDUCTION if fate.by else ""
            fate.open += left
    if not fate.killed:
        fate.scope = ""
    fate.seconds = time.perf_counter() - started
    return fate
