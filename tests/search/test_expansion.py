"""What expanding states returns, without a search: it knows nothing of who asks."""

import numpy as np

from checker.model.layout import flatten, unflatten
from checker.model.model import Model
from checker.search import canary
from checker.search.bfs import merge
from checker.search.successors import Expander
from spec.language import Violated

MODEL = Model(canary, canary.Scope())
FIRST = np.array([list(flatten(MODEL.init))]).T


def expanded(states, known=(), unseen=(), start=0):
    expander = Expander(MODEL, symmetry=False)
    return expander.expand(list(states.astype(expander.width)), start, list(known), unseen)


def natively(state):
    return [(taken, after) for taken, after in MODEL.steps(state)]


def test_every_step_of_a_state_is_counted_and_every_new_state_returned():
    steps = natively(MODEL.init)
    found = expanded(FIRST)
    counted = {name: sum(taken.action.name == name for taken, _ in steps) for name in found.taken}
    assert found.taken == counted
    assert sum(found.taken.values()) == len(steps)
    keys = {MODEL.key(after) for _, after in steps if not isinstance(after, Violated)}
    states = [unflatten(MODEL.shape, iter(column.tolist())) for column in found.states.T]
    assert {MODEL.key(state) for state in states} == keys
    assert len(found.fingerprints) == len(found.found.parent) == found.states.shape[1] == len(keys)
    assert np.all(found.fingerprints[1:] > found.fingerprints[:-1])


def test_known_states_are_not_new():
    found = expanded(FIRST)
    half = found.fingerprints[::2]
    again = expanded(FIRST, [half])
    assert set(again.fingerprints.tolist()) == set(found.fingerprints.tolist()) - set(half.tolist())
    nothing = expanded(FIRST, [found.fingerprints])
    assert nothing.states.shape == (len(MODEL.leaves), 0)
    assert nothing.taken == found.taken


def test_a_violation_is_returned_with_its_step_and_the_place_of_its_state():
    level, seen = FIRST, expanded(FIRST, start=0).fingerprints[:0]
    for _ in range(6):
        found = expanded(level, [seen], start=1000)
        for name, (parent, taken) in found.violations.items():
            state = unflatten(MODEL.shape, iter(level[:, parent - 1000].tolist()))
            broken = next(after for step, after in natively(state) if step == taken)
            if isinstance(broken, Violated):
                assert broken.name == name
            else:
                stated = next(each for each in MODEL.properties if each.name == name)
                assert not stated(state, broken, MODEL.context)
        if found.violations:
            return
        level, seen = found.states, merge(seen, found.fingerprints)
    raise AssertionError("the canary violates something within six steps")


def test_only_what_is_still_unseen_is_looked_for():
    level = FIRST
    for _ in range(8):
        looked, silent = expanded(level, unseen=["both-at-once"]), expanded(level)
        assert silent.seen == []
        if looked.seen:
            assert looked.seen == ["both-at-once"]
            return
        level = looked.states
    raise AssertionError("the canary shows it within eight steps")
