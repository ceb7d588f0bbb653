"""The expressions of the subset, as the walk evaluates them: names, and the parts of what they stand for.

symbolic/subset.py lists them all, with what Python does; symbolic/operators.py evaluates those with operands.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod

from checker.model.layout import Record
from checker.model.source import refuse
from checker.model.user_files import FILES, MISTAKES, BadModel, describe_error
from checker.symbolic.frame import Frame
from checker.symbolic.node import Node, Value, bounds
from checker.symbolic.outside import COMPUTED, refuse_mangled, static_attribute
from checker.symbolic.path import Path
from checker.symbolic.store import Refused
from checker.symbolic.subset import EXPRESSIONS, admitted, is_concrete, is_number, is_reference
from checker.symbolic.values import UNDEFINED, Held, Lazily, choose, mergeable, model_of
from spec.language import Violated


class Expressions(Path, ABC):
    """Evaluates expressions; the base of the walk, which makes calls and executes statements."""

    @abstractmethod
    def run(self, function: Held, arguments: list[Held], named: dict[str, Held] | None = None) -> Held:
        """Walk a call of a function of the text: checker/symbolic/walk.py."""

    def expression(self, node: ast.expr, frame: Frame, iterated: bool = False) -> Held:
        """Return the value of an expression, which has one whatever the state is; an iterator only if looped over."""
        value = self.evaluate(node, frame)
        if isinstance(value, Lazily) and not iterated:
            raise refuse(
                frame.file, node, f"{value.function.__name__}() where it is not looped over", "loop over it directly"
            )
        if value is UNDEFINED:
            raise refuse(
                frame.file,
                node,
                f"{ast.unparse(node)} may have no value here, or values of two kinds",
                "set it on both sides of the `if`, or end the function with a return of one kind on every way",
            )
        return value

    def evaluate(self, node: ast.expr, frame: Frame) -> Held:
        """Return the value of an expression, which may be an iterator, or UNDEFINED."""
        form = EXPRESSIONS.get(type(node))
        if form is None:
            raise refuse(frame.file, node)
        try:
            return getattr(self, form.reader)(node, frame)
        except Refused as refused:
            raise refuse(frame.file, node, *refused.args) from None
        except BadModel:
            raise
        except MISTAKES as error:
            if frame.file not in FILES:
                raise
            raise refuse(
                frame.file, node, f"{ast.unparse(node)} fails with {describe_error(error)}", "fix it"
            ) from error

    def where(self, condition: Value, node: ast.expr, frame: Frame, iterated: bool = False) -> Held:
        """Return the value of an expression that Python evaluates only where the condition holds."""
        if condition is True:
            return self.expression(node, frame, iterated)
        path, before = self.path, self.store.snapshot()
        self.path = self.graph.and_(path, condition)
        value = self.expression(node, frame, iterated)
        self.path = path
        # A call may have changed the state: elsewhere it has not happened.
        self.store.merge(condition, self.store.snapshot(), before)
        return value

    def truth(self, value: Held, node: ast.expr, frame: Frame) -> Value:
        """Return whether Python takes a value for true; a record or vector is no condition."""
        if is_reference(value):
            raise refuse(frame.file, node, f"{ast.unparse(node)} as a condition", "compare it, or ask for its len()")
        return self.graph.truth(value)

    def either(self, condition: Value, yes: Held, no: Held, node: ast.expr, frame: Frame) -> Held:
        """Return one value for two; refuses two that are not of one kind."""
        if not mergeable(yes, no):
            raise refuse(frame.file, node, f"{ast.unparse(node)} has values of two kinds", "write an `if`")
        return choose(self.graph, [(condition, yes), (self.graph.not_(condition), no)])

    # Names and parts.

    def _constant(self, node: ast.Constant, frame: Frame) -> Held:
        if not isinstance(node.value, (int, str, type(None))):
            raise refuse(frame.file, node, f"the constant {node.value!r}", "use whole numbers")
        return node.value

    def _name(self, node: ast.Name, frame: Frame) -> Held:
        refuse_mangled(node.id)
        try:
            value = frame.look_up(node.id)
        except NameError:
            raise Refused(f"the name {node.id} is not defined here", "define it at the top of the file") from None
        except ValueError:
            raise Refused(f"the name {node.id} has no value yet", "define it before the function is called") from None
        except TypeError as error:
            raise Refused(f"{node.id} is {error}", "use whole numbers") from None
        self.store.check(value)
        return value

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Held:
        owner = self.expression(node.value, frame)
        refuse_mangled(node.attr)
        if is_reference(owner):
            model = model_of(owner)
            if not isinstance(model, Record) or node.attr not in model.fields:
                raise Refused(f"{ast.unparse(node)} is no field of a record", "use the state's fields")
            return self.found_at(owner, node.attr, self.store.look(self.store.field(owner, node.attr)))
        if is_number(owner):
            raise Refused(f"{ast.unparse(node)} is no field of a record", "use the state's fields")
        return self._outside(owner, node)

    def _outside(self, owner: Held, node: ast.Attribute) -> Held:
        """Return an attribute of what is no part of the state; a property is walked, other code behind it refused."""
        static, of = static_attribute(owner, node.attr)
        if isinstance(static, property):
            return self.found_at(owner, node.attr, self.run(static.fget, [of]))
        if static is COMPUTED:
            raise Refused(f"{ast.unparse(node)} is computed by code that is not read", "write a method or a @property")
        value = getattr(owner, node.attr)
        try:
            return self.found_at(owner, node.attr, admitted(value))
        except TypeError as error:
            raise Refused(f"{ast.unparse(node)} is {error}", "use whole numbers") from None

    def found_at(self, owner: Held, name: str, value: Held) -> Held:
        """Return the value of an attribute; checker/symbolic/naming_walk.py looks whose it is."""
        return value

    def indexed(self, owner: Held, index: Held) -> None:
        """See which element of a vector or tuple is asked for; symbolic/naming_walk.py looks how it is named."""

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Held:
        owner = self.expression(node.value, frame)
        index = self.expression(node.slice, frame)
        if isinstance(owner, (tuple, list, dict, range)):
            self.indexed(owner, index)
            if isinstance(index, Node):
                return self._of_tuple(owner, self.graph.int_(index), node, frame)
            if not is_concrete(index):
                raise Refused(f"the index of {ast.unparse(node)} depends on the state", "use a Vector")
            # What is no index, Python refuses. What a tuple or range holds was admitted with it, or made by the walk.
            try:
                found = owner[index]  # type: ignore[call-overload]
            except Violated:
                raise Refused(f"{ast.unparse(node)} lies outside of its Vector", "index what is there") from None
            return found if isinstance(owner, (tuple, range)) else admitted(found)
        if not is_reference(owner):
            raise Refused(f"{ast.unparse(node.value)} is no Vector", "index Vectors and tuples")
        return self.at(owner, index)

    def _of_tuple(self, owner: Held, index: Value, node: ast.Subscript, frame: Frame) -> Held:
        """Return the element of a tuple at a computed index, which must lie inside whatever the state is."""
        low, high = bounds(index)
        if not isinstance(owner, tuple) or not 0 <= low <= high < len(owner):
            raise Refused(f"the index of {ast.unparse(node)} may lie outside", "use a Vector")
        result: Held = owner[high]
        for place in range(high - 1, low - 1, -1):
            result = self.either(self.graph.eq(index, place), owner[place], result, node, frame)
        return result

    def _tuple(self, node: ast.Tuple, frame: Frame) -> Held:
        return tuple(self.expression(part, frame) for part in node.elts)
