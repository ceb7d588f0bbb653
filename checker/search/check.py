"""One check: a design (or a wrong edit, or a model of the user's own) searched in one scope; many run in parallel."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from checker.deadline import Deadline
from checker.model.any_order import protocol
from checker.model.designs import design_class
from checker.model.model import Arguments, Model, TakenStep
from checker.model.seeded_faults import WRONG_EDITS
from checker.model.source import OutsideSubset
from checker.model.spec_copy import BadEdit, apply, edited_model
from checker.model.user_files import BadModel
from checker.model.user_model import naming, unlisted, user_model
from checker.search import audit, canary
from checker.search.audit import Audit
from checker.search.bfs import Exploration, Limits, Search
from checker.search.orbits import names_matter
from checker.symbolic.transitions import Reader
from checker.workers import spread
from spec.language import WELL_FORMED
from spec.scope import ON, Scope

HOLDS, NOT_AUDITED = "holds", "not audited"


@dataclass(frozen=True, slots=True)
class Check:
    """What to search, and what is expected of it."""

    scope: str
    """The scope's words; for a model of the user's own, its settings."""
    design: str = "slotproof"
    """A name, or the path of a design file."""
    edit: str = ""
    """The name of a wrong edit of the spec."""
    model: str = ""
    """The path of a model of the user's own."""
    expect: tuple[str, ...] = ()
    """The properties that must be violated; none: it must hold."""
    exactly: bool = False
    """Whether nothing else may be violated, and everything that is expected sometimes must be seen."""
    all: bool = False
    """Go on after the first violation, to the shortest one of every property that can be violated."""
    symmetry: bool = True
    """Whether states that differ only in names are one; where names turn out to matter, the search goes on without."""
    insist: bool = False
    """Where names turn out to matter, refuse to search."""
    limits: Limits = dataclasses.field(default_factory=Limits)
    last_resort: bool = False
    """Whether the process is ended where the limit of time can be kept in no other way."""

    @property
    def file(self) -> str:
        """The file of the user's own that is checked; empty: none is."""
        return self.model or (self.design if self.design.endswith(".py") else "")

    @property
    def is_foreign(self) -> bool:
        """Whether it is about a file of the user's own; of ours the tests know whether names matter."""
        return bool(self.model) or self.design.endswith(".py")

    @property
    def subject(self) -> str:
        """What is checked, in a word."""
        if self.model == canary.FILE:
            return "the canary"
        return self.model or (f"edit {self.edit}" if self.edit else self.design)


@dataclass(slots=True)
class Outcome:
    """What a check has shown."""

    check: Check
    scope: str
    exploration: Exploration
    steps: dict[str, list[tuple[str, Arguments]]]
    """For each violated property the shortest run, as action names and arguments."""
    audit: Audit = dataclasses.field(default_factory=Audit)
    """The native tries that were held against the search."""
    symmetry: str = "full"
    """full: names do not matter, and states that differ in them were one; none, with the reason: each was looked at."""
    unread: dict[str, str] = dataclasses.field(default_factory=dict)
    """Fields of a user's model that no text of it reads in this scope, each with its place."""
    unlisted: dict[str, str] = dataclasses.field(default_factory=dict)
    """What a user's model declares and lists nowhere: it was not looked at."""

    @property
    def idle(self) -> list[str]:
        """Actions that were never enabled."""
        return [name for name, count in self.exploration.taken.items() if not count]

    @property
    def status(self) -> str:
        """One of: holds, violated, vacuous, cut short, not audited."""
        if self.exploration.counterexamples:
            return "violated"
        if self.exploration.cut:
            return "cut short"
        if self.is_vacuous():
            return "vacuous"
        return HOLDS if self.audit.enough else NOT_AUDITED

    def is_vacuous(self) -> bool:
        """Whether a complete search shows less than it seems to: something was never seen, possible or asked."""
        found = self.exploration
        return bool(found.unseen or self.idle or not found.transitions or not found.asked)

    @property
    def as_expected(self) -> bool:
        """Whether the check shows what it should; what was not audited shows nothing."""
        if not self.audit.enough:
            return False
        if self.check.exactly and (
            self.exploration.unseen or set(self.exploration.counterexamples) - {*self.check.expect}
        ):
            return False
        if self.check.expect:
            return all(name in self.exploration.counterexamples for name in self.check.expect)
        return self.status == HOLDS


def stale(check: Check) -> str:
    """Return why a check's wrong edit cannot be made any more; empty: it can."""
    wrong = next((wrong for wrong in WRONG_EDITS if wrong.name == check.edit), None)
    if wrong is None:
        return f"no wrong edit is called {check.edit}"
    try:
        apply(wrong.edits)
    except BadEdit as error:
        return str(error)
    return ""


