"""Audits: what native runs say of a verdict, each way in which the two can differ, and that an audit can fail."""

from __future__ import annotations

import dataclasses
import json
import re
import sys

import pytest

import checker.proof.term_audit
import checker.search.audit
import spec.model
from checker.command import cli
from checker.command.report import audit as audit_report
from checker.command.report.search import exit_code as exit_code_of
from checker.model.model import Model
from checker.model.user_files import BadModel
from checker.proof import matrix
from checker.proof.bmc import check_model as check_bounded
from checker.proof.induction import Induction
from checker.proof.term_readings import ProofReading, Steps
from checker.search import audit, canary
from checker.search.audit import Audit, Disagreement
from checker.search.bfs import Search
from checker.search.check import Check
from checker.search.exploration import Limits
from checker.search.native import Native
from checker.search.perform import model_for, run
from checker.search.readings import Searched, readings_of
from checker.search.suite import CANARY
from checker.symbolic.terms import Terms
from tests.support import plain_bfs
from tests.support.evaluator_faults import EVALUATOR_FAULTS, OURS, YARDSTICK, exit_code

FAULTS = {fault.name: fault for fault in EVALUATOR_FAULTS}
CORE = matrix.matrix(quick=True)[0]


def model_file(tmp_path, text):
    file = tmp_path / "model.py"
    file.write_text(text)
    return Check("", model=str(file))


COUNTER = """
from dataclasses import dataclass
from typing import Annotated
from spec.language import Range, action, always, guard, record, require

@dataclass(frozen=True)
class Scope:
    top: int = 900

@record
class State:
    n: Annotated[int, Range(0, "top")]

def init(scope):
    return State(0)

@action(by=lambda scope: range(3))
def up(s, scope, by):
    guard(s.n + by <= scope.top)
    s.n += by

@always()
def low(s, scope):
    return s.n <= scope.top

actions = (up,)
properties = (low,)
"""


# What an audit shows.


def test_a_search_says_how_many_tries_agree():
    outcome = run(OURS)
    assert outcome.as_expected
    assert outcome.audit.tries >= audit.TRIES
    assert audit_report.lines(outcome.audit) == [
        f"audit: {outcome.audit.tries:,} native tries agree (seed {outcome.audit.seed})"
    ]
    # The same check draws the same tries.
    assert run(OURS).audit == outcome.audit


def test_a_small_model_is_tried_completely():
    model = model_for(YARDSTICK)
    assert run(YARDSTICK).audit == Audit(170, audit.seed_of(str(model.scope)), True)
    found = plain_bfs.search(model)
    assert len(found.states) * sum(len(it.combinations()) for it in model.instances()) == 170


def test_a_search_that_is_cut_or_violated_is_audited_too():
    cut = run(dataclasses.replace(OURS, limits=Limits(states=10)))
    assert (cut.status, cut.audit.enough) == ("cut short", True)
    broken = run(Check("R=1 N=8 broken=1", model=YARDSTICK.model))
    assert (broken.status, broken.audit.enough) == ("violated", True)


def test_runs_go_deep_and_a_third_of_what_is_drawn_is_enabled():
    native = Native(model_for(OURS), 1)
    tries = native.walk(300)
    drawn = tries[-300:]
    assert sum(done.answer.enabled for done in drawn) >= 100
    assert max(len(done.at.run) for done in tries) > 30
    assert len({(done.at.key, done.number, *done.chosen.values()) for done in tries}) == len(tries)


def test_huge_choices_are_drawn_and_never_listed():
    native = Native(matrix.model_of(CORE), 3)
    assert not native.listable
    lengths = [value for done in native.walk(300) for value in done.chosen.values()]
    assert max(lengths) > 1 << 40


def test_the_canary_fails_as_it_must_and_has_the_states_that_plain_python_finds():
    outcome = run(CANARY)
    assert outcome.as_expected
    assert set(outcome.steps) == set(canary.MUST_FAIL)
    plain = plain_bfs.search(Model(canary, canary.Scope()))
    found = outcome.exploration
    assert (found.states, found.transitions, found.depth) == (len(plain.states), plain.transitions, plain.depth)


