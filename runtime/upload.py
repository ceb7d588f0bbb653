"""The way of a step's columns to the device: one packed copy, out of buffers that rotate.

A buffer is filled again only once the work that copies out of it has been performed. At most L + 1 batches are
pending, so with L + 2 buffers the one whose turn it is has been copied already, and nobody ever waits.
"""

from __future__ import annotations

import contextlib

import numpy as np
import torch
from torch import Tensor

from runtime.columns import Ints
from runtime.streams import StreamEvent


class Buffer:
    """One staging buffer on the host, and the place on the device that it is copied to."""

    def __init__(self, ints: int, device: str) -> None:
        # Pinned memory is what makes a copy to an accelerator not block; elsewhere it would only be slower to get.
        pinned = torch.device(device).type == "cuda"
        self._host = torch.empty(ints, dtype=torch.int64, pin_memory=pinned)
        self._view: Ints = self._host.numpy()
        self._device = torch.empty(ints, dtype=torch.int64, device=device)
        self.copied: StreamEvent | None = None
        """Done once the work that copies out of this buffer has been performed."""
        self.used = 0

    def fill(self, block: Ints, tail: Ints | None = None) -> None:
        """Write a block and what follows it, once the former contents are on the device."""
        if self.copied is not None:
            # Work that has failed copies no more: that its batch failed is reported with its result, and only there.
            with contextlib.suppress(Exception):
                self.copied.wait()
        self.used = block.size
        np.copyto(self._view[: block.size].reshape(block.shape), block)
        if tail is not None:
            self.used += len(tail)
            self._view[block.size : self.used] = tail

    def land(self) -> Tensor:
        """Copy the contents to the device without blocking, and return them there: int64 of shape [used]."""
        landed = self._device[: self.used]
        landed.copy_(self._host[: self.used], non_blocking=True)
        return landed


class Staging:
    """The buffers of one engine, used in turn."""

    def __init__(self, ints: int, buffers: int, device: str) -> None:
        self._buffers = [Buffer(ints, device) for _ in range(buffers)]
        self._turn = 0

    def next(self) -> Buffer:
        """Return the buffer whose turn it is; it stays the next one until `advance`."""
        return self._buffers[(self._turn + 1) % len(self._buffers)]

    def advance(self) -> None:
        """Note that the next buffer is in use."""
        self._turn = (self._turn + 1) % len(self._buffers)
