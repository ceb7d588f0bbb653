"""The calls of the subset: functions of the text are walked, a few builtins are read, nothing else is called."""

from __future__ import annotations

import ast
import dataclasses
from abc import abstractmethod
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Final, TypeGuard

from checker.model.layout import check_record
from checker.model.source import refuse
from checker.symbolic.expressions import Expressions
from checker.symbolic.frame import Frame, bind
from checker.symbolic.graph import Node, Value
from checker.symbolic.outside import refuse_mangled
from checker.symbolic.path import vector
from checker.symbolic.store import Refused
from checker.symbolic.subset import (
    FOLDS,
    ITERATORS,
    NATIVE,
    NUMERIC,
    admitted,
    is_concrete,
    is_number,
    is_one_of,
    is_reference,
)
from checker.symbolic.values import UNDEFINED, Fold, Function, Held, Lazily
from spec.language import Action, BadRecord, Property, Start, Vector, copy, guard, new, require, starts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_PRINTS: Final[tuple[Function, ...]] = (print, breakpoint, input, open)
_READ: Final[tuple[Function, ...]] = (*FOLDS, *ITERATORS, *NUMERIC, *NATIVE)


class Calls(Expressions):
    """Makes calls; mixed into the walk, which executes the statements of the functions called."""

    @abstractmethod
    def bind_to(self, target: ast.expr, value: Held, frame: Frame) -> None:
        """Give a name or place a value: checker/symbolic/statements.py."""

    def _call(self, node: ast.Call, frame: Frame) -> Held:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and frame.look_up("super") is super:
            return self._super(node, frame)
        function = self.expression(node.func, frame)
        if is_one_of(function, _PRINTS):
            raise Refused(
                f"this call of {function.__name__}",
                "take it out: a failing search prints every step, and `slotproof play` runs the text as plain Python",
            )
        if _is_fold(function) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._folded(function, node, node.args[0], frame)
        named = {}
        iterated = is_one_of(function, (*FOLDS, *ITERATORS, tuple))
        arguments = [self.expression(argument, frame, iterated) for argument in node.args]
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Refused("**", "name the arguments")
            refuse_mangled(keyword.arg)
            named[keyword.arg] = self.expression(keyword.value, frame)
        return self._called(function, arguments, named, node, frame)

    def _super(self, node: ast.Call, frame: Frame) -> Held:
        if node.args or node.keywords:
            raise Refused("super() with arguments", "leave them out")
        return super(frame.surrounding("__class__"), frame.names[frame.function.__code__.co_varnames[0]])

    def _called(
        self, function: Held, arguments: list[Held], named: dict[str, Held], node: ast.Call, frame: Frame
    ) -> Held:
        """Walk or perform a call that the text makes."""
        if function is guard:
            given = bind(guard, arguments, named)
            if not isinstance(given["why"], str):
                raise Refused("a guard() whose reason is no text", 'write guard(condition, "what is in the way")')
            self.guarded(self.truth(given["condition"], node, frame))
            return None
        if function is require:
            given = bind(require, arguments, named)
            if not isinstance(given["name"], str):
                raise Refused("a require() whose name is no text", "write require(condition, 'property-name')")
            self.violated(given["name"], self.graph.not_(self.truth(given["condition"], node, frame)))
            return None
        if function is copy:
            value = bind(copy, arguments, named)["value"]
            if not is_number(value) and not is_reference(value):
                raise Refused("a copy() of what is no record", "copy records and Vectors")
            return self.store.duplicate(value) if is_reference(value) else value
        if function is new:
            given = bind(new, arguments, named)
            return self._new(given["cls"], given["scope"])
        if isinstance(function, type) and dataclasses.is_dataclass(function):
            return self._record(function, arguments, named)
        if isinstance(function, (FunctionType, MethodType, Action, Property)):
            return self.run(function, arguments, named)
        if is_one_of(function, _READ):
            return self._builtin(function, arguments, named, node, frame)
        called = getattr(function, "__name__", None)
        if called is not None and getattr(function, "__module__", "") == "builtins":
            raise Refused(f"this call of {called}", "use the operators")
        raise Refused(f"{ast.unparse(node.func)} is no function of the model", "call plain functions")

    def _record(self, record: type[DataclassInstance], arguments: list[Held], named: dict[str, Held]) -> Held:
        """Return a new record of the state."""
        check_record(record)
        fields = dataclasses.fields(record)
        names = [field.name for field in fields]
        given = dict(zip(names, arguments, strict=False))
        if len(arguments) > len(names) or given.keys() & named.keys() or not named.keys() <= set(names):
            raise Refused(f"{record.__name__}() with other arguments than its fields", f"it has {', '.join(names)}")
        given |= named
        for field in fields:
            if field.name not in given:
                if field.default is dataclasses.MISSING:
                    raise Refused(f"{record.__name__}() without {field.name}", "give every field a value")
                given[field.name] = admitted(field.default)
        return self.store.fresh(record, [(name, given[name]) for name in names])

    def _new(self, record: Held, scope: Held) -> Held:
        """Return a new record as it is at first in a scope."""
        if not isinstance(record, type) or not dataclasses.is_dataclass(record):
            raise Refused("new() of what is no record", "name a @record class")
        if is_number(scope) or is_reference(scope) or not is_concrete(scope):
            raise Refused("new() without a scope", "hand it the scope")
        check_record(record)
        try:
            started = starts(record)
        except BadRecord as error:
            raise Refused(f"new({record.__name__}, ...)", str(error)) from None
        return self._record(record, [], {name: self._started(start, scope) for name, start in started})

    def _started(self, start: Start, scope: Held) -> Held:
        if not start.every:
            return self._first(start.value, scope)
        # The walk looks at the scope as the text would: what is a property of it is walked.
        size = self._outside(scope, ast.Attribute(ast.Name("scope"), start.count))
        if type(size) is bool or not isinstance(size, int):
            raise Refused(f"a Vector with one element for each of {start.count}", "name a number of the scope")
        return self.store.array([self._first(start.value, scope) for _ in range(size)])

    def _first(self, value: object, scope: Held) -> Held:
        if isinstance(value, int):
            return admitted(value)
        if isinstance(value, type):
            return self._new(value, scope)
        made = self.run(value, [scope])
        if made is UNDEFINED:
            name = getattr(value, "__name__", value)
            raise Refused(f"{name}() may end without a value", "return one on every way")
        return made

    # Generator expressions.

    def _folded(self, function: Function, node: ast.Call, over: ast.GeneratorExp, frame: Frame) -> Held:
        if node.keywords:
            raise Refused(f"a named argument of {function.__name__}", "leave it out")
        fold = Fold(function, self.graph)
        self._elements(over, frame, fold)
        return self.store.array(fold.values) if function is Vector else fold.result

    def _elements(self, node: ast.GeneratorExp, frame: Frame, fold: Fold, depth: int = 0, given: Value = True) -> None:
        """Feed the elements of a generator expression over fixed sizes to a fold, until it needs no more."""
        loop = node.generators[depth]
        names = frame.names
        # The names of a generator expression are its own, before they have a value too: what they hide is there in the
        # first collection that it goes through, and again after it.
        own = dict.fromkeys(_names_of(node), UNDEFINED) if depth == 0 else {}
        for item in self.iterate(self.where(self.graph.and_(fold.going, given), loop.iter, frame, True)):
            if fold.going is False:
                break
            frame.names = names | own
            self.bind_to(loop.target, item, frame)
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
                    fold.add(condition, self._foldable(fold.function, value, node.elt, frame))
            frame.names = names

    def _foldable(self, function: Function, value: Held, node: ast.expr, frame: Frame) -> Held:
        if function in (any, all):
            return self.truth(value, node, frame)
        if function is sum and not is_number(value):
            raise refuse(frame.file, node, f"sum of {ast.unparse(node)}, which is no number", "name its fields")
        return value

    # Builtins.

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


def _names_of(node: ast.GeneratorExp) -> list[str]:
    """Return the names that a generator expression gives values to."""
    parts = (part for loop in node.generators for part in ast.walk(loop.target))
    return [part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


def _is_fold(function: Held) -> TypeGuard[Function]:
    return function is Vector or is_one_of(function, FOLDS)
