"""The main job: our design holds, everything that must fail fails, recorded traces get the right verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from checker.command.console import Progress
from checker.lockstep.campaign import Campaign, fuzz
from checker.lockstep.fields import forgotten
from checker.mutation.score import Score, score
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_proof import prove as prove_shipped
from checker.proof.matrix import Proof, Proven, matrix, prove_all
from checker.search import suite
from checker.search.check import Check, Outcome
from checker.search.perform import run_all, stale
from checker.traces.corpus import Recorded, judge_recorded
from spec.language import WELL_FORMED
from spec.properties import PROPERTIES
from spec.sometimes import SOMETIMES

FUZZ_SECONDS, FUZZ_SECONDS_QUICK, FUZZ_WORKERS = 30.0, 4.0, 2
"""How long the runtime is fuzzed here; `slotproof fuzz` goes on for longer."""
SAMPLE = 10
"""Mutants of the spec that are judged here; `slotproof mutants` judges all."""
TRACES = Path("tests/traces")
"""Where the recorded traces lie; a name says what the verdict must be: `-good` or `-bad`."""


@dataclass(slots=True)
class Verification:
    """All that was shown."""

    ours: list[Outcome] = field(default_factory=list)
    designs: list[Outcome] = field(default_factory=list)
    edits: list[Outcome] = field(default_factory=list)
    canary: list[Outcome] = field(default_factory=list)
    """The model that uses every construct of the subset."""
    proven: list[Proven] = field(default_factory=list)
    traces: list[Recorded] = field(default_factory=list)
    shipped: Shipped = field(default_factory=Shipped)
    fuzzed: Campaign = field(default_factory=Campaign)
    mutants: Score | None = None
    """A sample of them; None with --quick."""
    gaps: list[str] = field(default_factory=list)
    """What nothing has violated, reached or enabled: a hole in the checks themselves."""

    @property
    def outcomes(self) -> list[Outcome]:
        """All searches."""
        return [*self.ours, *self.designs, *self.edits, *self.canary]

    @property
    def tries(self) -> int:
        """Native tries that were held against what searches and proofs had computed."""
        audits = [*[outcome.audit for outcome in self.outcomes], *[proof.audit for proof in self.proven]]
        return sum(audit.tries for audit in audits)


def verify(quick: bool, progress: Progress) -> Verification:
    """Perform all checks, in parallel processes, and judge the traces."""
    ours, designs = suite.ours(quick), suite.designs()
    edits = [check for check in suite.wrong_edits() if not stale(check)]
    done: dict[Check, Outcome] = {}
    checks = [*ours, *designs, *edits, suite.CANARY]
    for outcome in run_all(checks):
        done[outcome.check] = outcome
        progress.note(f"{len(done)} of {len(checks)} searches done")
    result = Verification(
        [done[check] for check in ours],
        [done[check] for check in designs],
        [done[check] for check in edits],
        [done[suite.CANARY]],
    )
    # The wider half of the matrix is for `slotproof prove`: it would double the time of this.
    wanted = matrix(quick=True)
    proven: dict[Proof, Proven] = {}
    for proof in prove_all(wanted):
        proven[proof.proof] = proof
        progress.note(f"{len(proven)} of {len(wanted)} proofs done")
    result.proven = [proven[proof] for proof in wanted]
    progress.note("the shipped boundary logic")
    result.shipped = prove_shipped(quick=quick)
    progress.note("fuzzing the runtime")
    result.fuzzed = fuzz(FUZZ_SECONDS_QUICK if quick else FUZZ_SECONDS, FUZZ_WORKERS, first_seed=0)
    if not quick:
        result.mutants = score(sample=SAMPLE, note=progress.note)
    result.traces = [judge_recorded(path) for path in sorted(TRACES.glob("*.ndjson"))]
    result.gaps = gaps([*result.ours, *result.designs, *result.edits])
    result.gaps += [
        f"the wrong edit {check.edit} cannot be made, let it follow the spec: {stale(check)}"
        for check in suite.wrong_edits()
        if stale(check)
    ]
    progress.note("fields")
    result.gaps += forgotten()
    if not result.traces:
        result.gaps.append(f"no recorded traces: {TRACES} is not here; run this in the checkout")
    progress.done()
    return result


def gaps(outcomes: Iterable[Outcome]) -> list[str]:
    """Return each property that nothing violates, each *sometimes* never reached, each action never enabled."""
    violated: set[str] = set()
    seen: set[str] = set()
    enabled: set[str] = set()
    actions: set[str] = set()
    for outcome in outcomes:
        violated.update(outcome.steps)
        seen.update(outcome.exploration.seen)
        actions.update(outcome.exploration.taken)
        enabled.update(name for name, count in outcome.exploration.taken.items() if count)
    stated = [WELL_FORMED, *[stated.name for stated in PROPERTIES]]
    return [
        *[f"no design or edit violates {name}: it may be vacuous" for name in stated if name not in violated],
        *[f"nothing reaches {witness.name}" for witness in SOMETIMES if witness.name not in seen],
        *[f"nothing enables {name}" for name in sorted(actions - enabled)],
    ]
