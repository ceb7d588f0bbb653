"""The evaluator against the native reading: every action, property and decision of the model, on random states.

For one state, action and choice of arguments both readings give one *outcome*, and the two outcomes must be equal:

- natively, `Model.take` raises Disabled, raises Violated with a name, or returns the state after the step;
- evaluated, the step is disabled where `enabled` is false; otherwise it violates the first fault, in order, that
  holds; otherwise the state after it is `after`.

What comes first decides: a guard that is false after something has been violated natively is never reached, so
evaluated the step is enabled and violated; a fault after a false guard is not looked at. The states after are
compared leaf by leaf, those included that only tell of the last step. Where there is a state after, each step
property, postcondition and *sometimes* must have its native value. A property or a decision that indexes outside a
vector raises Violated natively; evaluated it has a fault, and a property then does not hold.

States are reachable ones from random native walks under every design, reachable ones with a few leaves drawn anew,
and arbitrary ones with every leaf drawn from its declared range. Each is read twice: as an entry of columns, and as
constants, where the whole graph must fold to numbers.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spec.model
from checker.model.known_designs import DESIGNS
from checker.model.layout import flatten, unflatten
from checker.model.model import BoundAction, Model
from checker.symbolic.columns import Program, width_for
from checker.symbolic.node import Node
from checker.symbolic.store import Store
from checker.symbolic.transitions import Reader, constants
from checker.symbolic.walk import Walk
from spec.language import Disabled, Violated
from spec.scope import EAGER, LAZY, Scope

MODES = (EAGER, LAZY)
SMALL = "requests=1 slots=4 nodes=1 max_len=4"
SCOPES = {
    "pairs": "requests=2 slots=5 nodes=1 families=2 max_len=3",
    "any": "requests=1 slots=5 nodes=1 interval=any ring=3 lookahead=2 without_spare=skip max_len=4",
}
DISABLED = "disabled"


def model_of(design, mode, text):
    scope = Scope.parse(f"{text} mode={mode}")
    return Model(spec.model, scope, DESIGNS[design](scope))


# The two readings of a step.


def holds(stated, *arguments):
    """A property natively; one that indexes outside a vector does not hold."""
    try:
        return bool(stated(*arguments))
    except Violated:
        return False


def native(model, state, action, arguments):
    """The native outcome of a step."""
    try:
        after = model.take(state, action, arguments)
    except Disabled:
        return DISABLED
    except Violated as violation:
        return violation.name
    return (
        [int(value) for value in flatten(after)],
        [
            not holds(stated, state, after, model.context)
            for stated in model.of_kind("step") + model.of_kind("postcondition")
        ],
        [holds(stated, state, after, model.context) for stated in model.of_kind("sometimes")],
    )


def parts_of(transition):
    """What the outcome of a transition is made from, in one list."""
    return [
        transition.enabled,
        *[value for _, value in transition.faults],
        *transition.after,
        *[value for _, value in transition.steps],
        *[value for _, value in transition.witnesses],
    ]


def outcome(transition, values):
    """The outcome that the values of `parts_of` say."""
    values = iter(values)
    if not next(values):
        return DISABLED
    broken = [name for name, _ in transition.faults if next(values)]
    if broken:
        return broken[0]
    after = [int(next(values)) for _ in transition.after]
    steps = [bool(next(values)) for _ in transition.steps]
    return after, steps, [bool(next(values)) for _ in transition.witnesses]


class Columns:
    """A model read as columns over some states."""

    def __init__(self, model, states):
        self.reader = Reader(model, postconditions=True)
        self.index = {node: place for place, node in enumerate(self.reader.inputs) if isinstance(node, Node)}
        self.rows = [list(flatten(state)) for state in states]

    def values(self, outputs, choices=({},)):
        """For each choice of the free parameters' values, one list of the outputs' values per state."""
        width = width_for([*outputs, *self.reader.inputs])
        columns = np.array(self.rows, width).T.copy()
        program = Program(outputs, width)
        for chosen in choices:

            def load(leaf, chosen=chosen):
                place = self.index.get(leaf)
                return columns[place] if place is not None else np.full(columns.shape[1], chosen[leaf.name], width)

            yield np.stack([np.broadcast_to(part, columns.shape[1:]).astype(np.int64) for part in program.run(load)], 1)


def quiet(model, values):
    """The leaves' values of a state in which nothing tells of a last step, as a step finds them."""
    return [
        first if leaf.transient else (bool(value) if leaf.is_bool else int(value))
        for leaf, value, first in zip(model.leaves, values, constants(model), strict=True)
    ]


