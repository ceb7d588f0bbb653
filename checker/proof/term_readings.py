"""The readings of the solver: the very terms that were asked about, with a concrete try put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

import z3

from checker.model.layout import unflatten
from checker.proof.induction import Induction
from checker.proof.solver import value_of, values_in
from checker.proof.unrolling import Unrolling
from checker.search.native import Native
from checker.search.tries import Try, TryAnswer, Visit, afterwards
from checker.symbolic.node import Node, Value
from checker.symbolic.terms import Term, Terms
from checker.symbolic.transitions import Transition

FEW_SECONDS = 2.0
"""What the solver may take for one state that has all lemmas."""

Key = TypeVar("Key")
Part = tuple[str, Any]
"""What a term of a step says: its kind, with a name or the place of a leaf."""

_ENABLED, _TAKEN, _KNOWN = (("relation", each) for each in ("enabled", "taken", "known"))

Constants = Sequence[tuple[Term, int]]
"""Constants of the solver, each with the value that it has in a try."""


class Point:
    """Values for the constants of a solver."""

    def __init__(self) -> None:
        self.values: dict[int, tuple[z3.FuncDeclRef, Term]] = {}
        self.terms: dict[tuple[int, int], Term] = {}
        self.declared: dict[int, tuple[z3.FuncDeclRef, int]] = {}

    def put(self, constants: Constants) -> None:
        """Give constants their values."""
        for constant, value in constants:
            name = constant.get_id()
            if name not in self.declared:
                self.declared[name] = constant.decl(), constant.sort().get_id()
            declared, sort = self.declared[name]
            if (sort, value) not in self.terms:
                self.terms[sort, value] = as_term(constant, value)
            self.values[name] = declared, self.terms[sort, value]

    def model(self) -> z3.ModelRef:
        """Return a model of the solver with these values; one that is changed answers from what it was before."""
        made: Any = z3.Model()  # type: ignore[call-arg]
        for declared, term in self.values.values():
            made.update_value(declared, term)
        return cast(z3.ModelRef, made)


class Block(Generic[Key]):
    """Several terms that are evaluated together: what they share is looked at once."""

    def __init__(self, terms: dict[Key, Term]) -> None:
        self.keys = list(terms)
        block = z3.Function("block", *[term.sort() for term in terms.values()], z3.BoolSort())
        self.term = block(*terms.values())

    def at(self, point: Point) -> dict[Key, int]:
        """Return the value of each term at a point."""
        found = point.model().eval(self.term).sexpr().removeprefix("(block")
        return dict(zip(self.keys, values_in(found), strict=True))


def as_term(like: Term, value: int) -> Term:
    """Return a number or a bool as a term of another one's sort."""
    if z3.is_bool(like):
        return z3.BoolVal(bool(value))
    return z3.IntVal(int(value)) if z3.is_int(like) else z3.BitVecVal(int(value), like.size())


