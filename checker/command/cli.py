"""The command `slotproof`."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from checker.command import console
from checker.command.examples import add_examples
from checker.command.interrupts import end_at_ctrl_c
from checker.command.judge import Judging, judge_files
from checker.command.options import (
    Design,
    FailOn,
    Json,
    Junit,
    ModelFile,
    Scope,
    Seconds,
    Settings,
    positive,
    scope_words,
)
from checker.command.play import play_file
from checker.command.report import bmc as bmc_report
from checker.command.report import mutation as mutation_report
from checker.command.report import play as play_report
from checker.command.report import proof as proof_report
from checker.command.report import repair as repair_report
from checker.command.report import ring as ring_report
from checker.command.report import search as search_report
from checker.command.report import trace_check as trace_check_report
from checker.deadline import Deadline, TimeIsUp
from checker.exit_codes import INCONCLUSIVE, INTERNAL, SHOWN, USAGE, VIOLATED
from checker.explain.render import render
from checker.explain.story import story_of
from checker.model.designs import design_class
from checker.model.known_designs import DESIGNS, RELEASES, released
from checker.model.source import OutsideSubset
from checker.model.user_files import BadFile, BadModel, blame
from checker.mutation.score import BOUNDARY, SEED, SPEC, score
from checker.proof import bmc as bounded
from checker.proof import repair as repairing
from checker.proof.matrix import export as export_proof
from checker.proof.matrix import matrix, prove_matrix
from checker.proof.ring_search import ring_table
from checker.scenarios.line import BadScenario
from checker.search.audit import Disagreement
from checker.search.check import Check
from checker.search.exploration import Limits
from checker.search.perform import model_for, run_all
from checker.search.perform import run as run_check
from checker.search.saved import FOLDER, OtherModel, UnknownId, load, steps_of
from checker.search.suite import designs as design_checks
from checker.traces.check_file import check_file
from checker.traces.reading import BadTrace
from checker.traces.schema import schema as trace_schema
from spec.language import BadRecord
from spec.scope import EAGER, BadScope

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Model-checked bookkeeping of recurrent-state caches: search the spec, judge traces, explain what went wrong.",
)

BAD_INPUT = (BadFile, BadRecord, BadScope, BadScenario, BadModel, BadTrace, UnknownId, OtherModel, OutsideSubset)
"""Errors of the user's input: one sentence, exit code 2."""


def tell_version(wanted: bool) -> None:
    """Print the version and end, where that is wanted."""
    if wanted:
        console.say(console.version())
        raise typer.Exit(SHOWN)


@app.callback()
def slotproof(
    version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Do nothing of its own: this is what may stand before a command's name."""


@app.command()
def verify(
    quick: Annotated[bool, typer.Option("--quick", help="The inner loop: smaller scopes, under a minute.")] = False,
    as_json: Json = False,
) -> None:
    """Run the main job: our design holds, what must fail fails, traces get the right verdict."""
    from checker.command import verify as verification  # noqa: PLC0415 (torch takes a second, and only this and fuzz need it)
    from checker.command.report import verify as verify_report  # noqa: PLC0415 (as above)

    with console.Progress() as progress:
        result = verification.verify(quick, progress)
    raise typer.Exit(console.deliver(verify_report, result, as_json))


@app.command()
def fields(as_json: Json = False) -> None:
    """Show where each field of the spec is found in the runtime and in a trace, and which were added and forgotten."""
    from checker.command.report import fields as report  # noqa: PLC0415 (as above)
    from checker.lockstep.fields import forgotten  # noqa: PLC0415 (as above)

    found = forgotten()
    if as_json:
        console.emit(report.data(found))
    else:
        report.show(found)
    raise typer.Exit(report.exit_code(found))


@app.command()
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
    max_states: Annotated[
        int | None, typer.Option(callback=positive, help="Stop after so many states (exit code 3).")
    ] = None,
    max_seconds: Seconds = None,
    as_json: Json = False,
) -> None:
    """Search every reachable state of a scope, shortest counterexamples first."""
    if symmetry not in ("auto", "full", "none"):
        raise BadScope(f"--symmetry {symmetry}: write full, none or auto")
    check = Check(
        scope_words(scope, design, model, setting),
        design=design,
        edit=edit,
        model=model,
        expect=(stated,) if stated else (),
        all=every,
        symmetry=symmetry != "none",
        insist=symmetry == "full",
        limits=Limits(max_states, max_seconds),
        last_resort=True,
    )
    with console.Progress() as progress:
        outcome = run_check(check, progress)
    raise typer.Exit(console.deliver(search_report, outcome, as_json))


