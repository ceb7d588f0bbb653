"""From a function to the syntax tree of its text; one that cannot be told apart from others is refused."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

from checker.symbolic.subset import OutsideSubset

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
