"""Terms: a graph read with every leaf a constant of the solver.

For bounded checking everything is a bit-vector of one width. For proofs, lengths are unbounded integers, and what can
only have a few values (slots, positions, phases) is a small bit-vector, which the solver decides by cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import z3

from checker.symbolic.node import Node, Value, bounds, order, reach

Term = Any
"""A z3 expression: z3 has no type annotations."""

FEWEST, FEW = 4, 5
"""Bits of a value that can only have a few values: -16..15, or -8..7 where every value of that kind is among these."""


def bits_for(values: Sequence[Value]) -> int:
    """Return the width of signed bit-vectors that hold every value that computing `values` passes through."""
    return int(reach(values)).bit_length() + 1


def few_for(leaves: Iterable[Node]) -> int:
    """Return how many bits the leaves of few values need in a proof: each bit less makes it quicker."""
    few = [leaf for leaf in leaves if _fits(leaf, FEW)]
    return FEWEST if all(_fits(leaf, FEWEST) for leaf in few) else FEW


class Terms:
    """Translates values of one graph; shared nodes become shared terms. `bits` None: for proofs, with `few` bits."""

    def __init__(self, bits: int | None, few: int = FEW) -> None:
        self.bits = bits
        self.few = few
        self._known: dict[Node, Term] = {}
        self._width: dict[Node, int | None] = {}
        self._build: dict[str, Callable[..., Term]] = {
            "not": z3.Not,
            "and": z3.And,
            "or": z3.Or,
            "same": lambda a, b: a == b,
            "eq": lambda a, b: a == b,
            "le": lambda a, b: a <= b,
            "where": z3.If,
            "if": z3.If,
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "mod": lambda a, b: a % b,
            "div": _floored,
        }

    def width(self, value: Value) -> int | None:
        """Return the bits of an integer's term; None: it is an unbounded integer."""
        if self.bits is not None:
            return self.bits
        if not isinstance(value, Node):
            return self.few if _fits(value, self.few) else None
        if value not in self._width:
            inner = [arg for arg in value.args if not (isinstance(arg, Node) and arg.is_bool)]
            few = _fits(value, self.few) and all(self.width(arg) is not None for arg in inner)
            self._width[value] = self.few if few else None
        return self._width[value]

    def number(self, value: int, width: int | None) -> Term:
        """Return a whole number as a term of a width."""
        return z3.IntVal(value) if width is None else z3.BitVecVal(value, width)

    def constant(self, name: str, node: Node) -> Term:
        """Return a new constant of the solver for values like those of a leaf."""
        if node.is_bool:
            return z3.Bool(name)
        width = self.width(node)
        return z3.Int(name) if width is None else z3.BitVec(name, width)

    def __contains__(self, node: Node) -> bool:
        return node in self._known

    def leaf(self, node: Node, name: str) -> Term:
        """Make a leaf of the graph a constant of the solver."""
        term = self._known[node] = self.constant(name, node)
        return term

    def typed(self, node: Node) -> Term:
        """Return that a leaf lies in its declared range: the graph takes that for granted when it simplifies."""
        if node.is_bool:
            return z3.BoolVal(True)
        width = self.width(node)
        return z3.And(self.of(node) >= self.number(node.low, width), self.of(node) <= self.number(node.high, width))

    def of(self, value: Value) -> Term:
        """Return a value as a term; its leaves must have been made constants before."""
        if not isinstance(value, Node):
            return z3.BoolVal(value) if isinstance(value, bool) else self.number(value, self.width(value))
        if value not in self._known:
            for node in order([value]):
                if node not in self._known:
                    self._known[node] = self._operation(node)
        return self._known[value]

    def _operation(self, node: Node) -> Term:
        if node.op == "int":
            width = self.width(node)
            return z3.If(self._known[node.args[0]], self.number(1, width), self.number(0, width))  # type: ignore[index]
        numbers = [arg for arg in node.args if not _is_bool(arg)]
        widths = {self.width(arg) for arg in numbers} | (set() if node.is_bool else {self.width(node)})
        width = None if None in widths else next(iter(widths), None)
        return self._build[node.op](*[self._argument(arg, width) for arg in node.args])

    def _argument(self, arg: Value, width: int | None) -> Term:
        if _is_bool(arg):
            return self._known[arg] if isinstance(arg, Node) else z3.BoolVal(arg)
        if not isinstance(arg, Node):
            return self.number(arg, width)
        term = self._known[arg]
        if width is None and self.width(arg) is not None:
            # A value of few cases, where an unbounded one is needed: one case after the other.
            wide = z3.IntVal(arg.high)
            for value in range(arg.low, arg.high):
                wide = z3.If(term == value, z3.IntVal(value), wide)
            return wide
        return term


def _floored(a: Term, b: Term) -> Term:
    """Return a // b as Python rounds it, for a positive b."""
    # Integers of the solver are rounded down for a positive b. Bit-vectors are cut off towards 0, and nothing on the
    # way may be further from 0 than a is: it would be out of their range.
    return z3.If(a < 0, (a + 1) / b - 1, a / b) if z3.is_bv(a) else a / b


def _is_bool(value: Value) -> bool:
    return value.is_bool if isinstance(value, Node) else isinstance(value, bool)


def _fits(value: Value, bits: int) -> bool:
    return all(-(1 << bits - 1) <= end < 1 << bits - 1 for end in bounds(value))