def test_the_canary_must_fail_by_nothing_else():
    less = dataclasses.replace(CANARY, expect=CANARY.expect[1:])
    assert not run(less).as_expected


# An audit that looks at nothing.


def test_what_is_not_audited_is_no_pass(monkeypatch):
    monkeypatch.setattr(checker.search.audit, "reachable", lambda native: ([], False))
    outcome = run(OURS)
    assert (outcome.status, outcome.as_expected, exit_code_of(outcome)) == ("not audited", False, 3)
    assert not run(CANARY).as_expected


def test_few_tries_are_enough_only_where_there_are_no_others():
    assert Audit(audit.TRIES, 0).enough
    assert not Audit(audit.TRIES - 1, 0).enough
    assert Audit(1, 0, every=True).enough
    assert not Audit(0, 0, every=True).enough


def test_a_proof_and_a_bounded_check_without_audit_are_no_pass():
    shown = matrix.Proven(CORE, "", audit=Audit(), complete=True)
    assert not shown.holds
    assert dataclasses.replace(shown, audit=Audit(audit.TRIES, 0)).holds


# Each way to differ, in each reading.


def columns(search_of):
    search = Search(search_of)
    search.run(Limits(states=100))
    return readings_of(search)[-1]


def spoilt(reading, kind):
    """The reading with one answer changed: the first enabled one without a fault."""
    honest = reading.read

    def read(tries):
        answers = honest(tries)
        answer = next(it for done, it in zip(tries, answers, strict=True) if done.after is not None)
        if kind == "enabled":
            answer.enabled = False
        elif kind == "fault":
            answer.faults = frozenset(["exact-label"])
        elif kind == "successor":
            leaf = min(reading.leaves)
            answer.after[leaf] += 1
        else:
            name = next(name for name in answer.verdicts if name in {it.name for it in OF_STEPS} or kind == "state")
            answer.verdicts[name] = not answer.verdicts[name]
        return answers

    reading.read = read
    return reading


OF_STEPS = [stated for stated in spec.model.properties if stated.of_steps]
SAYS = {
    "enabled": "natively enabled, read as .* not enabled",
    "fault": "natively violates nothing itself, read as .* violates exact-label",
    "successor": r"afterwards: natively \d+, read as .* \d+",
    "step": "the property .*: natively (True|False), read as",
    "state": "the property .*: natively True, read as .* False",
}


@pytest.fixture(scope="module")
def readings():
    model = model_for(OURS)
    induction = Induction(matrix.model_of(CORE))
    return {"columns": (model, lambda: columns(model)), "terms": (induction.model, lambda: ProofReading(induction))}


@pytest.mark.parametrize("kind", SAYS)
@pytest.mark.parametrize("which", ["columns", "terms"])
def test_a_difference_names_both_values_and_the_line(readings, which, kind):
    model, make = readings[which]
    native = Native(model, 5)
    tries = native.walk(60)
    with pytest.raises(Disagreement, match=SAYS[kind]) as raised:
        audit.hold(native, spoilt(make(), kind), tries, 5)
    said = str(raised.value)
    assert re.match(r"\S+/spec/\S+\.py:\d+ \(\w+\): \w+\(", said), said
    assert "seed 5" in said


def test_the_relation_of_bounded_checking_is_held_to_as_well(monkeypatch):
    honest = Steps.read
    monkeypatch.setattr(Steps, "read", lambda self, tries: spoilt_answers(honest(self, tries)))
    with pytest.raises(Disagreement, match="natively not enabled, read as terms enabled"):
        check_bounded(model_for(YARDSTICK), 2)


def spoilt_answers(answers):
    for answer in answers:
        answer.enabled = True
    return answers


def test_a_fault_of_the_terms_alone_ends_a_proof_and_a_bounded_check(monkeypatch):
    honest = Terms.__init__

    def wrong(self, *arguments):
        honest(self, *arguments)
        self._build["add"] = lambda a, b: a - b

    monkeypatch.setattr(Terms, "__init__", wrong)
    with pytest.raises(Disagreement, match="read as terms"):
        check_bounded(model_for(YARDSTICK), 1)
    with pytest.raises(Disagreement, match="read as terms"):
        checker.proof.term_audit.of_proof(Induction(matrix.model_of(CORE)), 0)