def model_for(check: Check) -> Model:
    """Return the model of a check; raises BadScope or BadModel."""
    if check.model:
        # The canary is a text of ours: what is wrong with it is no user's mistake.
        return user_model(check.model, check.scope) if check.model != canary.FILE else Model(canary, canary.Scope())
    scope = Scope.parse(check.scope)
    if check.edit:
        if stale(check):
            raise BadModel(f"--edit {check.edit}: {stale(check)}")
        wrong = next(wrong for wrong in WRONG_EDITS if wrong.name == check.edit)
        module = edited_model(apply(wrong.edits), wrong.name)
        return Model(module, module.Scope.parse(str(scope)))
    return protocol(scope, design_class(check.design))


def run(check: Check, progress: Callable[[Exploration, int], None] | None = None) -> Outcome:
    """Perform a check, where names turn out to matter without symmetry; reading the model counts as well."""
    clock = Deadline(check.limits.seconds, check.last_resort)
    with clock, naming(check.file):
        model = model_for(check)
        settled = not check.model and model.scope.names == ON
        if settled and check.is_foreign:
            check = dataclasses.replace(check, symmetry=False)
        search = _prepared(check, model, check.is_foreign and not settled and (check.symmetry or not check.model))
    if early := _cut(check, clock):
        return early
    exploration = Exploration() if search.names else search.run(check.limits, progress, clock)
    names = search.names
    if names:
        with clock, naming(check.file):
            check = _by_names(check, names)
            model = model_for(check)
            search = _prepared(check, model, False)
        if early := _cut(check, clock):
            return early
        exploration = search.run(check.limits, progress, clock)
    audited = audit.of_search(search, audit.seed_of(str(model.scope)))
    steps = {name: stored(found.steps) for name, found in exploration.counterexamples.items()}
    for found in exploration.counterexamples.values():
        found.steps = []
    with naming(check.file):
        # Of the spec's own fields `verify` asks over several scopes: some belong to one mode.
        unread = {field.spelled: field.place for field in search.unread()} if check.model else {}
    left = unlisted(model.module) if check.model else {}
    return Outcome(check, str(model.scope), exploration, steps, audited, _symmetry(check, model, names), unread, left)


def _cut(check: Check, clock: Deadline) -> Outcome | None:
    """Return the outcome where the time is used up before a search has begun."""
    if not clock.cut:
        return None
    return Outcome(check, check.scope, Exploration(cut=f"{clock.words} before the search began"), {})


def _prepared(check: Check, model: Model, asked: bool) -> Search:
    """Return the search of a check; `asked`: whether names matter."""
    wanted = frozenset(check.expect)
    claimed(model, wanted)
    try:
        return Search(model, check.symmetry, None if check.all else wanted, asked)
    except OutsideSubset as error:
        if check.model != canary.FILE:
            raise
        raise audit.Disagreement(f"the canary is refused, which is written in the subset: {error}") from error


def _by_names(check: Check, names: str) -> Check:
    """Return the check to perform where names matter; raises BadModel where symmetry is insisted on."""
    if check.insist:
        raise BadModel(
            f"{names}: names matter, so states that differ in them are not one; compare names with each "
            "other and with ABSENT only, or search with --symmetry none"
        )
    # The lowest free slot is as good as any other one only where names do not matter.
    scope = check.scope if check.model else f"{check.scope} names=on".strip()
    return dataclasses.replace(check, symmetry=False, scope=scope)


def in_any_order(check: Check) -> tuple[Check, str]:
    """Return a check of a design file that hands slots out in any order, and why, if its text goes by names."""
    model = model_for(check)
    if check.model or not check.is_foreign or model.scope.names == ON:
        return check, ""
    reader = Reader(model, naming=True)
    for instance in model.instances():
        reader.transition(instance)
    for stated in model.of_kind("always"):
        reader.holds(stated, [reader.inputs])
    names = names_matter(reader)
    return (dataclasses.replace(check, scope=f"{check.scope} names=on".strip()) if names else check), names


def _symmetry(check: Check, model: Model, names: str) -> str:
    """Say whether states that differ only in names were one, and if not why."""
    if names:
        return f"none ({names})"
    if not model.symmetric:
        return 'none (the model does not say what is interchangeable: symmetric = ("requests", ...))'
    return "full" if check.symmetry else "none (as asked for)"


def claimed(model: Model, names: Iterable[str]) -> None:
    """Raise BadModel where a property is none that the model claims in its scope."""
    known = [
        WELL_FORMED,
        *[stated.name for stated in model.properties if stated.kind in ("always", "step", "postcondition")],
    ]
    for name in names:
        if name not in known:
            raise BadModel(f"property {name!r} is not claimed in this scope; write one of {', '.join(known)}")


def stored(steps: Sequence[TakenStep]) -> list[tuple[str, Arguments]]:
    """Return a run as names and arguments, which any process can read; `taken` is the way back."""
    return [(step.action.name, step.arguments) for step in steps]


def taken(model: Model, steps: Sequence[tuple[str, Arguments]]) -> list[TakenStep]:
    """Return a run of a model from names and arguments."""
    actions = {action.name: action for action in model.actions}
    return [TakenStep(actions[name], arguments) for name, arguments in steps]


def run_all(checks: Sequence[Check], workers: int | None = None) -> Iterator[Outcome]:
    """Perform checks in parallel processes, and yield outcomes as they come."""
    return spread(run, checks, workers)
