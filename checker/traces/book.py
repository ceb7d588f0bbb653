"""The book of one trace, which only the judge writes: violations, hazards, and what was taken on trust."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from checker.traces.format import Header, Id
from checker.traces.lives import Life
from checker.traces.reading import BadTrace
from checker.traces.slots import Owner, Slot
from checker.traces.verdict import HARMFUL_IF, HARMFUL_OTHERWISE, Hazard, Problem, Violation

KEPT = 100
"""Violations and hazards beyond this many are counted, not kept: a long broken trace must fit in memory."""


class Book:
    """What has been found, in order; `line` and `event` are those that are being judged."""

    def __init__(self, header: Header, path: str) -> None:
        self.header = header
        self.path = path
        self.line = 1
        self.event = ""
        self.violations: list[Violation] = []
        self.hazards: list[Hazard] = []
        self.hidden_violations = self.hidden_hazards = 0
        self.unknown: Counter[str] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether further violations are only counted."""
        return len(self.violations) >= KEPT

    def error(self, reason: str) -> BadTrace:
        """The line refers to something that doesn't exist."""
        return BadTrace(self.path, self.line, reason)

    def bad(
        self,
        kind: str,
        message: str,
        slot: Slot | Id,
        who: Owner | None = None,
        label: int | None = None,
        root: int | None = None,
    ) -> int:
        """Add a violation; returns the line of its first cause, which is `root` if it follows from another one."""
        name = None if who is None else who.name
        found = Violation(self.line, self.event, name, None, label, kind, "nothing", message)
        if isinstance(slot, Slot):
            found.slot, found.holds = slot.id, slot.holds()
            root = slot.bad if root is None else root
            if root is None and not self.is_full:
                found.story = slot.story()
        else:
            found.slot = slot
        found.root = root
        if self.is_full:
            self.hidden_violations += 1
        else:
            self.violations.append(found)
        return self.line if root is None else root

    def hazard(self, request: str | None, problem: Problem, line: int = 0) -> Hazard:
        """Record a new hazard; the caller keeps it to heal it later."""
        harmful_if = HARMFUL_IF.get(problem.property, HARMFUL_OTHERWISE)
        hazard = Hazard(problem.property, line or self.line, request, problem.slot, problem.text, harmful_if)
        if len(self.hazards) < KEPT:
            self.hazards.append(hazard)
        else:
            self.hidden_hazards += 1
        return hazard

    def report(self, life: Life, *problems: Problem) -> None:
        """Hazards of one moment, which nothing can heal."""
        for problem in problems:
            self.hazard(life.name, problem)

    def sync(self, life: Life, scope: str, problems: Iterable[Problem], line: int = 0) -> None:
        """Make the open hazards whose key starts with `scope` those in `problems`: open new ones, heal the rest."""
        if not problems and not life.opened:
            return
        seen = {problem.key: problem for problem in problems}
        for key in [key for key in life.opened if key.startswith(scope) and key not in seen]:
            hazard = life.opened.pop(key)
            if hazard.harmful_at is None:
                hazard.healed_at = line or self.line
        for key, problem in seen.items():
            if key not in life.opened:
                life.opened[key] = self.hazard(life.name, problem)
