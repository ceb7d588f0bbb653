"""How results reach a person or a machine: tables on stdout, progress on stderr."""

from __future__ import annotations

import importlib.metadata
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

EVERY = 10.0
"""Seconds after which a run whose stderr is no terminal says how far it is."""

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
    """Tells on stderr how far the work is: on a terminal in one line, elsewhere in a new line every ten seconds.

    Elsewhere is a file or a pipe, whose reader wants to know that something still happens, and whose short runs say
    nothing at all.
    """

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.started = time.monotonic()
        self.text = "at work"
        self.exploration: Any = None
        self._done = threading.Event()

    def __enter__(self) -> Progress:
        """Begin to speak."""
        if not self.terminal:
            threading.Thread(target=self._speak, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Say no more."""
        self.done()

    def __call__(self, exploration: Any, frontier: int) -> None:
        """Show one line for the level that a search has finished, or begins with."""
        self.exploration = exploration
        self._show(f"depth {exploration.depth}: {exploration.states:,} states, {frontier:,} new")

    def note(self, text: str) -> None:
        """Show what is going on."""
        self.exploration, self.text = None, text
        self._show(text)

    def done(self) -> None:
        """Clear the line."""
        self._done.set()
        self._show("", "\r")

    def _show(self, text: str, end: str = "") -> None:
        if self.terminal:
            print(f"\r{text:<70}", end=end, file=sys.stderr, flush=True)

    def _speak(self) -> None:
        while not self._done.wait(EVERY):
            seconds = time.monotonic() - self.started
            print(f"{seconds:.0f} s: {self._words(seconds)}", file=sys.stderr, flush=True)

    def _words(self, seconds: float) -> str:
        """Return what is going on; a search counts its steps also in the middle of a level."""
        found = self.exploration
        if found is None:
            return self.text
        rate = found.states / max(seconds, 1e-9)
        return f"depth {found.depth}: {found.states:,} states, {found.transitions:,} transitions, {rate:,.0f} states/s"
