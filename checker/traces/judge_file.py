"""Judging trace files: the verdict, and conformance to a design, in one pass over each file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from checker.traces.conformance.divergence import Conformity
from checker.traces.judge import Judge
from checker.traces.reading import Numbered, TraceReader, open_trace
from checker.traces.verdict import Verdict

if TYPE_CHECKING:
    from checker.traces.conformance.conformance import Conformance
    from spec.design import Design


@dataclass(slots=True)
class Judgement:
    """What one trace file shows."""

    path: Path
    verdict: Verdict
    conformity: Conformity | None = None
    fail_on: tuple[str, ...] = ()
    """The names of hazards that fail it (checker/traces/fail_on.py)."""


@dataclass(slots=True)
class Unjudged:
    """A trace that cannot be judged, and why: bad input."""

    path: Path
    reason: str
    line: int = 0


def judge_file(path: Path, design: type[Design] | None = None, without_spare: str = "") -> Judgement:
    """Judge one trace file; raises BadTrace."""
    reader = open_trace(path)
    return judge_events(reader, reader, design, without_spare)


def judge_events(
    reader: TraceReader,
    events: Iterable[Numbered],
    design: type[Design] | None = None,
    without_spare: str = "",
    watch: Callable[[Judge], None] | None = None,
) -> Judgement:
    """Judge the events of one trace, calling `watch` after each; raises BadTrace."""
    judge = Judge(reader.header, reader.path)
    follower = _follower(reader, design, without_spare) if design else None
    for line, event in events:
        judge.feed(line, event)
        if follower is not None:
            follower.feed(line, event)
        if watch is not None:
            watch(judge)
    verdict = judge.result(reader.cut)
    conformity = follower.result(verdict.outcome == "cut") if follower else None
    return Judgement(Path(reader.path), verdict, conformity)


def _follower(reader: TraceReader, design: type[Design], without_spare: str) -> Conformance:
    from checker.traces.conformance.conformance import Conformance  # noqa: PLC0415 (a verdict alone needs no designs)

    return Conformance(reader.header, design, without_spare)
