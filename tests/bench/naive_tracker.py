"""The bookkeeping of decode as one writes it first: an object for each request and row, and loops over them.

It follows the same protocol as `runtime/` (claim and flip at preparation, label from the row, one gate), so it is what
the runtime is measured against; tests/runtime_room/test_naive_tracker.py holds the two together. It knows no hits.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import torch

ABSENT = -1


class Pool:
    """Free slots on a stack, and who owns each of the others."""

    def __init__(self, slots):
        self.free = list(range(slots - 1, -1, -1))
        self.owner = [None] * slots
        self.claims = [0] * slots
        self.cooling = deque()

    def take(self, owner):
        slot = self.free.pop()
        self.owner[slot] = owner
        return slot

    def give_back(self, slot):
        if self.owner[slot] is None:
            raise RuntimeError(f"slot {slot} is free already")
        self.owner[slot] = None
        self.free.append(slot)

    def advance_to(self, processed):
        while self.cooling and self.cooling[0][0] <= processed:
            self.give_back(self.cooling.popleft()[1])


@dataclass(slots=True, eq=False)
class Request:
    """What the engine knows of a request now."""

    name: str
    tokens: list
    working: int
    ring: list
    last: int
    seq_len: int
    next: int = 0
    last_len: int = ABSENT
    decode_count: int = 0
    last_batch: int = ABSENT
    gone: bool = False


class Row(NamedTuple):
    """What a batch recorded about a request."""

    request: Request
    decode_count: int
    seq_len: int
    start: int
    working: int
    source: int
    position: int
    slot: int
    mark: int


@dataclass(slots=True)
class Batch:
    """Rows, and the columns that the device gets."""

    number: int
    rows: list
    columns: torch.Tensor = field(init=False)

    def __post_init__(self):
        self.columns = torch.tensor([row[1:] for row in self.rows], dtype=torch.int64)


class NaiveTracker:
    """Admission, prefill, decode and results for plain requests."""

    def __init__(self, config):
        self.config = config
        self.pool = Pool(config.slots)
        self.cache = {}
        self.pending = deque()
        self.launched = 0

    @property
    def processed(self):
        return self.launched - len(self.pending) - 1

    def admit(self, name, prompt):
        eager, ring = self.config.mode == "eager", self.config.ring
        filled = ring if eager else 1
        slots = [self.pool.take(name) for _ in range(1 + filled)]
        positions = slots[1:] + [ABSENT] * (ring - filled)
        return Request(name, list(prompt), slots[0], positions, ring - 1 if eager else 0, len(prompt))

    def prefill(self, request):
        length = request.seq_len
        mark = length - length % self.config.interval
        # Nothing is known of the cache here: the texts of the comparison have nothing in common.
        if mark == length and mark > self.config.interval:
            mark -= self.config.interval
        position = slot = ABSENT
        if mark > 0:
            position = request.next
            slot = request.ring[position]
            self.pool.claims[slot] += 1
            if self.config.mode == "eager":
                request.next = (position + 1) % self.config.ring
        row = Row(request, 0, length, 0, request.working, ABSENT, position, slot, mark if mark > 0 else ABSENT)
        return self._launch([row])

    def decode(self, requests):
        return self._launch([self._prepare(request) for request in requests])

    def _launch(self, rows):
        batch = Batch(self.launched, rows)
        for row in rows:
            row.request.last_batch = batch.number
        self.pending.append(batch)
        self.launched += 1
        return batch

    def _prepare(self, request):
        request.seq_len += 1
        request.decode_count += 1
        length, working = request.seq_len, request.working
        position = slot = mark = ABSENT
        if length % self.config.interval == 0 and (self.config.mode == "eager" or self._spare(request)):
            mark, position = length, request.next
            slot = request.ring[position]
            self.pool.claims[slot] += 1
            if self.config.mode == "eager":
                request.next = (position + 1) % self.config.ring
        return Row(request, request.decode_count, length, length - 1, working, working, position, slot, mark)

    def _spare(self, request):
        """Fill an empty position of a lazy ring, or go in place; false: this boundary is skipped."""
        if ABSENT in request.ring and self._have_free():
            request.next = request.ring.index(ABSENT)
            request.ring[request.next] = self.pool.take(request.name)
            return True
        if self.config.without_spare == "skip":
            return False
        if request.next == request.last:
            request.last_len = ABSENT
        return True

    def _have_free(self):
        if not self.pool.free and self.cache:
            self.pool.give_back(self.cache.pop(next(iter(self.cache))))
        return bool(self.pool.free)

    def process(self, tokens, finishes):
        for row in self.pending[0].rows:
            request = row.request
            ahead = request.decode_count - row.decode_count
            if not request.gone and not 0 <= ahead <= self.config.lookahead:
                raise RuntimeError(f"request {request.name}: a lookahead of {ahead}")
        batch = self.pending.popleft()
        for row in batch.rows:
            if row.mark != ABSENT:
                self.pool.claims[row.slot] -= 1
                if not row.request.gone:
                    self._complete(row)
        self.pool.advance_to(self.processed)
        for row, token, finish in zip(batch.rows, tokens, finishes, strict=True):
            if row.request.gone:
                continue
            row.request.tokens.append(token)
            if finish:
                self._finish(row.request)
            elif row.decode_count == 0 and row.mark != ABSENT:
                self._donate(row.request)
        return batch

    def _complete(self, row):
        request = row.request
        former, request.last = request.last, row.position
        request.last_len = row.mark if self.pool.claims[row.slot] == 0 else ABSENT
        if self.config.mode == "lazy" and former != row.position:
            slot = request.ring[former]
            if slot != ABSENT and self.pool.claims[slot] == 0:
                request.ring[former] = ABSENT
                self.pool.give_back(slot)

    def _publishable(self, request):
        """The gate: the key of the newest checkpoint, or None."""
        if request.last_len == ABSENT or self.pool.claims[request.ring[request.last]]:
            return None
        key = tuple(request.tokens[: request.last_len])
        return None if key in self.cache else key

    def _donate(self, request):
        key = self._publishable(request)
        if key is not None and self._have_free():
            fresh = self.pool.take(request.name)
            self._publish(request, key, fresh)
            request.last_len = ABSENT

    def _finish(self, request):
        key = self._publishable(request)
        if key is not None:
            self._publish(request, key, ABSENT)
        self.release(request)

    def _publish(self, request, key, replacement):
        slot, request.ring[request.last] = request.ring[request.last], replacement
        self.pool.owner[slot] = key
        self.cache[key] = slot

    def release(self, request):
        pending = request.last_batch > self.processed
        for slot in (request.working, *request.ring):
            if slot == ABSENT:
                continue
            if pending and (slot == request.working or self.pool.claims[slot]):
                self.pool.cooling.append((request.last_batch, slot))
            else:
                self.pool.give_back(slot)
        request.gone = True
