"""The calls of the subset: functions of the text are walked, a few builtins are read, nothing else is called."""

from __future__ import annotations

import ast
import dataclasses
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Final

from checker.model.layout import check_record
from checker.symbolic.builtin_calls import BuiltinCalls
from checker.symbolic.folds import is_fold
from checker.symbolic.frame import Frame, bind
from checker.symbolic.outside import refuse_mangled
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
from checker.symbolic.values import UNDEFINED, Function, Held
from spec.language import Action, BadRecord, Property, Start, copy, guard, new, require, starts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_PRINTS: Final[tuple[Function, ...]] = (print, breakpoint, input, open)

_READ: Final[tuple[Function, ...]] = (*FOLDS, *ITERATORS, *NUMERIC, *NATIVE)


class Calls(BuiltinCalls):
    """Makes calls; the walk executes the statements of the functions called."""

    def _call(self, node: ast.Call, frame: Frame) -> Held:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and frame.look_up("super") is super:
            return self._super(node, frame)
        function = self.expression(node.func, frame)
        if is_one_of(function, _PRINTS):
            raise Refused(
                f"this call of {function.__name__}",
                "take it out: a failing search prints every step, and `slotproof play` runs the text as plain Python",
            )
        if is_fold(function) and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
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
