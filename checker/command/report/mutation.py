"""The mutation score, for a person and for a machine."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

from checker.command.console import Progress, emit, say
from checker.exit_codes import SHOWN, VIOLATED
from checker.mutation.equivalent import JUSTIFIED
from checker.mutation.oracles import CHOICES, ERROR, KINDS, Fate
from checker.mutation.score import Score, score
from spec.scope import BadScope

_WORDS = {CHOICES: "choices *"}
_FOOTNOTE = "* no property: the same states as ever, but another number of steps between them"


def run(sample: int | None, seed: int, workers: int | None, as_json: bool, progress: Progress) -> int:
    """Judge all mutants or a sample, print the score, and return the exit code; raises BadScope."""
    for name, value in (("sample", sample), ("workers", workers)):
        if value is not None and value < 1:
            raise BadScope(f"--{name} {value}: write a number from 1 on, or leave it out for all")
    result = score(sample, workers, seed, progress.note)
    progress.done()
    if as_json:
        emit(data(result))
    else:
        say(show(result))
    return exit_code(result)


def exit_code(result: Score) -> int:
    """Return the exit code: a survivor without a reason, or a reason without a survivor, is a failure."""
    return SHOWN if result.right else VIOLATED


def data(result: Score) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "code": exit_code(result),
        "mutants": result.of,
        "judged": len(result.fates),
        "killed": result.killed,
        "unjustified": result.unjustified,
        "stale": result.stale,
        "seconds": round(result.seconds, 1),
        "fates": [dataclasses.asdict(fate) for fate in result.fates],
    }


def brief(result: Score) -> str:
    """Return the score in one line."""
    count = len(result.fates)
    part = "" if count == result.of else f" (a sample of {result.of:,})"
    return f"{result.killed} of {count} mutants of the spec killed: {result.killed / max(count, 1):.1%}{part}"


def show(result: Score) -> str:
    """Return the score as text: what has killed how many, and every survivor with its reason."""
    lines = [brief(result)]
    kinds = Counter(fate.kind for fate in result.fates)
    for kind in KINDS:
        if kinds[kind]:
            names = Counter(fate.by for fate in result.fates if fate.kind == kind)
            told = ", ".join(f"{name} {times}" for name, times in names.most_common()) if kind != ERROR else ""
            lines.append(f"  {_WORDS.get(kind, kind):<14}{kinds[kind]:>4}  {told}".rstrip())
    if kinds[CHOICES]:
        lines.append(f"  {_FOOTNOTE}")
    reasons: dict[str, list[Fate]] = {}
    for fate in result.fates:
        if not fate.killed:
            reasons.setdefault(JUSTIFIED.get(fate.key, ""), []).append(fate)
    for reason, fates in sorted(reasons.items()):
        lines += ["", f"survive: {reason}" if reason else _UNJUSTIFIED]
        lines += [f"  {fate.name}: {fate.old}  ->  {fate.new}" for fate in fates]
    lines += [
        f"\nno longer a survivor, so drop its reason from checker/mutation/equivalent.py: {key}" for key in result.stale
    ]
    return "\n".join(lines)


_UNJUSTIFIED = (
    "SURVIVED: state a property, lemma, duty or *sometimes* that kills it, or a reason in "
    "checker/mutation/equivalent.py"
)
