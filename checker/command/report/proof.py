"""What the proofs of a design have shown, for a person and for a machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from checker.command.console import say_all
from checker.command.report import audit as audit_report
from checker.command.report import search as search_report
from checker.command.tables import table_text
from checker.deadline import Deadline
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.cti import Meaning, classify
from checker.proof.induction import PROVED
from checker.proof.matrix import EVERY_LENGTH, Proven, unneeded
from spec.guarantee import GUARANTEE


def exit_code(results: Sequence[Proven]) -> int:
    """Return the exit code: a failed obligation or an unneeded lemma weighs more than one that the solver gave up."""
    if any(result.failed for result in results) or unneeded(results):
        return VIOLATED
    return SHOWN if results and all(result.holds for result in results) else INCONCLUSIVE


def data(results: Sequence[Proven]) -> dict[str, object]:
    """Return the results for a machine."""
    return {"proofs": list(map(proof_data, results)), "unneeded": unneeded(results)}


def proof_data(result: Proven) -> dict[str, object]:
    """Return one of them."""
    return {
        "name": result.proof.name,
        "design": result.proof.design,
        "scope": result.scope,
        "proved": result.holds,
        "complete": result.complete,
        "obligations": len(result.obligations),
        "failed": [dataclasses.asdict(obligation) for obligation in result.failed],
        "unknown": [obligation.name for obligation in result.unknown],
        "needed": result.needed,
        "audit": audit_report.data(result.audit),
        "seconds": result.seconds,
    }


def rows(results: Sequence[Proven]) -> list[tuple[str, ...]]:
    """Return one line of a table for each proof."""
    found: list[tuple[str, ...]] = []
    for result in results:
        words = [
            word for word in result.scope.split() if not word.startswith(("requests", "families", "nodes", "max_len"))
        ]
        verdict = "proved" if result.holds else f"{len(result.failed)} fail, {len(result.unknown)} unknown"
        verdict = verdict if result.audit.enough else "not audited"
        if not result.complete:
            proved = sum(obligation.verdict == PROVED for obligation in result.obligations)
            verdict = f"cut short: {proved} proved by then, {verdict}"
        needs = f"{len(result.needed)} of {len(result.lemmas)}" if result.proof.needs else ""
        found.append(
            (result.proof.name, " ".join(words), str(len(result.obligations)), needs, f"{result.seconds:.1f}", verdict)
        )
    return found


def guarantees(results: Sequence[Proven]) -> list[tuple[str, ...]]:
    """Return one line of a table for each rule that our own requests keep to: verdict, and obligations met of all."""
    found: list[tuple[str, ...]] = []
    for rule in GUARANTEE:
        asked = [each for result in results for each in result.obligations if each.target == rule.name]
        met = [each for each in asked if each.verdict == PROVED]
        found.append((rule.name, rule.sentence, f"{len(met)} of {len(asked)}"))
    return found


def summary(results: Sequence[Proven]) -> Iterator[str]:
    """Return tables of what is proved, and of which lemmas the need has been shown."""
    title = "What is assumed of all other requests, shown of the named ones"
    yield table_text(title, ("", "every step", "obligations met"), guarantees(results))
    columns = ("proof", "scope", "obligations", "needed lemmas", "s", "")
    yield table_text(
        f"Proved for sequences of up to {EVERY_LENGTH:.0e} tokens, any number of other requests", columns, rows(results)
    )
    for result in results:
        yield from [f"{result.proof.name}: {line}" for line in audit_report.lines(result.audit)]
    for lemma in unneeded(results):
        yield f"UNNEEDED: without the lemma {lemma} nothing breaks; drop it, or say in spec/lemmas.py what it is for"


def failures(results: Sequence[Proven], clock: Deadline | None = None) -> Iterator[str]:
    """Say what each failed proof means, with the real run where there is one, as far as there is time for it."""
    clock = clock or Deadline(None)
    for result in results:
        for obligation in result.unknown:
            yield f"unknown: {result.proof.name}: {obligation.name}: the solver gave up, which is no proof"
        if result.failed:
            yield f"\n{result.proof.design}, {result.proof.name}: {len(result.failed)} obligations fail; the first are"
            for obligation in result.failed[:5]:
                yield f"  {obligation.name}"
            meaning: Meaning | None = None
            with clock:
                if not clock.over:
                    meaning = classify(result, clock)
            yield meaning.words if meaning else f"{clock.words}: no run that shows what that means was looked for"
            if meaning is not None and meaning.outcome is not None:
                name = search_report.most_telling(meaning.outcome)
                yield f"\n{search_report.story(meaning.outcome, name)}"


def lines(results: Sequence[Proven], clock: Deadline | None = None) -> Iterator[str]:
    """Return the tables, then what each failure means, as far as there is time for that."""
    yield from summary(results)
    yield from failures(results, clock)


def show(results: Sequence[Proven], clock: Deadline | None = None) -> None:
    """Print the results."""
    say_all(lines(results, clock))
