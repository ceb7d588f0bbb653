from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from checker.command.report import traces as report
from checker.traces.format import Launch, Mark
from checker.traces.format import PrefillRow as Row2
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import Publish1 as Publish
from checker.traces.judge import Judge, judge_trace
from checker.traces.judge_file import Judgement
from checker.traces.reading import BadTrace
from checker.traces.slots import HISTORY
from tests.support.paths import TRACES
from tests.support.small_trace import (
    EAGER,
    change,
    good,
    hazards,
    hit,
    judge,
    kinds,
    prefill,
    prepare,
    process,
    upgrade,
    with_row,
)
from tests.support.trace_traffic import HEADER as TRAFFIC
from tests.support.trace_traffic import long_trace, traffic

FILES = sorted(TRACES.glob("*.ndjson"))


# The recorded traces.


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_recorded_traces_get_the_verdict_in_their_name(path: Path) -> None:
    verdict = judge_trace(path)
    assert verdict.outcome == path.stem.rsplit("-", 1)[1]
    assert verdict == judge_trace(path, close_look=True)
    assert report.exit_code(Judgement(path, verdict)) == (verdict.outcome == "bad")


@pytest.mark.parametrize(
    ("name", "line", "kind", "slot", "label", "holds"),
    [
        ("sglang-0.5.17-eager-p9-n8-b8-bad", 22, "written-before-donated", 4, 16, "nothing"),
        ("sglang-0.5.17-lazy-p9-n11-b7-bad", 39, "exact-label", 9, 16, "receive C@24 from b14"),
        (
            "sglang-0.5.18-eager-p9-n15-b7-bad",
            40,
            "no-inflight-target",
            3,
            16,
            "A@16, and may at any time receive A@24",
        ),
        (
            "sglang-0.5.23-eager-p9-n15-b7-bad",
            40,
            "no-inflight-target",
            3,
            16,
            "A@16, and may at any time receive A@24",
        ),
    ],
)
def test_bad_traces_are_explained(name: str, line: int, kind: str, slot: int, label: int, holds: str) -> None:
    verdict = judge_trace(TRACES / f"{name}.ndjson")
    first, *rest = verdict.violations
    assert (first.line, first.event, first.kind, first.slot, first.label) == (line, "publish", kind, slot, label)
    assert holds in first.holds
    assert all(violation.root == line and not violation.story for violation in rest)
    assert first.story[-1].line > line, "the story goes on after the violation"
    text = "\n".join(report.lines(Judgement(Path(name), verdict)))
    assert f"slot {slot}, label {label}, holds" in text
    assert any(row.startswith(f"      > {line:>5}") for row in text.splitlines())


def test_a_state_in_another_slot_is_pointed_out() -> None:
    verdict = judge_trace(TRACES / "sglang-0.5.17-eager-p9-n8-b8-bad.ndjson")
    assert "slot 3 holds that state" in verdict.violations[0].message


def test_one_good_trace_has_one_hazard() -> None:
    found = {path.stem: hazards(judge_trace(path)) for path in FILES if path.stem.endswith("good")}
    expected = [("ring-apart", 32, 35)]
    assert {name: list_ for name, list_ in found.items() if list_} == {"sglang-0.5.23-eager-p12-n20-b5-good": expected}


def test_the_hazard_says_how_it_began_and_what_would_have_made_it_harmful() -> None:
    path = TRACES / "sglang-0.5.23-eager-p12-n20-b5-good.ndjson"
    (hazard,) = judge_trace(path).hazards
    assert (hazard.request, hazard.slot) == ("A", 3)
    assert "since line 15" in hazard.explanation
    text = "\n".join(report.lines(Judgement(path, judge_trace(path))))
    assert "Healed at line 35. It would have been harmful if the request finished" in text


def test_the_root_of_a_bad_trace_is_named_as_a_hazard_that_became_harmful() -> None:
    verdict = judge_trace(TRACES / "sglang-0.5.23-eager-p9-n15-b7-bad.ndjson")
    assert [(h.property, h.line, h.harmful_at) for h in verdict.hazards] == [("flip-once", 23, 40)]


# Violations, each in a small trace.


def test_the_small_trace_is_good() -> None:
    verdict = judge([*good(), *hit(4, 3)])
    assert (verdict.outcome, verdict.hazards, verdict.cut_because) == ("good", [], "")
    assert (verdict.events, verdict.batches, verdict.requests) == (19, 6, 2)


IN_PLACE = change(9, slot=3, pos=1, next=1, last=1)
DISPUTED = [*good()[:3], Admit("X", 2, (5, 6), 0, 1)]

