"""Scenarios: readable scripts that run against the spec, one command a line.

    scenario A label that overtakes its state
    scope requests=1 slots=5 nodes=2 mode=eager
    design merged-29792

    # Comments are the story's prose and stay in the timeline.
    admit r1 prompt 3
    prepare r1
    device
    process
    expect cached slot 1 as A@2
    refused: evict slot 0

`read` reads a file up to a line `---`; below it a file may keep the timeline that `play` is expected to give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from checker.model.known_designs import DESIGNS
from checker.scenarios.commands import Command
from checker.scenarios.expectations import Expectation, read_expectation
from checker.scenarios.line import BadScenario, Line
from checker.scenarios.play import Failure, Played, Player
from checker.scenarios.read_command import read_command
from checker.scenarios.spelling import nearest
from spec.design import Design
from spec.scope import LAZY, BadScope, Scope

__all__ = ["BadScenario", "Failure", "Played", "Scenario", "play", "read"]

GOLDEN = "---"
"""The line between a script and the timeline that it is expected to give."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that has been read: its header, and commands, expectations and prose (plain text) in order."""

    path: str
    title: str
    scope: Scope
    design: str
    items: tuple[Command | Expectation | str, ...]
    golden: str | None
    """The timeline kept below the script; None: the file keeps none."""


def play(scenario: Scenario, design: Callable[[Scope], Design] | None = None) -> Played:
    """Play a scenario under its own design or the one given; raises BadScenario where a step may not happen."""
    chosen = (design or DESIGNS[scenario.design])(scenario.scope)
    return Player(scenario.title, scenario.scope, chosen).play(scenario.items)


def read(path: str | PathLike[str]) -> Scenario:
    """Read a scenario file; raises BadScenario with line and column."""
    name = fspath(path)
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BadScenario(name, 1, 1, f"cannot read the file ({reason}); write the path of a script") from error
    lines = text.splitlines()
    cut = lines.index(GOLDEN) if GOLDEN in lines else len(lines)
    reader = _Reader(name)
    for number, line in enumerate(lines[:cut], 1):
        reader.line(Line(name, number, line))
    golden = "\n".join(lines[cut + 1 :]) + "\n" if cut < len(lines) else None
    return reader.scenario(golden)


class _Reader:
    """Reads line by line: first the header, then the steps."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.header: dict[str, str] = {}
        self.scope: Scope | None = None
        self.items: list[Command | Expectation | str] = []
        self.commands = 0
        self.end = 1

    def line(self, line: Line) -> None:
        """Read one line: a comment, a header line, an expectation or a command."""
        self.end = line.number
        word = line.peek()
        if word in {"scenario", "scope", "design"}:
            self._header(line, word)
        elif word:
            self._step(line, word)
        if line.comment is not None:
            self.items.append(line.comment)
        elif not line.text and self.items and self.items[-1] != "\n":
            self.items.append("\n")

    def _header(self, line: Line, word: str) -> None:
        if word in self.header:
            raise line.error(f"{word!r} is given twice; write one such line")
        if self.commands:
            raise line.error(f"{word!r} belongs to the head of the script; write it before the first command")
        line.take("")
        column = line.column
        examples = {
            "scenario": "a title",
            "scope": "what the check covers, for example requests=1 slots=5",
            "design": "the name of a design, for example merged-29792",
        }
        if line.done():
            raise line.error(f"the line ends too early; write {examples[word]}")
        self.header[word] = line.rest()
        if word == "scope":
            self._scope(line, column)
        if word == "design" and self.header[word] not in DESIGNS:
            name = self.header[word]
            raise line.error(f"{name!r} is no design; write {nearest(name, DESIGNS)}", column)

    def _scope(self, line: Line, column: int) -> None:
        """Read the scope word by word, so that an error points at the word; what contradicts itself, at the first."""
        for word in line.words[1:]:
            try:
                Scope.parse(word.text, Scope(slots=64, mode=LAZY))
            except BadScope as error:
                raise line.error(str(error), word.column) from error
        try:
            self.scope = Scope.parse(self.header["scope"])
        except BadScope as error:
            raise line.error(str(error), column) from error

    def _step(self, line: Line, word: str) -> None:
        if "scenario" not in self.header:
            raise line.error("a script begins with a line that names it; write: scenario and a title")
        if self.scope is None:
            raise line.error("a command needs a scope; write before it for example: scope requests=1 slots=5")
        if word == "expect":
            if not self.commands:
                raise line.error("there is no step yet to expect something of; write a command before it")
            self.items.append(read_expectation(line, self.scope))
        else:
            self.items.append(read_command(line, self.scope))
            self.commands += 1

    def scenario(self, golden: str | None) -> Scenario:
        """Return what has been read."""
        if self.scope is None or "scenario" not in self.header or not self.commands:
            lacking = "a line `scenario` with a title, one with the scope, and at least one command"
            raise BadScenario(self.path, self.end, 1, f"the script ends too early; write {lacking}")
        title, design = self.header["scenario"], self.header.get("design", Design.name)
        while self.items and self.items[-1] == "\n":
            self.items.pop()
        return Scenario(self.path, title, self.scope, design, tuple(self.items), golden)
