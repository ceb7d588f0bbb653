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


def write_converted(path: Path, folder: Path) -> Path:
    """Write a trace down in format 2, under its own name in another folder."""
    reader = read_trace(path)
    found = folder / path.name
    with found.open("wb") as file:
        file.write(encode(reader.header))
        file.writelines(encode(event) for _, event in reader)
    return found
