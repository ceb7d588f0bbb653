"""The spec with a line changed: a whole second copy of its modules, loaded beside the real ones.

The checker is tested by what it must catch. A wrong edit is text, as a person would make it; the edited copy is walked
and run like the real spec. `spec.language` is shared: guard, require and Vector are the checker's words too.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import spec
from checker.model.source import EDITED

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new` in a module of the spec; `old` must stand there exactly once."""

    module: str
    old: str
    new: str


class BadEdit(ValueError):
    """An edit whose `old` text is not in the module exactly once: the spec has moved on, and the edit must follow."""


def source_of(module: str) -> str:
    """Return the text of a module of the spec, by its dotted name."""
    path = Path(spec.__path__[0]).joinpath(*module.split(".")[1:])
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")


def apply(edits: Sequence[Edit]) -> dict[str, str]:
    """Return the new text of each edited module; raises BadEdit."""
    texts: dict[str, str] = {}
    for edit in edits:
        text = texts.get(edit.module) or source_of(edit.module)
        if text.count(edit.old) != 1:
            raise BadEdit(
                f"{edit.module}: {edit.old!r} stands there {text.count(edit.old)} times; name a text that is unique"
            )
        texts[edit.module] = text.replace(edit.old, edit.new)
    return texts


class _Loader(importlib.abc.Loader):
    def __init__(self, name: str, file: str) -> None:
        self.name = name
        self.file = file

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(EDITED[self.file], self.file, "exec"), module.__dict__)


class _Finder(importlib.abc.MetaPathFinder):
    """Serves every module of the spec but the shared ones from a text."""

    def __init__(self, texts: dict[str, str], label: str) -> None:
        self.texts = texts
        self.label = label

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("spec."):
            return None
        file = f"<{self.label}> {name.replace('.', '/')}.py"
        EDITED[file] = self.texts.get(name) or source_of(name)
        package = Path(spec.__path__[0]).joinpath(*name.split(".")[1:]).is_dir()
        return importlib.machinery.ModuleSpec(name, _Loader(name, file), origin=file, is_package=package)


def _is_shared(name: str) -> bool:
    return name == "spec.language" or name.startswith("spec.language.")


@contextmanager
def _set_aside() -> Iterator[None]:
    """Hide the real modules of the spec while a copy is imported, and put them back afterwards."""
    real = {name: module for name, module in sys.modules.items() if name.startswith("spec.") and not _is_shared(name)}
    attributes = {name: value for name, value in vars(spec).items() if isinstance(value, ModuleType)}
    for name in real:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.startswith("spec.") and not _is_shared(name)]:
            del sys.modules[name]
        sys.modules.update(real)
        vars(spec).update(attributes)


def edited_model(texts: dict[str, str], label: str = "edited") -> ModuleType:
    """Return the module `spec.model` of a copy of the spec in which some modules have another text."""
    finder = _Finder(texts, f"{label} {next(_numbers)}")
    with _set_aside():
        sys.meta_path.insert(0, finder)
        try:
            return importlib.import_module("spec.model")
        finally:
            sys.meta_path.remove(finder)
