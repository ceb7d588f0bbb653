"""Which states are wrong, known without any judge.

A slot's content says of which prefix it is the state, so it is enough to look: at every slot that is in the cache,
whenever anything was written or filed, and at every state from which a prompt goes on.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .fake_model import GONE, State, state_of

if TYPE_CHECKING:
    from .world import World


class Truth:
    """What went wrong in one run, in words, and how often there was something to look at."""

    def __init__(self, world: World) -> None:
        self.wrong: list[str] = []
        self.misfiled: list[tuple[int, int]] = []
        """Slots of the cache that do not hold what they are filed under, and under how many tokens."""
        self.leaked: list[int] = []
        self.seen: Counter[str] = Counter()
        self._world, self._slots = world, world.slots
        self._filed: dict[int, State] = {}
        self._watch_insertions()
        self._watch_frees()

    def _watch_insertions(self) -> None:
        insert = self._world.cache.insert

        def watched(params: Any) -> Any:
            key, slot = tokens_of(params.key), None if params.mamba_value is None else int(params.mamba_value[0])
            result = insert(params)
            if slot is not None and key and not result.mamba_exist:
                self.seen["handed over"] += 1
                self._filed[slot] = state_of(key)
                self.look_at_the_cache()
            return result

        self._world.cache.insert = watched

    def _watch_frees(self) -> None:
        allocator = self._world.pool.mamba_allocator
        free = allocator.free

        def watched(slots: Any) -> Any:
            for slot in slots.reshape(-1).tolist():
                self.seen["evicted"] += self._filed.pop(slot, None) is not None
                if slot > 0:
                    self._slots.write(slot, GONE)
            return free(slots)

        allocator.free = watched

    def look_at_the_cache(self) -> None:
        """Every slot that is filed holds what its key says; each fault is reported once."""
        memory = self._slots.memory.tolist()
        for slot, expected in list(self._filed.items()):
            length, mixed = memory[slot]
            if (int(length), int(mixed)) != expected:
                self.wrong.append(
                    f"slot {slot} is filed under {expected[0]} tokens and holds {described(length, expected)}"
                )
                self.misfiled.append((slot, expected[0]))
                del self._filed[slot]

    def starts(self, name: str, slot: int, expected: State, reused: bool) -> None:
        """A row of a request goes on from a slot."""
        self.seen["reused"] += reused
        found = self._slots.read(slot)
        if found != expected:
            self.wrong.append(
                f"{name} goes on at {expected[0]} tokens from slot {slot}, which holds {described(found[0], expected)}"
            )

    def writes(self, slots: list[int]) -> None:
        """The slots that the rows of one batch write, which happens in no order."""
        twice = [slot for slot, count in Counter(slots).items() if count > 1]
        self.wrong += [f"one batch writes slot {slot} more than once" for slot in twice]

    def at_rest(self) -> None:
        """Nothing runs any more: every slot is either free or in the cache, and only once."""
        pool = self._world.pool
        free = pool.mamba_allocator.free_slots.tolist()
        ids = range(1, pool.mamba_pool.size + 1)
        self.wrong += [f"slot {slot} is free more than once" for slot, count in Counter(free).items() if count > 1]
        self.wrong += [f"{slot} is free and no slot" for slot in free if slot not in ids]
        self.wrong += [f"slot {slot} is free and in the cache" for slot in free if slot in self._filed]
        held = set(self._world.cache.all_mamba_values_flatten().tolist())
        self.leaked = [slot for slot in ids if slot not in held and slot not in free]


def tokens_of(key: Any) -> list[int]:
    """The tokens that a key of the cache stands for."""
    tokens = key.raw_token_ids() if hasattr(key, "raw_token_ids") else key.token_ids
    return list(tokens)[: len(key)]


def described(length: float, expected: State) -> str:
    """What a slot holds instead."""
    if length == GONE[0]:
        return "nothing that its owner has written"
    return f"the state of {int(length)}" if int(length) != expected[0] else "the state of another text of that length"
