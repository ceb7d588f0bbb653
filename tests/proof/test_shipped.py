"""The code that ships decides as the spec does: the proof, what it needs, and that a changed text is told apart."""

from __future__ import annotations

import ast
import pickle

import pytest

import spec.model
from checker.command.report import boundary as boundary_report
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof import boundary_contract, boundary_proof, boundary_source
from checker.proof.boundary_columns import disagreement
from checker.proof.boundary_proof import CONTRACT, MARKS, WIDER, Prover, Shipped, model_with, prove
from checker.proof.boundary_source import about, load, source, unreached
from checker.proof.boundary_witness import SEARCHED, tell
from checker.proof.induction import FAILS, PROVED, UNKNOWN, Obligation
from checker.search.bfs import Search
from checker.search.exploration import Limits
from runtime import boundary
from spec.properties import PROPERTIES


def changed(old: str, new: str):
    """Return the shipped module with one text in the place of another."""
    assert source().count(old) == 1, f"{old!r} must stand in the text once"
    return load(source().replace(old, new))


def test_the_shipped_code_is_proved() -> None:
    result = prove()
    assert result.holds, [obligation.name for obligation in result.failed + result.unknown]
    assert result.names == [
        node.name for node in ast.parse(source()).body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    ]
    assert boundary_report.exit_code(result) == SHOWN
    shown = {obligation.target for obligation in result.obligations if obligation.verdict == PROVED}
    assert shown == {stated.name for stated in boundary_contract.SHIPPED}
    assert boundary_report.data(result)["proved"]


def test_a_search_of_small_scopes_finds_nothing_either() -> None:
    for scope in [*SEARCHED, "requests=2 slots=6 families=1 max_len=3 mode=lazy"]:
        result = Search(model_with(boundary_contract.SHIPPED, scope)).run(Limits())
        assert result.complete
        assert not result.counterexamples


CHANGES = {
    "seq_len % interval == 0": ("seq_len % interval != 0", "decode_mark(seq_len=3, interval=2) = 3, the spec says -1"),
    "newest > prefix": (
        "newest >= prefix",
        "before_the_end(prompt=1, prefix=0, interval=2) = -1, "
        "prefill_mark(prompt=1, prefix=0, cached=False, interval=2) = 0, the spec says -1",
    ),
    "prompt - interval > prefix": (
        "prompt - interval >= prefix",
        "before_the_end(prompt=2, prefix=0, interval=2) = 0, "
        "prefill_mark(prompt=2, prefix=0, cached=False, interval=2) = 0, the spec says 2",
    ),
    "where(cached, newest, earlier)": (
        "newest",
        "before_the_end(prompt=4, prefix=0, interval=2) = 2, "
        "prefill_mark(prompt=4, prefix=0, cached=False, interval=2) = 4, the spec says 2",
    ),
    "(position + 1) % ring": ("position", "eager_next(position=0, mark=4, ring=2) = 0, the spec says 1"),
    "claimed == last": (
        "claimed != last",
        "label_after_claim(label=2, last=0, claimed=0, mark=4) = 2, the spec says -1",
    ),
    "ahead > limit": ("ahead >= limit", "outside_window(ahead=1, limit=1) = True, the spec says False"),
    "where(claims == 0, mark, ABSENT)": (
        "mark",
        "completed_label(label=-1, mark=2, claims=1) = 2, the spec says -1",
    ),
}


@pytest.mark.parametrize("old", CHANGES)
def test_a_changed_text_is_told_apart_at_the_end_of_a_run(old: str) -> None:
    new, inputs = CHANGES[old]
    module = changed(old, new)
    result = prove(module, quick=True)
    assert boundary_report.exit_code(result) == VIOLATED
    found = tell(module, result.differences[0])
    assert found.inputs == inputs
    assert found.run
    assert found.run[-1].action.name in found.step
    # `verify` proves in a process of its own, from which what was found has to come back.
    assert pickle.loads(pickle.dumps(result)) == result


def test_every_action_is_itself_after_it_went_to_another_process() -> None:
    for action in spec.model.actions:
        assert pickle.loads(pickle.dumps(action)) is action


