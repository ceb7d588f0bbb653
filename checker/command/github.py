"""The judgement of a trace as workflow commands of GitHub, which it shows at the lines of the trace."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import printable
from checker.command.report import traces, verdict
from checker.exit_codes import INCONCLUSIVE
from checker.traces.fail_on import failures
from checker.traces.judge_file import Unjudged
from checker.traces.ranks import RankComparison


def lines(judged: traces.Judged) -> Iterator[str]:
    """Return an `::error` for each thing that fails the trace, and a `::warning` for each other hazard."""
    path = str(judged.path)
    if isinstance(judged, Unjudged):
        yield command("error", path, judged.line, "unreadable trace", judged.reason)
        return
    if isinstance(judged, RankComparison):
        for one in judged.differing:
            yield command("error", str(one.file), one.line, "ranks differ", f"{judged.where} is {one.said}")
        if traces.exit_code(judged) == INCONCLUSIVE:
            yield command("error", str(judged.files[0]), 1, "ranks not compared", " ".join(traces.lines(judged)))
        return
    for violation in judged.verdict.violations:
        if violation.root is None:
            yield command("error", path, violation.line, violation.kind, violation.message)
    if judged.conformity is not None and judged.conformity.divergence is not None:
        said = judged.conformity
        for found in (judged.conformity.divergence, *said.more):
            yield command("error", path, found.line, f"not {said.design}", f"{found.event}: {found.field} differs")
    failing = [failure.hazard for failure in failures(judged.verdict, judged.fail_on)]
    for hazard in judged.verdict.hazards:
        kind = "error" if hazard in failing else "warning"
        yield command(kind, path, hazard.line, hazard.property, " ".join(map(str.strip, verdict.hazard_lines(hazard))))
    if traces.exit_code(judged) == INCONCLUSIVE:
        yield command("error", path, 1, "no verdict", next(traces.lines(judged)))


def command(kind: str, path: str, line: int, title: str, message: str) -> str:
    """Return one workflow command; what has a meaning in it is escaped as GitHub's own toolkit does it."""
    where = f"file={_property(path)},line={max(line, 1)},title={_property(printable(title))}"
    return f"::{kind} {where}::{_data(printable(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