def test_states_of_the_solver_have_all_lemmas_and_vary_with_the_seed():
    induction = Induction(matrix.model_of(CORE))
    lemmas = induction.model.of_kind("lemma")
    states = {}
    for seed in (0, 1):
        native = Native(induction.model, seed)
        tries = list(checker.proof.term_audit.from_lemmas(induction, native, 1, 0))
        assert all(done.answer.enabled for done in tries)
        assert all(stated(done.at.state, induction.model.context) for done in tries for stated in lemmas)
        assert max(value for done in tries for value in done.at.values) > 1000
        states[seed] = {done.at.key for done in tries}
    assert states[0] != states[1]


# The places.


def test_the_line_that_wrote_a_leaf_is_named(tmp_path):
    check = model_file(tmp_path, COUNTER)
    native = Native(model_for(check), 0)
    done = native.attempt(native.root, 0, {"by": 2})
    line = COUNTER.splitlines().index("    s.n += by") + 1
    assert checker.search.audit_place.of_action(native, done, 0) == f"{check.model}:{line} (up)"
    guarded = native.attempt(native.visit(type(native.root.state)(900)), 0, {"by": 1})
    assert not guarded.answer.enabled
    assert checker.search.audit_place.of_action(native, guarded) == f"{check.model}:{line - 1} (up)"


# Planted faults of the evaluator.


def test_without_a_fault_the_checks_hold():
    assert exit_code() == 0


@pytest.mark.parametrize("name", FAULTS)
def test_no_verdict_stands_with_a_fault_in_the_evaluator(name):
    with FAULTS[name].planted():
        assert exit_code() in (1, 70)


def test_a_disagreement_is_exit_code_70_and_says_where(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["slotproof", "explore", "--model", canary.FILE, "--all"])
    with FAULTS["last-elif-dropped"].planted(), pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 70
    assert re.search(r"canary\.py:\d+ \(branch\): branch\(.*natively", capsys.readouterr().err)


def test_the_result_for_machines_has_the_tries_and_the_seed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["slotproof", "explore", "--model", YARDSTICK.model, "--set", "N=4", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    assert json.loads(capsys.readouterr().out)["audit"] == audit_report.data(run(YARDSTICK).audit)


# A property that asks the state before a step what only tells of the last step.


def test_what_only_tells_of_the_last_step_cannot_be_asked_of_the_state_before(tmp_path):
    text = COUNTER.replace("Range, action", "Range, Transient, action, step").replace(
        '    n: Annotated[int, Range(0, "top")]\n',
        '    n: Annotated[int, Range(0, "top")]\n    last: Annotated[int, Range(0, 9), Transient()]\n',
    )
    text = text.replace("State(0)", "State(0, 0)").replace(
        "actions = ", "@step()\ndef same(before, after, scope):\n    return before.last == 0\n\nactions = "
    )
    text = text.replace("properties = (low,)", "properties = (low, same)")
    with pytest.raises(
        BadModel, match="reads last, which only tells of the last step, and asks it of the state before"
    ):
        run(model_file(tmp_path, text))


# The verdict itself, held against native runs.


def test_a_state_that_the_search_never_came_to_is_a_contradiction(monkeypatch):
    monkeypatch.setattr(Searched, "found", lambda self, tries: [not done.at.run for done in tries])
    with pytest.raises(Disagreement, match="was never searched: after launch"):
        run(YARDSTICK)


def test_a_search_that_loses_a_violation_is_a_contradiction(monkeypatch):
    honest, by = Search.run, []

    def forgetful(self, *arguments):
        result = honest(self, *arguments)
        result.counterexamples.pop("turn-goes-up")
        by.append(result.by)
        return result

    monkeypatch.setattr(Search, "run", forgetful)
    with pytest.raises(Disagreement) as raised:
        run(CANARY)
    assert f"turn-goes-up is violated natively, and the verdict by {by[0]} has it hold" in str(raised.value)
