"""Scenarios: every script under tests/scenarios plays, meets its expectations, and gives its golden timeline.

To write the golden timelines anew after a change of wording, and then look at the difference:

    SLOTPROOF_REWRITE=1 pytest tests/scenarios/test_scenarios.py
"""

import dataclasses
import os
import re

import pytest

from checker.model.known_designs import DESIGNS
from checker.scenarios.commands import Command
from checker.scenarios.expectations import EXPECTATIONS, Expectation
from checker.scenarios.read import GOLDEN, BadScenario, play, read
from spec.actions import decode, results
from spec.design import Design
from spec.language import ABSENT
from spec.state import EXHAUSTED
from tests.support.paths import SCENARIOS

FILES = sorted(SCENARIOS.glob("*.txt"))
MUST_FAIL = ("before-29792-eager", "before-29792-lazy", "wait-stream-eager", "wait-stream-lazy")
EXPECTED = "expect violation exact-label no-inflight-target publishes-only-what-is-there"
MUST_FAIL += ("merged-29792-eager", "merged-0.5.22-eager", "lazy-0.5.18-lazy")
SMALL = "scenario Small\nscope requests=1 slots=4 nodes=1 mode=eager max_len=6\n"


def named(path):
    return path.stem


@pytest.mark.parametrize("path", FILES, ids=named)
def test_plays_as_recorded(path):
    scenario = read(path)
    played = play(scenario)
    assert not played.failed, played.text
    if os.environ.get("SLOTPROOF_REWRITE"):
        script = path.read_text(encoding="utf-8").split(f"\n{GOLDEN}\n")[0].rstrip("\n")
        path.write_text(f"{script}\n\n{GOLDEN}\n{played.text}", encoding="utf-8")
        scenario = read(path)
    assert played.text == scenario.golden


def commands(scenario):
    return [item.text for item in scenario.items if isinstance(item, Command) and not item.refused]


def violations(scenario):
    return {name for item in scenario.items if isinstance(item, Expectation) for name in item.violations}


@pytest.mark.parametrize("name", MUST_FAIL)
def test_there_is_a_story_of_every_design_that_fails(name):
    scenario = read(SCENARIOS / f"{name}.txt")
    assert name == f"{scenario.design}-{scenario.scope.mode}"
    assert "exact-label" in violations(scenario)
    assert {design for design in DESIGNS if any(one.startswith(design) for one in MUST_FAIL)} == {*DESIGNS} - {
        "slotproof"
    }


@pytest.mark.parametrize("name", MUST_FAIL)
def test_nothing_happens_under_our_design_at_the_same_schedule(name):
    theirs, ours = read(SCENARIOS / f"{name}.txt"), read(SCENARIOS / f"{name}-ours.txt")
    assert commands(ours)[: len(commands(theirs))] == commands(theirs), "ours may go on, but not differ"
    assert theirs.scope == ours.scope
    assert (ours.design, violations(ours)) == ("slotproof", set())


@pytest.mark.parametrize("name", MUST_FAIL)
def test_our_script_fails_under_the_design_that_it_answers(name):
    theirs, ours = read(SCENARIOS / f"{name}.txt"), read(SCENARIOS / f"{name}-ours.txt")
    under_theirs = play(ours, DESIGNS[theirs.design])
    assert any("exact-label" in failure.message for failure in under_theirs.failed)


# Each trap is watched at work: a design, or a wrong edit of an action, that falls into it.


class LabelsByLength(Design):
    def boundary_seen(self, me, row, lookahead):
        return (me.seq_len - lookahead) % self.scope.interval == 0

    def completed_label(self, me, row, lookahead):
        return me.seq_len - lookahead

    def completed_position(self, me, row, lookahead):
        return me.next


class DonatesWithoutGate(Design):
    def label_survives(self, s, request, row):
        return True

    def may_donate(self, s, request, slot):
        return True


class CountsTheRowItself(Design):
    def label_survives(self, s, request, row):
        self.processed = row.slot
        return super().label_survives(s, request, row)

    def may_publish(self, s, request, slot):
        return slot != self.processed


class DonatesByNext(Design):
    def donated_position(self, me, row):
        return 1 - me.next


