"""What the device does for one batch, in the order in which its stream performs it."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from runtime import device_ops
from runtime.batch import ROW_COLUMNS, Rows
from runtime.boundary import ABSENT
from runtime.states import Layer, StatePool

_WORKING, _SOURCE, _SLOT = (ROW_COLUMNS[name].number for name in ("working", "source", "slot"))


class RecurrentModel(Protocol):
    """What a model has to offer: it advances states in place, and says which tokens come next.

    It may raise, at any point; then its batch fails (runtime/engine.py). It writes no slot but those in `working`.
    """

    layers: tuple[Layer, ...]

    def absorb(self, pool: StatePool, working: Tensor, tokens: Tensor) -> Tensor:
        """Advance each state by one token and return the next ones; all int64 of shape [rows]."""
        ...

    def sample(self, pool: StatePool, working: Tensor) -> Tensor:
        """Return the token that follows each state: int64 of shape [rows]."""
        ...


def decode(model: RecurrentModel, pool: StatePool, landed: Tensor, rows: int) -> Tensor:
    """Absorb for each row the token that its state calls for, and checkpoint the rows on a boundary.

    landed: the rows' block as it reached the device, int64 of shape [columns * rows]. Returns the next tokens.
    """
    columns = landed.view(len(ROW_COLUMNS), rows)
    working = columns[_WORKING]
    following = model.absorb(pool, working, model.sample(pool, working))
    device_ops.copy_states(pool, working, columns[_SLOT])
    return following


def prefill(model: RecurrentModel, pool: StatePool, landed: Tensor, row: Rows) -> Tensor:
    """Absorb the rest of one prompt, and checkpoint it at the mark on the way.

    landed: the row's block and then the prompt's tokens from `start` on. Returns the next token, of shape [1].
    The deferred copy or clear of the working slot comes first, exactly here.
    """
    columns, tokens = landed[: len(ROW_COLUMNS)].view(-1, 1), landed[len(ROW_COLUMNS) :]
    working = columns[_WORKING]
    device_ops.begin(pool, columns[_SOURCE], working)
    start, mark = int(row.start[0]), int(row.mark[0])
    for place in range(len(tokens)):
        following = model.absorb(pool, working, tokens[place : place + 1])
        if mark != ABSENT and start + place + 1 == mark:
            device_ops.copy_states(pool, working, columns[_SLOT])
    return following
