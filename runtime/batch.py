"""What a batch recorded about its requests when it was prepared. Nothing changes it afterwards.

All columns lie in one block of shape [columns, rows]. The block is what the result side reads and, sent in one copy,
what the device works by; filtering, joining and copying carry every column because they never name one.
"""

from __future__ import annotations

import numpy as np
from torch import Tensor

from runtime import arguments
from runtime.arguments import BadArgument, described
from runtime.columns import Column, Ints, columns_of
from runtime.streams import StreamEvent

_INT64 = np.dtype(np.int64)


class Rows:
    """The rows of one batch, in the order of their seats; immutable."""

    __slots__ = ("block",)

    seat = Column(0, "Where the request sits in the request table.")
    epoch = Column(1, "The seat's epoch at preparation: a row of an earlier one belongs to a request that has left.")
    decode_count = Column(2, "The request's decode count at preparation; 0 for a prefill.")
    seq_len = Column(3, "Tokens that the working state covers once the row has run.")
    start = Column(4, "Tokens that the state it starts from covers.")
    working = Column(5, "The slot that it overwrites with the state after seq_len tokens.")
    source = Column(6, "The slot that it starts from: its own, a cache entry's after a hit; ABSENT: a cleared state.")
    position = Column(7, "The ring position of its boundary write: the result side needs it. ABSENT without a mark.")
    slot = Column(8, "The slot of its boundary write: the device needs it. ABSENT without a mark.")
    mark = Column(9, "The length whose state it writes into `slot`; ABSENT: none.")

    def __init__(self, block: Ints) -> None:
        if type(block) is not np.ndarray or block.dtype != np.int64 or block.shape[:-1] != (len(ROW_COLUMNS),):
            raise BadArgument(f"rows are an int64 block of {len(ROW_COLUMNS)} lines, not {described(block)}")
        block.flags.writeable = False
        self.block = block

    @classmethod
    def of(cls, **columns: Ints | int) -> Rows:
        """Return rows made of all their columns, each one value per row or one for all; `seat` says how many.

        A column is int64 of shape [rows]; numbers of another kind would be cut to whole ones.
        """
        block = np.empty((len(ROW_COLUMNS), len(arguments.ints(columns["seat"], "column seat"))), np.int64)
        for name, column in ROW_COLUMNS.items():
            given = columns[name]
            if type(given) is not int and (type(given) is not np.ndarray or given.dtype != _INT64):
                raise BadArgument(f"column {name}: {described(given)}; write int64, or one whole number for all rows")
            block[column.number] = given
        return cls(block)

    def __len__(self) -> int:
        return int(self.block.shape[1])

    def listed(self) -> list[dict[str, int]]:
        """Return every row as plain numbers by name, for people and traces; not for the hot path."""
        return [dict(zip(ROW_COLUMNS, row, strict=True)) for row in self.block.T.tolist()]

    def filter(self, kept: Ints) -> Rows:
        """Return the rows at the given places, in that order; int64 of shape [rows], no mask."""
        if len(arguments.ints(kept, "places of rows")) and kept[kept.argmin()] < 0:
            raise BadArgument(f"places of rows: {kept.min()} is none; write 0..{len(self) - 1}")
        return Rows(self.block[:, kept])

    def merge(self, other: Rows) -> Rows:
        """Return these rows and then the other's: a batch may be put together of several."""
        return Rows(np.concatenate((self.block, other.block), axis=1))

    def copy(self) -> Rows:
        """Return the same rows in a block of their own."""
        return Rows(self.block.copy())


ROW_COLUMNS = columns_of(Rows)


class LaunchedBatch:
    """A launched batch: its rows, and what tells that the device has run it."""

    __slots__ = ("boundaries", "number", "produced", "ran", "rows")

    ran: StreamEvent
    """Done once the device has run the batch."""
    produced: Tensor
    """Once it has run: the token that each row produced, int64 of shape [rows], on the device."""

    def __init__(self, number: int, rows: Rows, boundaries: Ints) -> None:
        self.number = number
        self.rows = rows
        self.boundaries = boundaries
        """The places of the rows that carry a mark: only they cost anything when the result is processed."""

    def failure(self) -> Exception | None:
        """Wait for the device and return what the batch's work has raised; None: nothing."""
        try:
            self.ran.wait()
        except Exception as error:
            return error
        return None

    def tokens(self) -> Ints:
        """Wait for the device and return what the rows produced, on the host; raises what the work raised.

        Bookkeeping never asks for it.
        """
        self.ran.wait()
        found: Ints = self.produced.cpu().numpy()
        return found
