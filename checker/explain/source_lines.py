"""The text around a line of the spec: its syntax tree, the conditions and loops that it stands in, its place."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import CodeType

import spec
from checker.model.source import EDITED

_ROOT = Path(spec.__file__).parent.parent


def tree_of(code: CodeType) -> tuple[ast.AST, str]:
    """Return the syntax tree of the file that a function stands in, restricted to the function, and the file's text."""
    name = code.co_filename
    source = EDITED[name] if name in EDITED else Path(name).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node, source
    return ast.parse(source), source


def covers(node: ast.stmt, line: int) -> bool:
    """Return whether a statement stands on a line, or around it."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def path_to(tree: ast.AST, fits: Callable[[ast.AST], bool]) -> list[ast.AST]:
    """Return the nodes from the tree down to the innermost one that fits."""
    best: list[ast.AST] = []

    def visit(node: ast.AST, above: list[ast.AST]) -> None:
        nonlocal best
        path = [*above, node]
        if fits(node) and len(path) > len(best):
            best = path
        for child in ast.iter_child_nodes(node):
            visit(child, path)

    visit(tree, [])
    return best


def around(path: list[ast.AST]) -> tuple[ast.expr | None, bool]:
    """Return the innermost `if` condition around a node, and whether the node lies where it is true."""
    for outer, inner in zip(reversed(path[:-1]), reversed(path), strict=False):
        if isinstance(outer, ast.If):
            return outer.test, inner in outer.body
    return None, False


def loops_around(path: list[ast.AST]) -> list[str]:
    """Return the loop variables around a node, outermost first."""
    targets = [node.target for node in path if isinstance(node, ast.For)]
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def one_line(source: str, node: ast.AST) -> str:
    """Return the text of a node on one line."""
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split())


def place_of(code: CodeType, line: int) -> str:
    """Return FILE:LINE of a line of a function."""
    path = Path(code.co_filename)
    return f"{path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path.name}:{line}"
