"""How the ranks of one server have decided, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import printable, say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.traces.ranks import RankComparison

LONGEST = 100
"""Characters of a value that are shown; `--json` has all of them."""


def exit_code(found: RankComparison) -> int:
    """Return the exit code: ranks that differ are a violation, and what was not compared has not been shown."""
    return {"bad": VIOLATED, "good": SHOWN}.get(found.outcome, INCONCLUSIVE)


def data(found: RankComparison) -> dict[str, object]:
    """Return the comparison for a machine."""
    said = [{"path": str(one.file), "line": one.line, "said": one.said} for one in found.differing]
    return {
        "path": str(found.path),
        "code": exit_code(found),
        "ranks": [str(file) for file in found.files],
        "pool": found.pool,
        "outcome": found.outcome,
        "alike": found.alike,
        "where": found.where,
        "differing": said,
        "missing": found.missing,
        "shorter": found.shorter,
    }


def lines(found: RankComparison) -> Iterator[str]:
    """Return the comparison in lines, the first of which begins as a verdict does."""
    whose = f"{found.path}, pool {found.pool}" if found.pool else str(found.path)
    counts = f"{len(found.files)} ranks, {found.alike} lines alike"
    what = {
        "bad": f"ranks decide differently from line {found.differing[0].line} on" if found.differing else "",
        "good": "all ranks decide alike",
        "cut": "ranks decide alike as far as each goes",
        "not covered": "not every rank could be compared",
    }[found.outcome]
    yield printable(f"{found.outcome}: {whose}: {what} ({counts})")
    for one in found.differing:
        said = one.said if len(one.said) <= LONGEST else f"{one.said[:LONGEST]}..."
        yield printable(f"  {one.file.name} line {one.line}: {found.where} is {said}")
    yield from (printable(f"  {words}") for words in [*found.missing, *found.shorter])


def show(found: RankComparison) -> None:
    """Print the comparison."""
    say_all(lines(found))
