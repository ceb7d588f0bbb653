"""What expanding states returns, without a search: it knows nothing of who asks."""

from collections import Counter

import numpy as np

from checker.model.layout import flatten, unflatten
from checker.model.model import Model
from checker.search import canary
from checker.search.fingerprint_sets import merge
from checker.search.successors import Expander
from spec.language import Violated, sometimes


@sometimes()
def anything(before, after, c):
    """Every step shows it."""
    return True


MODEL = Model(canary, canary.Scope()).with_(properties=[*canary.properties, anything])
FIRST = np.array([list(flatten(MODEL.init))]).T


def expanded(states, known=(), unseen=(), start=0):
    expander = Expander(MODEL, symmetry=False)
    return expander.expand(list(states.astype(expander.width)), start, list(known), unseen)


def states_of(level):
    return [unflatten(MODEL.shape, iter(column.tolist())) for column in level.T]


def test_every_step_of_a_state_is_counted_and_every_new_state_returned():
    level = FIRST
    for _ in range(4):
        steps = [each for state in states_of(level) for each in MODEL.steps(state)]
        found = expanded(level)
        assert found.taken == Counter(taken.action.name for taken, _ in steps)
        keys = {MODEL.key(after) for _, after in steps if not isinstance(after, Violated)}
        assert {MODEL.key(state) for state in states_of(found.states)} == keys
        assert len(found.fingerprints) == len(found.found.parent) == found.states.shape[1] == len(keys)
        assert np.all(found.fingerprints[1:] > found.fingerprints[:-1])
        level = found.states
    assert "many" in found.taken, "it has several forms, which count together"


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
            state = states_of(level)[parent - 1000]
            broken = next(after for step, after in MODEL.steps(state) if step == taken)
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
        assert expanded(level, unseen=["anything"]).seen == ["anything"]
        if looked.seen:
            assert looked.seen == ["both-at-once"]
            return
        level = looked.states
    raise AssertionError("the canary shows it within eight steps")
