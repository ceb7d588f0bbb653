"""What judging traces has shown, for a person."""

from __future__ import annotations

from checker.command.report.conformance import conformance_lines
from checker.command.report.verdict import verdict_lines
from checker.traces.judge_file import Judgement, Unjudged


def lines(judged: Judgement | Unjudged) -> list[str]:
    """Return a judgement in lines; none for a trace that could not be judged: the reason is no result."""
    if isinstance(judged, Unjudged):
        return []
    found = verdict_lines(judged.verdict, str(judged.path))
    if judged.conformity is not None:
        found += conformance_lines(judged.conformity, str(judged.path))
    return found
