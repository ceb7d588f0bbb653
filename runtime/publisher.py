"""The way into the cache: what a prefill donates while its request goes on, and what a request leaves at its finish."""

from __future__ import annotations

import numpy as np

from runtime.boundary import ABSENT
from runtime.observer import Notices
from runtime.pool import CACHE, RING
from runtime.prefix_cache import PrefixCache
from runtime.tracking import Tracker


class Publisher:
    """Publishes checkpoints of requests: each goes through the same gate, and to a key that is not cached yet."""

    def __init__(self, tracker: Tracker, cache: PrefixCache, notices: Notices) -> None:
        self.tracker = tracker
        self.table = tracker.table
        self.pool = tracker.pool
        self.cache = cache
        self.notices = notices

    def donate(self, seat: int) -> None:
        """Publish a prefill's checkpoint while the request goes on; a fresh slot takes its place in the ring."""
        table = self.table
        slot, length = self.tracker.publishable(seat), int(table.last_len[seat])
        if slot == ABSENT:
            return
        key = self.cache.key(table.tokens[seat, :length])
        if self.cache.get(key):
            self.notices.note("publish", seat, slot, length, False)
        elif self.tracker.replace(seat) != ABSENT:
            self._publish(seat, slot, key, length)

    def finish(self, seat: int) -> None:
        """Publish the newest checkpoint of a request that finishes, if the gate allows it and its key is new."""
        table = self.table
        slot, length = self.tracker.publishable(seat), int(table.last_len[seat])
        if slot != ABSENT:
            key = self.cache.key(table.tokens[seat, :length])
            if self.cache.get(key):
                self.notices.note("publish", seat, slot, length, False)
            else:
                table.ring[seat, table.last[seat]] = ABSENT
                self._publish(seat, slot, key, length)

    def _publish(self, seat: int, slot: int, key: bytes, length: int) -> None:
        node = self.cache.insert(key, length, slot)
        self.pool.move(np.array([slot]), RING, seat, CACHE, node.number)
        self.notices.note("publish", seat, slot, length, True)
