"""Folding and ranges of the graph, against plain Python on random expressions: no rule may change a value."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.symbolic.graph import Graph
from checker.symbolic.node import Node, bounds, order

# Small ranges, some of one value, some all negative: rules that look at ranges have something to decide.
RANGES = ((-3, 4), (0, 2), (5, 5), (-6, -1), (0, 1))
BOOLS = 2

NATIVE = {
    "not_": lambda a: not a,
    "and_": lambda a, b: bool(a and b),
    "or_": lambda a, b: bool(a or b),
    "eq": lambda a, b: a == b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mod": lambda a, b: a % b,
    "div": lambda a, b: a // b,
    "int_": int,
    "truth": bool,
    "where": lambda condition, a, b: a if condition else b,
}


@st.composite
def trees(draw, kind, depth):
    """A random expression as nested tuples: a leaf's number, a constant, or an operation."""
    leaf = st.integers(0, len(RANGES) - 1) if kind == "int" else st.integers(len(RANGES), len(RANGES) + BOOLS - 1)
    constant = st.integers(-3, 6) if kind == "int" else st.booleans()
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.one_of(leaf.map(lambda n: ("leaf", n)), constant.map(lambda c: ("constant", c))))
    number, truth = trees("int", depth - 1), trees("bool", depth - 1)
    either = st.one_of(number, truth)
    if kind == "bool":
        options = [
            st.tuples(st.just("not_"), truth),
            st.tuples(st.sampled_from(["and_", "or_"]), truth, truth),
            st.tuples(st.sampled_from(["eq", "lt", "le"]), number, number),
            st.tuples(st.just("eq"), either, either),
            st.tuples(st.just("where"), truth, truth, truth),
            st.tuples(st.just("truth"), number),
        ]
    else:
        positive = st.integers(1, 5).map(lambda c: ("constant", c))
        options = [
            st.tuples(st.sampled_from(["add", "sub", "mul"]), either, either),
            st.tuples(st.sampled_from(["mod", "div"]), number, positive),
            st.tuples(st.just("where"), truth, number, number),
            st.tuples(st.just("where"), truth, either, number),
            st.tuples(st.just("int_"), either),
        ]
    return draw(st.one_of(options))


def new_leaves(graph):
    leaves = [graph.leaf(f"n{number}", False, low, high) for number, (low, high) in enumerate(RANGES)]
    return leaves + [graph.leaf(f"b{number}", True, 0, 1) for number in range(BOOLS)]


def build(tree, graph, leaves):
    if tree[0] == "leaf":
        return leaves[tree[1]]
    if tree[0] == "constant":
        return tree[1]
    return getattr(graph, tree[0])(*[build(part, graph, leaves) for part in tree[1:]])


def natively(tree, values):
    if tree[0] == "leaf":
        return values[tree[1]]
    if tree[0] == "constant":
        return tree[1]
    return NATIVE[tree[0]](*[natively(part, values) for part in tree[1:]])


def compute(roots, leaves, values):
    """Every node's value, by the node's own operation alone: what a reading of the graph does."""
    known = dict(zip(leaves, values, strict=True))
    steps = {
        "not": NATIVE["not_"],
        "and": NATIVE["and_"],
        "or": NATIVE["or_"],
        "same": NATIVE["eq"],
        "if": NATIVE["where"],
        "int": int,
    }
    for node in order(roots):
        if node.op != "leaf":
            args = [known[arg] if isinstance(arg, Node) else arg for arg in node.args]
            known[node] = (steps.get(node.op) or NATIVE[node.op])(*args)
    return known


VALUES = st.tuples(*[st.integers(low, high) for low, high in RANGES], *[st.booleans()] * BOOLS)


@given(tree=st.one_of(trees("int", 4), trees("bool", 4)), samples=st.lists(VALUES, min_size=3, max_size=12))
def test_folding_changes_no_value_and_ranges_hold(tree, samples):
    graph = Graph()
    leaves = new_leaves(graph)
    value = build(tree, graph, leaves)
    for values in samples:
        known = compute([value], leaves, values)
        result = known[value] if isinstance(value, Node) else value
        assert result == natively(tree, values)
        for node in order([value]):
            low, high = bounds(node)
            assert low <= known[node] <= high, node
            assert node.is_bool == isinstance(known[node], bool), node


