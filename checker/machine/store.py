"""Compiled kernels on disk: compiled once for each installation, loaded without the compiler.

A file is named by all that its content depends on: the text of this package, the versions of the compiler, the
processor. So a text that has changed is compiled again, whatever the times of files say, and two installations that
share a folder do not meet. It begins with a hash of the rest: what has been cut off or damaged is compiled again. It
lies beside the text where that can be written to, and else in the user's cache.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

HERE: Final = Path(__file__).parent
BUILDING: Final = "checker.machine.build"


_LOADED: Final[dict[str, Kernels]] = {}


class Unavailable(Exception):
    """Why there are no compiled kernels, in words: a search goes on without them."""


class Kernels:
    """The entries of one width, loaded."""

    def __init__(self, code: bytes, entries: dict[str, Any]) -> None:
        """Load an object file."""
        import llvmlite.binding as llvm  # noqa: PLC0415 (only a large search loads it)

        # These stand on paths that are never taken: a kernel raises nothing.
        for name in entries["unreached"]:
            llvm.add_symbol(name, ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._arrays: dict[str, list[list[Any]]] = {}
        self._functions: dict[str, Any] = {}
        for name, entry in entries.items():
            if name != "unreached":
                self._arrays[name] = entry["arrays"]
                kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * (len(entry["arrays"]) + 1))
                self._functions[name] = kind(self._engine.get_function_address(entry["symbol"]))

    def call(self, name: str, given: Any) -> int:
        """Call an entry with a table of arrays; they are what it was compiled for, or it is not called."""
        shapes: list[int] = []
        for (field, kind, dimensions), array in zip(self._arrays[name], given, strict=True):
            if array.dtype != kind or array.ndim != dimensions or not array.flags.c_contiguous:
                raise TypeError(f"{field} is {array.dtype} of {array.ndim} dimensions, and {name} takes {kind}")
            shapes += array.shape
        sizes = np.array(shapes, np.int64)
        result: int = self._functions[name](sizes.ctypes.data, *[array.ctypes.data for array in given])
        return result


def target_machine() -> Any:
    """Return the machine that code is made for and run on: this one, with all it can do."""
    import llvmlite.binding as llvm  # noqa: PLC0415

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3, jit=True)


def sealed(code: bytes, entries: dict[str, Any]) -> bytes:
    """Return the content of a file."""
    content = json.dumps(entries).encode() + b"\n" + code
    return hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def opened(data: bytes) -> tuple[bytes, dict[str, Any]] | None:
    """Return what is in a file; None: it is not whole."""
    seal, _, content = data.partition(b"\n")
    if hashlib.sha256(content).hexdigest().encode() != seal:
        return None
    entries, _, code = content.partition(b"\n")
    return code, json.loads(entries)


@functools.cache
def _key() -> str:
    import llvmlite.binding as llvm  # noqa: PLC0415

    parts = [f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in sorted(HERE.glob("*.py"))]
    parts += [importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    parts += [sys.version, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def folders() -> Iterator[Path]:
    """Yield where compiled kernels may lie, the first choice first."""
    yield HERE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "slotproof"


def why_not() -> str:
    """Return why a search cannot be compiled, in words; empty: it can."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "NUMBA_DISABLE_JIT is set"
    missing = [name for name in ("llvmlite", "numba") if importlib.util.find_spec(name) is None]
    return f"{missing[0]} is not installed here: pip install 'slotproof[search]'" if missing else ""


def _file(folder: Path, width: str) -> Path:
    return folder / f"kernels-{width}-{_key()}.bin"


def is_built(width: str) -> bool:
    """Whether kernels of a width lie ready."""
    return not why_not() and any(_file(folder, width).is_file() for folder in folders())


def kernels(width: str, seconds: float | None = None) -> Kernels:
    """Return the kernels of a width, compiled if they are not there; raises Unavailable."""
    if why_not():
        raise Unavailable(why_not())
    if width not in _LOADED:
        _LOADED[width] = Kernels(*_code(width, seconds))
    return _LOADED[width]


def _code(width: str, seconds: float | None) -> tuple[bytes, dict[str, Any]]:
    """Return compiled code, from the first folder that has it whole."""
    files = [_file(folder, width) for folder in folders()]
    found = next((content for file in files if (content := _read(file))), None)
    if found is None:
        file = next((file for file in files if _is_writable(file.parent)), None)
        if file is None:
            raise Unavailable("there is no folder to keep compiled code in")
        found = _built(file, width, seconds)
    return found


def _read(file: Path) -> tuple[bytes, dict[str, Any]] | None:
    """Return what is in a file; None: it is not there, or not whole."""
    try:
        return opened(file.read_bytes())
    except OSError:
        return None


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _built(file: Path, width: str, seconds: float | None) -> tuple[bytes, dict[str, Any]]:
    """Compile the kernels of a width into a file; of several processes that want it one does."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (found := _read(file)) is not None:
            return found
        settings = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        settings["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE.parents[1]), settings.get("PYTHONPATH")]))
        command = [sys.executable, "-P", "-m", BUILDING, width, str(file)]
        try:
            done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise Unavailable("the time was over before the search was compiled") from error
        found = _read(file)
        if found is None:
            said = done.stderr.strip().splitlines() or ["it ended without a word"]
            raise Unavailable(f"compiling the search failed: {said[-1]}")
        _remove_former(file, width)
        return found


def _remove_former(file: Path, width: str) -> None:
    """Remove what former texts were compiled to; a folder that several installations share keeps all."""
    if file.parent.parent == HERE:
        for other in file.parent.glob(f"kernels-{width}-*"):
            if other.stem != file.stem:
                other.unlink(missing_ok=True)