def folded(model, values, action, arguments):
    """The outcome of a step evaluated over constants: nothing may be left to compute."""
    fixed = dict(zip(action.choices, arguments, strict=True))
    transition = Reader(model, list(values), postconditions=True).transition(BoundAction(action, fixed, {}))
    parts = parts_of(transition)
    assert not [part for part in parts if isinstance(part, Node)]
    return outcome(transition, parts)


def steps_agree(model, states, dice, enabled=4, disabled=1, constant=0.02):
    """Compare every action under every choice of arguments; return the outcomes' kinds that were met."""
    columns = Columns(model, states)
    met = set()
    for instance in model.instances():
        transition = columns.reader.transition(instance)
        combinations = instance.combinations()
        for chosen, table in zip(combinations, columns.values(parts_of(transition), combinations), strict=True):
            arguments = instance.arguments(chosen)
            live, dead = np.flatnonzero(table[:, 0]), np.flatnonzero(table[:, 0] == 0)
            picked = [
                dice.sample(list(some), min(most, len(some))) for some, most in ((live, enabled), (dead, disabled))
            ]
            for place in itertools.chain(*picked):
                expected = native(model, states[place], instance.action, arguments)
                told = (instance.action.name, arguments, states[place])
                assert outcome(transition, table[place]) == expected, told
                if dice.random() < constant:
                    assert folded(model, columns.rows[place], instance.action, arguments) == expected, told
                met.add((instance.action.name, expected if isinstance(expected, str) else "taken"))
    return met


# States.


def walk(model, dice, steps):
    """Yield the states of one random native run."""
    choices = [
        (action, arguments)
        for action in model.actions
        for arguments in itertools.product(*[list(choice(model.scope)) for choice in action.choices.values()])
    ]
    state = model.init
    for _ in range(steps):
        yield state
        dice.shuffle(choices)
        # Leaving is nearly always possible: tried last, it does not cut every run short.
        choices.sort(key=lambda choice: choice[0].name in ("abort", "evict") and dice.random() < 0.9)
        for action, arguments in choices:
            try:
                state = model.take(state, action, arguments)
                break
            except (Disabled, Violated):
                continue
        else:
            return


@functools.cache
def reachable(design, mode, text):
    """A pool of different reachable states: the same ones in every run of the tests, a walk is not what is tested."""
    model = model_of(design, mode, text)
    dice = random.Random(f"{design} {mode} {text}")
    found = {model.key(state): quiet(model, flatten(state)) for _ in range(5) for state in walk(model, dice, 30)}
    return list(found.values())


def arbitrary(model, dice):
    """The leaves of a state, each drawn from its declared range."""
    return quiet(model, [dice.randint(leaf.low, leaf.high) for leaf in model.leaves])


def disturbed(model, values, dice):
    """The leaves of a state with up to three of them drawn anew."""
    values = list(values)
    for leaf in dice.sample(model.leaves, dice.randint(1, 3)):
        values[leaf.index] = dice.randint(leaf.low, leaf.high)
    return quiet(model, values)


def states_of(model, rows):
    return [unflatten(model.shape, iter(row)) for row in rows]


EVERYWHERE = pytest.mark.parametrize(
    ("design", "mode", "text"),
    [
        pytest.param(design, mode, text, id=f"{design}-{mode}-{name}")
        for design, mode, (name, text) in itertools.product(DESIGNS, MODES, SCOPES.items())
    ],
)


@EVERYWHERE
def test_actions_agree_on_reachable_states(design, mode, text):
    model, pool = model_of(design, mode, text), reachable(design, mode, text)
    met = steps_agree(model, states_of(model, pool), random.Random(1))
    # Otherwise nothing but refusals may have been compared.
    assert {name for name, kind in met if kind == "taken"} == {action.name for action in model.actions}


@EVERYWHERE
def test_actions_agree_on_states_that_nothing_reaches(design, mode, text):
    model, pool = model_of(design, mode, text), reachable(design, mode, text)
    dice = random.Random(f"{design} {mode} {text}")
    rows = [disturbed(model, dice.choice(pool), dice) for _ in range(200)]
    rows += [arbitrary(model, dice) for _ in range(200)]
    met = steps_agree(model, states_of(model, rows), dice, enabled=3)
    kinds = {kind for _, kind in met}
    assert kinds >= {DISABLED, "taken"}
    assert kinds - {DISABLED, "taken"}, "no violation was compared"


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=20)
@given(data=st.data())
def test_actions_agree_on_drawn_states(mode, data):
    """As above, with every leaf a choice of Hypothesis, so that a difference is shown on the simplest state."""
    model = model_of(data.draw(st.sampled_from(sorted(DESIGNS))), mode, SMALL)
    leaves = st.tuples(*[st.integers(leaf.low, leaf.high) for leaf in model.leaves if not leaf.transient])
    first = [leaf.index for leaf in model.leaves if not leaf.transient]
    rows = []
    for drawn in data.draw(st.lists(leaves, min_size=1, max_size=4)):
        values = constants(model)
        for index, value in zip(first, drawn, strict=True):
            values[index] = value
        rows.append(quiet(model, values))
    steps_agree(model, states_of(model, rows), random.Random(1), constant=0.1)


