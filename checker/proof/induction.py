"""Proof by induction: the first state has every lemma, every action keeps every lemma, and the properties follow.

Lengths are unbounded integers; the scope's other bounds (slots, ring, lookahead) are what they are. Every obligation is
one question to the solver, whose answer must be no. Of a property of every state it is asked first whether some state
has all lemmas and not the property; if none has, nothing more is to be shown of it. Of all else it is asked for each
action: is there a state that has all lemmas and from which this action breaks that one? Such a state is a
counterexample to induction; checker/proof/cti.py says what it means.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import z3

from checker.model.model import Model
from checker.proof.solver import solver as new_solver
from checker.proof.solver import value_of
from checker.symbolic.graph import inside
from checker.symbolic.node import Node, Value
from checker.symbolic.terms import Term, Terms, few_for
from checker.symbolic.transitions import Reader, Transition

PROVED, FAILS, UNKNOWN = "proved", "fails", "unknown"
FIRST = "first state"
EVERY = "every state"


@dataclass(slots=True)
class Obligation:
    """One thing to show, and what the solver said."""

    by: str
    """The action with its fixed arguments, `first state`, or `every state`: it follows from the lemmas alone."""
    target: str
    """The lemma or property that must hold afterwards."""
    verdict: str = UNKNOWN
    seconds: float = 0.0
    used: tuple[str, ...] = ()
    """The lemmas that the solver's proof used; others may do as well."""
    state: list[int] = field(default_factory=list)
    """For one that fails: a state from which it fails, leaf by leaf."""

    @property
    def name(self) -> str:
        """The obligation's name, such as `device: label-is-written`."""
        return f"{self.by}: {self.target}"


class Answers:
    """Mixed into what has a list of obligations: those that are not met, and those that nobody knows about."""

    __slots__ = ()
    obligations: list[Obligation]

    @property
    def failed(self) -> list[Obligation]:
        """Obligations that are not met."""
        return [obligation for obligation in self.obligations if obligation.verdict == FAILS]

    @property
    def unknown(self) -> list[Obligation]:
        """Obligations on which the solver gave up."""
        return [obligation for obligation in self.obligations if obligation.verdict not in (PROVED, FAILS)]