@pytest.mark.parametrize(
    ("trap", "design"),
    [
        ("trap-skipped-row", LabelsByLength),
        ("trap-gate-at-donation", DonatesWithoutGate),
        ("trap-row-being-processed", CountsTheRowItself),
        ("trap-donation-by-the-row", DonatesByNext),
    ],
)
def test_a_trap_catches_the_design_that_falls_into_it(trap, design):
    assert play(read(SCENARIOS / f"{trap}.txt"), design).failed


@pytest.mark.parametrize("trap", ["trap-donation-without-replacement", "trap-donation-of-a-cached-key"])
def test_a_donation_that_clears_the_label_is_caught(trap, monkeypatch):
    donate = results.donate

    def clearing(s, design, request, row, supply):
        donate(s, design, request, row, supply)
        s.requests[request].last_len = ABSENT

    monkeypatch.setattr(results, "donate", clearing)
    assert play(read(SCENARIOS / f"{trap}.txt")).failed


def test_a_claim_over_last_beside_another_claim_is_caught(monkeypatch):
    claim = decode.claim_lazily

    def over_last(s, design, request, mark, supply):
        me = s.requests[request]
        if ABSENT not in me.ring:
            me.next = me.last
        return claim(s, design, request, mark, supply)

    monkeypatch.setattr(decode, "claim_lazily", over_last)
    assert play(read(SCENARIOS / "trap-two-claims.txt")).failed


# Playing: what is not met, and what nobody expected.


def script(tmp_path, text):
    path = tmp_path / "script.txt"
    path.write_text(text, encoding="utf-8")
    return read(path)


WRONG = [
    ("keep r1 slot 1 at 4", "the keep index is slot 1, the label 2"),
    ("label r1 absent", "the label is 2"),
    ("next r1 0", "next is 1"),
    ("last r1 1", "last is 0"),
    ("ring r1 slot 1 absent", "the ring is slot 1 slot 2"),
    ("source r1 slot 1 at 2", "it copies from nothing"),
    ("cached slot 1 as A@2", "slot 1 is cached as nothing"),
    ("slot 1 holds A@4", "slot 1 holds A@2"),
    ("slot 1 promised nothing", "slot 1 will hold A@2"),
    ("slot 1 free", "slot 1 belongs to r1"),
    ("slot 3 owned by r1", "slot 3 belongs to the free list"),
    ("slot 3 cached", "slot 3 belongs to the free list"),
    ("lookahead r1 1", "the lookahead is 0"),
    ("published r1 2", "the last step published nothing of it"),
    ("event r1 refused", "the step notes of r1: processed, boundary, no-replacement"),
    ("event r1 not processed", "the step notes of r1: processed"),
    ("violation exact-label", "exact-label is not violated by this step; violated: nothing"),
]


def test_every_kind_of_expectation_is_tried_with_a_wrong_value():
    assert {wrong.split()[0] for wrong, _ in WRONG} == set(EXPECTATIONS)


@pytest.mark.parametrize(("wrong", "seen"), WRONG, ids=[wrong for wrong, _ in WRONG])
def test_an_expectation_that_is_not_met_says_what_is_the_case(tmp_path, wrong, seen):
    steps = "admit r1 prompt 3\nprefill r1\ndevice\nprocess no replacement\n"
    played = play(script(tmp_path, f"{SMALL}{steps}expect {wrong}\n"))
    [failure] = played.failed
    assert (failure.line, failure.column) == (7, 8)
    assert seen in failure.message
    assert re.search(rf"FAILED +expect {re.escape(wrong)}", played.text)
    assert played.text.endswith("4 steps, 0 expectations met, 1 FAILED\n")


def test_the_events_of_a_request_that_is_not_in_use(tmp_path):
    played = play(script(tmp_path, f"{SMALL}admit r1 prompt 3\nabort r1\nexpect label r1 absent\n"))
    assert [failure.message for failure in played.failed] == ["`expect label r1 absent`: r1 is not in use"]


def without(scenario, *unwanted):
    """The scenario without some of its expectations."""
    kept = tuple(item for item in scenario.items if getattr(item, "text", "") not in unwanted)
    assert len(kept) < len(scenario.items)
    return dataclasses.replace(scenario, items=kept)


