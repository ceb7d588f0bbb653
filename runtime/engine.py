"""The protocol as it ships: one method for each action of the spec, and none of them is half done without a word.

Every method looks first: at who calls (one thread), at what comes in (types, dtypes, shapes, handles), at what the
protocol rules out. Whatever it raises then, nothing has changed. A launch is prepared without a change, handed to the
stream, and committed once the stream has it. Observers hear of a step when it is complete. A step that is ended in the
middle of its changes halts the engine (runtime/guard.py). Nothing here reads from the device.

When a batch's work raises, `process` raises that too, each time, and changes nothing; `discard` then lets the batch's
requests fail, and everyone else goes on. Failed work has written slots of its own requests at most:
- rows of theirs that were launched behind it go on from a spoilt state; they are dropped when they return, and until
  then the slots that they touch are held back (quarantine);
- nothing of it is in the cache, and nothing that came of it can get there: a checkpoint is published when the result of
  its own row is processed, results are processed in launch order, and this one is refused;
- an entry that the failed work copied from is as it was.
Work that Ctrl-C ends in the middle, on a stream that performs it at once, is such a batch: launched, and failed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import partial

import numpy as np
from torch import Tensor

from runtime import arguments, forward
from runtime.arguments import BadArgument, described
from runtime.batch import ROW_COLUMNS, LaunchedBatch
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.config import Config
from runtime.forward import RecurrentModel
from runtime.guard import Guard
from runtime.observer import Notices, Observer
from runtime.pool import CACHE, SlotPool
from runtime.prefix_cache import CacheEntry, PrefixCache
from runtime.publisher import Publisher
from runtime.requests import Handle, RequestTable
from runtime.states import StatePool
from runtime.streams import Inline, Stream
from runtime.submission import submit
from runtime.tracking import Contradiction, Prepared, Tracker
from runtime.upload import Staging


class Engine:
    """Requests, pool, cache and launched batches of one model on one device."""

    def __init__(
        self, config: Config, model: RecurrentModel, stream: Stream | None = None, observer: Observer | None = None
    ) -> None:
        if not isinstance(config, Config):
            raise BadArgument(f"the sizes of an engine: {described(config)}; write a Config")
        self.config = config
        self.model = model
        self.stream = stream or Inline()
        self.guard = Guard()
        self.table = RequestTable(config)
        self.pool = SlotPool(config.slots, self.reclaim, self._reclaimable, self.guard)
        self.pool.names = self.table.names
        self.states = StatePool(model.layers, config.slots, config.device)
        self.cache = PrefixCache(config.interval)
        self.tracker = Tracker(config, self.table, self.pool)
        ints = len(ROW_COLUMNS) * config.requests + config.max_len
        self.staging = Staging(ints, config.lookahead + 2, config.device)
        self.pending: deque[LaunchedBatch] = deque()
        """Launched batches whose results have not been processed, the oldest first."""
        self.launched = 0
        """How many batches have been launched: the number of the next one."""
        self.notices = Notices()
        self.publisher = Publisher(self.tracker, self.cache, self.notices)
        self.observe(observer or Observer())

    def observe(self, observer: Observer) -> None:
        """Tell an observer of everything from now on; a recorder must have been there from the beginning."""
        self.guard.enter()
        observer.attach(self)
        self.notices.listen(observer)

    @property
    def processed(self) -> int:
        """The number of the newest batch whose result has been processed; -1: none has."""
        return self.launched - len(self.pending) - 1

    @property
    def window_is_full(self) -> bool:
        """Whether a result has to be processed before another batch may be launched."""
        return len(self.pending) >= self.config.window

    # In the order of a request's life.

    def admit(self, name: str, prompt: Ints) -> Handle:
        """Admit a request and return its handle; ABSENT: it must wait for a seat or slots, and nothing has changed.

        prompt: tokens, int64 of shape [1..max_len]. The longest cached prefix is locked until its copy is launched.
        """
        self.guard.enter()
        arguments.name(name, "the name of a request")
        if not 1 <= len(arguments.ints(prompt, f"request {name}: prompt")) <= self.config.max_len:
            raise BadArgument(
                f"request {name}: a prompt of {len(prompt)} tokens; write 1..{self.config.max_len} tokens (max_len)"
            )
        if not self.table.seats_left:
            return ABSENT
        node = self.cache.match(prompt)
        missing = self.config.slots_per_request - self.pool.available
        # Nothing is evicted for a request that would have to wait all the same.
        if missing > 0:
            others = [it for it in self._evictable(missing + 1) if it is not node]
            if len(others) < missing:
                if not node or not self._only_the_cache_holds_slots(missing):
                    return ABSENT
                # The hit itself is in the way, and nobody would ever let it go: it is given up, with all that may go.
                node = None
        self.guard.begin("admit")
        if node:
            node.locks += 1
            self.cache.get(node.key)
        self.pool.make_available(self.config.slots_per_request)
        seat = self.table.sit(name)
        self.table.tokens[seat, : len(prompt)] = prompt
        self.tracker.admit(seat, len(prompt), node.slot if node else ABSENT, node.length if node else 0)
        self.notices.note("admit", seat)
        self._end()
        return self.table.handle(seat)

    def prefill(self, handle: Handle) -> LaunchedBatch:
        """Prepare and launch the prefill of an admitted request, as a batch of its own."""
        self.guard.enter()
        seat = self._seat(handle)
        self._refuse_full_window()
        prepared = self.tracker.prepare_prefill(seat, self.launched, self.cache)
        rows = prepared.rows
        source = int(rows.source[0])
        node = self.cache.at(source) if source != ABSENT else None
        tokens = self.table.tokens[seat, rows.start[0] : rows.seq_len[0]]

        def commit() -> None:
            prepared.commit()
            if node:
                node.locks -= 1
                node.read_by = self.launched

        launch = replace(prepared, commit=commit)
        return self._launch("prefill", launch, partial(forward.prefill, row=rows), tokens)

    def decode(self, handles: Ints) -> LaunchedBatch:
        """Prepare and launch a decode batch.

        handles: of running requests, in the order of their seats, int64 of shape [rows], maybe none.
        """
        self.guard.enter()
        arguments.ints(handles, "handles of a decode batch")
        self._refuse_full_window()
        prepared = self.tracker.prepare_decode(handles, self.launched)
        return self._launch("prepare", prepared, partial(forward.decode, rows=len(handles)))

    def process(self, tokens: Ints, finishes: Bools) -> LaunchedBatch:
        """Process the oldest result: `tokens` is what its rows produced, `finishes` says whose sequence ends with it.

        tokens: int64, finishes: bool, both of shape [rows]. Rows of requests that have left are ignored. Raises what
        the batch's work has raised, each time, and nothing changes: nobody knows what its slots hold. Then `discard`.
        """
        self.guard.enter()
        batch = self._oldest()
        number, rows = batch.number, batch.rows
        arguments.ints(tokens, f"batch {number}: tokens", len(rows))
        arguments.mask(finishes, f"batch {number}: finishes", len(rows))
        batch.ran.wait()
        # Whoever passes slots on must own them.
        passing_on = finishes | True if self._is_prefill(batch) else finishes
        if np.count_nonzero(passing_on):
            for seat in rows.seat[passing_on & self.table.present(rows)].tolist():
                self.tracker.refuse_unowned(seat)
        if self._is_prefill(batch) and not self.pool.available:
            # What a donation may evict to put another slot in the ring.
            self._evictable(1, number)
        self._process(batch, tokens, finishes)
        self._end()
        return batch

    def discard(self) -> Ints:
        """Let the requests of the oldest batch fail, whose work has raised; returns their handles, an int64 column.

        They are aborted, and the result comes back to nobody. What the failed work may have written are slots of these
        requests only; those that later rows of theirs still touch are held back until the last of these has returned.
        None of it is in the cache: a checkpoint is published when its own result is processed, and that is refused.
        """
        self.guard.enter()
        batch = self._oldest()
        if batch.failure() is None:
            raise Contradiction(f"batch {batch.number} has not failed: process its result")
        rows = batch.rows
        seats = rows.seat[self.table.present(rows)]
        handles = self.table.handles(seats)
        for seat in seats.tolist():
            self.tracker.refuse_unowned(seat)
        self.guard.begin("discard")
        self.pool.unclaim(rows.slot[batch.boundaries])
        self.pending.popleft()
        for seat in seats.tolist():
            self._abort(seat)
        self.pool.advance_to(self.processed)
        nobody = np.zeros(len(rows), np.bool_)
        self.notices.note("process", batch, nobody, nobody, np.zeros(len(rows), np.int64))
        self._end()
        return handles

    def abort(self, handle: Handle) -> None:
        """Let an admitted or running request leave: it publishes nothing and gives everything back."""
        self.guard.enter()
        self._abort(self._seat(handle))
        self._end()

    def evict(self, slot: int) -> None:
        """Let the cache give up a slot; it is free once nothing launched copies from it."""
        self.guard.enter()
        if arguments.whole(slot, "a slot") not in self.cache:
            raise Contradiction(f"slot {slot} cannot be evicted: the cache does not own it")
        node = self.cache.at(slot)
        if node.locks:
            raise Contradiction(f"slot {slot} is cached, and an admitted request is going to copy from it")
        self.pool.refuse_unowned(np.array([node.slot]), "evict", CACHE, node.number)
        self.guard.begin("evict")
        self._evict(node)
        self._end()

    def reclaim(self, missing: int) -> None:
        """Evict what was used longest ago until so many more slots are free, or nothing is left that may go.

        The pool asks for it in the middle of a step; by itself it is a step of its own.
        """
        self.guard.check_thread()
        nodes = self._evictable(missing)
        inside = self.guard.changing
        if not inside:
            self.guard.begin("reclaim")
        for node in nodes:
            self._evict(node)
        if not inside:
            self._end()

    def close(self) -> None:
        """Let the device finish what was launched."""
        self.guard.check_thread()
        self.stream.close()

    def adopt(self) -> None:
        """Make the calling thread the one that this engine is called from."""
        self.guard.adopt()

    # Parts of the above.

    def _end(self) -> None:
        """The step is complete: whoever observes hears of it."""
        self.guard.end()
        self.notices.deliver()

    def _seat(self, handle: Handle) -> int:
        seat = self.table.seat(handle)
        if seat == ABSENT:
            raise Contradiction(f"handle {handle}: nobody goes by it; that request has left, or there was none")
        return seat

    def _oldest(self) -> LaunchedBatch:
        if not self.pending:
            raise Contradiction("there is no result to process: no batch is pending")
        return self.pending[0]

    def _only_the_cache_holds_slots(self, missing: int) -> bool:
        """Return whether so many slots can come from the cache and from nowhere else: nobody is there to give any."""
        alone = not self.pending and self.table.seats_left == self.config.requests
        return alone and len(self._evictable(missing)) == missing

    def _refuse_full_window(self) -> None:
        if self.window_is_full:
            raise Contradiction(
                f"batch {self.launched}: {len(self.pending)} batches are pending, and a scheduler with "
                f"lookahead={self.config.lookahead} launches only up to {self.config.window}; process a result first"
            )

    def _launch(self, hook: str, prepared: Prepared, work: partial[Tensor], tail: Ints | None = None) -> LaunchedBatch:
        """Send the columns to the device and enqueue the batch's work; then, and only then, do what was prepared.

        Whatever fails before the work has begun leaves everything as it was. Work that is ended in the middle (Ctrl-C,
        on a stream that performs it at once) has written somewhere: the batch is launched, and it has failed.
        """
        buffer = self.staging.next()
        buffer.fill(prepared.rows.block, tail)
        batch = LaunchedBatch(self.launched, prepared.rows, prepared.places)

        def run() -> None:
            batch.produced = work(self.model, self.states, buffer.land())

        ran, interrupt = submit(self.stream, run, self.guard, hook)
        prepared.commit()
        batch.ran = buffer.copied = ran
        self.staging.advance()
        self.pending.append(batch)
        self.launched += 1
        self.notices.note(hook, batch)
        self._end()
        if interrupt is not None:
            raise interrupt
        return batch

    def _process(self, batch: LaunchedBatch, tokens: Ints, finishes: Bools) -> None:
        alive, ahead, freed = self.tracker.complete(batch)
        if len(freed):
            self.notices.note("free", freed)
        self.pending.popleft()
        self.pool.advance_to(self.processed)
        rows = batch.rows
        if np.count_nonzero(alive) < len(alive):
            finishes = finishes & alive
            self.table.tokens[rows.seat[alive], rows.seq_len[alive]] = tokens[alive]
        else:
            self.table.tokens[rows.seat, rows.seq_len] = tokens
        if np.count_nonzero(finishes):
            for seat in rows.seat[finishes].tolist():
                self.publisher.finish(seat)
                self._release(seat)
        if self._is_prefill(batch) and alive[0] and not finishes[0]:
            self.publisher.donate(int(rows.seat[0]))
        self.notices.note("process", batch, alive, finishes, ahead)

    def _release(self, seat: int) -> None:
        """Let go of all that a request still owns: every way out ends here."""
        self.notices.note("free", self.tracker.release(seat, self.processed))

    def _abort(self, seat: int) -> None:
        source = int(self.table.source[seat])
        self._release(seat)
        if source != ABSENT:
            self.cache.at(source).locks -= 1
        self.notices.note("abort", seat)

    def _evict(self, node: CacheEntry) -> None:
        self.cache.remove(node.slot)
        after = node.read_by if node.read_by > self.processed else ABSENT
        self.pool.give_back(np.array([node.slot]), CACHE, node.number, after)
        self.notices.note("evict", node.slot)

    def _reclaimable(self, missing: int) -> list[int]:
        """Return the slots that `reclaim` would free."""
        return [node.slot for node in self._evictable(missing)]

    def _evictable(self, missing: int, processed: int | None = None) -> list[CacheEntry]:
        """Return entries that may go, at most so many; raises WrongSlots where a slot is the cache's no longer."""
        nodes = self.cache.evictable(self.processed if processed is None else processed, missing)
        for node in nodes:
            self.pool.refuse_unowned(np.array([node.slot]), "evict", CACHE, node.number)
        return nodes

    @staticmethod
    def _is_prefill(batch: LaunchedBatch) -> bool:
        """Whether a batch is a prefill that checkpointed its prompt."""
        return len(batch.boundaries) == 1 and batch.rows.decode_count[batch.boundaries[0]] == 0
