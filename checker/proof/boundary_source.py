"""The shipped text as a thing of its own: its functions, copies with another text, and what is asked about it."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import cast

from checker.model.source import EDITED
from checker.proof import boundary_contract
from runtime import boundary
from spec.language import Property

Boundary = ModuleType | SimpleNamespace
"""The shipped module, a copy of it with another text, or its functions in other clothes."""

_numbers = itertools.count(1)


def source() -> str:
    """Return the text that ships."""
    return Path(inspect.getfile(boundary)).read_text(encoding="utf-8")


def load(text: str) -> ModuleType:
    """Return a module with another text in the place of the one that ships."""
    file = f"<changed {next(_numbers)}> runtime/boundary.py"
    EDITED[file] = text
    module = ModuleType("runtime.boundary")
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def functions(module: Boundary = boundary) -> dict[str, FunctionType]:
    """Return the public functions of the shipped module, or of a copy of it, in the order of the text."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == boundary.__name__ and not name.startswith("_")
    }


def about(module: Boundary, **others: object) -> tuple[Property, ...]:
    """Return the properties of boundary_contract.py with another module, and maybe other helpers, in its names."""
    names: dict[str, object] = dict(vars(boundary_contract))
    for name, value in vars(boundary_contract).items():
        if isinstance(value, FunctionType) and value.__module__ == boundary_contract.__name__:
            names[name] = _with(value, names)
        elif isinstance(value, Property):
            names[name] = dataclasses.replace(value, function=_with(value.function, names))
    names |= {"boundary": module, **others}
    return tuple(cast(Property, names[stated.function.__name__]) for stated in boundary_contract.SHIPPED)


def _with(function: Callable[..., object], names: dict[str, object]) -> FunctionType:
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def unreached() -> list[str]:
    """Return the public functions of the shipped module that no property calls, not even through another one."""
    theirs = _calls(source(), "boundary.")
    calls = _calls(inspect.getsource(boundary_contract), "") | theirs
    todo = [stated.function.__name__ for stated in boundary_contract.SHIPPED]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += calls.get(name, ())
    return [name for name in theirs if not name.startswith("boundary._") and name not in found]


def _calls(text: str, prefix: str) -> dict[str, list[str]]:
    """Return for each function of a text the names in it that may be functions of either module."""
    return {
        prefix + node.name: [name for part in ast.walk(node) for name in _names(part, prefix)]
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }


def _names(part: ast.AST, prefix: str) -> Iterable[str]:
    if isinstance(part, ast.Name):
        yield prefix + part.id
    elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "boundary":
        yield f"boundary.{part.attr}"