def unexpected(played):
    return [(failure.line, failure.message.split()[3].rstrip(";")) for failure in played.failed]


def test_a_violation_that_nobody_expected_fails_at_its_step():
    scenario = read(SCENARIOS / "lazy-0.5.18-lazy.txt")
    line = {item.text: item.line for item in scenario.items if isinstance(item, Command)}
    bare = without(scenario, "expect violation ring-apart", EXPECTED)
    assert unexpected(play(bare)) == [
        (line["prepare r1 no spare"], "ring-apart"),
        (line["process"], "exact-label"),
        (line["process"], "no-inflight-target"),
        (line["process"], "publishes-only-what-is-there"),
    ]


def test_a_violation_that_nobody_expected_is_explained():
    scenario = read(SCENARIOS / "lazy-0.5.18-lazy.txt")
    text = play(without(scenario, EXPECTED)).text
    assert re.search(r"FAILED +exact-label is violated: A slot cached under n tokens holds", text)
    assert re.search(r"spec/properties.py:\d+: +if promised\(s, slot\) != s.cached\[slot\]", text)
    assert re.search(r"promised\(s, slot\) = A@4", text)
    text = play(without(read(SCENARIOS / "merged-29792-eager.txt"), "expect violation flip-once")).text
    assert re.search(r"now.next +=\D+0\n +now.due +=\D+1\n", text)


def test_a_violation_of_a_step_is_expected_at_every_step():
    scenario = read(SCENARIOS / "merged-29792-eager.txt")
    bare = without(scenario, "expect violation ring-apart flip-once batch-local")
    assert {name for _, name in unexpected(play(bare))} == {"ring-apart", "flip-once", "batch-local"}


def test_a_property_that_healed_is_expected_anew(tmp_path):
    start = "admit r1 prompt 3\nprefill r1\nprepare r1 no spare\nexpect violation ring-apart\ndevice\n"
    heals = "process no replacement\ndevice\nprocess\nexpect label r1 4\n"
    again = "prepare r1\nprepare r1 no spare\n"
    text = SMALL.replace("eager", "lazy") + start + heals + again
    assert unexpected(play(script(tmp_path, text), DESIGNS["lazy-0.5.18"])) == [(13, "ring-apart")]


def test_only_what_a_search_would_choose_is_played(tmp_path):
    scenario = script(tmp_path, f"{SMALL}admit r1 prompt 3\n")
    [command] = scenario.items
    odd = dataclasses.replace(command, named={**command.named, "supply": EXHAUSTED})
    with pytest.raises(BadScenario, match="admit takes no supply of -2 in this scope"):
        play(dataclasses.replace(scenario, items=(odd,)))


def test_a_refused_step_that_may_happen_fails(tmp_path):
    played = play(script(tmp_path, f"{SMALL}refused: admit r1 prompt 3\n"))
    assert [(failure.line, failure.column, failure.message) for failure in played.failed] == [
        (3, 10, "`refused: admit r1 prompt 3` may happen here")
    ]


class KeepsNowhere(Design):
    def keep_index(self, me):
        return ABSENT


def test_a_design_that_cannot_say_where_its_checkpoint_is(tmp_path):
    played = play(script(tmp_path, f"{SMALL}admit r1 prompt 3\nexpect keep r1 slot 1 at 2\n"), KeepsNowhere)
    assert "the design cannot say: well-formed" in played.failed[0].message


class WritesNowhere(Design):
    def completed_position(self, me, row, lookahead):
        return ABSENT


def test_a_step_cut_short_by_a_violation_ends_the_scenario(tmp_path):
    steps = "admit r1 prompt 1\nprefill r1\ndevice\nprocess\nprepare r1\ndevice\nprocess\n"
    expected = script(tmp_path, f"{SMALL}{steps}expect violation well-formed\nexpect label r1 absent\n")
    played = play(expected, WritesNowhere)
    assert [failure.line for failure in played.failed] == [11]
    assert "no state to look at" in played.failed[0].message
    assert [failure.line for failure in play(script(tmp_path, SMALL + steps), WritesNowhere).failed] == [9]
    with pytest.raises(BadScenario, match="nothing can follow it"):
        play(script(tmp_path, f"{SMALL}{steps}prepare\n"), WritesNowhere)
