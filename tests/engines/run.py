"""Run shipped engines, and show that the judge says of every run what is true of it.

Usage: python -m tests.engines.run [--quick] [--workloads N] [--release V] [--kind K]     (`make engines`, QUICK=1)

`sglang_on_cpu` runs in the engine's process and knows what is true, `install` makes room for it, `cells` says which
runs there are, `play` has them recorded, `compare` puts truth and verdict beside each other, `table` prints that.
Traces of runs that are wrong, or about which the two differ, stay in `.engines/runs/`.

Exit code 1: the two differ, or a run has no verdict; 2: there is no engine to run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from checker.model.designs import design_class
from checker.traces.corpus import design_of
from spec.design import Design
from tests.engines.cells import KINDS, RELEASES, SMALL_KINDS, Cell, all_cells, quick_cells
from tests.engines.compare import Compared, compare
from tests.engines.findings import changed
from tests.engines.install import Unavailable, install, unpacked
from tests.engines.play import NotPlayed, Truth, played
from tests.engines.table import Line, remarks, table

WORKERS = 2
T = TypeVar("T")


def main(arguments: list[str]) -> int:
    """Everything from the download to the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines.run")
    parser.add_argument("--quick", action="store_true", help="one release, a few dozen runs")
    parser.add_argument("--workloads", type=int, default=200, help="random workloads of each kind on each engine")
    parser.add_argument("--release", action="append", choices=RELEASES, help="this one only")
    parser.add_argument("--kind", action="append", choices=SMALL_KINDS + tuple(KINDS), help="runs of this kind only")
    asked = parser.parse_args(arguments)
    cells = (
        quick_cells() if asked.quick else all_cells(tuple(asked.release or RELEASES), asked.workloads, asked.kind or ())
    )
    begun = time.monotonic()
    try:
        cured = [cell.release for cell in cells if cell.cured]
        install(unique(cell.release for cell in cells), unique(cured))
        installed = time.monotonic()
        lines = run(cells)
        moved = list(changed({cell.release for cell in cells}))
    except (Unavailable, NotPlayed) as error:
        print(error, file=sys.stderr)
        return 2
    print(table(lines))
    for remark in [*remarks(lines), *moved]:
        print(remark)
    runs, seconds = sum(len(line.runs) for line in lines), time.monotonic() - installed
    passed = bool(lines) and not moved and all(line.passes for line in lines)
    said = "the judge says of every run what is true of it" if passed else "not shown: see the remarks above"
    print(f"{runs} runs, {installed - begun:.0f} s to install, {seconds:.0f} s to run and judge: {said}")
    return 0 if passed else 1


def run(cells: list[Cell]) -> list[Line]:
    """Play and judge all cells; those of one release and mode share a process of the engine."""
    groups = [[cell for cell in cells if cell.engine == engine] for engine in unique(cell.engine for cell in cells)]
    with ProcessPoolExecutor(WORKERS) as workers:
        return [line for lines in workers.map(judged, groups) for line in lines]


def unique(things: Iterable[T]) -> list[T]:
    """Each once, in their order."""
    return list(dict.fromkeys(things))


def judged(cells: list[Cell]) -> list[Line]:
    """Play the cells of one engine, and compare each run with its verdict."""
    release, mode, cured = cells[0].engine
    # With the proposed changes it follows no release's design.
    design = None if cured else design_class(design_of(f"sglang-{release}-{mode}"))
    truths, traces = played(unpacked(release, cured), mode, [workload for cell in cells for workload in cell.workloads])
    found = iter([compared_and_kept(truth, trace, design) for truth, trace in zip(truths, traces, strict=True)])
    engine = f"sglang {release} {mode}{' cured' * cured}"
    return [Line(engine, cell.kind, cell.known, cell.cause, [next(found) for _ in cell.workloads]) for cell in cells]


def compared_and_kept(truth: Truth, trace: Path, design: type[Design] | None) -> Compared:
    """Compare a run; a trace that nobody will ask for goes."""
    result = compare(truth, trace, design)
    if not (result.bad or result.missed or result.invented or result.unjudged or result.exception):
        trace.unlink()
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
