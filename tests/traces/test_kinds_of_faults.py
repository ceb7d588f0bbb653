"""Kinds of faults that a judge has missed, and correct runs that one has called bad: each in its smallest form."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Publish1 as Publish
from tests.support import small_trace as old
from tests.support.small_trace2 import (
    EAGER,
    LAZY,
    NONE,
    admit,
    begin,
    decode,
    end,
    evict,
    first,
    free,
    judged,
    launch,
    prefill,
    process,
    publish,
    result,
    take,
)

A = begin("A", 1, [2, 3])
B = begin("B", 5, [6, 7])
BOTH = [*A, *B]
QUIET = EAGER | {"lookahead": 2}


# A slot that is somebody else's.


def test_a_row_that_writes_the_working_slot_of_another_is_bad_at_once(tmp_path: Path) -> None:
    steps = [launch(0, prefill("B", 5, 0, 2)), launch(1, prefill("A", 1, 0, 2, (2, 5)))]
    assert first(judged(tmp_path, EAGER, *BOTH, *steps)) == ("one-owner", 7, 5)


@pytest.mark.parametrize("swapped", [False, True])
def test_two_rows_of_one_batch_that_write_one_slot_are_bad_in_any_order(tmp_path: Path, swapped: bool) -> None:
    rows = [prefill("A", 1, 0, 2, (2, 6)), prefill("B", 5, 0, 2, (2, 6))]
    verdict = judged(tmp_path, EAGER, *BOTH, launch(0, *(rows[::-1] if swapped else rows)))
    assert first(verdict) == ("distinct-targets", 6, 6)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_row_that_reads_what_another_of_its_batch_writes_is_bad_in_any_order(tmp_path: Path, swapped: bool) -> None:
    shared = [
        *begin("A", 1),
        launch(0, prefill("A", 1, 0, 2)),
        publish("A", 1, 2, shared=True, during=None),
        *begin("B", 5, hit={"slot": 1, "len": 2}),
    ]
    apart = [launch(1, decode("A", 1, 3) | {"writes": 2}), launch(2, prefill("B", 5, 2, 4) | {"reads": 1})]
    assert judged(tmp_path, NONE, *shared, take("A", 2), *apart).outcome == "good"
    rows = [decode("A", 1, 3), prefill("B", 5, 2, 4) | {"reads": 1}]
    assert judged(tmp_path, NONE, *shared, launch(1, *(rows[::-1] if swapped else rows))).outcome == "bad"


def test_a_target_that_is_freed_and_handed_on_under_a_launched_row_is_a_hazard(tmp_path: Path) -> None:
    steps = [launch(0, prefill("A", 1, 0, 2, (2, 2))), take("A", 4), free(2, during=None)]
    verdict = judged(tmp_path, EAGER, *A, *steps, *begin("B", 2, [6, 7]), launch(1, prefill("B", 2, 0, 2)))
    assert ("distinct-targets", 6, 2) in [(it.property, it.line, it.slot) for it in verdict.hazards]
    assert verdict.outcome == "good"


# A row and what it starts from.


def test_a_row_starts_where_its_state_ends(tmp_path: Path) -> None:
    begun = [*A, launch(0, prefill("A", 1, 0, 1))]
    assert judged(tmp_path, EAGER, *begun, launch(1, prefill("A", 1, 1, 4))).outcome == "good"
    for start in (2, 0):
        row = prefill("A", 1, start, 4) | {"reads": 1}
        assert first(judged(tmp_path, EAGER, *begun, launch(1, row))) == ("exact-label", 5, 1)
    assert first(judged(tmp_path, EAGER, *begun, launch(1, decode("A", 1, 4)))) == ("exact-label", 5, 1)


def test_a_row_starts_from_the_empty_state_or_from_a_cleared_slot(tmp_path: Path) -> None:
    used = [*A, launch(0, prefill("A", 1, 0, 2)), process(0, result("A", done=True)), free(1, 2, 3), end("A")]
    again = prefill("B", 1, 0, 2) | {"reads": 1}
    begun = [*used, *begin("B", 1, [2, 3])]
    assert judged(tmp_path, EAGER, *begun, launch(1, prefill("B", 1, 0, 2))).outcome == "good"
    assert judged(tmp_path, EAGER, *begun, launch(1, again, clears=[1])).outcome == "good"
    assert first(judged(tmp_path, EAGER, *begun, launch(1, again))) == ("exact-label", 10, 1)


CACHED = [
    *A,
    launch(0, prefill("A", 1, 0, 3, (2, 2))),
    process(0, result("A", done=True)),
    publish("A", 2, 2),
    free(1, 3),
    end("A"),
]


def test_a_hit_needs_its_copy(tmp_path: Path) -> None:
    begun = [*CACHED, *begin("C", 5, [6, 7], hit={"slot": 2, "len": 2})]
    copies = [{"from": 2, "to": 5, "len": 2, "r": "C"}]
    row = prefill("C", 5, 2, 4)
    assert judged(tmp_path, EAGER, *begun, launch(1, row, copies=copies)).outcome == "good"
    assert first(judged(tmp_path, EAGER, *begun, launch(1, row))) == ("exact-label", 11, 5)
    # A recorder that knows no copies says by the hit what the request starts from.
    blind = EAGER | {"knows": ["takes", "frees", "evicts", "ends"]}
    assert judged(tmp_path, blind, *begun, launch(1, row)).outcome == "good"
    assert judged(tmp_path, blind, *begun, evict(2), launch(1, row)).outcome == "bad"


def test_no_hit_and_an_unknown_hit_are_two_things(tmp_path: Path) -> None:
    row = launch(0, prefill("A", 1, 2, 4))
    assert judged(tmp_path, EAGER, *A, row).outcome == "bad"
    unknown = old.judge([old.good()[0], old.prefill(0, "A", 4, 2, None, 4, 2, 0, 1, 0, (2, 3))])
    assert unknown.outcome == "cut"
    assert list(unknown.unknown.values()) == [1], "what is taken on trust is counted"


# One result.


def hand_over(freed_first: bool) -> list[object]:
    """C finishes, and in the same result D's replacement takes the slot that C has given back."""
    rows = (
        *old.prefill(0, "C", 2, 0, None, 2, 2, 0, 1, 0, (2, 3)).rows,
        *old.prefill(0, "D", 2, 0, None, 2, 6, 0, 1, 0, (6, 7)).rows,
    )
    both = old.process(0, "C", False, True).rows + old.process(0, "D", False, False, old.UNSET, 1, 0, None, (3, 7)).rows
    effects = [Publish("C", 2, 2, True), Free((1, 3)), Publish("D", 6, 2, True)]
    return [
        Admit("C", 1, (2, 3), 0, 1),
        Admit("D", 5, (6, 7), 0, 1),
        old.Prefill(0, rows),
        old.Process(0, both),
        *(effects if freed_first else effects[::-1]),
        old.prepare(1, "D", 1, 3, None, None, None, 1, 0, (3, 7)),
        old.process(1, "D", False, True, 0),
        Free((5, 3, 7)),
    ]


