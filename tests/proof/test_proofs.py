"""The proofs: what they show, what each lemma is for, and that they fail where they must."""

from __future__ import annotations

import functools
from pathlib import Path

import cvc5
import pytest

from checker.command.report import proof as proof_report
from checker.model.model import Model
from checker.model.seeded_faults import WRONG_EDITS
from checker.model.spec_copy import apply, edited_model
from checker.proof.cti import BUG, MISSING_LEMMA, classify
from checker.proof.induction import FAILS, PROVED, Induction
from checker.proof.matrix import CORE, MATRIX, Proof, export, matrix, model_of, parse, prove, unneeded
from spec.guarantee import (
    GUARANTEE,
    gives_back_only_own,
    publishes_only_what_is_there,
    rows_only_for_own_slots,
    takes_only_free,
)
from spec.language import Property


@pytest.mark.parametrize("proof", matrix(quick=True), ids=lambda proof: proof.name)
def test_the_core_is_proved_and_every_lemma_is_needed(proof: Proof) -> None:
    result = prove(proof)
    assert result.holds, [obligation.name for obligation in result.failed + result.unknown]
    assert unneeded([result]) == []
    assert len(result.obligations) > 200
    lines = proof_report.guarantees([result])
    assert [line[0] for line in lines] == [rule.name for rule in GUARANTEE]
    for *_, met in lines:
        shown, asked = met.split(" of ")
        assert shown == asked != "0"


def test_the_names_of_the_matrix_are_scopes() -> None:
    assert [str(parse(scope)) for _, scope in MATRIX]


def test_another_design_fails_with_its_real_run() -> None:
    result = prove(Proof("eager", f"{CORE} slots=4 nodes=4 mode=eager", "merged-29792"))
    assert not result.holds
    meaning = classify(result)
    assert meaning.kind == BUG
    assert meaning.outcome is not None
    assert len(meaning.outcome.steps["ring-apart"]) == 9


def test_without_a_lemma_the_proof_fails_and_is_told_to_miss_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Model.of_kind
    without = {"written-claims-hold"}
    monkeypatch.setattr(
        Model, "of_kind", lambda self, kind: [stated for stated in whole(self, kind) if stated.name not in without]
    )
    result = prove(Proof("eager", f"{CORE} slots=3 nodes=3 others=off mode=eager"))
    assert {obligation.target for obligation in result.failed} & {"label-is-written", "written-before-donated"}
    monkeypatch.setattr("checker.proof.cti.SEARCHED", 2000)
    meaning = classify(result)
    assert meaning.kind == MISSING_LEMMA
    assert "requests[0].phase" in meaning.words


@functools.cache
def failing(name: str) -> set[str]:
    """Return what the proof of the spec with a wrong edit in it fails to show."""
    wrong = next(wrong for wrong in WRONG_EDITS if wrong.name == name)
    module = edited_model(apply(wrong.edits), name)
    scope = module.Scope.parse(str(parse(f"{CORE} slots=4 nodes=4 mode={wrong.mode}")))
    induction = Induction(Model(module, scope))
    shown = induction.show(dict.fromkeys(induction.lemmas, ""))
    return {obligation.target for obligation in shown if obligation.verdict == FAILS}


@pytest.mark.parametrize("name", ["drop-the-gate", "flip-twice", "forgotten-ring", "abort-publishes", "free-the-kept"])
def test_a_wrong_edit_breaks_an_obligation(name: str) -> None:
    assert failing(name)


RULES = {
    "take-from-the-cache": takes_only_free,
    "free-the-source": gives_back_only_own,
    "checkpoint-over-the-source": rows_only_for_own_slots,
    "drop-the-gate": publishes_only_what_is_there,
}
"""A wrong edit for each rule that is assumed of other requests, and that the named ones must be shown to keep."""


@pytest.mark.parametrize(("name", "rule"), RULES.items(), ids=list(RULES))
def test_what_is_assumed_of_others_can_be_broken_by_our_own(name: str, rule: Property) -> None:
    assert rule.name in failing(name)


def test_every_rule_can_be_broken() -> None:
    assert set(RULES.values()) == set(GUARANTEE)


def verdicts(proof: Proof) -> dict[str, str]:
    """Return the verdict of each obligation, and under `unneeded` the lemmas whose need was not shown."""
    result = prove(proof)
    return {each.name: each.verdict for each in result.obligations} | {"unneeded": " ".join(unneeded([result]))}


def test_the_seed_does_not_matter() -> None:
    for seed in range(2):
        told = verdicts(Proof("lazy", f"{CORE} slots=4 nodes=4 mode=lazy", seed=seed))
        assert set(told.values()) == {PROVED, ""}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_twenty_seeds_say_the_same(mode: str) -> None:
    first = verdicts(Proof(mode, f"{CORE} mode={mode}", needs=True))
    assert set(first.values()) == {PROVED, ""}
    for seed in range(1, 20):
        assert verdicts(Proof(mode, f"{CORE} mode={mode}", needs=True, seed=seed)) == first


def test_a_property_follows_only_where_the_lemmas_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lemma it stands on, a property is again a matter of every action."""
    scope = f"{CORE} slots=3 nodes=3 others=off mode=eager"
    whole = Induction(model_of(Proof("eager", scope)))
    assert {shown.target for shown in whole.consequences({})} >= {"exact-label", "ring-apart"}
    of_kind = Model.of_kind
    monkeypatch.setattr(
        Model,
        "of_kind",
        lambda self, kind: [stated for stated in of_kind(self, kind) if stated.name != "label-is-written"],
    )
    less = Induction(model_of(Proof("eager", scope)))
    assert "ring-apart" not in {shown.target for shown in less.consequences({})}
    assert "ring-apart" in less.flags
    targets = {target for transition in less.transitions for target, _ in less.targets(transition)}
    assert "ring-apart" in targets
    assert "exact-label" not in targets


def second_opinion(script: Path) -> str:
    """Return what cvc5 answers to a script."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", "60000")
    # Its default splits by the structure of the formula, and one obligation in hundreds takes minutes that way.
    solver.setOption("decision", "internal")
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(script))
    symbols = parser.getSymbolManager()
    told = ""
    while not (command := parser.nextCommand()).isNull():
        told += command.invoke(solver, symbols)
    return told.strip()


def opinions(tmp_path: Path, scope: str, every: int) -> dict[str, str]:
    export(Proof("core", scope), tmp_path)
    scripts = sorted(tmp_path.glob("*.smt2"))[::every]
    return {script.name: second_opinion(script) for script in scripts}


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_second_solver_agrees(tmp_path: Path, mode: str) -> None:
    """Every twelfth obligation; all of them in the slow test below."""
    told = opinions(tmp_path, f"{CORE} slots=3 nodes=3 mode={mode}", 12)
    assert len(told) > 12
    assert set(told.values()) == {"unsat"}, told


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["eager", "lazy", "lazy without_spare=skip"])
def test_a_second_solver_agrees_on_everything(tmp_path: Path, mode: str) -> None:
    told = opinions(tmp_path, f"{CORE} mode={mode}", 1)
    assert len(told) > 200
    assert {name: answer for name, answer in told.items() if answer != "unsat"} == {}


def test_a_second_solver_can_disagree(tmp_path: Path) -> None:
    """An obligation without its lemmas is sat: the check can fail."""
    export(Proof("core", f"{CORE} slots=3 nodes=3 mode=eager"), tmp_path)
    script = next(tmp_path.glob("*device-label-is-written.smt2"))
    text = script.read_text()
    script.write_text(text.replace("(check-sat)", "(reset-assertions)(check-sat)"))
    assert second_opinion(script) == "sat"
