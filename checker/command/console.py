"""How results reach a person or a machine: text on stdout, progress on stderr."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from checker.search.exploration import Exploration

EVERY = 10.0
"""Seconds after which a run whose stderr is no terminal says how far it is."""


def printable(text: str) -> str:
    """Return a text of somebody else's in one line, with whatever could move a cursor or hide itself spelled out.

    Names in a trace, and its engine's, may hold any character.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def say(text: str) -> None:
    """Print a line or a text of results, as it is."""
    print(text)


def complain(error: Exception | str) -> None:
    """Say in one line on stderr what is wrong with the input."""
    print(f"slotproof: {printable(str(error))}", file=sys.stderr)


def say_all(texts: Iterable[str]) -> None:
    """Print lines and texts of results, each as soon as it is there."""
    for text in texts:
        say(text)


def version() -> str:
    """Return which version this is."""
    import importlib.metadata  # noqa: PLC0415 (only this needs it, and every command starts here)

    try:
        return f"slotproof {importlib.metadata.version('slotproof')}"
    except importlib.metadata.PackageNotFoundError:
        return "slotproof, not installed: run from a folder of its source"


def emit(data: object) -> None:
    """Print data as one JSON object, for machines; what a terminal would act on is escaped, as JSON allows."""
    text = msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
    print("".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text))


Result = TypeVar("Result")
Shown_contra = TypeVar("Shown_contra", contravariant=True)


class Report(Protocol[Shown_contra]):
    """What each file of command/report/ has to say of one kind of result."""

    def exit_code(self, result: Shown_contra, /) -> int:
        """Return the exit code of the command."""

    def data(self, result: Shown_contra, /) -> object:
        """Return the result for a machine."""

    def lines(self, result: Shown_contra, /) -> Iterable[str]:
        """Return the result for a person, line by line."""

    def show(self, result: Shown_contra, /) -> None:
        """Print the result for a person."""


def deliver(report: Report[Result], result: Result, as_json: bool) -> int:
    """Hand a result to a machine or to a person, and return the exit code."""
    if as_json:
        emit(report.data(result))
    else:
        report.show(result)
    return report.exit_code(result)


class Progress:
    """Tells on stderr how far the work is: on a terminal in one line, elsewhere in a new line every ten seconds.

    Elsewhere is a file or a pipe, whose reader wants to know that something still happens, and whose short runs say
    nothing at all.
    """

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.started = time.monotonic()
        self.text = "at work"
        self.exploration: Exploration | None = None
        self._done = threading.Event()

    def __enter__(self) -> Progress:
        """Begin to speak."""
        if not self.terminal:
            threading.Thread(target=self._speak, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Say no more."""
        self.done()

    def __call__(self, exploration: Exploration, frontier: int) -> None:
        """Show one line for the level that a search has finished, or begins with."""
        self.exploration = exploration
        self._show(f"depth {exploration.depth}: {exploration.states:,} states, {frontier:,} new")

    def note(self, text: str) -> None:
        """Show what is going on."""
        self.exploration, self.text = None, text
        self._show(text)

    def clear(self) -> None:
        """Clear the line."""
        self._show("", "\r")

    def done(self) -> None:
        """Clear the line, and say no more."""
        self._done.set()
        self.clear()

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
