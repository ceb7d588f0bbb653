"""The main job: our design holds, everything that must fail fails, recorded traces get the right verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from checker.command.cache import Cache
from checker.command.console import Progress
from checker.lockstep.campaign import seed_of
from checker.lockstep.fields import forgotten
from checker.lockstep.findings import Campaign
from checker.lockstep.hunt import hunt
from checker.mutation.result import MutantResult
from checker.mutation.score import SPEC, Score, drawn
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_proof import prove as prove_shipped
from checker.proof.matrix import Proof, Proven, matrix, prove
from checker.search import suite
from checker.search.check import Check, Outcome
from checker.search.perform import compile_first, run, stale
from checker.traces.corpus import Recorded, judge_recorded
from spec.language import WELL_FORMED
from spec.properties import PROPERTIES
from spec.sometimes import SOMETIMES

FUZZ_STEPS, FUZZ_STEPS_QUICK, FUZZ_SEEDS = 20_000, 4_000, 2
"""How many steps of the runtime are fuzzed here, from how many seeds; `slotproof fuzz` goes on for longer."""
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
    earlier: list[str] = field(default_factory=list)
    """How many verdicts are those of an earlier run, in words; empty: none is."""
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


Finished = Outcome | Proven | MutantResult | Shipped | Campaign


def verify(quick: bool, progress: Progress, cache: Cache) -> Verification:
    """Perform all checks, in parallel processes where no earlier run has, and judge the traces."""
    ours, designs = suite.ours(quick), suite.designs()
    edits = [check for check in suite.wrong_edits() if not stale(check)]
    # The wider half of the matrix is for `slotproof prove`: it would double the time of this.
    proofs = matrix(quick=True)
    mutants = [] if quick else drawn(SPEC, SAMPLE)
    steps = (FUZZ_STEPS_QUICK if quick else FUZZ_STEPS) // FUZZ_SEEDS
    # What may take longest begins, so that no core is idle at the end: a mutant that no search kills.
    tasks: list[Callable[[], Finished]] = [
        *[partial(SPEC.judge, mutant) for mutant in mutants],
        *[partial(run, check) for check in [*ours, *designs, *edits, suite.CANARY]],
        *[partial(prove, proof) for proof in proofs],
        partial(prove_shipped, quick=quick),
        *[partial(hunt, seed_of(worker), steps=steps) for worker in range(FUZZ_SEEDS)],
    ]
    compile_first()
    result = Verification()
    searched: dict[Check, Outcome] = {}
    proven: dict[Proof, Proven] = {}
    judged: dict[str, MutantResult] = {}
    for number, finished in enumerate(cache.perform(tasks), start=1):
        progress.note(f"{number} of {len(tasks)} searches, proofs, mutants and fuzzed seeds done")
        match finished:
            case Outcome():
                searched[finished.check] = finished
            case Proven():
                proven[finished.proof] = finished
            case MutantResult():
                judged[finished.key] = finished
            case Shipped():
                result.shipped = finished
            case Campaign():
                result.fuzzed.add(finished)
    result.earlier = list(cache.words(len(tasks)))
    result.ours, result.designs = [searched[check] for check in ours], [searched[check] for check in designs]
    result.edits, result.canary = [searched[check] for check in edits], [searched[suite.CANARY]]
    result.proven = [proven[proof] for proof in proofs]
    if mutants:
        result.mutants = Score(SPEC, [judged[mutant.key] for mutant in mutants], len(SPEC.mutants()))
    progress.note("recorded traces")
    result.traces = [judge_recorded(path) for path in sorted(TRACES.glob("*.ndjson"))]
    progress.note("fields")
    result.gaps = [*gaps([*result.ours, *result.designs, *result.edits]), *_stale(), *forgotten()]
    if not result.traces:
        result.gaps.append(f"no recorded traces: {TRACES} is not here; run this in the checkout")
    progress.done()
    return result


def _stale() -> list[str]:
    """Return each wrong edit that can no longer be made."""
    return [
        f"the wrong edit {check.edit} cannot be made, let it follow the spec: {stale(check)}"
        for check in suite.wrong_edits()
        if stale(check)
    ]


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
