"""A graph and a store that notice names: where one is used as a number, and where one is kept that does not belong."""

from __future__ import annotations

from collections.abc import Callable

from checker.model.layout import Leaf
from checker.symbolic.graph import Graph
from checker.symbolic.naming import MARKED, PLAIN, Member, Names, Size, size
from checker.symbolic.node import Node, Value
from checker.symbolic.store import Store
from checker.symbolic.values import Held


class NamedGraph(Graph):
    """A graph that notes in `names` where a name is used as a number.

    Nearly all that a walk computes has nothing to do with names: what has is found by a look into two sets.
    """

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names
        self.of = names.of

    def truth(self, a: Held) -> Value:
        """Return whether Python takes a value for true."""
        if a in self.of or a.__class__ in MARKED:
            self.names.used("takes as a condition", a)
            self.names.counted(a)
        return super().truth(a)

    def eq(self, a: Value, b: Value) -> Value:
        """Return whether two values are equal."""
        if a in self.of or b in self.of or a.__class__ in MARKED or b.__class__ in MARKED:
            self.names.compared(a, b)
            self.names.counted(a, b)
            return self._unheard(super().eq, a, b)
        return super().eq(a, b)

    def le(self, a: Value, b: Value) -> Value:
        """Return whether a <= b."""
        if a in self.of or b in self.of or a.__class__ in MARKED or b.__class__ in MARKED:
            self.names.used("orders by", a, b)
            self.names.counted(a, b)
            return self._unheard(super().le, a, b)
        return super().le(a, b)

    def add(self, a: Value, b: Value) -> Value:
        """Return a + b; a number made of how many members there are still knows of what."""
        if a in self.of or b in self.of or a.__class__ in MARKED or b.__class__ in MARKED:
            self.names.used("adds to", a, b)
            result = self._unheard(super().add, a, b)
            counts = a if isinstance(a, Size) else b if isinstance(b, Size) else None
            return result if counts is None or isinstance(result, Node) else size(counts.sort, result)
        return super().add(a, b)

    def sub(self, a: Value, b: Value) -> Value:
        """Return a - b."""
        if isinstance(a, Size) and b.__class__ is int:
            return size(a.sort, a - b)
        return self._arithmetic("subtracts", super().sub, a, b)

    def mul(self, a: Value, b: Value) -> Value:
        """Return a * b."""
        return self._arithmetic("multiplies", super().mul, a, b)

    def mod(self, a: Value, b: Value) -> Value:
        """Return a % b."""
        return self._arithmetic("divides", super().mod, a, b)

    def div(self, a: Value, b: Value) -> Value:
        """Return a // b."""
        return self._arithmetic("divides", super().div, a, b)

    def where(self, condition: Value, a: Value, b: Value) -> Value:
        """Return a where the condition holds, else b: a name if one of them is."""
        result = super().where(condition, a, b)
        if a in self.of or b in self.of or a.__class__ in MARKED or b.__class__ in MARKED:
            if isinstance(result, Node) and result.op == "where" and result not in self.of:
                kinds = self.names.kinds(result.args[1]) | self.names.kinds(result.args[2])
                if kinds - PLAIN:
                    self.of[result] = kinds
        return result

    def _arithmetic(self, how: str, function: Callable[[Value, Value], Value], a: Value, b: Value) -> Value:
        self.names.used(how, a, b)
        self.names.counted(a, b)
        return self._unheard(function, a, b)

    def _unheard(self, function: Callable[[Value, Value], Value], a: Value, b: Value) -> Value:
        """Return the value of an operation on plain numbers; what it does inside has been looked at outside."""
        before, self.names.listening = self.names.listening, False
        result = function(_plain(a), _plain(b))
        self.names.listening = before
        return result


def _plain(value: Value) -> Value:
    return int(value) if isinstance(value, (Member, Size)) else value


class NamedStore(Store):
    """A store that notes in its graph's `names` what is written to a field that is not declared for it."""

    graph: NamedGraph

    def write(self, leaf: Leaf, value: Value) -> None:
        """Set one leaf."""
        if leaf.index >= 0 and self.graph.names.listening:
            self.graph.names.kept(leaf, value)
        super().write(leaf, value)
