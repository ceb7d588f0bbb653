"""The prefix cache's recurrent half: which slot holds the state after exactly the first n tokens of a text.

A recurrent state stands for one length and cannot be cut, so only lengths at which somebody kept it can be hit: the
multiples of the interval. A key is a chain of digests, one link for each interval of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice

from runtime import arguments
from runtime.arguments import BadArgument
from runtime.boundary import ABSENT
from runtime.columns import Ints

Key = bytes


@dataclass(slots=True)
class CacheEntry:
    """One cache entry: the slot holds the state after the first `length` tokens of the text that `key` stands for."""

    key: Key
    length: int
    slot: int
    number: int
    """Which entry it was, counted from 0: the name by which it owns its slot."""
    locks: int = 0
    """How many admitted requests are going to copy from it: it must not be evicted."""
    read_by: int = ABSENT
    """The newest launched batch that copies from it."""


class PrefixCache:
    """Entries by key, the one used longest ago first. Two texts share a key only if a 128-bit digest collides."""

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._nodes: dict[Key, CacheEntry] = {}
        self._by_slot: dict[int, CacheEntry] = {}
        self._entered = 0

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, slot: int) -> bool:
        return slot in self._by_slot

    def __iter__(self) -> Iterator[CacheEntry]:
        return iter(self._nodes.values())

    def keys(self, tokens: Ints) -> Iterator[tuple[int, Key]]:
        """Yield (length, key) for every whole number of intervals in a text, the shortest first."""
        arguments.ints(tokens, "tokens of a text")
        key = b""
        for length in range(self._interval, len(tokens) + 1, self._interval):
            key = blake2b(key + tokens[length - self._interval : length].tobytes(), digest_size=16).digest()
            yield length, key

    def key(self, tokens: Ints) -> Key:
        """Return the key of a whole text, whose length is a multiple of the interval and not 0."""
        if not len(arguments.ints(tokens, "tokens of a text")) or len(tokens) % self._interval:
            raise BadArgument(f"a key covers whole intervals of {self._interval} tokens, not {len(tokens)}")
        *_, (_, key) = self.keys(tokens)
        return key

    def match(self, tokens: Ints) -> CacheEntry | None:
        """Return the entry of the longest cached prefix that is shorter than the text: one token has to be computed."""
        found = None
        for _, key in self.keys(arguments.ints(tokens, "tokens of a text")[:-1]):
            found = self._nodes.get(key, found)
        return found

    def get(self, key: Key) -> CacheEntry | None:
        """Return the entry under a key, and count that as a use."""
        node = self._nodes.pop(key, None)
        if node is not None:
            self._nodes[key] = node
        return node

    def holds(self, tokens: Ints) -> bool:
        """Return whether there is an entry of a whole text, whose length is a multiple of the interval and not 0."""
        return self.key(tokens) in self._nodes

    def at(self, slot: int) -> CacheEntry:
        """Return the entry that owns a slot; raises KeyError where none does."""
        return self._by_slot[arguments.whole(slot, "a slot")]

    def insert(self, key: Key, length: int, slot: int) -> CacheEntry:
        """Enter a slot under a key that is not there yet, and return its entry."""
        arguments.whole(length, "the length of an entry", least=1)
        if arguments.whole(slot, "a slot", least=0) in self._by_slot:
            raise BadArgument(f"slot {slot} has an entry of {self._by_slot[slot].length} tokens; remove that one first")
        if key in self._nodes:
            raise BadArgument(f"slot {slot}: its key has an entry, and none is replaced: the older one is kept")
        node = CacheEntry(key, length, slot, self._entered)
        self._nodes[key] = self._by_slot[slot] = node
        self._entered += 1
        return node

    def remove(self, slot: int) -> CacheEntry:
        """Take the entry that owns a slot out; raises KeyError where none does."""
        node = self._by_slot.pop(arguments.whole(slot, "a slot"))
        del self._nodes[node.key]
        return node

    def evictable(self, processed: int, most: int) -> list[CacheEntry]:
        """Return entries whose slots would be free at once, at most so many, those used longest ago first.

        Nobody copies from them, now or soon. processed: the newest batch whose result has been processed.
        """
        arguments.whole(processed, "the newest processed batch", least=ABSENT)
        arguments.whole(most, "a number of entries", least=0)
        return list(islice((node for node in self if not node.locks and node.read_by <= processed), most))
