"""Generator expressions, fed to any(), all(), sum() or Vector() one element after the other."""

from __future__ import annotations

import ast
from typing import TypeGuard

from checker.model.source import refuse
from checker.symbolic.assignments import Assignments
from checker.symbolic.frame import Frame
from checker.symbolic.graph import Graph
from checker.symbolic.node import Value
from checker.symbolic.store import Refused
from checker.symbolic.subset import FOLDS, is_number, is_one_of
from checker.symbolic.values import UNDEFINED, Function, Held, as_number
from spec.language import Vector


class Fold:
    """What any(), all(), sum() or Vector() has made of the elements so far."""

    def __init__(self, function: Function, graph: Graph) -> None:
        self.function = function
        self.graph = graph
        self.values: list[Held] = []
        self.result: Value = 0 if function is sum else function is all
        self.going: Value = True
        """The condition under which Python would look at the next element."""

    def add(self, condition: Value, value: Held) -> None:
        """Take one element in, present under a condition."""
        graph = self.graph
        if self.function is Vector:
            self.values.append(value)
        elif self.function is sum:
            self.result = graph.add(self.result, graph.where(condition, graph.int_(as_number(value)), 0))
        elif self.function is any:
            self.result = graph.or_(self.result, graph.and_(condition, graph.truth(value)))
            self.going = graph.not_(self.result)
        else:
            self.result = graph.and_(self.result, graph.or_(graph.not_(condition), graph.truth(value)))
            self.going = self.result


class Folds(Assignments):
    """Evaluates generator expressions over fixed sizes, as far as Python would look at them."""

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


def is_fold(function: Held) -> TypeGuard[Function]:
    """Whether a function takes the elements of a generator expression."""
    return function is Vector or is_one_of(function, FOLDS)


def _names_of(node: ast.GeneratorExp) -> list[str]:
    """Return the names that a generator expression gives values to."""
    parts = (part for loop in node.generators for part in ast.walk(loop.target))
    return [part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
