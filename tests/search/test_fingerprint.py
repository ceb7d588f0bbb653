"""Fingerprints: plain ones tell states apart, symmetric ones are equal exactly for renamings of each other."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import spec.model
from checker.model.layout import Leaf
from checker.model.model import Model
from checker.search.fingerprint import Plain, Symmetric
from checker.search.fingerprint_sets import first_of_each, merge, unknown
from spec.scope import Scope

TEXTS = (
    "requests=2 slots=3 nodes=1 families=2 max_len=2 mode=eager",
    "requests=1 slots=4 nodes=1 max_len=3 mode=lazy interval=any",
    "requests=3 slots=3 nodes=1 max_len=2 mode=lazy lookahead=0",
)


def model_of(text):
    return Model(spec.model, Scope.parse(text))


def sizes(model):
    return {sort: getattr(model.scope, sort) for sort in model.symmetric}


def renamings(model):
    """Every choice of one permutation per interchangeable sort: member m is called order[m] afterwards."""
    counted = sizes(model)
    for orders in itertools.product(*[itertools.permutations(range(size)) for size in counted.values()]):
        yield dict(zip(counted, orders, strict=True))


def rename(model, row, renaming):
    """The leaves' values of the state with its members renamed."""
    at = {(leaf.kind, leaf.places): leaf.index for leaf in model.leaves}
    renamed = list(row)
    for leaf in model.leaves:
        places = tuple((sort, renaming[sort][m] if sort in renaming else m) for sort, m in leaf.places)
        value = row[leaf.index]
        if leaf.sort in renaming and value >= 0:
            value = renaming[leaf.sort][value]
        renamed[at[leaf.kind, places]] = value
    return renamed


def some_rows(model, dice, count):
    """Random states: sparse ones, so that many are nearly symmetric in themselves, which is where mistakes hide."""
    rows = []
    for _ in range(count):
        row = [min(max(leaf.low, 0 if leaf.sort is None else -1), leaf.high) for leaf in model.leaves]
        for leaf in dice.sample(model.leaves, dice.choice([1, 2, 3, 6, len(row) // 2])):
            row[leaf.index] = dice.randint(leaf.low, leaf.high)
        rows.append(row)
    return rows


def prints(which, rows):
    columns = list(np.array(rows, np.int8).T.copy())
    return which.of(columns).tolist()


def lasting(model, row):
    return tuple(value for leaf, value in zip(model.leaves, row, strict=True) if not leaf.transient)


def smallest(model, row):
    return min(lasting(model, rename(model, row, renaming)) for renaming in renamings(model))


@pytest.mark.parametrize("text", TEXTS)
def test_renamed_states_have_one_fingerprint(text):
    model, dice = model_of(text), random.Random(text)
    symmetric = Symmetric(model.leaves, sizes(model))
    everything = list(renamings(model))
    for row in some_rows(model, dice, 40):
        renamed = [rename(model, row, renaming) for renaming in dice.sample(everything, min(20, len(everything)))]
        assert len(set(prints(symmetric, [row, *renamed]))) == 1


@pytest.mark.parametrize("text", TEXTS)
def test_states_that_are_no_renamings_differ(text):
    model, dice = model_of(text), random.Random(text)
    symmetric = Symmetric(model.leaves, sizes(model))
    rows = some_rows(model, dice, 150)
    by_print, by_orbit = {}, {}
    for row, word in zip(rows, prints(symmetric, rows), strict=True):
        orbit = smallest(model, row)
        assert by_print.setdefault(word, orbit) == orbit
        assert by_orbit.setdefault(orbit, word) == word


@pytest.mark.parametrize("text", TEXTS)
def test_one_leaf_changes_a_fingerprint(text):
    model, dice = model_of(text), random.Random(text)
    plain, symmetric = Plain(model.leaves, np.int8), Symmetric(model.leaves, sizes(model))
    [row] = some_rows(model, dice, 1)
    for leaf in model.leaves:
        changed = list(row)
        changed[leaf.index] = leaf.high if row[leaf.index] != leaf.high else leaf.low
        one, other = prints(plain, [row, changed])
        # What only tells of the last step is no part of a state.
        assert (one == other) == leaf.transient, leaf.path
        one, other = prints(symmetric, [row, changed])
        assert (one == other) == (smallest(model, row) == smallest(model, changed)), leaf.path


@pytest.mark.parametrize("text", TEXTS)
def test_plain_fingerprints_tell_all_states_apart(text):
    model, dice = model_of(text), random.Random(text)
    rows = some_rows(model, dice, 2_000)
    assert len(set(prints(Plain(model.leaves, np.int8), rows))) == len({lasting(model, row) for row in rows})


def test_a_seen_set_is_merged_and_searched():
    dice = np.random.default_rng(1)
    known = np.unique(dice.integers(0, 300, 100).astype(np.uint64))
    found = dice.integers(0, 300, 500).astype(np.uint64)
    keep = unknown(found, first_of_each(found), [known, np.zeros(0, np.uint64)])
    assert found[keep].tolist() == sorted(set(found.tolist()) - set(known.tolist()))
    assert [int(place) for place in keep] == [found.tolist().index(word) for word in found[keep].tolist()]
    assert merge(known, found[keep]).tolist() == sorted({*known.tolist(), *found.tolist()})


def test_a_sort_whose_members_name_each_other_is_refused():
    leaves = [Leaf(m, f"next[{m}]", False, -1, 2, "next", "slots", (("slots", m),)) for m in range(3)]
    with pytest.raises(ValueError, match="relates two members of slots"):
        Symmetric(leaves, {"slots": 3})
