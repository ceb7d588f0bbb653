"""One text, two readings: each boundary function decides for a column what it decides for every number in it."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import boundary
from runtime.boundary import ABSENT

FUNCTIONS = {
    name: function
    for name, function in inspect.getmembers(boundary, inspect.isfunction)
    if function.__module__ == boundary.__name__ and not name.startswith("_") and name != "where"
}
LENGTHS = st.integers(ABSENT, 12)
SIZES = {"interval": st.integers(1, 6), "ring": st.integers(1, 5), "limit": st.integers(0, 3), "skips": st.booleans()}


def columns_of(function):
    """The parameters that may be columns; the others are sizes of the engine."""
    return [name for name, item in inspect.signature(function).parameters.items() if item.annotation == "Value"]


def test_every_parameter_is_a_value_of_rows_or_a_size():
    assert len(FUNCTIONS) > 10
    for name, function in FUNCTIONS.items():
        sizes = set(inspect.signature(function).parameters) - set(columns_of(function))
        assert sizes <= set(SIZES), name
        assert columns_of(function), name


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
def test_a_column_is_decided_like_its_numbers(name, data):
    function = FUNCTIONS[name]
    names = columns_of(function)
    sizes = {key: data.draw(SIZES[key]) for key in inspect.signature(function).parameters if key not in names}
    table = data.draw(st.lists(st.tuples(*[LENGTHS] * len(names)), min_size=1, max_size=8))
    one_by_one = [function(**dict(zip(names, row, strict=True)), **sizes) for row in table]
    columns = dict(zip(names, np.array(table, np.int64).T, strict=True))
    decided = function(**columns, **sizes)
    assert decided.tolist() == one_by_one
    assert [type(value) for value in decided.tolist()] == [type(value) for value in one_by_one]
    # As the runtime does with pool and table: a number that numpy holds is a number.
    held = function(**{key: column[0] for key, column in columns.items()}, **sizes)
    assert held == one_by_one[0]
    assert not isinstance(held, np.ndarray)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_rows_are_decided_like_any_others(name):
    function = FUNCTIONS[name]
    names = columns_of(function)
    sizes = {key: 2 for key in inspect.signature(function).parameters if key not in names}
    assert len(function(**dict.fromkeys(names, np.array([], np.int64)), **sizes)) == 0


@given(data=st.data())
def test_nothing_that_is_passed_is_changed(data):
    name = data.draw(st.sampled_from(sorted(FUNCTIONS)))
    function = FUNCTIONS[name]
    columns = {
        key: np.array(data.draw(st.lists(LENGTHS, min_size=3, max_size=3)), np.int64) for key in columns_of(function)
    }
    for column in columns.values():
        column.flags.writeable = False
    sizes = {key: data.draw(SIZES[key]) for key in inspect.signature(function).parameters if key not in columns}
    function(**columns, **sizes)


class TestDecisions:
    """A few that a person can check by eye; the checker proves that all of them are the spec's."""

    def test_a_decode_step_marks_what_lies_on_the_grid(self):
        assert [boundary.decode_mark(length, 3) for length in range(1, 7)] == [ABSENT, ABSENT, 3, ABSENT, ABSENT, 6]

    @pytest.mark.parametrize("cached", [False, True])
    @pytest.mark.parametrize(
        ("tokens", "prefix", "mark"), [(1, 0, ABSENT), (2, 0, 2), (5, 0, 4), (5, 4, ABSENT), (6, 4, 6), (7, 2, 6)]
    )
    def test_a_prefill_marks_its_newest_boundary_beyond_the_prefix(self, tokens, prefix, cached, mark):
        assert boundary.prefill_mark(tokens, prefix, cached, 2) == mark

    @pytest.mark.parametrize(("tokens", "prefix", "earlier"), [(4, 0, 2), (6, 0, 4), (6, 2, 4)])
    def test_a_prompt_that_ends_on_a_boundary_marks_the_one_before_unless_it_is_cached(self, tokens, prefix, earlier):
        assert boundary.before_the_end(tokens, prefix, 2) == earlier
        assert boundary.prefill_mark(tokens, prefix, False, 2) == earlier
        assert boundary.prefill_mark(tokens, prefix, True, 2) == tokens

    @pytest.mark.parametrize(("tokens", "prefix"), [(1, 0), (2, 0), (5, 0), (6, 4)])
    def test_no_boundary_lies_between_the_prefix_and_the_end(self, tokens, prefix):
        assert boundary.before_the_end(tokens, prefix, 2) == ABSENT

    def test_eager_goes_round_once_for_each_mark(self):
        assert [boundary.eager_next(position, 8, 3) for position in range(3)] == [1, 2, 0]
        assert boundary.eager_next(2, ABSENT, 3) == 2

    def test_a_spare_is_claimed_where_it_was_put(self):
        assert boundary.lazy_position(0, 2, 9) == 2
        assert boundary.lazy_position(0, 2, ABSENT) == 0

    def test_in_place_takes_the_label_back_and_skipping_does_not(self):
        assert boundary.label_after_claim(4, 1, 1, 6) == ABSENT
        assert boundary.label_after_claim(4, 1, 1, ABSENT) == 4
        assert boundary.label_after_claim(4, 1, 0, 6) == 4

    def test_a_slot_that_somebody_will_write_is_neither_labelled_nor_freed_nor_published(self):
        assert [boundary.completed_label(ABSENT, 6, claims) for claims in (0, 1)] == [6, ABSENT]
        assert [boundary.may_free(5, claims) for claims in (0, 1)] == [True, False]
        assert [boundary.may_publish(6, claims) for claims in (0, 1)] == [True, False]
        assert not boundary.may_free(ABSENT, 0)
        assert not boundary.may_publish(ABSENT, 0)
