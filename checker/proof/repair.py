"""Repair: the smallest change of decisions, taken from the other known designs, that makes a failing design hold.

A counterexample is a conflict: whoever answers every question on its way as the design did fails in the same way. So
only changes that answer one of them differently are tried, fewest first, and no smaller repair is passed over.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import spec.model
from checker.deadline import Deadline
from checker.model.designs import design_class
from checker.model.known_designs import DESIGNS
from checker.model.model import Arguments, Model, Taken
from checker.model.user_files import BadModel
from checker.proof.repair_lemmas import Standing, stand
from checker.search.bfs import Limits, Search
from checker.search.check import Check, run_all, stored, taken
from checker.search.suite import STORY_SCOPE, ours
from spec.design import Design
from spec.language import Disabled, Violated
from spec.scope import Scope

DECISIONS = tuple(name for name in vars(Design) if not name.startswith("_") and callable(getattr(Design, name)))
"""The names of all decisions."""

Decision = Callable[..., int]
"""What a design answers with a number, yes or no."""

MOST_STATES = 300_000
"""States after which the search of a candidate in the story's scope is given up."""


@dataclass(frozen=True, slots=True)
class Change:
    """Take one decision as another design does."""

    decision: str
    design: str
    """The known design whose answer it is."""

    @property
    def function(self) -> Decision:
        """The decision itself."""
        found: Decision = getattr(DESIGNS[self.design], self.decision)
        return found


Changes = frozenset[Change]
_NONE_LEFT = "every combination of known decisions fails"


@dataclass(frozen=True, slots=True)
class Run:
    """A run that violates a property under some candidate, in some scope."""

    scope: str
    property: str
    steps: tuple[tuple[str, Arguments], ...]


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


def alternatives(base: type[Design]) -> list[Change]:
    """Return every decision that some known design takes differently from `base`, once for each different answer.

    A decision that asks its own parent class can't be taken out of it, so it is left out.
    """
    found: dict[tuple[str, Decision], Change] = {}
    for decision in DECISIONS:
        for name, design in DESIGNS.items():
            function = getattr(design, decision)
            bound = "__class__" in function.__code__.co_freevars
            if function is not getattr(base, decision) and not bound:
                found.setdefault((decision, function), Change(decision, name))
    return list(found.values())


def changed(base: type[Design], changes: Iterable[Change], name: str = "repaired") -> type[Design]:
    """Return the design with some decisions replaced."""
    return type("Repaired", (base,), {"name": name, **{change.decision: change.function for change in changes}})


def text_of(name: str, base: type[Design], changes: Changes) -> str:
    """Return the repaired design as a Python file that `--design` takes."""
    wanted = sorted(changes, key=lambda change: DECISIONS.index(change.decision))
    classes = {DESIGNS[change.design] for change in wanted} | {base}
    known = sorted(each.__name__ for each in classes if each is not Design)
    lines = ['"""' + f"{name}, with {count(changes)} taken from another design." + '"""', ""]
    lines += [f"from checker.model.known_designs import {', '.join(known)}"] if known else []
    lines += ["from spec.design import Design"] if Design in classes else []
    lines += ["", "", f"class Repaired({base.__name__}):", f'    """{name}, repaired."""', ""]
    lines += [f'    name = "{name}-repaired"', ""]
    lines += [f"    {each.decision} = {DESIGNS[each.design].__name__}.{each.decision}" for each in wanted]
    return "\n".join(lines) + "\n"


class Conflicts:
    """Replays known runs under candidates, and finds which single changes answer something on the way differently."""

    def __init__(self, base: type[Design]) -> None:
        self.base = base
        self.alternatives = alternatives(base)
        self.runs: list[Run] = []
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

    def conflict(self, candidate: Changes, run: Run) -> set[Change] | None:
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


def violates(model: Model, run: Run) -> bool:
    """Whether a run, as far as it can be taken, ends in a violation of its property."""
    steps: list[Taken] = taken(model, run.steps)
    state = before = model.init
    for step in steps:
        try:
            before, state = state, model.take(state, step.action, step.arguments)
        except Disabled:
            return False
        except Violated:
            return True
    for stated in model.properties:
        if stated.name == run.property:
            try:
                held = stated(before, state, model.context) if stated.of_steps else stated(state, model.context)
            except Violated:
                return True
            return not held
    return False


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
            self.conflicts.runs.insert(0, Run(str(scope), name, tuple(stored(each.steps))))
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
                        self.conflicts.runs.insert(0, Run(outcome.scope, name, tuple(steps)))
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


def count(changes: Changes) -> str:
    """Say how many decisions change."""
    return f"{len(changes)} decision" + ("" if len(changes) == 1 else "s")


def spelled(changes: Changes) -> list[str]:
    """Say each change in words, in the order of the decisions."""
    wanted = sorted(changes, key=lambda change: DECISIONS.index(change.decision))
    return [f"{change.decision} as in {change.design}" for change in wanted]
