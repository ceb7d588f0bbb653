"""From a snippet to a model file: what a snippet leaves out, a state, a first state, an action, is put in."""

from __future__ import annotations

import re

HEADER = """
import enum
import fractions
import functools
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Optional

import numpy

from spec.language import (
    ABSENT, Action, Ghost, Id, Per, Property, Range, Transient, Vector,
    action, always, by_scope, copy, postcondition, each, guard, lemma, new, record, require, sometimes, step, subsets,
)

Small = Annotated[int, Range(0, 5)]
"""
SCOPE = """
@dataclass(frozen=True)
class Scope:
    high: int = 5
    two: int = 2
    three: int = 3
    none: int = 0
"""
CELL = """
@record
class Cell:
    on: bool
    n: Small
"""
STATE = """
@record
class State:
    x: Small
    y: Small
    flag: bool
    v: Annotated[Vector[Small], Per("three")]
    cells: Annotated[Vector[Cell], Per("two")]
"""
INIT = """
def init(scope):
    return State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(False, 0)]))
"""
UP = """
@action()
def up(s, scope):
    guard(s.x < scope.high)
    s.x += 1
"""
RECORD = re.compile(r"^(?:@(?:record|dataclass|enum).*\n)+class .*\n(?:    .*\n|\n)*", re.MULTILINE)
"""Classes of a snippet: they stand before the state, which may be made from them."""
ACTIONS = "\nactions = tuple(item for item in list(globals().values()) if isinstance(item, Action))\n"
PROPERTIES = "\nproperties = tuple(item for item in list(globals().values()) if isinstance(item, Property))\n"


BEFORE_RECORDS = "# The records.\n"
"""In a snippet: what stands before this line goes before all records."""


def model(snippet: str) -> str:
    """The text of a whole model."""

    def unless(pattern: str, text: str) -> str:
        return "" if re.search(pattern, snippet, re.MULTILINE) else text

    # What the defaults of records name stands before them.
    first, found, rest = snippet.partition(BEFORE_RECORDS)
    first, snippet = (first, rest) if found else ("", snippet)
    records = "\n".join(RECORD.findall(snippet))
    return "".join(
        (
            "from __future__ import annotations\n" if snippet.startswith("# postponed") else "",
            HEADER,
            unless(r"^class Scope\b", SCOPE),
            unless(r"^class Cell\b", CELL),
            "\n" + first + records,
            unless(r"^class State\b", STATE),
            unless(r"^def init\b", INIT),
            unless(r"@action\(", UP),
            "\n" + RECORD.sub("", snippet).strip("\n") + "\n",
            unless(r"^actions = ", ACTIONS),
            unless(r"^properties = ", PROPERTIES),
        )
    )


def claim(body: str, before: str = "", of: str = "always") -> str:
    """A snippet with one property, whose lines are given."""
    arguments = "s, scope" if of == "always" else "before, s, scope"
    return f"{before}\n@{of}()\ndef p({arguments}):\n{indented(body)}"


def act(body: str, stated: str = "", before: str = "") -> str:
    """A snippet with one action, whose lines are given, and the line that a property returns."""
    held = claim(f"return {stated}") if stated else claim("return s.x < 9")
    return f"{before}\n@action()\ndef act(s, scope):\n{indented(body)}\n{held}"


def indented(lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines.strip("\n").splitlines())