BROKEN: dict[str, tuple[str, int, int, list[Event]]] = {
    # kind, line, slot, trace
    "wrong length": ("exact-label", 13, 3, change(11, len=2)),
    "promised another length": ("exact-label", 13, 4, change(11, slot=4)),
    "of another request": ("exact-label", 9, 6, [
        Admit("B", 7, (6, 8), 0, 1), prefill(0, "B", 2, 0, None, 2, 6, 0, 1, 0, (6, 8)), process(0, "B", False, True),
        Free((7, 6, 8)),
        Admit("A", 1, (6, 3), 0, 1), prefill(1, "A", 2, 0, None, None, None, None, 0, 1, (6, 3)),
        process(1, "A", False, True), Publish("A", 6, 2, True), Free((1, 3)),
    ]),
    "never written": ("written-before-donated", 10, 3, [
        *good()[:5], prepare(2, "A", 2, 4, None, None, None, 1, 0, (4, 3)), process(1, "A", False, True, 1),
        Free((4,)), Publish("A", 3, 4, True), Free((1,)), process(2, "A", True, False),
    ]),
    "overwritten by a pending row": ("no-inflight-target", 13, 3, IN_PLACE),
    "overwritten by a later row": ("no-inflight-target", 7, 2, change(5, slot=2)),
    "working slot published": ("no-inflight-target", 13, 1, change(11, slot=1, len=5)),
    "hit of a slot that isn't cached": ("exact-label", 18, 4, [*good(), *hit(4, 4)]),
    "hit under another length": ("exact-label", 18, 3, [*good(), *hit(2, 3)]),
    "hit of an evicted slot": ("exact-label", 19, 3, [*good(), Evict(3), *hit(4, 3)]),
    "hit of nothing": ("exact-label", 18, 3, [*good(), *hit(0, 3)]),
    "admitted with a taken slot": ("one-owner", 5, 2, DISPUTED),
    "admitted with a cached slot": ("one-owner", 17, 3, [*good(), Admit("C", 5, (3, 6), 0, 1)]),
    "the same slot twice": ("one-owner", 2, 2, [Admit("A", 2, (2, 3), 0, 1)]),
    "two positions, one slot": ("one-owner", 8, 3, change(6, ring=(3, 3))),
    "a ring with another's slot": ("one-owner", 4, 5, [
        Admit("B", 5, (6, 7), 0, 1), *change(1, ring=(2, 5))[:2],
    ]),
    "freed twice": ("one-owner", 15, 1, change(13, slots=(1,))),
    "freed while cached": ("one-owner", 15, 3, change(13, slots=(3,))),
    "freed in one breath twice": ("one-owner", 15, 4, change(13, slots=(4, 4))),
    "freed while in use": ("one-owner", 7, 3, [*good()[:4], Free((3,)), *good()[5:]]),
    "freed while in use, seen at a result": ("one-owner", 7, 3, [
        *good()[:4], Free((3,)), process(1, "A", False, False, 0, 1, 0, None, (4, 3)),
    ]),
    "evicted while in use": ("one-owner", 6, 3, [*good()[:4], Evict(3)]),
    "evicted while free": ("one-owner", 6, 9, [*good()[:4], Evict(9)]),
    "published while in the ring": ("one-owner", 6, 3, change(4, slot=3)),
    "published twice": ("one-owner", 13, 2, change(11, slot=2, len=2)),
    "length jumps": ("exact-label", 9, 1, change(7, len=7)),
    "length stands still": ("exact-label", 9, 1, change(7, len=4)),
    "mark isn't the length": ("inconsistent-record", 7, 3, change(5, mark=2)),
    "position holds another slot": ("inconsistent-record", 11, 4, change(9, pos=1)),
    "two rows for one request": ("inconsistent-record", 4, 1,
        [*good()[:2], change(2, rows=good()[2].rows * 2)[2]]),  # type: ignore[union-attr]
    "slot below the first": ("one-owner", 2, 0, change(0, working=0)),
    "slot beyond the last": ("one-owner", 6, 17, change(4, slot=17)),
    "another's slot published": ("one-owner", 6, 6, [
        *good()[:4], Publish("A", 6, 2, True),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_violations(name: str) -> None:
    kind, line, slot, events = BROKEN[name]
    verdict = judge(events)
    assert verdict.outcome == "bad"
    first = verdict.violations[0]
    assert (first.kind, first.line, first.slot) == (kind, line, slot)
    assert any(entry.line <= line for entry in first.story) or not first.story
    assert str(slot) in first.message


def test_a_rewrite_of_the_same_state_by_the_same_request_is_right() -> None:
    header, lines = upgrade(EAGER, [*good()[:2], *good()[3:5]])
    begun = [event for _, event in lines]
    for mark, kind in ((2, []), (3, ["no-inflight-target"])):
        marks = (Mark(mark, 2),)
        again = Row2(r="A", reads=None, writes=1, start=0, len=3, marks=marks, next=1, last=0, ring=(4, 3))
        found = Judge(header)
        for line, event in enumerate([*begun, Launch(b=1, rows=(again,))], 2):
            found.feed(line, event)
        assert kinds(found.result()) == kind


def test_a_promised_state_may_be_published() -> None:
    events = [*good()[:9], good()[9], process(3, "A", False, True, 1), Publish("A", 4, 6, True), Free((1, 3))]
    verdict = judge([*events, process(4, "A", True, False)])
    assert verdict.outcome == "good"


def test_pending_writes_in_a_reused_slot_come_before_the_new_owners() -> None:
    late = process(4, "A", True, False)
    events = [*good()[:14], Admit("B", 5, (4, 1), 0, 1), prefill(5, "B", 2, 0, None, 2, 4, 0, 1, 0, (4, 1)), late]
    done = [process(5, "B", False, True), Publish("B", 4, 2, True), Free((5, 1))]
    assert judge([*events, *done]).outcome == "good"
    early = [*good()[:14], Admit("B", 5, (4, 1), 0, 1), prefill(5, "B", 1, 0, None, None, None, None, 0, 1, (4, 1))]
    assert kinds(judge([*early, late, *done])) == ["exact-label"]


def test_a_working_slot_keeps_what_its_request_left_in_it() -> None:
    events = [*good(), Admit("B", 5, (1, 6), 0, 1), prefill(5, "B", 2, 0, None, None, None, None, 0, 1, (1, 6))]
    verdict = judge([*events, process(5, "B", False, True), Publish("B", 1, 2, True), Free((5, 6))])
    assert [(v.kind, v.holds) for v in verdict.violations] == [("exact-label", "A@6")]


def test_a_disputed_slot_is_told_once() -> None:
    # X was given A's slot 2; when A frees it, that doesn't mean that X has left.
    other = [Admit("X", 5, (2, 6), 0, 1), prefill(9, "X", 3, 0, None, None, None, None, 0, 1, (2, 6))]
    events = [Admit("A", 1, (2, 3), 0, 1), prefill(0, "A", 3, 0, None, None, None, None, 0, 1, (2, 3)), *other]
    events += [process(0, "A", False, True), Free((1, 2, 3)), prepare(10, "X", 1, 4, 4, 2, 0, 1, 1, (2, 6))]
    verdict = judge(events)
    assert [(v.line, v.kind) for v in verdict.violations] == [(4, "one-owner")]
    assert verdict.hazards == []


def test_what_follows_from_a_bad_copy_is_listed_under_its_cause() -> None:
    events = [
        *change(11, slot=3, len=2),
        Admit("C", 5, (6, 7), 0, 1),
        prefill(5, "C", 4, 2, 3, 4, 6, 0, 1, 0, (6, 7)),
        process(5, "C", False, True),
        Publish("C", 6, 4, True),
        Free((5, 7)),
        *hit(4, 6, 9, "D"),
    ]
    verdict = judge(events)
    assert [(v.line, v.root, bool(v.story)) for v in verdict.violations] == [
        (13, None, True),
        (18, 13, False),
        (20, 13, False),
        (23, 13, False),
    ]


def test_an_evicted_slot_starts_anew() -> None:
    events = [*change(11, slot=3, len=2), Evict(3), *hit(2, 2)]
    assert [v.line for v in judge(events).violations] == [13]


def test_a_copy_before_the_overwrite_is_still_a_copy_of_that_slot() -> None:
    assert kinds(judge([*IN_PLACE, *hit(4, 3)])) == ["no-inflight-target"]


def test_an_unknown_source_is_taken_on_trust() -> None:
    events = hit(4, 3)
    events[1] = with_row(events[1], copy_from=None)
    assert judge([*good(), *events]).outcome == "good"


def test_a_publication_that_was_not_stored_is_taken_on_trust() -> None:
    events = change(11, len=2, stored=False)
    assert kinds(judge([*events[:12], Free((1, 3, 4)), events[14]])) == []


# Ends and errors.


@pytest.mark.parametrize("length", range(1, 15))
def test_a_trace_that_ends_early_is_cut(length: int) -> None:
    verdict = judge(good()[:length])
    assert verdict.outcome == "cut"
    assert report.exit_code(Judgement(Path("p"), verdict)) == 3
    assert not verdict.hazards
    assert "the trace is cut" in list(report.lines(Judgement(Path("p"), verdict)))[1]


def test_an_incomplete_last_line_cuts() -> None:
    assert judge(good(), cut=True).outcome == "cut"


def test_a_violation_counts_although_the_trace_is_cut() -> None:
    assert judge(change(11, len=2)[:12], cut=True).outcome == "bad"


def test_a_header_alone_is_an_error() -> None:
    with pytest.raises(BadTrace, match="no event"):
        judge([])
    assert judge([], cut=True).outcome == "cut"


ERRORS: dict[str, tuple[int, str, list[Event]]] = {
    "row of nobody": (4, "isn't running", change(2, r="B")[:3]),
    "result of a batch never launched": (2, "none is pending", [process(0, "A", True, False)]),
    "result out of order": (5, "batch 0 is next", [*good()[:3], process(1, "A", False, False, 0, 1, 0, None, (2, 3))]),
    "result processed twice": (7, "batch 1 is next", [*good()[:5], good()[3]]),
    "batch launched twice": (5, "is launched after", [*good()[:3], good()[2]]),
    "batches out of order": (4, "is launched after", change(2, b=0)[:3]),
    "result row of nobody": (5, "has a row for B", change(3, r="B")[:4]),
    "admitted while running": (3, "is running already", [good()[0], good()[0]]),
    "no lookahead in a decode row": (8, "lookahead", change(6, lookahead=msgspec.UNSET)),
    "ring too short": (3, "a ring of 1", change(1, ring=(2,))),
    "publication by nobody": (6, "no such request", change(4, r="B")),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_refers_to_nothing_is_an_error(name: str) -> None:
    line, reason, events = ERRORS[name]
    with pytest.raises(BadTrace, match=reason) as caught:
        judge(events)
    assert caught.value.line == line


def test_a_result_may_leave_out_rows_of_requests_that_are_over() -> None:
    assert judge([*good()[:14], Process(4, ())]).hazards == []


def test_a_request_that_frees_a_slot_while_running_has_left() -> None:
    events = [*good()[:5], Free((1,)), Free((3, 4)), process(1, "A", True, False), Admit("A", 1, (3, 4), 0, 1)]
    verdict = judge(events)
    assert (verdict.outcome, verdict.hazards) == ("cut", [])
    assert (verdict.requests, verdict.cut_because) == (2, "1 requests are still running")


# Memory and speed.


def test_memory_is_bounded_by_slots_and_running_requests() -> None:
    header, lines = upgrade(TRAFFIC, traffic(8))
    judge_ = Judge(header)
    longest = 0
    for line, event in lines:
        judge_.feed(line, event)
        if line % 500 == 0:
            slots = judge_.slots.values()
            longest = max(longest, *(len(slot.history) for slot in slots))
            assert len(slots) <= TRAFFIC.slots
            assert all(len(slot.pending) <= TRAFFIC.lookahead + 1 for slot in slots)
            assert judge_.running <= 8
            assert len(judge_.lives) <= 64 + 3 * 8
            assert len(judge_.batches) <= 2
        if line > 20_000:
            break
    assert longest == HISTORY
    assert judge_.result().hazards == []


def test_a_broken_trace_keeps_a_hundred_violations_and_counts_the_rest() -> None:
    verdict = judge([Evict(3)] * 250)
    assert (len(verdict.violations), verdict.hidden_violations) == (100, 150)
    verdict = judge([Free((None,))] * 250)
    assert (len(verdict.violations), verdict.hidden_violations) == (100, 150)
    odd = [change(6, lookahead=0)[6]] * 1
    verdict = judge([*good()[:6], *odd, *[Publish("A", 9, 2, False)] * 250])
    assert (len(verdict.hazards), verdict.hidden_hazards) == (100, 151)
    assert "151 more hazards" in "\n".join(report.lines(Judgement(Path("p"), verdict)))


def test_twenty_thousand_events_are_judged_in_a_second(tmp_path: Path) -> None:
    path = tmp_path / "long.ndjson"
    path.write_bytes(long_trace(20_000, 8))
    start = time.process_time()
    verdict = judge_trace(path)
    assert time.process_time() - start < 1
    assert (verdict.events, verdict.outcome, verdict.hazards) == (20_000, "cut", [])
