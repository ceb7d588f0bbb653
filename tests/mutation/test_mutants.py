"""Mutants of the spec: how they are made, what kills them, and that every survivor has its reason."""

import ast
import dataclasses
from collections import Counter

import pytest

import spec.model
from checker.command.report import verify as verify_report
from checker.command.report.mutation import data, exit_code, lines
from checker.command.verify import Verification
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.lockstep.coverage import Coverage
from checker.lockstep.findings import Campaign
from checker.lockstep.mix import ACTIONS
from checker.model.spec_copy import edited_model
from checker.mutation.equivalent import JUSTIFIED
from checker.mutation.operators import MODULES, mutants, mutants_of, reached
from checker.mutation.oracles import STAGES, judge, search
from checker.mutation.result import Kind, not_judged
from checker.mutation.score import SPEC, Score, drawn, judge_all, score
from spec.postconditions import POSTCONDITIONS

SMALL = '''
def step(s: State, number: int) -> bool:
    """Say what happens; not True, not 1."""
    guard(number < 3)
    require(number != ABSENT, "one-owner")
    found = number
    s.count += 2
    if s.open and not s.shut:
        found = s.phase
        tell(s)
    return found == RUNNING
'''


# For each postcondition a mutant that it kills, and the stage where it does.
KILLED_BY_POSTCONDITION = {
    "every-boundary-is-marked": (2, "spec/ring.py claim_lazily: if design.scope.without_spare == SKIP: -> if False:"),
    "same-prompt-finds-it": (0, "spec/design.py Design.marks_before_the_end: return not cached -> return False"),
    "launches-are-reported": (0, "spec/actions/decode.py prepare: s.step.events[request].prepared = True -> pass"),
    "results-are-reported": (0, "spec/actions/abort.py abort: s.step.events[request].aborted = True -> pass"),
    "withheld-checkpoints-reported": (0, "spec/actions/results.py donate: event.key_cached = cached -> pass"),
    "withheld-donations-stay": (0, "spec/design.py Design.donates_duplicates: return False -> return True"),
    "former-label-is-remembered": (
        -2,
        "spec/actions/results.py complete_decode: me.former[index] = me.last_len -> pass",
    ),
    "reuse-is-reported": (0, "spec/slots.py take: if awaits_write(s, slot): -> if True:"),
    "dead-state-is-erased": (0, "spec/actions/cache.py evict: erase_dead_state(s) -> pass"),
    "cache-stays-in-bounds": (
        3,
        "spec/slots.py publish: guard(sum(key.family != ABSENT for key in s.cached) < design.scope.nodes) -> pass",
    ),
}


@pytest.fixture(scope="module")
def every():
    return {mutant.key: mutant for mutant in mutants()}


def test_a_small_text_has_these_mutants():
    assert Counter(mutant.operator for mutant in mutants_of("spec.small", SMALL)) == {
        "drop-guard": 1,
        "drop-require": 1,
        "drop-call": 1,
        "drop-assignment": 2,  # the count, and the second `found`: without the first there would be no such name
        "assignment": 1,
        "comparison": 3,
        "constant": 7,  # 3, 2 and RUNNING in two ways; ABSENT, as it is compared, in the one that may be equal
        "if": 2,
        "and-or": 1,
        "drop-operand": 2,
        "drop-not": 1,
        "return": 2,
    }


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("drop-guard", ["pass"]),
        ("comparison", ["guard(number <= 3)", 'require(number == ABSENT, "one-owner")', "return found != RUNNING"]),
        ("assignment", ["s.count -= 2"]),
        ("if", ["if False:", "if True:"]),
        ("and-or", ["if (s.open or not s.shut):"]),
        ("drop-operand", ["if True and not s.shut:", "if s.open and True:"]),
        ("drop-not", ["if s.open and s.shut:"]),
        ("return", ["return False", "return True"]),
    ],
)
def test_a_mutant_changes_one_line(operator, lines):
    made = [mutant for mutant in mutants_of("spec.small", SMALL) if mutant.operator == operator]
    assert [mutant.new for mutant in made] == lines


def test_what_spans_lines_keeps_the_lines_below_in_place():
    text = "def f(s):\n    s.row = Row(\n        a=1,\n        b=s.x\n        or s.y,\n    )\n    s.z = 1\n"
    for mutant in mutants_of("spec.small", text):
        assert mutant.text.splitlines()[6] in ("    s.z = 1", "    s.z = 0", "    s.z = 2", "    pass"), mutant.key
        ast.parse(mutant.text)


def test_every_mutant_is_another_text_that_compiles(every):
    texts = {mutant.text for mutant in every.values()}
    assert len(texts) == len(every) == len(mutants())
    for mutant in every.values():
        compile(mutant.text, mutant.file, "exec")
        assert mutant.old != mutant.new


def test_the_order_and_the_names_are_fixed(every):
    assert [mutant.name for mutant in mutants()] == [mutant.name for mutant in mutants()]
    assert {mutant.module for mutant in every.values()} == set(MODULES)


