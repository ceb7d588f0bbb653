"""The statements of the subset: one after the other, both sides of an `if`, one copy of a loop's body for each element.

At an `if` whose condition is a Node both sides are walked on copies and merged.
"""

from __future__ import annotations

import ast

from checker.model.source import refuse
from checker.model.user_files import FILES, MISTAKES, BadModel, describe_error
from checker.symbolic.calls import Calls
from checker.symbolic.frame import Frame, Saved
from checker.symbolic.node import Node, Value
from checker.symbolic.store import Refused, Snapshot
from checker.symbolic.subset import STATEMENTS
from checker.symbolic.values import UNDEFINED, Held, choose, mergeable


class Statements(Calls):
    """Executes statements."""

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
