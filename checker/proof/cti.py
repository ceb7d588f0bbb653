"""What an obligation that fails means: a bug that a run shows, or a lemma that is missing."""

from __future__ import annotations

from dataclasses import dataclass

from checker.deadline import Deadline
from checker.explain.values import value_name
from checker.model.layout import flatten, unflatten
from checker.proof.induction import Induction, Obligation
from checker.proof.matrix import Proof, Proven, model_of, parse
from checker.search.check import Check, Outcome
from checker.search.exploration import Limits
from checker.search.perform import run

BUG, MISSING_LEMMA = "a bug", "a lemma is missing"
SEARCHED = 300_000
"""States that the search for a run looks at in each scope."""


@dataclass(slots=True)
class Meaning:
    """What failed obligations mean, and what shows it."""

    kind: str
    words: str
    outcome: Outcome | None = None
    """For a bug: the search that reaches it."""


def scopes(proof: Proof) -> list[str]:
    """Return small scopes of the same mode, ring and lookahead, in which a search looks for a run."""
    scope = parse(proof.scope)
    same = f"mode={scope.mode} without_spare={scope.without_spare} ring={scope.ring} lookahead={scope.lookahead}"
    slots = max(5, scope.slots_to_start + 2)
    return [
        f"requests=1 slots={slots} nodes=2 max_len=6 {same}",
        f"requests=1 slots={slots} nodes=2 interval=any max_len=4 {same}",
        f"requests=1 slots={scope.slots_to_start + 1} nodes=2 interval=any max_len=3 others=on {same}",
    ]


def classify(result: Proven, clock: Deadline | None = None) -> Meaning:
    """Say what the failed obligations of a proof mean: ask the search for a run before blaming the lemmas."""
    wanted = {obligation.target for obligation in result.failed}
    searched = 0
    for text in scopes(result.proof):
        outcome = run(
            Check(
                text,
                design=result.proof.design,
                all=True,
                limits=Limits(SEARCHED, (clock or Deadline(None)).at_most(60.0)),
            )
        )
        searched += outcome.exploration.states
        if outcome.steps:
            found = ", ".join(sorted(outcome.steps))
            return Meaning(BUG, f"a run of the protocol breaks {found}: this is {BUG} of the design", outcome)
    lemma = next((name for name in result.lemmas if name in wanted), "")
    state = describe(result.proof, result.failed[0])
    return Meaning(
        MISSING_LEMMA,
        f"no run among {searched:,} states of three small scopes breaks a property: either {MISSING_LEMMA}, one that "
        f"excludes the state below, or {lemma or 'a property'} cannot be kept (the search is bounded)\n{state}",
    )


def describe(proof: Proof, obligation: Obligation) -> str:
    """Return the state of a counterexample to induction in words: what differs from the first state, leaf by leaf."""
    induction = Induction(model_of(proof))
    model = induction.model
    first = list(flatten(model.init))
    state = unflatten(model.shape, iter(obligation.state))
    lines = [f"from this state {obligation.by} breaks {obligation.target}:"]
    lines += [
        f"  {leaf.path} = {value_name(value, state.requests) if leaf.sort is None else value}"
        for leaf, value, usual in zip(model.leaves, obligation.state, first, strict=True)
        if value != usual and not leaf.transient
    ]
    return "\n".join(lines)
