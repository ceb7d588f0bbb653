"""Whether a trace can be read: how often each event stands in it, and what a verdict on it has to leave open."""

from __future__ import annotations

import msgspec

from checker.command.console import printable, say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN
from checker.traces.check_file import CheckedFile


def exit_code(checked: CheckedFile) -> int:
    """Return the exit code: a last line that is incomplete was not read."""
    return INCONCLUSIVE if checked.cut else SHOWN


def data(checked: CheckedFile) -> object:
    """Return what was found for a machine."""
    return msgspec.to_builtins(checked) | {"code": exit_code(checked)}


def lines(checked: CheckedFile) -> list[str]:
    """Return what was found, for a person."""
    found = [
        printable(f"readable: {checked.path} ({checked.engine}; format {checked.format}, {checked.lines} lines)"),
        *(f"{times:>9,} {name}" for name, times in checked.counts.items()),
    ]
    found += [f"the recorder does not know `{name}`: {what}" for name, what in checked.left_open.items()]
    if checked.cut:
        found.append("the last line is incomplete, and was not read")
    elif not checked.stopped:
        found.append("there is no `stop` line: the verdict on it is `cut`")
    return found


def show(checked: CheckedFile) -> None:
    """Print what was found."""
    say_all(lines(checked))
