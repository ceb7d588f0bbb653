"""Commands that ask a solver: proofs for all lengths, bounded checks, and repairs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from checker.command import console
from checker.command.options import Design, Json, ModelFile, NoCache, Scope, Seconds, Settings, positive, scope_words
from checker.exit_codes import SHOWN
from spec.scope import EAGER, BadScope


def prove(
    design: Design = "slotproof",
    ring: Annotated[bool, typer.Option("--ring", help="Show the ring-size theorem instead, as a table.")] = False,
    export: Annotated[Path | None, typer.Option(help="Write each obligation as SMT-LIB 2 into this folder.")] = None,
    seed: Annotated[int, typer.Option(help="The solver's random seed.")] = 0,
    max_seconds: Seconds = None,
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Prove every property for all lengths, any boundary pattern and any number of other requests, by induction."""
    from checker.command.cache import Cache
    from checker.command.report import proof as report
    from checker.deadline import Deadline
    from checker.model.designs import design_class
    from checker.proof.matrix import prove as prove_one
    from checker.proof.matrix import prove_matrix

    design_class(design)
    if export is not None:
        _export(design, export, max_seconds)
    if ring:
        _ring(max_seconds, as_json)
    with console.Progress() as progress:
        clock = Deadline(max_seconds, last_resort=True)
        cache = Cache.unless(no_cache)
        results = prove_matrix(
            design, seed, clock, progress.note, lambda proofs: cache.perform([partial(prove_one, it) for it in proofs])
        )
    code = report.exit_code(results)
    if as_json:
        console.emit(report.data(results))
    else:
        report.show(results, clock)
        console.say_all(cache.words(len(results)))
        if code != SHOWN:
            again = f"slotproof prove --design {design} --seed {seed}"
            console.say(again if max_seconds is None else f"{again} --max-seconds {max_seconds:g}")
    raise typer.Exit(code)


def _export(design: str, folder: Path, max_seconds: float | None) -> None:
    from checker.proof.matrix import export, matrix

    if max_seconds is not None:
        raise BadScope("--max-seconds has no effect with --export: leave one of the two out")
    for proof in matrix(design, quick=True):
        count = export(proof, folder / proof.name.replace(", ", "-"))
        console.say(f"{count} obligations of {proof.name} in {folder}; a solver must answer unsat to each")
    raise typer.Exit(SHOWN)


def _ring(max_seconds: float | None, as_json: bool) -> None:
    from checker.command.report import ring as report
    from checker.proof.ring_search import ring_table

    with console.Progress() as progress:
        sizes = ring_table(note=progress.note, seconds=max_seconds)
    raise typer.Exit(console.deliver(report, sizes, as_json))


def bmc(
    scope: Scope = "",
    design: Design = "slotproof",
    model: ModelFile = "",
    setting: Settings = None,
    stated: Annotated[str, typer.Option("--property", help="Look for this property only.")] = "",
    depth: Annotated[int, typer.Option(help="How many steps to look ahead.", min=1)] = 14,
    max_seconds: Seconds = None,
    as_json: Json = False,
) -> None:
    """Look for the shortest violation with a solver, depth by depth: larger pools than a search can do."""
    from checker.command.report import bmc as report
    from checker.proof.bmc import run
    from checker.search.check import Check

    check = Check(
        scope_words(scope, design, model, setting), design=design, model=model, expect=(stated,) if stated else ()
    )
    with console.Progress() as progress:
        result = run(check, depth, max_seconds, progress.note)
    raise typer.Exit(console.deliver(report, result, as_json))


def repair(
    design: Annotated[str, typer.Argument(metavar="NAME", help="A design that fails: a known one.")],
    mode: Annotated[str, typer.Option(help="eager or lazy.")] = EAGER,
    max_seconds: Annotated[
        float, typer.Option(callback=positive, help="Look for a repair no longer than so many seconds.")
    ] = 300.0,
    as_json: Json = False,
) -> None:
    """Look for the smallest change of decisions, taken from other known designs, that makes a design hold."""
    from checker.command.report import repair as report
    from checker.proof import repair as repairing

    with console.Progress() as progress:
        found = repairing.repair(design, mode, max_seconds, note=progress.note, last_resort=True)
    raise typer.Exit(console.deliver(report, found, as_json))
