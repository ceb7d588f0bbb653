"""Automatic mutants of the shipped boundary logic: every one is killed by something with a name."""

from __future__ import annotations

import dataclasses
import json

import pytest

from checker.command.console import Progress
from checker.exit_codes import SHOWN, VIOLATED
from checker.mutation import boundary as boundary_mutants
from checker.mutation.boundary import data, exit_code, judge, judge_all, mutants, show
from checker.proof.boundary_columns import NAME
from checker.proof.boundary_contract import SHIPPED
from checker.proof.boundary_proof import CONTRACT
from checker.proof.boundary_source import functions, source


def test_a_mutant_of_every_function_is_killed_with_inputs() -> None:
    """The last one of each; all of them in the slow test below."""
    chosen = {mutant.function: mutant for mutant in mutants()}
    assert chosen.keys() == functions().keys()
    fates = judge_all(list(chosen.values()))
    assert exit_code(fates) == SHOWN, [fate.mutant.name for fate in fates if not fate.by]
    assert all(fate.by != "error" and fate.inputs for fate in fates)


@pytest.mark.slow
def test_every_mutant_is_killed_by_name_and_with_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    fates = judge_all(mutants())
    assert exit_code(fates) == SHOWN, [fate.mutant.name for fate in fates if not fate.by]
    names = {stated.name for stated in SHIPPED} | {NAME}
    assert {fate.by for fate in fates} - {"error"} == names
    assert all(fate.inputs for fate in fates)
    # A text that does not load, or that the evaluator refuses, is no decision; there are few of them.
    assert sum(fate.by == "error" for fate in fates) <= 2
    show(fates)
    assert f"{len(fates)} of {len(fates)} mutants killed" in capsys.readouterr().out


def test_a_sample_is_the_same_for_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        assert boundary_mutants.run(2, 1, True, Progress()) == SHOWN
        printed.append([fate["name"] for fate in json.loads(capsys.readouterr().out)["fates"]])
    assert printed[0] == printed[1]
    assert len(printed[0]) == 2


def test_a_survivor_is_named_and_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Claims are never negative, so this mutant decides as the spec does."""
    monkeypatch.setattr(boundary_mutants, "SCOPES", CONTRACT)
    text = source().replace("where(slot == ABSENT, False, claims == 0)", "where(slot == ABSENT, False, claims <= 0)")
    equivalent = dataclasses.replace(mutants()[0], text=text, old="claims == 0", new="claims <= 0")
    fates = [judge(equivalent)]
    assert not fates[0].by
    assert exit_code(fates) == VIOLATED
    assert data(fates)["killed"] == 0
    show(fates)
    printed = capsys.readouterr().out
    assert "SURVIVED" in printed
    assert "+ claims <= 0" in printed


def test_without_a_property_mutants_survive(monkeypatch: pytest.MonkeyPatch) -> None:
    without = {"may-publish-agrees"}
    every = boundary_mutants.about
    monkeypatch.setattr(
        boundary_mutants, "about", lambda module: [stated for stated in every(module) if stated.name not in without]
    )
    some = [mutant for mutant in mutants() if mutant.function == "may_publish" and mutant.operator == "comparison"]
    assert some
    assert exit_code(judge_all(some)) == VIOLATED
