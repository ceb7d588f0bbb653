"""What every question to z3 shares: a solver that leaves Ctrl-C to us, and values as Python's numbers."""

from __future__ import annotations

import re

import z3

from checker.symbolic.terms import Term

_VALUE = re.compile(r"#[xb][0-9a-f]+|true|false|\(- \d+\)|\d+")
"""One value in the text of a term."""


def solver(logic: str = "") -> z3.Solver:
    """Return a new solver, made for one logic of SMT-LIB or for any.

    Left to itself, z3 takes Ctrl-C for itself while it works, and answers that it does not know; whoever asked would
    note an unknown and ask the next question.
    """
    made = z3.SolverFor(logic) if logic else z3.Solver()
    made.set("ctrl_c", False)
    return made


def value_of(model: z3.ModelRef, term: Term) -> int:
    """Return the number that a term has in a model, which decides what it has left open; a bool is 0 or 1."""
    text = model.eval(term, model_completion=True).sexpr()
    if not _VALUE.fullmatch(text):
        raise ValueError(f"a model of the solver gives {term} no value, but {text}")
    return _number(text)


def values_in(text: str) -> list[int]:
    """Return the values in the text of a term, one after the other.

    Asking the solver's interface for the value of one term after the other takes ten times as long.
    """
    return list(map(_number, _VALUE.findall(text)))


def _number(text: str) -> int:
    """Return the number that a solver's text means; bit-vectors are signed, a bool is 0 or 1."""
    if text[0] == "#":
        base, digits = (16, 4) if text[1] == "x" else (2, 1)
        number, bits = int(text[2:], base), digits * (len(text) - 2)
        return number - (1 << bits) if number >> (bits - 1) else number
    return int(text == "true") if text[0] in "tf" else int(text.strip("()").replace("- ", "-"))
