"""A runtime, and the texts by which its keys, tokens and states are recognised."""

from __future__ import annotations

import numpy as np

from runtime.engine import Engine
from runtime.exact_model import text
from runtime.pool import COOLING
from runtime.requests import TABLE_COLUMNS


class View:
    """A runtime, and the texts by which its keys, tokens and states are recognised."""

    def __init__(self, engine: Engine, families: int) -> None:
        self.engine = engine
        config = engine.config
        self.texts: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        """By (family, length) what the state of that text is, per layer."""
        self.names: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
        """The other way round."""
        self.keys: dict[bytes, tuple[int, int]] = {}
        """By cache key which text it stands for."""
        for family in range(families):
            tokens = np.array(text(family + 1, config.max_len)[0])
            for length, key in engine.cache.keys(tokens):
                self.keys[key] = (family, length)
            for length in range(1, config.max_len + 1):
                self.texts[family, length] = text(family + 1, length)[1]
        self.names = {state: name for name, state in self.texts.items()}

    def cooling(self) -> set[int]:
        """Return the slots that are free but held back until nothing in flight touches them."""
        return set((self.engine.pool.kind == COOLING).nonzero()[0].tolist())

    def records(self) -> list[dict[str, int]]:
        """Return every seat's record as plain numbers by name."""
        return [dict(zip(TABLE_COLUMNS, record, strict=True)) for record in self.engine.table.block.T.tolist()]

    def family(self, seat: int) -> int:
        """Return which text a request computes, by its first token."""
        return int(self.engine.table.tokens[seat, 0]) - 1

    def content(self, slot: int) -> tuple[tuple[int, int], ...]:
        """Return what one slot holds."""
        states = self.engine.states
        return tuple((int(conv[slot, 0]), int(ssm[slot, 0])) for conv, ssm in zip(states.conv, states.ssm, strict=True))

    def named(self, content: tuple[tuple[int, int], ...]) -> str:
        """Return what a state is the state of, in words."""
        return str(self.names.get(content, "no text's state"))

    def contents(self) -> list[tuple[tuple[int, int], ...]]:
        """Return what each slot holds: per layer how many tokens and their hash."""
        layers = [
            list(zip(conv[:, 0].tolist(), ssm[:, 0].tolist(), strict=True))
            for conv, ssm in zip(self.engine.states.conv, self.engine.states.ssm, strict=True)
        ]
        return list(zip(*layers, strict=True))
