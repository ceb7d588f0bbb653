"""The main job: our design holds, everything that must fail fails, recorded traces get the right verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checker.command.console import Progress, say, table
from checker.command.report import boundary as boundary_report
from checker.command.report import fuzz as fuzz_report
from checker.command.report import mutation as mutation_report
from checker.command.report import proof as proof_report
from checker.command.report import search as search_report
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.lockstep.campaign import Campaign, fuzz
from checker.lockstep.fields import forgotten
from checker.mutation.score import Score, score
from checker.proof.boundary_proof import Shipped
from checker.proof.boundary_proof import prove as prove_shipped
from checker.proof.matrix import Proof, Proven, matrix, prove_all, unneeded
from checker.proof.matrix import data as proof_data
from checker.search import suite
from checker.search.check import NOT_AUDITED, Check, Outcome, run_all, stale
from checker.traces.corpus import cells, trace_row
from spec.language import WELL_FORMED
from spec.properties import PROPERTIES
from spec.scope import Scope
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
    traces: list[dict[str, Any]] = field(default_factory=list)
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

    @property
    def code(self) -> int:
        """The exit code: a violation weighs more than an inconclusive search."""
        wrong = [outcome for outcome in self.outcomes if not outcome.as_expected]
        if self.gaps or any(not row["right"] for row in self.traces):
            return VIOLATED
        if (self.mutants and not self.mutants.right) or not self.fuzzed.right:
            return VIOLATED
        proofs = (proof_report.exit_code(self.proven), boundary_report.exit_code(self.shipped))
        if any(outcome.status not in ("cut short", NOT_AUDITED) for outcome in wrong) or VIOLATED in proofs:
            return VIOLATED
        return INCONCLUSIVE if wrong or INCONCLUSIVE in proofs else SHOWN


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
        result.mutants = score(SAMPLE, note=progress.note)
    result.traces = [trace_row(path) for path in sorted(TRACES.glob("*.ndjson"))]
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
        *[f"nothing reaches {sight.name}" for sight in SOMETIMES if sight.name not in seen],
        *[f"nothing enables {name}" for name in sorted(actions - enabled)],
    ]


def data(result: Verification) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "code": result.code,
        "searches": [search_report.data(outcome) | {"as expected": outcome.as_expected} for outcome in result.outcomes],
        "proofs": [proof_data(proof) for proof in result.proven],
        "shipped": boundary_report.data(result.shipped),
        "fuzz": fuzz_report.data(result.fuzzed, fuzz_report.kept(result.fuzzed)),
        "traces": result.traces,
        "mutants": mutation_report.data(result.mutants) if result.mutants else None,
        "audited": result.tries,
        "gaps": result.gaps,
    }


def show(result: Verification) -> None:
    """Print the tables, then the story of everything that is not as it should be."""
    _table("Our design must hold", result.ours)
    _table(f"Designs, each property with the steps of its shortest story ({suite.STORY_SCOPE})", result.designs)
    _table(f"Wrong edits of the spec must be caught ({suite.STORY_SCOPE})", result.edits)
    _table("The canary, which uses every construct, must be caught", result.canary)
    table("Recorded traces", ("trace", "verdict", "hazards", "conforms to", ""), list(map(cells, result.traces)))
    proof_report.show_table(result.proven)
    boundary_report.show_table(result.shipped)
    say("Runtime and spec side by side\n" + "\n".join(f"  {line}" for line in fuzz_report.lines(result.fuzzed)) + "\n")
    if result.mutants:
        tell = mutation_report.brief if result.mutants.right else mutation_report.show
        say(f"{tell(result.mutants)}\n")
    for gap in result.gaps:
        say(f"GAP: {gap}")
    for outcome in result.outcomes:
        if not outcome.as_expected:
            _explain(outcome)
    proof_report.show_failures(result.proven)
    boundary_report.show_failures(result.shipped)
    fuzz_report.show_failures(result.fuzzed)
    say(_summary(result))


def _table(title: str, outcomes: Sequence[Outcome]) -> None:
    rows = []
    for outcome in outcomes:
        found = ", ".join(
            f"{name} {len(steps)}" for name, steps in sorted(outcome.steps.items(), key=lambda item: len(item[1]))
        )
        subject = outcome.check.subject.removeprefix("edit ")
        what = found or outcome.status
        exploration = outcome.exploration
        mark = "ok" if outcome.as_expected else "WRONG"
        rows.append(
            (subject, brief(outcome.scope, title), f"{exploration.states:,}", f"{exploration.seconds:.1f}", what, mark)
        )
    table(title, ("subject", "scope", "states", "s", "shown", ""), rows)


def brief(scope: str, said: str) -> str:
    """Return the words of a scope that are neither the default nor said already, the mode always."""
    usual = set(str(Scope()).split()) | set(said.replace(")", " ").replace("(", " ").split())
    return " ".join(word for word in scope.split() if word not in usual or word.startswith("mode="))


def _explain(outcome: Outcome) -> None:
    check = outcome.check
    say(f"\n{check.subject}   {outcome.scope}")
    if check.expect:
        for name in check.expect:
            if name not in outcome.steps:
                say(f"SURVIVED: it must be caught by {name}, and is not")
        if check.exactly:
            for name in [*sorted(outcome.steps.keys() - {*check.expect}), *outcome.exploration.unseen]:
                say(f"WRONG: {name} is not as it must be, so the texts are not read as they are written")
        if not outcome.audit.enough:
            say(outcome.audit.line)
        say(search_report.reproduce(check))
    elif outcome.steps:
        name = search_report.most_telling(outcome)
        say(f"VIOLATED: {name}   slotproof explain {search_report.save(outcome, name)}\n")
        say(search_report.story(outcome, name))
    else:
        for line in [*search_report.why_vacuous(outcome), outcome.exploration.cut, outcome.audit.line]:
            say(line)
        say(search_report.reproduce(check))


def _summary(result: Verification) -> str:
    wrong = sum(not outcome.as_expected for outcome in result.outcomes)
    wrong += sum(not row["right"] for row in result.traces) + len(result.gaps)
    wrong += sum(not proof.holds for proof in result.proven) + len(unneeded(result.proven))
    wrong += (not result.shipped.holds) + (not result.fuzzed.right)
    wrong += len(result.mutants.unjustified) if result.mutants else 0
    if wrong:
        return f"{wrong} of the checks are not as they should be"
    states = sum(outcome.exploration.states for outcome in result.outcomes)
    return (
        f"all as it should be: {len(result.outcomes)} searches, {states:,} states; {len(result.proven)} proofs, "
        f"{sum(len(proof.obligations) for proof in result.proven):,} obligations; "
        f"{len(result.shipped.names)} shipped functions proved; {result.fuzzed.coverage.steps:,} steps of the runtime; "
        f"{len(result.traces)} traces; audit: {result.tries:,} native tries agree. "
        "What that covers and what it does not: README"
    )
