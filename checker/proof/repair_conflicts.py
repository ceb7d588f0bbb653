"""Conflicts: which known runs refute a candidate for a repair, and which changes could make them go well."""

from __future__ import annotations

from dataclasses import dataclass

import spec.model
from checker.model.model import Arguments, Model
from checker.model.replay import Replay
from checker.proof.repair_changes import DECISIONS, Change, Changes, Decision, alternatives, changed
from checker.search.check import taken
from spec.design import Design
from spec.language import Violated
from spec.scope import Scope


@dataclass(frozen=True, slots=True)
class ConflictRun:
    """A run that violates a property under some candidate, in some scope."""

    scope: str
    property: str
    steps: tuple[tuple[str, Arguments], ...]


class Conflicts:
    """Replays known runs under candidates, and finds which single changes answer something on the way differently."""

    def __init__(self, base: type[Design]) -> None:
        self.base = base
        self.alternatives = alternatives(base)
        self.runs: list[ConflictRun] = []
        self.models: dict[str, Model] = {}

    def of(self, candidate: Changes) -> set[Change] | None:
        """Return the smallest set of changes of which a repair needs one; None: no known run refutes the candidate."""
        best: set[Change] | None = None
        for place, run in enumerate(self.runs):
            found = self.conflict(candidate, run)
            if found is not None:
                if best is None:
                    # A run that refutes one candidate is likely to refute the next.
                    self.runs.insert(0, self.runs.pop(place))
                best = found if best is None or len(found) < len(best) else best
                if len(best) <= 1:
                    break
        return best

    def conflict(self, candidate: Changes, run: ConflictRun) -> set[Change] | None:
        """Return the changes that could make this run go well; None: it does not violate its property."""
        if run.scope not in self.models:
            self.models[run.scope] = Model(spec.model, Scope.parse(run.scope))
        model = self.models[run.scope]
        differing: set[Change] = set()
        model.context = self._watched(candidate, model.scope, differing)
        return differing if violates(model, run) else None

    def _watched(self, candidate: Changes, scope: Scope, differing: set[Change]) -> Design:
        """Return the candidate as a design that notes which changes would answer a question differently."""
        plain = changed(self.base, candidate)
        fixed = {change.decision for change in candidate}
        free = [change for change in self.alternatives if change.decision not in fixed]
        namespace: dict[str, Decision] = {}
        for decision in DECISIONS:
            trials = []
            for change in free:
                if change.decision == decision:
                    asked = change.function.__code__.co_names
                    within = [other for other in free if other.decision in asked and other.decision != decision]
                    trials += [
                        (change, changed(plain, [change, *with_])(scope)) for with_ in ([], *([o] for o in within))
                    ]
            namespace[decision] = _watch(decision, plain, trials, differing)
        watched: type[Design] = type("Watched", (plain,), namespace)
        return watched(scope)


def _watch(decision: str, plain: type[Design], trials: list[tuple[Change, Design]], differing: set[Change]) -> Decision:
    usual: Decision = getattr(plain, decision)

    def asked(self: Design, *arguments: object) -> int:
        answer = usual(self, *arguments)
        for change, other in trials:
            if change not in differing and _answer(other, decision, arguments) != answer:
                differing.add(change)
        return answer

    return asked


def _answer(design: Design, decision: str, arguments: tuple[object, ...]) -> int | str:
    asked: Decision = getattr(design, decision)
    try:
        return asked(*arguments)
    except Violated as violation:
        return violation.name


def violates(model: Model, run: ConflictRun) -> bool:
    """Whether a run, as far as it can be taken, ends in a violation of its property."""
    replay = Replay(model, taken(model, run.steps))
    if replay.failure is not None:
        return isinstance(replay.failure, Violated)
    try:
        return any(not replay.holds(stated) for stated in model.properties if stated.name == run.property)
    except Violated:
        return True
