"""The walk over a function's text: one text, several readings.

The walk runs the text over values that may be Nodes of a graph. At an `if` whose condition is a Node both sides are
walked on copies and merged; an index that is a Node reads and writes through all elements; `guard` and `require`
collect when the action may happen and what it violates, under the condition of the path. Nothing is written twice:
columns and solver terms are readings of the graph that one walk leaves.
"""

from __future__ import annotations

import ast
from types import FunctionType, MethodType

from checker.model.source import OutsideSubset, is_of_the_language, of_another_kind, refuse, text_of
from checker.symbolic.frame import Frame
from checker.symbolic.graph import Graph
from checker.symbolic.node import Value
from checker.symbolic.statements import Statements
from checker.symbolic.store import Refused, Store
from checker.symbolic.subset import is_reference
from checker.symbolic.values import UNDEFINED, Function, Held, Lazily
from spec.language import Action, Property

_DEEPEST = 40
"""Calls within calls: what goes deeper is a recursion."""


class Walk(Statements):
    """One walk over one function (an action, a property, a decision) and all that it calls."""

    def __init__(self, graph: Graph, store: Store, context: Held = None) -> None:
        """Prepare a walk; the methods of `context` are decisions: they look at the state, but not at its ghosts."""
        super().__init__(graph, store)
        self.context = context
        self.depth = 0

    def run(self, function: Held, arguments: list[Held], named: dict[str, Held] | None = None) -> Held:
        """Walk a call and return its value; UNDEFINED: it may end without one, or with values of two kinds."""
        if isinstance(function, (Action, Property)):
            function = function.function
        if isinstance(function, MethodType):
            arguments = [function.__self__, *arguments]
            function = function.__func__
        if not isinstance(function, FunctionType):
            raise Refused(f"{function!r} is no function of the model", "call plain functions")
        try:
            text = text_of(function)
            frame = Frame(function, arguments, named or {})
        except OutsideSubset as outside:
            if not self.depth:
                raise
            # The place to look is where a function that has no text is called.
            raise Refused(*outside.args[2:]) from None
        except Refused as refused:
            if self.depth:
                raise
            raise refuse(function.__code__.co_filename, text, *refused.args) from None
        if (odd := of_another_kind(text)) is not None:
            raise refuse(frame.file, odd)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise refuse(frame.file, text, "a recursion", "write a loop over a fixed size")
        deciding = self.store.deciding
        self.store.deciding = deciding or self._decides(function, arguments)
        self.block(text.body, frame)
        self.store.deciding = deciding
        self.depth -= 1
        # A text that may come to its end has no value there.
        if frame.result is not None and frame.returned is not True and not _returns(text.body):
            return UNDEFINED
        return frame.result

    def _decides(self, function: FunctionType, arguments: list[Held]) -> bool:
        """Whether a call is one of a method of the context, bound to it or not."""
        if self.context is None or not arguments or arguments[0] is not self.context:
            return False
        return any(vars(each).get(function.__name__) is function for each in type(self.context).__mro__)

    def ask(self, function: Function, arguments: list[Held]) -> Value:
        """Walk a call and return whether its value is true, as Python takes it."""
        self.store.asking = True
        try:
            value = self.run(function, arguments)
        except OutsideSubset as outside:
            # What is said of each request is asked by the language: a fault of that is one of what is written.
            if not is_of_the_language(outside.args[0]):
                raise
            raise refuse(*_text_of(function), *outside.args[2:]) from None
        if self.enabled is not True:
            raise refuse(*_text_of(function), "a guard(...) outside an action", "return whether it holds")
        if value is UNDEFINED or is_reference(value) or isinstance(value, Lazily):
            raise refuse(
                *_text_of(function),
                f"{_text_of(function)[1].name} may end without a value, or with values of two kinds",
                "end it with a return of True or False on every way",
            )
        return self.graph.truth(value)


def _text_of(function: Function) -> tuple[str, ast.FunctionDef]:
    plain = function.written if isinstance(function, Property) else function
    plain = plain.function if isinstance(plain, Action) else plain
    plain = plain.__func__ if isinstance(plain, MethodType) else plain
    return plain.__code__.co_filename, text_of(plain)


def _returns(statements: list[ast.stmt]) -> bool:
    """Whether a block visibly ends with a return whatever the conditions in it are."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _returns(last.body) and _returns(last.orelse)
    return isinstance(last, ast.Return)
