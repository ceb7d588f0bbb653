"""The walk over a function's text: one text, several readings.

The walk runs the text over values that may be Nodes of a graph. At an `if` whose condition is a Node both sides are
walked on copies and merged; an index that is a Node reads and writes through all elements; `guard` and `require`
collect when the action may happen and what it violates, under the condition of the path. Nothing is written twice:
columns and solver terms are readings of the graph that one walk leaves.
"""

from __future__ import annotations

import ast
from types import FunctionType, MethodType

import spec.language
from checker.model.layout import Record, leaves
from checker.model.source import OutsideSubset, of_another_kind, refuse, text_of
from checker.model.user_files import FILES, MISTAKES, BadModel, describe_error
from checker.symbolic.calls import Calls
from checker.symbolic.frame import Frame, Saved
from checker.symbolic.graph import Graph, Node, Value
from checker.symbolic.outside import refuse_mangled
from checker.symbolic.path import vector
from checker.symbolic.store import Refused, Snapshot, Store
from checker.symbolic.subset import STATEMENTS, is_reference
from checker.symbolic.values import UNDEFINED, Function, Held, Lazily, Reference, choose, meant, mergeable, model_of
from spec.language import Action, Property

Target = tuple[Reference | None, Held]
"""What an assignment assigns to, evaluated: the record or vector, and the index in it; None for a name."""

_DEEPEST = 40
"""Calls within calls: what goes deeper is a recursion."""