class Induction:
    """The obligations of one model, whose invariants are its lemmas and its always properties."""

    def __init__(self, model: Model, naming: bool = False) -> None:
        self.model = model
        self.reader = Reader(model, naming=naming)
        self.graph = self.reader.graph
        self.leaves = [leaf for leaf in self.reader.leaves if not leaf.transient]
        self.inputs = [node for leaf in self.leaves if isinstance(node := self.reader.inputs[leaf.index], Node)]
        self.terms = Terms(None, few_for(self.inputs))
        self.constants = [self.terms.leaf(node, node.name) for node in self.inputs]
        self.lemmas = [stated.name for stated in model.of_kind("lemma")]
        self.invariants = [*model.of_kind("lemma"), *model.of_kind("always")]
        self.now = {stated.name: self.reader.holds(stated, [self.reader.inputs]) for stated in self.invariants}
        self.walked = [self.reader.transition(instance, witnesses=False) for instance in model.instances()]
        self.transitions = [transition for transition in self.walked if transition.enabled is not False]
        self._after: dict[int, dict[str, Value]] = {}
        self.flags = {name: z3.Bool(f"assume {name}") for name in self.now}
        self.open = 0
        """How often the solver has given up on the question whether a lemma is needed."""
        self.follows: set[str] = set()
        """Properties that follow from the lemmas in every state: no action has to be looked at for them."""

    def show(self, needed: dict[str, str], seed: int = 0, seconds: float | None = None) -> Iterator[Obligation]:
        """Show everything; note in `needed` what breaks without each lemma that is not in it."""
        yield from self.first()
        yield from self.consequences(needed, seed, seconds)
        for transition in self.transitions:
            yield from self.steps(transition, needed, seed, seconds)

    def first(self) -> Iterator[Obligation]:
        """Show that the first state has every invariant."""
        for stated in self.invariants:
            held = stated(self.model.init, self.model.context)
            yield Obligation(FIRST, stated.name, PROVED if held else FAILS)

    def consequences(self, needed: dict[str, str], seed: int = 0, seconds: float | None = None) -> Iterator[Obligation]:
        """Show which properties follow from the lemmas alone; from here on they are neither assumed nor asked for."""
        kept = {name: flag for name, flag in self.flags.items() if name in self.lemmas}
        everything, self.flags = self.flags, kept
        solver = self.solver([], seed, seconds)
        for stated in self.invariants:
            if stated.name not in self.lemmas:
                broken = self.terms.of(self.graph.not_(self.now[stated.name]))
                shown = self._show(solver, Obligation(EVERY, stated.name), broken, needed)
                if shown.verdict == PROVED:
                    self.follows.add(stated.name)
                    yield shown
        self.flags = {name: flag for name, flag in everything.items() if name not in self.follows}

    def targets(self, transition: Transition) -> Iterator[tuple[str, Value]]:
        """Yield each thing that must hold after an action, and the condition under which it does not."""
        yield from transition.faults
        for stated, condition in transition.steps:
            if condition is not False:
                yield stated.name, condition
        for name, after in self.after(transition).items():
            if after is not self.now[name] and after is not True:
                yield name, self.graph.not_(after)

    def after(self, transition: Transition) -> dict[str, Value]:
        """Return whether each invariant that actions are asked about holds in the state after one."""
        if id(transition) not in self._after:
            asked = [stated for stated in self.invariants if stated.name not in self.follows]
            self._after[id(transition)] = {
                stated.name: self.reader.holds(stated, [transition.after]) for stated in asked
            }
        return self._after[id(transition)]

    def base(self) -> list[Term]:
        """Return what is taken for granted of the state before: the declared range of every leaf."""
        return [self.terms.typed(node) for node in self.inputs]

    def taken(self, transition: Transition) -> list[Term]:
        """Return that an action is taken: its parameters are in their domains, and it is enabled."""
        leaves = [leaf for leaf in transition.parameters.values() if isinstance(leaf, Node)]
        for leaf in leaves:
            if leaf not in self.terms:
                self.terms.leaf(leaf, f"{transition.instance.action.name}.{leaf.name}.{leaf.number}")
        domain = self.graph.all_of(
            inside(self.graph, transition.parameters[name], values) for name, values in transition.instance.free.items()
        )
        return [*map(self.terms.typed, leaves), self.terms.of(domain), self.terms.of(transition.enabled)]

    def solver(self, facts: list[Term], seed: int, seconds: float | None) -> z3.Solver:
        """Return a solver in which the facts hold; each invariant is assumed where its flag is."""
        solver = new_solver()
        solver.set("random_seed", seed)
        # Splitting by relevance in order takes a quarter less time here than by activity.
        solver.set("smt.case_split", 3)
        if seconds is not None:
            solver.set("timeout", int(1000 * seconds))
        solver.add(*self.base(), *facts)
        for name, flag in self.flags.items():
            solver.add(z3.Implies(flag, self.terms.of(self.now[name])))
        return solver

    def steps(
        self, transition: Transition, needed: dict[str, str], seed: int = 0, seconds: float | None = None
    ) -> Iterator[Obligation]:
        """Show everything that must hold after one action; note in `needed` what breaks without each lemma."""
        solver = self.solver(self.taken(transition), seed, seconds)
        by = spell(transition)
        started = time.perf_counter()
        possible = solver.check(*self.flags.values())
        if possible == z3.unsat and solver.check() == z3.unsat:
            # Its fixed arguments contradict each other, whatever the state: no such step exists.
            return
        verdict = PROVED if possible == z3.sat else FAILS if possible == z3.unsat else UNKNOWN
        yield Obligation(by, "possible", verdict, time.perf_counter() - started)
        for name, condition in self.targets(transition):
            yield self._show(solver, Obligation(by, name), self.terms.of(condition), needed)

    def _show(self, solver: z3.Solver, obligation: Obligation, broken: Term, needed: dict[str, str]) -> Obligation:
        started = time.perf_counter()
        wrong = z3.FreshBool("wrong")
        solver.add(z3.Implies(wrong, broken))
        answer = solver.check(wrong, *self.flags.values())
        if answer == z3.unsat:
            obligation.verdict = PROVED
            core = {str(flag) for flag in solver.unsat_core()}
            obligation.used = tuple(name for name, flag in self.flags.items() if str(flag) in core)
            for lemma in self.lemmas:
                if lemma in obligation.used and lemma not in needed and lemma != obligation.target:
                    rest = [flag for name, flag in self.flags.items() if name != lemma]
                    without = solver.check(wrong, *rest)
                    if without == z3.sat:
                        needed[lemma] = obligation.name
                    self.open += without == z3.unknown
        elif answer == z3.sat:
            obligation.verdict = FAILS
            obligation.state = self.state_of(solver.model())
        solver.add(z3.Not(wrong))
        obligation.seconds = time.perf_counter() - started
        return obligation

    def scripts(self) -> Iterator[tuple[str, str, str]]:
        """Yield each obligation (by what, of what) as an SMT-LIB 2 script, whose answer must be unsat."""
        for shown in self.consequences(dict.fromkeys(self.lemmas, "")):
            broken = self.graph.not_(self.now[shown.target])
            yield shown.by, shown.target, self.script([], self.lemmas, broken)
        for transition in self.transitions:
            taken = self.taken(transition)
            for target, condition in self.targets(transition):
                yield spell(transition), target, self.script(taken, self.flags, condition)

    def script(self, facts: list[Term], assumed: Iterable[str], condition: Value) -> str:
        """Return the question whether a condition can hold where the facts and the named invariants do."""
        solver = new_solver()
        solver.add(*self.base(), *facts, *[self.terms.of(self.now[name]) for name in assumed])
        solver.add(self.terms.of(condition))
        return f"(set-logic ALL)\n{solver.to_smt2()}"

    def state_of(self, model: z3.ModelRef) -> list[int]:
        """Read the state before the step out of a solver's model, transient leaves as in the first state."""
        values = [value if isinstance(value, int) else 0 for value in self.reader.inputs]
        for leaf, constant in zip(self.leaves, self.constants, strict=True):
            value = value_of(model, constant)
            values[leaf.index] = bool(value) if leaf.is_bool else value
        return values


