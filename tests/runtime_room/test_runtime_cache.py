"""The prefix cache: exact lengths only, and what was used longest ago goes first, unless somebody needs it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.arguments import BadArgument
from runtime.prefix_cache import PrefixCache
from tests.support.runtime_engines import assert_quiescent, engine, prompt, start, step

TOKENS = np.arange(100, 130)


def filled(*lengths, interval=4):
    made = PrefixCache(interval)
    for slot, length in enumerate(lengths):
        made.insert(made.key(TOKENS[:length]), length, slot)
    return made


@pytest.mark.parametrize(
    ("length", "found"), [(3, None), (4, None), (5, 4), (8, 4), (9, 8), (12, 8), (16, 8), (17, 16), (30, 16)]
)
def test_the_longest_prefix_that_leaves_a_token_to_compute_is_hit(length, found):
    node = filled(4, 8, 16).match(TOKENS[:length])
    assert (node.length if node else None) == found


@given(
    texts=st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=8), max_size=6),
    asked=st.lists(st.integers(0, 1), max_size=9),
)
def test_a_hit_is_a_prefix_and_the_longest_one(texts, asked):
    made = PrefixCache(2)
    plain = {}
    for slot, text in enumerate(texts):
        whole = tuple(text[: len(text) // 2 * 2])
        key = made.key(np.array(whole, np.int64))
        assert (made.get(key) is not None) == (whole in plain)
        if whole not in plain:
            made.insert(key, len(whole), slot)
            plain[whole] = slot
    prefixes = [tuple(asked[:length]) for length in range(len(asked))]
    expected = [plain[prefix] for prefix in prefixes if prefix in plain]
    node = made.match(np.array(asked, np.int64))
    assert (node.slot if node else None) == (expected[-1] if expected else None)


def test_a_key_covers_whole_intervals():
    with pytest.raises(BadArgument, match="whole intervals of 4 tokens, not 6"):
        PrefixCache(4).key(TOKENS[:6])


def test_an_entry_is_never_replaced():
    made = filled(4)
    with pytest.raises(BadArgument, match="older one is kept"):
        made.insert(made.key(TOKENS[:4]), 4, 9)


def test_entries_are_found_and_removed_by_their_slot():
    made = filled(4, 8)
    assert made.at(1).length == 8
    assert made.remove(1).length == 8
    assert (len(made), made.match(TOKENS[:9]).length) == (1, 4)
    for ask in (made.at, made.remove):
        with pytest.raises(KeyError):
            ask(1)


def test_what_was_used_longest_ago_may_go_first():
    made = filled(4, 8, 12)
    assert [node.slot for node in made.evictable(-1, 9)] == [0, 1, 2]
    made.get(made.key(TOKENS[:4]))
    assert [node.slot for node in made.evictable(-1, 9)] == [1, 2, 0]
    assert [node.slot for node in made.evictable(-1, 2)] == [1, 2]
    made.at(1).locks = 1
    made.at(2).read_by = 5
    assert [node.slot for node in made.evictable(4, 9)] == [0]
    assert [node.slot for node in made.evictable(5, 9)] == [2, 0]


# The cache in an engine.


def cached(made, *lengths, first=3):
    """Let requests of one text leave their prompts' states in the cache."""
    for length in lengths:
        seat = start(made, f"for {length}", first, length)
        step(made, seat)


def lengths_of(made):
    return [node.length for node in made.cache]


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize(("length", "hit"), [(7, 0), (8, 0), (9, 8), (16, 8), (17, 16), (24, 16), (25, 24)])
def test_the_same_prompt_again_hits_the_newest_boundary_below_its_length(mode, length, hit):
    made = engine(mode=mode, interval=8)
    cached(made, length)
    seat = made.admit("again", prompt(3, length))
    assert made.table.prefix[seat] == hit
    batch = made.prefill(seat)
    assert batch.rows.start[0] == hit
    step(made, seat)
    # What goes on from the prompt finds its end, too, where that is a boundary.
    end = length - length % 8
    assert lengths_of(made) == sorted({hit, end} - {0})
    assert made.table.prefix[made.admit("goes on", prompt(3, length + 1))] == end


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_boundary_that_another_request_has_cached_meanwhile_is_not_marked_again(mode):
    made = engine(mode=mode, interval=8)
    first, second = made.admit("first", prompt(3, 16)), made.admit("second", prompt(3, 16))
    made.prefill(first)
    step(made, first)
    assert lengths_of(made) == [8]
    assert made.table.prefix[second] == 0
    assert made.prefill(second).rows.mark[0] == 16
    step(made, second)
    assert lengths_of(made) == [8, 16]
    assert_quiescent(made)


def test_a_hit_counts_as_a_use():
    made = engine(slots=12)
    cached(made, 2, first=5)
    cached(made, 2, first=7)
    start(made, "hits the older one", 5, 3)
    step(made)
    assert [node.slot for node in made.cache] == [node.slot for node in made.cache if node.read_by < 0] + [
        node.slot for node in made.cache if node.read_by >= 0
    ]
    made.reclaim(1)
    assert made.cache.match(prompt(5, 3)) is not None
    assert made.cache.match(prompt(7, 3)) is None


def test_a_locked_entry_stays_until_its_copy_was_processed():
    made = engine()
    cached(made, 5)
    slot = made.cache.match(prompt(3, 5)).slot
    seat = made.admit("hits", prompt(3, 5))
    assert made.cache.at(slot).locks == 1
    made.reclaim(9)
    assert lengths_of(made) == [4]
    made.prefill(seat)
    assert (made.cache.at(slot).locks, made.cache.at(slot).read_by) == (0, made.launched - 1)
    made.reclaim(9)
    assert lengths_of(made) == [4]
    # An eviction that does not ask waits with the slot until the batch that copies from it has returned.
    made.evict(slot)
    assert made.pool.owners()["free, still in flight"] == {"": [slot]}
    step(made, seat)
    assert made.pool.owners()["free, still in flight"] == {}
    assert_quiescent(made)


def test_nothing_is_evicted_for_a_request_that_must_wait_all_the_same():
    made = engine(slots=12)
    cached(made, 2, 4)
    assert lengths_of(made) == [2, 4]
    made.pool.take(made.pool.available - 1, 5, 0)
    assert made.admit("needs four, and there are three", prompt(7, 3)) == -1
    assert lengths_of(made) == [2, 4]


def test_what_is_missing_is_evicted_and_no_more():
    made = engine(slots=12)
    cached(made, 2, 4)
    made.pool.take(made.pool.available - 3, 5, 0)
    assert made.admit("needs four, and three are free", prompt(7, 3)) >= 0
    assert lengths_of(made) == [4]


def test_a_prompt_of_other_numbers_is_refused():
    made = engine()
    with pytest.raises(ValueError, match=r"request r: prompt: ndarray of int32 with shape .2,.; write "):
        made.admit("r", np.array([3, 4], np.int32))
