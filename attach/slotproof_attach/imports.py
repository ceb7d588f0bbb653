"""Hooks on modules that are not imported yet: each is told of as soon as it has been executed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterable
from types import ModuleType


class AfterImport(importlib.abc.MetaPathFinder):
    """Leaves the finding of its modules to the other finders, and calls `found` with each module."""

    def __init__(self, modules: Iterable[str], found: Callable[[ModuleType], None]) -> None:
        self._modules = frozenset(modules)
        self._found = found
        self._looking = False

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec that the others find, with a loader that calls back."""
        if name not in self._modules or self._looking:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._found(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def after_import(modules: Iterable[str], found: Callable[[ModuleType], None]) -> None:
    """Call `found` with each of these modules: now, or when it is imported."""
    modules = list(modules)
    sys.meta_path.insert(0, AfterImport(modules, found))
    for name in modules:
        if name in sys.modules:
            found(sys.modules[name])
