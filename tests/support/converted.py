"""Recorded traces of format 1, written in format 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from checker.traces.reading import encode, read_trace

Line = dict[str, Any]


def converted(path: Path) -> tuple[list[Line], list[int]]:
    """The lines of a trace in format 2, and of each the line of the file that says it."""
    reader = read_trace(path)
    events = list(reader)
    lines = [reader.header, *(event for _, event in events)]
    return [json.loads(encode(line)) for line in lines], [1, *(number for number, _ in events)]
