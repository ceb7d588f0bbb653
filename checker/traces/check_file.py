"""Checking that a trace can be read, every line of it, without judging what it says: for whoever writes a recorder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from checker.traces.format import Stop
from checker.traces.meanings import EVENTS, tag
from checker.traces.reading import open_trace

LEFT_OPEN: Final = {
    "takes": "a slot is taken where it turns up, and no leak is reported",
    "frees": "a slot that is heard of no more may have been freed, and no leak is reported",
    "evicts": "an entry that is asked for no more may have been evicted",
    "ends": "a request that is heard of no more may be over, and no leak is reported",
    "clears": "a state may have been cleared where no line says so",
    "copies": "a state may have been copied where no line says so",
    "texts": "that two requests have the same tokens is taken on trust",
    "transfers": "a slot may be read or written by a transfer that no line tells of",
    "sessions": "a request may be a turn of a session",
}
"""What silence does not mean where the header's `knows` leaves a name out."""


@dataclass(slots=True)
class CheckedFile:
    """What is in a trace that can be read to its end, or to an incomplete last line (`cut`)."""

    path: str
    engine: str
    format: int
    lines: int
    counts: dict[str, int]
    """How often each event stands in it, in the order of the format."""
    left_open: dict[str, str]
    """The names that `knows` does not have, and what is left open for it."""
    stopped: bool
    cut: bool


def check_file(path: Path) -> CheckedFile:
    """Read a trace to its end; raises BadTrace with line and key where it is not readable."""
    reader = open_trace(path)
    found: Counter[str] = Counter()
    lines, stopped = 1, False
    for line, event in reader:
        found[tag(type(event))] += 1
        lines, stopped = max(lines, line), isinstance(event, Stop)
    counts = {name: found[name] for name in map(tag, EVENTS) if found[name]}
    left_open = {name: what for name, what in LEFT_OPEN.items() if name not in reader.header.knows}
    return CheckedFile(str(path), reader.header.engine, reader.format, lines, counts, left_open, stopped, reader.cut)
