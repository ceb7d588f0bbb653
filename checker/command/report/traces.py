"""What judging a trace has shown, for a person and for a machine: the verdict, and conformance if it was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.report import conformance, verdict
from checker.exit_codes import USAGE, worst
from checker.traces.judge_file import Judgement, Unjudged


def exit_code(judged: Judgement | Unjudged) -> int:
    """Return the exit code: violated, or diverging from the design asked for; cut; shown; or bad input."""
    if isinstance(judged, Unjudged):
        return USAGE
    return worst([verdict.exit_code(judged), conformance.exit_code(judged)])


def data(judged: Judgement | Unjudged) -> dict[str, object]:
    """Return the judgement for a machine, or the reason why there is none."""
    known: dict[str, object] = {"path": str(judged.path), "code": exit_code(judged)}
    if isinstance(judged, Unjudged):
        return known | {"reason": judged.reason}
    return known | {"verdict": verdict.data(judged), "conformance": conformance.data(judged)}


def lines(judged: Judgement | Unjudged) -> Iterator[str]:
    """Return a judgement in lines; none for a trace that could not be judged: the reason is no result."""
    if isinstance(judged, Judgement):
        yield from verdict.lines(judged)
        yield from conformance.lines(judged)


def show(judged: Judgement | Unjudged) -> None:
    """Print a judgement."""
    say_all(lines(judged))
