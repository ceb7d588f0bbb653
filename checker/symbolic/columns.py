"""Columns: the reading of a graph in which every leaf is an array, one entry per state of a frontier.

A program is straight-line numpy made from the nodes once, and run on every chunk of every level. A choice is made with
masks, `b ^ ((a ^ b) & mask)`, which is several times faster than numpy.where on small integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from checker.model.user_files import BadModel
from checker.symbolic.node import Node, Value, order, reach

Column = NDArray[np.signedinteger | np.bool_]
"""The values of one node: an entry for each state, in shape (states,)."""

Load = Callable[[Node], Column]
WIDTHS = (np.int8, np.int16, np.int32, np.int64)


def width_for(values: Sequence[Value]) -> type[np.signedinteger]:
    """Return the narrowest integer type that holds every value that computing `values` passes through."""
    furthest = reach(values)
    for width in WIDTHS:
        if furthest <= np.iinfo(width).max:
            return width
    raise BadModel(f"values reach {furthest}: more than 64 bits; declare narrower ranges")


class Program:
    """Computes some values of a graph as columns."""

    def __init__(self, outputs: Sequence[Value], width: type[np.signedinteger]) -> None:
        self.outputs = list(outputs)
        nodes = order(outputs)
        self.leaves = [node for node in nodes if node.op == "leaf"]
        self.code = _Writer(width).write(nodes, self.outputs)
        names: dict[str, Callable[..., list[Column | int]]] = {}
        exec(compile(self.code, "<columns>", "exec"), {"W": width, "I8": np.int8}, names)
        self._run = names["run"]

    def run(self, load: Load) -> list[Column | int]:
        """Return a column for each output; an output that is a constant comes as it is."""
        return self._run([load(leaf) for leaf in self.leaves])


class _Writer:
    """Writes the numpy text of a program."""

    def __init__(self, width: type[np.signedinteger]) -> None:
        self.narrow = width is np.int8
        self.masks: set[int] = set()
        self.lines: list[str] = []

    def write(self, nodes: list[Node], outputs: list[Value]) -> str:
        """Return the text of `run(x)`, which drops every temporary after its last use."""
        last: dict[int, int] = {}
        for node in nodes:
            for arg in node.args:
                if isinstance(arg, Node):
                    last[arg.number] = node.number
        kept = {value.number for value in outputs if isinstance(value, Node)}
        inputs = [node for node in nodes if node.op == "leaf"]
        for place, node in enumerate(inputs):
            # States keep their bools as integers of the common width.
            cast = "" if not node.is_bool else ".view(bool)" if self.narrow else ".astype(bool)"
            self.lines.append(f"t{node.number} = x[{place}]{cast}")
        self.lines.append("del x")
        for node in nodes:
            if node.op != "leaf":
                self._operation(node)
            gone = {arg.number for arg in node.args if isinstance(arg, Node)}
            for number in sorted(gone):
                if last[number] == node.number:
                    if number not in kept:
                        self.lines.append(f"del t{number}")
                    if number in self.masks:
                        self.lines.append(f"del m{number}")
        results = ", ".join(self._text(value) for value in outputs)
        return "def run(x):\n    " + "\n    ".join([*self.lines, f"return [{results}]"]) + "\n"

    def _text(self, value: Value) -> str:
        if isinstance(value, Node):
            return f"t{value.number}"
        return repr(value) if isinstance(value, bool) else f"W({value})"

    def _as_int(self, node: Node) -> str:
        text = f"t{node.number}.view(I8)"
        return text if self.narrow else f"{text}.astype(W)"

    def _mask(self, condition: Value) -> str:
        assert isinstance(condition, Node)
        if condition.number not in self.masks:
            self.masks.add(condition.number)
            self.lines.append(f"m{condition.number} = -{self._as_int(condition)}")
        return f"m{condition.number}"

    def _operation(self, node: Node) -> None:
        args = node.args
        a = self._text(args[0])
        b = self._text(args[1]) if len(args) > 1 else ""
        if node.op == "where":
            text = self._where(args[0], args[1], args[2])
        elif node.op == "if":
            text = f"{self._text(args[2])} ^ (({b} ^ {self._text(args[2])}) & {a})"
        elif node.op == "int":
            assert isinstance(args[0], Node)
            text = self._as_int(args[0])
        elif node.op == "mod":
            text = self._mod(a, args[1])
        else:
            text = {
                "not": f"~{a}",
                "and": f"{a} & {b}",
                "or": f"{a} | {b}",
                "same": f"{a} == {b}",
                "eq": f"{a} == {b}",
                "le": f"{a} <= {b}",
                "add": f"{a} + {b}",
                "sub": f"{a} - {b}",
                "mul": f"{a} * {b}",
                "div": f"{a} // {b}",
            }[node.op]
        self.lines.append(f"t{node.number} = {text}")

    def _where(self, condition: Value, yes: Value, no: Value) -> str:
        mask = self._mask(condition)
        if not isinstance(no, Node) and no == 0:
            return f"{self._text(yes)} & {mask}"
        if not isinstance(yes, Node) and yes == 0:
            return f"{self._text(no)} & ~{mask}"
        if not isinstance(yes, Node) and not isinstance(no, Node):
            return f"{self._text(no)} ^ (W({yes ^ no}) & {mask})"
        return f"{self._text(no)} ^ (({self._text(yes)} ^ {self._text(no)}) & {mask})"

    def _mod(self, a: str, modulus: Value) -> str:
        assert isinstance(modulus, int)
        if modulus & (modulus - 1) == 0:
            return f"{a} & W({modulus - 1})"
        return f"{a} - ({a} // W({modulus})) * W({modulus})"
