"""The third reading: solver terms say what the text says, natively and as columns."""

from __future__ import annotations

import random

import pytest
import z3

from checker.deadline import Deadline
from checker.model.layout import flatten
from checker.model.model import Model, load_module
from checker.proof.bmc import check_model as check
from checker.proof.unrolling import Relation, Unrolling
from checker.search.check import Check
from checker.search.exploration import Limits
from checker.search.perform import model_for, run
from checker.symbolic.graph import Graph
from checker.symbolic.node import Node
from checker.symbolic.terms import Terms, bits_for, few_for
from checker.symbolic.transitions import Reader
from spec.language import Disabled, Violated
from tests.support.paths import YARDSTICK_FILE

YARDSTICK = load_module(YARDSTICK_FILE)


def reachable(model: Model, count: int, seed: int) -> list[object]:
    """Return states of random native walks."""
    choose = random.Random(seed)
    states = [model.init]
    while len(states) < count:
        steps = [after for _, after in model.steps(states[-1]) if not isinstance(after, Violated)]
        states.append(choose.choice(steps) if steps else model.init)
    return states


@pytest.mark.parametrize("few", [False, True], ids=["bounded", "in a proof"])
@pytest.mark.parametrize(("low", "high"), [(-8, 7), (-16, 15), (-26, 0), (-1, 5)])
def test_terms_divide_as_python_does(low: int, high: int, few: bool) -> None:
    """Near the ends of what their bits hold, and by more than these could hold."""
    for divisor in (2, 3, 7, 15, 24, 1000):
        graph = Graph()
        leaf = graph.leaf("n", False, low, high)
        values = [graph.div(leaf, divisor), graph.mod(leaf, divisor)]
        terms = Terms(None, few_for([leaf])) if few else Terms(bits_for(values))
        terms.leaf(leaf, "n")
        for n in range(low, high + 1):
            here = (terms.of(leaf), terms.number(n, terms.width(leaf)))
            found = [z3.simplify(z3.substitute(terms.of(value), here)) for value in values if isinstance(value, Node)]
            read = [each.as_signed_long() if z3.is_bv(each) else each.as_long() for each in found]
            expected = zip(values, (n // divisor, n % divisor), strict=True)
            assert read == [number for value, number in expected if isinstance(value, Node)], (n, divisor)


def test_terms_agree_with_the_native_reading() -> None:
    """Enabled or not, and every leaf afterwards, for every action of the protocol in states of random walks."""
    for bits in (8, None):
        for mode in ("eager", "lazy"):
            model = model_for(Check(f"requests=1 slots=4 nodes=1 max_len=4 mode={mode}"))
            reader = Reader(model)
            terms = Terms(bits)
            inputs = {node: terms.leaf(node, node.name) for node in reader.inputs if isinstance(node, Node)}
            transitions = [reader.transition(instance) for instance in model.instances()]
            for transition in transitions:
                for name, leaf in transition.parameters.items():
                    terms.leaf(leaf, f"{transition.instance.action.name}.{name}.{leaf.number}")
            for state in reachable(model, 4, 5):
                values = list(flatten(state))
                known = [
                    (terms.of(node), value_of(terms, node, values[i]))
                    for i, node in enumerate(reader.inputs)
                    if node in inputs
                ]
                for transition in transitions:
                    for chosen in transition.instance.combinations():
                        pairs = known + [
                            (terms.of(leaf), value_of(terms, leaf, chosen[name]))
                            for name, leaf in transition.parameters.items()
                        ]
                        try:
                            after = list(
                                flatten(
                                    model.take(state, transition.instance.action, transition.instance.arguments(chosen))
                                )
                            )
                        except (Disabled, Violated):
                            after = None
                        enabled = z3.is_true(z3.simplify(z3.substitute(terms.of(transition.enabled), *pairs)))
                        assert enabled == (after is not None)
                        if after is not None:
                            got = [z3.simplify(z3.substitute(terms.of(value), *pairs)) for value in transition.after]
                            assert [number(term) for term in got] == [int(value) for value in after]


def value_of(terms: Terms, node: Node, value: int) -> object:
    if node.is_bool:
        return z3.BoolVal(bool(value))
    return terms.number(int(value), terms.width(node))


def number(term: object) -> int:
    if z3.is_bool(term):
        return int(z3.is_true(term))
    return int(term.as_signed_long()) if z3.is_bv(term) else int(term.as_long())  # type: ignore[attr-defined]


def test_the_solver_enumerates_as_many_states_as_the_search_finds() -> None:
    model = Model(YARDSTICK, YARDSTICK.Scope(R=1, N=4, K=2))
    unrolling = Unrolling(Relation(model, frozenset(), frozenset()))
    found: set[tuple[str, ...]] = set()
    solver = z3.Solver()
    solver.add(unrolling.initial())
    for depth in range(7):
        solver.push()
        state, _ = unrolling.constants(depth)
        while solver.check() == z3.sat:
            values = [solver.model().eval(term, model_completion=True) for term in state]
            found.add(tuple(map(str, values)))
            solver.add(z3.Or(*[term != value for term, value in zip(state, values, strict=True)]))
        solver.pop()
        scope = Check("R=1 N=4 K=2", model=str(YARDSTICK_FILE), symmetry=False, limits=Limits(depth=depth))
        assert len(found) == run(scope).exploration.states
        solver.add(unrolling.at(unrolling.taken, depth), unrolling.at(unrolling.lasting, depth))


def test_bounded_checking_finds_the_yardsticks_counterexamples() -> None:
    assert len(check(Model(YARDSTICK, YARDSTICK.Scope(N=8, K=2, broken=1)), 6).steps) == 4
    assert len(check(Model(YARDSTICK, YARDSTICK.Scope(N=24, K=8, broken=1)), 23).steps) == 22
    sound = check(Model(YARDSTICK, YARDSTICK.Scope(N=8, K=2)), 12)
    assert (sound.property, sound.depth, sound.unknown) == ("", 12, "")


def test_bounded_checking_and_search_agree_on_shortest_stories() -> None:
    for design, mode, name in [
        ("before-29792", "lazy", "exact-label"),
        ("lazy-0.5.18", "lazy", "no-inflight-target"),
        ("wait-stream", "lazy", "exact-label"),
        ("merged-29792", "eager", "flip-once"),
    ]:
        asked = Check(f"requests=1 slots=4 nodes=1 max_len=5 mode={mode}", design=design, expect=(name,))
        steps = check(model_for(asked), 10, frozenset([name])).steps
        assert len(steps) == len(run(asked).steps[name]), (design, name)


def test_our_design_holds_to_the_depth_asked_for_and_says_what_it_used() -> None:
    found = check(model_for(Check("requests=1 slots=4 nodes=1 max_len=6 mode=lazy")), 8)
    assert (found.property, found.depth) == ("", 8)
    assert "label-is-written" in found.assumed
    asked = model_for(Check("requests=1 slots=4 nodes=1 max_len=6", design="before-29792"))
    given_up = check(asked, 12, clock=Deadline(0.01))
    assert given_up.unknown
