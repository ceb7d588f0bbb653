"""Repair: the smallest change of decisions, taken from the other known designs, that makes a failing design hold.

A counterexample is a conflict: whoever answers every question on its way as the design did fails in the same way. So
only changes that answer one of them differently are tried, fewest first, and no smaller repair is passed over.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import spec.model
from checker.deadline import Deadline
from checker.model.designs import design_class
from checker.model.known_designs import DESIGNS
from checker.model.model import Model
from checker.model.user_files import BadModel
from checker.proof.repair_changes import Changes, changed, text_of
from checker.proof.repair_conflicts import ConflictRun, Conflicts
from checker.proof.repair_lemmas import Standing, stand
from checker.search.bfs import Search
from checker.search.check import Check, stored
from checker.search.exploration import Limits
from checker.search.perform import run_all
from checker.search.suite import STORY_SCOPE, ours
from spec.scope import Scope

MOST_STATES = 300_000
"""States after which the search of a candidate in the story's scope is given up."""

_NONE_LEFT = "every combination of known decisions fails"


@dataclass(slots=True)
class Repair:
    """What was found, and what was shown of it."""

    design: str
    mode: str
    found: Changes | None = None
    """None: none within the limit; no change: the design holds as it is."""
    text: str = ""
    """The repaired design as a file for `--design`."""
    tried: int = 0
    """Candidates that were searched."""
    refuted: int = 0
    """Candidates that a known run refuted without a search."""
    scopes: list[str] = field(default_factory=list)
    """Scopes in which the repair holds, by complete search."""
    unseen: list[str] = field(default_factory=list)
    """What should be seen somewhere and is in no scope."""
    standing: Standing | None = None
    nearly: dict[Changes, str] = field(default_factory=dict)
    """Changes that hold in the story's scope, and what they violate in a larger one."""
    others: list[Changes] = field(default_factory=list)
    """Other repairs of the same size, by search in the story's scope alone."""
    limit: str = ""
    """Why the search for a repair ended without one, or what was left out after one had been found."""
    cut: bool = False
    """Whether that is because the time was over."""
    seconds: float = 0.0


def larger_scopes(mode: str) -> list[str]:
    """Return the scopes of a mode in which our own design must hold, of those with two requests the smaller ones."""
    kept = [*ours(True), *(each for each in ours(False) if "requests=1" in each.scope)]
    return list(dict.fromkeys(each.scope for each in kept if f"mode={mode}" in each.scope))


class Repairer:
    """One search for a repair."""

    def __init__(
        self, name: str, mode: str, seconds: float, note: Callable[[str], None], last_resort: bool = False
    ) -> None:
        self.base = design_class(name)
        self.result = Repair(name, mode)
        self.conflicts = Conflicts(self.base)
        self.clock = Deadline(seconds, last_resort)
        self.note = note

    def search(self, changes: Changes) -> bool:
        """Search the story's scope under a candidate, and remember every run that violates something."""
        scope = Scope.parse(f"{STORY_SCOPE} mode={self.result.mode}")
        design = changed(self.base, changes)
        found = Search(Model(spec.model, scope, design(scope)), until=None).run(
            Limits(MOST_STATES, self.clock.at_most(30.0))
        )
        self.result.tried += 1
        for name, each in found.counterexamples.items():
            self.conflicts.runs.insert(0, ConflictRun(str(scope), name, tuple(stored(each.steps))))
        return found.complete and not found.counterexamples

    def larger(self, changes: Changes) -> bool:
        """Search the scopes in which our own design must hold under a candidate, those with one request first."""
        scopes = larger_scopes(self.result.mode)
        self.result.scopes = [f"{STORY_SCOPE} mode={self.result.mode}"]
        seen: set[str] = set()
        unseen: set[str] = set()
        with tempfile.TemporaryDirectory() as folder:
            design = self.result.design
            if changes:
                file = Path(folder) / "repaired.py"
                file.write_text(text_of(design, self.base, changes), encoding="utf-8")
                design = str(file)
            for requests in ("requests=1", "requests=2"):
                checks = [Check(scope, design=design) for scope in scopes if requests in scope]
                for outcome in run_all(checks):
                    seen.update(outcome.exploration.seen)
                    unseen.update(outcome.exploration.unseen)
                    self.result.scopes.append(outcome.check.scope)
                    for name, steps in outcome.steps.items():
                        self.conflicts.runs.insert(0, ConflictRun(outcome.scope, name, tuple(steps)))
                        self.result.nearly.setdefault(changes, f"{name} after {len(steps)} in {outcome.check.scope}")
                if changes in self.result.nearly:
                    return False
        self.result.unseen = sorted(unseen - seen)
        return True

    def run(self, prove: bool) -> Repair:
        """Look for the smallest repair, level by level; the first that holds in the larger scopes is proved."""
        started = time.perf_counter()
        result = self.result
        with self.clock:
            level: list[Changes] = [frozenset()]
            while level and result.found is None and not result.limit:
                level = self._level(level)
            if result.found is not None and prove:
                self.note("proving")
                result.standing = stand(changed(self.base, result.found), result.mode)
        result.cut = result.cut or self.clock.cut
        if result.found is None:
            result.limit = result.limit or ("the time is used up" if result.cut else _NONE_LEFT)
            result.scopes = []
        else:
            result.text = text_of(self.base.name, self.base, result.found) if result.found else ""
            if result.cut and prove and result.standing is None:
                result.limit = "the time was used up before it was asked whether it can be proved"
        result.seconds = time.perf_counter() - started
        return result

    def _level(self, level: list[Changes]) -> list[Changes]:
        """Judge all candidates of one size; return those with one change more that are worth trying."""
        following: dict[Changes, None] = {}
        for number, candidate in enumerate(level):
            self.note(f"{len(candidate)} changes: {number} of {len(level)}, {self.result.tried} searched")
            if self.clock.over:
                self.result.cut = True
                self.result.limit = f"the time is used up among candidates with {len(candidate)} changes"
                return []
            conflict = self.conflicts.of(candidate)
            if conflict is not None:
                self.result.refuted += 1
            elif self.search(candidate) and (self.result.found is not None or self.larger(candidate)):
                if self.result.found is None:
                    self.result.found = candidate
                else:
                    self.result.others.append(candidate)
                continue
            else:
                conflict = self.conflicts.of(candidate) or set(self.conflicts.alternatives)
            if self.result.found is None:
                taken_over = {change.decision for change in candidate}
                following |= {candidate | {each}: None for each in conflict if each.decision not in taken_over}
        return list(following)


def repair(
    name: str,
    mode: str,
    seconds: float = 300.0,
    prove: bool = True,
    note: Callable[[str], None] = lambda text: None,
    last_resort: bool = False,
) -> Repair:
    """Look for the smallest repair of a known design in a mode; raises BadModel for any other, BadScope for a mode."""
    if name not in DESIGNS:
        raise BadModel(f"design {name!r} is not a known one; write one of {', '.join(DESIGNS)}")
    return Repairer(name, mode, seconds, note, last_resort).run(prove)
