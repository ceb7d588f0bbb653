"""Bounded checking: shortest counterexamples by a solver, one depth after the other.

The relation of unrolling.py is asserted once more for every depth, and the solver keeps what it has learnt.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import z3

from checker.deadline import Deadline
from checker.model.model import Model, TakenStep
from checker.model.user_model import naming
from checker.proof.induction import inductive_subset
from checker.proof.solver import solver as new_solver
from checker.proof.term_audit import of_bounded
from checker.proof.unrolling import Relation, Unrolling
from checker.search.audit import Audit
from checker.search.check import Check
from checker.search.perform import claimed, in_any_order, model_for
from checker.symbolic.terms import Term


@dataclass(slots=True)
class Bounded:
    """What bounded checking has shown."""

    scope: str = ""
    depth: int = -1
    """No run of up to so many steps violates any of the properties, unless one is given below; -1: none was asked."""
    property: str = ""
    steps: list[TakenStep] = field(default_factory=list)
    asked: bool = False
    """Whether any property was asked at all."""
    assumed: list[str] = field(default_factory=list)
    """Lemmas and properties that were shown by induction first."""
    unknown: str = ""
    """Why the solver gave up; empty: it did not."""
    audit: Audit = field(default_factory=Audit)
    """The native tries that were held against the relation."""
    seconds: float = 0.0
    names: str = ""
    """Where the design goes by names: then slots are handed out in any order; empty: nowhere."""


@dataclass(slots=True)
class BoundedOutcome:
    """A check that the solver has performed, depth by depth, and what it has shown."""

    check: Check
    found: Bounded


def run(asked: Check, depth: int, seconds: float | None, note: Callable[[str], None]) -> BoundedOutcome:
    """Look for a violation of what the check expects, or of anything; raises BadScope or BadModel.

    Of a design that goes by names another check is performed, and returned: slots are handed out in any order.
    """
    clock = Deadline(seconds, last_resort=True)
    check, names = asked, ""
    with clock, naming(asked.file):
        check, names = in_any_order(asked)
        model = model_for(check)
        claimed(model, check.expect)
    if clock.cut:
        unread = f"at depth 0: {clock.words} before the model was read"
        return BoundedOutcome(check, Bounded(check.scope, unknown=unread))
    with naming(check.file):
        found = check_model(model, depth, frozenset(check.expect), clock, lambda at: note(f"depth {at}"))
    found.names = names
    return BoundedOutcome(check, found)


def check_model(
    model: Model,
    depth: int,
    wanted: frozenset[str] = frozenset(),
    clock: Deadline | None = None,
    progress: Callable[[int], None] = lambda at: None,
) -> Bounded:
    """Look for the shortest run of at most `depth` steps that violates one of the wanted properties (empty: any).

    A model's lemmas and always properties, as far as they are inductive in this scope, hold in every state of every
    run: they are shown first, and then spare the solver most of the work.
    """
    started = time.perf_counter()
    clock = clock or Deadline(None)
    result = Bounded(scope=str(model.scope))
    with clock:
        _search(model, depth, wanted, result, clock, progress)
    if clock.cut:
        result.unknown = f"at depth {result.depth + 1}: {clock.words}"
    result.seconds = time.perf_counter() - started
    return result


def _search(
    model: Model,
    depth: int,
    wanted: frozenset[str],
    result: Bounded,
    clock: Deadline,
    progress: Callable[[int], None],
) -> None:
    # Other designs keep few of our lemmas, and their bugs are not deep: looking for those few would not pay.
    assumed = inductive_subset(model) if model.ours else frozenset()
    result.assumed = sorted(assumed)
    unrolling = Unrolling(Relation(model, wanted, assumed))
    solver = new_solver("QF_FD")
    solver.add(unrolling.initial())
    for place in range(depth + 1):
        progress(place)
        length = place
        verdict, name = _violated(solver, unrolling.all_at(unrolling.bad_states, place), clock)
        if verdict == z3.unsat and place < depth:
            solver.add(unrolling.at(unrolling.taken, place))
            length = place + 1
            verdict, name = _violated(solver, unrolling.all_at(unrolling.bad_steps, place), clock)
            if verdict == z3.unsat:
                solver.add(unrolling.at(unrolling.lasting, place), unrolling.at(unrolling.known, place + 1))
        if verdict == z3.sat:
            # The name comes last: a violation is one once its run is known.
            result.steps = unrolling.run_of(solver.model(), length)
            result.property = name
            break
        if verdict == z3.unknown:
            result.unknown = f"at depth {length}: {clock.words if clock.over else solver.reason_unknown()}"
            break
        result.depth = length
    stated = {each.name for each in [*model.of_kind("always"), *model.of_kind("step")]}
    result.asked = bool(wanted) or bool(stated & unrolling.relation.asked)
    result.audit = of_bounded(unrolling)


def _violated(solver: z3.Solver, bad: dict[str, Term], clock: Deadline) -> tuple[z3.CheckSatResult, str]:
    """Ask for a violation of any of the properties at the depth reached; the model stays in the solver."""
    if not bad:
        return z3.unsat, ""
    if clock.left is not None:
        solver.set("timeout", max(1, int(1000 * clock.left)))
    flag = z3.FreshBool("bad")
    solver.add(z3.Implies(flag, z3.Or(*bad.values())))
    verdict = solver.check(flag)
    if verdict != z3.sat:
        solver.add(z3.Not(flag))
        return verdict, ""
    model = solver.model()
    return verdict, next(name for name, term in bad.items() if z3.is_true(model.eval(term, model_completion=True)))
