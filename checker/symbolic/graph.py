"""Expressions over the leaves of a state, shared and simplified as they are built.

One walk over a function's text (walk.py) yields one such graph; columns run it over whole frontiers, and a
solver reads it as terms. A value is a plain int or bool, or a Node. Equal expressions are the same Node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from checker.symbolic.node import Node, Value, bounds, is_bool, order


class Graph:
    """Builds values; every method folds constants and keeps ranges."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[tuple[object, ...], Node] = {}

    def _node(self, op: str, args: tuple[Value, ...], is_bool: bool, low: int, high: int) -> Node:
        # Part of an expression is what kind a number is: the name of a member (symbolic/naming.py) is no plain one.
        key = (op, *[arg.number if isinstance(arg, Node) else (arg, type(arg)) for arg in args])
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(op, args, is_bool, low, high, len(self.nodes))
            self.nodes.append(node)
        return node

    def leaf(self, name: str, is_bool: bool, low: int, high: int) -> Node:
        """Return a new input; its value lies in low..high."""
        if low > high:
            raise ValueError(f"{name} has no value at all in {low}..{high}")
        node = Node("leaf", (), is_bool, low, high, len(self.nodes))
        node.name = name
        self.nodes.append(node)
        return node

    # Booleans.

    def not_(self, a: Value) -> Value:
        """Return the negation."""
        if not isinstance(a, Node):
            return not a
        if a.op == "not":
            return a.args[0]
        return self._node("not", (a,), True, 0, 1)

    def and_(self, a: Value, b: Value) -> Value:
        """Return the conjunction."""
        if not isinstance(a, Node):
            return b if a else False
        if not isinstance(b, Node):
            return a if b else False
        if a is b:
            return a
        if self.not_(a) is b:
            return False
        if b.op == "and" and (b.args[0] is a or b.args[1] is a):
            return b
        if a.op == "and" and (a.args[0] is b or a.args[1] is b):
            return a
        return self._node("and", (a, b) if a.number < b.number else (b, a), True, 0, 1)

    def or_(self, a: Value, b: Value) -> Value:
        """Return the disjunction."""
        if not isinstance(a, Node):
            return True if a else b
        if not isinstance(b, Node):
            return True if b else a
        if a is b:
            return a
        if self.not_(a) is b:
            return True
        return self._node("or", (a, b) if a.number < b.number else (b, a), True, 0, 1)

    def all_of(self, values: Iterable[Value]) -> Value:
        """Return the conjunction of many."""
        result: Value = True
        for value in values:
            result = self.and_(result, value)
        return result

    def any_of(self, values: Iterable[Value]) -> Value:
        """Return the disjunction of many."""
        result: Value = False
        for value in values:
            result = self.or_(result, value)
        return result

    # Comparisons.

    def eq(self, a: Value, b: Value) -> Value:
        """Return whether two ints, or two bools, are equal."""
        if a is b:
            return True
        if is_bool(a) != is_bool(b):
            a, b = self.int_(a), self.int_(b)
        if not isinstance(a, Node) and not isinstance(b, Node):
            return a == b
        if not isinstance(a, Node) or (isinstance(b, Node) and a.number > b.number):
            a, b = b, a
        assert isinstance(a, Node)
        if a.is_bool and (isinstance(b, bool) or (isinstance(b, Node) and b.is_bool)):
            if not isinstance(b, Node):
                return a if b else self.not_(a)
            return self._node("same", (a, b), True, 0, 1)
        low, high = bounds(b)
        if high < a.low or low > a.high:
            return False
        pushed = self._through(a, b, self.eq)
        return self._node("eq", (a, b), True, 0, 1) if pushed is None else pushed

    def _through(self, a: Value, b: Value, compare: Callable[[Value, Value], Value]) -> Value | None:
        """Compare inside a `where` one of whose sides is a number: most of these fold."""
        if isinstance(a, Node) and a.op == "where" and not isinstance(b, Node):
            condition, yes, no = a.args
            if not isinstance(yes, Node) or not isinstance(no, Node):
                return self.where(condition, compare(yes, b), compare(no, b))
        return None

    def lt(self, a: Value, b: Value) -> Value:
        """Return whether a < b."""
        return self.not_(self.le(b, a))

    def le(self, a: Value, b: Value) -> Value:
        """Return whether a <= b; of a bool whether its number is."""
        a, b = self.int_(a), self.int_(b)
        (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
        if a_high <= b_low:
            return True
        if a_low > b_high or a is b:
            return a is b
        pushed = self._through(a, b, self.le)
        if pushed is None:
            pushed = self._through(b, a, lambda yes, other: self.le(other, yes))
        return self._node("le", (a, b), True, 0, 1) if pushed is None else pushed

    # Choice.

    def where(self, condition: Value, a: Value, b: Value) -> Value:
        """Return a where the condition holds, else b; both ints or both bools."""
        if not isinstance(condition, Node):
            return a if condition else b
        if a is b:
            return a
        if condition.op == "not":
            inner = condition.args[0]
            assert isinstance(inner, Node)
            condition, a, b = inner, b, a
        if is_bool(a) and is_bool(b):
            return self._where_bool(condition, a, b)
        a, b = self.int_(a), self.int_(b)
        if isinstance(a, Node) and a.op == "where" and a.args[0] is condition:
            a = a.args[1]
        if isinstance(b, Node) and b.op == "where" and b.args[0] is condition:
            b = b.args[2]
        if a is b or (not isinstance(a, Node) and not isinstance(b, Node) and a == b):
            return a
        (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
        return self._node("where", (condition, a, b), False, min(a_low, b_low), max(a_high, b_high))

    def _where_bool(self, condition: Node, a: Value, b: Value) -> Value:
        if not isinstance(a, Node):
            return self.or_(condition, b) if a else self.and_(self.not_(condition), b)
        if not isinstance(b, Node):
            return self.or_(self.not_(condition), a) if b else self.and_(condition, a)
        return self._node("if", (condition, a, b), True, 0, 1)

    def int_(self, a: Value) -> Value:
        """Return a bool as 0 or 1; an int is itself."""
        if not isinstance(a, Node):
            return int(a) if a.__class__ is bool else a
        return self._node("int", (a,), False, 0, 1) if a.is_bool else a

    def truth(self, a: object) -> Value:
        """Return whether Python takes a value for true: of an int, whether it is not 0; a bool is itself."""
        if not isinstance(a, Node):
            return bool(a)
        return a if a.is_bool else self.not_(self.eq(a, 0))

    # Arithmetic.

    def add(self, a: Value, b: Value) -> Value:
        """Return a + b."""
        a, b = self.int_(a), self.int_(b)
        if not isinstance(a, Node):
            a, b = b, a
        if not isinstance(a, Node):
            return a + b  # type: ignore[operator]
        if not isinstance(b, Node):
            if b == 0:
                return a
            if a.op == "add" and not isinstance(a.args[1], Node):
                return self.add(a.args[0], a.args[1] + b)
            if a.op == "where" and not (isinstance(a.args[1], Node) and isinstance(a.args[2], Node)):
                return self.where(a.args[0], self.add(a.args[1], b), self.add(a.args[2], b))
        low, high = bounds(b)
        return self._node("add", (a, b), False, a.low + low, a.high + high)

    def sub(self, a: Value, b: Value) -> Value:
        """Return a - b."""
        a, b = self.int_(a), self.int_(b)
        if not isinstance(b, Node):
            return self.add(a, -b)
        if a is b:
            return 0
        if isinstance(a, Node) and a.op == "add" and a.args[0] is b:
            return a.args[1]
        (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
        return self._node("sub", (a, b), False, a_low - b_high, a_high - b_low)

    def mul(self, a: Value, b: Value) -> Value:
        """Return a * b."""
        a, b = self.int_(a), self.int_(b)
        if not isinstance(a, Node) and not isinstance(b, Node):
            return a * b
        corners = [x * y for x in bounds(a) for y in bounds(b)]
        return self._node("mul", (a, b), False, min(corners), max(corners))

    def mod(self, a: Value, b: Value) -> Value:
        """Return a % b as Python defines it, for a positive number b."""
        a, b = self.int_(a), self.int_(b)
        if isinstance(b, Node) or b <= 0:
            raise ValueError("the right side of % must be a positive number, not a value of the state")
        low, high = bounds(a)
        if not isinstance(a, Node):
            return a % b
        if low // b == high // b:
            return self.add(a, -(low // b) * b)
        return self._node("mod", (a, b), False, 0, b - 1)

    def div(self, a: Value, b: Value) -> Value:
        """Return a // b as Python defines it, for a positive number b."""
        a, b = self.int_(a), self.int_(b)
        if isinstance(b, Node) or b <= 0:
            raise ValueError("the right side of // must be a positive number, not a value of the state")
        low, high = bounds(a)
        if low // b == high // b:
            return low // b
        return self._node("div", (a, b), False, low // b, high // b)

    def substitute(self, values: Iterable[Value], known: dict[Node, Value]) -> list[Value]:
        """Return `values` with some leaves replaced, simplified again."""
        done: dict[Node, Value] = dict(known)
        build = {
            "not": self.not_,
            "and": self.and_,
            "or": self.or_,
            "same": self.eq,
            "eq": self.eq,
            "le": self.le,
            "where": self.where,
            "if": self.where,
            "int": self.int_,
            "add": self.add,
            "sub": self.sub,
            "mul": self.mul,
            "mod": self.mod,
            "div": self.div,
        }
        results: list[Value] = []
        for root in values:
            for node in order([root]):
                if node not in done:
                    args = [done[arg] if isinstance(arg, Node) else arg for arg in node.args]
                    done[node] = build[node.op](*args) if node.op != "leaf" else node  # type: ignore[operator]
            results.append(done[root] if isinstance(root, Node) else root)
        return results


def inside(graph: Graph, value: Value, values: Sequence[int]) -> Value:
    """Return whether a value is one of several; a range is two comparisons."""
    if isinstance(values, range) and values.step == 1:
        return graph.and_(graph.le(values.start, value), graph.lt(value, values.stop))
    return graph.any_of(graph.eq(value, number) for number in values)
