"""Commands that search: a scope, the designs that shipped, and the story of what was found, told again."""

from __future__ import annotations

from typing import Annotated

import typer

from checker.command import console
from checker.command.options import Design, Json, ModelFile, Scope, Seconds, Settings, positive, scope_words
from checker.exit_codes import SHOWN, VIOLATED
from spec.scope import BadScope


def explore(
    scope: Scope = "",
    design: Design = "slotproof",
    model: ModelFile = "",
    setting: Settings = None,
    stated: Annotated[str, typer.Option("--property", help="Search on until this property is violated.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Search on to the shortest story of every property.")] = False,
    edit: Annotated[str, typer.Option(help="One of the wrong edits that `verify` makes.", hidden=True)] = "",
    symmetry: Annotated[
        str,
        typer.Option(
            help="full: states that differ in names only are one; none: they are not; auto: full, unless names matter."
        ),
    ] = "auto",
    fingerprints: Annotated[int, typer.Option(help="Bits that tell states apart: 64, or 128 for very many.")] = 64,
    max_states: Annotated[
        int | None, typer.Option(callback=positive, help="Stop after so many states (exit code 3).")
    ] = None,
    max_seconds: Seconds = None,
    as_json: Json = False,
) -> None:
    """Search every reachable state of a scope, shortest counterexamples first."""
    from checker.command.report import search as report
    from checker.search.check import Check
    from checker.search.exploration import Limits
    from checker.search.perform import run

    if symmetry not in ("auto", "full", "none"):
        raise BadScope(f"--symmetry {symmetry}: write full, none or auto")
    if fingerprints not in (64, 128):
        raise BadScope(f"--fingerprints {fingerprints}: write 64 or 128")
    check = Check(
        scope_words(scope, design, model, setting),
        design=design,
        edit=edit,
        model=model,
        expect=(stated,) if stated else (),
        all=every,
        symmetry=symmetry != "none",
        insist=symmetry == "full",
        bits=fingerprints,
        limits=Limits(max_states, max_seconds),
        last_resort=True,
    )
    with console.Progress() as progress:
        outcome = run(check, progress)
    raise typer.Exit(console.deliver(report, outcome, as_json))


def designs(as_json: Json = False) -> None:
    """Show what each known design's verdict is, per mode, and the shortest story of each that fails."""
    from checker.command.report import search as report
    from checker.command.tables import table
    from checker.model.known_designs import DESIGNS, RELEASES, released
    from checker.search.perform import run_all
    from checker.search.suite import designs as checks

    outcomes = []
    with console.Progress() as progress:
        for outcome in run_all(checks()):
            outcomes.append(outcome)
            progress.note(f"{len(outcomes)} of {len(checks())} searches done")
    outcomes.sort(key=lambda outcome: (list(DESIGNS).index(outcome.check.design), outcome.scope))
    if as_json:
        console.emit([report.data(outcome) for outcome in outcomes])
    else:
        table("Engine releases", ("releases", "mode", "design"), [(it.words, it.mode, it.design) for it in RELEASES])
        for outcome in outcomes:
            name = outcome.check.design
            console.say(f"== {name} ({released(name) or 'in no release'}): {DESIGNS[name].summary}\n")
            report.show(outcome)
            console.say("")
    raise typer.Exit(SHOWN if all(outcome.as_expected for outcome in outcomes) else VIOLATED)


def explain(identity: Annotated[str, typer.Argument(metavar="ID", help="The id that a failing run printed.")]) -> None:
    """Tell the story of a counterexample again."""
    from checker.explain.render import render
    from checker.explain.story import story_of
    from checker.search.check import Check
    from checker.search.perform import model_for
    from checker.search.saved import FOLDER, OtherModel, load, steps_of

    found = load(FOLDER, identity)
    check = Check(" ".join(found.settings) if found.model else found.scope, design=found.design, model=found.model)
    model = model_for(check)
    try:
        story = story_of(model, steps_of(model, found), found.broken, found.command)
    except ValueError as error:
        raise OtherModel(f"{identity}: {error}; design or spec have changed since: run {found.command}") from error
    console.say(render(story))
    raise typer.Exit(VIOLATED)
