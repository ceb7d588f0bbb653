"""A tiny model whose state says exactly what it has absorbed: a wrong state anywhere is visible at once.

Each slot holds, per layer, how many tokens it has absorbed (conv) and a running hash of them (ssm). The next token is
drawn from the hash, so a text is determined by its prompt, and a request that starts from a wrong state goes astray.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from runtime.states import Layer, StatePool

VOCABULARY = 50_021
_FACTOR = 6_364_136_223_846_793_005


class ExactModel:
    """Works on a state pool like a recurrent model, in int64 arithmetic that wraps around."""

    def __init__(self, layers: int = 2) -> None:
        self.layers = (Layer((1,), (1,), torch.int64, torch.int64),) * layers

    def absorb(self, pool: StatePool, working: Tensor, tokens: Tensor) -> Tensor:
        """Advance the states in `working` by one token each, in place, and return the tokens that come next.

        working, tokens and the result: int64 of shape [rows].
        """
        for number, (conv, ssm) in enumerate(zip(pool.conv, pool.ssm, strict=True)):
            hashed = ssm[working, 0]
            mixed = (hashed + tokens + number + 1) * _FACTOR
            ssm[working, 0] = mixed ^ (mixed >> 29)
            conv[working, 0] += 1
        return self.sample(pool, working)

    def sample(self, pool: StatePool, working: Tensor) -> Tensor:
        """Return the token that follows each state: int64 of shape [rows]."""
        return pool.ssm[-1][working, 0] % VOCABULARY


@functools.lru_cache(maxsize=4096)
def text(first: int, length: int, layers: int = 2) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Return the text of `length` tokens that begins with a token, and per layer the (count, hash) of its state."""
    model = ExactModel(layers)
    pool = StatePool(model.layers, 1)
    slot = torch.zeros(1, dtype=torch.int64)
    tokens = [first]
    for _ in range(length):
        tokens.append(int(model.absorb(pool, slot, torch.tensor([tokens[-1]]))))
    state = tuple((int(conv[0, 0]), int(ssm[0, 0])) for conv, ssm in zip(pool.conv, pool.ssm, strict=True))
    return tuple(tokens[:length]), state
