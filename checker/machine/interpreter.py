"""The interpreter: runs a stretch of instructions on one block of states."""

from __future__ import annotations

from checker.machine.arrays import Code, Lanes
from checker.machine.instructions import LANES, Opcode
from checker.machine.native import kernel

COPY, NOT, AND, AND_NOT, OR = (int(it) for it in (Opcode.COPY, Opcode.NOT, Opcode.AND, Opcode.AND_NOT, Opcode.OR))
SAME, CHOOSE, EQUAL, AT_MOST = (int(it) for it in (Opcode.SAME, Opcode.CHOOSE, Opcode.EQUAL, Opcode.AT_MOST))
ADD, SUBTRACT, MULTIPLY, NEGATE = (int(it) for it in (Opcode.ADD, Opcode.SUBTRACT, Opcode.MULTIPLY, Opcode.NEGATE))
REMAINDER = int(Opcode.REMAINDER)


@kernel
def run(code: Code, start: int, end: int, registers: Lanes) -> None:
    """Run the instructions from `start` to `end`; every loop is over one block, and becomes a few vector operations."""
    for at in range(start, end):
        opcode = code[at, 0]
        target, a, b = registers[code[at, 1]], registers[code[at, 2]], registers[code[at, 3]]
        if opcode == AND:
            for i in range(LANES):
                target[i] = a[i] & b[i]
        elif opcode == CHOOSE:
            c = registers[code[at, 4]]
            for i in range(LANES):
                target[i] = c[i] ^ ((b[i] ^ c[i]) & a[i])
        elif opcode == OR:
            for i in range(LANES):
                target[i] = a[i] | b[i]
        elif opcode == NOT:
            for i in range(LANES):
                target[i] = ~a[i]
        elif opcode == EQUAL:
            for i in range(LANES):
                target[i] = -(a[i] == b[i])
        elif opcode == AT_MOST:
            for i in range(LANES):
                target[i] = -(a[i] <= b[i])
        elif opcode == AND_NOT:
            for i in range(LANES):
                target[i] = a[i] & ~b[i]
        elif opcode == NEGATE:
            for i in range(LANES):
                target[i] = -a[i]
        elif opcode == ADD:
            for i in range(LANES):
                target[i] = a[i] + b[i]
        elif opcode == SUBTRACT:
            for i in range(LANES):
                target[i] = a[i] - b[i]
        elif opcode == COPY:
            for i in range(LANES):
                target[i] = a[i]
        elif opcode == SAME:
            for i in range(LANES):
                target[i] = ~(a[i] ^ b[i])
        elif opcode == MULTIPLY:
            for i in range(LANES):
                target[i] = a[i] * b[i]
        elif opcode == REMAINDER:
            for i in range(LANES):
                target[i] = a[i] % b[i]
        else:
            for i in range(LANES):
                target[i] = a[i] // b[i]
