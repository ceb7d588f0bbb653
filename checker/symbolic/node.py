"""A node: one operation on values, with the range of what it yields; the parts of a graph, and their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard


class Node:
    """An operation on values. `low` and `high` bound an integer's value; a bool has 0 and 1."""

    __slots__ = ("args", "high", "is_bool", "low", "name", "number", "op")

    def __init__(self, op: str, args: tuple[Value, ...], is_bool: bool, low: int, high: int, number: int) -> None:
        self.op = op
        self.args = args
        self.is_bool = is_bool
        self.low = low
        self.high = high
        self.number = number
        self.name = ""

    def __bool__(self) -> bool:
        raise TypeError("a Node has no truth value: the walk must branch on it")

    def __repr__(self) -> str:
        return f"<{self.op} {self.name or self.number} {self.low}..{self.high}>"


Value = int | Node


def bounds(value: Value) -> tuple[int, int]:
    """Return the smallest and largest value that `value` can take."""
    return (value.low, value.high) if isinstance(value, Node) else (int(value), int(value))


def is_bool(value: object) -> TypeGuard[Value]:
    """Whether a value is a bool (a Node of that kind, or True or False)."""
    return value.is_bool if isinstance(value, Node) else isinstance(value, bool)


def order(roots: Iterable[Value]) -> list[Node]:
    """Return all nodes that the roots need, arguments before what uses them."""
    found: dict[int, Node] = {}
    stack = [root for root in roots if isinstance(root, Node)]
    while stack:
        node = stack.pop()
        if node.number not in found:
            found[node.number] = node
            stack.extend(arg for arg in node.args if isinstance(arg, Node))
    return [found[number] for number in sorted(found)]


def reach(values: Sequence[Value]) -> int:
    """Return how far from 0 the numbers go that computing some values passes through: what a width must hold.

    One more than each value is among them: comparing and masking never go further, and products are nodes too. So are
    constants, which may lie further out than anything computed with them: 200 - n for an n of about 200.
    """
    nodes = order(values)
    constants = [*values, *[arg for node in nodes for arg in node.args]]
    ends = [max(-node.low, node.high + 1) for node in nodes]
    return max([1, *ends, *[abs(value) + 1 for value in constants if not isinstance(value, Node)]])
