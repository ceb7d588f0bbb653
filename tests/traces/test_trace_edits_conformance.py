"""Every single-field edit of recorded traces, judged by verdict and conformance together: what still goes unseen?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from checker.model.known_designs import DESIGNS
from checker.traces.conformance.conformance import Conformance
from checker.traces.judge import judge_trace
from checker.traces.reading import BadTrace, read_trace
from checker.traces.verdict import Verdict
from tests.support.paths import TRACES
from tests.support.trace_edits import enumerate_edits

OWN = {
    "0.5.17-eager": "before-29792",
    "0.5.17-lazy": "before-29792",
    "0.5.18-eager": "merged-29792",
    "0.5.18-lazy": "lazy-0.5.18",
    "0.5.23-eager": "merged-29792",
    "0.5.23-lazy": "merged-29792",
}
PATHS = [next(iter(sorted(TRACES.glob(f"sglang-{part}*.ndjson")))) for part in OWN]

NULL = "null is unknown, and what isn't known isn't compared; nothing says yet that this engine records it"
SURVIVORS = {
    ("prepare", "rows.last", "from null"): "a pointer that no other line shows (0.5.17), with the value that it has",
    ("header", "engine", "other name"): "a name for people",
    ("header", "slots", "+1"): "a larger pool allows all that a smaller one does",
    ("header", "slots", "-1"): "the last slot isn't used",
    ("header", "first_slot", "-1"): "slot 0 isn't used, nor the last one",
    ("header", "lookahead", "+1"): "a larger window allows all that a smaller one does",
    ("admit", "next", "to null"): NULL,
    ("admit", "last", "to null"): NULL,
    ("prefill", "rows.copy_from", "to null"): "a copy from an unknown slot is taken on trust",
}


def told(verdict: Verdict) -> tuple[object, ...]:
    return (
        verdict.outcome,
        [(v.line, v.kind, v.slot) for v in verdict.violations],
        [(h.property, h.line, h.slot, h.healed_at, h.harmful_at) for h in verdict.hazards],
    )


def conforms(path: Path, design: str) -> bool:
    reader = read_trace(path)
    conformance = Conformance(reader.header, DESIGNS[design])
    for line, event in reader:
        conformance.feed(line, event)
    return conformance.result(reader.cut, explained=False).conforms


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_single_field_edits_are_noticed(path: Path, tmp_path: Path) -> None:
    design = next(design for part, design in OWN.items() if part in path.stem)
    before = told(judge_trace(path))
    assert conforms(path, design)
    outcomes: Counter[str] = Counter()
    survivors: set[tuple[str, str, str]] = set()
    edited = tmp_path / "edited.ndjson"
    for edit in enumerate_edits(path):
        edited.write_bytes(b"".join(edit.lines))
        try:
            verdict = told(judge_trace(edited))
        except BadTrace:
            outcomes["error"] += 1
            continue
        same, conform = verdict == before, conforms(edited, design)
        outcomes[f"{'same' if same else 'another'} verdict, {'conforms' if conform else 'diverges'}"] += 1
        if same and conform:
            survivors.add((edit.kind, edit.field, edit.change))
    assert survivors <= set(SURVIVORS), "an edit goes unnoticed that has no reason to"
    assert outcomes["same verdict, conforms"] <= 12
    assert outcomes["another verdict, diverges"] > 300
    everywhere = {key for key in SURVIVORS if key[0] == "header"}
    assert everywhere <= survivors, "a reason in the table is out of date"
