"""What the device does to state slots: plain torch, over all layers, so that kernels can take their place later.

Slots are int64 tensors of shape [rows] on the pool's device. A negative slot is a no-op: its row reads and writes the
padding row instead, which no request ever has, so nothing is decided on the host and no shape depends on a value.
"""

from __future__ import annotations

import torch
from torch import Tensor

from runtime.states import StatePool


def clear(pool: StatePool, slots: Tensor) -> None:
    """Zero the states in `slots`."""
    rows = torch.where(slots < 0, pool.padding, slots)
    for tensor in pool.tensors():
        tensor[rows] = 0


def copy_states(pool: StatePool, sources: Tensor, targets: Tensor) -> None:
    """Copy states slot to slot, all layers at once; a pair with a negative end is a no-op.

    The copy-on-write of an admission that hit the cache, and the write of a boundary into its track slot. A target
    must not be named twice; a source may be another pair's target, and is read before anything is written.
    """
    dead = (sources < 0) | (targets < 0)
    sources = torch.where(dead, pool.padding, sources)
    targets = torch.where(dead, pool.padding, targets)
    for tensor in pool.tensors():
        tensor[targets] = tensor[sources]


def begin(pool: StatePool, sources: Tensor, working: Tensor) -> None:
    """Give working slots their first state: a copy of the source, or a cleared one where the source is negative."""
    clear(pool, torch.where(sources < 0, working, -1))
    copy_states(pool, sources, working)
