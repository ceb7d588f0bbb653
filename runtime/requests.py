"""The request table: for each seat one movable cache record, all of them columns of one block.

A record is moved, cleared and handed over as one line of numbers, so a new column cannot be forgotten on any path.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from runtime import arguments
from runtime.batch import Rows
from runtime.boundary import ABSENT
from runtime.columns import Bools, Column, Ints, columns_of
from runtime.config import EAGER, MOST_REQUESTS, Config

IDLE: Final = 0
"""Nobody sits there."""
ADMITTED: Final = 1
"""It owns its slots; the prefill has not been launched."""
RUNNING: Final = 2
"""Its prefill has been launched; it may be in decode batches."""


Handle = int
"""What a request goes by outside: its seat in the low bits, above them the seat's epoch.

It is a plain number, so an engine keeps handles in its columns, but no seat number: the handle of a request that has
left fits nobody, whoever sits in that seat by now.
"""
SEAT_BITS: Final = MOST_REQUESTS.bit_length() - 1
SEAT_MASK: Final = MOST_REQUESTS - 1


class TableFull(RuntimeError):
    """Every seat of the request table is taken (the scheduler admits no more than there are), or this is none."""


class RequestTable:
    """The shared, mutable records: preparation moves them ahead while earlier results are still pending."""

    phase = Column(0, "IDLE, ADMITTED or RUNNING.")
    seq_len = Column(1, "Tokens that the request has committed to, with every launched step.")
    decode_count = Column(2, "Decode steps that have been prepared.")
    working = Column(3, "The slot that it reads and overwrites.")
    next = Column(4, "Producer position: where the next boundary write goes.")
    last = Column(5, "Consumer position: the newest completed checkpoint, the keep index.")
    last_len = Column(6, "The label: how many tokens the checkpoint at `last` covers; ABSENT: there is none.")
    source = Column(7, "Between admission and prefill: the cached slot to copy from; ABSENT: start from nothing.")
    prefix = Column(8, "Between admission and prefill: tokens that the copy covers.")
    last_batch = Column(9, "The number of the last launched batch that has a row of it; ABSENT: none has.")

    def __init__(self, config: Config) -> None:
        count = len(TABLE_COLUMNS)
        self._idle = np.zeros((count, 1), np.int64)
        for column in (RequestTable.working, RequestTable.last_len, RequestTable.source, RequestTable.last_batch):
            self._idle[column.number] = ABSENT
        self._idle[RequestTable.last.number] = config.ring - 1 if config.mode == EAGER else 0
        self.block: Ints = np.repeat(self._idle, config.requests, axis=1)
        self.ring: Ints = np.full((config.requests, config.ring), ABSENT, np.int64)
        self.tokens: Ints = np.zeros((config.requests, config.max_len + 1), np.int64)
        """What the CPU knows of each text: the prompt, and one token for every result that has been processed."""
        self.epoch: Ints = np.zeros(config.requests, np.int64)
        """Counts the requests that have left a seat. It belongs to the seat, so it is no part of a record."""
        self.names: list[str] = [""] * config.requests
        self._seats = list(range(config.requests - 1, -1, -1))
        self._taken = np.zeros(config.requests, np.bool_)

    def handles(self, seats: Ints) -> Ints:
        """Return the handles of whoever sits there: int64 of shape [rows]."""
        found: Ints = self.epoch[seats] << SEAT_BITS | seats
        return found

    def handle(self, seat: int) -> Handle:
        """Return the handle of whoever sits there."""
        return int(self.epoch[seat]) << SEAT_BITS | seat

    def seat(self, handle: Handle) -> int:
        """Return where the request with a handle sits; ABSENT: it has left, or no request ever had that handle."""
        seat = arguments.whole(handle, "the handle of a request") & SEAT_MASK
        here = seat < len(self.names) and self._taken[seat] and handle >> SEAT_BITS == self.epoch[seat]
        return seat if here else ABSENT

    @property
    def seats_left(self) -> int:
        """How many more requests can be admitted."""
        return len(self._seats)

    def present(self, rows: Rows) -> Bools:
        """Return which rows belong to requests that are still there: bool of shape [rows]."""
        found: Bools = self.epoch[rows.seat] == rows.epoch
        return found

    def sit(self, name: str) -> int:
        """Give a request a seat; its record is an idle one."""
        arguments.name(name, "the name of a request")
        if not self._seats:
            raise TableFull(f"request {name}: all {len(self.names)} seats are taken")
        seat = self._seats.pop()
        self._taken[seat] = True
        self.names[seat] = name
        return seat

    def clear(self, seat: int) -> None:
        """Make the record an idle one and the seat free; rows launched for it are dropped when they return."""
        if not self._taken[arguments.whole(seat, "a seat", 0, len(self.names))]:
            raise TableFull(f"seat {seat} is free already: nobody is going to get it twice")
        self._taken[seat] = False
        self.block[:, seat] = self._idle[:, 0]
        self.ring[seat] = ABSENT
        self.epoch[seat] += 1
        self._seats.append(seat)

    def move(self, source: int, target: int) -> None:
        """Move a whole record to another seat, such as one that a session keeps; the source becomes idle.

        The caller has let every row of it return: rows go by seats. Raises ValueError unless the source is in use and
        the target is not.
        """
        for seat in (source, target):
            arguments.whole(seat, "a seat", 0, len(self.names))
        if self.phase[source] == IDLE or self._taken[target]:
            raise ValueError(f"cannot move seat {source} to seat {target}: one is idle, or the other is in use")
        self.block[:, target] = self.block[:, source]
        self.ring[target] = self.ring[source]
        self.tokens[target] = self.tokens[source]
        self.names[target] = self.names[source]
        self._seats.remove(target)
        self._taken[target] = True
        self.clear(source)


TABLE_COLUMNS = columns_of(RequestTable)
