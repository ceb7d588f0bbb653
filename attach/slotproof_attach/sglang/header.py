"""The first line of a trace of sglang, and the configurations that a trace has no words for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

KNOWS = ["takes", "frees", "evicts", "ends", "clears", "copies"]


class Version:
    """The release that runs in this process."""

    text = "?"


def not_covered(pool: Any) -> str:
    """Return why nothing can be said of a pool; empty: something can."""
    if not pool.enable_mamba_extra_buffer:
        return "a pool without a ring of checkpoints (the strategy `no_buffer`)"
    if pool.mamba_ckpt_pool is not None:
        return "checkpoints of eight bits, which lie in a pool of their own"
    if type(pool.mamba_allocator).__name__ != "MambaSlotAllocator":
        return f"slots that a {type(pool.mamba_allocator).__name__} hands out, which are not those of the device"
    return ""


def of_pool(pool: Any) -> dict[str, Any]:
    """Return what a pool says of itself."""
    fields: dict[str, Any] = {"trace": 2, "engine": f"sglang {Version.text}"}
    if pool.enable_mamba_extra_buffer:
        lazy = bool(getattr(pool, "enable_mamba_extra_buffer_lazy", False))
        fields |= {"mode": "lazy" if lazy else "eager", "ring": int(pool.mamba_ping_pong_track_buffer_size)}
    else:
        fields["mode"] = "none"
    fields |= {"slots": int(pool.mamba_allocator.size), "first_slot": 1, "reserved": [0], "lookahead": 0}
    return fields


def of_batch(batch: Any) -> dict[str, Any]:
    """Return the whole header, which the first batch makes known."""
    context = importlib.import_module("sglang.srt.runtime_context")
    page = int(batch.tree_cache.page_size)
    fields = of_pool(batch.req_to_token_pool)
    fields["lookahead"] = 1 if batch.enable_overlap else 0
    if fields["mode"] == "lazy":
        fields["without_spare"] = "overwrite"
    optional: dict[str, Callable[[], Any]] = {
        "interval": lambda: _interval(context, page),
        "prefill_grid": lambda: _prefill_grid(context, page),
        "pool": lambda: f"tp{context.get_parallel().tp_rank}",
    }
    for key, look in optional.items():
        try:
            fields[key] = look()
        except Exception:
            # A key that cannot be made out is left out, which says that it is unknown.
            continue
    if "prefill_grid" in fields:
        fields["grid_from"] = "prefix"
    return fields | {"page": page, "knows": KNOWS}


def _interval(context: Any, page: int) -> int:
    if hasattr(context, "mamba_track_grid"):
        return int(context.mamba_track_grid(page))
    return int(context.get_exec().mamba.mamba_track_interval)


def _prefill_grid(context: Any, page: int) -> int:
    if hasattr(context, "mamba_checkpoint_grid"):
        return int(context.mamba_checkpoint_grid(page))
    if hasattr(context, "mamba_cache_chunk_size"):
        return int(context.mamba_cache_chunk_size())
    return int(context.get_server_args().mamba_cache_chunk_size)
