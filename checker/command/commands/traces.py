"""Commands about traces of an engine: judging them, and help to write them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from checker.command import console
from checker.command.options import FailOn, Json, Junit
from checker.exit_codes import SHOWN
from spec.scope import BadScope


def judge(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Traces: one JSON object a line, the first a header.")
    ] = None,
    design: Annotated[str, typer.Option(help="Also say where the engine first did what this design would not.")] = "",
    without_spare: Annotated[
        str, typer.Option(help="For --design: overwrite or skip, where the trace's header does not say.")
    ] = "",
    fail_on: FailOn = "",
    strict: Annotated[bool, typer.Option("--strict", help="The same as --fail-on any.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Judge a file while it is written, until its `stop` line or Ctrl-C.")
    ] = False,
    ranks: Annotated[
        Path | None,
        typer.Option(
            help="A folder with a trace of each rank of one server (--ranks traces): judge all, and compare them."
        ),
    ] = None,
    rank_count: Annotated[
        int | None, typer.Option(min=1, help="For --ranks: how many there must be; else no number may be left out.")
    ] = None,
    junit: Junit = None,
    github: Annotated[
        bool, typer.Option("--github", help="Also print what GitHub shows at the lines of the trace.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge traces of an engine: is a wrong state in the cache, or may one get there; does it follow a design."""
    from checker.command.judge import Judging, judge_files

    names = ",".join([*([fail_on] if fail_on else []), *(["any"] if strict else [])])
    asked = Judging(design, without_spare, names, follow, as_json, junit, github, ranks, rank_count)
    raise typer.Exit(judge_files(files or [], asked))


def attach(
    engine: Annotated[str, typer.Argument(help="Which engine: sglang.")],
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND...", help="What starts it: a server, a script, a test suite.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for the traces, one of each process and pool.")],
    judging: Annotated[bool, typer.Option("--judge", help="Judge each trace while the engine runs.")] = False,
    fail_on: FailOn = "",
) -> None:
    """Record an unmodified engine: run a command whose processes write traces of what they do with their slots."""
    from checker.command.attach import attach as record

    raise typer.Exit(record(engine, out, command, judging, fail_on))


def trace(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of a line of a trace.")] = False,
    check: Annotated[
        Path | None, typer.Option(help="Read every line of a trace, without judging what it says.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Help to write a recorder: what a line of a trace may be, and whether a file has only such lines."""
    from checker.command.report import trace_check as report
    from checker.traces.check_file import check_file
    from checker.traces.schema import schema as line_schema

    if schema == (check is not None):
        raise BadScope("write one of --schema and --check FILE")
    if check is None:
        console.emit(line_schema())
        raise typer.Exit(SHOWN)
    raise typer.Exit(console.deliver(report, check_file(check), as_json))
