"""How a script went on the runtime and the spec together, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.replay import ReplayedScript
from checker.exit_codes import SHOWN, VIOLATED


def exit_code(script: ReplayedScript) -> int:
    """Return the exit code."""
    return VIOLATED if script.played.failed else SHOWN


def data(script: ReplayedScript) -> dict[str, object]:
    """Return the result for a machine."""
    played = script.played
    failed = played.failed and {
        "kind": played.failed.kind,
        "name": played.failed.name,
        "detail": played.failed.detail,
    }
    return {"steps": played.steps, "failed": failed, "unasked": played.unasked, "text": played.text}


def lines(script: ReplayedScript) -> Iterator[str]:
    """Return the timeline, and what was compared."""
    played = script.played
    yield played.text
    yield "" if played.failed else f"\n{played.steps} steps: runtime and spec agree after each"
    if played.unasked:
        yield f"not asked here: {played.unasked} lines `expect` or `refused:`; slotproof play {script.file} asks them"
    if played.failed:
        yield f"slotproof replay {script.file}" + (" --threaded" if script.threaded else "")


def show(script: ReplayedScript) -> None:
    """Print the result."""
    say_all(lines(script))
