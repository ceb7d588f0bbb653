"""Assembles values of a graph: every node becomes an instruction, and every value a register for as long as it is used.

Registers are numbered once for all programs of a model. Some are places: leaves of the state before and after,
parameters, and what a program leaves for whoever runs it. The rest are handed out as they are needed: one for each
constant, for good, and those of what is computed on the way, which are used again after its last use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from checker.machine.arrays import Code, Lanes
from checker.machine.instructions import LANES, Instruction, Opcode, Routine
from checker.symbolic.node import Node, Value, order

_PLAIN: Final = {
    "not": Opcode.NOT,
    "and": Opcode.AND,
    "or": Opcode.OR,
    "same": Opcode.SAME,
    "eq": Opcode.EQUAL,
    "le": Opcode.AT_MOST,
    "if": Opcode.CHOOSE,
    "int": Opcode.NEGATE,
    "add": Opcode.ADD,
    "sub": Opcode.SUBTRACT,
    "mul": Opcode.MULTIPLY,
    "div": Opcode.QUOTIENT,
}
"""The operations that are one instruction on the same operands."""


class Output(NamedTuple):
    """What a program leaves: a value, in a place of its own."""

    value: Value
    place: int
    as_number: bool = False
    """Whether a truth is left as 0 or 1, as states keep it."""


Load = Callable[[Node], int]
"""Says in which place a leaf is found."""


class Assembler:
    """Assembles the programs of one model."""

    def __init__(self, places: int) -> None:
        """Begin; registers below `places` are the caller's."""
        self.size = places
        """Registers in use."""
        self.code: list[Instruction] = []
        self.constants: dict[int, int] = {}
        """The register of each constant; -1 and 0 stand for the truths as well."""
        self._free: list[int] = []

    def assemble(self, outputs: Sequence[Output], load: Load) -> Routine:
        """Return the program that computes some outputs."""
        start = len(self.code)
        self.code += _Assembly(self, outputs, load).instructions()
        return Routine(start, len(self.code))

    def constant(self, value: Value) -> int:
        """Return the register of a constant."""
        assert not isinstance(value, Node)
        number = -int(value) if isinstance(value, bool) else int(value)
        if number not in self.constants:
            self.constants[number] = self._new()
        return self.constants[number]

    def take(self) -> int:
        """Return a register that nobody uses."""
        return self._free.pop() if self._free else self._new()

    def give_back(self, register: int) -> None:
        """Let a register be used again."""
        self._free.append(register)

    def _new(self) -> int:
        self.size += 1
        return self.size - 1

    def table(self) -> Code:
        """Return all instructions as one array."""
        rows = [[*map(int, instruction)] for instruction in self.code]
        return np.array(rows, np.int32).reshape(len(rows), len(Instruction._fields))

    def registers(self, width: type[np.signedinteger]) -> Lanes:
        """Return the registers, with the constants in theirs."""
        made = np.zeros((self.size, LANES), width)
        for value, register in self.constants.items():
            made[register] = value
        return made


class _Assembly:
    """Assembles one program."""

    def __init__(self, assembler: Assembler, outputs: Sequence[Output], load: Load) -> None:
        self.assembler = assembler
        self.outputs = outputs
        self.load = load
        self.nodes = order([output.value for output in outputs])
        self.where: dict[int, int] = {}
        """The register of each node."""
        self.code: list[Instruction] = []
        self.last: dict[int, int] = {}
        """For each node the last one that is computed from it."""
        for node in self.nodes:
            for arg in node.args:
                if isinstance(arg, Node):
                    self.last[arg.number] = node.number
        self.kept = {output.value.number for output in outputs if isinstance(output.value, Node)}
        self.homes: dict[int, int] = {}
        """The place of each node that is computed where it is left."""
        for value, place, as_number in reversed(outputs):
            if isinstance(value, Node) and value.op != "leaf" and not (value.is_bool and as_number):
                self.homes[value.number] = place
        self.taken: set[int] = set()
        """The registers that this program has taken and not given back."""

    def instructions(self) -> list[Instruction]:
        """Return the instructions."""
        for node in self.nodes:
            if node.op == "leaf":
                self._leaf(node)
            else:
                self._operation(node)
                self._drop(node)
        for output in self.outputs:
            self._leave(output)
        for register in sorted(self.taken):
            self.assembler.give_back(register)
        return self.code

    def _emit(self, opcode: Opcode, target: int, *operands: int) -> None:
        self.code.append(Instruction(opcode, target, *operands))

    def _target(self, node: Node) -> int:
        if node.number in self.homes:
            return self.homes[node.number]
        register = self.assembler.take()
        self.taken.add(register)
        return register

    def _leaf(self, node: Node) -> None:
        place = self.load(node)
        if node.is_bool:
            self.where[node.number] = self._target(node)
            self._emit(Opcode.NEGATE, self.where[node.number], place)
        else:
            self.where[node.number] = place

    def _drop(self, node: Node) -> None:
        """Give back the registers that were last used for a node: its own is none of them, and must not be."""
        for number in sorted({arg.number for arg in node.args if isinstance(arg, Node)}):
            register = self.where[number]
            if self.last[number] == node.number and number not in self.kept and register in self.taken:
                self.taken.remove(register)
                self.assembler.give_back(register)

    def _register(self, value: Value) -> int:
        return self.where[value.number] if isinstance(value, Node) else self.assembler.constant(value)

    def _operation(self, node: Node) -> None:
        target = self.where[node.number] = self._target(node)
        if node.op == "where":
            self._where(node, target)
        elif node.op == "mod":
            self._mod(node, target)
        else:
            self._emit(_PLAIN[node.op], target, *map(self._register, node.args))

    def _where(self, node: Node, target: int) -> None:
        condition, yes, no = node.args
        if not isinstance(no, Node) and no == 0:
            self._emit(Opcode.AND, target, self._register(yes), self._register(condition))
        elif not isinstance(yes, Node) and yes == 0:
            self._emit(Opcode.AND_NOT, target, self._register(no), self._register(condition))
        else:
            self._emit(Opcode.CHOOSE, target, *map(self._register, node.args))

    def _mod(self, node: Node, target: int) -> None:
        a, modulus = node.args
        assert isinstance(modulus, int)
        if modulus & (modulus - 1) == 0:
            self._emit(Opcode.AND, target, self._register(a), self.assembler.constant(modulus - 1))
        else:
            self._emit(Opcode.REMAINDER, target, self._register(a), self._register(modulus))

    def _leave(self, output: Output) -> None:
        """Put an output in its place, unless it has been computed there."""
        value, place, as_number = output
        if as_number and not isinstance(value, Node):
            value = int(value)
        register = self._register(value)
        if isinstance(value, Node) and value.is_bool and as_number:
            self._emit(Opcode.NEGATE, place, register)
        elif register != place:
            self._emit(Opcode.COPY, place, register)
