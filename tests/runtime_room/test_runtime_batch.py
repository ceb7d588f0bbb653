"""Rows: every way to pass them on carries every column, and nothing changes what a batch recorded."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runtime.batch import ROW_COLUMNS, Rows
from runtime.columns import Column, columns_of

NUMBERS = st.integers(-1, 1 << 40)


def blocks(least=0, most=6):
    shapes = st.integers(least, most).map(lambda rows: (len(ROW_COLUMNS), rows))
    return shapes.flatmap(lambda shape: arrays(np.int64, shape, elements=NUMBERS))


def by_name(block):
    """The same block as a person would read it: one dict for each row."""
    return [
        {name: int(block[column.number, row]) for name, column in ROW_COLUMNS.items()} for row in range(block.shape[1])
    ]


@given(block=blocks(), data=st.data())
def test_filtering_joining_and_copying_carry_every_column(block, data):
    rows, listed = Rows(block), by_name(block)
    assert rows.listed() == listed
    assert len(rows) == len(listed)
    places = data.draw(st.lists(st.integers(0, len(listed) - 1), max_size=8) if listed else st.just([]))
    assert rows.filter(np.array(places, np.int64)).listed() == [listed[place] for place in places]
    other = data.draw(blocks())
    assert rows.merge(Rows(other)).listed() == listed + by_name(other)
    assert rows.copy().listed() == listed
    assert rows.copy().block.base is None


@given(block=blocks(least=1))
def test_nothing_writes_into_rows(block):
    made = Rows(block)
    before = made.listed()
    for rows in (made, made.copy(), made.merge(made), made.filter(np.arange(len(made)))):
        for name in ROW_COLUMNS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(rows, name)[0] = 7
            with pytest.raises(AttributeError):
                setattr(rows, name, np.zeros(len(rows)))
    assert made.listed() == before


def test_rows_are_made_of_all_columns_each_a_column_or_one_number():
    columns = {name: number for number, name in enumerate(ROW_COLUMNS)}
    made = Rows.of(**columns | {"seat": np.array([4, 5]), "mark": np.array([8, -1])})
    assert made.listed() == [columns | {"seat": 4, "mark": 8}, columns | {"seat": 5, "mark": -1}]
    for name in ROW_COLUMNS:
        short = {key: value for key, value in columns.items() if key != name}
        with pytest.raises(KeyError, match=name):
            Rows.of(**{key: np.array([1]) if key == "seat" else value for key, value in short.items()})


@pytest.mark.parametrize(
    "shape", [(3,), (len(ROW_COLUMNS) - 1, 2), (len(ROW_COLUMNS) + 1, 2), (2, len(ROW_COLUMNS), 1)]
)
def test_a_block_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=f"rows are an int64 block of {len(ROW_COLUMNS)} lines, not ndarray of int64"):
        Rows(np.zeros(shape, np.int64))


def test_columns_fill_their_block_without_a_gap():
    class Gap:
        first = Column(0, "It is there.")
        third = Column(2, "The line before it has no name.")

    with pytest.raises(TypeError, match=r"Gap: the columns are not numbered 0\.\.1 in order"):
        columns_of(Gap)
    assert all(column.sentence.endswith(".") or ":" in column.sentence for column in ROW_COLUMNS.values())
    assert Rows.mark is ROW_COLUMNS["mark"]
