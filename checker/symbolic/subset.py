"""The subset of Python that a walk reads: one place that lists all of it, each entry with what Python does there.

A walk either does what Python does or refuses, with file, line and remedy. Whatever is in none of these tables is
refused; `tests/attacks` holds a model for each entry and looks for a construct that is read in some third way.
"""

from __future__ import annotations

import ast
import enum
import numbers
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, NoneType
from typing import Final, NamedTuple, TypeGuard, TypeVar

from checker.model.layout import Array, Record
from checker.symbolic.node import Node, Value
from checker.symbolic.values import UNDEFINED, Function, Held, Lazily, Mux, Reference
from spec.language import Action, Property, Vector


class Form(NamedTuple):
    """A piece of syntax: the method of the walk that reads it, and what Python does there."""

    reader: str
    python: str


STATEMENTS: Final[dict[type[ast.stmt], Form]] = {
    ast.Assign: Form("_assign_all", "the value is computed first, then the targets are given it from left to right"),
    ast.AnnAssign: Form("_declare", "as an assignment; the annotation of a local name is not evaluated"),
    ast.AugAssign: Form("_augment", "the target is looked up once and read before the value is computed"),
    ast.If: Form("branch", "one side is executed; names set on one side only have no value after the other"),
    ast.For: Form("loop", "over a fixed number of elements, each read when it is its turn"),
    ast.Return: Form("_return", "the call ends; without a value, or at the end of the text, it is None"),
    ast.Continue: Form("_continue", "the rest of the loop's body is left out"),
    ast.Expr: Form("_discard", "the value is computed and dropped"),
    ast.Pass: Form("_pass", "nothing happens"),
}

EXPRESSIONS: Final[dict[type[ast.expr], Form]] = {
    ast.Constant: Form("_constant", "a whole number, True, False, None or a text"),
    ast.Name: Form("_name", "local names, then those of the functions around, then of the module, then builtins"),
    ast.Attribute: Form("_attribute", "a field of a record; of what is no part of the state whatever Python finds"),
    ast.Subscript: Form("_subscript", "an element; an index outside a Vector is a violation"),
    ast.BoolOp: Form("_bool_op", "operands from left to right until one decides, and that operand is the value"),
    ast.UnaryOp: Form("_unary_op", "not and -"),
    ast.BinOp: Form("_bin_op", "+ - * // % on whole numbers, and a tuple repeated"),
    ast.Compare: Form("_compare_chain", "from left to right until one is false; each operand is computed once"),
    ast.IfExp: Form("_if_exp", "one side is computed"),
    ast.Tuple: Form("_tuple", "its elements from left to right; it holds the records themselves, not copies"),
    ast.Call: Form("_call", "the function first, then the arguments from left to right"),
}

ARITHMETIC: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Mod: "mod",
    ast.FloorDiv: "div",
}
"""Operators on whole numbers, by the operation of the graph. The right side of % and // is a positive constant."""

COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "numbers, texts, None; records, vectors and tuples part by part; unlike kinds are not equal",
    ast.NotEq: "the negation of ==",
    ast.Lt: "whole numbers",
    ast.LtE: "whole numbers",
    ast.Gt: "whole numbers",
    ast.GtE: "whole numbers",
    ast.In: "equality with an element of a tuple or a range",
    ast.NotIn: "the negation of in",
    ast.Is: "only beside None, which no number, text, record or tuple is",
    ast.IsNot: "the negation of is",
}

FOLDS: Final[tuple[Function, ...]] = (any, all, sum)
"""Builtins that read a generator expression, a Vector or a tuple, as far as Python would look at it."""

ITERATORS: Final[tuple[Callable[..., Iterator[Held]], ...]] = (enumerate, zip, reversed)
"""Builtins that may stand only where they are looped over: an element is read when it is its turn."""

NUMERIC: Final[tuple[Function, ...]] = (abs, bool, int, max, min)
"""Builtins that take numbers of the state."""

NATIVE: Final[tuple[Function, ...]] = (abs, bool, int, isinstance, len, max, min, range, sorted, tuple)
"""Builtins that are called as they are where no argument depends on the state."""

# The kinds of values.

F = TypeVar("F", bound=Function)


def is_one_of(value: Held, functions: tuple[F, ...]) -> TypeGuard[F]:
    """Whether a value is one of some functions itself; something else may be equal to it."""
    return any(value is each for each in functions)


def is_number(value: Held) -> TypeGuard[Value]:
    """Whether a value is a whole number or a bool, known or of the state."""
    return isinstance(value, (int, Node))


def is_reference(value: Held) -> TypeGuard[Reference]:
    """Whether a value stands for a record or a vector."""
    return isinstance(value, (Record, Array, Mux))


def is_concrete(value: Held) -> bool:
    """Whether a value does not depend on the state in any part, so that Python itself may compute with it."""
    if isinstance(value, (tuple, list)):
        return all(map(is_concrete, value))
    return value is not UNDEFINED and not isinstance(value, (Node, Record, Array, Mux, Lazily))


def admitted(value: Held) -> Held:
    """Return a value that the text names from outside the state as the walk reads it; raises TypeError with the kind.

    Numbers that are not whole compare with whole ones in ways of their own, and so may subclasses of int and str; those
    of tuple, list and dict may find elements in ways of their own. Whatever is an object of some class of its own may
    be asked for its attributes and compared with other such objects only.
    """
    if isinstance(value, int):
        _refuse_operators(value, int)
        return int(value) if isinstance(value, enum.Enum) else value
    if isinstance(value, str):
        _refuse_operators(value, str)
        return str.__str__(value)
    if isinstance(value, (tuple, list, dict)) and type(value) not in (tuple, list, dict, Vector):
        raise TypeError(f"a {type(value).__name__}")
    if isinstance(value, tuple):
        return tuple(map(admitted, value))
    if isinstance(value, (NoneType, range, FunctionType, MethodType, BuiltinFunctionType, ModuleType, type)):
        return value
    if isinstance(value, (Action, Property)):
        return value
    if isinstance(value, (numbers.Number, bytes, bytearray, set, frozenset)):
        raise TypeError(f"the {type(value).__name__} {value!r}")
    return value


def compares_in_its_own_way(value: Held) -> bool:
    """Whether code of a user's own says what a value is equal to: it may say something else each time."""
    methods = (type(value).__eq__, type(value).__ne__)
    return any(isinstance(each, FunctionType) and each.__code__.co_filename != "<string>" for each in methods)


_OPERATORS: Final = tuple(
    f"__{name}__"
    for name in """
    eq ne lt le gt ge bool hash len contains getitem add radd sub rsub mul rmul mod floordiv neg index
    """.split()  # noqa: SIM905 (the names are read more easily than a list of texts)
)


def _refuse_operators(value: int | str, plain: type) -> None:
    """Raise TypeError for a number or text of a kind that has operators of its own."""
    kind = type(value)
    if kind in (plain, bool):
        return
    if any(hasattr(plain, name) and getattr(kind, name) is not getattr(plain, name) for name in _OPERATORS):
        raise TypeError(f"the {kind.__name__} {value!r}")