@app.command()
def designs(as_json: Json = False) -> None:
    """Show what each known design's verdict is, per mode, and the shortest story of each that fails."""
    outcomes = []
    with console.Progress() as progress:
        for outcome in run_all(design_checks()):
            outcomes.append(outcome)
            progress.note(f"{len(outcomes)} of {len(design_checks())} searches done")
    outcomes.sort(key=lambda outcome: (list(DESIGNS).index(outcome.check.design), outcome.scope))
    if as_json:
        console.emit([search_report.data(outcome) for outcome in outcomes])
    else:
        console.table(
            "Engine releases", ("releases", "mode", "design"), [(it.words, it.mode, it.design) for it in RELEASES]
        )
        for outcome in outcomes:
            name = outcome.check.design
            console.say(f"== {name} ({released(name) or 'in no release'}): {DESIGNS[name].summary}\n")
            search_report.show(outcome)
            console.say("")
    raise typer.Exit(0 if all(outcome.as_expected for outcome in outcomes) else VIOLATED)


@app.command()
def judge(
    files: Annotated[list[Path], typer.Argument(help="Traces: one JSON object a line, the first a header.")],
    design: Annotated[str, typer.Option(help="Also say where the engine first did what this design would not.")] = "",
    without_spare: Annotated[
        str, typer.Option(help="For --design: overwrite or skip, where the trace's header does not say.")
    ] = "",
    fail_on: FailOn = "",
    strict: Annotated[bool, typer.Option("--strict", help="The same as --fail-on any.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Judge a file while it is written, until its `stop` line or Ctrl-C.")
    ] = False,
    junit: Junit = None,
    github: Annotated[
        bool, typer.Option("--github", help="Also print what GitHub shows at the lines of the trace.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge traces of an engine: is a wrong state in the cache, or may one get there; does it follow a design."""
    names = ",".join([*([fail_on] if fail_on else []), *(["any"] if strict else [])])
    asked = Judging(design, without_spare, names, follow, as_json, junit, github)
    raise typer.Exit(judge_files(files, asked))


@app.command()
def trace(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a line of a trace.")] = False,
    check: Annotated[
        Path | None, typer.Option(help="Read every line of a trace, without judging what it says.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Help to write a recorder: what a line of a trace may be, and whether a file has only such lines."""
    if schema == (check is not None):
        raise BadScope("write one of --schema and --check FILE")
    if check is None:
        console.emit(trace_schema())
        raise typer.Exit(SHOWN)
    raise typer.Exit(console.deliver(trace_check_report, check_file(check), as_json))


@app.command()
def play(
    file: Annotated[Path, typer.Argument(help="A scenario: a script of steps and expectations.")],
    design: Annotated[str, typer.Option(help="Play it under this design instead of the scenario's own.")] = "",
    as_json: Json = False,
) -> None:
    """Play a readable script against the spec, and print its timeline."""
    raise typer.Exit(console.deliver(play_report, play_file(file, design), as_json))


@app.command()
def explain(identity: Annotated[str, typer.Argument(metavar="ID", help="The id that a failing run printed.")]) -> None:
    """Tell the story of a counterexample again."""
    found = load(FOLDER, identity)
    check = Check(" ".join(found.settings) if found.model else found.scope, design=found.design, model=found.model)
    model = model_for(check)
    try:
        story = story_of(model, steps_of(model, found), found.broken, found.command)
    except ValueError as error:
        raise OtherModel(f"{identity}: {error}; design or spec have changed since: run {found.command}") from error
    console.say(render(story))
    raise typer.Exit(VIOLATED)


@app.command()
def fuzz(
    budget: Annotated[str, typer.Option("--time", help="How long to hunt: 30s, 10m, 2h.")] = "10m",
    workers: Annotated[int, typer.Option(min=1, help="How many processes hunt.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Where the drawing begins; each worker has its own.")] = 0,
    as_json: Json = False,
) -> None:
    """Hunt for runs in which the runtime is not what the spec says, or breaks a property; shrink what is found."""
    from checker.command.report import fuzz as fuzz_report  # noqa: PLC0415 (as above)
    from checker.lockstep import campaign  # noqa: PLC0415 (as above)

    with console.Progress() as progress:
        progress.note("fuzzing the runtime")
        result = campaign.fuzz(campaign.seconds_of(budget), workers, seed)
    code = console.deliver(fuzz_report, result, as_json)
    if code != SHOWN and not as_json:
        console.say(f"slotproof fuzz --time {budget} --workers {workers} --seed {seed}")
    raise typer.Exit(code)


@app.command("replay")
def replay_script(
    file: Annotated[Path, typer.Argument(help="A script, such as one that fuzzing has found.")],
    threaded: Annotated[bool, typer.Option(help="Run the device on a thread instead of simulating it.")] = False,
    as_json: Json = False,
) -> None:
    """Play a script on the runtime and the spec together, and compare them after every step."""
    from checker.command.replay import replay_file  # noqa: PLC0415 (as above)
    from checker.command.report import replay as replay_report  # noqa: PLC0415 (as above)

    raise typer.Exit(console.deliver(replay_report, replay_file(file, threaded), as_json))


@app.command()
def prove(
    design: Design = "slotproof",
    ring: Annotated[bool, typer.Option("--ring", help="Show the ring-size theorem instead, as a table.")] = False,
    export: Annotated[Path | None, typer.Option(help="Write each obligation as SMT-LIB 2 into this folder.")] = None,
    seed: Annotated[int, typer.Option(help="The solver's random seed.")] = 0,
    max_seconds: Seconds = None,
    as_json: Json = False,
) -> None:
    """Prove every property for all lengths, any boundary pattern and any number of other requests, by induction."""
    design_class(design)
    if export is not None:
        if max_seconds is not None:
            raise BadScope("--max-seconds has no effect with --export: leave one of the two out")
        for proof in matrix(design, quick=True):
            count = export_proof(proof, export / proof.name.replace(", ", "-"))
            console.say(f"{count} obligations of {proof.name} in {export}; a solver must answer unsat to each")
        raise typer.Exit(SHOWN)
    if ring:
        with console.Progress() as progress:
            sizes = ring_table(note=progress.note, seconds=max_seconds)
        raise typer.Exit(console.deliver(ring_report, sizes, as_json))
    with console.Progress() as progress:
        clock = Deadline(max_seconds, last_resort=True)
        results = prove_matrix(design, seed, clock, progress.note)
    code = proof_report.exit_code(results)
    if as_json:
        console.emit(proof_report.data(results))
    else:
        proof_report.show(results, clock)
        if code != SHOWN:
            again = f"slotproof prove --design {design} --seed {seed}"
            console.say(again if max_seconds is None else f"{again} --max-seconds {max_seconds:g}")
    raise typer.Exit(code)


@app.command()
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
    check = Check(
        scope_words(scope, design, model, setting), design=design, model=model, expect=(stated,) if stated else ()
    )
    with console.Progress() as progress:
        result = bounded.run(check, depth, max_seconds, progress.note)
    raise typer.Exit(console.deliver(bmc_report, result, as_json))


@app.command()
def repair(
    design: Annotated[str, typer.Argument(metavar="NAME", help="A design that fails: a known one.")],
    mode: Annotated[str, typer.Option(help="eager or lazy.")] = EAGER,
    max_seconds: Annotated[
        float, typer.Option(callback=positive, help="Look for a repair no longer than so many seconds.")
    ] = 300.0,
    as_json: Json = False,
) -> None:
    """Look for the smallest change of decisions, taken from other known designs, that makes a design hold."""
    with console.Progress() as progress:
        found = repairing.repair(design, mode, max_seconds, note=progress.note, last_resort=True)
    raise typer.Exit(console.deliver(repair_report, found, as_json))


@app.command()
def mutants(
    sample: Annotated[int | None, typer.Option(help="Judge only so many, drawn at random.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of the draw.")] = SEED,
    workers: Annotated[int | None, typer.Option(help="Processes; default: one per core.", min=1)] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Change the shipped boundary logic instead.")] = False,
    as_json: Json = False,
) -> None:
    """Change the spec in every small way, and show what notices it: the mutation score."""
    with console.Progress() as progress:
        result = score(BOUNDARY if shipped else SPEC, sample, workers, seed, progress.note)
    raise typer.Exit(console.deliver(mutation_report, result, as_json))


add_examples(app)


def run(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; bad input is one sentence and 2, an error of our own is 70."""
    try:
        app(words)
    except BAD_INPUT as error:
        console.complain(error)
        return USAGE
    except Disagreement as error:
        print(f"slotproof: {error}", file=sys.stderr)
        console.complain("this is an error of slotproof itself: no verdict stands; please report the lines above")
        return INTERNAL
    except TimeIsUp:
        console.complain("the time is used up")
        return INCONCLUSIVE
    except (Exception, SystemExit) as error:
        if blame(error):
            console.complain(blame(error))
            return USAGE
        if isinstance(error, SystemExit):
            return int(error.code or 0)
        traceback.print_exc()
        print("slotproof: this is an error of slotproof itself; the trace above says where", file=sys.stderr)
        return INTERNAL
    return SHOWN


def main() -> None:
    """Run the command that the process was started for, and end with its exit code."""
    end_at_ctrl_c()
    sys.exit(run())
