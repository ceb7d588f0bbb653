"""The protocol as it ships: one method for each action of the spec, and none of them can be half done.

Host records, pool and cache change here, before anything is launched or after its result has come; the device's part
is what `_launch` submits. Nothing here reads from the device.
"""

from __future__ import annotations

from collections import deque
from functools import partial

import numpy as np
from torch import Tensor

from runtime import forward
from runtime.batch import ROW_COLUMNS, Batch, Rows
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.config import Config
from runtime.forward import Model
from runtime.observer import Observer
from runtime.pool import CACHE, SlotPool
from runtime.prefix_cache import PrefixCache
from runtime.requests import IDLE, RequestTable
from runtime.staging import Staging
from runtime.states import StatePool
from runtime.streams import Inline, Stream
from runtime.tracking import Contradiction, Tracker


class Engine:
    """Requests, pool, cache and launched batches of one model on one device."""

    def __init__(
        self, config: Config, model: Model, stream: Stream | None = None, observer: Observer | None = None
    ) -> None:
        self.config = config
        self.model = model
        self.stream = stream or Inline()
        self.table = RequestTable(config)
        self.pool = SlotPool(config.slots, self.reclaim)
        self.states = StatePool(model.layers, config.slots, config.device)
        self.cache = PrefixCache(config.interval)
        self.tracker = Tracker(config, self.table, self.pool)
        ints = len(ROW_COLUMNS) * config.requests + config.max_len
        self.staging = Staging(ints, config.lookahead + 2, config.device)
        self.pending: deque[Batch] = deque()
        """Launched batches whose results have not been processed, the oldest first."""
        self.launched = 0
        """How many batches have been launched: the number of the next one."""
        self.observe(observer or Observer())

    def observe(self, observer: Observer) -> None:
        """Tell an observer of everything from now on; a recorder must have been there from the beginning."""
        self.observer = self.tracker.observer = observer
        observer.attach(self)

    @property
    def processed(self) -> int:
        """The number of the newest batch whose result has been processed; -1: none has."""
        return self.launched - len(self.pending) - 1

    @property
    def window_is_full(self) -> bool:
        """Whether a result has to be processed before another batch may be launched."""
        return len(self.pending) >= self.config.window

    # In the order of a request's life.

    def admit(self, name: str, prompt: Ints) -> int:
        """Admit a request and return its seat; ABSENT: it must wait, for a seat or for slots, and nothing has changed.

        prompt: tokens, int64 of shape [1..max_len]. The longest cached prefix is locked until its copy is launched.
        """
        if not 1 <= len(prompt) <= self.config.max_len:
            raise ValueError(
                f"request {name}: a prompt of {len(prompt)} tokens; write 1..{self.config.max_len} tokens (max_len)"
            )
        if prompt.dtype != np.int64:
            raise ValueError(
                f"request {name}: a prompt of {prompt.dtype} would find nothing cached; write int64 tokens"
            )
        if not self.table.seats_left:
            return ABSENT
        node = self.cache.match(prompt)
        if node:
            node.locks += 1
        missing = self.config.slots_per_request - self.pool.available
        # Nothing is evicted for a request that would have to wait all the same.
        if missing > 0 and len(self.cache.evictable(self.processed, missing)) < missing:
            if node:
                node.locks -= 1
            if not node or not self._only_the_cache_holds_slots(missing):
                return ABSENT
            # The hit itself is in the way, and nobody would ever let it go: it is given up, with all that may go.
            self.reclaim(missing)
            node = None
        if node:
            self.cache.get(node.key)
        self.pool.make_available(self.config.slots_per_request)
        seat = self.table.sit(name)
        self.table.tokens[seat, : len(prompt)] = prompt
        self.tracker.admit(seat, len(prompt), node.slot if node else ABSENT, node.length if node else 0)
        self.observer.admit(seat)
        return seat

    def prefill(self, seat: int) -> Batch:
        """Prepare and launch the prefill of an admitted request, as a batch of its own."""
        self._refuse_full_window()
        rows = self.tracker.prepare_prefill(seat, self.launched)
        source = int(rows.source[0])
        if source != ABSENT:
            node = self.cache.at(source)
            node.locks -= 1
            node.read_by = self.launched
        tokens = self.table.tokens[seat, rows.start[0] : rows.seq_len[0]]
        marked = (rows.mark != ABSENT).nonzero()[0]
        batch = self._launch(rows, marked, partial(forward.prefill, row=rows), tokens)
        self.observer.prefill(batch)
        return batch

    def decode(self, seats: Ints) -> Batch:
        """Prepare and launch a decode batch. seats: running requests, ascending, int64 of shape [rows], maybe none."""
        self._refuse_full_window()
        rows, marked = self.tracker.prepare_decode(seats, self.launched)
        batch = self._launch(rows, marked, partial(forward.decode, rows=len(rows)))
        self.observer.prepare(batch)
        return batch

    def process(self, tokens: Ints, finishes: Bools) -> Batch:
        """Process the oldest result: `tokens` is what its rows produced, `finishes` says whose sequence ends with it.

        tokens: int64, finishes: bool, both of shape [rows]. Rows of requests that have left are ignored. Raises what
        the batch's work has raised, each time, and nothing changes: nobody knows what its slots hold.
        """
        if not self.pending:
            raise Contradiction("there is no result to process: no batch is pending")
        batch = self.pending[0]
        if len(tokens) != len(batch.rows) or len(finishes) != len(batch.rows):
            raise Contradiction(
                f"batch {batch.number} has {len(batch.rows)} rows, and there came {len(tokens)} tokens "
                f"and {len(finishes)} decisions"
            )
        batch.ran.wait()
        for seat in batch.rows.seat[finishes & self.table.present(batch.rows)].tolist() if finishes.any() else ():
            self.tracker.refuse_unowned(seat)
        alive, ahead = self.tracker.complete(batch)
        self.pending.popleft()
        self.pool.settle(self.processed)
        rows = batch.rows
        if not alive.all():
            finishes = finishes & alive
            self.table.tokens[rows.seat[alive], rows.seq_len[alive]] = tokens[alive]
        else:
            self.table.tokens[rows.seat, rows.seq_len] = tokens
        if finishes.any():
            for seat in rows.seat[finishes].tolist():
                self._finish(seat)
        if self._is_prefill(batch) and alive[0] and not finishes[0]:
            self._donate(int(rows.seat[0]))
        self.observer.process(batch, alive, finishes, ahead)
        return batch

    def abort(self, seat: int) -> None:
        """Let an admitted or running request leave: it publishes nothing and gives everything back."""
        if not 0 <= seat < len(self.table.names) or self.table.phase[seat] == IDLE:
            raise Contradiction(f"seat {seat} is idle: nobody sits there to be aborted")
        source = int(self.table.source[seat])
        self.tracker.release(seat, self.processed)
        if source != ABSENT:
            self.cache.at(source).locks -= 1
        self.observer.abort(seat)

    def evict(self, slot: int) -> None:
        """Let the cache give up a slot; it is free once nothing launched copies from it."""
        if slot not in self.cache:
            raise Contradiction(f"slot {slot} cannot be evicted: the cache does not own it")
        if self.cache.at(slot).locks:
            raise Contradiction(f"slot {slot} is cached, and an admitted request is going to copy from it")
        node = self.cache.remove(slot)
        self.pool.give_back(np.array([slot]), after=node.read_by if node.read_by > self.processed else ABSENT)
        self.observer.evict(slot)

    def reclaim(self, missing: int) -> None:
        """Evict what was used longest ago until so many more slots are free, or nothing is left that may go."""
        for node in self.cache.evictable(self.processed, missing):
            self.evict(node.slot)

    def close(self) -> None:
        """Let the device finish what was launched."""
        self.stream.close()

    # Parts of the above.

    def _only_the_cache_holds_slots(self, missing: int) -> bool:
        """Return whether so many slots can come from the cache and from nowhere else: nobody is there to give any."""
        alone = not self.pending and self.table.seats_left == self.config.requests
        return alone and len(self.cache.evictable(self.processed, missing)) == missing

    def _refuse_full_window(self) -> None:
        if self.window_is_full:
            raise Contradiction(
                f"batch {self.launched}: {len(self.pending)} batches are pending, and a scheduler with "
                f"lookahead={self.config.lookahead} launches only up to {self.config.window}; process a result first"
            )

    def _launch(self, rows: Rows, marked: Ints, work: partial[Tensor], tail: Ints | None = None) -> Batch:
        """Send the columns to the device and enqueue the batch's work."""
        buffer = self.staging.next()
        buffer.fill(rows.block, tail)
        batch = Batch(self.launched, rows, marked)

        def run() -> None:
            batch.produced = work(self.model, self.states, buffer.land())

        batch.ran = buffer.copied = self.stream.submit(run)
        self.pending.append(batch)
        self.launched += 1
        return batch

    @staticmethod
    def _is_prefill(batch: Batch) -> bool:
        """Whether a batch is a prefill that checkpointed its prompt."""
        return len(batch.boundaries) == 1 and batch.rows.decode_count[batch.boundaries[0]] == 0

    def _donate(self, seat: int) -> None:
        """Publish a prefill's checkpoint while the request goes on; a fresh slot takes its place in the ring."""
        table = self.table
        slot, length = self.tracker.publishable(seat), int(table.last_len[seat])
        if slot == ABSENT:
            return
        key = self.cache.key(table.tokens[seat, :length])
        if self.cache.get(key):
            self.observer.publish(seat, slot, length, stored=False)
        elif self.tracker.replace(seat) != ABSENT:
            self._publish(seat, slot, key, length)

    def _finish(self, seat: int) -> None:
        """Publish the newest checkpoint if the gate allows it and its key is new, then release everything else."""
        table = self.table
        slot, length = self.tracker.publishable(seat), int(table.last_len[seat])
        if slot != ABSENT:
            key = self.cache.key(table.tokens[seat, :length])
            if self.cache.get(key):
                self.observer.publish(seat, slot, length, stored=False)
            else:
                table.ring[seat, table.last[seat]] = ABSENT
                self._publish(seat, slot, key, length)
        self.tracker.release(seat, self.processed)

    def _publish(self, seat: int, slot: int, key: bytes, length: int) -> None:
        node = self.cache.insert(key, length, slot)
        self.pool.move(np.array([slot]), CACHE, node.number)
        self.observer.publish(seat, slot, length, stored=True)