def test_a_gate_that_never_has_to_close_is_compared_where_it_does() -> None:
    """No reachable state has a label under a claim; without the gate the proof fails from one that has."""
    module = changed("where(label == ABSENT, False, claims == 0)", "where(label == ABSENT, False, True)")
    result = prove(module, quick=True)
    assert {difference.property for difference in result.differences} == {"may-publish-agrees"}
    found = tell(module, result.differences[0])
    assert not found.run
    assert "claims=1) = True, the spec says False" in found.inputs


def test_an_answer_that_is_no_position_is_told_as_well() -> None:
    module = changed("where(mark == ABSENT, ABSENT, where(last", "where(mark == ABSENT, ABSENT - 1, where(last")
    found = tell(module, prove(module, quick=True).differences[0])
    assert "superseded(last=0, position=-1, mark=-1) = -2: well-formed" in found.inputs


def test_only_what_is_assumed_is_assumed_and_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    properties = about(boundary)
    for name, lemmas in boundary_contract.ASSUMED.items():
        stated = [stated for stated in properties if stated.name == name]
        for lemma in lemmas:
            fewer = {name: tuple(other for other in lemmas if other != lemma)}
            monkeypatch.setattr(boundary_proof, "ASSUMED", boundary_contract.ASSUMED | fewer)
            verdicts = {
                obligation.verdict for scope in (CONTRACT[1], WIDER[1]) for obligation, _ in Prover(scope).prove(stated)
            }
            assert FAILS in verdicts, f"{name} is proved without {lemma}"
            monkeypatch.undo()


def test_a_function_that_no_property_calls_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    assert unreached() == []
    text = f"{source()}\n\ndef forgotten(label: Value) -> Value:\n    return label\n"
    monkeypatch.setattr(boundary_source, "source", lambda: text)
    assert unreached() == ["boundary.forgotten"]
    result = Shipped(["forgotten"], unreached=unreached())
    assert boundary_report.exit_code(result) == VIOLATED


def test_nothing_looked_at_and_nothing_decided_is_no_proof() -> None:
    assert not Shipped().holds
    assert boundary_report.exit_code(Shipped()) == INCONCLUSIVE
    open_question = Shipped(["following"], obligations=[Obligation("prepare", "eager-next-agrees", UNKNOWN)])
    assert boundary_report.exit_code(open_question) == INCONCLUSIVE


def test_columns_agree_with_numbers_and_a_difference_is_found() -> None:
    assert disagreement(boundary) == ""
    assert "in a column" in disagreement(changed("np.where(condition, yes, no)", "np.where(condition, no, yes)"))
    assert "no answer for a column" in disagreement(changed("isinstance(condition, np.ndarray)", "False"))


def test_the_marks_are_proved_for_every_interval_that_is_named() -> None:
    assert len(MARKS) == 2 * len(boundary_proof.INTERVALS)
    off_by_one = changed("seq_len % interval == 0", "seq_len % interval == 0 and interval != 64")
    failed = {difference.scope for _, difference in Prover(MARKS[8]).prove(about(off_by_one)) if difference}
    assert [word for scope in failed for word in scope.split() if word.startswith("interval")] == ["interval=64"]


def test_the_names_of_properties_are_their_own() -> None:
    names = [stated.name for stated in [*boundary_contract.SHIPPED, *PROPERTIES]]
    assert len(set(names)) == len(names)
    assert set(boundary_contract.ASSUMED) <= {stated.name for stated in boundary_contract.SHIPPED}


def test_a_failure_is_printed_with_its_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = changed("newest > prefix", "newest >= prefix")
    result = prove(wrong, quick=True)
    properties = {stated.name: stated for stated in about(wrong)}
    monkeypatch.setattr(boundary_report, "boundary", wrong)
    monkeypatch.setattr("checker.proof.boundary_witness.SHIPPED", tuple(properties.values()))
    boundary_report.show(result)
    printed = capsys.readouterr().out
    assert "fail, 0 unknown" in printed
    assert "prefill_mark(prompt=1, prefix=0, cached=False, interval=2) = 0, the spec says -1" in printed
    assert "admit r1: prompt A@1" in printed
    assert boundary_report.data(result)["differences"][0]["reached in steps"] == 2
