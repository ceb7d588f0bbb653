"""A copy of a record is equal to it and shares nothing with it, whatever its fields hold."""

from __future__ import annotations

from dataclasses import fields

import pytest

import spec.model
from spec.language import Vector, copy, new, record
from spec.scope import Scope


@record
class Leaf:
    number: int = 0
    flag: bool = False


@record
class Tree:
    leaf: Leaf
    leaves: Vector[Leaf]
    grid: Vector[Vector[int]]
    flag: bool


@record
class Bare:
    """No fields at all."""


class Small(int):
    """A number of a kind of its own."""


def tree():
    return Tree(Leaf(3, True), Vector([Leaf(), Leaf(7)]), Vector([Vector([1, 2]), Vector([3])]), False)


def test_a_copy_is_equal_and_of_the_same_kinds():
    before = tree()
    after = copy(before)
    assert after == before
    assert [type(getattr(after, field.name)) for field in fields(Tree)] == [Leaf, Vector, Vector, bool]
    assert type(after.grid[0]) is Vector


@pytest.mark.parametrize(
    "change",
    [
        lambda it: setattr(it.leaf, "number", 9),
        lambda it: setattr(it.leaves[1], "flag", True),
        lambda it: it.grid[0].__setitem__(1, 9),
        lambda it: it.leaves.__setitem__(0, Leaf(9)),
    ],
)
def test_a_change_of_the_copy_does_not_reach_the_original(change):
    original = tree()
    changed = copy(original)
    change(changed)
    assert original == tree()
    assert changed != original


def test_numbers_of_any_kind_are_themselves():
    assert [copy(5), copy(True), copy(Small(4))] == [5, True, 4]
    assert copy(Leaf(Small(4))) == Leaf(Small(4))
    assert copy(Vector([Small(4), True])) == [4, True]


def test_a_record_without_fields_can_be_copied():
    assert copy(Bare()) == Bare()


def test_a_state_of_the_spec_shares_nothing_with_its_copy():
    state = spec.model.init(Scope(requests=2, slots=8, max_len=4))
    before = copy(state)
    after = copy(state)
    after.requests[1].ring[0] = 3
    after.batches[0].rows[0].mark = 2
    assert state == before != after
    assert new(type(state.requests[0]), Scope()) is not state.requests[0]


def test_what_is_no_record_is_refused():
    with pytest.raises(TypeError):
        copy([1, 2])
