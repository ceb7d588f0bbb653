"""Compiles the kernels for one width of registers into an object file: `python -m checker.machine.build WIDTH FILE`.

This is done once for an installation, in a process of its own: the compiler takes a quarter of a second to import and
some seconds to work, and no search needs either. Every entry becomes a function of plain pointers; what it is given is
read off its annotations and kept in the file for whoever calls it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import llvmlite.binding as llvm
import numpy as np
from numba import carray, cfunc, types

from checker.machine.arrays import LANE
from checker.machine.level import ENTRIES
from checker.machine.store import sealed, target_machine


def arrays_of(given: type, width: str) -> list[list[Any]]:
    """Return for each array of a table its name, the type of its numbers, and how many dimensions it has."""
    hints = get_type_hints(given, include_extras=True)
    found = []
    for name, hint in hints.items():
        kind, dimensions = hint.__metadata__
        found.append([name, width if kind == LANE else kind, dimensions])
    return found


def wrapper(entry: Callable[..., object], given: type, arrays: list[list[Any]]) -> Callable[..., int]:
    """Return a function of pointers that calls an entry: first that of all shapes, then one for each array."""
    pointers = [f"p{place}" for place in range(len(arrays))]
    lines, at = [], 0
    for pointer, (_, kind, dimensions) in zip(pointers, arrays, strict=True):
        shape = ", ".join(f"shapes[{at + axis}]" for axis in range(dimensions))
        lines.append(f"carray({pointer}, ({shape},), {kind})")
        at += dimensions
    text = (
        f"def call(p, {', '.join(pointers)}):\n"
        f"    shapes = carray(p, ({at},), int64)\n"
        f"    return int64(entry(given({', '.join(lines)})))\n"
    )
    kinds = {kind: np.dtype(kind).type for _, kind, _ in arrays}
    names: dict[str, Any] = {"carray": carray, "int64": np.int64, "entry": entry, "given": given, **kinds}
    exec(compile(text, "<wrapper>", "exec"), names)
    made: Callable[..., int] = names["call"]
    return made


def compiled(width: str) -> tuple[bytes, dict[str, Any]]:
    """Return the object file of all entries, and for each its symbol and arrays."""
    entries: dict[str, Any] = {}
    module = llvm.parse_assembly("")
    machine = target_machine()
    for name, (entry, given) in ENTRIES.items():
        arrays = arrays_of(given, width)
        signature = types.int64(*[types.voidptr] * (len(arrays) + 1))
        pointers: Any = wrapper(entry, given, arrays)
        made = cfunc(signature, error_model="numpy")(pointers)
        part = llvm.parse_assembly(made.inspect_llvm())
        module.link_in(part)
        entries[name] = {"symbol": made.native_name, "arrays": arrays}
    defined = {each.name for each in module.functions if not each.is_declaration}
    needed = {each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")}
    entries["unreached"] = sorted(name for name in needed - defined if name.startswith(("numba_", "NRT_")))
    return machine.emit_object(module), entries


def main(width: str, file: str) -> None:
    """Compile, and write the file at once or not at all."""
    target = Path(file)
    written = target.with_name(f"{target.name}.{os.getpid()}")
    written.write_bytes(sealed(*compiled(width)))
    written.replace(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
