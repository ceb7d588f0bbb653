"""The recorded traces: each must get the verdict that its name states, and follow the design of its engine's release.

A name is `ENGINE-RELEASE-MODE-...-good` or `-bad`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from checker.model.known_designs import DESIGNS, RELEASES
from checker.traces.judge_file import judge_file
from checker.traces.reading import BadTrace


@dataclass(slots=True)
class Recorded:
    """What judging a recorded trace has shown."""

    trace: str
    """The file's name."""
    expected: str
    verdict: str = "none"
    hazards: int = 0
    design: str = ""
    """What it must conform to: the design that the engine's release takes."""
    conforms: bool = False
    right: bool = False
    wrong: str = ""
    """What is not as it should be; empty where all is."""


def judge_recorded(path: Path) -> Recorded:
    """Judge one recorded trace, and hold the outcome against its name."""
    row = Recorded(path.name, "bad" if path.stem.endswith("-bad") else "good")
    try:
        row.design = design_of(path.name)
        judged = judge_file(path, DESIGNS[row.design])
    except BadTrace as error:
        row.wrong = f"not judged: {error.reason}" + f", line {error.line}" * bool(error.line)
        return row
    assert judged.conformity is not None
    row.verdict, row.hazards = judged.verdict.outcome, len(judged.verdict.hazards)
    row.conforms = judged.conformity.conforms
    wrong = []
    if row.verdict != row.expected:
        wrong.append(f"it is {row.expected}")
    told = judged.conformity.divergence
    if told is not None:
        wrong.append(f"it is not {row.design} from line {told.line} on: {told.event}, {told.field}")
    row.right, row.wrong = not wrong, "; ".join(wrong)
    return row


def design_of(name: str) -> str:
    """Return the design that a trace file's release and mode took, by its name; raises BadTrace."""
    engine, number, mode = (*name.split("-"), "", "", "")[:3]
    parts = number.split(".")
    version = tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
    for release in RELEASES:
        if (engine, mode) == (release.engine, release.mode) and release.first <= version <= release.last and version:
            return release.design
    raise BadTrace(
        name, 0, "no design is known for this engine release and mode; add it to checker/model/known_designs.py"
    )
