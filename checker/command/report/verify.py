"""The main job in tables: what was shown, and the story of everything that is not as it should be."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from checker.command.console import say_all
from checker.command.report import audit as audit_report
from checker.command.report import boundary as boundary_report
from checker.command.report import fuzz as fuzz_report
from checker.command.report import mutation as mutation_report
from checker.command.report import proof as proof_report
from checker.command.report import search as search_report
from checker.command.tables import table_text
from checker.command.verify import Verification
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.matrix import unneeded
from checker.search import suite
from checker.search.check import NOT_AUDITED, Outcome
from checker.traces.corpus import Recorded
from spec.scope import Scope


def exit_code(result: Verification) -> int:
    """Return the exit code: a violation weighs more than an inconclusive search."""
    wrong = [outcome for outcome in result.outcomes if not outcome.as_expected]
    if result.gaps or any(not row.right for row in result.traces) or not result.fuzzed.right:
        return VIOLATED
    parts = [proof_report.exit_code(result.proven), boundary_report.exit_code(result.shipped)]
    parts += [mutation_report.exit_code(result.mutants)] if result.mutants else []
    if any(outcome.status not in ("cut short", NOT_AUDITED) for outcome in wrong) or VIOLATED in parts:
        return VIOLATED
    return INCONCLUSIVE if wrong or INCONCLUSIVE in parts else SHOWN


def data(result: Verification) -> dict[str, object]:
    """Return the result for a machine."""
    return {
        "code": exit_code(result),
        "searches": [search_report.data(outcome) | {"as expected": outcome.as_expected} for outcome in result.outcomes],
        "proofs": [proof_report.proof_data(proof) for proof in result.proven],
        "shipped": boundary_report.data(result.shipped),
        "fuzz": fuzz_report.data(result.fuzzed),
        "traces": list(map(dataclasses.asdict, result.traces)),
        "mutants": mutation_report.data(result.mutants) if result.mutants else None,
        "audited": result.tries,
        "earlier": result.earlier,
        "gaps": result.gaps,
    }


def lines(result: Verification) -> Iterator[str]:
    """Return the tables, then the story of everything that is not as it should be."""
    yield _table("Our design must hold", result.ours)
    yield _table(f"Designs, each property with the steps of its shortest story ({suite.STORY_SCOPE})", result.designs)
    yield _table(f"Wrong edits of the spec must be caught ({suite.STORY_SCOPE})", result.edits)
    yield _table("The canary, which uses every construct, must be caught", result.canary)
    columns = ("trace", "verdict", "hazards", "conforms to", "")
    yield table_text("Recorded traces", columns, list(map(cells, result.traces)))
    yield from proof_report.summary(result.proven)
    yield from boundary_report.summary(result.shipped)
    yield "Runtime and spec side by side"
    yield from [f"  {line}" for line in fuzz_report.summary(result.fuzzed)]
    yield ""
    if result.mutants:
        right = result.mutants.right
        yield from [mutation_report.summary(result.mutants)] if right else mutation_report.lines(result.mutants)
        yield ""
    for gap in result.gaps:
        yield f"GAP: {gap}"
    for outcome in result.outcomes:
        if not outcome.as_expected:
            yield from _explain(outcome)
    yield from proof_report.failures(result.proven)
    yield from boundary_report.failures(result.shipped)
    yield from fuzz_report.failures(result.fuzzed)
    yield from result.earlier
    yield _summary(result)


def show(result: Verification) -> None:
    """Print all of that."""
    say_all(lines(result))


def cells(row: Recorded) -> tuple[object, ...]:
    """Return a row for a table: trace, verdict, hazards, what it conforms to, and whether all is right."""
    design = row.design if row.conforms else f"not {row.design}" if row.design else ""
    return row.trace, row.verdict, row.hazards, design, "ok" if row.right else f"WRONG: {row.wrong}"


def _table(title: str, outcomes: Sequence[Outcome]) -> str:
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
    return table_text(title, ("subject", "scope", "states", "s", "shown", ""), rows)


def brief(scope: str, said: str) -> str:
    """Return the words of a scope that are neither the default nor said already, the mode always."""
    usual = set(str(Scope()).split()) | set(said.replace(")", " ").replace("(", " ").split())
    return " ".join(word for word in scope.split() if word not in usual or word.startswith("mode="))


def _explain(outcome: Outcome) -> Iterator[str]:
    check = outcome.check
    yield f"\n{check.subject}   {outcome.scope}"
    if check.expect:
        for name in check.expect:
            if name not in outcome.steps:
                yield f"SURVIVED: it must be caught by {name}, and is not"
        if check.exactly:
            for name in [*sorted(outcome.steps.keys() - {*check.expect}), *outcome.exploration.unseen]:
                yield f"WRONG: {name} is not as it must be, so the texts are not read as they are written"
        if not outcome.audit.enough:
            yield from audit_report.lines(outcome.audit)
        yield search_report.reproduce(check)
    elif outcome.steps:
        name = search_report.most_telling(outcome)
        yield f"VIOLATED: {name}   slotproof explain {search_report.save(outcome, name)}\n"
        yield search_report.story(outcome, name)
    else:
        yield from [*search_report.why_vacuous(outcome), outcome.exploration.cut, *audit_report.lines(outcome.audit)]
        yield search_report.reproduce(check)


def _summary(result: Verification) -> str:
    wrong = sum(not outcome.as_expected for outcome in result.outcomes)
    wrong += sum(not row.right for row in result.traces) + len(result.gaps)
    wrong += sum(not proof.holds for proof in result.proven) + len(unneeded(result.proven))
    wrong += (not result.shipped.holds) + (not result.fuzzed.right)
    wrong += len(result.mutants.unjustified) + len(result.mutants.undecided) if result.mutants else 0
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
