"""Which hazards fail a trace: names of properties and groups, and what is counted but was not kept."""

from __future__ import annotations

import ast

import pytest

from checker.traces.fail_on import GROUPS, LOOKED_FOR, failures, is_unsure, offered, parse
from checker.traces.verdict import HARMFUL_IF, Hazard, Verdict
from spec import properties
from spec.language import Property
from spec.scope import BadScope
from tests.support.paths import ROOT

STATED = {found.name for found in vars(properties).values() if isinstance(found, Property)}


def verdict(*names: str, hidden: int = 0) -> Verdict:
    hazards = [Hazard(name, line, None, None, "so it is", "so it were") for line, name in enumerate(names, 2)]
    return Verdict("good", "e", 9, 3, 1, "", [], hazards, hidden_hazards=hidden)


def failed(found: Verdict, text: str) -> list[tuple[str, str]]:
    return [(name, hazard.property) for name, hazard in failures(found, parse(text))]


def test_what_is_looked_for_is_what_the_judge_says() -> None:
    known = STATED | HARMFUL_IF.keys() | {"inconsistent-record"}
    files = sorted(
        path
        for path in (ROOT / "checker" / "traces").glob("*.py")
        if path.stem not in ("fail_on", "verdict", "format", "meanings")
    )
    said = {
        node.value
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
    }
    assert set(LOOKED_FOR) == said


def test_a_name_is_a_property_or_a_group() -> None:
    found = verdict("release-all", "flip-once", "checkpoint-not-lost")
    assert failed(found, "leak") == [("leak", "release-all")]
    assert failed(found, "flip-once") == [("flip-once", "flip-once")]
    assert failed(found, "lost-checkpoint, leak") == [
        ("leak", "release-all"),
        ("lost-checkpoint", "checkpoint-not-lost"),
    ]
    assert failed(found, "exact-label") == []
    assert [name for _, name in failed(found, "any")] == ["release-all", "flip-once", "checkpoint-not-lost"]


def test_any_means_a_hazard_that_nobody_has_a_name_for_too() -> None:
    assert failed(verdict("not-heard-of"), "any") == [("any", "not-heard-of")]


def test_a_hazard_that_two_names_mean_fails_once() -> None:
    assert failed(verdict("release-all"), "release-all,leak,any") == [("release-all", "release-all")]


@pytest.mark.parametrize("text", ["leeks", "", "leak,", "leak,Grid", "exact-label;leak"])
def test_an_unknown_name_is_refused_with_the_list(text: str) -> None:
    with pytest.raises(BadScope, match=r"no verdict looks for it; write names out of leak, .*any, .*exact-label"):
        parse(text)


def test_what_no_verdict_looks_for_is_refused_and_not_offered() -> None:
    unseen = [name for name, stated in GROUPS.items() if not set(stated) & set(LOOKED_FOR)]
    for name in [*unseen, *(STATED - set(LOOKED_FOR))]:
        assert name not in offered()
        with pytest.raises(BadScope, match="no verdict looks for it"):
            parse(name)


def test_what_was_not_kept_is_no_pass() -> None:
    assert is_unsure(verdict("flip-once", hidden=1), parse("leak"))
    assert not is_unsure(verdict("release-all", hidden=1), parse("leak"))
    assert not is_unsure(verdict("flip-once"), parse("leak"))
    assert not is_unsure(verdict("flip-once", hidden=1), ())
