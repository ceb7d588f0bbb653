"""Commands about steps that are played: scripts on the spec, scripts and drawn runs on runtime and spec together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from checker.command import console
from checker.command.options import Json
from checker.exit_codes import SHOWN


def play(
    file: Annotated[Path, typer.Argument(help="A scenario: a script of steps and expectations.")],
    design: Annotated[str, typer.Option(help="Play it under this design instead of the scenario's own.")] = "",
    as_json: Json = False,
) -> None:
    """Play a readable script against the spec, and print its timeline."""
    from checker.command.play import play_file
    from checker.command.report import play as report

    raise typer.Exit(console.deliver(report, play_file(file, design), as_json))


def replay(
    file: Annotated[Path, typer.Argument(help="A script, such as one that fuzzing has found.")],
    threaded: Annotated[bool, typer.Option(help="Run the device on a thread instead of simulating it.")] = False,
    as_json: Json = False,
) -> None:
    """Play a script on the runtime and the spec together, and compare them after every step."""
    from checker.command.replay import replay_file
    from checker.command.report import replay as report

    raise typer.Exit(console.deliver(report, replay_file(file, threaded), as_json))


def fuzz(
    budget: Annotated[str, typer.Option("--time", help="How long to hunt: 30s, 10m, 2h.")] = "10m",
    workers: Annotated[int, typer.Option(min=1, help="How many processes hunt.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Where the drawing begins; each worker has its own.")] = 0,
    cover: Annotated[
        str, typer.Option(metavar="SCOPE", help="Draw nothing: take every step of a small scope, each once.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Hunt for runs in which the runtime is not what the spec says, or breaks a property; shrink what is found."""
    from checker.command.report import fuzz as report
    from checker.lockstep import campaign

    if cover:
        _cover(cover, campaign.seconds_of(budget), as_json)

    with console.Progress() as progress:
        progress.note("fuzzing the runtime")
        result = campaign.fuzz(campaign.seconds_of(budget), workers, seed)
    code = console.deliver(report, result, as_json)
    if code != SHOWN and not as_json:
        console.say(f"slotproof fuzz --time {budget} --workers {workers} --seed {seed}")
    raise typer.Exit(code)


def _cover(scope: str, seconds: float, as_json: bool) -> None:
    """Cover a scope instead of drawing."""
    from checker.command.report import cover as report
    from checker.lockstep.cover import cover
    from spec.scope import Scope

    with console.Progress() as progress:
        progress.note("covering the scope")
        covered = cover(Scope.parse(scope), seconds)
    raise typer.Exit(console.deliver(report, covered, as_json))


def fields(as_json: Json = False) -> None:
    """Show where each field of the spec is found in the runtime and in a trace, and which were added and forgotten."""
    from checker.command.report import fields as report
    from checker.lockstep.fields import forgotten

    raise typer.Exit(console.deliver(report, forgotten(), as_json))
