"""The search over columns: the same counts as a plain search over the native functions, and pinned ones.

The spec is meant to change, and then the tables at the top change with it. `python -m tests.search.test_explore` prints
them as they are now; look at each difference before copying it here: a count that moved without a reason is a bug.
"""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import spec.model
from checker.deadline import Deadline
from checker.model.known_designs import DESIGNS
from checker.model.model import Model
from checker.model.replay import replay
from checker.search.bfs import Search
from checker.search.exploration import Limits
from spec.language import Disabled, Violated, action, guard
from spec.scope import Scope
from tests.support import plain_bfs

# For each scope (states, transitions, depth) without symmetry and with it.
COUNTS = {
    "requests=1 slots=4 nodes=1 max_len=5 mode=eager": [(3755, 12329, 32), (1463, 4756, 24)],
    "requests=1 slots=4 nodes=1 max_len=5 mode=lazy": [(5318, 17871, 32), (1911, 6343, 24)],
    "requests=1 slots=4 nodes=1 max_len=4 mode=eager interval=any ring=3 lookahead=2": [
        (3963, 12156, 19),
        (3870, 11892, 19),
    ],
    "requests=1 slots=4 nodes=2 max_len=5 mode=lazy without_spare=skip families=2": [
        (70231, 289024, 33),
        (6372, 25627, 28),
    ],
    "requests=2 slots=4 nodes=1 max_len=2 mode=lazy lookahead=0": [(10414, 36884, 32), (415, 1511, 16)],
}
MERGED_EAGER = {
    "batch-local": 6,
    "exact-label": 11,
    "flip-once": 8,
    "no-inflight-target": 11,
    "publishes-only-what-is-there": 11,
    "ring-apart": 9,
    "written-before-donated": 12,
}
"""Steps of the shortest runs in eager mode since that merge: nothing that came later has changed them."""

# (design, mode): the number of steps of the shortest run that violates each property, in DESIGNS_IN.
LENGTHS = {
    ("slotproof", "eager"): {},
    ("slotproof", "lazy"): {},
    ("before-29792", "eager"): {
        "batch-local": 6,
        "checkpoint-not-lost": 8,
        "exact-label": 10,
        "flip-once": 8,
        "publishes-only-what-is-there": 8,
        "ring-apart": 8,
        "written-before-donated": 10,
    },
    ("before-29792", "lazy"): {
        "batch-local": 6,
        "checkpoint-not-lost": 7,
        "exact-label": 5,
        "no-inflight-target": 5,
        "lazy-keeps-one": 8,
        "publishes-only-what-is-there": 5,
        "ring-apart": 3,
        "written-before-donated": 5,
    },
    ("wait-stream", "eager"): {
        "batch-local": 6,
        "checkpoint-not-lost": 9,
        "exact-label": 10,
        "flip-once": 9,
        "publishes-only-what-is-there": 10,
        "ring-apart": 9,
        "written-before-donated": 10,
    },
    ("wait-stream", "lazy"): {
        "batch-local": 6,
        "checkpoint-not-lost": 7,
        "exact-label": 6,
        "lazy-keeps-one": 9,
        "publishes-only-what-is-there": 6,
        "ring-apart": 3,
        "written-before-donated": 6,
    },
    ("merged-29792", "eager"): MERGED_EAGER,
    ("merged-29792", "lazy"): {},
    ("merged-0.5.22", "eager"): MERGED_EAGER,
    ("merged-0.5.22", "lazy"): {},
    ("lazy-0.5.18", "eager"): MERGED_EAGER,
    ("lazy-0.5.18", "lazy"): {
        "exact-label": 5,
        "no-inflight-target": 5,
        "publishes-only-what-is-there": 5,
        "ring-apart": 3,
        "written-before-donated": 6,
    },
}
DESIGNS_IN = "requests=1 slots=5 nodes=2 max_len=6"
DESIGN_MODES = tuple(itertools.product(DESIGNS, ("eager", "lazy")))


def model_of(text, design="slotproof"):
    scope = Scope.parse(text)
    return Model(spec.model, scope, DESIGNS[design](scope))


def explore(model, symmetry, until=None):
    search = Search(model, symmetry, until)
    return search.run(Limits())


def counts(result):
    return result.states, result.transitions, result.depth


def lengths(design, mode):
    result = explore(model_of(f"{DESIGNS_IN} mode={mode}", design), True)
    assert result.complete
    return {name: len(found.steps) for name, found in sorted(result.counterexamples.items())}


# Against the plain search.