@given(tree=st.one_of(trees("int", 3), trees("bool", 3)), values=VALUES)
def test_constants_fold_to_a_constant(tree, values):
    result = build(tree, Graph(), list(values))
    assert not isinstance(result, Node)
    assert result == natively(tree, values)


@given(tree=st.one_of(trees("int", 4), trees("bool", 4)), values=VALUES, chosen=st.sets(st.integers(0, 6)))
def test_substitution_is_evaluation_in_parts(tree, values, chosen):
    graph = Graph()
    leaves = new_leaves(graph)
    known = {leaves[number]: values[number] for number in chosen}
    [value] = graph.substitute([build(tree, graph, leaves)], known)
    assert not set(known) & set(order([value]))
    result = compute([value], leaves, values)[value] if isinstance(value, Node) else value
    assert result == natively(tree, values)


def test_equal_expressions_are_one_node():
    graph = Graph()
    a, b, *_ = new_leaves(graph)
    assert graph.add(a, b) is graph.add(a, b)
    assert graph.eq(a, b) is graph.eq(b, a)
    assert graph.and_(graph.le(a, b), graph.eq(a, b)) is graph.and_(graph.eq(a, b), graph.le(a, b))


def test_a_contradiction_folds():
    graph = Graph()
    a, b, *_ = new_leaves(graph)
    same = graph.eq(a, b)
    assert graph.and_(same, graph.not_(same)) is False
    assert graph.or_(same, graph.not_(same)) is True


def test_what_a_range_decides_folds():
    graph = Graph()
    low, high = graph.leaf("low", False, 0, 3), graph.leaf("high", False, 3, 9)
    assert graph.le(low, high) is True
    assert graph.lt(high, low) is False
    assert graph.eq(low, 4) is False


@pytest.mark.parametrize("name", ["mod", "div"])
@pytest.mark.parametrize("divisor", [0, -2, None])
def test_only_positive_numbers_divide(name, divisor):
    graph = Graph()
    a, b, *_ = new_leaves(graph)
    with pytest.raises(ValueError, match="positive number"):
        getattr(graph, name)(a, b if divisor is None else divisor)


def test_a_node_has_no_truth_value():
    with pytest.raises(TypeError):
        bool(new_leaves(Graph())[0])


def test_division_is_pythons_on_every_small_number():
    for a, b in itertools.product(range(-9, 10), range(1, 6)):
        graph = Graph()
        leaf = graph.leaf("n", False, a, a)
        assert graph.div(leaf, b) == a // b
        assert bounds(graph.mod(leaf, b)) == (a % b, a % b) or bounds(graph.mod(leaf, b)) == (0, b - 1)


def operations(graph, a, b):
    """Each operation on two leaves, with what Python makes of two numbers."""
    for name in ("add", "sub", "mul", "eq", "lt", "le"):
        yield getattr(graph, name)(a, b), NATIVE[name]
    for divisor in (1, 2, 3, 4, 7):
        yield graph.mod(a, divisor), lambda x, y, divisor=divisor: x % divisor
        yield graph.div(a, divisor), lambda x, y, divisor=divisor: x // divisor
    yield graph.where(graph.le(a, b), a, b), lambda x, y: x if x <= y else y


@pytest.mark.parametrize(("first", "second"), list(itertools.product(RANGES, RANGES)))
def test_every_operation_on_every_pair_of_ranges(first, second):
    graph = Graph()
    a, b = graph.leaf("a", False, *first), graph.leaf("b", False, *second)
    for value, expected in operations(graph, a, b):
        low, high = bounds(value)
        for x, y in itertools.product(range(first[0], first[1] + 1), range(second[0], second[1] + 1)):
            result = compute([value], [a, b], [x, y])[value] if isinstance(value, Node) else value
            assert result == expected(x, y)
            assert low <= result <= high


def test_truths_are_compared_as_numbers():
    graph = Graph()
    truth, number = graph.leaf("t", True, 0, 1), graph.leaf("n", False, -1, 1)
    for value in (graph.le(truth, number), graph.lt(number, truth), graph.eq(truth, number), graph.add(truth, number)):
        used = [arg for node in order([value]) if node.op != "int" for arg in node.args]
        assert not [arg for arg in used if isinstance(arg, Node) and arg.is_bool and arg.op == "leaf"]
