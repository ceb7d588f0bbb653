"""From a function to the syntax tree of its text, and what to say when the text leaves the subset."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from types import FunctionType

SUBSET = "the subset is assignments, if, for over fixed sizes, return, continue, calls and expressions"


class OutsideSubset(Exception):
    """Text that the evaluator does not read; says where, what, and what to write instead."""

    def __init__(self, file: str, line: int, what: str, instead: str) -> None:
        # All of the arguments are kept, so that the error survives the way back from a worker process.
        super().__init__(file, line, what, instead)

    def __str__(self) -> str:
        """Say where, what, and what to write instead."""
        file, line, what, instead = self.args
        return f"{file}:{line}: {what}; {instead}"


EDITED: dict[str, str] = {}
"""Texts that stand in no file: edited copies of spec modules, by the name under which they were compiled."""


@functools.cache
def _functions(file: str) -> dict[int, ast.FunctionDef]:
    """Index the functions of a file by their first line, decorators included (as a code object counts it)."""
    tree = ast.parse(EDITED[file] if file in EDITED else Path(file).read_text(encoding="utf-8"), file)
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])] = node
    return found


@functools.cache
def text_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function; raises OutsideSubset for what is not a plain `def`."""
    code = function.__code__
    file = code.co_filename
    try:
        return _functions(file)[code.co_firstlineno]
    except (OSError, KeyError):
        raise OutsideSubset(
            file,
            code.co_firstlineno,
            f"{function.__qualname__} has no readable `def`",
            "write it as a function in a file",
        ) from None


_INSTEAD = {
    ast.While: ("while", "write `for ... in range(n)` with a fixed n"),
    ast.Try: ("try", "say with guard(...) when the action may happen"),
    ast.With: ("with", "call the functions directly"),
    ast.Break: ("break", "put the rest of the body under an `if`, or return from a function"),
    ast.Raise: ("raise", "write require(condition, 'property-name')"),
    ast.Assert: ("assert", "write require(condition, 'property-name')"),
    ast.Lambda: ("lambda", "write a named function"),
    ast.ListComp: ("a list comprehension", "assign to the elements of a Vector, or use any(), all() or sum()"),
    ast.SetComp: ("a set comprehension", "use any(), all() or sum()"),
    ast.DictComp: ("a dict comprehension", "use any(), all() or sum()"),
    ast.Dict: ("a dict", "use a record or a Vector"),
    ast.Set: ("a set", "use a tuple"),
    ast.List: ("a list", "use a Vector of the state, or a tuple"),
    ast.JoinedStr: ("a formatted string", "leave texts to the checker"),
    ast.Yield: ("yield", "return the value"),
    ast.Await: ("await", "call the function directly"),
    ast.NamedExpr: (":=", "assign on a line of its own"),
    ast.Slice: ("a slice", "index the elements"),
    ast.Starred: ("a starred expression", "name the elements"),
    ast.Global: ("global", "keep it in the state"),
    ast.Nonlocal: ("nonlocal", "keep it in the state"),
    ast.Import: ("import", "import at the top of the file"),
    ast.ImportFrom: ("import", "import at the top of the file"),
    ast.Delete: ("del", "assign ABSENT"),
    ast.FunctionDef: ("a nested function", "write it at the top of the file"),
    ast.Match: ("match", "write if and elif"),
}


def refuse(file: str, node: ast.AST, what: str = "", instead: str = "") -> OutsideSubset:
    """Return the error for a piece of text outside the subset."""
    known, advice = _INSTEAD.get(type(node), (type(node).__name__, SUBSET))
    return OutsideSubset(file, getattr(node, "lineno", 0), what or f"{known} is outside the subset", instead or advice)
