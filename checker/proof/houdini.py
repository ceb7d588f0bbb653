"""Which of a model's lemmas and always properties are inductive together: what is left after dropping what fails."""

from __future__ import annotations

from checker.model.model import Model
from checker.proof.induction import PROVED, Induction


def inductive(model: Model) -> frozenset[str]:
    """Return the largest set of lemmas and always properties that holds first and that every action keeps.

    Whatever is not shown is dropped, and the rest shown again without it, until nothing more falls. What is left holds
    in every reachable state of the model, whether or not the lemmas were meant for this design.
    """
    if not model.of_kind("lemma"):
        return frozenset()
    induction = Induction(model)
    kept = {obligation.target for obligation in induction.first() if obligation.verdict == PROVED}
    needed = dict.fromkeys(induction.lemmas, "")
    while kept:
        induction.flags = {name: flag for name, flag in induction.flags.items() if name in kept}
        failed = {
            obligation.target
            for transition in induction.transitions
            for obligation in induction.steps(transition, needed, seconds=5.0)
            if obligation.verdict != PROVED
        }
        if not failed & kept:
            break
        kept -= failed
    return frozenset(kept)
