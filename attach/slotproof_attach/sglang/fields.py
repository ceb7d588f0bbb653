"""Where a release of sglang keeps what is read of its requests, and how a hook finds its recorder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slotproof_attach.recorder import Recorder
from slotproof_attach.seams import Release
from slotproof_attach.sglang.table import KEPT_ON_BATCH, ON_KV, PREFIX_LEN

Method = Callable[..., Any]


class Fields:
    """Where a release keeps what is read of its requests."""

    on_kv = True
    kept_on_batch = True
    prefix_len = True

    @classmethod
    def settle(cls, release: Release) -> None:
        """Choose for one release."""
        cls.on_kv = release >= ON_KV
        cls.kept_on_batch = release >= KEPT_ON_BATCH
        cls.prefix_len = release >= PREFIX_LEN


def state_of(req: Any) -> Any:
    """Return what has the fields of the state pool of a request."""
    return req.kv if Fields.on_kv and req.kv is not None else req


def prefix_of(req: Any) -> int:
    """Return how many tokens of a request the cache had."""
    length: int = req.prefix_len if Fields.prefix_len else len(req.prefix_indices)
    return length


def recorder_of(holder: Any) -> Recorder | None:
    """Return the recorder of a pool or an allocator, if it has one that can still say something."""
    recorder: Recorder | None = holder.__dict__.get("_slotproof")
    return recorder if recorder is not None and recorder.live else None
