"""Columns: random expressions over whole arrays against plain Python; a width too narrow is never chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.model.user_files import BadModel
from checker.symbolic.columns import WIDTHS, Program, width_for
from checker.symbolic.graph import Graph
from checker.symbolic.node import Node
from tests.symbolic.test_graph import VALUES, build, natively, new_leaves, trees


def run(value, leaves, samples, width):
    columns = {leaf: np.array([sample[n] for sample in samples], width) for n, leaf in enumerate(leaves)}
    [result] = Program([value], width).run(lambda leaf: columns[leaf])
    return [int(entry) for entry in np.broadcast_to(result, len(samples))]


@given(
    tree=st.one_of(trees("int", 4), trees("bool", 4)),
    samples=st.lists(VALUES, min_size=1, max_size=12),
    wider=st.sampled_from([None, *WIDTHS]),
)
def test_columns_are_what_python_says(tree, samples, wider):
    graph = Graph()
    leaves = new_leaves(graph)
    value = build(tree, graph, leaves)
    width = width_for([value, *leaves])
    if wider is not None and np.dtype(wider).itemsize > np.dtype(width).itemsize:
        width = wider
    assert run(value, leaves, samples, width) == [int(natively(tree, sample)) for sample in samples]


@given(low=st.integers(-300, 300), span=st.integers(0, 40), number=st.integers(-400, 400), data=st.data())
def test_the_width_holds_everything_on_the_way(low, span, number, data):
    """Constants next to the edges of a width: an overflow would wrap without a sound."""
    graph = Graph()
    leaf = graph.leaf("n", False, low, low + span)
    samples = [(low,), (low + span,), (low + span // 2,)]
    name = data.draw(st.sampled_from(["add", "sub", "mul", "eq", "lt", "le", "rsub", "mod", "div", "where"]))
    divisor = abs(number) + 1
    made, expected = {
        "rsub": (lambda: graph.sub(number, leaf), lambda n: number - n),
        "mod": (lambda: graph.mod(leaf, divisor), lambda n: n % divisor),
        "div": (lambda: graph.div(leaf, divisor), lambda n: n // divisor),
        "add": (lambda: graph.add(leaf, number), lambda n: n + number),
        "sub": (lambda: graph.sub(leaf, number), lambda n: n - number),
        "mul": (lambda: graph.mul(leaf, number), lambda n: n * number),
        "eq": (lambda: graph.eq(leaf, number), lambda n: n == number),
        "lt": (lambda: graph.lt(leaf, number), lambda n: n < number),
        "le": (lambda: graph.le(number, leaf), lambda n: number <= n),
        "where": (lambda: graph.where(graph.lt(leaf, low + 5), number, leaf), lambda n: number if n < low + 5 else n),
    }[name]
    value = made()
    width = width_for([value, leaf])
    assert run(value, [leaf], samples, width) == [int(expected(n)) for (n,) in samples]


@pytest.mark.parametrize(
    ("high", "width"), [(126, np.int8), (127, np.int16), (32_766, np.int16), (32_767, np.int32), (1 << 31, np.int64)]
)
def test_the_narrowest_width_is_chosen(high, width):
    assert width_for([Graph().leaf("n", False, 0, high)]) is width
    assert width_for([Graph().leaf("n", False, -high - 1, 0)]) is width


def test_a_value_on_the_way_counts():
    graph = Graph()
    leaf = graph.leaf("n", False, 0, 100)
    assert width_for([graph.le(graph.mul(leaf, leaf), 50)]) is np.int16


def test_more_than_64_bits_is_an_error():
    graph = Graph()
    leaf = graph.leaf("n", False, 0, 1 << 40)
    with pytest.raises(BadModel, match="64 bits"):
        width_for([graph.mul(leaf, leaf)])


def test_a_constant_output_comes_as_it_is():
    assert Program([True, 7, False], np.int8).run(lambda leaf: None) == [True, 7, False]


def test_temporaries_and_masks_are_dropped_but_outputs_kept():
    graph = Graph()
    leaf, flag = graph.leaf("n", False, 0, 9), graph.leaf("b", True, 0, 1)
    inner = graph.where(flag, leaf, 3)
    outer = graph.where(flag, graph.mul(inner, 2), leaf)
    program = Program([inner, outer, flag], np.int8)
    columns = {leaf: np.array([5, 6], np.int8), flag: np.array([1, 0], np.int8)}
    first, second, third = program.run(lambda node: columns[node])
    assert (first.tolist(), second.tolist(), third.tolist()) == ([5, 3], [10, 6], [True, False])
    assert isinstance(inner, Node)
