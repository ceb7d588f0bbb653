"""z3's solver, which leaves Ctrl-C to us."""

from __future__ import annotations

from typing import Any

import z3


def solver(logic: str = "") -> Any:
    """Return a new solver, made for one logic of SMT-LIB or for any.

    Left to itself, z3 takes Ctrl-C for itself while it works, and answers that it does not know; whoever asked would
    note an unknown and ask the next question.
    """
    made = z3.SolverFor(logic) if logic else z3.Solver()
    made.set("ctrl_c", False)
    return made
