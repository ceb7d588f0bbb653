"""The walk that carries names: each range, vector and index says whether it goes by names (symbolic/naming.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from checker.model.layout import Array, Record
from checker.model.user_files import FILES
from checker.symbolic.frame import Frame
from checker.symbolic.naming import Chosen, Member, Size, member, size, vector_sorts
from checker.symbolic.naming_graph import NamedGraph
from checker.symbolic.node import Node, Value
from checker.symbolic.store import Store
from checker.symbolic.values import Function, Held, Lazily, Mux, Reference, meant, model_of
from checker.symbolic.walk import Walk

_BOUNDS = ("others", "watched", "requests", "families", "nodes", "max_len")
"""What a proof sets as it pleases to stand for all: a decision that asks is proved for that one value."""

_IDENTITY = (ast.Is, ast.IsNot)

P = ParamSpec("P")
R = TypeVar("R")


class InOrder(tuple[Any, ...]):
    """The names of a chosen order, sorted: good for saying that one order stands for all, and for nothing else."""


def _within(value: Held) -> Iterator[Held]:
    """Yield what stands in tuples and lists, however deep; else the value itself."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _within(part)
    else:
        yield value


def _is_member(value: Held) -> bool:
    return isinstance(value, Member)


class NamedWalk(Walk):
    """A walk in which names know their sorts."""

    graph: NamedGraph

    def __init__(self, graph: NamedGraph, store: Store, context: Held, scope: Held) -> None:
        super().__init__(graph, store, context)
        self.names = graph.names
        self.scope = scope
        self.per: dict[Array, str] = {}
        """The sort of which a vector has one element per member; "" for none; absent: nobody knows."""

    def run(self, function: Held, arguments: list[Held], named: dict[str, Held] | None = None) -> Held:
        """Walk a call and return its value; what is asked outside of calls is not the text's doing."""
        before = self.names.listening, self.names.place
        self.names.listening = bool(self.names.sorts)
        result = super().run(function, arguments, named)
        self.names.listening, self.names.place = before
        return result

    def branch(self, statement: ast.If, rest: list[ast.stmt], frame: Frame) -> bool:
        """Execute an `if`."""
        self.names.place = (frame.file, statement.lineno)
        return super().branch(statement, rest, frame)

    def statement(self, statement: ast.stmt, frame: Frame) -> None:
        """Execute another statement."""
        self.names.place = (frame.file, statement.lineno)
        super().statement(statement, frame)

    def found_at(self, owner: Held, name: str, value: Held) -> Held:
        """Return the value of an attribute: vectors and the scope's numbers know what they are of."""
        if isinstance(value, Node):
            return value
        if isinstance(owner, (Record, Mux)):
            of = model_of(owner)
            for part in meant(value):
                if isinstance(part, Array) and isinstance(of, Record):
                    self.per[part.place or part] = vector_sorts(of.cls)[name]
            return value
        if owner is self.scope:
            if self.store.deciding and name in _BOUNDS:
                self.names.ask(f"a decision asks for the scope's {name}")
            if name in self.names.sorts and isinstance(value, int):
                return size(name, value)
        return value

    def indexed(self, owner: Held, index: Held) -> None:
        """See which element of a vector or tuple is asked for."""
        if isinstance(owner, (Array, Mux)):
            array = model_of(owner)
            if isinstance(array, Array):
                self.names.indexed(self.per.get(array.place or array), len(array.elements), index)
        elif isinstance(owner, Chosen) and self.names.is_name(index):
            self.names.indexed(None, len(owner), index)
        elif isinstance(owner, Chosen):
            self.names.chosen(len(owner), index)
        elif isinstance(owner, InOrder):
            self.names.note("takes one out of the sorted names")
        else:
            # A table may go by several numbers.
            self.names.used("indexes by", *_within(index))

    def binary(self, op: ast.operator, a: Held, b: Held) -> Held:
        """Return the value of an arithmetic operation."""
        if isinstance(a, tuple):
            self.names.used("repeats a tuple by", b)
        return super().binary(op, a, b)

    def places(self, owner: Reference, index: Held) -> list[tuple[Value, int]]:
        """Return which elements an index may mean."""
        self.indexed(owner, index)
        return self._unheard(super().places, owner, index)

    def _of_tuple(self, owner: Held, index: Value, node: ast.Subscript, frame: Frame) -> Held:
        return self._unheard(super()._of_tuple, owner, index, node, frame)

    def _unheard(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Return the value of a call in which the walk itself compares names."""
        before, self.names.listening = self.names.listening, False
        result = function(*arguments, **named)
        self.names.listening = before
        return result

    def _compare(self, op: ast.cmpop, a: Held, b: Held) -> Value | None:
        if op.__class__ in _IDENTITY and (isinstance(a, Member) or isinstance(b, Member)):
            self.names.used("asks for the identity of", a, b)
            a, b = (int(each) if isinstance(each, Member) else each for each in (a, b))
        if isinstance(b, InOrder) and isinstance(op, (ast.In, ast.NotIn)):
            self.names.note("looks into the sorted names")
        return super()._compare(op, a, b)

    def _builtin(
        self, function: Function, arguments: list[Held], named: dict[str, Held], node: ast.Call, frame: Frame
    ) -> Held:
        """Return the value of a call of a Python builtin."""
        if function in (sorted, tuple) and not named and len(arguments) == 1:
            (names,) = arguments
            if isinstance(names, InOrder) or (function is sorted and isinstance(names, Chosen)):
                return InOrder(sorted(names))
        if function in (max, min, sorted, abs, range, int, bool):
            self.names.used(f"{function.__name__}() of", *filter(_is_member, _within(arguments)))
        elif function is enumerate:
            self.names.used("counts from", *arguments[1:])
        result = super()._builtin(function, arguments, named, node, frame)
        if function is range:
            return self._members(result, arguments)
        if function is len and isinstance(arguments[0], (Array, Mux)):
            sort = self._sort_of(arguments[0])
            return size(sort, result) if sort in self.names.sorts and isinstance(result, int) else result
        return result

    def _members(self, numbers: Held, arguments: list[Held]) -> Held:
        """Return a range made of the number of members of a sort as their names, if it has them all."""
        for end in arguments:
            if (
                isinstance(end, Size)
                and isinstance(numbers, range)
                and sorted(numbers) == list(range(self.names.sorts[end.sort]))
            ):
                return tuple(member(end.sort, number) for number in numbers)
        return numbers

    def _sort_of(self, value: Held) -> str | None:
        """Return the sort whose members a collection has in order; "" for none, None where nobody knows."""
        if isinstance(value, (Array, Mux)):
            array = model_of(value)
            return self.per.get(array.place or array) if isinstance(array, Array) else None
        if isinstance(value, Lazily):
            found = [self._sort_of(part) for part in value.arguments if not isinstance(part, int)]
            return next((sort for sort in found if sort), None if None in found else "")
        if isinstance(value, tuple) and value and all(isinstance(part, Member) for part in value):
            ordered = list(value) == list(range(self.names.sorts[value[0].sort]))
            return str(value[0].sort) if ordered else ""
        return None if isinstance(value, Chosen) else ""

    def iterate(self, value: Held) -> Iterator[Held]:
        """Yield the elements of a fixed-size collection; the numbers of an enumerate may be names."""
        if isinstance(value, InOrder):
            self.names.note("goes through the sorted names")
        if self.store.deciding and self.names.place[0] in FILES and self._sort_of(value) == "requests":
            # What the spec's own functions look through has the rows of all others beside it.
            self.names.ask("a decision goes through all requests")
        if not isinstance(value, Lazily):
            yield from super().iterate(value)
            return
        sort = self._sort_of(value)
        if sort not in self.names.sorts or sort is None:
            yield from super().iterate(value)
            return
        known = [self._sort_of(part) for part in value.arguments if not isinstance(part, int)]
        if any(each is not None and each != sort for each in known):
            self.names.note(f"pairs the members of {sort} with something else in order")
        for item in super().iterate(value):
            if value.function is enumerate and len(value.arguments) == 1 and isinstance(item, tuple):
                yield member(sort, item[0]), *item[1:]
            else:
                yield item
