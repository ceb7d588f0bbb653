"""Truth and verdict beside each other: where they differ one of them is wrong, and no verdict is no pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checker.traces.conformance.divergence import Conformity
from checker.traces.judge_file import Judgement, judge_file
from checker.traces.reading import BadTrace
from checker.traces.verdict import Verdict
from spec.design import Design
from tests.engines.play import Truth

WHOLE = "whole"
LEAKS = ("release-all", "accounting")


@dataclass(frozen=True)
class Compared:
    """One run: what was true of it, what the judge says, and in which way the two differ."""

    truth: Truth
    bad: bool = False
    missed: str = ""
    """Something is wrong that the judge passes over."""
    invented: str = ""
    """The judge finds something that is not so."""
    unjudged: str = ""
    """There is no verdict, or one that does not reach to the end."""
    exception: str = ""
    """Where the engine leaves the design that it is said to follow."""
    causes: frozenset[str] = frozenset()
    """The properties that the story names: of what is wrong, and of the hazards that became harmful by it."""
    covered: str = WHOLE
    """Or what the comparison with the design ends at; empty: it was compared with none."""


def compare(truth: Truth, trace: Path, design: type[Design] | None) -> Compared:
    """Judge one run's trace, and compare."""
    try:
        judged = judge_file(trace, design)
    except (BadTrace, OSError) as error:
        return Compared(truth, unjudged=f"no verdict: {error}")
    return compared(truth, judged)


def compared(truth: Truth, judged: Judgement) -> Compared:
    """Compare what is true of a run with what was judged of it."""
    verdict = judged.verdict
    exception, covered = conformity_of(judged.conformity)
    return Compared(
        truth,
        bad=bool(verdict.violations),
        missed="; ".join(passed_over(truth, verdict)),
        invented="; ".join(made_up(truth, verdict)),
        unjudged=unjudged(truth, verdict),
        exception=exception,
        causes=causes(verdict),
        covered=covered,
    )


def passed_over(truth: Truth, verdict: Verdict) -> Iterator[str]:
    """What is wrong, and the judge has not named."""
    if truth.wrong and not verdict.violations:
        yield f"wrong and not bad: {truth.wrong[0]}"
    named = {(it.slot, it.label) for it in verdict.violations}
    for slot, length in truth.misfiled:
        if (slot, length) not in named:
            yield f"slot {slot} is filed wrongly under {length} tokens, and nothing is said of it"
    if truth.leaked and not leaks(verdict):
        yield f"slots have leaked, and nothing is said of them: {list(truth.leaked)}"


def made_up(truth: Truth, verdict: Verdict) -> Iterator[str]:
    """What the judge finds where nothing is wrong."""
    if verdict.violations and not truth.wrong:
        yield f"bad and not wrong: {verdict.violations[0].message}"
    causes = {(it.slot, it.label) for it in verdict.violations if it.root is None and it.event == "publish"}
    for slot, length in causes - set(truth.misfiled) if truth.wrong else ():
        yield f"slot {slot} is filed rightly under {length} tokens, and is said to be wrong"
    if leaks(verdict) and not truth.leaked and not truth.raised:
        yield f"no slot has leaked, and the judge says so: {leaks(verdict)[0]}"


def causes(verdict: Verdict) -> frozenset[str]:
    """The properties that a story names."""
    harmful = {it.property for it in verdict.hazards if it.harmful_at is not None}
    return frozenset(harmful | {it.kind for it in verdict.violations if it.root is None})


def leaks(verdict: Verdict) -> list[str]:
    """What the judge says of slots that nobody will ever free."""
    return [it.explanation for it in verdict.hazards if it.property in LEAKS and it.healed_at is None]


def unjudged(truth: Truth, verdict: Verdict) -> str:
    """Why the verdict does not reach to the end. A run that the engine has ended by an exception has none."""
    if verdict.outcome in ("good", "bad") and not verdict.not_covered:
        return ""
    if truth.raised:
        return ""
    return verdict.not_covered or verdict.cut_because or verdict.outcome


def conformity_of(conformity: Conformity | None) -> tuple[str, str]:
    """Where the engine leaves its design, and what the comparison ends at."""
    if conformity is None:
        return "", ""
    told = conformity.divergence
    exception = "" if told is None else f"{told.event}: {told.field}, expected {told.expected}, seen {told.seen}"
    return exception, conformity.not_covered or WHOLE
