"""Calls of Python's builtins: the few that are read where they look at the state, and called as they are elsewhere."""

from __future__ import annotations

import ast

from checker.symbolic.folds import Fold, Folds
from checker.symbolic.frame import Frame
from checker.symbolic.node import Node, Value
from checker.symbolic.path import vector
from checker.symbolic.store import Refused
from checker.symbolic.subset import FOLDS, ITERATORS, NATIVE, is_concrete, is_number, is_one_of, is_reference
from checker.symbolic.values import Function, Held, Lazily


class BuiltinCalls(Folds):
    """Evaluates calls of builtins."""

    def _builtin(
        self, function: Function, arguments: list[Held], named: dict[str, Held], node: ast.Call, frame: Frame
    ) -> Held:
        """Return the value of a call of a Python builtin."""
        if named:
            raise Refused(f"a named argument of {function.__name__}", "leave it out")
        if is_one_of(function, ITERATORS) and arguments and (function is not reversed or len(arguments) == 1):
            return Lazily(function, arguments)
        if function in FOLDS and 1 <= len(arguments) <= (2 if function is sum else 1):
            fold = Fold(function, self.graph)
            for item in [*arguments[1:], *self.iterate(arguments[0])]:
                if not is_number(item):
                    raise Refused(f"{function.__name__} of what is no number", "name its fields")
                fold.add(True, item)
            return fold.result
        if function is len and len(arguments) == 1 and is_reference(arguments[0]):
            return len(vector(arguments[0]).elements)
        if function is len and len(arguments) == 1 and isinstance(arguments[0], tuple):
            return len(arguments[0])
        if function is tuple and len(arguments) == 1:
            return tuple(self.iterate(arguments[0]))
        if function in (min, max) and len(arguments) == 1 and isinstance(arguments[0], tuple):
            arguments = list(arguments[0])
        numbers = function is isinstance and any(map(is_number, arguments))
        if function in NATIVE and all(map(is_concrete, arguments)) and not numbers:
            # One tuple has been spread: a single number is the smallest of itself.
            return arguments[0] if function in (min, max) and len(arguments) == 1 else function(*arguments)
        return self._numeric(function, arguments, node, frame)

    def _numeric(self, function: Function, arguments: list[Held], node: ast.Call, frame: Frame) -> Held:
        """Return the value of a builtin that looks at the state."""
        if function is bool and len(arguments) == 1:
            return self.truth(arguments[0], node.args[0], frame)
        if function is isinstance and len(arguments) == 2 and is_number(arguments[0]):
            # A number is an int or a bool; which of the two may have been lost where values were merged.
            kinds = {issubclass(kind, arguments[1]) for kind in (int, bool)}  # type: ignore[arg-type]
            if len(kinds) == 1:
                return kinds.pop()
        values = [argument for argument in arguments if is_number(argument)]
        if values and len(values) == len(arguments):
            first = values[0]
            if function is int and len(arguments) == 1:
                return self.graph.int_(first)
            if function is abs and len(arguments) == 1:
                first = self.graph.int_(first)
                return self.graph.where(self.graph.le(0, first), first, self.graph.sub(0, first))
            if function in (min, max):
                return self._extreme(function, values)
        known = any(isinstance(argument, Node) for argument in arguments)
        what = f"{function.__name__} of a value of the state" if known else f"this call of {function.__name__}"
        raise Refused(what, "use a fixed size" if known else "use the operators")

    def _extreme(self, function: Function, arguments: list[Value]) -> Value:
        result = arguments[0]
        for other in arguments[1:]:
            first, second = (other, result) if function is min else (result, other)
            less = self.graph.lt(self.graph.int_(first), self.graph.int_(second))
            result = self.graph.where(less, other, result)
        return result