class ProofReading:
    """The reading of an induction: the terms of its obligations, transition by transition."""

    name = "terms"

    def __init__(self, induction: Induction) -> None:
        self.induction = induction
        model = induction.model
        kinds = ("always", "step", "lemma")
        self.claims = frozenset(stated.name for kind in kinds for stated in model.of_kind(kind))
        steps = [{stated.name for stated, _ in transition.steps} for transition in induction.walked]
        self.asked = frozenset(induction.now) | (frozenset.intersection(*map(frozenset, steps)) if steps else set())
        self.leaves = frozenset(leaf.index for leaf in induction.reader.leaves)
        self.now = Block(self._terms(induction.now))
        self.blocks: dict[int, Block[Part]] = {}
        self.point = Point()
        self.held: dict[Visit, dict[str, bool]] = {}

    def _terms(self, values: dict[Key, Value]) -> dict[Key, Term]:
        return {key: self.induction.terms.of(value) for key, value in values.items()}

    def read(self, tries: Sequence[Try]) -> list[TryAnswer]:
        """Return what the terms make of each try."""
        return [self._answer(done) for done in tries]

    def _answer(self, done: Try) -> TryAnswer:
        induction = self.induction
        transition = induction.walked[done.number]
        known = [
            (term, done.at.values[leaf.index]) for leaf, term in zip(induction.leaves, induction.constants, strict=True)
        ]
        self.point.put(known)
        if done.at not in self.held:
            self.held[done.at] = _bools(self.now.at(self.point))
        answer = TryAnswer(False, verdicts=dict(self.held[done.at]))
        if transition.enabled is False:
            return answer
        block = self._block(done.number, transition)
        self.point.put(chosen_values(induction.terms, transition, done.chosen))
        found = block.at(self.point)
        answer.enabled = bool(found[_ENABLED])
        if answer.enabled:
            answer.faults = frozenset(key[1] for key, value in found.items() if key[0] == "fault" and value)
        answer.after = {key[1]: value for key, value in found.items() if key[0] == "leaf"}
        answer.verdicts |= _bools({key[1]: 1 - value for key, value in found.items() if key[0] == "broken"})
        return answer

    def _block(self, number: int, transition: Transition) -> Block[Part]:
        """Return the terms of one transition: facts of its being taken, faults, leaves afterwards, what it breaks."""
        if number not in self.blocks:
            induction = self.induction
            taken = induction.taken(transition)
            values: dict[Part, Value] = {("leaf", place): value for place, value in enumerate(transition.after)}
            values |= {("fault", name): value for name, value in transition.faults}
            values |= {("broken", stated.name): value for stated, value in transition.steps}
            after = induction.after(transition)
            values |= {("broken", afterwards(name)): induction.graph.not_(value) for name, value in after.items()}
            self.blocks[number] = Block({_ENABLED: z3.And(*taken), **self._terms(values)})
        return self.blocks[number]


def chosen_values(terms: Terms, transition: Transition, chosen: dict[str, int]) -> list[tuple[Term, int]]:
    """Return the constants of a transition's free parameters with their values."""
    return [(terms.of(leaf), chosen[name]) for name, leaf in transition.parameters.items() if isinstance(leaf, Node)]


def _bools(values: dict[str, int]) -> dict[str, bool]:
    return {name: bool(value) for name, value in values.items()}


def from_lemmas(induction: Induction, native: Native, rounds: int, others: int) -> Iterator[Try]:
    """Yield tries in states that have all lemmas: for each action some that it can be taken in, found by the solver.

    No run needs to reach such a state. Each state is one of the solver's own, under another seed and with a few leaves
    fixed at random; in each the action is taken, and some others as well.
    """
    for number, transition in enumerate(induction.walked):
        if transition.enabled is False:
            continue
        solver = induction.solver(induction.taken(transition), native.random.randrange(1 << 16), FEW_SECONDS)
        solver.set("smt.phase_selection", 5)
        for _ in range(rounds):
            model = _some_model(solver, induction, native)
            if model is None:
                break
            values = induction.state_of(model)
            state = unflatten(native.model.shape, iter(values))
            at = native.visit(state, origin=f"one of the solver's, with all lemmas: {_told(native, values)}")
            terms = chosen_values(induction.terms, transition, dict.fromkeys(transition.parameters, 0))
            found = [value_of(model, term) for term, _ in terms]
            yield native.attempt(at, number, dict(zip(transition.parameters, found, strict=True)))
            yield from [native.draw(at) for _ in range(others)]


def _some_model(solver: z3.Solver, induction: Induction, native: Native) -> z3.ModelRef | None:
    """Return a model of the solver, with a few leaves fixed at random where they can be; None: there is none."""
    flags = list(induction.flags.values())
    drawn = []
    for node, constant in native.random.sample(list(zip(induction.inputs, induction.constants, strict=True)), 3):
        value = native.random.choice([node.low, node.high, min(node.low + 2, node.high)])
        drawn.append(constant == as_term(constant, value))
    for wishes in (drawn, drawn[:1], []):
        if solver.check(*wishes, *flags) == z3.sat:
            return cast(z3.ModelRef, solver.model())
    return None


