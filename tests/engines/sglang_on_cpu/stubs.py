"""Import sglang where most of what it depends on is missing.

Kernels, tokenizers, web servers and model code have no part in which slot belongs to whom. Whatever sglang's own files
import and nobody can find is answered with names that stand for nothing. Imports of other packages, torch's above all,
are left alone: what is optional to them must stay missing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from pathlib import Path
from typing import Any, ClassVar

import torch

Spec = importlib.machinery.ModuleSpec


class Nothing(type):
    """The type of a name that stands for nothing: it can be inherited from, called, subscripted and walked over."""

    def __new__(mcs, name: str, bases: tuple[type, ...], names: dict[str, Any], **options: Any) -> Nothing:
        return super().__new__(mcs, name, bases, names)  # Options are the missing class's business.

    def __init__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, names)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return nothing(name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not cls.__dict__.get("_stands_for_nothing"):
            return super().__call__(*args, **kwargs)  # A class of sglang's own that inherits from a missing one.
        decorates = len(args) == 1 and callable(args[0]) and not kwargs
        return args[0] if decorates else cls

    def __instancecheck__(cls, instance: Any) -> bool:
        return not cls.__dict__.get("_stands_for_nothing") and super().__instancecheck__(instance)

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __setitem__(cls, key: Any, value: Any) -> None:
        """What is registered with a missing package is never asked for."""

    def __or__(cls, other: Any) -> Any:
        return cls

    def __lt__(cls, other: Any) -> bool:
        return False

    __ror__, __le__, __gt__, __ge__ = __or__, __lt__, __lt__, __lt__

    def __iter__(cls) -> Any:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __bool__(cls) -> bool:
        return False


def nothing(name: str) -> Any:
    """A new name that stands for nothing."""
    return Nothing(name, (), {"_stands_for_nothing": True, "__init__": lambda self, *args, **kwargs: None})


class MissingModule(types.ModuleType):
    """A module that has every name."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, nothing(name))
        return getattr(self, name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: answers what sglang imports and nobody has found, and whatever lies inside of that."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Spec | None:
        parent = name.rpartition(".")[0]
        missing = isinstance(sys.modules.get(parent), MissingModule) if parent else imported_by_sglang()
        return Spec(name, self, is_package=True) if missing and not name.startswith("sglang") else None

    def create_module(self, spec: Spec) -> types.ModuleType:
        return MissingModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def imported_by_sglang() -> bool:
    """Whether the import that is going on stands in one of sglang's files."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("importlib", "_frozen_importlib")):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__", "").startswith("sglang")


class NoDriver(types.ModuleType):
    """What triton says of a machine without an accelerator: asked for its driver it raises."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def missing_triton() -> None:
    """Sglang imports triton by way of torch as well, and calculates with two of its functions."""
    triton, runtime = MissingModule("triton"), MissingModule("triton.runtime")
    triton.__spec__ = Spec("triton", None, is_package=True)
    triton.runtime, runtime.driver = runtime, NoDriver("triton.runtime.driver")
    triton.cdiv = lambda dividend, divisor: -(-dividend // divisor)
    triton.next_power_of_2 = lambda number: 1 << max(number - 1, 0).bit_length()
    sys.modules |= {"triton": triton, "triton.runtime": runtime}


def pageable_memory() -> None:
    """Pinning memory needs an accelerator; a copy from pageable memory has the same result."""
    tensor = torch.tensor

    def unpinned(*args: Any, pin_memory: bool = False, **kwargs: Any) -> torch.Tensor:
        return tensor(*args, **kwargs)

    torch.tensor = unpinned
    torch.Tensor.pin_memory = lambda self, *args, **kwargs: self


def compiled(function: Any = None, **options: Any) -> Any:
    """What compiling a function means here, as a call and as a decorator."""
    return function if function is not None else compiled


def import_sglang(folder: Path) -> None:
    """Make sglang importable from an unpacked wheel, without its front end."""
    import torch.utils.flop_counter

    torch.compile = compiled
    pageable_memory()
    missing_triton()
    sys.path.insert(0, str(folder))
    sys.meta_path.append(Finder())
    package = types.ModuleType("sglang")
    package.__path__ = [str(folder / "sglang")]
    package.__spec__ = Spec("sglang", None, is_package=True)
    sys.modules["sglang"] = package
