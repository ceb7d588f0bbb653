"""What `make engines` prints: a line for each kind of run, and a remark wherever one has something to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.engines.compare import WHOLE, Compared

ENOUGH = 0.99
"""The part of the runs that must be what the design does; each kind of exception is named."""
HEAD = ("engine", "kind", "runs", "wrong", "bad", "missed", "invented", "unjudged", "raised", "conform", "in part")


@dataclass
class Line:
    """A line of the table."""

    engine: str
    kind: str
    known: int | None
    cause: str = ""
    """The property that each story must name, where there is one cause."""
    runs: list[Compared] = field(default_factory=list)

    def count(self, what: str) -> int:
        """Of how many runs this can be said."""
        return sum(bool(getattr(run, what)) for run in self.runs)

    @property
    def wrong(self) -> int:
        """How many runs are wrong."""
        return sum(bool(run.truth.wrong) for run in self.runs)

    @property
    def unexplained(self) -> list[Compared]:
        """The bad runs whose story does not name the cause."""
        return [run for run in self.runs if run.bad and self.cause not in ("", *run.causes)]

    @property
    def conforming(self) -> float:
        """The part of the runs that is what the design does, as far as the spec has it."""
        return 1 - self.count("exception") / len(self.runs) if self.runs else 0.0

    @property
    def passes(self) -> bool:
        """Whether every run was judged, and judged rightly."""
        faults = self.count("missed") + self.count("invented") + self.count("unjudged")
        as_known = self.known is None or self.wrong == self.known
        return bool(self.runs) and not faults and not self.unexplained and as_known and self.conforming >= ENOUGH


def words(line: Line) -> tuple[str, ...]:
    """A line of the table in words."""
    part = sum(run.covered not in ("", WHOLE) for run in line.runs)
    conforming = f"{line.conforming:.1%}" if any(run.covered for run in line.runs) else "-"
    raised = sum(bool(run.truth.raised) for run in line.runs)
    faults = (line.count("bad"), line.count("missed"), line.count("invented"), line.count("unjudged"))
    counts = map(str, (len(line.runs), line.wrong, *faults, raised))
    return (line.engine, line.kind, *counts, conforming, str(part))


def table(lines: list[Line]) -> str:
    """The lines below each other; numbers stand to the right."""
    rows = [HEAD, *map(words, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(aligned, row, widths, range(len(HEAD)))).rstrip() for row in rows)


def aligned(text: str, width: int, column: int) -> str:
    """A text in its column."""
    return text.ljust(width) if column < 2 else text.rjust(width)


def remarks(lines: list[Line]) -> Iterable[str]:
    """What has to be said of single runs: every disagreement, and every kind of exception once."""
    for line in lines:
        where = f"{line.engine} {line.kind}"
        for run in line.runs:
            for what in (run.missed, run.invented, run.unjudged):
                if what:
                    yield f"{where}, {run.truth.name}: {what}"
        for run in line.unexplained:
            yield f"{where}, {run.truth.name}: the story does not name {line.cause}"
        if line.known is not None and line.wrong != line.known:
            yield f"{where}: {line.wrong} runs are wrong, where {line.known} are known to be"
        yield from counted(where, "raises", (run.truth.raised for run in line.runs))
        yield from counted(where, "leaves its design at", (run.exception for run in line.runs))
        partly = (run.covered for run in line.runs if run.covered != WHOLE)
        yield from counted(where, "is compared with its design up to", partly)


def counted(where: str, what: str, texts: Iterable[str]) -> Iterable[str]:
    """Each kind once, with how often it came."""
    for text, count in Counter(text for text in texts if text).most_common():
        yield f"{where} {what} ({count} of the runs): {text}"
