"""What judging traces has shown, for a person and for a machine: the verdict, and conformance if it was asked for.

How the ranks of a server compare is handed on with the judgements of their traces, as one more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import printable, say_all
from checker.command.report import conformance, ranks, verdict
from checker.exit_codes import INCONCLUSIVE, SHOWN, USAGE, VIOLATED, worst
from checker.traces.fail_on import failures, is_unsure
from checker.traces.judge_file import Judgement, Unjudged
from checker.traces.ranks import RankComparison

Judged = Judgement | Unjudged | RankComparison


def exit_code(judged: Judged) -> int:
    """Return the exit code: violated, diverging, or failed by a hazard's name; cut, not covered; shown; bad input."""
    if isinstance(judged, Unjudged):
        return USAGE
    if isinstance(judged, RankComparison):
        return ranks.exit_code(judged)
    asked = VIOLATED if failures(judged.verdict, judged.fail_on) else SHOWN
    unsure = INCONCLUSIVE if is_unsure(judged.verdict, judged.fail_on) else SHOWN
    return worst([verdict.exit_code(judged), conformance.exit_code(judged), asked, unsure])


def data(judged: Judged) -> dict[str, object]:
    """Return the judgement for a machine, or the reason why there is none."""
    if isinstance(judged, RankComparison):
        return ranks.data(judged)
    known: dict[str, object] = {"path": str(judged.path), "code": exit_code(judged)}
    if isinstance(judged, Unjudged):
        return known | {"reason": judged.reason}
    failed = [
        {"name": name, "property": hazard.property, "line": hazard.line}
        for name, hazard in failures(judged.verdict, judged.fail_on)
    ]
    return known | {"verdict": verdict.data(judged), "failed_on": failed, "conformance": conformance.data(judged)}


def lines(judged: Judged) -> Iterator[str]:
    """Return a judgement in lines; none for a trace that could not be judged: the reason is no result."""
    if isinstance(judged, Judgement):
        yield from map(printable, verdict.lines(judged))
        yield from map(printable, conformance.lines(judged))
    elif isinstance(judged, RankComparison):
        yield from ranks.lines(judged)


def show(judged: Judged) -> None:
    """Print a judgement."""
    say_all(lines(judged))
