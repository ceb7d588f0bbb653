"""The ring-size theorem as tables, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.tables import table_text
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED, worst
from checker.proof.ring_search import RingCell, Table
from checker.proof.ring_theorem import CLAIMS


def cell_text(cell: RingCell) -> str:
    """Say what a cell shows, in two short lines."""
    ring = cell.enough.task.ring
    if cell.enough.broken:
        name, steps = next(iter(cell.enough.broken.items()))
        lines = [f"{ring} NOT ENOUGH: {name} after {steps}"]
    elif not cell.enough.complete:
        lines = [f"{ring}: search cut short"]
    elif cell.proof is None or cell.proof.unproved:
        lines = [f"{ring} enough, searched"]
    else:
        lines = [f"{ring} enough, proved"]
    if cell.fewer is None:
        lines.append("0 is no ring")
    elif cell.fewer.broken:
        name, steps = next(iter(cell.fewer.broken.items()))
        lines.append(f"{ring - 1}: {name} {steps}")
    else:
        lines.append(f"{ring - 1} " + ("ENOUGH TOO" if cell.fewer.complete else "cut short"))
    return "\n".join(lines)


def exit_code(result: Table) -> int:
    """Return 0 where every cell shows what the theorem says, 1 where one shows the contrary, else 3."""
    return worst(cell_code(cell) for cells in result.values() for cell in cells.values())


def cell_code(cell: RingCell) -> int:
    """Return the exit code that one cell alone would give."""
    wrong = cell.enough.broken or (cell.fewer and cell.fewer.complete and not cell.fewer.broken)
    if wrong:
        return VIOLATED
    searched = cell.enough.complete and (cell.fewer is None or cell.fewer.broken)
    return SHOWN if searched and (cell.proof is None or not cell.proof.unproved) else INCONCLUSIVE


def data(result: Table) -> list[dict[str, object]]:
    """Return the table for a machine, one entry a cell."""
    return [
        {
            "claim": name,
            "lookahead": ahead,
            "interval": every,
            "ring": cell.enough.task.ring,
            "scope": cell.enough.scope,
            "states": cell.enough.states,
            "enough": cell.enough.complete and not cell.enough.broken,
            "broken": cell.enough.broken,
            "one fewer": cell.fewer.broken if cell.fewer else None,
            "one fewer steps": cell.fewer.steps if cell.fewer else None,
            "proved": None if cell.proof is None else not cell.proof.unproved,
            "unproved": cell.proof.unproved if cell.proof else [],
        }
        for name, cells in result.items()
        for (ahead, every), cell in cells.items()
    ]


def lines(result: Table) -> Iterator[str]:
    """Return the theorem as tables: the bound and how it is known to be enough; what one fewer violates, in steps."""
    both = "by induction for every length, and by complete search up to 2K + L + 2 tokens"
    yield f"Ring size. `N enough, proved`: {both}."
    fewer = "Second line: one position fewer, what it violates, steps of the run."
    yield f"`N enough, searched`: only that search. {fewer}\n"
    for claim in CLAIMS:
        cells = result[claim.name]
        intervals = sorted({every for _, every in cells})
        rows = [
            [f"L={ahead}", *[cell_text(cells[ahead, every]) for every in intervals]]
            for ahead in sorted({ahead for ahead, _ in cells})
        ]
        yield table_text(claim.sentence, ("", *[f"K={every}" for every in intervals]), rows)
    for name, cells in result.items():
        for (ahead, every), cell in sorted(cells.items()):
            for missing in cell.proof.unproved if cell.proof else []:
                yield f"not proved: {name}, L={ahead}, K={every}: {missing}"
    every_cell = [cell for cells in result.values() for cell in cells.values()]
    states = sum(cell.enough.states for cell in every_cell)
    proved = sum(cell.proof is not None and not cell.proof.unproved for cell in every_cell)
    yield f"{len(every_cell)} cells, {proved} proved for every length, {states:,} states searched completely"


def show(result: Table) -> None:
    """Print the theorem."""
    say_all(lines(result))
