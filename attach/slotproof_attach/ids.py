"""Slot ids on their way to the host. The engine's thread never waits for the device: only whoever writes lines does."""

from __future__ import annotations

import sys
from typing import Any


class Arriving:
    """Ids that a device still has to copy; their lines wait, and so do all behind them."""

    __slots__ = ("_copied", "_event")

    def __init__(self, tensors: tuple[Any, ...]) -> None:
        torch = sys.modules["torch"]
        flat = [tensor.reshape(-1).to(torch.int64) for tensor in tensors]
        whole = flat[0] if len(flat) == 1 else torch.cat(flat)
        # A copy that does not block goes to pinned memory, which torch takes from a cache of its own.
        self._copied = whole.to("cpu", non_blocking=True)
        self._event = torch.get_device_module(whole.device).Event()
        self._event.record()

    def numbers(self) -> list[int]:
        """Return the ids, waiting for the copy."""
        self._event.synchronize()
        found: list[int] = self._copied.tolist()
        return found


Ids = list[int] | Arriving


def ids_of(*tensors: Any) -> Ids:
    """Return the ids in some tensors as they are now: at once where they lie on the host."""
    first = tensors[0]
    if first.is_cpu:
        if len(tensors) == 1:
            found: list[int] = first.reshape(-1).tolist()
            return found
        return [number for tensor in tensors for number in tensor.reshape(-1).tolist()]
    return Arriving(tensors)


def numbers(ids: Ids) -> list[int]:
    """Return the ids, waiting for them if they have not arrived."""
    return ids if isinstance(ids, list) else ids.numbers()
