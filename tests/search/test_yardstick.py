"""The yardstick: numbers on which five independent tools agree to the state."""

from __future__ import annotations

import pytest

from checker.model.model import Model, load_module
from checker.model.replay import replay
from checker.search.bfs import Search
from checker.search.exploration import Limits
from tests.support import plain_bfs
from tests.support.paths import YARDSTICK_FILE

YARDSTICK = load_module(YARDSTICK_FILE)


def search(symmetry=False, until=None, **scope):
    model = Model(YARDSTICK, YARDSTICK.Scope(**scope))
    return model, Search(model, symmetry, until).run(Limits())


@pytest.mark.parametrize(
    ("requests", "lengths", "states", "transitions", "depth"),
    [
        (1, 8, 72, 102, 24),
        (1, 16, 148, 214, 48),
        (2, 8, 4_866, 10_410, 28),
        (2, 16, 20_258, 43_850, 52),
        (3, 4, 33_580, None, None),
        (3, 8, 296_652, 786_282, 28),
        pytest.param(3, 16, 2_487_196, 6_662_698, 52, marks=pytest.mark.slow),
    ],
)
def test_the_published_counts(requests, lengths, states, transitions, depth):
    _, result = search(R=requests, N=lengths)
    assert result.complete
    assert not result.counterexamples
    assert result.states == states
    assert transitions is None or (result.transitions, result.depth) == (transitions, depth)


@pytest.mark.parametrize(("requests", "states"), [(2, 2_469), (3, 51_899)])
def test_the_published_counts_with_symmetry(requests, states):
    _, result = search(symmetry=True, R=requests, N=8)
    assert result.complete
    assert result.states == states


def test_a_plain_search_over_the_same_text_agrees():
    model, result = search(R=2, N=4)
    plain = plain_bfs.search(model)
    assert (result.states, result.transitions, result.depth) == (len(plain.states), plain.transitions, plain.depth)


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize(("interval", "lengths", "requests", "actions"), [(2, 8, 1, 4), (2, 8, 2, 4), (8, 24, 1, 22)])
def test_the_broken_variant_is_found_in_as_many_actions(symmetry, interval, lengths, requests, actions):
    model, result = search(symmetry, frozenset(), R=requests, N=lengths, K=interval, broken=1)
    [found] = result.counterexamples.values()
    assert len(found.steps) == actions
    [safe] = [stated for stated in model.properties if stated.name == found.property]
    states = replay(model, found.steps)
    assert not safe(states[-1], model.context)
    assert all(stated(state, model.context) for stated in model.properties for state in states[:-1])
