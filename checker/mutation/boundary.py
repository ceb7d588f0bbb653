"""Automatic mutants of the code that ships: a property of proof/boundary_contract.py must tell each from the spec.

The questions of one mutant differ from the last one's in the shipped text only, so the solver is asked at once: a
search, which would have to compute all steps anew, costs more. Columns come first; they cost nearly nothing.
"""

from __future__ import annotations

import time
from types import ModuleType

from checker.mutation.operators import Mutant, mutants_of
from checker.mutation.result import Kind, MutantResult, error_words, not_judged
from checker.proof.boundary_columns import NAME, disagreement
from checker.proof.boundary_proof import CONTRACT, MARKS, WIDER, prover
from checker.proof.boundary_source import about, load, source
from checker.proof.boundary_witness import told
from checker.proof.induction import FAILS, PROVED

SCOPES = (*CONTRACT, MARKS[2], MARKS[3], *WIDER, *MARKS)
"""Where a difference is looked for: interval 2 before the others."""


def mutants() -> list[Mutant]:
    """Return every mutant of the shipped text."""
    return mutants_of("runtime.boundary", source())


def judge(mutant: Mutant) -> MutantResult:
    """Look for inputs that tell a mutant from the spec."""
    started = time.perf_counter()
    result = not_judged(mutant)
    try:
        module = load(mutant.text)
        result.inputs = disagreement(module)
        if result.inputs:
            result.kind, result.by = Kind.PROPERTY, NAME
        else:
            _ask(module, result)
    except Exception as error:
        result.kind, result.by = Kind.ERROR, error_words(error)
    result.seconds = time.perf_counter() - started
    return result


def _ask(module: ModuleType, result: MutantResult) -> None:
    properties = about(module)
    for scope in SCOPES:
        for obligation, difference in prover(scope).prove(properties):
            if obligation.verdict == FAILS:
                result.kind, result.by, result.scope = Kind.PROPERTY, obligation.target, scope
                result.inputs = told(module, difference).inputs if difference else ""
                return
            if obligation.verdict != PROVED:
                result.open.append(obligation.name)
