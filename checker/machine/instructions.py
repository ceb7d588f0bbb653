"""What the machine can do: each instruction computes one register of a block from up to three others.

A register holds one number for each of the 256 states of a block. A truth is a number with all bits set (-1) or none
(0), so that a choice is made with masks; a bool that is kept in a state, or counted, is 0 or 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

LANES: Final = 256
"""States in a block: what a program works on stays in the first two caches."""


class Opcode(IntEnum):
    """One for each instruction; T is the target, A, B and C are what it is computed from."""

    COPY = 0
    """T = A"""
    NOT = 1
    """T = not A, of truths"""
    AND = 2
    """T = A and B, of truths; A where the truth B holds and 0 elsewhere, of a number"""
    AND_NOT = 3
    """T = A and not B, the same way"""
    OR = 4
    """T = A or B, of truths"""
    SAME = 5
    """T = whether the truths A and B are the same"""
    CHOOSE = 6
    """T = B where the truth A holds, else C"""
    EQUAL = 7
    """T = whether A == B, of numbers"""
    AT_MOST = 8
    """T = whether A <= B"""
    ADD = 9
    """T = A + B"""
    SUBTRACT = 10
    """T = A - B"""
    MULTIPLY = 11
    """T = A * B"""
    NEGATE = 12
    """T = -A: a truth from a bool, and a bool from a truth"""
    REMAINDER = 13
    """T = A % B, as Python has it for a positive B"""
    QUOTIENT = 14
    """T = A // B, as Python has it for a positive B"""


class Instruction(NamedTuple):
    """One instruction, by the numbers of registers; what an opcode does not look at is 0."""

    opcode: Opcode
    target: int
    a: int
    b: int = 0
    c: int = 0


class Routine(NamedTuple):
    """A stretch of instructions: the first one, and the one after the last."""

    start: int
    end: int