class Walk(Calls):
    """One walk over one function (an action, a property, a decision) and all that it calls."""

    def __init__(self, graph: Graph, store: Store, context: Held = None) -> None:
        """Prepare a walk; the methods of `context` are decisions: they look at the state, but not at its ghosts."""
        super().__init__(graph, store)
        self.context = context
        self.depth = 0
        self.asking = False
        """Whether a property is asked, which only looks at the state."""

    # Calls.

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
        self.asking = True
        try:
            value = self.run(function, arguments)
        except OutsideSubset as outside:
            # What is said of each request is asked by the language: a fault of that is one of what is written.
            if outside.args[0] != spec.language.__file__:
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

    # Statements.

    def block(self, statements: list[ast.stmt], frame: Frame) -> None:
        """Execute statements one after the other, each under the condition that none before has left."""
        for number, statement in enumerate(statements):
            if frame.alive is False:
                return
            if isinstance(frame.alive, Node):
                self.under(frame.alive, statements[number:], frame)
                return
            if isinstance(statement, ast.If):
                if self.branch(statement, statements[number + 1 :], frame):
                    return
            else:
                self.statement(statement, frame)

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

    def join(self, condition: Value, frame: Frame, yes: tuple[Saved, Snapshot], no: tuple[Saved, Snapshot]) -> None:
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

    def merge_values(self, condition: Value, a: Held, b: Held) -> Held:
        """Return one value for two; where they differ in kind there is none."""
        if a is b:
            return a
        if mergeable(a, b):
            return choose(self.graph, [(condition, a), (self.graph.not_(condition), b)])
        return UNDEFINED

    def statement(self, statement: ast.stmt, frame: Frame) -> None:
        """Execute one statement other than `if`; where a file of the user's own goes wrong, say where."""
        form = STATEMENTS.get(type(statement))
        if form is None:
            raise refuse(frame.file, statement)
        try:
            getattr(self, form.reader)(statement, frame)
        except Refused as refused:
            raise refuse(frame.file, statement, *refused.args) from None
        except BadModel:
            raise
        except MISTAKES as error:
            if frame.file not in FILES:
                raise
            raise refuse(frame.file, statement, f"this fails with {describe_error(error)}", "fix it") from error

    def _assign_all(self, statement: ast.Assign, frame: Frame) -> None:
        value = self.expression(statement.value, frame)
        for target in statement.targets:
            self.bind_to(target, value, frame)

    def _declare(self, statement: ast.AnnAssign, frame: Frame) -> None:
        if statement.value is None:
            raise Refused("a declaration without a value", "assign where you declare")
        self.bind_to(statement.target, self.expression(statement.value, frame), frame)

    def _augment(self, statement: ast.AugAssign, frame: Frame) -> None:
        # Python evaluates the target once, before the value.
        place = self.target(statement.target, frame)
        old = self.load(statement.target, place, frame)
        value = self.binary(statement.op, old, self.expression(statement.value, frame))
        self.put(statement.target, place, value, frame)

    def _return(self, statement: ast.Return, frame: Frame) -> None:
        frame.result = self.expression(statement.value, frame) if statement.value else None
        frame.alive, frame.returned = False, True

    def _continue(self, statement: ast.Continue, frame: Frame) -> None:
        frame.alive = False

    def _discard(self, statement: ast.Expr, frame: Frame) -> None:
        if not isinstance(statement.value, ast.Constant):
            self.evaluate(statement.value, frame)

    def _pass(self, statement: ast.Pass, frame: Frame) -> None:
        pass

    def loop(self, statement: ast.For, frame: Frame) -> None:
        """Execute a `for` over a fixed number of elements, one copy of the body for each."""
        if statement.orelse:
            raise Refused("for with else", "put it after the loop")
        for name in ast.walk(statement.target):
            if isinstance(name, (ast.Attribute, ast.Subscript)):
                raise Refused("a loop that counts in the state", "count in a local name")
        for item in self.iterate(self.expression(statement.iter, frame, iterated=True)):
            if frame.alive is False:
                return
            self.bind_to(statement.target, item, frame)
            if isinstance(frame.alive, Node):
                self.under(frame.alive, statement.body, frame)
            else:
                self.block(statement.body, frame)
            frame.alive = self.graph.not_(frame.returned)

    # Assignment.

    def bind_to(self, target: ast.expr, value: Held, frame: Frame) -> None:
        """Give a name or a place of the state a value."""
        if isinstance(target, ast.Tuple):
            items = list(self.iterate(value))
            if len(items) != len(target.elts):
                raise Refused(f"{len(target.elts)} targets for {len(items)} values", "name as many as there are")
            for part, item in zip(target.elts, items, strict=True):
                self.bind_to(part, item, frame)
        else:
            self.put(target, self.target(target, frame), value, frame)

    def target(self, target: ast.expr, frame: Frame) -> Target:
        """Evaluate what an assignment assigns to: the record or vector, and the index in it."""
        if isinstance(target, ast.Name):
            return None, None
        if isinstance(target, ast.Attribute):
            owner = self.expression(target.value, frame)
            refuse_mangled(target.attr)
            model = model_of(owner) if is_reference(owner) else None
            if not is_reference(owner) or not isinstance(model, Record) or target.attr not in model.fields:
                raise Refused(f"{ast.unparse(target)} is no field of the state", "assign to the state")
            return owner, None
        if isinstance(target, ast.Subscript):
            owner = self.expression(target.value, frame)
            if not is_reference(owner):
                raise Refused(f"{ast.unparse(target)} is no element of the state", "use a Vector")
            vector(owner)
            return owner, self.expression(target.slice, frame)
        raise refuse(frame.file, target)

    def load(self, target: ast.expr, place: Target, frame: Frame) -> Held:
        """Return the value at an evaluated target."""
        owner, index = place
        if owner is None:
            return self.expression(target, frame)
        if isinstance(target, ast.Attribute):
            return self.store.read(self.store.field(owner, target.attr))
        return self.at(owner, index, noted=False)

    def put(self, target: ast.expr, place: Target, value: Held, frame: Frame) -> None:
        """Write a value to an evaluated target."""
        owner, index = place
        if owner is None:
            assert isinstance(target, ast.Name)
            if isinstance(value, Lazily):
                raise Refused(f"{value.function.__name__}() with a name", "loop over it directly")
            frame.names[target.id] = value
            return
        looking = "a decision" if self.store.deciding else "a property" if self.asking else ""
        if looking and any(leaf.index >= 0 for part in meant(owner) for leaf in leaves(part)):
            raise refuse(frame.file, target, f"{looking} changes the state", "only look at it, and return an answer")
        if isinstance(target, ast.Attribute):
            self.store.assign(self.store.field(owner, target.attr), value)
            return
        self.store.check(value)
        parts = [
            (self.graph.and_(condition, inner), shape)
            for condition, number in self.places(owner, index)
            for inner, shape in self.store.element(owner, number)
        ]
        self.store.assign(parts, value)


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
