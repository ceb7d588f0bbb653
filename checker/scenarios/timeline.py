"""The timeline that a played script gives: its prose, each step in its lane, and what is noted of the step below it."""

from __future__ import annotations

from checker.explain.lanes import DEVICE, Lanes, broken
from spec.design import Design
from spec.scope import Scope

WIDTH = 100
_LANES = Lanes(6, 54, WIDTH, tied=True)


class ScenarioTimeline:
    """Lines in the order in which they are written; prose after a step gives way to what is noted of that step."""

    def __init__(self, title: str, scope: Scope, design: Design) -> None:
        self._lines: list[str] = [f"scenario {title}"]
        self._noted = 0
        """Where the lines about the last step end; prose may follow."""
        self._report("scope    ", str(scope))
        self._report("design   ", f"{design.name}: {design.summary}")
        self._report("", "")
        self._write(_LANES.head())

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self._lines) + "\n"

    def prose(self, item: str) -> None:
        """Write a line of the story between the steps."""
        self._lines.append("" if item == "\n" else f"# {item}".rstrip())

    def step(self, number: str, lane: str, words: str) -> None:
        """Write what a step did into its lane."""
        self._write(*_LANES.rows(f"{number:>4}", **{"device" if lane == DEVICE else "cpu": words}))

    def note(self, mark: str, text: str, remark: str) -> None:
        """Note something of the last step, with a mark before it."""
        self._report(f"      {mark:<8}", f"{text}{': ' + remark if remark else ''}")

    def condition(self, line: str) -> None:
        """Write a line of the condition that the last step broke."""
        self._report(" " * 16 + line, "")

    def total(self, line: str) -> None:
        """End with a line about the whole."""
        self._lines += ["", line]

    def take_prose(self) -> list[str]:
        """Take away the prose behind the last step, so that more can be noted of it before `put_back`."""
        prose = self._lines[self._noted :]
        del self._lines[self._noted :]
        return prose

    def put_back(self, prose: list[str]) -> None:
        """Let prose follow that has been taken away."""
        self._lines += prose

    def _report(self, head: str, text: str) -> None:
        """Write lines about the last step: the text beside the head, broken where it is too long."""
        self._write(*(broken(text, WIDTH, head, tied=True) or [head.rstrip()]))

    def _write(self, *lines: str) -> None:
        self._lines += lines
        self._noted = len(self._lines)
