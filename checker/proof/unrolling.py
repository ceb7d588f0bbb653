"""The transition relation of a model, and its copies, depth by depth.

All transitions become one: a selector says which instance is taken. The step from one state's constants to the next is
built once as terms, and copied by substitution for every depth.
"""

from __future__ import annotations

import z3

from checker.model.layout import flatten
from checker.model.model import Model, TakenStep
from checker.proof.solver import value_of
from checker.symbolic.graph import inside
from checker.symbolic.node import Node, Value
from checker.symbolic.terms import Term, Terms, bits_for
from checker.symbolic.transitions import Reader, Transition


class Relation:
    """The one transition relation of a model, as values of a graph over a state, a selector and free parameters."""

    def __init__(self, model: Model, wanted: frozenset[str], assumed: frozenset[str]) -> None:
        """Build the relation; `wanted` are the properties to violate (empty: all), `assumed` hold in every state."""
        self.model = model
        self.wanted = wanted
        self.assumed = assumed
        self.reader = Reader(model)
        graph = self.graph = self.reader.graph
        self.transitions = [self.reader.transition(instance) for instance in model.instances()]
        self.selector = graph.leaf("selector", False, 0, len(self.transitions) - 1)
        self.enabled: Value = False
        self.broken: Value = False
        """Whether the step that is taken violates something by itself: no run goes on after it."""
        after: list[Value] = list(self.reader.inputs)
        bad: dict[str, Value] = {}
        self.asked: set[str] = set()
        """Properties that are asked, whether or not anything can violate them."""
        for number, transition in enumerate(self.transitions):
            chosen = graph.eq(self.selector, number)
            enabled = graph.and_(transition.enabled, self._in_domain(transition))
            self.enabled = graph.or_(self.enabled, graph.and_(chosen, enabled))
            after = [
                old if leaf.transient else graph.where(chosen, new, old)
                for leaf, new, old in zip(self.reader.leaves, transition.after, after, strict=True)
            ]
            broken = graph.any_of(condition for _, condition in transition.faults)
            self.broken = graph.or_(self.broken, graph.and_(chosen, broken))
            # Where the action itself violates something there is no state after it, so nothing else can be asked.
            steps = [(stated.name, graph.and_(value, graph.not_(broken))) for stated, value in transition.steps]
            for name, condition in [*transition.faults, *steps]:
                self.asked.add(name)
                if not wanted or name in wanted:
                    bad[name] = graph.or_(bad.get(name, False), graph.and_(chosen, condition))
        self.after = after
        self.bad_steps = {name: value for name, value in bad.items() if value is not False}
        self.bad_states: dict[str, Value] = {
            stated.name: graph.not_(self.reader.holds(stated, [self.reader.inputs]))
            for stated in model.of_kind("always")
            if (not wanted or stated.name in wanted) and stated.name not in assumed
        }
        known = {
            stated.name: self.reader.holds(stated, [self.reader.inputs])
            for stated in [*model.of_kind("lemma"), *model.of_kind("always")]
            if stated.name in assumed
        }
        self.known = graph.all_of(known.values())
        self.asked |= self.bad_states.keys() | known.keys()

    def _in_domain(self, transition: Transition) -> Value:
        """Return that each free parameter has one of its values: a domain need not be an interval."""
        return self.graph.all_of(
            inside(self.graph, transition.parameters[name], values) for name, values in transition.instance.free.items()
        )

    @property
    def parameters(self) -> list[Node]:
        """All free parameters."""
        return [leaf for transition in self.transitions for leaf in transition.parameters.values()]  # type: ignore[misc]

    @property
    def values(self) -> list[Value]:
        """Everything that is translated."""
        bad = [*self.bad_steps.values(), *self.bad_states.values()]
        return [self.enabled, self.broken, *self.after, *bad, self.known, self.selector]


