"""The walk over a function's text: one text, several readings.

The walk runs the text over values that may be Nodes of a graph. At an `if` whose condition is a Node both sides are
walked on copies and merged; an index that is a Node reads and writes through all elements; `guard` and `require`
collect when the action may happen and what it violates, under the condition of the path. Nothing is written twice:
columns and solver terms are readings of the graph that one walk leaves.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from types import FunctionType, MethodType
from typing import Any

from checker.expressions import Expressions
from checker.foreign import FILES, MISTAKES, told
from checker.graph import Graph, Node, Value
from checker.shape import Array, Record, Shape, leaves
from checker.syntax import OutsideSubset, refuse, text_of
from checker.values import (
    REPLACED,
    Lazily,
    Mux,
    Store,
    assign,
    choose,
    element,
    field,
    fresh,
    inside,
    meant,
    mergeable,
    options,
    read,
)
from spec.language import WELL_FORMED, Action, Property, copy, guard, require

UNDEFINED = object()
"""What a local name stands for where only one side of an `if` has set it."""


@dataclasses.dataclass(slots=True)
class Frame:
    """One call: its local names, whether it is still running, and what it returns."""

    function: FunctionType
    file: str
    names: dict[str, Any]
    alive: Value = True
    """The condition under which the next statement is executed."""
    returned: Value = False
    result: Any = None

    def snapshot(self) -> tuple[dict[str, Any], Value, Value, Any]:
        """Return what a branch may change."""
        return dict(self.names), self.alive, self.returned, self.result

    def restore(self, saved: tuple[dict[str, Any], Value, Value, Any]) -> None:
        """Go back to a snapshot."""
        names, self.alive, self.returned, self.result = saved
        self.names = dict(names)


class Walk(Expressions):
    """One walk over one function (an action, a property, a decision) and all that it calls."""

    def __init__(self, graph: Graph, store: Store, context: Any = None) -> None:
        """Prepare a walk; the methods of `context` are decisions: they look at the state, but not at its ghosts."""
        self.context = context
        self.deciding = 0
        self.graph = graph
        self.store = store
        self.path: Value = True
        self.enabled: Value = True
        self.violations: list[tuple[str, Value]] = []
        """What is violated, in order, each where nothing of another name has been violated before."""
        self.frames: list[Frame] = []
        self.loose: set[Record | Array] = set()
        self.given: set[Record | Array] = set()

    # Calls.

    def run(self, function: Any, arguments: list[Any], named: dict[str, Any] | None = None) -> Any:
        """Walk a call and return its value."""
        if isinstance(function, (Action, Property)):
            function = function.function
        decides = isinstance(function, MethodType) and function.__self__ is self.context
        if isinstance(function, MethodType):
            arguments = [function.__self__, *arguments]
            function = function.__func__
        text = text_of(function)
        self.deciding += decides
        frame = Frame(function, function.__code__.co_filename, _bind(function, arguments, named or {}))
        self.frames.append(frame)
        if len(self.frames) > 40:
            raise refuse(frame.file, text, "a recursion", "write a loop over a fixed size")
        self.block(text.body, frame)
        if frame.result is not None and frame.returned is not True and not _returns(text.body):
            raise refuse(frame.file, text, f"{text.name} may end without a value", "end it with a return")
        self.frames.pop()
        self.deciding -= decides
        return frame.result

    def call(self, function: Any, arguments: list[Any], named: dict[str, Any], node: ast.Call, frame: Frame) -> Any:
        """Walk or perform a call that the text makes."""
        if function is guard:
            # Natively a violation ends the action, so a guard after it is never reached.
            held = self.graph.or_(self.graph.not_(self.path), self.truth(arguments[0], node, frame))
            self.enabled = self.graph.and_(self.enabled, self.graph.or_(held, self.failed()))
            return None
        if function is require:
            self.violated(arguments[1], self.graph.not_(self.truth(arguments[0], node, frame)))
            return None
        if function is copy:
            return self.duplicate(arguments[0])
        if isinstance(function, type) and dataclasses.is_dataclass(function) and self.is_record(function):
            names = [item.name for item in dataclasses.fields(function)]
            given = dict(zip(names, arguments, strict=False)) | named
            for value in given.values():
                self.give(value, node, frame)
            return self.made(fresh(function, [(name, given[name]) for name in names], self.store))
        if isinstance(function, (FunctionType, MethodType, Action, Property)):
            return self.run(function, arguments, named)
        if getattr(builtins, getattr(function, "__name__", ""), None) is function:
            return self.builtin(function, arguments, named, node, frame)
        raise refuse(frame.file, node, f"{ast.unparse(node.func)} is no function of the model", "call plain functions")

    def violated(self, name: str, condition: Value) -> None:
        """Note that a property is violated where the path is taken and the condition holds.

        Natively the first violation ends the action, so one of another name that came before takes precedence.
        """
        condition = self.graph.and_(self.path, condition)
        condition = self.graph.and_(condition, self.graph.not_(self.failed(but=name)))
        if condition is not False:
            self.violations.append((name, condition))

    def failed(self, but: str = "") -> Value:
        """Return whether anything has been violated so far, apart from one property."""
        return self.graph.any_of(condition for name, condition in self.violations if name != but)

    # Statements.

    def block(self, statements: list[ast.stmt], frame: Frame) -> None:
        """Execute statements one after the other, each under the condition that none before has left."""
        for number, statement in enumerate(statements):
            if frame.alive is False:
                return
            if isinstance(frame.alive, Node):
                self.under(frame.alive, statements[number:], frame)
                return
            if isinstance(statement, ast.If) and self.branch(statement, statements[number + 1 :], frame):
                return
            if not isinstance(statement, ast.If):
                self.attempt(statement, frame)

    def under(self, condition: Value, statements: list[ast.stmt], frame: Frame) -> None:
        """Execute statements where the condition holds, and nothing elsewhere."""
        saved, store, path = frame.snapshot(), self.store.snapshot(), self.path
        self.path = self.graph.and_(path, condition)
        frame.alive = True
        self.block(statements, frame)
        self.path = path
        self.join(condition, frame, (frame.snapshot(), self.store.snapshot()), ((saved[0], False, *saved[2:]), store))

    def branch(self, statement: ast.If, rest: list[ast.stmt], frame: Frame) -> bool:
        """Execute an `if`; return whether the rest of the block has been executed with it.

        Where one side leaves the block, the rest belongs to the other side alone: its values are not merged yet.
        """
        condition = self.truth(self.expression(statement.test, frame), statement.test, frame)
        if not isinstance(condition, Node):
            self.block(statement.body if condition else statement.orelse, frame)
            return False
        saved, store, path = frame.snapshot(), self.store.snapshot(), self.path
        sides = []
        for holds, body in ((condition, statement.body), (self.graph.not_(condition), statement.orelse)):
            frame.restore(saved)
            self.store.restore(store)
            self.path = self.graph.and_(path, holds)
            self.block(body, frame)
            sides.append((frame.snapshot(), self.store.snapshot()))
        left = [side[0][1] is False for side in sides]
        takes_rest = left[0] != left[1] and bool(rest)
        if takes_rest:
            live = 1 if left[0] else 0
            frame.restore(sides[live][0])
            self.store.restore(sides[live][1])
            self.path = self.graph.and_(path, self.graph.not_(condition) if left[0] else condition)
            self.block(rest, frame)
            sides[live] = (frame.snapshot(), self.store.snapshot())
        self.path = path
        self.join(condition, frame, sides[0], sides[1])
        return takes_rest

    def join(self, condition: Value, frame: Frame, yes: Any, no: Any) -> None:
        """Merge two sides of a branch."""
        (names, alive, returned, result), store = yes
        (other_names, other_alive, other_returned, other_result), other_store = no
        self.store.merge(condition, store, other_store)
        frame.alive = self.graph.where(condition, alive, other_alive)
        frame.returned = self.graph.where(condition, returned, other_returned)
        if returned is False or other_returned is False:
            frame.result = other_result if returned is False else result
        else:
            frame.result = self.merge_values(condition, result, other_result)
        frame.names = {
            name: self.merge_values(condition, names.get(name, UNDEFINED), other_names.get(name, UNDEFINED))
            for name in {**names, **other_names}
        }

    def merge_values(self, condition: Value, a: Any, b: Any) -> Any:
        """Return one local value for two; a name that differs in kind on the two sides becomes undefined."""
        if a is b:
            return a
        if mergeable(a, b):
            return choose(self.graph, [(condition, a), (self.graph.not_(condition), b)])
        return a if type(a) is type(b) and a == b else UNDEFINED

    def attempt(self, statement: ast.stmt, frame: Frame) -> None:
        """Execute one statement; where a file of the user's own goes wrong, say where."""
        try:
            self.statement(statement, frame)
        except MISTAKES as error:
            if frame.file not in FILES:
                raise
            raise refuse(frame.file, statement, f"this fails with {told(error)}", "mend it") from error

    def statement(self, statement: ast.stmt, frame: Frame) -> None:
        """Execute one statement other than `if`."""
        if isinstance(statement, ast.Assign):
            value = self.expression(statement.value, frame)
            for target in statement.targets:
                self.assign(target, value, frame)
        elif isinstance(statement, ast.AnnAssign):
            if statement.value is None:
                raise refuse(frame.file, statement, "a declaration without a value", "assign where you declare")
            self.assign(statement.target, self.expression(statement.value, frame), frame)
        elif isinstance(statement, ast.AugAssign):
            # Python evaluates the target once, before the value.
            place = self.target(statement.target, frame)
            old = self.load(statement.target, place, frame)
            value = self.binary(statement.op, old, self.expression(statement.value, frame), statement, frame)
            self.store_at(statement.target, place, value, frame)
        elif isinstance(statement, ast.For):
            self.loop(statement, frame)
        elif isinstance(statement, ast.Return):
            frame.result = self.expression(statement.value, frame) if statement.value else None
            frame.alive, frame.returned = False, True
        elif isinstance(statement, ast.Continue):
            frame.alive = False
        elif isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant):
                self.expression(statement.value, frame)
        elif not isinstance(statement, ast.Pass):
            raise refuse(frame.file, statement)

    def loop(self, statement: ast.For, frame: Frame) -> None:
        """Execute a `for` over a fixed number of elements, one copy of the body for each."""
        if statement.orelse:
            raise refuse(frame.file, statement, "for with else", "put it after the loop")
        for item in self.iterate(self.expression(statement.iter, frame), statement, frame):
            if frame.alive is False:
                return
            self.assign(statement.target, item, frame)
            if isinstance(frame.alive, Node):
                self.under(frame.alive, statement.body, frame)
            else:
                self.block(statement.body, frame)
            frame.alive = self.graph.not_(frame.returned)

    def assign(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Give a name or a place of the state a value."""
        if isinstance(target, ast.Tuple):
            for part, item in zip(target.elts, list(self.iterate(value, target, frame)), strict=True):
                self.assign(part, item, frame)
        else:
            self.store_at(target, self.target(target, frame), value, frame)

    def target(self, target: ast.expr, frame: Frame) -> tuple[Any, Any]:
        """Evaluate what an assignment assigns to: the record or vector, and the index in it."""
        if isinstance(target, ast.Name):
            return None, None
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value, frame)
            if not isinstance(options_of(owner), Record):
                raise refuse(
                    frame.file, target, f"{ast.unparse(target)} is no field of the state", "assign to the state"
                )
            return owner, None
        if isinstance(target, ast.Subscript):
            owner = self.expression(target.value, frame)
            if not isinstance(options_of(owner), Array):
                raise refuse(frame.file, target, f"{ast.unparse(target)} is no element of the state", "use a Vector")
            return owner, self.expression(target.slice, frame)
        raise refuse(frame.file, target)

    def load(self, target: ast.expr, place: tuple[Any, Any], frame: Frame) -> Any:
        """Return the value at an evaluated target."""
        if isinstance(target, ast.Attribute):
            return read(field(place[0], target.attr), self.store)
        if isinstance(target, ast.Subscript):
            return self.at(*place)
        return self.expression(target, frame)

    def store_at(self, target: ast.expr, place: tuple[Any, Any], value: Any, frame: Frame) -> None:
        """Write a value to an evaluated target."""
        owner, index = place
        if not isinstance(target, ast.Name):
            self.give(value, target, frame)
            if self.deciding and any(leaf.index >= 0 for leaf in leaves(options_of(owner))):
                raise refuse(
                    frame.file, target, "a decision changes the state", "only look at it, and return an answer"
                )
        if isinstance(target, ast.Name):
            if isinstance(value, Lazily):
                raise refuse(frame.file, target, "an enumerate() or zip() with a name", "loop over it directly")
            frame.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            self.replace(field(owner, target.attr), value)
        else:
            for condition, number in self.places(owner, index):
                self.replace(
                    [(self.graph.and_(condition, guard_), leaf) for guard_, leaf in element(owner, number)], value
                )

    def replace(self, parts: list[tuple[Value, Shape]], value: Any) -> None:
        """Write a value to a place; names for a record that stood there mean the former one, which is gone."""
        gone = {part for _, place in parts for part in inside(place)}
        for frame in self.frames if gone else []:
            for name, local in frame.names.items():
                if not gone.isdisjoint(meant(local)):
                    frame.names[name] = REPLACED
        assign(parts, value, self.store)

    def places(self, owner: Any, index: Any) -> list[tuple[Value, int]]:
        """Return which elements an index may mean, each with its condition; an index outside is a violation."""
        array = options(owner)[0][1]
        assert isinstance(array, Array)
        size = len(array.elements)
        inside = self.graph.and_(self.graph.le(0, index), self.graph.lt(index, size))
        self.violated(WELL_FORMED, self.graph.not_(inside))
        found = [(self.graph.eq(index, place), place) for place in range(size)]
        return [(condition, place) for condition, place in found if condition is not False]


def options_of(value: Any) -> Any:
    """Return a record or vector that a reference stands for; anything else is itself."""
    return options(value)[0][1] if isinstance(value, Mux) else value


def _returns(statements: list[ast.stmt]) -> bool:
    """Whether a block visibly ends with a return whatever the conditions in it are."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _returns(last.body) and _returns(last.orelse)
    return isinstance(last, ast.Return)


def _bind(function: FunctionType, arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a call by name."""
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    bound = dict(zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True))
    bound.update(zip(parameters, arguments, strict=False))
    bound.update(named)
    if len(arguments) > len(parameters) or len(bound) != len(parameters):
        raise OutsideSubset(
            function.__code__.co_filename,
            function.__code__.co_firstlineno,
            f"{function.__qualname__} takes {', '.join(parameters)} and is called with other arguments",
            "give it the parameters of the method that it overrides",
        )
    return {name: bound[name] for name in parameters}


__all__ = ["Frame", "OutsideSubset", "Walk"]
