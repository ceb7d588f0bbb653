"""What the proofs have shown, for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from checker.command.console import Progress, emit, say, table
from checker.command.report import search as search_report
from checker.deadline import Deadline
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.cti import Meaning, classify
from checker.proof.induction import PROVED
from checker.proof.matrix import EVERY_LENGTH, Proof, Proven, data, export, matrix, parse, prove_all, unneeded
from spec.discipline import DISCIPLINE

ON_THE_WAY = 0.4
"""Seconds that results may take from a worker to here."""


def run(design: str, seed: int, seconds: float | None, as_json: bool, progress: Progress) -> int:
    """Prove a design as far as there is time, print what came of it, and return the exit code."""
    clock = Deadline(seconds, last_resort=True)
    wanted = matrix(design, seed=seed, ends=None if seconds is None else clock.ends)
    done: dict[Proof, Proven] = {}
    # What the workers have proved by then has to come back and be reported.
    with Deadline(None if seconds is None else seconds + ON_THE_WAY, last_resort=True):
        for result in prove_all(wanted):
            done[result.proof] = result
            progress.note(f"{len(done)} of {len(wanted)} proofs done")
    progress.done()
    results = [done.get(proof) or Proven(proof, str(parse(proof.scope))) for proof in wanted]
    if as_json:
        emit({"proofs": [data(result) for result in results], "unneeded": unneeded(results)})
        return exit_code(results)
    show_table(results)
    show_failures(results, clock)
    if exit_code(results) != SHOWN:
        again = f"slotproof prove --design {design} --seed {seed}"
        say(again if seconds is None else f"{again} --max-seconds {seconds:g}")
    return exit_code(results)


def write_scripts(design: str, folder: Path) -> int:
    """Write the obligations of the quick proofs as SMT-LIB 2 scripts, say how many, and return the exit code."""
    for proof in matrix(design, quick=True):
        count = export(proof, folder / proof.name.replace(", ", "-"))
        say(f"{count} obligations of {proof.name} in {folder}; a solver must answer unsat to each")
    return SHOWN


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
        if not result.complete:
            proved = sum(obligation.verdict == PROVED for obligation in result.obligations)
            verdict = f"cut short: {proved} proved by then, {verdict}"
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


def show_failures(results: Sequence[Proven], clock: Deadline | None = None) -> None:
    """Tell what each failed proof means, with the real run where there is one, as far as there is time for it."""
    clock = clock or Deadline(None)
    for result in results:
        for obligation in result.unknown:
            say(f"unknown: {result.proof.name}: {obligation.name}: the solver gave up, which is no proof")
        if result.failed:
            say(f"\n{result.proof.design}, {result.proof.name}: {len(result.failed)} obligations fail; the first are")
            for obligation in result.failed[:5]:
                say(f"  {obligation.name}")
            meaning: Meaning | None = None
            with clock:
                if not clock.over:
                    meaning = classify(result, clock)
            say(meaning.words if meaning else f"{clock.words}: no run that shows what that means was looked for")
            if meaning is not None and meaning.outcome is not None:
                name = search_report.most_telling(meaning.outcome)
                say(f"\n{search_report.story(meaning.outcome, name)}")