def inductive_subset(model: Model) -> frozenset[str]:
    """Return the largest set of lemmas and always properties that holds first and that every action keeps.

    Whatever is not shown is dropped, and the rest shown again without it, until nothing more falls (Flanagan and Leino
    2001, "Houdini, an annotation assistant for ESC/Java"). What is left holds in every reachable state of the model,
    whether or not the lemmas were meant for this design.
    """
    if not model.of_kind("lemma"):
        return frozenset()
    induction = Induction(model)
    kept = {obligation.target for obligation in induction.first() if obligation.verdict == PROVED}
    needed = dict.fromkeys(induction.lemmas, "")
    while kept:
        induction.flags = {name: flag for name, flag in induction.flags.items() if name in kept}
        failed = {
            obligation.target
            for transition in induction.transitions
            for obligation in induction.steps(transition, needed, seconds=5.0)
            if obligation.verdict != PROVED
        }
        if not failed & kept:
            break
        kept -= failed
    return frozenset(kept)


def spell(transition: Transition) -> str:
    """Return the name of an action with the arguments that are fixed in it, as far as they differ."""
    instance = transition.instance
    told = [f"{name}={_word(value)}" for name, value in instance.fixed.items() if name not in ("request", "order")]
    return " ".join([instance.action.name, *told])


def _word(value: object) -> str:
    return "".join("01"[bool(item)] for item in value) if isinstance(value, tuple) else str(value)
