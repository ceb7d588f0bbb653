"""One check: a design (or a wrong edit, or a model of the user's own) searched in one scope; many run in parallel."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.any_order import protocol
from checker.designs import design_class
from checker.edits import BadEdit, apply, edited_model
from checker.explore import Exploration, Limits, Search
from checker.model import BadModel, Model, Taken, load_module
from checker.orbits import names_matter
from checker.pools import spread
from checker.transitions import Reader
from checker.wrong_edits import WRONG_EDITS
from spec.language import WELL_FORMED, Action, Property
from spec.scope import ON, Scope

HOLDS = "holds"


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
    all: bool = False
    """Go on after the first violation, to the shortest one of every property that can be violated."""
    symmetry: bool = True
    """Whether states that differ only in names are one; where names turn out to matter, the search goes on without."""
    insist: bool = False
    """Where names turn out to matter, refuse to search."""
    limits: Limits = dataclasses.field(default_factory=Limits)

    @property
    def is_foreign(self) -> bool:
        """Whether it is about a file of the user's own; of ours the tests know whether names matter."""
        return bool(self.model) or self.design.endswith(".py")

    @property
    def subject(self) -> str:
        """What is checked, in a word."""
        return self.model or (f"edit {self.edit}" if self.edit else self.design)


@dataclass(slots=True)
class Outcome:
    """What a check has shown."""

    check: Check
    scope: str
    exploration: Exploration
    steps: dict[str, list[tuple[str, tuple[Any, ...]]]]
    """For each violated property the shortest run, as action names and arguments."""
    symmetry: str = "full"
    """full: names do not matter, and states that differ in them were one; none, with the reason: each was looked at."""

    @property
    def idle(self) -> list[str]:
        """Actions that were never enabled."""
        return [name for name, count in self.exploration.taken.items() if not count]

    @property
    def status(self) -> str:
        """One of: holds, violated, vacuous, cut short."""
        if self.exploration.counterexamples:
            return "violated"
        if self.exploration.cut:
            return "cut short"
        return "vacuous" if self.exploration.unseen or self.idle or not self.exploration.transitions else HOLDS

    @property
    def as_expected(self) -> bool:
        """Whether the check shows what it should."""
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
        module = load_module(Path(check.model))
        refuse_incomplete(check.model, module)
        return Model(module, settings(module, check.scope))
    scope = Scope.parse(check.scope)
    if check.edit:
        if stale(check):
            raise BadModel(f"--edit {check.edit}: {stale(check)}")
        wrong = next(wrong for wrong in WRONG_EDITS if wrong.name == check.edit)
        module = edited_model(apply(wrong.edits), wrong.name)
        return Model(module, module.Scope.parse(str(scope)))
    return protocol(scope, design_class(check.design))


def refuse_incomplete(file: str, module: Any) -> None:
    """Raise BadModel where a module is no model."""
    for name in ("init", "actions", "properties"):
        if not hasattr(module, name):
            raise BadModel(f"{file}: the model has no `{name}`; checker/model.py says what a model must have")
    for name, kind, how in (("actions", Action, "@action(...)"), ("properties", Property, "@always() or @sometimes()")):
        for found in getattr(module, name):
            if not isinstance(found, kind):
                called = getattr(found, "__name__", repr(found))
                raise BadModel(f"{file}: {called} in `{name}` is none; write {how} above its def")


def settings(module: Any, text: str) -> Any:
    """Return the scope of a user's model from words `name=value`; raises BadModel."""
    if not hasattr(module, "Scope") or not dataclasses.is_dataclass(module.Scope):
        raise BadModel(
            f"{module.__name__}: the model has no dataclass Scope; define one with a default for every field"
        )
    known = {item.name for item in dataclasses.fields(module.Scope)}
    values = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in known or not value.lstrip("-").isdecimal():
            raise BadModel(f"--set {word}: write NAME=NUMBER with a name out of {', '.join(sorted(known))}")
        values[name] = int(value)
    scope: Any = module.Scope
    return scope(**values)


def run(check: Check, progress: Callable[[Exploration, int], None] | None = None) -> Outcome:
    """Perform a check; where names turn out to matter, perform it again without symmetry, and say why."""
    started = time.perf_counter()
    model = model_for(check)
    wanted = frozenset(check.expect)
    claimed(model, wanted)
    until = None if check.all else wanted
    settled = not check.model and model.scope.names == ON
    if settled and check.is_foreign:
        check = dataclasses.replace(check, symmetry=False)
    asked = check.is_foreign and not settled and (check.symmetry or not check.model)
    search = Search(model, check.symmetry, until, asked)
    exploration = Exploration() if search.names else search.run(check.limits, progress)
    if search.names:
        if check.insist:
            raise BadModel(
                f"{search.names}: names matter, so states that differ in them are not one; compare names with each "
                "other and with ABSENT only, or search with --symmetry none"
            )
        check = dataclasses.replace(check, symmetry=False)
        if not check.model:
            # The lowest free slot is as good as any other one only where names do not matter.
            check = dataclasses.replace(check, scope=f"{check.scope} names=on".strip())
            model = model_for(check)
        left = check.limits.seconds and max(0.001, check.limits.seconds - (time.perf_counter() - started))
        again = Search(model, False, until)
        exploration = again.run(dataclasses.replace(check.limits, seconds=left), progress)
    steps = {name: stored(found.steps) for name, found in exploration.counterexamples.items()}
    for found in exploration.counterexamples.values():
        found.steps = []
    return Outcome(check, str(model.scope), exploration, steps, _symmetry(check, model, search.names))


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
    known = [WELL_FORMED, *[stated.name for stated in model.properties if stated.kind in ("always", "step", "duty")]]
    for name in names:
        if name not in known:
            raise BadModel(f"property {name!r} is not claimed in this scope; write one of {', '.join(known)}")


def stored(steps: Sequence[Taken]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return a run as names and arguments, which any process can read; `taken` is the way back."""
    return [(step.action.name, step.arguments) for step in steps]


def taken(model: Model, steps: Sequence[tuple[str, tuple[Any, ...]]]) -> list[Taken]:
    """Return a run of a model from names and arguments."""
    actions = {action.name: action for action in model.actions}
    return [Taken(actions[name], arguments) for name, arguments in steps]


def run_all(checks: Sequence[Check], workers: int | None = None) -> Iterator[Outcome]:
    """Perform checks in parallel processes, and yield outcomes as they come."""
    return spread(run, checks, workers)
