"""The device side of the pool: for every recurrent layer one conv and one ssm tensor with a row for each slot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Layer:
    """The state of one recurrent layer for one request: shapes without the slot dimension, and dtypes.

    Mamba-2: conv [width, kernel - 1], ssm [heads, head_dim, state]. Gated delta net: ssm [heads, key_dim, value_dim].
    A short convolution has no ssm state: its shape is (0,).
    """

    conv: tuple[int, ...]
    ssm: tuple[int, ...]
    conv_dtype: torch.dtype = torch.bfloat16
    ssm_dtype: torch.dtype = torch.float32


class StatePool:
    """The tensors: `conv[l]` of shape [slots + 1, *layers[l].conv], and `ssm[l]` likewise.

    The row behind the last slot is reserved for padding: what must not be written is sent there. It is no slot.
    """

    def __init__(self, layers: Sequence[Layer], slots: int, device: str = "cpu") -> None:
        self.layers = tuple(layers)
        self.padding = slots
        rows = slots + 1
        self.conv = [torch.zeros(rows, *layer.conv, dtype=layer.conv_dtype, device=device) for layer in layers]
        self.ssm = [torch.zeros(rows, *layer.ssm, dtype=layer.ssm_dtype, device=device) for layer in layers]

    def tensors(self) -> Iterator[Tensor]:
        """Yield every tensor, each of shape [slots + 1, ...]."""
        yield from self.conv
        yield from self.ssm
