"""The mutation score of the spec or of the code that ships, for a person and for a machine."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from checker.command.console import say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.mutation.result import Kind, MutantResult
from checker.mutation.score import Score

_WORDS = {Kind.CHOICES: "choices *"}
_FOOTNOTE = "* no property: the same states as ever, but another number of steps between them"


def exit_code(result: Score) -> int:
    """Return the exit code: a hole, or a reason without a survivor, is a failure; an open question is no answer."""
    if result.unjustified or result.stale:
        return VIOLATED
    return INCONCLUSIVE if result.undecided else SHOWN


def data(result: Score) -> dict[str, object]:
    """Return the result for a machine."""
    return {
        "code": exit_code(result),
        "target": result.target.name,
        "mutants": result.of,
        "judged": len(result.results),
        "killed": result.killed,
        "unjustified": [each.key for each in result.unjustified],
        "undecided": [each.key for each in result.undecided],
        "stale": result.stale,
        "seconds": round(result.seconds, 1),
        "fates": [dataclasses.asdict(each) for each in result.results],
    }


def summary(result: Score) -> str:
    """Return the score in one line."""
    count = len(result.results)
    part = "" if count == result.of else f" (a sample of {result.of:,})"
    share = f"{result.killed / max(count, 1):.1%}"
    return f"{result.killed} of {count} mutants of {result.target.name} killed: {share}{part}"


def lines(result: Score) -> Iterator[str]:
    """Return the score as text: what has killed how many, and every survivor with its reason."""
    yield summary(result)
    kinds = Counter(each.kind for each in result.results if each.kind)
    for kind in Kind:
        if kinds[kind]:
            names = Counter(each.by for each in result.results if each.kind == kind)
            told = ", ".join(f"{name} {times}" for name, times in names.most_common()) if kind != Kind.ERROR else ""
            yield f"  {_WORDS.get(kind, kind):<14}{kinds[kind]:>4}  {told}".rstrip()
    if kinds[Kind.CHOICES]:
        yield f"  {_FOOTNOTE}"
    if result.unjustified:
        yield f"\nSURVIVED: {result.target.remedy}"
        yield from map(_survivor, result.unjustified)
    if result.undecided:
        yield "\nundecided: the solver has left questions open, so that nobody knows whether these survive"
        for each in result.undecided:
            yield f"{_survivor(each)}; left open: {', '.join(each.open)}"
    reasons: dict[str, list[MutantResult]] = {}
    for each in result.results:
        if not each.killed and each.key in result.target.justified:
            reasons.setdefault(result.target.justified[each.key], []).append(each)
    for reason, survivors in sorted(reasons.items()):
        yield f"\nsurvive: {reason}"
        yield from map(_survivor, survivors)
    for key in result.stale:
        yield f"\nno longer a survivor, so drop its reason from checker/mutation/equivalent.py: {key}"


def _survivor(each: MutantResult) -> str:
    return f"  {each.name}: {each.old}  ->  {each.new}"


def show(result: Score) -> None:
    """Print the result."""
    say_all(lines(result))
