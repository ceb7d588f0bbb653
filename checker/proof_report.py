"""What the proofs have shown, for a person."""

from __future__ import annotations

from collections.abc import Sequence

from checker import report
from checker.classify import classify
from checker.induction import PROVED
from checker.output import INCONCLUSIVE, SHOWN, VIOLATED, say, table
from checker.proofs import EVERY_LENGTH, Proven, unneeded
from spec.discipline import DISCIPLINE


def exit_code(results: Sequence[Proven]) -> int:
    """Return the exit code: a failed obligation or an unneeded lemma weighs more than one that the solver gave up."""
    if any(result.failed for result in results) or unneeded(results):
        return VIOLATED
    return SHOWN if all(result.holds for result in results) else INCONCLUSIVE


def rows(results: Sequence[Proven]) -> list[tuple[str, ...]]:
    """Return one line of a table for each proof."""
    found: list[tuple[str, ...]] = []
    for result in results:
        words = [
            word for word in result.scope.split() if not word.startswith(("requests", "families", "nodes", "max_len"))
        ]
        verdict = "proved" if result.holds else f"{len(result.failed)} fail, {len(result.unknown)} unknown"
        verdict = verdict if result.audit.enough else "not audited"
        needs = f"{len(result.needed)} of {len(result.lemmas)}" if result.proof.needs else ""
        found.append(
            (result.proof.name, " ".join(words), str(len(result.obligations)), needs, f"{result.seconds:.1f}", verdict)
        )
    return found


def discipline(results: Sequence[Proven]) -> list[tuple[str, ...]]:
    """Return one line of a table for each rule that our own requests keep to: verdict, and obligations met of all."""
    found: list[tuple[str, ...]] = []
    for rule in DISCIPLINE:
        asked = [each for result in results for each in result.obligations if each.target == rule.name]
        met = [each for each in asked if each.verdict == PROVED]
        found.append((rule.name, rule.sentence, f"{len(met)} of {len(asked)}"))
    return found


def show_table(results: Sequence[Proven]) -> None:
    """Print what is proved, and of which lemmas the need has been shown."""
    title = "What is assumed of all other requests, shown of the named ones"
    table(title, ("", "every step", "obligations met"), discipline(results))
    columns = ("proof", "scope", "obligations", "needed lemmas", "s", "")
    table(
        f"Proved for sequences of up to {EVERY_LENGTH:.0e} tokens, any number of other requests", columns, rows(results)
    )
    for result in results:
        say(f"{result.proof.name}: {result.audit.line}")
    for lemma in unneeded(results):
        say(f"UNNEEDED: without the lemma {lemma} nothing breaks; drop it, or say in spec/lemmas.py what it is for")


def show_failures(results: Sequence[Proven]) -> None:
    """Tell what each failed proof means, with the real run where there is one."""
    for result in results:
        for obligation in result.unknown:
            say(f"unknown: {result.proof.name}: {obligation.name}: the solver gave up, which is no proof")
        if result.failed:
            say(f"\n{result.proof.design}, {result.proof.name}: {len(result.failed)} obligations fail; the first are")
            for obligation in result.failed[:5]:
                say(f"  {obligation.name}")
            meaning = classify(result)
            say(meaning.words)
            if meaning.outcome is not None:
                name = report.most_telling(meaning.outcome)
                say(f"\n{report.story(meaning.outcome, name)}")