@pytest.mark.parametrize("freed_first", [True, False])
def test_a_slot_may_be_handed_over_inside_one_result(freed_first: bool) -> None:
    verdict = old.judge(hand_over(freed_first))
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_a_slot_that_two_keep_is_not_handed_over() -> None:
    events = hand_over(True)
    events[5] = Free((1,))
    assert old.kinds(old.judge(events)) == ["one-owner"]


@pytest.mark.parametrize("before", [True, False])
def test_an_eviction_during_processing_has_a_place_before_and_behind_its_result(tmp_path: Path, before: bool) -> None:
    gone, taken = evict(2, during=1), take("B", 2, during=1)
    shown = process(1, result("B", next=1, last=0, last_len=None, ring=[2, 7]))
    given = publish("B", 6, 2, during=1)
    lines = [gone, taken, given, shown] if before else [shown, gone, taken, given]
    verdict = judged(tmp_path, EAGER, *CACHED, *B, launch(1, prefill("B", 5, 0, 3, (2, 6))), *lines)
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_any_number_of_requests_may_finish_in_one_result(tmp_path: Path) -> None:
    names = [f"R{number}" for number in range(200)]
    begun = [line for number, name in enumerate(names) for line in begin(name, 1 + number)]
    rows = [prefill(name, 1 + number, 0, 3) for number, name in enumerate(names)]
    results = [result(name, done=True) for name in names]
    gone = [line for number, name in enumerate(names) for line in (publish(name, 1 + number, 3), end(name))]
    verdict = judged(tmp_path, NONE | {"slots": 200}, *begun, launch(0, *rows), process(0, *results), *gone)
    assert (verdict.outcome, verdict.hazards) == ("good", [])


# Correct runs of other engines.


def test_chunks_working_slots_that_move_and_rows_of_several_tokens_are_good(tmp_path: Path) -> None:
    steps = [
        *begin("A", 6),
        launch(0, prefill("A", 6, 0, 8)),
        publish("A", 6, 8, shared=True, during=None),
        take("A", 7),
        launch(1, prefill("A", 6, 8, 10) | {"writes": 7}),
        process(0, result("A")),
        launch(2, decode("A", 7, 14) | {"start": 10}),
        process(1, result("A")),
        process(2, result("A", done=True)),
        free(7),
        end("A"),
    ]
    verdict = judged(tmp_path, NONE, *steps)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    # It may read on what it has shared, but never write it.
    again = [*steps[:4], launch(1, prefill("A", 6, 8, 10))]
    assert first(judged(tmp_path, NONE, *again)) == ("no-inflight-target", 6, 6)


def test_a_boundary_without_a_mark_is_counted(tmp_path: Path) -> None:
    steps = [*A, launch(0, prefill("A", 1, 0, 3)), process(0, result("A")), launch(1, decode("A", 1, 4))]
    verdict = judged(tmp_path, EAGER, *steps)
    assert (verdict.outcome, verdict.hazards, verdict.unmarked) == ("good", [], 1)


