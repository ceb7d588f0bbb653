"""Judging trace files: the verdict, and conformance to a design, in one pass over each file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from checker.traces.conformance.conformance import Conformance
from checker.traces.conformance.divergence import Conformity
from checker.traces.judge import Judge
from checker.traces.reading import BadTrace, read_trace
from checker.traces.verdict import Verdict
from spec.design import Design


@dataclass(slots=True)
class Judgement:
    """What one trace file shows."""

    path: Path
    verdict: Verdict
    conformity: Conformity | None = None


@dataclass(slots=True)
class Unjudged:
    """A trace that cannot be judged, and why: bad input."""

    path: Path
    reason: str


def judge_file(path: Path, design: type[Design] | None = None, without_spare: str = "") -> Judgement:
    """Judge one trace file; raises BadTrace."""
    try:
        reader = read_trace(path)
    except OSError as error:
        raise BadTrace(str(path), 0, f"the file cannot be read: {error.strerror}") from error
    judge = Judge(reader.header, reader.path)
    follower = Conformance(reader.header, design, without_spare) if design else None
    for line, event in reader:
        judge.feed(line, event)
        if follower is not None:
            follower.feed(line, event)
    verdict = judge.result(reader.cut)
    return Judgement(path, verdict, follower.result(verdict.outcome == "cut") if follower else None)
