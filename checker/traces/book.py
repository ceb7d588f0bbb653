"""The book of one trace, which only the judge writes: violations, hazards, and what was taken on trust."""

from __future__ import annotations

from collections import Counter

from checker.traces.verdict import HARMFUL_IF, HARMFUL_OTHERWISE, Hazard, Problem, Violation

KEPT = 100
"""Violations and hazards beyond this many are counted, not kept: a long broken trace must fit in memory."""

Opened = dict[str, Hazard]
"""The hazards of a request that are open, by key."""


class Book:
    """What has been found, in order."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.hazards: list[Hazard] = []
        self.hidden_violations = self.hidden_hazards = 0
        self.unknown: Counter[str] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether further violations are only counted."""
        return len(self.violations) >= KEPT

    def add(self, violation: Violation) -> int:
        """Keep a violation; returns the line of its first cause."""
        if self.is_full:
            self.hidden_violations += 1
        else:
            self.violations.append(violation)
        return violation.line if violation.root is None else violation.root

    def open(self, line: int, request: str | None, problem: Problem) -> Hazard:
        """Record a new hazard; the caller keeps it to heal it later."""
        harmful_if = HARMFUL_IF.get(problem.property, HARMFUL_OTHERWISE)
        hazard = Hazard(problem.property, line, request, problem.slot, problem.text, harmful_if)
        if len(self.hazards) < KEPT:
            self.hazards.append(hazard)
        else:
            self.hidden_hazards += 1
        return hazard

    def sync(self, line: int, request: str, opened: Opened, scope: str, problems: list[Problem]) -> None:
        """Make the open hazards whose key starts with `scope` those in `problems`: open new ones, heal the rest."""
        seen = {problem.key: problem for problem in problems}
        for key in [key for key in opened if key.startswith(scope) and key not in seen]:
            hazard = opened.pop(key)
            if hazard.harmful_at is None:
                hazard.healed_at = line
        for key, problem in seen.items():
            if key not in opened:
                opened[key] = self.open(line, request, problem)
