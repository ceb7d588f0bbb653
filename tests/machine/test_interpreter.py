"""Instructions: what each computes, that what is assembled from them is what the graph says, and broken ones seen."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import checker.machine.assembler
import checker.search.bfs
from checker.machine import store
from checker.machine.assembler import Assembler, Output
from checker.machine.instructions import LANES, Instruction, Opcode
from checker.machine.job import Stretch
from checker.search.audit import Disagreement
from checker.search.perform import run
from checker.search.suite import CANARY
from checker.symbolic.columns import Program, width_for
from checker.symbolic.graph import Graph
from checker.symbolic.node import Node
from tests.symbolic.test_graph import BOOLS, RANGES, VALUES, build, new_leaves, trees

TRUTH = {True: -1, False: 0}
MEANING = {
    Opcode.COPY: lambda a, b, c: a,
    Opcode.NOT: lambda a, b, c: ~a,
    Opcode.AND: lambda a, b, c: a & b,
    Opcode.AND_NOT: lambda a, b, c: a & ~b,
    Opcode.OR: lambda a, b, c: a | b,
    Opcode.SAME: lambda a, b, c: ~(a ^ b),
    Opcode.CHOOSE: lambda a, b, c: b if a else c,
    Opcode.EQUAL: lambda a, b, c: TRUTH[a == b],
    Opcode.AT_MOST: lambda a, b, c: TRUTH[a <= b],
    Opcode.ADD: lambda a, b, c: a + b,
    Opcode.SUBTRACT: lambda a, b, c: a - b,
    Opcode.MULTIPLY: lambda a, b, c: a * b,
    Opcode.NEGATE: lambda a, b, c: -a,
    Opcode.REMAINDER: lambda a, b, c: a % b,
    Opcode.QUOTIENT: lambda a, b, c: a // b,
}
# Another instruction in the place of each, as a slip would put it there.
MISTAKEN = {
    Opcode.COPY: Opcode.NEGATE,
    Opcode.NOT: Opcode.COPY,
    Opcode.AND: Opcode.OR,
    Opcode.AND_NOT: Opcode.AND,
    Opcode.OR: Opcode.AND,
    Opcode.SAME: Opcode.OR,
    Opcode.CHOOSE: Opcode.AND,
    Opcode.EQUAL: Opcode.AT_MOST,
    Opcode.AT_MOST: Opcode.EQUAL,
    Opcode.ADD: Opcode.SUBTRACT,
    Opcode.SUBTRACT: Opcode.ADD,
    Opcode.MULTIPLY: Opcode.ADD,
    Opcode.NEGATE: Opcode.COPY,
    Opcode.REMAINDER: Opcode.QUOTIENT,
    Opcode.QUOTIENT: Opcode.REMAINDER,
}


def interpret(code, registers):
    store.kernels(registers.dtype.name).call("interpret", Stretch(code, registers, np.array([0, len(code)])))


def test_every_instruction_is_tried_and_mistaken():
    assert set(MEANING) == set(MISTAKEN) == set(Opcode)
    assert all(right != wrong for right, wrong in MISTAKEN.items())


@pytest.mark.parametrize("opcode", Opcode, ids=lambda it: it.name)
def test_an_instruction_computes_what_it_says_on_every_lane(opcode):
    dice = np.random.default_rng(int(opcode))
    registers = dice.integers(-11, 12, (4, LANES)).astype(np.int8)
    if opcode in (Opcode.REMAINDER, Opcode.QUOTIENT):
        registers[1] = dice.integers(1, 6, LANES)
    if opcode == Opcode.CHOOSE:
        registers[0] = -dice.integers(0, 2, LANES)
    operands = registers[:3].tolist()
    interpret(np.array([Instruction(opcode, 3, 0, 1, 2)], np.int32), registers)
    assert registers[3].tolist() == [MEANING[opcode](*lane) for lane in zip(*operands, strict=True)]
    assert registers[:3].tolist() == operands


def assembled(values, leaves, rows, width):
    """What the machine makes of some values: a truth as 0 or 1."""
    place = {leaf: number for number, leaf in enumerate(leaves)}
    first = len(leaves)
    assembler = Assembler(first + len(values))
    outputs = [Output(value, first + number, as_number=True) for number, value in enumerate(values)]
    routine = assembler.assemble(outputs, place.__getitem__)
    assert (routine.start, routine.end) == (0, len(assembler.code))
    registers = assembler.registers(width)
    for number, column in enumerate(zip(*rows, strict=True)):
        registers[number, : len(rows)] = column
    interpret(assembler.table(), registers)
    return registers[first : first + len(values), : len(rows)].tolist()


@settings(max_examples=200)
@given(
    made=st.lists(st.one_of(trees("int", 4), trees("bool", 4)), min_size=1, max_size=3),
    rows=st.lists(VALUES, min_size=1, max_size=12),
)
def test_values_are_what_the_columns_compute(made, rows):
    graph = Graph()
    leaves = new_leaves(graph)
    values = [build(tree, graph, leaves) for tree in made]
    assume(width_for([*values, *leaves]) is np.int8)
    columns = {leaf: np.array(column) for leaf, column in zip(leaves, zip(*rows, strict=True), strict=True)}
    columns = {leaf: column.astype(bool if leaf.is_bool else np.int8) for leaf, column in columns.items()}
    computed = Program(values, np.int8).run(lambda leaf: columns[leaf].view(np.int8))
    expected = [np.broadcast_to(np.asarray(column).astype(int), len(rows)).tolist() for column in computed]
    assert assembled(values, leaves, rows, np.int8) == expected


def test_a_register_is_used_again_once_nothing_needs_what_it_holds():
    graph = Graph()
    leaves = [graph.leaf(f"n{number}", False, 0, 9) for number in range(20)]
    total = leaves[0]
    for leaf in leaves[1:]:
        total = graph.add(total, leaf)
    assembler = Assembler(21)
    assembler.assemble([Output(total, 20)], {leaf: number for number, leaf in enumerate(leaves)}.__getitem__)
    assert assembler.size - 21 == 2
    assert isinstance(total, Node)
    assert len(RANGES) + BOOLS == len(new_leaves(Graph()))


def test_a_constant_has_one_register_for_all_programs():
    graph = Graph()
    leaf = graph.leaf("n", False, 0, 9)
    assembler = Assembler(2)
    for _ in range(2):
        assembler.assemble([Output(graph.add(leaf, 7), 1)], {leaf: 0}.__getitem__)
    assert list(assembler.constants) == [7]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("opcode", Opcode, ids=lambda it: it.name)
def test_no_verdict_stands_with_a_broken_instruction(opcode, monkeypatch):
    monkeypatch.setattr(checker.search.bfs, "FEW", 0)
    table = Assembler.table

    def broken(self):
        code = table(self)
        code[code[:, 0] == opcode, 0] = MISTAKEN[opcode]
        return code

    with patch.object(checker.machine.assembler.Assembler, "table", broken):
        try:
            assert not run(CANARY).as_expected
        except Disagreement:
            return
