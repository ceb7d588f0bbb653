"""Faults in the cache's locks and in the order in which it evicts: each a changed line or a few of the runtime."""

from __future__ import annotations

from runtime.engine import Engine
from runtime.prefix_cache import PrefixCache
from runtime.publisher import Publisher
from tests.support.planting import Fault, Plant

_RELEASE = "self.cache.at(source).locks -= 1"
_IF_TAKEN = f"    if source != ABSENT:\n        {_RELEASE}"
_MATCH = "node = self.cache.match(prompt)"
_USE = "self.cache.get(node.key)"


def in_abort(new: str, old: str = _RELEASE) -> Plant:
    """Another text for the release of an abort's lock."""
    return Plant(Engine, "_abort", old, new)


LOCK_FAULTS = (
    Fault(
        "lock-released-twice",
        "an abort releases two locks of what it would have copied from: its own, and another's",
        (in_abort("self.cache.at(source).locks = max(0, self.cache.at(source).locks - 2)"),),
    ),
    Fault(
        "lock-released-at-once",
        "an abort takes the lock for a flag, so the entry may be evicted while another one still has to copy",
        (in_abort("self.cache.at(source).locks = 0"),),
    ),
    Fault(
        "lock-released-on-a-miss",
        "an abort of one that took no lock takes the absent marker for an index, and releases the newest entry's",
        (
            in_abort(
                f"{_IF_TAKEN}\n    else:\n"
                "        for node in list(self.cache)[source:]:\n            node.locks = max(0, node.locks - 1)",
                _IF_TAKEN,
            ),
        ),
    ),
    Fault(
        "lock-released-by-text",
        "an abort releases what its text would hit now, also when its copy has been launched long ago",
        (
            in_abort(
                "source = int(self.table.source[seat])\n"
                "    node = self.cache.match(self.table.tokens[seat, : self.table.seq_len[seat]])",
                "source = int(self.table.source[seat])",
            ),
            in_abort("    if node and node.locks:\n        node.locks -= 1", _IF_TAKEN),
        ),
    ),
    Fault("lock-kept-by-an-abort", "an abort keeps its lock", (in_abort("pass"),)),
    Fault(
        "lock-kept-by-a-prefill",
        "a prefill keeps its lock when its copy has been launched",
        (Plant(Engine, "prefill", "node.locks -= 1", "pass"),),
    ),
    Fault(
        "lock-kept-while-waiting",
        "an admission that has to wait keeps the lock that it took to look",
        (
            Plant(Engine, "admit", _MATCH, f"{_MATCH}\n    if node:\n        node.locks += 1"),
            Plant(Engine, "admit", f"node.locks += 1\n        {_USE}", _USE),
        ),
    ),
    Fault(
        "lock-on-another",
        "an admission locks the entry that was used longest ago, not the one that it hit",
        (Plant(Engine, "admit", "node.locks += 1", "next(iter(self.cache)).locks += 1"),),
    ),
    Fault(
        "lock-not-counted",
        "a second admission on an entry does not add to the first one's lock",
        (Plant(Engine, "admit", "node.locks += 1", "node.locks = 1"),),
    ),
)

ORDER_FAULTS = (
    Fault(
        "newest-evicted",
        "the cache gives up what was used last",
        (Plant(PrefixCache, "evictable", "for node in self if", "for node in reversed(list(self)) if"),),
    ),
    Fault(
        "use-forgotten",
        "a hit does not count as a use of the entry",
        (Plant(Engine, "admit", _USE, "pass"),),
    ),
    Fault(
        "publication-no-use",
        "a checkpoint whose key is cached already does not count as a use of that entry",
        (Plant(Publisher, "finish", "if self.cache.get(key):", "if any(node.key == key for node in self.cache):"),),
    ),
)
