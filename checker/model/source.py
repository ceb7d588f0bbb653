"""From a function to the syntax tree of its text; one that cannot be told apart from others is refused."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final

import spec.language
from checker.exit_codes import BadInput

_INSTEAD: Final[dict[type[ast.AST], tuple[str, str]]] = {
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
    ast.YieldFrom: ("yield", "return the value"),
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
_ELSE: Final = "the subset is assignments, if, for over fixed sizes, return, continue, calls and expressions"


class OutsideSubset(BadInput):
    """Text that the evaluator does not read; says where, what, and what to write instead."""

    def __init__(self, file: str, line: int, what: str, instead: str) -> None:
        # All of the arguments are kept, so that the error survives the way back from a worker process.
        super().__init__(file, line, what, instead)

    def __str__(self) -> str:
        """Say where, what, and what to write instead."""
        file, line, what, instead = self.args
        return f"{file}:{line}: {what}; {instead}"


def refuse(file: str, node: ast.AST, what: str = "", instead: str = "") -> OutsideSubset:
    """Return the error for a piece of text outside the subset."""
    known, advice = _INSTEAD.get(type(node), (type(node).__name__, _ELSE))
    return OutsideSubset(file, getattr(node, "lineno", 0), what or f"{known} is outside the subset", instead or advice)


def on_one_line(text: str) -> str:
    """Return a statement on one line; of a guard only what it asks, since its reason is said where it is asked for."""
    line = " ".join(text.split())
    try:
        [statement] = ast.parse(line).body
    except (SyntaxError, ValueError):
        return line
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "guard" and call.args):
        return line
    # Whatever stands between the brackets and the reason belongs to the condition: brackets of its own, too.
    reason: list[ast.expr | ast.keyword] = [*call.args[1:], *call.keywords]
    end = reason[0].col_offset if reason else -1
    asked = line.encode()[len("guard(") : end].decode().rstrip(" ,").lstrip()
    return f"guard({asked})"


_LANGUAGE: Final = Path(spec.language.__file__).parent


@functools.cache
def is_of_the_language(file: str) -> bool:
    """Whether a file, as its code names it, is one that the words of a text come from, and no place in the text."""
    return Path(file).parent == _LANGUAGE


EDITED: dict[str, str] = {}
"""Texts that stand in no file: edited copies of spec modules, by the name under which they were compiled."""

Place = tuple[int, str]
"""Where a function begins, decorators included, as its code counts it; and its name: a lambda has none of its own."""


@functools.cache
def _functions(file: str, text: str) -> tuple[dict[Place, ast.FunctionDef], dict[Place, list[CodeType]]]:
    """Index the functions of a file: their trees, and the code that Python makes of them."""
    tree = ast.parse(text, file)
    trees = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            trees[min([node.lineno, *[each.lineno for each in node.decorator_list]]), node.name] = node
    codes: dict[Place, list[CodeType]] = {}
    for code in _codes(compile(tree, file, "exec", dont_inherit=True)):
        codes.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return trees, codes


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


_OF_THE_WHOLE: Final = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
"""What says something of a whole function wherever in it this stands, even where it is never executed."""


@functools.cache
def text_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function; raises OutsideSubset for what is not a plain `def` of a file.

    The code that runs must be the code of that text: a file that was changed since it was imported says something else.
    """
    code = function.__code__
    file, place = code.co_filename, (code.co_firstlineno, code.co_name)
    try:
        trees, codes = _functions(file, EDITED[file] if file in EDITED else Path(file).read_text(encoding="utf-8"))
        text, known = trees[place], codes[place]
    except (OSError, KeyError, SyntaxError, ValueError):
        raise OutsideSubset(
            file,
            code.co_firstlineno,
            f"{function.__qualname__} has no readable `def`",
            "write it as a function in a file",
        ) from None
    # How the text was compiled, with or without this or that future, makes no difference to what it says.
    if not any(each.replace(co_flags=code.co_flags) == code for each in known):
        raise OutsideSubset(
            file,
            code.co_firstlineno,
            f"{function.__qualname__} is not what stands here: the text has changed since it was imported",
            "start again",
        )
    return text


@functools.cache
def of_another_kind(text: ast.FunctionDef) -> ast.AST | None:
    """Return what makes a function another kind of function, or a name of it another kind of name; None: nothing."""
    return next((node for node in ast.walk(text) if isinstance(node, _OF_THE_WHOLE)), None)
