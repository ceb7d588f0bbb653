"""The command `slotproof`: which commands there are, and how a process that runs one ends."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from checker.command import console
from checker.command.commands.proofs import bmc, prove, repair
from checker.command.commands.scripts import fields, fuzz, play, replay
from checker.command.commands.searches import designs, explain, explore
from checker.command.commands.traces import attach, judge, trace
from checker.command.commands.whole import mutants, verify
from checker.command.examples import EXAMPLES
from checker.command.extras import missing_extra
from checker.command.interrupts import end_at_ctrl_c
from checker.deadline import TimeIsUp
from checker.exit_codes import INCONCLUSIVE, INTERNAL, SHOWN, USAGE, BadInput, InternalError
from checker.model.user_files import blame
from spec.language import BadRecord
from spec.scope import BadScope

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Model-checked bookkeeping of recurrent-state caches: search the spec, judge traces, explain what went wrong.",
)

for command in (
    *(verify, explore, designs, explain),
    *(judge, attach, trace),
    *(play, replay, fuzz, fields),
    *(prove, bmc, repair, mutants),
):
    app.command(epilog=f"Example: {EXAMPLES[command.__name__]}")(command)

BAD_INPUT = (BadInput, BadRecord, BadScope)
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


def run(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; bad input is one sentence and 2, an error of our own is 70."""
    try:
        app(words)
    except BAD_INPUT as error:
        console.complain(error)
        return USAGE
    except InternalError as error:
        print(f"slotproof: {error}", file=sys.stderr)
        console.complain("this is an error of slotproof itself: no verdict stands; please report the lines above")
        return INTERNAL
    except TimeIsUp:
        console.complain("the time is used up")
        return INCONCLUSIVE
    except (Exception, SystemExit) as error:
        if wrong := blame(error) or missing_extra(error):
            console.complain(wrong)
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
