"""What a verdict depends on, as one digest: change any of it, and an earlier verdict is not found again.

That is every text of ours, whichever of them a task reads; Python with its flags; the machine; the libraries that
compute; the variables of the environment that these go by; and the task itself, with all that it was asked to do.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import checker
import runtime
import spec

ROOMS: Final = tuple(Path(str(room.__file__)).parent for room in (spec, runtime, checker))
LIBRARIES: Final = ("llvmlite", "msgspec", "numba", "numpy", "torch", "z3-solver")
"""The distributions whose code has a part in a verdict, the optional ones too."""
VARIABLES: Final = (
    *("PYTHON", "NUMBA", "NUMPY", "NPY", "OPENBLAS", "BLIS", "MKL", "OMP", "GOMP", "KMP", "TORCH", "PYTORCH"),
    *("ATEN", "DNNL", "ONEDNN", "CUDA", "Z3", "LD_", "LC_", "LANG", "SLOTPROOF"),
)
"""How the names of variables begin that may change what these do."""


def texts() -> Iterator[Path]:
    """Yield every file of our packages, in the same order each time."""
    for room in ROOMS:
        yield from sorted(path for path in room.rglob("*") if "__pycache__" not in path.parts and path.is_file())


def surroundings() -> dict[str, Any]:
    """Return all that verdicts depend on beside their task."""
    return {
        "texts": {_name(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in texts()},
        "python": [sys.version, sys.implementation.name],
        "machine": [platform.platform(), platform.machine(), _processor()],
        "flags": [str(sys.flags), dict(sorted(sys._xoptions.items()))],
        "libraries": {name: _library(name) for name in LIBRARIES},
        "variables": {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)},
    }


def stamps() -> dict[str, tuple[int, int, int]]:
    """Return of each text what shows that it was written since: a change of it, or of its times, changes this."""
    return {str(path): _stamp(path.stat()) for path in texts()}


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return (found.st_ctime_ns, found.st_size, found.st_ino)


def digest(what: Any) -> str:
    """Return what is spelled as JSON in sixty-four signs."""
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _name(path: Path) -> str:
    room = next(room for room in ROOMS if path.is_relative_to(room))
    return f"{room.name}/{path.relative_to(room)}"


def _processor() -> str:
    """Return which processor this is, where the system says so: a search is compiled for it."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text(errors="replace").splitlines() if described.is_file() else []
    return next((line for line in lines if line.startswith("model name")), platform.processor())


def _library(name: str) -> list[str]:
    """Return the version of a library and its list of files with their digests, which tells builds of one apart."""
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return []
    return [found.version, hashlib.sha256((found.read_text("RECORD") or "").encode()).hexdigest()]


def spelled(what: Any) -> Any:
    """Return a task or a part of one as plain data, every field of it; raises TypeError for what has no spelling.

    Two tasks with one spelling are one task: what could be anything is not guessed at.
    """
    kind = type(what)
    if what is None or kind in (bool, int, float, str):
        return [kind.__name__, repr(what)]
    if kind in (tuple, list):
        return [kind.__name__, [spelled(part) for part in what]]
    if kind is dict:
        return [kind.__name__, [[spelled(key), spelled(value)] for key, value in what.items()]]
    if kind is partial:
        return ["partial", spelled(what.func), spelled(what.args), spelled(what.keywords)]
    if dataclasses.is_dataclass(what) and not isinstance(what, type):
        fields = [[field.name, spelled(getattr(what, field.name))] for field in dataclasses.fields(what)]
        return [f"{kind.__module__}.{kind.__qualname__}", fields]
    module, name = getattr(what, "__module__", ""), getattr(what, "__qualname__", "")
    if name and getattr(sys.modules.get(module), name, None) is what:
        return ["function", f"{module}.{name}"]
    raise TypeError(f"no spelling for {what!r}")
