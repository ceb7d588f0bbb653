"""Commands about the whole: the main job, and whether what it does would notice a change."""

from __future__ import annotations

from typing import Annotated

import typer

from checker.command import console
from checker.command.options import Json, NoCache


def verify(
    quick: Annotated[bool, typer.Option("--quick", help="The inner loop: smaller scopes, under a minute.")] = False,
    no_cache: NoCache = False,
    as_json: Json = False,
) -> None:
    """Run the main job: our design holds, what must fail fails, traces get the right verdict."""
    from checker.command import verify as verification
    from checker.command.cache import Cache
    from checker.command.report import verify as report

    with console.Progress() as progress:
        result = verification.verify(quick, progress, Cache.unless(no_cache))
    raise typer.Exit(console.deliver(report, result, as_json))


def mutants(
    sample: Annotated[int | None, typer.Option(help="Judge only so many, drawn at random.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the draw; default: that of `verify`.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: one per core.", min=1)] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Change the shipped boundary logic instead.")] = False,
    as_json: Json = False,
) -> None:
    """Change the spec in every small way, and show what notices it: the mutation score."""
    from checker.command.report import mutation as report
    from checker.mutation.score import BOUNDARY, SEED, SPEC, score

    with console.Progress() as progress:
        result = score(BOUNDARY if shipped else SPEC, sample, workers, SEED if seed is None else seed, progress.note)
    raise typer.Exit(console.deliver(report, result, as_json))
