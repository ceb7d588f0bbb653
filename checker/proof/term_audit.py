"""The audits of what the solver has shown: bounded checking, and proofs by induction."""

from __future__ import annotations

from checker.proof.induction import Induction
from checker.proof.term_readings import ProofReading, Steps, from_lemmas
from checker.proof.unrolling import Unrolling
from checker.search.audit import TRIES, Audit, hold, reachable, refute, seed_of
from checker.search.native import Native

ROUNDS, OTHERS = 2, 4
"""States with all lemmas that are asked for, for each form of an action; and tries of other actions in each."""


def of_bounded(unrolling: Unrolling) -> Audit:
    """Audit the relation that bounded checking has unrolled."""
    model = unrolling.relation.model
    seed = seed_of(str(model.scope))
    native = Native(model, seed)
    tries, every = reachable(native)
    # One try takes some milliseconds here: those that are enabled are worth most.
    tries.sort(key=lambda done: not done.answer.enabled)
    return hold(native, Steps(unrolling), tries if every else tries[:TRIES], seed, every)


def of_proof(induction: Induction, seed: int, proved: bool = False) -> Audit:
    """Audit the terms of a proof: in states that native runs reach, and in others that have all lemmas.

    Where everything is proved, none of these tries may violate anything.
    """
    native = Native(induction.model, seed)
    tries, every = reachable(native)
    tries += from_lemmas(induction, native, ROUNDS, OTHERS)
    reading = ProofReading(induction)
    audit = hold(native, reading, tries, seed, every)
    if proved:
        refute(native, reading, tries, frozenset(), seed)
    return audit
