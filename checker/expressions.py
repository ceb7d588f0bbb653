"""The expressions of the subset, as the walk evaluates them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from checker.aliases import Aliases
from checker.foreign import FILES, MISTAKES, told
from checker.graph import Graph, Node, Value, is_bool
from checker.shape import Array, Record, leaves
from checker.syntax import refuse
from checker.values import (
    Fold,
    Lazily,
    Mux,
    Store,
    array,
    choose,
    duplicate,
    element,
    equal,
    field,
    mergeable,
    options,
    read,
)
from spec.language import Vector

if TYPE_CHECKING:
    from checker.evaluate import Frame

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Mod: "mod",
    ast.FloorDiv: "div",
}
_READERS: dict[type[ast.expr], str] = {
    ast.Constant: "_constant",
    ast.Name: "_name",
    ast.Attribute: "_attribute",
    ast.Subscript: "_subscript",
    ast.BoolOp: "_bool_op",
    ast.UnaryOp: "_unary_op",
    ast.BinOp: "_bin_op",
    ast.Compare: "_compare_chain",
    ast.IfExp: "_if_exp",
    ast.Tuple: "_tuple",
    ast.Call: "_call",
}
_CONCRETE = (abs, bool, int, isinstance, len, max, min, range, reversed, sorted, tuple, zip, enumerate)


class Expressions(Aliases):
    """Evaluates expressions; mixed into the walk, which executes statements and calls."""

    graph: Graph
    store: Store
    path: Value
    deciding: int

    if TYPE_CHECKING:

        def call(self, function: Any, arguments: list[Any], named: dict[str, Any], node: ast.Call, frame: Frame) -> Any:
            """Walk or perform a call: checker/evaluate.py."""

        def places(self, owner: Any, index: Any) -> list[tuple[Value, int]]:
            """Return the elements that an index may mean: checker/evaluate.py."""
            ...

        def assign(self, target: ast.expr, value: Any, frame: Frame) -> None:
            """Give a name or place a value: checker/evaluate.py."""

    def expression(self, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression."""
        reader = _READERS.get(type(node))
        if reader is None:
            raise refuse(frame.file, node)
        try:
            return getattr(self, reader)(node, frame)
        except MISTAKES as error:
            if frame.file not in FILES:
                raise
            raise refuse(frame.file, node, f"{ast.unparse(node)} fails with {told(error)}", "mend it") from error

    def _constant(self, node: ast.Constant, frame: Frame) -> Any:
        if isinstance(node.value, (float, complex, bytes)):
            raise refuse(frame.file, node, f"the constant {node.value!r}", "use whole numbers")
        return node.value

    def _name(self, node: ast.Name, frame: Frame) -> Any:
        for names in (frame.names, frame.function.__globals__):
            if node.id in names:
                value = names[node.id]
                self.check_alias(value, node, frame)
                if type(value) is object:
                    raise refuse(
                        frame.file, node, f"{node.id} may have no value here", "set it on both sides of the `if`"
                    )
                return value
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        raise refuse(frame.file, node, f"the name {node.id} is not defined here", "define it at the top of the file")

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Any:
        owner = self.expression(node.value, frame)
        if isinstance(owner, (Record, Mux)):
            parts = field(owner, node.attr)
            if self.deciding and any(leaf.ghost for leaf in leaves(parts[0][1])):
                raise refuse(frame.file, node, f"a decision reads {ast.unparse(node)}", "leave that to the properties")
            return self.found_at(owner, node.attr, read(parts, self.store))
        if isinstance(owner, (Node, Array)):
            raise refuse(frame.file, node, f"{ast.unparse(node)} is no field of a record", "use the state's fields")
        return self.found_at(owner, node.attr, getattr(owner, node.attr))

    def found_at(self, owner: Any, name: str, value: Any) -> Any:
        """Return the value of an attribute; checker/naming_walk.py looks whose it is."""
        return value

    def indexed(self, owner: Any, index: Any) -> None:
        """See which element of a vector or tuple is asked for; checker/naming_walk.py looks how it is named."""

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Any:
        owner = self.expression(node.value, frame)
        index = self.expression(node.slice, frame)
        if isinstance(owner, (tuple, dict)):
            self.indexed(owner, index)
            if isinstance(index, Node):
                return self._of_tuple(owner, index, node, frame)
            return owner[index]
        if not isinstance(owner, (Array, Mux)):
            raise refuse(frame.file, node, f"{ast.unparse(node.value)} is no Vector", "index Vectors and tuples")
        return self.at(owner, index)

    def at(self, owner: Any, index: Any) -> Any:
        """Return the element of a vector at an index."""
        parts = [
            (self.graph.and_(condition, inner), leaf)
            for condition, place in self.places(owner, index)
            for inner, leaf in element(owner, place)
        ]
        # An index that lies outside for certain has been noted as a violation; what is read then means nothing.
        return read(parts or element(owner, 0), self.store)

    def where(self, condition: Value, node: ast.expr, frame: Frame) -> Any:
        """Return the value of an expression that Python evaluates only where the condition holds."""
        if not isinstance(condition, Node):
            return self.expression(node, frame)
        path, before = self.path, self.store.snapshot()
        self.path = self.graph.and_(path, condition)
        value = self.expression(node, frame)
        self.path = path
        # A call may have changed the state: elsewhere it has not happened.
        self.store.merge(condition, self.store.snapshot(), before)
        return value

    def truth(self, value: Any, node: ast.expr, frame: Frame) -> Value:
        """Return whether Python takes a value for true; a record or vector is no condition."""
        if isinstance(value, (Record, Array, Mux)):
            raise refuse(frame.file, node, f"{ast.unparse(node)} as a condition", "compare it, or ask for its len()")
        return self.graph.truth(value)

    def _bool_op(self, node: ast.BoolOp, frame: Frame) -> Any:
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

    def either(self, condition: Value, yes: Any, no: Any, node: ast.expr, frame: Frame) -> Any:
        """Return one value for two; refuses two that are not of one kind."""
        if not mergeable(yes, no):
            raise refuse(frame.file, node, f"{ast.unparse(node)} has values of two kinds", "write an `if`")
        return choose(self.graph, [(condition, yes), (self.graph.not_(condition), no)])

    def _of_tuple(self, owner: Any, index: Node, node: ast.Subscript, frame: Frame) -> Any:
        """Return the element of a tuple at a computed index, which must lie inside whatever the state is."""
        if not isinstance(owner, tuple) or not 0 <= index.low <= index.high < len(owner):
            raise refuse(frame.file, node, f"the index of {ast.unparse(node)} may lie outside", "use a Vector")
        result = owner[index.high]
        for place in range(index.high - 1, index.low - 1, -1):
            result = self.either(self.graph.eq(index, place), owner[place], result, node, frame)
        return result

    def _unary_op(self, node: ast.UnaryOp, frame: Frame) -> Any:
        value = self.expression(node.operand, frame)
        if isinstance(node.op, ast.Not):
            return self.graph.not_(self.truth(value, node.operand, frame))
        if isinstance(node.op, ast.USub) and isinstance(value, (int, Node)):
            return self.graph.sub(0, value)
        raise refuse(frame.file, node, f"the operator of {ast.unparse(node)}", "use not and -")

    def _bin_op(self, node: ast.BinOp, frame: Frame) -> Any:
        return self.binary(node.op, self.expression(node.left, frame), self.expression(node.right, frame), node, frame)

    def binary(self, op: ast.operator, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
        """Return the value of an arithmetic operation."""
        name = _ARITHMETIC.get(type(op))
        if isinstance(a, tuple) and isinstance(b, int) and name == "mul":
            return a * b
        if name is None or not isinstance(a, (int, Node)) or not isinstance(b, (int, Node)):
            raise refuse(frame.file, node, f"this use of {type(op).__name__}", "use + - * // % on whole numbers")
        try:
            return getattr(self.graph, name)(a, b)
        except ValueError as error:
            raise refuse(frame.file, node, str(error), "divide by a number of the scope") from None

    def _compare_chain(self, node: ast.Compare, frame: Frame) -> Any:
        result: Value = True
        left = self.expression(node.left, frame)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.where(result, part, frame)
            result = self.graph.and_(result, self._compare(op, left, right, node, frame))
            if result is False:
                break
            left = right
        return result

    def _compare(self, op: ast.cmpop, a: Any, b: Any, node: ast.AST, frame: Frame) -> Value:
        scalar = isinstance(a, (int, Node)) and isinstance(b, (int, Node))
        both = isinstance(a, (Record, Array, Mux)) and isinstance(b, (Record, Array, Mux))
        tuples = isinstance(a, tuple) and isinstance(b, tuple)
        concrete = not isinstance(a, (Node, Record, Array, Mux)) and not isinstance(b, (Node, Record, Array, Mux))
        if isinstance(op, (ast.Eq, ast.NotEq)) and (scalar or both or concrete):
            same = equal(a, b, self.store) if scalar or both or tuples else a == b
            return same if isinstance(op, ast.Eq) else self.graph.not_(same)
        if isinstance(op, (ast.Is, ast.IsNot)) and concrete:
            return (a is b) == isinstance(op, ast.Is)
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(b, (tuple, range)):
            found = self.graph.any_of(equal(a, item, self.store) for item in b)
            return found if isinstance(op, ast.In) else self.graph.not_(found)
        if scalar:
            a, b = self.graph.int_(a), self.graph.int_(b)
            if isinstance(op, ast.Lt):
                return self.graph.lt(a, b)
            if isinstance(op, ast.LtE):
                return self.graph.le(a, b)
            if isinstance(op, ast.Gt):
                return self.graph.lt(b, a)
            if isinstance(op, ast.GtE):
                return self.graph.le(b, a)
        raise refuse(frame.file, node, f"the comparison {ast.unparse(node)}", "compare numbers, or records with ==")

    def _if_exp(self, node: ast.IfExp, frame: Frame) -> Any:
        condition = self.truth(self.expression(node.test, frame), node.test, frame)
        if not isinstance(condition, Node):
            return self.expression(node.body if condition else node.orelse, frame)
        yes = self.where(condition, node.body, frame)
        no = self.where(self.graph.not_(condition), node.orelse, frame)
        return self.either(condition, yes, no, node, frame)

    def _tuple(self, node: ast.Tuple, frame: Frame) -> Any:
        return tuple(self.expression(part, frame) for part in node.elts)

    def _call(self, node: ast.Call, frame: Frame) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            cell = dict(zip(frame.function.__code__.co_freevars, frame.function.__closure__ or (), strict=True))
            return super(cell["__class__"].cell_contents, frame.names[frame.function.__code__.co_varnames[0]])
        function = self.expression(node.func, frame)
        if function in (print, breakpoint, input, open):
            raise refuse(
                frame.file,
                node,
                f"this call of {function.__name__}",
                "take it out: a failing search prints every step, and `slotproof play` runs the text as plain Python",
            )
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and function in (any, all, sum, Vector):
            fold = Fold(function, self.graph)
            self._elements(node.args[0], frame, fold)
            if function is not Vector:
                return fold.result
            for value in fold.values:
                self.give(value, node, frame)
            return self.made(array(fold.values, self.store))
        named = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise refuse(frame.file, node, "**", "name the arguments")
            named[keyword.arg] = self.expression(keyword.value, frame)
        return self.call(function, [self.expression(argument, frame) for argument in node.args], named, node, frame)

    def _elements(self, node: ast.GeneratorExp, frame: Frame, fold: Fold, depth: int = 0, given: Value = True) -> None:
        """Feed the elements of a generator expression over fixed sizes to a fold, until it needs no more."""
        loop = node.generators[depth]
        names = frame.names
        for item in self.iterate(self.where(given, loop.iter, frame), node, frame):
            if fold.going is False:
                break
            frame.names = dict(names)
            self.assign(loop.target, item, frame)
            condition = given
            for test in loop.ifs:
                looked = self.where(self.graph.and_(fold.going, condition), test, frame)
                condition = self.graph.and_(condition, self.truth(looked, test, frame))
            if condition is not False:
                if depth + 1 < len(node.generators):
                    self._elements(node, frame, fold, depth + 1, condition)
                elif fold.function is Vector and condition is not True:
                    raise refuse(frame.file, node, "a Vector of a varying size", "give every element a value")
                else:
                    value = self.where(self.graph.and_(fold.going, condition), node.elt, frame)
                    if fold.function in (any, all):
                        value = self.truth(value, node.elt, frame)
                    fold.add(condition, value)
            frame.names = names

    def builtin(self, function: Any, arguments: list[Any], named: dict[str, Any], node: ast.Call, frame: Frame) -> Any:
        """Return the value of a call of a Python builtin."""
        if named:
            raise refuse(frame.file, node, f"a named argument of {function.__name__}", "leave it out")
        if function in (any, all, sum) and arguments:
            fold = Fold(function, self.graph)
            for item in [*arguments[1:], *self.iterate(arguments[0], node, frame)]:
                if not isinstance(item, (int, Node)):
                    raise refuse(frame.file, node, f"{function.__name__} of what is no number", "name its fields")
                fold.add(True, item)
            return fold.result
        if function is len and isinstance(arguments[0], (Array, Mux)):
            array = options(arguments[0])[0][1]
            assert isinstance(array, Array)
            return len(array.elements)
        if function in (enumerate, zip):
            return Lazily(function, arguments)
        if function is reversed:
            return list(self.iterate(arguments[0], node, frame))[::-1]
        if any(isinstance(item, Node) for item in arguments):
            return self._numeric(function, arguments, node, frame)
        if function in _CONCRETE and not any(isinstance(item, (Record, Array, Mux)) for item in arguments):
            return function(*arguments, **named)
        raise refuse(frame.file, node, f"this call of {function.__name__}", "use the operators")

    def _numeric(self, function: Any, arguments: list[Any], node: ast.Call, frame: Frame) -> Any:
        if function is bool:
            return self.graph.truth(arguments[0])
        if function is int:
            return self.graph.int_(arguments[0])
        if function is abs:
            return self.graph.where(self.graph.le(0, arguments[0]), arguments[0], self.graph.sub(0, arguments[0]))
        if function in (min, max) and len(arguments) > 1:
            result = arguments[0]
            for other in arguments[1:]:
                first, second = (other, result) if function is min else (result, other)
                result = self.graph.where(self.graph.lt(first, second), other, result)
            return result
        if function is isinstance and len(arguments) == 2 and not isinstance(arguments[1], Node):
            # A value of the state is an int or a bool; which of the two may have been lost where values were merged.
            kinds = {issubclass(kind, arguments[1]) for kind in (int, bool)}
            if len(kinds) == 1:
                return kinds.pop()
        raise refuse(frame.file, node, f"{function.__name__} of a value of the state", "use a fixed size")

    def iterate(self, value: Any, node: ast.AST, frame: Frame) -> Iterator[Any]:
        """Yield the elements of a fixed-size collection; a vector's elements as they are when it is their turn."""
        if isinstance(value, (Record, Array, Mux)):
            array = options(value)[0][1]
            if not isinstance(array, Array):
                raise refuse(frame.file, node, "a loop over a record", "name its fields")
            for index in range(len(array.elements)):
                yield read(element(value, index), self.store)
        elif isinstance(value, Lazily):
            # The start of an enumerate is a number; everything else is a collection.
            yield from value.function(
                *[item if isinstance(item, int) else self.iterate(item, node, frame) for item in value.arguments]
            )
        elif isinstance(value, (range, tuple, list)):
            yield from value
        else:
            raise refuse(
                frame.file, node, "a loop over something without a fixed size", "loop over range(n) or a Vector"
            )

    def duplicate(self, value: Any) -> Any:
        """Return an independent copy of a record or vector."""
        return self.made(duplicate(value, self.store)) if isinstance(value, (Record, Array, Mux)) else value
