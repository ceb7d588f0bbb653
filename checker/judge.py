"""Judging trace files: the verdict, and conformance to a design, one file after the other."""

from __future__ import annotations

from pathlib import Path

from checker.verdict import judge_trace
from checker.verdict_records import Verdict


def judge_file(path: Path) -> Verdict:
    """Return the verdict on one trace file; raises BadTrace."""
    return judge_trace(path)
