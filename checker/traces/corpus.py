"""The recorded traces: each must get the verdict that its name states, and follow the design of its engine's release.

A name is `ENGINE-RELEASE-MODE-...-good` or `-bad`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from checker.model.known_designs import DESIGNS, RELEASES
from checker.traces.format import BadTrace
from checker.traces.judge_file import judge_file


def trace_row(path: Path) -> dict[str, Any]:
    """Judge one recorded trace; `wrong` says what is not as it should be, and is empty where all is."""
    expected = "bad" if path.stem.endswith("-bad") else "good"
    row = {"trace": path.name, "expected": expected, "verdict": "none", "hazards": 0, "design": "", "conforms": False}
    try:
        design = row["design"] = design_of(path.name)
        judged = judge_file(path, DESIGNS[design])
    except BadTrace as error:
        return row | {
            "right": False,
            "wrong": f"not judged: {error.reason}" + f", line {error.line}" * bool(error.line),
        }
    assert judged.conformity is not None
    wrong = []
    if judged.verdict.outcome != expected:
        wrong.append(f"it is {expected}")
    told = judged.conformity.divergence
    if told is not None:
        wrong.append(f"it is not {design} from line {told.line} on: {told.event}, {told.field}")
    return row | {
        "verdict": judged.verdict.outcome,
        "hazards": len(judged.verdict.hazards),
        "conforms": judged.conformity.conforms,
        "right": not wrong,
        "wrong": "; ".join(wrong),
    }


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


def cells(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return a row for a table: trace, verdict, hazards, what it conforms to, and whether all is right."""
    design = row["design"] if row["conforms"] else f"not {row['design']}" if row["design"] else ""
    told = "ok" if row["right"] else f"WRONG: {row['wrong']}"
    return row["trace"], row["verdict"], row["hazards"], design, told
