"""What must fail still fails under a mutant, and what must hold still holds.

Some of the spec is there for what is wrong: a `require`, the device that leaves nothing behind where a row started from
the wrong state, decisions that only shipped designs take. A mutant there shows only where something wrong runs. A wrong
edit is made on top of the mutant, and the shipped designs override the mutant's decisions.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import checker.model.known_designs
from checker.model.model import Model
from checker.model.seeded_faults import WRONG_EDITS, WrongEdit
from checker.model.spec_copy import edited_model, source_of
from checker.mutation.graph_hash import hash_of_search
from checker.mutation.operators import Mutant
from checker.search.bfs import Search
from checker.search.exploration import Limits
from checker.search.suite import FAILS, HOLDS, STORY_SCOPE

MOST_STATES = 200_000
"""A search that is cut says nothing about what it has not found."""

Texts = dict[str, str]


def unmet(mutant: Mutant) -> Iterator[tuple[str, str]]:
    """Yield what the mutant gives another verdict, in words, with the scope."""
    texts = mutant.texts()
    for wrong in WRONG_EDITS:
        edited = on_top(texts, wrong)
        if edited:
            scope = f"{STORY_SCOPE} mode={wrong.mode} {wrong.scope}".strip()
            search = prepared(edited_model(edited, wrong.name), scope, "", frozenset({wrong.caught_by}))
            if hash_of_search(search) != _usual_edit(wrong) and misses(search, (wrong.caught_by,)):
                yield f"wrong edit {wrong.name} survives {wrong.caught_by}", scope
    module = with_designs(texts)
    for name, mode, expect in [*FAILS, *[(name, mode, ()) for name, mode in HOLDS]]:
        scope = f"{STORY_SCOPE} mode={mode}"
        search = prepared(module, scope, name, frozenset(expect))
        if hash_of_search(search) != _usual_design(name, mode):
            missed = misses(search, expect)
            if missed:
                yield f"design {name} {'survives' if expect else 'violates'} {missed}", scope


def misses(search: Search, expect: tuple[str, ...]) -> str:
    """Run a search and return an expected property that it does not violate; with none expected, one that it does."""
    found = search.run(Limits(states=MOST_STATES))
    if not expect:
        return next(iter(found.counterexamples), "")
    return next((name for name in expect if name not in found.counterexamples and not found.cut), "")


def prepared(module: ModuleType, scope: str, design: str, until: frozenset[str]) -> Search:
    """Return a search of a copy of the spec, for a shipped design or our own."""
    bounds = module.Scope.parse(scope)
    context = module.DESIGNS[design](bounds) if design else None
    return Search(Model(module, bounds, context), until=until)


def on_top(texts: Texts, wrong: WrongEdit) -> Texts:
    """Return texts with a wrong edit made in them; none where the mutant has changed what the edit replaces."""
    for edit in wrong.edits:
        text = texts.get(edit.module) or source_of(edit.module)
        if text.count(edit.old) != 1:
            return {}
        texts = texts | {edit.module: text.replace(edit.old, edit.new)}
    return texts


def with_designs(texts: Texts) -> ModuleType:
    """Return a copy of the spec together with the shipped designs, whose decisions override those of the copy."""
    history = Path(checker.model.known_designs.__file__).read_text(encoding="utf-8")
    model = source_of("spec.model") + "\nfrom spec.history import DESIGNS\n"
    return edited_model(texts | {"spec.history": history, "spec.model": model}, "mutant")


@functools.cache
def _usual_edit(wrong: WrongEdit) -> int:
    scope = f"{STORY_SCOPE} mode={wrong.mode} {wrong.scope}".strip()
    return hash_of_search(prepared(edited_model(on_top({}, wrong), wrong.name), scope, "", frozenset()))


@functools.cache
def _usual_design(name: str, mode: str) -> int:
    return hash_of_search(prepared(with_designs({}), f"{STORY_SCOPE} mode={mode}", name, frozenset()))
