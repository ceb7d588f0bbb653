"""A check is performed: its model is read, searched and audited; many run in parallel."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from checker.deadline import Deadline
from checker.machine import store
from checker.model.any_order import protocol
from checker.model.designs import design_class
from checker.model.model import Model
from checker.model.seeded_faults import WRONG_EDITS
from checker.model.source import OutsideSubset
from checker.model.spec_copy import BadEdit, apply, edited_model
from checker.model.user_files import BadModel
from checker.model.user_model import naming, unlisted, user_model
from checker.search import audit, canary
from checker.search.bfs import Search
from checker.search.check import Check, Outcome, stored
from checker.search.exploration import Exploration
from checker.search.orbits import names_matter
from checker.symbolic.transitions import Reader
from checker.workers import spread
from spec.language import WELL_FORMED
from spec.scope import ON, Scope


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
        return Search(model, check.symmetry, None if check.all else wanted, asked, check.bits)
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


def compile_first() -> None:
    """Compile what large searches run, if it is not there: before workers begin, which would each want it."""
    with contextlib.suppress(store.Unavailable):
        store.kernels("int8")


def run_all(checks: Sequence[Check], workers: int | None = None) -> Iterator[Outcome]:
    """Perform checks in parallel processes, and yield outcomes as they come."""
    return spread(run, checks, workers)
