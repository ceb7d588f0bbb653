"""Automatic mutants of the shipped boundary logic: every one is killed by something with a name."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import pytest
from typer.testing import CliRunner

from checker.command.cli import app
from checker.command.report.mutation import data, exit_code, lines
from checker.exit_codes import SHOWN, VIOLATED
from checker.mutation import boundary as boundary_mutants
from checker.mutation.boundary import judge, mutants
from checker.mutation.result import Kind
from checker.mutation.score import BOUNDARY, Score, judge_all, score
from checker.proof.boundary_columns import NAME
from checker.proof.boundary_contract import SHIPPED
from checker.proof.boundary_proof import CONTRACT
from checker.proof.boundary_source import functions, source


def test_a_mutant_of_every_function_is_killed_with_inputs() -> None:
    """The last one of each; all of them in the slow test below."""
    chosen = {mutant.function: mutant for mutant in mutants()}
    assert chosen.keys() == functions().keys()
    results = list(judge_all(BOUNDARY, list(chosen.values()), workers=1))
    assert exit_code(Score(BOUNDARY, results, len(results))) == SHOWN, [each.name for each in results if not each.by]
    assert all(each.kind == Kind.PROPERTY and each.inputs for each in results)


@pytest.mark.slow
def test_every_mutant_is_killed_by_name_and_with_inputs() -> None:
    result = score(BOUNDARY)
    assert exit_code(result) == SHOWN, [each.name for each in result.results if not each.by]
    decided = [each for each in result.results if each.kind == Kind.PROPERTY]
    assert {each.by for each in decided} == {stated.name for stated in SHIPPED} | {NAME}
    assert all(each.inputs for each in decided)
    # A text that does not load, or that the evaluator refuses, is no decision; there are few of them.
    assert sum(each.kind == Kind.ERROR for each in result.results) == len(result.results) - len(decided) <= 2
    count = len(mutants())
    assert f"{count} of {count} mutants of the shipped code killed: 100.0%" in "\n".join(lines(result))


def test_a_sample_is_the_same_for_the_same_seed_in_one_process_or_two() -> None:
    printed = []
    for workers in ("1", "2"):
        words = ["mutants", "--shipped", "--sample", "2", "--seed", "1", "--workers", workers, "--json"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == SHOWN
        printed.append([(each["name"], each["by"]) for each in json.loads(done.stdout)["fates"]])
    assert printed[0] == printed[1]
    assert len(printed[0]) == 2


def test_its_workers_are_as_many_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def spread(judge: object, chosen: Sequence[object], workers: int | None, renewed_after: int | None) -> list[object]:
        asked.append((len(chosen), workers))
        return []

    monkeypatch.setattr("checker.mutation.score.spread", spread)
    assert list(judge_all(BOUNDARY, mutants()[:3], workers=2)) == []
    assert asked == [(3, 2)]


def test_a_survivor_is_named_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims are never negative, so this mutant decides as the spec does."""
    monkeypatch.setattr(boundary_mutants, "SCOPES", CONTRACT)
    text = source().replace("where(slot == ABSENT, False, claims == 0)", "where(slot == ABSENT, False, claims <= 0)")
    equivalent = dataclasses.replace(mutants()[0], text=text, old="claims == 0", new="claims <= 0")
    result = Score(BOUNDARY, [judge(equivalent)], 1)
    assert not result.results[0].by
    assert exit_code(result) == VIOLATED
    assert data(result)["killed"] == 0
    printed = "\n".join(lines(result))
    assert "SURVIVED: state a property in checker/proof/boundary_contract.py" in printed
    assert "claims == 0  ->  claims <= 0" in printed


def test_without_a_property_mutants_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    without = {"may-publish-agrees"}
    every = boundary_mutants.about
    monkeypatch.setattr(
        boundary_mutants, "about", lambda module: [stated for stated in every(module) if stated.name not in without]
    )
    some = [mutant for mutant in mutants() if mutant.function == "may_publish" and mutant.operator == "comparison"]
    assert some
    results = list(judge_all(BOUNDARY, some, workers=1))
    assert exit_code(Score(BOUNDARY, results, len(results))) == VIOLATED
