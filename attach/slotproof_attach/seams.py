"""Seams: the places of an engine that a recorder touches, and whether an engine's files still have them.

They are looked up in the syntax of the files, so that nothing of the engine is imported, let alone started.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

Release = tuple[int, int, int]


class Seam(NamedTuple):
    """A method, function or field of a release range; `owner` "": of the module itself."""

    module: str
    owner: str
    name: str
    gives: str
    """What of a trace would be missing without it."""
    since: Release = (0, 0, 0)
    until: Release = (999, 0, 0)

    def concerns(self, release: Release) -> bool:
        """Whether a release should have it."""
        return self.since <= release <= self.until

    def words(self) -> str:
        """For a person."""
        return ".".join(part for part in (self.module, self.owner, self.name) if part) + f" (for {self.gives})"


def missing(seams: Iterable[Seam], release: Release, root: Path) -> list[str]:
    """Return the seams that the engine's files below `root` should have, and lack."""
    known: dict[str, dict[str, set[str]] | None] = {}
    found = []
    for seam in seams:
        if not seam.concerns(release):
            continue
        if seam.module not in known:
            known[seam.module] = _names(root, seam.module)
        names = known[seam.module]
        if names is None or seam.name not in names.get(seam.owner, ()):
            found.append(seam.words())
    return found


def _names(root: Path, module: str) -> dict[str, set[str]] | None:
    """Return the names that a module and each of its classes define; None: there is no such module."""
    path = root.joinpath(*module.split("."))
    files = [path.with_suffix(".py"), path / "__init__.py"]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return None
    body = ast.parse(file.read_text(encoding="utf-8"), str(file)).body
    found = {"": {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = set(_of_class(node))
    return found


def _of_class(node: ast.ClassDef) -> Iterable[str]:
    """Yield methods, declared fields, and what methods assign to their first argument."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            yield item.name
            yield from _assigned(item)
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            yield item.target.id
        elif isinstance(item, ast.Assign):
            yield from (target.id for target in item.targets if isinstance(target, ast.Name))


def _assigned(method: ast.FunctionDef) -> Iterable[str]:
    if not method.args.args:
        return
    first = method.args.args[0].arg
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == first:
                yield node.attr