SCOPES = (
    "requests=1 slots=3 nodes=1 max_len=2 mode=lazy without_spare=overwrite",
    "requests=1 slots=4 nodes=0 max_len=3 mode=lazy without_spare=skip",
    "requests=1 slots=3 nodes=1 max_len=4 mode=eager lookahead=0",
    "requests=1 slots=3 nodes=1 max_len=2 mode=eager lookahead=2 interval=1",
    "requests=1 slots=3 nodes=1 max_len=2 mode=eager interval=any",
    "requests=1 slots=3 nodes=1 max_len=2 mode=eager families=2",
    "requests=1 slots=3 nodes=1 max_len=2 mode=lazy interval=any lookahead=0",
    "requests=2 slots=3 nodes=0 max_len=1 mode=eager",
    "requests=2 slots=3 nodes=0 max_len=1 mode=lazy lookahead=0",
    pytest.param("requests=1 slots=3 nodes=1 max_len=4 mode=lazy", marks=pytest.mark.slow),
    pytest.param("requests=2 slots=3 nodes=1 max_len=2 mode=eager", marks=pytest.mark.slow),
    pytest.param("requests=2 slots=3 nodes=1 max_len=2 mode=lazy", marks=pytest.mark.slow),
    pytest.param(
        "requests=1 slots=3 nodes=1 max_len=3 mode=lazy interval=any lookahead=2 ring=3", marks=pytest.mark.slow
    ),
)


@functools.cache
def plainly(text, design="slotproof"):
    return plain_bfs.search(model_of(text, design))


@pytest.mark.parametrize("text", SCOPES)
def test_the_search_counts_what_a_plain_one_counts(text):
    model = model_of(text)
    plain = plainly(text)
    result = explore(model, symmetry=False)
    assert result.complete
    assert counts(result) == (len(plain.states), plain.transitions, plain.depth)


@pytest.mark.parametrize("design", [name for name in DESIGNS if name != "slotproof"])
def test_the_search_counts_what_a_plain_one_counts_where_properties_fail(design):
    text = "requests=1 slots=3 nodes=1 max_len=2 mode=lazy interval=1 lookahead=0"
    plain = plainly(text, design)
    assert counts(explore(model_of(text, design), symmetry=False)) == (
        len(plain.states),
        plain.transitions,
        plain.depth,
    )


# Symmetry.


def orbits(model, states):
    """How many states are left when those that differ only in names are one: every renaming is tried."""
    leaves = [leaf for leaf in model.leaves if not leaf.transient]
    at = {(leaf.kind, leaf.places): number for number, leaf in enumerate(leaves)}
    table = np.array(list(states), np.int16)
    smallest = None
    sizes = {sort: getattr(model.scope, sort) for sort in model.symmetric}
    for orders in itertools.product(*[itertools.permutations(range(size)) for size in sizes.values()]):
        new = dict(zip(sizes, orders, strict=True))
        renamed = np.empty_like(table)
        for number, leaf in enumerate(leaves):
            places = tuple((sort, new[sort][m] if sort in new else m) for sort, m in leaf.places)
            column = table[:, number]
            if leaf.sort in new:
                # The last entry is what ABSENT, which is -1, stays.
                column = np.array([*new[leaf.sort], -1], np.int16)[column]
            renamed[:, at[leaf.kind, places]] = column
        words = np.ascontiguousarray((renamed + 3).astype(np.uint8)).view(f"S{len(leaves)}")[:, 0]
        smallest = words if smallest is None else np.where(words < smallest, words, smallest)
    return len(set(smallest.tolist()))


