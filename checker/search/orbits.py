"""Whether states that differ only in names go on alike: tried on states that a search has found.

What symbolic/naming.py reads off the text is that no name is used as a number. A loop still takes names in their order,
and one that keeps the first or the last of several comes out differently where these can be told apart. So a sample of
states is renamed and both are expanded: what follows, and what is violated, must be the same but for the names.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from checker.model.layout import flatten
from checker.model.model import Model
from checker.model.user_files import FILES
from checker.search.compiled import Compiled
from checker.search.expansion import Choices, Places, States
from checker.search.successors import Expander
from checker.search.tables import Words, mix
from checker.symbolic.columns import Column, Program
from checker.symbolic.transitions import Reader

SAMPLE = 256
"""States that are tried."""
RENAMINGS = 16
"""Renamings that are tried, each on an equal share of the states."""


class Renaming:
    """New names for the members of every interchangeable sort: member m of a sort is called order[m] afterwards."""

    def __init__(self, model: Model, orders: dict[str, list[int]]) -> None:
        at = {(leaf.kind, leaf.places): leaf.index for leaf in model.leaves}
        self.places: list[int] = []
        """For each leaf the one that its value goes to."""
        self.names: list[Any] = []
        """For each leaf that names a member the new names, the last for ABSENT; None for every other leaf."""
        for leaf in model.leaves:
            places = tuple((sort, orders[sort][m] if sort in orders else m) for sort, m in leaf.places)
            self.places.append(at[leaf.kind, places])
            self.names.append(np.array([*orders[leaf.sort], -1]) if leaf.sort in orders else None)

    def of(self, states: States) -> States:
        """Return states with their members renamed; a state is a column."""
        renamed = np.empty_like(states)
        for values, place, names in zip(states, self.places, self.names, strict=True):
            renamed[place] = values if names is None else names[values]
        return renamed


def sizes(model: Model) -> dict[str, int]:
    """Return how many members each interchangeable sort has."""
    return {sort: int(getattr(model.scope, sort)) for sort in model.symmetric}


def first_differs(model: Model, row: list[int]) -> str:
    """Return a sort under whose renamings the first state changes; empty: none."""
    states = np.array([row]).T
    counted = sizes(model)
    for sort, count in counted.items():
        for one in range(count - 1):
            orders = {each: list(range(number)) for each, number in counted.items()}
            orders[sort][one], orders[sort][one + 1] = one + 1, one
            if not np.array_equal(Renaming(model, orders).of(states), states):
                return sort
    return ""


def names_matter(reader: Reader) -> str:
    """Return the first place of the text read that goes by names, or that the first state does; empty: neither does."""
    model = reader.model
    found = reader.names.found
    if found:
        # A user's own file is the place to look; the spec is only where a number of theirs turns up.
        return str(next((each for each in found if each.file in FILES), found[0]))
    sort = first_differs(model, [int(value) for value in flatten(model.init)])
    if sort:
        code = model.module.init.__code__
        return f"{code.co_filename}:{code.co_firstlineno} begins with a state that tells members of {sort} apart"
    return ""


def differing_step(expander: Expander, always: list[tuple[str, Program]], states: States, seed: int = 1) -> str:
    """Return, in words, what comes out differently for some of the states once they are renamed; empty: nothing."""
    model = expander.model
    dice = np.random.default_rng(seed)
    # Few states are each tried under many names, many under one.
    states = states[:, dice.permutation(states.shape[1])]
    states = np.tile(states, -(-SAMPLE // states.shape[1]))[:, :SAMPLE]
    renamed = states.copy()
    for share in np.array_split(np.arange(SAMPLE), RENAMINGS):
        orders = {sort: dice.permutation(count).tolist() for sort, count in sizes(model).items()}
        renamed[:, share] = Renaming(model, orders).of(states[:, share])
    before, after = list(np.ascontiguousarray(states)), list(np.ascontiguousarray(renamed))
    for name, program in always:
        held, then = (np.broadcast_to(expander.over(program, each), renamed.shape[1]) for each in (before, after))
        if not np.array_equal(held, then):
            return f"{name} holds of a state and not of the same one under other names"
    followed, followed_renamed = (_followers(expander, each) for each in (before, after))
    for action in followed:
        if not np.array_equal(followed[action], followed_renamed[action]):
            return f"{action} does something else from a state under other names"
    return ""


def _followers(expander: Expander, columns: list[Column]) -> dict[str, Words]:
    """Return for each action a word for each state, made of what it leads to and violates, whatever the names."""
    size = len(columns[0])
    found: dict[str, list[tuple[Places, Words]]] = {}
    for compiled, rows, choice in expander.enabled(columns):
        words = _words(expander, compiled, columns, rows, choice)
        found.setdefault(compiled.transition.instance.action.name, []).append((rows, words))
    summed = {}
    for action, parts in found.items():
        # The same step under two choices counts once: which of them is possible may hang on names.
        rows = np.concatenate([part for part, _ in parts]).astype(np.uint64)
        pairs = np.unique(np.stack([rows, np.concatenate([words for _, words in parts])]), axis=1)
        summed[action] = np.zeros(size, np.uint64)
        np.add.at(summed[action], pairs[0].astype(np.int64), mix(pairs[1]))
    return {action.name: summed.get(action.name, np.zeros(size, np.uint64)) for action in expander.model.actions}


def _words(expander: Expander, compiled: Compiled, columns: list[Column], rows: Places, choice: Choices) -> Words:
    """Return a word for each of the steps of one instance: 0 where there is none."""
    stepped = expander.step(compiled, columns, rows, choice)
    before = [column[rows] for column in columns]
    faulty: Words = np.zeros(len(rows), np.uint64)
    for name, broken in stepped.faults:
        faulty += broken.astype(np.uint64) * _word(name)
    # Where there is no state after the step, what stands for one may lie outside of its ranges.
    lasting = faulty == 0
    states = [np.where(lasting, *pair) for pair in zip(stepped.after, before, strict=True)]
    assert expander.symmetric is not None
    words = expander.symmetric.of(states)
    for name, bad in expander.broken(before, states):
        words = words + bad.astype(np.uint64) * _word(name)
    # After a fault there is no state.
    return np.where(stepped.enabled, np.where(faulty > 0, faulty, words), np.uint64(0))


def _word(name: str) -> Words:
    return mix(np.array([zlib.crc32(name.encode())], np.uint64))