def _told(native: Native, values: list[int]) -> str:
    """Return the leaves of a state that differ from the first one."""
    leaves = zip(native.model.leaves, values, native.root.values, strict=True)
    return ", ".join(f"{leaf.path}={value}" for leaf, value, usual in leaves if value != usual and not leaf.transient)


class Steps:
    """The reading of bounded checking: the one relation that it copies for every depth."""

    name = "terms"

    def __init__(self, unrolling: Unrolling) -> None:
        self.unrolling = unrolling
        relation = self.relation = unrolling.relation
        model = relation.model
        wanted = [*model.of_kind("always"), *model.of_kind("step")]
        names = {stated.name for stated in wanted if not relation.wanted or stated.name in relation.wanted}
        self.claims = frozenset(names | relation.assumed)
        self.asked = frozenset(relation.asked)
        self.steps = {stated.name for stated in model.of_kind("step")}
        self.leaves = frozenset(leaf.index for leaf in unrolling.kept)
        terms: dict[Part, Term] = {
            ("leaf", leaf.index): unrolling.terms.of(relation.after[leaf.index]) for leaf in unrolling.kept
        }
        terms |= {("step", name): term for name, term in unrolling.bad_steps.items()}
        terms |= {("state", name): term for name, term in unrolling.bad_states.items()}
        enabled = unrolling.terms.of(relation.enabled)
        self.point = Point()
        self.block = Block(
            {_ENABLED: enabled, _TAKEN: z3.And(unrolling.taken, unrolling.lasting), _KNOWN: unrolling.known, **terms}
        )

    def read(self, tries: Sequence[Try]) -> list[TryAnswer]:
        """Return what the relation makes of each try."""
        return [self._answer(done) for done in tries]

    def _answer(self, done: Try) -> TryAnswer:
        unrolling, relation = self.unrolling, self.relation
        kept = unrolling.kept
        parameters = {leaf: leaf.low for leaf in relation.parameters}
        for name, leaf in relation.transitions[done.number].parameters.items():
            if isinstance(leaf, Node):
                parameters[leaf] = done.chosen[name]
        after = (done.after or done.at).values
        self.point.put([(term, done.at.values[leaf.index]) for term, leaf in zip(unrolling.state, kept, strict=True)])
        self.point.put(list(zip(unrolling.choice, [done.number, *parameters.values()], strict=True)))
        self.point.put([(term, after[leaf.index]) for term, leaf in zip(unrolling.next, kept, strict=True)])
        found = self.block.at(self.point)
        answer = TryAnswer(bool(found[_ENABLED]))
        answer.after = {key[1]: value for key, value in found.items() if key[0] == "leaf"}
        answer.verdicts = {key[1]: not value for key, value in found.items() if key[0] == "state"}
        for name, broken in ((key[1], bool(value)) for key, value in found.items() if key[0] == "step"):
            # One question stands for the action's own violation and for the property of steps of the same name.
            if name in done.answer.faults or name not in self.steps:
                answer.faults |= {name} if broken and answer.enabled else set()
            else:
                answer.verdicts[name] = not broken
        # What is not wanted is not looked for.
        answer.faults |= {name for name in done.answer.faults if relation.wanted and name not in relation.wanted}
        # What was shown first holds in every state that a run reaches, and the relation must say so.
        failing = not all(done.answer.verdicts[name] for name in relation.assumed)
        answer.verdicts |= dict.fromkeys(relation.assumed, failing or bool(found[_KNOWN]))
        same = done.after and all(done.after.values[index] == value for index, value in answer.after.items())
        # The relation as a whole must allow exactly this step.
        answer.enabled &= bool(found[_TAKEN]) or not same
        return answer
