"""A model whose state can be checked: how many tokens it has absorbed, and a running hash of them.

A slot of the engine's pool holds that pair, so its content says of exactly which prefix it is the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch

State = tuple[int, int]
START: Final[State] = (0, 0)
GONE: Final[State] = (-1, 0)
"""What a slot holds once it is given back: a former owner's state would be right by luck."""
STOP_TOKEN: Final = 9
PRIME: Final = 65521
"""Small enough for a hash to be exact in a slot's floating point numbers."""


def absorb(state: State, token: int) -> State:
    """The state after one more token."""
    length, mixed = state
    return length + 1, (mixed * 31 + token + 7) % PRIME


class Text:
    """What a request reads and says; the state after any number of its tokens."""

    def __init__(self, prompt: list[int], outputs: int, stops: bool) -> None:
        self.tokens, self.prompt = list(prompt), len(prompt)
        self.outputs, self.stops = outputs, stops
        self._states = [START]

    def token(self, index: int) -> int:
        """The token at a place; what is said follows from the state alone, as in greedy decoding."""
        while len(self.tokens) <= index:
            said = len(self.tokens) - self.prompt
            last = self.stops and said + 1 == self.outputs
            self.tokens.append(STOP_TOKEN if last else 1000 + self.state(len(self.tokens))[1] % 50_000)
        return self.tokens[index]

    @property
    def whole(self) -> list[int]:
        """Prompt and outputs."""
        self.token(self.prompt + self.outputs - 1)
        return self.tokens[: self.prompt + self.outputs]

    def state(self, length: int) -> State:
        """The state after so many tokens."""
        while len(self._states) <= length:
            self._states.append(absorb(self._states[-1], self.token(len(self._states) - 1)))
        return self._states[length]


def state_of(tokens: list[int]) -> State:
    """The state after these tokens."""
    state = START
    for token in tokens:
        state = absorb(state, token)
    return state


@dataclass
class Slots:
    """The engine's own pool of states, as pairs."""

    memory: torch.Tensor

    def read(self, slot: int) -> State:
        """What a slot holds."""
        length, mixed = self.memory[slot].tolist()
        return int(length), int(mixed)

    def write(self, slot: int, state: State) -> None:
        """What the device does at the end of a row, or at a boundary."""
        self.memory[slot] = torch.tensor(state, dtype=self.memory.dtype)
