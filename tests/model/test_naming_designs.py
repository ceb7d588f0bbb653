"""Designs and names: ours and the known ones use none; a file that does is searched in every order, and not proved."""

from __future__ import annotations

from pathlib import Path

import pytest

import spec.model
from checker.command.report.search import story
from checker.model.any_order import any_order, code, named
from checker.model.known_designs import DESIGNS
from checker.model.model import Model
from checker.model.seeded_faults import WRONG_EDITS
from checker.model.spec_copy import apply, edited_model
from checker.model.user_files import BadModel
from checker.proof import bmc, matrix
from checker.proof.matrix import CORE, Proof, induction_of, parse
from checker.search.check import Check
from checker.search.orbits import names_matter
from checker.search.perform import run
from checker.symbolic.transitions import Reader
from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope

DESIGN = """
from spec.design import Design


class Mine(Design):
    def may_publish(self, s, request, slot):
        return ANSWER super().may_publish(s, request, slot)
"""
SMALL = "requests=1 slots=5 nodes=2 max_len=4"


def design(tmp_path: Path, answer: str) -> str:
    file = tmp_path / f"mine{len(list(tmp_path.iterdir()))}.py"
    file.write_text(DESIGN.replace("ANSWER", answer))
    return str(file)


def goes_by_names(model: Model) -> tuple[str, list[str]]:
    """Return what names_matter says once everything has been read, and what a decision asks of the scope."""
    reader = Reader(model, postconditions=True, naming=True)
    for instance in model.instances():
        reader.transition(instance)
    for stated in [*model.of_kind("always"), *model.of_kind("lemma")]:
        reader.holds(stated, [reader.inputs])
    return names_matter(reader), [str(each) for each in reader.names.asked]


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("name", DESIGNS)
def test_no_known_design_goes_by_names(name: str, mode: str) -> None:
    for text in (f"requests=2 slots=3 nodes=1 max_len=2 families=2 mode={mode}", f"{CORE} mode={mode}"):
        scope = parse(text)
        assert goes_by_names(Model(spec.model, scope, DESIGNS[name](scope))) == ("", [])


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG_EDITS, ids=lambda wrong: wrong.name)
def test_no_wrong_edit_goes_by_names(wrong) -> None:  # type: ignore[no-untyped-def]
    module = edited_model(apply(wrong.edits), wrong.name)
    text = f"requests=2 slots=3 nodes=1 max_len=2 mode={wrong.mode}"
    assert goes_by_names(Model(module, module.Scope.parse(text)))[0] == ""


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_design_that_keeps_back_one_slot_fails_alike_whichever_it_is(tmp_path: Path, mode: str) -> None:
    files = [design(tmp_path, f"slot != {slot} and") for slot in (0, 2, 4)]
    outcomes = [run(Check(f"{SMALL} mode={mode}", design=file)) for file in files]
    for slot, file, outcome in zip((0, 2, 4), files, outcomes, strict=True):
        assert outcome.symmetry == f"none ({file}:7 compares a member of slots with {slot})"
        assert (list(outcome.steps), outcome.exploration.states) == (
            ["checkpoint-not-lost"],
            outcomes[0].exploration.states,
        )
        assert "names=on" in outcome.scope
    assert "What slotproof would have done at the same schedule" in story(outcomes[0], "checkpoint-not-lost")
    assert "cannot happen" not in story(outcomes[0], "checkpoint-not-lost")


def test_a_design_of_three_lines_is_searched_with_symmetry(tmp_path: Path) -> None:
    file = design(tmp_path, "True and")
    with_, without = (run(Check(f"{SMALL} mode=lazy", design=file, symmetry=symmetry)) for symmetry in (True, False))
    assert (with_.symmetry, without.symmetry) == ("full", "none (as asked for)")
    assert (with_.status, without.status) == ("holds", "holds")
    ours = run(Check(f"{SMALL} mode=lazy"))
    assert with_.exploration.states == ours.exploration.states < without.exploration.states / 5


def test_an_allocator_that_prefers_one_slot_to_another_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "highest.py"
    file.write_text(
        "from spec.design import Design\n\n\nclass Highest(Design):\n    def pick(self, s, supply):\n"
        "        found = -1\n        for slot in range(self.scope.slots):\n            if s.free[slot]:\n"
        "                found = slot\n        return found\n"
    )
    outcome = run(Check("requests=2 slots=4 nodes=1 max_len=1 mode=lazy interval=1", design=str(file), all=True))
    assert outcome.symmetry == "none (admit does something else from a state under other names)"


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_in_any_order_our_design_has_the_same_states_but_for_their_names(mode: str) -> None:
    outcomes = [run(Check(f"{SMALL} mode={mode}{names}")) for names in ("", " names=on")]
    assert [outcome.status for outcome in outcomes] == ["holds", "holds"]
    assert outcomes[0].exploration.states == outcomes[1].exploration.states
    assert outcomes[0].exploration.transitions < outcomes[1].exploration.transitions


def test_a_supply_names_slots_in_an_order() -> None:
    scope = Scope.parse(f"{SMALL} names=on")
    model = any_order(scope, Design)
    supply = code(scope, (4, 0, 2))
    assert [named(model.init, supply, place) for place in range(5)] == [4, 0, 2, ABSENT, ABSENT]
    admitted = model.take(model.init, model.actions[0], (0, 0, 3, supply))
    assert (admitted.requests[0].working, list(admitted.requests[0].ring)) == (4, [0, 2])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("request > 0 or", "orders by a member of requests"),
        ("request != 0 or", "compares a member of requests with 0"),
        ("slot == 2 or", "compares a member of slots with 2"),
        ("self.scope.others == 'off' or", "a decision asks for the scope's others"),
        ("self.scope.requests > 1 or", "a decision asks for the scope's requests"),
        ("self.scope.watched == 0 or", "a decision asks for the scope's watched"),
        ("len(s.free) < 5 or", "asks how many slots there are"),
        (
            "any(sum(row.present for row in batch.rows) > 1 for batch in s.batches) or",
            "a decision goes through all requests",
        ),
        ("self.scope.max_len < 99 or", "a decision asks for the scope's max_len"),
    ],
)
def test_what_would_be_proved_of_one_name_alone_is_refused(tmp_path: Path, answer: str, said: str) -> None:
    with pytest.raises(BadModel, match=rf"mine0\.py:7 {said}, and a proof has one named request for all"):
        induction_of(Proof("core", f"{CORE} mode=eager", design(tmp_path, answer)))


def test_an_export_is_refused_as_well(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="orders by a member of requests"):
        matrix.export(Proof("core", f"{CORE} mode=eager", design(tmp_path, "request > 0 or")), tmp_path / "out")


def test_a_solver_looks_under_any_order_too(tmp_path: Path) -> None:
    scope = "requests=1 slots=4 nodes=1 max_len=2 mode=lazy"
    for slot in (3, 2):
        asked = Check(scope, design=design(tmp_path, f"slot != {slot} and"), expect=("checkpoint-not-lost",))
        outcome = bmc.run(asked, 4, None, lambda text: None)
        assert outcome.check.scope == f"{scope} names=on"
        assert (outcome.found.property, len(outcome.found.steps)) == ("checkpoint-not-lost", 4)
        assert outcome.found.names.endswith(f"compares a member of slots with {slot}")
