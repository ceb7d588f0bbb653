"""Automatic mutants of the code that ships: a property of proof/boundary_contract.py must tell each from the spec.

The questions of one mutant differ from the last one's in the shipped text only, so the solver is asked at once: a
search, which would have to compute all steps anew, costs more. Columns come first; they cost nearly nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from checker.mutation.operators import Mutant, mutants_of
from checker.proof.boundary_columns import NAME, disagreement
from checker.proof.boundary_proof import CONTRACT, MARKS, WIDER, prover
from checker.proof.boundary_source import about, load, source
from checker.proof.boundary_witness import told
from checker.proof.induction import FAILS, PROVED

SCOPES = (*CONTRACT, MARKS[2], MARKS[3], *WIDER, *MARKS)
"""Where a difference is looked for: interval 2 before the others."""


@dataclass(slots=True)
class Fate:
    """What became of a mutant."""

    mutant: Mutant
    by: str = ""
    """The property that killed it, `columns-agree`, or `error`; empty: nothing."""
    inputs: str = ""
    """What tells it from the spec, or the error."""
    open: list[str] = field(default_factory=list)
    """Questions that the solver has left open, which kills nothing."""
    seconds: float = 0.0


def mutants() -> list[Mutant]:
    """Return every mutant of the shipped text."""
    return mutants_of("runtime.boundary", source())


def judge(mutant: Mutant) -> Fate:
    """Look for inputs that tell a mutant from the spec."""
    started = time.perf_counter()
    fate = Fate(mutant)
    try:
        module = load(mutant.text)
        fate.inputs = disagreement(module)
        if fate.inputs:
            fate.by = NAME
        else:
            _ask(module, fate)
    except Exception as error:
        # Whatever goes wrong while the text is loaded, read or run is seen by anybody who runs it.
        fate.by, fate.inputs = "error", f"{type(error).__name__}: {error}"
    fate.seconds = time.perf_counter() - started
    return fate


def _ask(module: Any, fate: Fate) -> None:
    properties = about(module)
    for scope in SCOPES:
        for obligation, difference in prover(scope).prove(properties):
            if obligation.verdict == FAILS:
                fate.by = obligation.target
                fate.inputs = told(module, difference).inputs if difference else ""
                return
            if obligation.verdict != PROVED:
                fate.open.append(obligation.name)


def judge_all(chosen: Sequence[Mutant], note: Callable[[str], None] | None = None) -> list[Fate]:
    """Judge mutants one after the other."""
    fates: list[Fate] = []
    for mutant in chosen:
        fates.append(judge(mutant))
        if note:
            killed = sum(bool(fate.by) for fate in fates)
            note(f"{len(fates)} of {len(chosen)} mutants of the shipped code judged, {killed} killed")
    return fates