# Properties of a state, and decisions.


@EVERYWHERE
def test_properties_agree(design, mode, text):
    model, pool = model_of(design, mode, text), reachable(design, mode, text)
    dice = random.Random(f"{design} {mode} {text}")
    rows = pool + [disturbed(model, dice.choice(pool), dice) for _ in range(200)]
    rows += [arbitrary(model, dice) for _ in range(50)]
    states = states_of(model, rows)
    columns = Columns(model, states)
    stated = model.of_kind("always")
    [table] = columns.values([columns.reader.holds(one, [columns.reader.inputs]) for one in stated])
    for place, state in enumerate(states):
        expected = [holds(one, state, model.context) for one in stated]
        assert [bool(value) for value in table[place]] == expected, state
    for place in dice.sample(range(len(rows)), 5):
        reader = Reader(model, list(rows[place]))
        expected = [holds(one, states[place], model.context) for one in stated]
        assert [reader.holds(one, [reader.inputs]) for one in stated] == expected


def decisions(model):
    """Every decision with every choice of its arguments, each as (method, argument from a state or its shape)."""
    scope = model.scope
    request_of = {"s": lambda state, r, b: state}
    request_of["me"] = lambda state, r, b: part(part(state, "requests"), r)
    request_of["row"] = lambda state, r, b: part(part(part(part(state, "batches"), b), "rows"), r)
    fixed = {
        "supply": range(-2, scope.slots),
        "slot": range(scope.slots),
        "lookahead": range(-1, scope.lookahead + 1),
        "completed": range(scope.ring),
        "key": range(1, scope.max_len + 1),
        "cached": (False, True),
    }
    for name, function in inspect.getmembers(type(model.context), inspect.isfunction):
        if name.startswith("_"):
            continue
        names = list(inspect.signature(function).parameters)[1:]
        assert {"request"}.union(fixed, request_of).issuperset(names), f"{name} has a parameter that is new"
        domains = [fixed.get(parameter, [None]) for parameter in names]
        for r, b, *values in itertools.product(range(scope.requests), range(scope.window), *domains):
            pick = [request_of.get(parameter) for parameter in names]
            given = [r if parameter == "request" else value for parameter, value in zip(names, values, strict=True)]
            yield getattr(model.context, name), [(p, r, b, value) for p, value in zip(pick, given, strict=True)]


def part(whole, name):
    """A field or an element, of a native state or of a shape."""
    inside = getattr(whole, "fields", None) or getattr(whole, "elements", None)
    if inside is not None:
        return inside[name]
    return getattr(whole, name) if isinstance(name, str) else whole[name]


def decided(method, arguments, state):
    """What a decision says natively, and whether it indexed outside a vector."""
    try:
        return int(method(*[value if pick is None else pick(state, r, b) for pick, r, b, value in arguments])), False
    except Violated:
        return None, True


@EVERYWHERE
def test_decisions_agree(design, mode, text):
    model, pool = model_of(design, mode, text), reachable(design, mode, text)
    dice = random.Random(f"{design} {mode} {text}")
    states = states_of(model, pool[:60] + [disturbed(model, dice.choice(pool), dice) for _ in range(60)])
    columns = Columns(model, states)
    everything = list(decisions(model))
    outputs = []
    for method, arguments in everything:
        store = Store(columns.reader.graph)
        walk = Walk(columns.reader.graph, store)
        shape = columns.reader.state(store, columns.reader.inputs)
        given = [value if pick is None else pick(shape, r, b) for pick, r, b, value in arguments]
        outputs.append(columns.reader.graph.int_(walk.run(method, given)))
        outputs.append(columns.reader.graph.any_of(condition for _, condition in walk.violations))
    [table] = columns.values(outputs)
    for number, (method, arguments) in enumerate(everything):
        for place in dice.sample(range(len(states)), 10):
            value, outside = table[place, 2 * number : 2 * number + 2]
            expected = decided(method, arguments, states[place])
            assert (None if outside else value, bool(outside)) == expected, (method, states[place])
