"""Terms: the reading of a graph in which every leaf is a solver constant, bit-vectors for bounds, integers for proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import z3

from checker.graph import Node, Value, order

Term = Any
"""A z3 expression: z3 has no type annotations."""


def bits_for(values: Iterable[Value]) -> int:
    """Return the width of signed bit-vectors that hold every value that computing `values` passes through."""
    reach = max((max(-node.low, node.high + 1) for node in order(values)), default=1)
    return int(reach).bit_length() + 1


class Terms:
    """Translates values of one graph; shared nodes become shared terms. `bits` None: unbounded integers."""

    def __init__(self, bits: int | None) -> None:
        self.bits = bits
        self._known: dict[Node, Term] = {}
        self._build: dict[str, Callable[..., Term]] = {
            "not": z3.Not,
            "and": z3.And,
            "or": z3.Or,
            "same": lambda a, b: a == b,
            "eq": lambda a, b: a == b,
            "le": lambda a, b: a <= b,
            "where": z3.If,
            "if": z3.If,
            "int": lambda a: z3.If(a, self.number(1), self.number(0)),
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "mod": lambda a, b: a % b,
            "div": self._div,
        }

    def number(self, value: int) -> Term:
        """Return a whole number as a term."""
        return z3.IntVal(value) if self.bits is None else z3.BitVecVal(value, self.bits)

    def constant(self, name: str, is_bool: bool) -> Term:
        """Return a new constant of the solver."""
        if is_bool:
            return z3.Bool(name)
        return z3.Int(name) if self.bits is None else z3.BitVec(name, self.bits)

    def leaf(self, node: Node, name: str) -> Term:
        """Make a leaf of the graph a constant of the solver."""
        term = self._known[node] = self.constant(name, node.is_bool)
        return term

    def _div(self, a: Term, b: Term) -> Term:
        # Both solver theories divide exactly when the remainder has been taken off first, as Python's // does.
        return (a - a % b) / b

    def of(self, value: Value) -> Term:
        """Return a value as a term; its leaves must have been made constants before."""
        if not isinstance(value, Node):
            return z3.BoolVal(value) if isinstance(value, bool) else self.number(value)
        if value not in self._known:
            for node in order([value]):
                if node not in self._known:
                    args = [self._argument(arg) for arg in node.args]
                    self._known[node] = self._build[node.op](*args)
        return self._known[value]

    def _argument(self, arg: Value) -> Term:
        if isinstance(arg, Node):
            return self._known[arg]
        return z3.BoolVal(arg) if isinstance(arg, bool) else self.number(arg)
