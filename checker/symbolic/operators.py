"""The operators of the subset: what is computed of two values or more, with as much of it as Python would look at."""

from __future__ import annotations

import ast

from checker.symbolic.equality import equal
from checker.symbolic.expressions import Expressions
from checker.symbolic.frame import Frame
from checker.symbolic.node import Node, Value, is_bool
from checker.symbolic.store import Refused
from checker.symbolic.subset import ARITHMETIC, is_number
from checker.symbolic.values import Held


class Operators(Expressions):
    """Evaluates what has operands: and, or, not, arithmetic, comparisons, and the choice between two values."""

    def _bool_op(self, node: ast.BoolOp, frame: Frame) -> Held:
        conjunction = isinstance(node.op, ast.And)
        result = self.expression(node.values[0], frame)
        for part in node.values[1:]:
            truth = self.truth(result, part, frame)
            going = truth if conjunction else self.graph.not_(truth)
            if going is False:
                break
            value = self.where(going, part, frame)
            if not isinstance(going, Node):
                result = value
            elif is_bool(result) and is_bool(value):
                result = self.graph.and_(result, value) if conjunction else self.graph.or_(result, value)
            else:
                # Python's `and` and `or` return an operand, not its truth.
                result = self.either(going, value, result, node, frame)
        return result

    def _unary_op(self, node: ast.UnaryOp, frame: Frame) -> Held:
        value = self.expression(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return self.graph.not_(self.truth(value, node.operand, frame))
        if isinstance(node.op, ast.USub) and is_number(value):
            return self.graph.sub(0, value)
        raise Refused(f"the operator of {ast.unparse(node)}", "use not and -")

    def _bin_op(self, node: ast.BinOp, frame: Frame) -> Held:
        return self.binary(node.op, self.expression(node.left, frame), self.expression(node.right, frame))

    def binary(self, op: ast.operator, a: Held, b: Held) -> Held:
        """Return the value of an arithmetic operation."""
        name = ARITHMETIC.get(type(op))
        if isinstance(a, tuple) and isinstance(b, int) and name == "mul":
            return a * b
        if name is None or not is_number(a) or not is_number(b):
            raise Refused(f"this use of {type(op).__name__}", "use + - * // % on whole numbers")
        try:
            return getattr(self.graph, name)(a, b)
        except ValueError as error:
            raise Refused(str(error), "divide by a number of the scope") from None

    def _compare_chain(self, node: ast.Compare, frame: Frame) -> Held:
        result: Value = True
        left = self.expression(node.left, frame)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.where(result, part, frame)
            compared = self._compare(op, left, right)
            if compared is None:
                raise Refused(f"the comparison {ast.unparse(node)}", "compare numbers, or records with ==")
            result = self.graph.and_(result, compared)
            if result is False:
                break
            left = right
        return result

    def _compare(self, op: ast.cmpop, a: Held, b: Held) -> Value | None:
        """Return whether a comparison holds; None: it is outside the subset."""
        if isinstance(op, (ast.Eq, ast.NotEq)):
            same = equal(self.store, a, b)
            return same if isinstance(op, ast.Eq) else self.graph.not_(same)
        if isinstance(op, (ast.Is, ast.IsNot)):
            # Whether two equal numbers are one object is a matter of Python's memory; only None is always itself.
            return (a is b) == isinstance(op, ast.Is) if a is None or b is None else None
        if isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(b, range) and is_number(a):
                found = self.among(self.graph.int_(a), b)
            elif isinstance(b, tuple):
                found = self.graph.any_of(equal(self.store, a, item) for item in b)
            else:
                return None
            return found if isinstance(op, ast.In) else self.graph.not_(found)
        if not is_number(a) or not is_number(b):
            return None
        a, b = self.graph.int_(a), self.graph.int_(b)
        if isinstance(op, ast.Lt):
            return self.graph.lt(a, b)
        if isinstance(op, ast.LtE):
            return self.graph.le(a, b)
        return self.graph.lt(b, a) if isinstance(op, ast.Gt) else self.graph.le(b, a)

    def _if_exp(self, node: ast.IfExp, frame: Frame) -> Held:
        condition = self.truth(self.expression(node.test, frame), node.test, frame)
        if not isinstance(condition, Node):
            return self.expression(node.body if condition else node.orelse, frame)
        yes = self.where(condition, node.body, frame)
        no = self.where(self.graph.not_(condition), node.orelse, frame)
        return self.either(condition, yes, no, node, frame)
