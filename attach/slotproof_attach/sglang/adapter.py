"""Hooks sglang: before its release is known to be one that the table fits, nothing of it runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from slotproof_attach.errors import Refused
from slotproof_attach.imports import after_import
from slotproof_attach.recorder import Recorder
from slotproof_attach.seams import Release, missing
from slotproof_attach.sglang import batches, header, pools, table
from slotproof_attach.sglang.fields import Fields, Method

NewRecorder = Callable[[object], Recorder]

WRAPPERS: dict[str, Callable[[Method], Method]] = {
    "alloc": pools.pool_alloc,
    "set_mamba_ping_pong_slot": pools.set_slot,
    "donate_mamba_ping_pong_slot": pools.donate,
    "_do_alloc": pools.slots_taken,
    "clear": pools.slots_cleared,
    "_mamba_radix_cache_v2_req_prepare_for_extend": batches.prepare_one,
    "prepare_for_extend": batches.prepare_for_extend,
    "prepare_for_decode": batches.prepare_for_decode,
    "mix_with_running": batches.mix,
    "copy": batches.copied,
    "get_mamba_indices": batches.forwarded,
    "process_batch_result_prefill": batches.processing,
    "process_batch_result_decode": batches.processing,
    "insert": pools.insert,
    "insert_req": pools.publishing,
    "cache_finished_req": pools.publishing,
    "cache_unfinished_req": pools.publishing,
    "checkpoint_into_tree": pools.publishing,
    "_free_mamba_value": pools.cache_frees,
}
"""By the name of the method; `__init__` and `free` have two meanings, and are chosen in `_wrapper`."""


def package_root() -> Path | None:
    """Return the folder that `sglang` lies in, without importing it; None: there is none on the path so far."""
    package = sys.modules.get("sglang")
    if package is not None:
        places = list(package.__path__)
    else:
        spec = find_spec("sglang")
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return Path(places[0]).parent if places else None


def release_of(root: Path) -> tuple[str, Release]:
    """Return the release that lies in a folder; raises Refused if the table has none such."""
    file = root / "sglang" / "_version.py"
    found = re.search(
        r"^__version__\s*=.*?['\"]([^'\"]+)['\"]", file.read_text() if file.is_file() else "", re.MULTILINE
    )
    text = found[1] if found else ""
    known = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", text)
    release = (int(known[1]), int(known[2]), int(known[3])) if known else (0, 0, 0)
    if not table.FIRST <= release <= table.LAST:
        first, last = (".".join(map(str, each)) for each in (table.FIRST, table.LAST))
        raise Refused(
            f"sglang {text or 'of unknown release'} in {root}: the releases that can be recorded are {first} to {last}"
        )
    return text, release


def check(root: Path) -> Release:
    """Read sglang's files in a folder; raises Refused, with the name of every seam that is missing."""
    text, release = release_of(root)
    lacking = missing(table.SEAMS, release, root)
    if lacking:
        raise Refused(f"sglang {text} in {root} lacks {'; '.join(lacking)}")
    header.Version.text = text
    return release


def hook(new_recorder: NewRecorder, refuse: Callable[[Refused], None]) -> None:
    """Hook the modules of sglang, now or when they are imported; `refuse` ends the process that should have started."""
    settled: list[Release] = []

    def found(module: ModuleType) -> None:
        try:
            if not settled:
                settled.append(check(_root_of(module)))
                Fields.settle(settled[0])
            _wrap(module, settled[0], new_recorder)
        except Refused as error:
            refuse(error)

    after_import(table.MODULES, found)


def _root_of(module: ModuleType) -> Path:
    assert module.__file__ is not None, "a module of sglang has a file"
    return Path(module.__file__).parents[len(module.__name__.split(".")) - 1]


def _wrap(module: ModuleType, release: Release, new_recorder: NewRecorder) -> None:
    for seam in table.HOOKED:
        if seam.module != module.__name__ or not seam.concerns(release):
            continue
        # The pool that has the ring inherits `free`, and only its own is wrapped.
        owner = getattr(module, "HybridReqToTokenPool" if seam.gives == "end" else seam.owner, None)
        original = getattr(owner, seam.name, None)
        if original is None:
            raise Refused(f"sglang {header.Version.text} lacks {seam.words()}")
        if not hasattr(original, "_slotproof"):
            wrapped = _wrapper(seam.name, seam.owner, new_recorder)(original)
            wrapped._slotproof = True  # type: ignore[attr-defined]
            setattr(owner, seam.name, wrapped)


def _wrapper(name: str, owner: str, new_recorder: NewRecorder) -> Callable[[Method], Method]:
    if name == "__init__":
        return lambda original: pools.pool_init(original, new_recorder)
    if name == "free":
        return pools.pool_free if owner == "ReqToTokenPool" else pools.slots_freed
    return WRAPPERS[name]