class Unrolling:
    """Copies of the relation, depth by depth."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        reader = relation.reader
        self.terms = Terms(bits_for([*relation.values, *reader.inputs, *relation.parameters]))
        self.kept = [leaf for leaf in reader.leaves if not leaf.transient]
        inputs = [node for leaf in self.kept if isinstance(node := reader.inputs[leaf.index], Node)]
        self.state = [self.terms.leaf(node, f"s.{leaf.path}") for node, leaf in zip(inputs, self.kept, strict=True)]
        self.choice = [
            self.terms.leaf(node, f"c{i}.{node.name}")
            for i, node in enumerate([relation.selector, *relation.parameters])
        ]
        after = [self.terms.of(relation.after[leaf.index]) for leaf in self.kept]
        self.inputs = inputs
        self.next = [self.terms.constant(f"n.{node.name}", node) for node in inputs]
        chosen = [self.terms.typed(node) for node in [relation.selector, *relation.parameters]]
        chosen += [self._idle(number) for number in range(len(relation.transitions))]
        self.taken = z3.And(self.terms.of(relation.enabled), *chosen)
        self.lasting = z3.And(
            z3.Not(self.terms.of(relation.broken)), *[n == a for n, a in zip(self.next, after, strict=True)]
        )
        self.bad_steps = {name: self.terms.of(value) for name, value in relation.bad_steps.items()}
        self.bad_states = {name: self.terms.of(value) for name, value in relation.bad_states.items()}
        typed = [self.terms.typed(node) for node in inputs]
        self.known = z3.And(self.terms.of(relation.known), *typed)

    def _idle(self, number: int) -> Term:
        """Return that the parameters of an instance that is not taken have their lowest value: one run, one choice."""
        relation = self.relation
        taken = self.terms.of(relation.graph.eq(relation.selector, number))
        lowest = [
            self.terms.of(relation.graph.eq(leaf, leaf.low))
            for leaf in relation.transitions[number].parameters.values()
            if isinstance(leaf, Node)
        ]
        return z3.Or(taken, z3.And(*lowest))

    def all_at(self, terms: dict[str, Term], depth: int) -> dict[str, Term]:
        """Return several terms at a depth."""
        return {name: self.at(term, depth) for name, term in terms.items()}

    def constants(self, depth: int) -> tuple[list[Term], list[Term]]:
        """Return the constants of the state at a depth, and of the choice made in it."""
        state = [self.terms.constant(f"{depth}.{node.name}", node) for node in self.inputs]
        choice = [z3.Const(f"{depth}.c{i}", term.sort()) for i, term in enumerate(self.choice)]
        return state, choice

    def at(self, term: Term, depth: int) -> Term:
        """Return a term about a state, a choice and the state after it, at a depth."""
        state, choice = self.constants(depth)
        after, _ = self.constants(depth + 1)
        pairs = [*zip(self.state, state, strict=True), *zip(self.choice, choice, strict=True)]
        return z3.substitute(term, *pairs, *zip(self.next, after, strict=True))

    def initial(self) -> Term:
        """Return that the state at depth 0 is the first one."""
        values = list(flatten(self.relation.model.init))
        state, _ = self.constants(0)
        return z3.And(
            *[
                term
                == (z3.BoolVal(bool(values[leaf.index])) if leaf.is_bool else self.terms.of(int(values[leaf.index])))
                for term, leaf in zip(state, self.kept, strict=True)
            ]
        )

    def run_of(self, model: z3.ModelRef, depth: int) -> list[TakenStep]:
        """Read the steps of a run of the given length out of a solver's model."""
        steps = []
        for place in range(depth):
            _, choice = self.constants(place)
            values = [value_of(model, term) for term in choice]
            transition = self.relation.transitions[values[0]]
            named = dict(zip(map(id, self.relation.parameters), values[1:], strict=True))
            chosen = {name: named[id(leaf)] for name, leaf in transition.parameters.items()}
            instance = transition.instance
            steps.append(TakenStep(instance.action, instance.arguments(chosen)))
        return steps
