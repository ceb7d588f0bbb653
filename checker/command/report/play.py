"""How a script went against the spec, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.play import PlayedScript
from checker.exit_codes import SHOWN, VIOLATED


def exit_code(script: PlayedScript) -> int:
    """Return the exit code."""
    return VIOLATED if script.played.failed else SHOWN


def data(script: PlayedScript) -> dict[str, object]:
    """Return the result for a machine."""
    return {"text": script.played.text, "failed": script.played.failed, "met": script.played.met}


def lines(script: PlayedScript) -> Iterator[str]:
    """Return the timeline, and where an expectation is not met."""
    yield script.played.text
    for failure in script.played.failed:
        yield f"{script.file}:{failure.line}:{failure.column}: {failure.message}"
    if script.played.failed:
        yield f"slotproof play {script.file}" + (f" --design {script.design}" if script.design else "")


def show(script: PlayedScript) -> None:
    """Print the result."""
    say_all(lines(script))