SYMMETRIC = (
    "requests=1 slots=3 nodes=1 max_len=2 mode=lazy without_spare=overwrite",
    "requests=1 slots=3 nodes=1 max_len=2 mode=eager families=2",
    "requests=2 slots=3 nodes=0 max_len=1 mode=eager",
    "requests=2 slots=3 nodes=1 max_len=1 mode=lazy interval=1 lookahead=0",
    pytest.param("requests=2 slots=3 nodes=1 max_len=2 mode=lazy", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("text", SYMMETRIC)
def test_with_symmetry_the_search_counts_orbits(text):
    model = model_of(text)
    plain = plainly(text)
    assert explore(model, symmetry=True).states == orbits(model, plain.states)


@pytest.mark.parametrize(("design", "mode"), DESIGN_MODES)
def test_symmetry_changes_no_verdict(design, mode):
    model = model_of(f"requests=1 slots=4 nodes=1 max_len=5 mode={mode}", design)
    found = [explore(model, symmetry) for symmetry in (True, False)]
    assert all(result.complete for result in found)
    with_symmetry, without = [
        {name: len(one.steps) for name, one in result.counterexamples.items()} for result in found
    ]
    assert with_symmetry == without
    assert found[0].seen == found[1].seen
    assert found[0].depth <= found[1].depth


# Pinned.


@pytest.mark.parametrize("text", COUNTS)
def test_counts_are_exact(text):
    model = model_of(text)
    assert [counts(explore(model, symmetry)) for symmetry in (False, True)] == COUNTS[text]


@pytest.mark.parametrize(("design", "mode"), DESIGN_MODES)
def test_the_shortest_stories_have_known_lengths(design, mode):
    assert lengths(design, mode) == LENGTHS[design, mode]


@pytest.mark.parametrize(("interval", "broken"), [(1, {"ring-apart": 8}), (2, {}), (3, {})])
def test_merged_lazy_labels_a_claim_too_early_where_every_token_is_a_boundary(interval, broken):
    """At interval 1 it labels what a later claim in place overwrites; its gate keeps even that out of the cache."""
    assert lengths("merged-29792", f"lazy interval={interval}") == broken


@pytest.mark.parametrize(("design", "mode"), DESIGN_MODES)
@pytest.mark.parametrize("symmetry", [True, False])
def test_every_counterexample_replays(design, mode, symmetry):
    model = model_of(f"requests=1 slots=4 nodes=1 max_len=5 mode={mode}", design)
    stated = {one.name: one for one in model.properties}
    raised = []
    for name, found in explore(model, symmetry).counterexamples.items():
        assert found.property == name
        # Only the last step may raise.
        states = replay(model, found.steps[:-1])
        last = found.steps[-1:]
        try:
            states += [model.take(states[-1], step.action, step.arguments) for step in last]
        except Violated as violation:
            raised.append((name, violation.name))
            continue
        of = states[-2:] if stated[name].of_steps else states[-1:]
        assert not stated[name](*of, model.context), name
    assert all(told == name for told, name in raised)


# What a search says about itself.


def test_cut_short_is_no_pass():
    model = model_of("requests=1 slots=4 nodes=1 max_len=3 mode=eager")
    whole = explore(model, False)
    assert whole.complete
    assert whole.cut == ""
    for limits in (Limits(states=50), Limits(depth=3), Limits(seconds=0.0)):
        result = Search(model, False).run(limits)
        assert result.cut
        assert not result.complete
        assert result.states < whole.states


class Ticks(Deadline):
    """A clock that ticks whenever somebody looks at it."""

    looked = 0

    @property
    def over(self):
        self.looked += 1
        return self.looked > self.seconds

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def test_the_time_is_looked_at_within_a_level():
    model = model_of("requests=1 slots=4 nodes=1 max_len=3 mode=eager")
    whole = explore(model, False)
    search = Search(model, False)
    search.expander.chunk = 1
    result = search.run(Limits(), clock=Ticks(40))
    assert (result.cut, result.complete) == ("40 s used up", False)
    # The clock ticks once a chunk, which is one state here, so one state more than there are ticks cannot be expanded.
    assert result.transitions < whole.transitions / 2


def test_a_limit_that_is_not_reached_cuts_nothing():
    model = model_of("requests=1 slots=4 nodes=1 max_len=3 mode=eager")
    whole = explore(model, False)
    result = Search(model, False).run(Limits(states=whole.states + 1, depth=whole.depth + 1, seconds=100.0))
    assert result.complete
    assert counts(result) == counts(whole)


def test_a_search_that_stops_at_a_violation_is_not_complete():
    result = explore(model_of(f"{DESIGNS_IN} mode=eager", "before-29792"), True, until=frozenset())
    assert result.counterexamples
    assert not result.complete
    assert len({len(found.steps) for found in result.counterexamples.values()}) == 1


@action()
def never(s, design):
    """May not happen."""
    guard(s.pending < 0)


def test_an_action_that_is_never_enabled_is_reported():
    model = model_of("requests=1 slots=4 nodes=1 max_len=3 mode=eager")
    result = explore(model.with_(actions=(*spec.model.actions, never)), False)
    assert [name for name, count in result.taken.items() if not count] == ["never"]
    assert sum(result.taken.values()) == result.transitions


def test_every_step_that_a_plain_search_can_take_is_one_of_the_search():
    """Otherwise equal counts could hide that both skip the same steps: every instance's arguments are covered."""
    model = model_of("requests=2 slots=4 nodes=1 max_len=2 mode=lazy interval=any")
    covered = [
        (instance.action.name, instance.arguments(chosen))
        for instance in model.instances()
        for chosen in instance.combinations()
    ]
    every = [
        (one.name, arguments)
        for one in model.actions
        for arguments in itertools.product(*[list(choice(model.scope)) for choice in one.choices.values()])
    ]
    assert len(covered) == len(set(covered))
    assert set(covered) == set(every)


def test_the_chance_of_a_collision_is_told():
    result = explore(model_of("requests=1 slots=4 nodes=1 max_len=3 mode=eager"), False)
    assert 0 < result.collision < 1e-10


def test_a_disabled_step_does_not_replay():
    model = model_of(f"{DESIGNS_IN} mode=eager", "before-29792")
    found = next(iter(explore(model, True, until=frozenset()).counterexamples.values()))
    with pytest.raises(Disabled):
        replay(model, found.steps[1:])


PINNED = (
    "requests=1 slots=4 nodes=1 max_len=5 mode=eager",
    "requests=1 slots=4 nodes=1 max_len=5 mode=lazy",
    "requests=1 slots=4 nodes=1 max_len=4 mode=eager interval=any ring=3 lookahead=2",
    "requests=1 slots=4 nodes=2 max_len=5 mode=lazy without_spare=skip families=2",
    "requests=2 slots=4 nodes=1 max_len=2 mode=lazy lookahead=0",
)

if __name__ == "__main__":
    print("COUNTS = {")
    for text in PINNED:
        print(f'    "{text}": {[counts(explore(model_of(text), symmetry)) for symmetry in (False, True)]},')
    print("}\nLENGTHS = {")
    for key in DESIGN_MODES:
        print(f'    ("{key[0]}", "{key[1]}"): {lengths(*key)},')
    print("}")
