"""Which runs there are: releases, modes, and the workloads of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from tests.engines.sglang_on_cpu.drawn import KINDS, drawn
from tests.engines.sglang_on_cpu.enumerated import alone, chunked, overtaken
from tests.engines.sglang_on_cpu.workload import Workload

RELEASES: Final = ("0.5.17", "0.5.18", "0.5.23")
MODES: Final = ("eager", "lazy")
NEWEST: Final = RELEASES[-1]
SMALL_KINDS: Final = ("alone", "overtaken", "mixed", "chunked")
POINTER: Final = "flip-once"
LABEL: Final = "exact-label"
PAGED: Final = (NEWEST,)
"""Releases whose allocator of pages of several tokens runs on a CPU."""


@dataclass(frozen=True)
class Cell:
    """A line of the table: workloads of one kind on one engine."""

    release: str
    mode: str
    kind: str
    workloads: tuple[Workload, ...]
    known: int | None = None
    """How many of the runs are known to be wrong; the random ones are not counted beforehand."""
    cause: str = ""
    """The property that each story must name."""
    cured: bool = False
    """Whether the release has the changes that docs/findings.md proposes."""

    @property
    def engine(self) -> tuple[str, str, bool]:
        """Runs of one engine share its process."""
        return self.release, self.mode, self.cured


def all_cells(releases: Iterable[str], count: int, kinds: Iterable[str] = ()) -> list[Cell]:
    """So many random workloads of each kind on each engine, and all small ones on the newest; `kinds`: these only."""
    cells = [random_cell(*which, range(count)) for which in product(releases, MODES, KINDS)]
    if NEWEST in releases:
        cells += small_cells()
        cells += cured(count // 4)
    return [cell for cell in cells if not kinds or cell.kind in kinds]


def small_cells() -> list[Cell]:
    """The enumerated runs; in lazy mode, and with an end that can be foreseen, the same prompts are right."""
    return [
        Cell(NEWEST, "eager", "alone", tuple(alone("stop")), known=3, cause=POINTER),
        Cell(NEWEST, "lazy", "alone", tuple(alone("stop")), known=0),
        Cell(NEWEST, "eager", "overtaken", tuple(overtaken("stop")), known=6, cause=POINTER),
        Cell(NEWEST, "lazy", "overtaken", tuple(overtaken("stop")), known=0),
        Cell(NEWEST, "eager", "mixed", tuple(overtaken("stop", longest=29, mixed=True)), known=8, cause=POINTER),
        Cell(NEWEST, "lazy", "mixed", tuple(overtaken("stop", longest=29, mixed=True)), known=0),
        Cell(NEWEST, "eager", "chunked", tuple(chunked("length")), known=9, cause=LABEL),
        Cell(NEWEST, "lazy", "chunked", tuple(chunked("length")), known=9, cause=LABEL),
    ]


def cured(count: int) -> list[Cell]:
    """The same runs with the proposed changes: none is wrong. The first of the two is about eager mode only."""
    cells = [random_cell(NEWEST, mode, kind, range(count)) for mode, kind in product(MODES, KINDS)]
    small = [cell for cell in small_cells() if cell.known]
    return [replace(cell, cured=True, known=0) for cell in [*small, *cells]]


def quick_cells() -> list[Cell]:
    """A few dozen runs on the newest release, with one that is wrong for each of the faults that are known."""
    cells = [random_cell(NEWEST, mode, kind, range(5)) for mode, kind in product(MODES, KINDS)]
    few = tuple(run for run in alone("stop") if run.name in {f"alone-stop-{it}" for it in ("p7-n8", "p7-n9", "p15-n9")})
    mixed = tuple(run for run in overtaken("stop", 15, mixed=True) if run.name.startswith("mixed-stop-p9-n15"))
    pages = tuple(run for run in chunked("length") if "-p60-" in run.name)
    wrong = [
        Cell(NEWEST, "eager", "alone", few, known=2, cause=POINTER),
        Cell(NEWEST, "eager", "mixed", mixed, known=1, cause=POINTER),
        Cell(NEWEST, "eager", "chunked", pages, known=3, cause=LABEL),
    ]
    return [*cells, *wrong, *[replace(cell, cured=True, known=0) for cell in wrong]]


def random_cell(release: str, mode: str, kind: str, seeds: Iterable[int]) -> Cell:
    """Random workloads of one kind."""
    workloads = tuple(drawn(kind, seed, pages=release in PAGED) for seed in seeds)
    return Cell(release, mode, kind, workloads)
