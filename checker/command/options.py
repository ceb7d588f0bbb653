"""The options that several commands share, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from checker.model.known_designs import DESIGNS
from checker.model.user_files import BadModel
from spec.scope import BadScope


def positive(value: float | None) -> float | None:
    """Refuse a limit under which nothing could be done."""
    if value is not None and not value > 0:
        raise typer.BadParameter(
            f"{value:g} leaves nothing to do; write a number above 0, or leave it out for no limit"
        )
    return value


Seconds = Annotated[float | None, typer.Option(callback=positive, help="Stop after so many seconds (exit code 3).")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Ask everything anew, whatever an earlier run has shown, and keep nothing.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Design = Annotated[
    str,
    typer.Option(
        help=f"A design: {', '.join(DESIGNS)}; or the path of a .py file with a subclass of spec.design.Design. "
        "A design file is code: it is imported and run."
    ),
]
Scope = Annotated[str, typer.Option(help="Words of a scope, such as 'requests=2 slots=6 mode=lazy'.")]
ModelFile = Annotated[str, typer.Option(help="A model of your own: a Python file, instead of the protocol's.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="NAME=NUMBER for the model's scope.")]

FailOn = Annotated[
    str,
    typer.Option(
        metavar="NAME,...", help="Hazards that fail a trace: leak, lost-checkpoint, any, or a property's name."
    ),
]
Junit = Annotated[Path | None, typer.Option(help="Write a JUnit file too, one test case for each trace.")]


def scope_words(scope: str, design: str, model: str, settings: list[str] | None) -> str:
    """Return the words that say what to look at; refuses what would have no effect."""
    if model and scope:
        raise BadScope(
            f"--scope {scope!r} has no effect with --model: write --set NAME=NUMBER for the model's own scope"
        )
    if model and design != "slotproof":
        raise BadModel(f"--design {design} has no effect with --model: leave one of the two out")
    if settings and not model:
        raise BadScope(f"--set {settings[0]} is for a model of your own: add --model FILE, or write --scope instead")
    return " ".join(settings or []) if model else scope
