"""Tables of results, as they are printed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from checker.command.console import say

WIDTH: Final = 110
"""Columns of a table where the output is no terminal."""


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table of results."""
    say(table_text(title, columns, rows))


def table_text(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of results as it is printed."""
    grid = Table(title=title, title_justify="left", box=None, pad_edge=False, title_style="bold")
    for column in columns:
        grid.add_column(column, overflow="fold", justify="right" if column in ("states", "steps", "s") else "left")
    for row in rows:
        grid.add_row(*[str(cell) for cell in row])
    printer = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False, soft_wrap=False)
    with printer.capture() as captured:
        printer.print(grid)
    return captured.get()
