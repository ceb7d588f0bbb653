"""Repair: the smallest change of decisions, what is shown of it, and that its text is a design file."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.command.report.repair import exit_code
from checker.model.designs import design_class
from checker.model.known_designs import DESIGNS, Merged29792
from checker.model.user_files import BadModel
from checker.proof.repair import Repairer, repair
from checker.proof.repair_changes import Change, alternatives, changed, text_of
from checker.proof.repair_conflicts import Conflicts
from checker.proof.repair_lemmas import stand
from spec.scope import EAGER, LAZY

FLIP = frozenset({Change("flips_at_preparation", "slotproof"), Change("flips_at_processing", "slotproof")})
FLIP_LATE = frozenset({Change("flips_at_processing", "before-29792")})


DENSE = "requests=1 slots=6 nodes=2 interval=1 max_len=5"


def repairer(name: str, mode: str, larger: list[str], monkeypatch: pytest.MonkeyPatch) -> Repairer:
    """A search for a repair with few larger scopes, so that it is done in seconds."""
    monkeypatch.setattr("checker.proof.repair.larger_scopes", lambda mode: [f"{scope} mode={mode}" for scope in larger])
    return Repairer(name, mode, 100.0, lambda text: None)


def test_merged_eager_needs_the_flip_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    result = repairer("merged-29792", EAGER, [DENSE], monkeypatch).run(prove=False)
    assert result.found == FLIP
    assert result.tried < 10, "known runs refute most candidates without a search"
    assert FLIP_LATE in result.nearly, "a flip when the own row is processed is right only while boundaries are rare"


def test_lazy_0518_needs_its_label_back(monkeypatch: pytest.MonkeyPatch) -> None:
    result = repairer("lazy-0.5.18", LAZY, [], monkeypatch).run(prove=False)
    assert result.found == frozenset({Change("in_place_clears_label", "slotproof")})


@pytest.mark.slow
def test_pruning_passes_over_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every single change of merged-29792, searched one by one, against what the search for a repair finds."""
    plain = repairer("merged-29792", EAGER, [], monkeypatch)
    hold = {change for change in alternatives(Merged29792) if plain.search(frozenset({change}))}
    result = repairer("merged-29792", EAGER, [], monkeypatch).run(prove=False)
    assert result.found is not None
    assert {result.found, *result.others} == {frozenset({change}) for change in hold}


def test_what_holds_needs_no_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    result = repairer("slotproof", EAGER, [], monkeypatch).run(prove=False)
    assert result.found == frozenset()


def test_not_found_says_so() -> None:
    result = repair("before-29792", EAGER, seconds=0.0, prove=False)
    assert result.found is None
    assert exit_code(result) == 3
    assert "the time is used up" in result.limit


def test_unknown_design_is_refused() -> None:
    with pytest.raises(BadModel, match="write one of slotproof"):
        repair("mine", EAGER)


def test_the_text_is_a_design_file(tmp_path: Path) -> None:
    file = tmp_path / "flip_repaired.py"
    file.write_text(text_of("merged-29792", Merged29792, FLIP), encoding="utf-8")
    design = design_class(str(file))
    assert design.name == "merged-29792-repaired"
    assert design.flips_at_processing is DESIGNS["slotproof"].flips_at_processing
    assert design.may_publish is Merged29792.may_publish


def test_a_decision_that_asks_its_parent_is_not_taken_out_of_it() -> None:
    for name in DESIGNS:
        for change in alternatives(DESIGNS[name]):
            assert (change.decision, change.design) != ("may_publish", "merged-29792")


def test_a_conflict_holds_every_change_that_helps() -> None:
    search = Repairer("merged-29792", EAGER, 100.0, lambda text: None)
    assert not search.search(frozenset())
    conflicts: Conflicts = search.conflicts
    for run in conflicts.runs:
        found = conflicts.conflict(frozenset(), run)
        assert found is not None
        for change in conflicts.alternatives:
            if conflicts.conflict(frozenset({change}), run) is None:
                assert change in found, f"{change} avoids the {run.property} run"


@pytest.mark.slow
def test_the_flip_is_proved() -> None:
    standing = stand(changed(Merged29792, FLIP), EAGER)
    assert standing.proved
    assert "label-is-written" in standing.dropped
    assert "label-is-written-in-the-end" in standing.weaker


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode", "size"), [("merged-29792", EAGER, 2), ("before-29792", EAGER, 6)])
def test_repairs_hold_in_larger_scopes(name: str, mode: str, size: int) -> None:
    result = repair(name, mode, prove=False)
    assert result.found is not None
    assert len(result.found) == size
    assert len(result.scopes) > 5
