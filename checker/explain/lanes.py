"""The two lanes in which a run is laid out: what the CPU does, and further right what the device does.

Stories of counterexamples, timelines of scenarios and histories of slots are all laid out here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CPU: Final = "CPU"
DEVICE: Final = "device"
_NUMBER: Final = "step"
_CHANGES: Final = "slots, where they change"
_TIED: Final = "\N{NO-BREAK SPACE}"
"""Stands for a blank at which a line is not to be broken."""


def broken(text: str, width: int, head: str = "", hanging: int = 2, tied: bool = False) -> list[str]:
    """Break a text into lines of at most `width` characters, the first of which begins with a head.

    hanging: how much further in than the text the lines after the first begin; tied: not at ` = ` and ` -> `.
    """
    if tied:
        for sign in (" = ", " -> "):
            text = text.replace(sign, sign.replace(" ", _TIED))
    indent = " " * (len(head) + hanging)
    lines = textwrap.wrap(text, width, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(_TIED, " ") for line in lines] if tied else lines


@dataclass(frozen=True, slots=True)
class Lanes:
    """The columns at which the two lanes begin, and the one before which their texts are broken."""

    cpu: int
    device: int
    end: int | None = None
    """None: a text is never broken."""
    border: str = ""
    """What stands right before the lane of the device."""
    tied: bool = False
    """Whether a line is not broken at ` = ` and ` -> `."""

    def head(self, number: str = _NUMBER) -> str:
        """Return the line above all others, which names the lanes."""
        return self.rows(number, CPU, DEVICE)[0]

    def rows(self, number: str, cpu: str = "", device: str = "") -> list[str]:
        """Return the lines of one step; what the CPU does may reach below the other lane where this has nothing."""
        left = self._broken(cpu, self.cpu, self.device - len(self.border) if device else self.end)
        right = self._broken(device, self.device, self.end)
        rows = []
        for line in range(max(len(left), len(right), 1)):
            row = f"{number if line == 0 else '':{self.cpu}}{left[line] if line < len(left) else ''}"
            if right or self.border:
                before = self.device - len(self.border)
                row = f"{row:{before}}{self.border}{right[line] if line < len(right) else ''}"
            rows.append(row.rstrip())
        return rows

    def _broken(self, text: str, start: int, end: int | None) -> list[str]:
        if self.end is None or end is None:
            return [text] if text else []
        return broken(text, end - start, tied=self.tied)


@dataclass(frozen=True, slots=True)
class LaneEntry:
    """One step: its number from 1, its lane, the words, and the slots that matter as they are after it."""

    number: int
    lane: str
    words: str
    slots: tuple[str, ...] = ()


def timeline(entries: Sequence[LaneEntry], width: int) -> list[str]:
    """Lay steps out in lines of at most `width` characters: number, both lanes, and the slots that have changed."""
    right = max((len(cell) for entry in entries for cell in entry.slots), default=0)
    right = min(max(right, len(_CHANGES)), width // 3) if right else 0
    end = width - (right + 2 if right else 0)
    lanes = Lanes(6, 6 + (end - 6) // 2, end)
    out = [f"{lanes.head():{end}}  {_CHANGES if right else ''}".rstrip()]
    shown: tuple[str, ...] = ()
    for entry in entries:
        rows = lanes.rows(f"{entry.number:4}", **{"device" if entry.lane == DEVICE else "cpu": entry.words})
        cells = [
            part
            for place, cell in enumerate(entry.slots)
            if place >= len(shown) or shown[place] != cell
            for part in broken(cell, max(right, 1), hanging=3)
        ]
        shown = entry.slots or shown
        for line in range(max(len(rows), len(cells))):
            row = rows[line] if line < len(rows) else ""
            out.append(f"{row:{end}}  {cells[line] if line < len(cells) else ''}".rstrip())
    return out
