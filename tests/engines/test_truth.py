"""The model that can be checked, and what the checks see: each wrong state is planted by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from tests.engines.sglang_on_cpu.fake_model import START, STOP_TOKEN, Slots, Text, absorb, state_of
from tests.engines.sglang_on_cpu.truth import Truth

KEY = [11, 12, 13, 14]


class Key(list[int]):
    """A key of the cache; the engine's has its tokens under this name."""

    @property
    def token_ids(self) -> list[int]:
        return list(self)


class SmallWorld:
    """As much of an engine as the truth looks at: eight slots, and a cache that takes what it is given."""

    def __init__(self) -> None:
        self.slots = Slots(torch.zeros(9, 2))
        self.free = torch.arange(1, 9)
        self.cached: list[int] = []
        self.known = False
        allocator = SimpleNamespace(free=self.take_back, free_slots=self.free)
        self.pool = SimpleNamespace(mamba_allocator=allocator, mamba_pool=SimpleNamespace(size=8))
        self.cache = SimpleNamespace(insert=self.insert, all_mamba_values_flatten=lambda: torch.tensor(self.cached))

    def insert(self, params: Any) -> Any:
        if not self.known:
            self.cached.append(int(params.mamba_value[0]))
        return SimpleNamespace(mamba_exist=self.known)

    def take_back(self, slots: Any) -> None:
        self.cached = [slot for slot in self.cached if slot not in slots.tolist()]
        self.has_free(*self.pool.mamba_allocator.free_slots.tolist(), *slots.tolist())

    def has_free(self, *slots: int) -> None:
        self.pool.mamba_allocator.free_slots = torch.tensor(slots)

    def hand_over(self, slot: int, key: list[int]) -> None:
        self.cache.insert(SimpleNamespace(key=Key(key), mamba_value=torch.tensor([slot])))


@pytest.fixture
def world() -> SmallWorld:
    return SmallWorld()


@pytest.fixture
def truth(world: SmallWorld) -> Truth:
    return Truth(cast(Any, world))


def test_a_state_says_of_which_tokens_it_is() -> None:
    assert state_of([]) == START
    assert state_of(KEY) == absorb(state_of(KEY[:3]), KEY[3])
    states = {state_of(tokens) for tokens in ([1], [2], [1, 2], [2, 1], [1, 1], [2, 2])}
    assert len(states) == 6


def test_a_text_goes_on_in_the_same_way_every_time() -> None:
    one, other = Text(KEY, 5, stops=True), Text(KEY, 5, stops=True)
    assert other.state(9) == one.state(9) == state_of(one.tokens[:9])
    assert one.whole == other.whole
    assert one.whole[-1] == STOP_TOKEN
    assert STOP_TOKEN not in Text(KEY, 5, stops=False).whole


def test_a_right_state_is_right(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of(KEY))
    world.hand_over(3, KEY)
    truth.starts("B", 3, state_of(KEY), reused=True)
    truth.writes([1, 2])
    world.has_free(1, 2, 4, 5, 6, 7, 8)
    truth.at_rest()
    assert not truth.wrong
    assert not truth.leaked
    assert truth.seen == {"handed over": 1, "reused": 1}


def test_a_wrong_state_is_seen_where_it_is_handed_over(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of([*KEY, 15]))
    world.hand_over(3, KEY)
    assert truth.wrong == ["slot 3 is filed under 4 tokens and holds the state of 5"]
    assert truth.misfiled == [(3, 4)]


def test_the_state_of_another_text_is_wrong_too(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of([1, 2, 3, 4]))
    world.hand_over(3, KEY)
    assert truth.wrong == ["slot 3 is filed under 4 tokens and holds the state of another text of that length"]


def test_a_cached_state_that_is_overwritten_is_seen_once(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of(KEY))
    world.hand_over(3, KEY)
    world.slots.write(3, state_of([*KEY, 15]))
    truth.look_at_the_cache()
    truth.look_at_the_cache()
    assert truth.misfiled == [(3, 4)]


def test_what_has_left_the_cache_may_be_overwritten(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of(KEY))
    world.hand_over(3, KEY)
    world.pool.mamba_allocator.free(torch.tensor([3]))
    world.slots.write(3, START)
    truth.look_at_the_cache()
    assert not truth.wrong
    assert truth.seen["evicted"] == 1


def test_what_a_former_owner_has_left_is_not_right_by_luck(world: SmallWorld, truth: Truth) -> None:
    world.slots.write(3, state_of(KEY))
    world.pool.mamba_allocator.free(torch.tensor([3]))
    world.hand_over(3, KEY)
    assert truth.wrong == ["slot 3 is filed under 4 tokens and holds nothing that its owner has written"]


def test_a_key_that_the_cache_had_is_not_handed_over(world: SmallWorld, truth: Truth) -> None:
    world.known = True
    world.hand_over(3, KEY)
    assert not truth.wrong
    assert not truth.seen


def test_a_wrong_start_and_a_slot_written_twice_are_seen(truth: Truth) -> None:
    truth.starts("B", 3, state_of(KEY), reused=True)
    truth.writes([4, 5, 4])
    assert truth.wrong == [
        "B goes on at 4 tokens from slot 3, which holds the state of 0",
        "one batch writes slot 4 more than once",
    ]


def test_slots_that_nobody_has_and_slots_that_are_free_twice_are_seen(world: SmallWorld, truth: Truth) -> None:
    world.has_free(1, 2, 2, 3, 4, 5, -1)
    world.cached = [8]
    truth.at_rest()
    assert truth.leaked == [6, 7]
    assert truth.wrong == ["slot 2 is free more than once", "-1 is free and no slot"]