def test_what_only_properties_read_is_not_mutated():
    assert {"admit", "take", "pick", "claims"} <= reached()
    assert not {"promised", "claim_pending", "boundary_behind"} & reached()


def test_every_justified_survivor_is_a_mutant(every):
    assert sorted(set(JUSTIFIED) - set(every)) == []


def test_few_survivors_are_justified(every):
    assert len(JUSTIFIED) <= 0.05 * len(every)


def test_properties_read_their_own_copy_of_what_is_mutated(every):
    mutant = next(mutant for mutant in every.values() if mutant.module == "spec.rows")
    texts = mutant.texts()
    assert "from spec.rows_kept import" in texts["spec.lemmas"]
    assert "from spec.rows_kept import" in texts["spec.slots_kept"]
    assert texts["spec.rows_kept"] != texts["spec.rows"]


@pytest.mark.parametrize("stage", STAGES[:6], ids=lambda stage: stage.scope)
def test_nothing_kills_the_spec_itself(stage):
    assert search(spec.model, stage) == []


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES[6:], ids=lambda stage: stage.scope)
def test_nothing_kills_the_spec_itself_in_the_larger_scopes(stage):
    assert search(spec.model, stage) == []


@pytest.mark.parametrize("postcondition", POSTCONDITIONS, ids=lambda postcondition: postcondition.name)
def test_each_postcondition_kills_a_mutant(every, postcondition):
    stage, key = KILLED_BY_POSTCONDITION[postcondition.name]
    found = search(edited_model(every[key].texts(), "mutant"), STAGES[stage])
    assert (Kind.POSTCONDITION, postcondition.name) in [(kind, name) for kind, name, _ in found]


def test_a_result_says_what_killed_the_mutant(every):
    result = judge(every["spec/design.py Design.may_publish: return not claims(s, request, slot) -> return False"])
    assert (result.kind, result.by) == (Kind.PROPERTY, "checkpoint-not-lost")
    assert result.scope == STAGES[0].scope
    assert result.steps > 0


def test_the_score_names_survivors_without_a_reason(every):
    mutant = next(iter(every.values()))
    result = Score(SPEC, [not_judged(mutant)], len(every))
    assert not result.right
    assert exit_code(result) == VIOLATED
    assert "SURVIVED" in "\n".join(lines(result))
    assert data(result)["unjustified"] == [mutant.key]


def test_a_survivor_of_which_the_solver_has_left_questions_open_is_no_answer(every):
    mutant, other = list(every.values())[:2]
    unknown = not_judged(mutant)
    unknown.open.append("device: label-is-written")
    result = Score(SPEC, [unknown], len(every))
    assert not result.right
    assert exit_code(result) == INCONCLUSIVE
    assert "left open: device: label-is-written" in "\n".join(lines(result))
    assert (data(result)["unjustified"], data(result)["undecided"]) == ([], [mutant.key])
    # A hole beside it weighs more.
    result.results.append(not_judged(other))
    assert exit_code(result) == VIOLATED


def test_a_sample_is_killed():
    result = score(sample=4, workers=1)
    assert exit_code(result) == SHOWN, "\n".join(lines(result))
    assert result.killed == len(result.results) == 4


def test_a_reason_without_a_survivor_is_stale(monkeypatch):
    monkeypatch.setitem(JUSTIFIED, "spec/slots.py take: is no mutant", "no reason")
    result = score(dataclasses.replace(SPEC, mutants=lambda: mutants()[:1]), workers=1)
    assert "spec/slots.py take: is no mutant" in result.stale
    assert exit_code(result) == VIOLATED


def test_the_main_job_fails_where_a_mutant_survives():
    fuzzed = Campaign(Coverage(steps=1, actions=Counter(ACTIONS)))
    whole = Verification(mutants=Score(SPEC, [], 771), fuzzed=fuzzed)
    assert verify_report.exit_code(whole) != VIOLATED
    whole.mutants.results.append(not_judged(mutants()[0]))
    assert verify_report.exit_code(whole) == VIOLATED


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_mutant_is_killed_or_justified(part):
    chosen = mutants()[part::4]
    survivors = {result.key for result in judge_all(SPEC, chosen) if not result.killed}
    assert survivors == {mutant.key for mutant in chosen} & set(JUSTIFIED)


@pytest.mark.slow
def test_processes_and_one_process_judge_alike(every):
    chosen = list(every.values())[:2]
    alone = {result.key: (result.kind, result.by) for result in map(judge, chosen)}
    assert {result.key: (result.kind, result.by) for result in judge_all(SPEC, chosen, 2)} == alone


def test_one_mutant_more_or_less_changes_one_of_a_sample_at_most():
    every = mutants()
    sample = {mutant.key for mutant in drawn(SPEC, 10)}
    assert len(sample) == 10
    for gone in every[::97]:
        fewer = dataclasses.replace(SPEC, mutants=lambda gone=gone: [each for each in every if each is not gone])
        assert len(sample - {mutant.key for mutant in drawn(fewer, 10)}) <= 1