# Ids that cannot be.


@pytest.mark.parametrize(
    "line",
    [
        free(None),
        free(0),
        free(65),
        free(-3),
        publish("A", 0, 2),
        publish("A", None, 2),
        take("A", 0),
        evict(0),
        {"e": "rekey", "from": 0, "to": 2},
    ],
)
def test_an_id_that_nobody_can_have_is_the_engines_fault(tmp_path: Path, line: dict[str, object]) -> None:
    verdict = judged(tmp_path, EAGER | {"reserved": [0]}, *A, launch(0, prefill("A", 1, 0, 2)), line)
    assert first(verdict) is not None
    assert verdict.violations[0].kind == "one-owner"


def test_a_reserved_slot_may_be_written_by_anyone(tmp_path: Path) -> None:
    padding = {"kind": "decode", "reads": 0, "writes": 0, "start": 3, "len": 4, "marks": [], "r": "A"}
    steps = [*A, launch(0, prefill("A", 1, 0, 3, (2, 0))), launch(1, padding)]
    assert judged(tmp_path, EAGER | {"reserved": [0]}, *steps).outcome == "good"
    assert first(judged(tmp_path, EAGER | {"reserved": [0]}, *begin("B", 5, [0, 7]))) == ("one-owner", 2, 0)


def test_a_slot_that_nobody_took_has_no_owner(tmp_path: Path) -> None:
    assert first(judged(tmp_path, EAGER, *CACHED, admit("B", 1, [5, 6]))) == ("one-owner", 9, 1)
    silent = EAGER | {"knows": ["frees"]}
    assert judged(tmp_path, silent, *CACHED, admit("B", 1, [5, 6])).outcome == "good"
    # Before a line says whose a slot is nobody knows: a recording may begin in the middle.
    assert judged(tmp_path, EAGER, admit("A", 1, [2, 3])).outcome == "good"


# Ends.


def test_what_a_request_still_owns_at_its_end_has_leaked(tmp_path: Path) -> None:
    ended = [*A, launch(0, prefill("A", 1, 0, 3)), process(0, result("A", done=True)), free(1, 2), end("A")]
    verdict = judged(tmp_path, EAGER, *ended)
    assert [(it.property, it.line, it.slot) for it in verdict.hazards] == [("release-all", 7, 3)]
    for missing in ("takes", "frees", "ends"):
        knows = [word for word in EAGER["knows"] if word != missing]
        lines = [line for line in ended if line["e"] != missing.removesuffix("s")]
        assert not judged(tmp_path, EAGER | {"knows": knows}, *lines).hazards


def test_a_name_may_be_used_again_with_a_higher_epoch(tmp_path: Path) -> None:
    late = launch(1, decode("A", 1, 4) | {"epoch": 0})
    life = [*begin("A", 1, [2, 3], epoch=0), launch(0, prefill("A", 1, 0, 3) | {"epoch": 0}), late]
    left = [free(1, 2, 3), end("A", "retract")]
    again = [*begin("A", 1, [2, 3], epoch=1), launch(2, prefill("A", 1, 0, 3) | {"epoch": 1})]
    dropped = [process(0, result("A", skipped=True, epoch=0)), process(1, result("A", skipped=True, epoch=0))]
    verdict = judged(tmp_path, QUIET, *life, *left, *again, *dropped, process(2, result("A", epoch=1)))
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_a_lazy_ring_takes_its_spare(tmp_path: Path) -> None:
    steps = [
        *begin("A", 1, [2, None]),
        launch(0, prefill("A", 1, 0, 3, (2, 2), next=0, last=0, ring=[2, None])),
        take("A", 4),
        launch(1, decode("A", 1, 4, (4, 4), count=1, next=1, last=0, ring=[2, 4])),
        process(0, result("A", next=1, last=0, last_len=2, ring=[2, 4])),
        process(1, result("A", lookahead=0, next=1, last=1, last_len=4, ring=[None, 4])),
        free(2, during=1),
    ]
    verdict = judged(tmp_path, LAZY, *steps)
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_the_verdict_without_a_last_line_is_cut(tmp_path: Path) -> None:
    ended = [*A, launch(0, prefill("A", 1, 0, 3)), process(0, result("A", done=True)), free(1, 2, 3), end("A")]
    assert judged(tmp_path, EAGER, *ended).outcome == "good"
    verdict = judged(tmp_path, EAGER, *ended, stop=False)
    assert (verdict.outcome, verdict.cut_because) == ("cut", "there is no `stop` line")
    stopped = judged(tmp_path, EAGER, *ended, {"e": "stop", "why": "not covered", "what": "pipelines"}, stop=False)
    assert (stopped.outcome, stopped.not_covered) == ("not covered", "from line 8 on: pipelines")


def test_the_recorded_form_of_an_eviction_in_format_1_has_two_places() -> None:
    given = [Publish("A", 2, 2, True), Evict(2)]
    assert old.judge([*old.good()[:4], *given, *old.good()[5:]]).outcome == "good"
