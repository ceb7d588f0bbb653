"""Proof that the code that ships decides as the spec does: boundary_contract.py over every step that the spec can take.

Marks are computed from an interval, and a remainder by an unknown number is beyond the solver: that much is proved for
the intervals below. All else is proved for any boundary pattern. Two of the properties assume parts of the invariant
(shown by `slotproof prove`), which checker/proof/boundary_contract.py names; the others hold of any state whatever.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import z3

import spec.model
from checker.model.layout import unflatten
from checker.model.model import Model, TakenStep
from checker.proof.boundary_columns import disagreement
from checker.proof.boundary_contract import ASSUMED
from checker.proof.boundary_source import Boundary, about, functions, unreached
from checker.proof.induction import FAILS, PROVED, Answers, Induction, Obligation, spell
from checker.proof.matrix import CORE, MATRIX, parse
from checker.proof.solver import value_of
from checker.symbolic.node import Value
from checker.symbolic.transitions import Transition
from runtime import boundary
from spec.design import Design
from spec.language import Property
from spec.scope import ANY, EAGER, LAZY
from spec.state import State

INTERVALS = (1, 2, 3, 8, 64, 256)
"""The intervals for which the marks are proved."""

CONTRACT = (*[f"{CORE} mode={mode}" for mode in (EAGER, LAZY)], f"{CORE} mode=lazy without_spare=skip")
WIDER = tuple(scope for name, scope in MATRIX if "lookahead" in name)
"""What a full run proves as well: two batches ahead, with a ring of three."""
MARKS = tuple(
    f"{CORE} interval={interval} {words}"
    for interval in INTERVALS
    for words in ("mode=eager", "mode=lazy without_spare=skip")
)
SECONDS = 20.0
"""What the solver may take for one question."""


@dataclass(slots=True)
class BoundaryDifference:
    """A step of the spec in which the shipped code decides otherwise, and the state before it."""

    property: str
    scope: str
    before: State
    taken: TakenStep


@dataclass(slots=True)
class Shipped(Answers):
    """What is proved about the shipped code."""

    names: list[str] = field(default_factory=list)
    """The functions that it is about; none: nothing has been looked at."""
    obligations: list[Obligation] = field(default_factory=list)
    differences: list[BoundaryDifference] = field(default_factory=list)
    """One for each property that fails, as far as the solver has one."""
    columns: str = ""
    """Inputs for which columns and numbers differ; empty: none."""
    unreached: list[str] = field(default_factory=list)
    scopes: int = 0
    seconds: float = 0.0

    @property
    def wrong(self) -> bool:
        """Whether shipped code and spec have been told apart, or something was not looked at."""
        return bool(self.failed or self.columns or self.unreached)

    @property
    def holds(self) -> bool:
        """Whether everything is proved."""
        return bool(self.names) and not self.wrong and not self.unknown

    @property
    def settled(self) -> bool:
        """Whether it holds, and would again."""
        return self.holds


def model_with(properties: Iterable[Property], scope: str) -> Model:
    """Return the spec in a scope, with other properties."""
    return Model(spec.model, parse(scope)).with_(properties=properties)


class Prover:
    """Every step of one scope, ready to be asked about; asked again, about a changed text, it builds nothing anew."""

    def __init__(self, scope: str) -> None:
        wanted = {name for names in ASSUMED.values() for name in names}
        assumed = [stated for stated in spec.model.properties if stated.name in wanted]
        self.marks = parse(scope).interval != ANY
        self.induction = Induction(model_with([] if self.marks else assumed, scope))
        self.scope = str(self.induction.model.scope)
        self.proved: set[tuple[int, str, Value]] = set()
        self.solvers: dict[int, z3.Solver] = {}
        wide = [term for term in self.induction.constants if z3.is_int(term)]
        most = 8 + 2 * self.induction.model.scope.interval
        self.small = z3.Bool("small")
        self.readable = z3.Implies(self.small, z3.And(*[term <= most for term in wide]))

    def stated(self, properties: Iterable[Property]) -> list[Property]:
        """Return the properties that this scope is for: with an interval those that apply only then."""
        context = self.induction.model.context
        anywhere = functools.partial(_anywhere, context)
        return [stated for stated in properties if stated.applies(context) and anywhere(stated) != self.marks]

    def prove(self, properties: Iterable[Property]) -> Iterator[tuple[Obligation, BoundaryDifference | None]]:
        """Ask about every step; yields what is shown, with the step that tells the two apart where there is one."""
        induction = self.induction
        for number, transition in enumerate(induction.transitions):
            faults = induction.graph.any_of(condition for _, condition in transition.faults)
            for stated in self.stated(properties):
                held = induction.reader.holds(stated, [induction.reader.inputs, transition.after])
                # Where the action itself violates something there is no state after it.
                broken = induction.graph.not_(induction.graph.or_(held, faults))
                if (number, stated.name, broken) in self.proved:
                    # The very question that has been answered for another text: their graphs are one.
                    yield Obligation(spell(transition), stated.name, PROVED, 0.0, ASSUMED.get(stated.name, ())), None
                elif broken is not False:
                    yield self._ask(number, transition, stated, broken)

    def _ask(
        self, number: int, transition: Transition, stated: Property, broken: Value
    ) -> tuple[Obligation, BoundaryDifference | None]:
        started = time.perf_counter()
        induction = self.induction
        obligation = Obligation(spell(transition), stated.name)
        if number not in self.solvers:
            self.solvers[number] = induction.solver(induction.taken(transition), 0, SECONDS)
            self.solvers[number].add(self.readable)
        solver = self.solvers[number]
        wrong = z3.FreshBool("wrong")
        solver.add(z3.Implies(wrong, induction.terms.of(broken)))
        obligation.used = ASSUMED.get(stated.name, ())
        assumed = [induction.flags[name] for name in obligation.used]
        answer = solver.check(wrong, *assumed)
        difference = None
        if answer == z3.unsat:
            obligation.verdict = PROVED
            self.proved.add((number, stated.name, broken))
        elif answer == z3.sat:
            obligation.verdict = FAILS
            small = solver.check(wrong, self.small, *assumed) == z3.sat
            if small or solver.check(wrong, *assumed) == z3.sat:
                difference = self._difference(stated, transition, solver.model())
        solver.add(z3.Not(wrong))
        obligation.seconds = time.perf_counter() - started
        return obligation, difference

    def _difference(self, stated: Property, transition: Transition, model: z3.ModelRef) -> BoundaryDifference:
        induction = self.induction
        before = unflatten(induction.model.shape, iter(induction.state_of(model)))
        chosen = {name: value_of(model, induction.terms.of(leaf)) for name, leaf in transition.parameters.items()}
        instance = transition.instance
        return BoundaryDifference(
            stated.name, self.scope, before, TakenStep(instance.action, instance.arguments(chosen))
        )


def _anywhere(context: Design, stated: Property) -> bool:
    """Whether a property applies without an interval as well."""
    return stated.applies(type(context)(context.scope.replace(interval=ANY)))


@functools.cache
def prover(scope: str) -> Prover:
    """Return the prover of a scope."""
    return Prover(scope)


def prove(module: Boundary = boundary, quick: bool = False) -> Shipped:
    """Show that the shipped module, or a copy of it with another text, decides as the spec does."""
    started = time.perf_counter()
    scopes = [*CONTRACT, *MARKS, *([] if quick else WIDER)]
    result = Shipped(list(functions(module)), columns=disagreement(module), unreached=unreached(), scopes=len(scopes))
    properties = about(module)
    for scope in scopes:
        for obligation, difference in prover(scope).prove(properties):
            result.obligations.append(obligation)
            if difference and all(difference.property != known.property for known in result.differences):
                result.differences.append(difference)
    result.seconds = time.perf_counter() - started
    return result
