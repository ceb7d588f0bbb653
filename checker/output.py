"""How results reach a person or a machine: tables on stdout, progress on stderr, exit codes."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

SHOWN, VIOLATED, USAGE, INCONCLUSIVE, INTERNAL = 0, 1, 2, 3, 70
"""Exit codes: shown; violated, survived or vacuous; bad input; unknown or cut short; an error of our own."""

WIDTH = 110
"""Columns of a table where the output is no terminal."""


def console() -> Console:
    """Return the console of results."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False, soft_wrap=False)


def say(text: str) -> None:
    """Print a line or a text of results, as it is."""
    print(text)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table of results."""
    grid = Table(title=title, title_justify="left", box=None, pad_edge=False, title_style="bold")
    for column in columns:
        grid.add_column(column, overflow="fold", justify="right" if column in ("states", "steps", "s") else "left")
    for row in rows:
        grid.add_row(*[str(cell) for cell in row])
    console().print(grid)
    print()


def version() -> str:
    """Return which version this is."""
    try:
        return f"slotproof {importlib.metadata.version('slotproof')}"
    except importlib.metadata.PackageNotFoundError:
        return "slotproof, not installed: run from a folder of its source"


def emit(data: Any) -> None:
    """Print data as one JSON object, for machines."""
    print(msgspec.json.format(msgspec.json.encode(data), indent=2).decode())


class Progress:
    """Tells on stderr, and only on a terminal, how far a search is."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty()

    def __call__(self, exploration: Any, frontier: int) -> None:
        """Show one line for the level that a search has finished."""
        if self.on:
            line = f"depth {exploration.depth}: {exploration.states:,} states, {frontier:,} new"
            print(f"\r{line:<70}", end="", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Show what is going on."""
        if self.on:
            print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clear the line."""
        if self.on:
            print(f"\r{'':<70}\r", end="", file=sys.stderr, flush=True)
