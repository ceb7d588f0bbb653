"""A condition as it is shown: where it stands, its text, and what the parts that decided were worth."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from typing import Any

from checker.explain.deciding_parts import Environment, deciding, evaluate
from checker.explain.names import family_name, request_name, slot_name
from checker.explain.source_lines import one_line
from checker.explain.values import value_name

_SLOT_NAMES = frozenset(("slot", "kept", "held", "working", "source"))
"""Names under which the spec's texts speak of a slot."""
_REQUEST_NAMES = frozenset(("number", "request"))
"""Names under which they speak of a request by its index."""


@dataclass(frozen=True, slots=True)
class Clause:
    """The condition that broke a property, and what its parts were."""

    where: str
    """File and line."""
    code: str
    """The condition as it stands there, on one line."""
    values: tuple[tuple[str, str], ...]
    """Parts of the condition and loop variables, each with its value in words."""
    slots: frozenset[int] = frozenset()
    """The slots that it speaks about."""
    requests: frozenset[int] = frozenset()
    """The requests that it speaks about, by index."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The clause as text."""
        width = min(max((len(name) for name, _ in self.values), default=0), 32)
        values = (f"    {name:{width}} = {value}" for name, value in self.values)
        return (f"{self.where}:  {self.code}", *values)


class ConditionReader:
    """Reads a condition: which of its parts decided, and what they were worth."""

    def __init__(self, source: str, requests: list[tuple[int, Any]], names: Environment) -> None:
        self.source = source
        self.requests = requests
        self.names = names
        self.values: dict[str, str] = {}
        self.slots: set[int] = set()
        self.spoken: set[int] = set()

    def clause(self, where: str, code: str, condition: ast.expr | None, truth: bool, loops: list[str]) -> Clause:
        """Return the clause of a condition that came out as `truth`; None: only the local numbers are known."""
        parts = [] if condition is None else list(deciding(condition, truth, self.names))
        used = {part.id for tree, _ in parts for part in ast.walk(tree) if isinstance(part, ast.Name)}
        for name in loops:
            if name in used or isinstance(self.names.get(name), int):
                self._note(name, self.names[name])
        if condition is None:
            for name, value in self.names.items():
                if isinstance(value, int) and not name.startswith("_") and name.islower():
                    self._note(name, value)
        for tree, names in parts:
            self._part(tree, names)
        return Clause(where, code, tuple(self.values.items()), frozenset(self.slots), frozenset(self.spoken))

    def _part(self, tree: ast.expr, names: Environment) -> None:
        """Note a deciding part: both sides of a comparison, or the whole of anything else with its arguments."""
        shown: list[ast.expr] = [tree]
        if isinstance(tree, ast.Compare):
            shown = [side for side in (tree.left, *tree.comparators) if not _plain(side, names)]
        elif isinstance(tree, ast.Call):
            loops = [argument.generators for argument in tree.args if isinstance(argument, ast.GeneratorExp)]
            # Of an `any` or `all` without a witness, what it went through shows why.
            shown = [loop.iter for part in loops for loop in part] if loops else [tree, *tree.args]
        inner = {part.id for side in shown for part in ast.walk(side) if isinstance(part, ast.Name)}
        for name in sorted(inner & set(names)):
            if isinstance(names[name], int):
                self._note(name, names[name])
        for side in shown:
            try:
                value = evaluate(side, names)
            except Exception:
                # The part that stopped the step has no value.
                continue
            if not _is_whole(value):
                text = one_line(self.source, side)
                self._note(text, value)
                self.values[text] += _purpose(side, names)

    def _note(self, text: str, value: Any) -> None:
        """Note one value; a slot or request is called by its name and remembered."""
        last = text.rpartition(".")[2]
        number = next((number for number, record in self.requests if record is value), None)
        if number is not None:
            self.spoken.add(number)
            self.values[text] = f"{request_name(number)}: {value_name(value)}"
        elif last in _SLOT_NAMES and type(value) is int:
            if value >= 0:
                self.slots.add(value)
            self.values[text] = slot_name(value)
        elif last == "family" and type(value) is int:
            self.values[text] = family_name(value)
        elif last in _REQUEST_NAMES and type(value) is int and self.requests:
            self.spoken.add(value)
            self.values[text] = f"{value} ({request_name(value)})"
        else:
            self.values[text] = value_name(value)


def _purpose(node: ast.expr, names: Environment) -> str:
    """Return what a called function is for, as a remark; empty for anything else."""
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.GeneratorExp) for part in node.args):
        return ""
    function = evaluate(node.func, names)
    sentence = "" if inspect.isbuiltin(function) else (inspect.getdoc(function) or "").partition("\n\n")[0]
    return f"   # {' '.join(sentence.split()).removeprefix('Return ')}" if sentence else ""


def _is_whole(value: Any) -> bool:
    """Whether a value is nothing to print: a state, a design, a function."""
    return hasattr(value, "batches") or hasattr(value, "scope") or callable(value) or inspect.ismodule(value)


def _plain(node: ast.expr, names: Environment) -> bool:
    """Whether a node is a constant, or a name of one such as ABSENT: its value says nothing new."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper())
