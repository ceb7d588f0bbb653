"""The slot pool: a wrong call changes nothing, and every slot has one owner whom the report names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.boundary import ABSENT
from runtime.pool import CACHE, CLASSES, COOLING, FREE, OUTSIDE, RING, WORKING, SlotPool, WrongSlots
from tests.support.runtime_engines import ledger


def slots_of(*numbers):
    return np.array(numbers, np.int64)


@pytest.fixture
def pool():
    """Slots 0 and 1 belong to seat 0, 2 and 3 to seat 1, 4 cools for batch 7, 5..7 are free."""
    made = SlotPool(8)
    assert made.take(5, RING, slots_of(0, 0, 1, 1, 1)).tolist() == [0, 1, 2, 3, 4]
    made.give_back(slots_of(4), RING, 1, after=7)
    return made


WRONG = {
    "free": (slots_of(0, 6), "slot 6: it is free already"),
    "cooling": (slots_of(0, 4), "slot 4: it is free already"),
    "absent": (slots_of(1, ABSENT), "slot -1: the pool has 0..7"),
    "foreign": (slots_of(1, 8), "slot 8: the pool has 0..7"),
    "twice": (slots_of(2, 3, 2), "slot 2 twice in one call"),
    "somebody else's": (slots_of(1, 2), "slot 2: it belongs to ring 1, not to ring 0"),
    "of another class": (slots_of(5, 1), "slot 5: it belongs to outside 3, not to ring 0"),
}
HOLDERS = dict.fromkeys(WRONG, 0) | {"twice": 1}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("verb", ["give back", "give back later", "move"])
def test_a_wrong_slot_is_refused_before_anything_changes(pool, wrong, verb):
    slots, reason = WRONG[wrong]
    if wrong == "of another class":
        pool.take(1, OUTSIDE, 3)
    before = ledger(pool)
    calls = {
        "move": lambda: pool.move(slots, RING, HOLDERS[wrong], CACHE, 2),
        "give back": lambda: pool.give_back(slots, RING, HOLDERS[wrong]),
        "give back later": lambda: pool.give_back(slots, RING, HOLDERS[wrong], after=3),
    }
    with pytest.raises(WrongSlots) as refused:
        calls[verb]()
    assert str(refused.value) == f"cannot {verb.removesuffix(' later')} {reason}"
    assert ledger(pool) == before


def test_a_slot_given_back_twice_is_refused(pool):
    pool.give_back(slots_of(0), RING, 0)
    before = ledger(pool)
    with pytest.raises(WrongSlots, match="slot 0: it is free already"):
        pool.give_back(slots_of(0), RING, 0)
    assert ledger(pool) == before


@pytest.mark.parametrize("count", [4, 9, -1])
def test_a_count_that_is_not_there_is_refused(pool, count):
    before = ledger(pool)
    with pytest.raises(WrongSlots, match=f"^{count} slots asked for, 3 free"):
        pool.take(count, RING, 0)
    assert ledger(pool) == before


def test_owners_that_do_not_fit_the_count_change_nothing(pool):
    before = ledger(pool)
    with pytest.raises(ValueError):
        pool.take(2, RING, slots_of(0, 1, 2))
    assert ledger(pool) == before


def test_a_cooling_slot_is_nobodys_and_cannot_be_taken_before_its_batch(pool):
    assert pool.available == 3
    assert pool.owners()["free, still in flight"] == {"": [4]}
    pool.advance_to(6)
    assert pool.available == 3
    pool.advance_to(7)
    assert pool.available == 4
    assert pool.kind[4] == FREE
    assert pool.take(1, OUTSIDE, 9).tolist() == [4]


def test_slots_that_wait_come_back_in_the_order_in_which_they_were_given_back(pool):
    pool.give_back(slots_of(0), RING, 0, after=9)
    pool.give_back(slots_of(1), RING, 0, after=8)
    pool.advance_to(8)
    assert pool.kind[[0, 1, 4]].tolist() == [COOLING, COOLING, FREE]
    pool.advance_to(9)
    assert pool.take(3, RING, 0).tolist() == [1, 0, 4]


def test_what_is_freed_last_is_taken_first(pool):
    pool.give_back(slots_of(2, 0), RING, slots_of(1, 0))
    assert pool.take(2, RING, 0).tolist() == [0, 2]


def test_the_caller_may_go_on_with_its_array(pool):
    taken = pool.take(1, RING, 0)
    taken[0] = 99
    given = slots_of(0)
    pool.give_back(given, RING, 0, after=8)
    given[0] = 99
    pool.advance_to(8)
    assert sum(len(slots) for owner in pool.owners().values() for slots in owner.values()) == 8


def test_too_few_free_slots_are_asked_for():
    asked = []

    def reclaim(missing):
        asked.append(missing)
        made.give_back(slots_of(0), CACHE, 2)

    made = SlotPool(4, reclaim)
    made.take(3, CACHE, 2)
    assert made.make_available(1) == 1
    assert asked == []
    assert made.make_available(4) == 2
    assert asked == [3]


def test_the_report_names_everybody(pool):
    pool.move(slots_of(0), RING, 0, CACHE, 16)
    pool.kind[1] = WORKING
    pool.take(1, OUTSIDE, 42)
    pool.names = ["alice", "bob"]
    owners = pool.owners()
    assert owners == {
        "free": {"": [6, 7]},
        "free, still in flight": {"": [4]},
        "working": {"alice": [1]},
        "ring": {"bob": [2, 3]},
        "cache": {"16": [0]},
        "outside": {"42": [5]},
    }
    pool.names = ()
    assert pool.owners()["ring"] == {"1": [2, 3]}


def test_claims_are_counted():
    made = SlotPool(4)
    made.claim(slots_of(1, 2))
    made.claim(slots_of(2))
    assert made.claims.tolist() == [0, 1, 2, 0]
    made.unclaim(slots_of(1, 2))
    assert made.claims.tolist() == [0, 0, 1, 0]


class PlainPool:
    """The same in a dict and two lists: what each call may do, one slot after the other."""

    def __init__(self, size):
        self.owner = dict.fromkeys(range(size))
        self.free = list(range(size - 1, -1, -1))
        self.cooling = []

    def take(self, count, owner):
        if count > len(self.free):
            return None
        taken, self.free = self.free[len(self.free) - count :], self.free[: len(self.free) - count]
        self.owner |= dict.fromkeys(taken, owner)
        return taken[::-1]

    def held(self, slots):
        return len(set(slots)) == len(slots) and all(self.owner.get(slot) is not None for slot in slots)

    def whose(self, slots):
        """The owner of the first slot, or somebody: whom a caller would name who took them together."""
        return next((self.owner[slot] for slot in slots if self.owner.get(slot)), ("ring", "0"))

    def move(self, slots, owner):
        if not self.held(slots) or any(self.owner[slot] != self.whose(slots) for slot in slots):
            return False
        self.owner |= dict.fromkeys(slots, owner)
        return True

    def give_back(self, slots, after):
        if not self.held(slots) or any(self.owner[slot] != self.whose(slots) for slot in slots):
            return False
        self.owner |= dict.fromkeys(slots)
        if after == ABSENT:
            self.free += slots
        else:
            self.cooling.append((after, slots))
        return True

    def advance_to(self, processed):
        while self.cooling and self.cooling[0][0] <= processed:
            self.free += self.cooling.pop(0)[1]

    def report(self):
        found = {name: {} for name in CLASSES}
        waiting = {slot for _, slots in self.cooling for slot in slots}
        for slot, owner in self.owner.items():
            name, key = ("free, still in flight" if slot in waiting else "free", "") if owner is None else owner
            found[name].setdefault(key, []).append(slot)
        return found


def whose(plain, slots):
    kind, holder = plain.whose(slots)
    return CLASSES.index(kind), int(holder)


SLOTS = st.lists(st.integers(-1, 6), max_size=4)
CALLS = st.one_of(
    st.tuples(st.just("take"), st.integers(0, 4), st.integers(2, 5), st.integers(0, 2)),
    st.tuples(st.just("move"), SLOTS, st.integers(2, 5), st.integers(0, 2)),
    st.tuples(st.just("give_back"), SLOTS, st.sampled_from([ABSENT, ABSENT, 0, 1, 2, 3])),
    st.tuples(st.just("advance_to"), st.integers(0, 3)),
)


@given(st.lists(CALLS, max_size=30))
def test_the_pool_is_a_dict_of_owners(calls):
    made, plain = SlotPool(6), PlainPool(6)
    for name, *rest in calls:
        before = ledger(made)
        try:
            if name == "take":
                count, kind, holder = rest
                result = made.take(count, kind, holder).tolist()
                assert result == plain.take(count, (CLASSES[kind], str(holder)))
            elif name == "move":
                slots, kind, holder = rest
                made.move(np.array(slots, np.int64), *whose(plain, slots), kind, holder)
                assert plain.move(slots, (CLASSES[kind], str(holder)))
            elif name == "give_back":
                slots, after = rest
                made.give_back(np.array(slots, np.int64), *whose(plain, slots), after)
                assert plain.give_back(slots, after)
            else:
                made.advance_to(*rest)
                plain.advance_to(*rest)
        except WrongSlots:
            assert ledger(made) == before
            refused = plain.take(rest[0], "") is None if name == "take" else not plain.move(rest[0], ("ring", "0"))
            assert refused
        assert made.available == len(plain.free)
        assert made.owners() == plain.report()
