from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from checker.command.report import verdict as report
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Publish1 as Publish
from checker.traces.judge_file import Judgement
from tests.support.small_trace import (
    EAGER,
    LAZY,
    change,
    good,
    hazards,
    hit,
    judge,
    kinds,
    prefill,
    prepare,
    process,
    with_row,
)

# Hazards, each in a small trace: property, line, line where it healed, trace.

MISSED = [
    *good()[:5],
    change(5, next=1)[5],
    change(6, next=1)[6],
    change(7, next=1)[7],
    change(8, next=1)[8],
    prepare(4, "A", 4, 6, 6, 3, 1, 1, 1, (4, 3)),
    process(3, "A", False, False, 1, 1, 1, 4, (4, 3)),
    prepare(5, "A", 5, 7, None, None, None, 1, 1, (4, 3)),
    process(4, "A", False, False, 1, 0, 1, 6, (4, 3)),
    process(5, "A", False, True, 0),
    Publish("A", 3, 6, True),
    Free((1, 4)),
]
LAZY_GOOD = [
    Admit("A", 1, (2, None), 0, 0),
    prefill(0, "A", 3, 0, None, 2, 2, 0, 0, 0, (2, None)),
    prepare(1, "A", 1, 4, 4, 3, 1, 1, 0, (2, 3)),
    process(0, "A", False, False, msgspec.UNSET, 1, 0, 2, (2, 3)),
    process(1, "A", False, False, 0, 1, 1, 4, (None, 3)),
    Free((2,)),
    prepare(2, "A", 2, 5, None, None, None, 1, 1, (None, 3)),
    process(2, "A", False, True, 0),
    Publish("A", 3, 4, True),
    Free((1,)),
]
IN_PLACE_LABELLED = [
    Admit("A", 1, (2, None), 0, 0),
    prefill(0, "A", 3, 0, None, 2, 2, 0, 0, 0, (2, None)),
    process(0, "A", False, False, msgspec.UNSET, 0, 0, 2, (2, None)),
    prepare(1, "A", 1, 4, 4, 2, 0, 0, 0, (2, None)),
    prepare(2, "A", 2, 5, None, None, None, 0, 0, (2, None)),
    process(1, "A", False, False, 1, 0, 0, 4, (2, None)),
    process(2, "A", False, True, 0),
    Publish("A", 2, 4, True),
    Free((1,)),
]
HAZARDS: dict[str, tuple[str, int, int | None, list[Event]]] = {
    "lookahead too large": ("lookahead-window", 8, 10, change(6, lookahead=2)),
    "lookahead negative": ("lookahead-window", 8, 10, change(6, lookahead=-1)),
    "lookahead not the difference": ("inconsistent-record", 8, 10, change(6, lookahead=0)),
    "three batches pending": ("lookahead-window", 6, 7, [*good()[:3], Free(()), good()[5], good()[3], good()[4],
        *good()[6:]]),
    "nobody flipped": ("ring-apart", 11, 14, MISSED),
    "next after a boundary that is none": ("flip-once", 4, 5, change(2, next=0)),
    "next moved without a boundary": ("flip-once", 9, 10, change(7, next=1)),
    "last moved at preparation": ("inconsistent-record", 7, 9, change(5, last=1)),
    "last moved at a result": ("inconsistent-record", 8, 10, change(6, last=1)),
    "last has vanished": ("inconsistent-record", 8, 10, change(6, last=None)),
    "last out of the ring": ("keep-index-defined", 8, 10, change(6, last=2)),
    "label without a checkpoint": ("exact-label", 8, 10, change(6, last_len=4)),
    "label of another length": ("exact-label", 10, 12, change(8, last_len=2)),
    "label gone": ("inconsistent-record", 10, 12, change(8, last_len=None)),
    "count jumps": ("inconsistent-record", 9, 12, change(7, count=5)),
    "boundary without a mark": ("flip-once", 11, 12, change(9, mark=None, slot=None, pos=None)),
    "mark without a slot": ("inconsistent-record", 11, 12, change(9, slot=None)),
    "position out of the ring": ("inconsistent-record", 11, 12, change(9, pos=2)),
    "mark off the grid": ("grid", 3, None, change(4, change(1, len=3, mark=3), len=3)[:2] + good()[3:4]),
    "prefix off the grid": ("grid", 3, 4, change(1, prefix=1)),
    "row skipped, request running": ("inconsistent-record", 8, 10, change(6, skipped=True)),
    "skipped and done": ("inconsistent-record", 16, None, change(14, done=True)),
    "no row in the result": ("inconsistent-record", 8, None, change(6, rows=())),
    "slot freed too late": ("release-all", 15, 16, [*good()[:13], good()[14], good()[13]]),
    "slot never freed": ("release-all", 15, None, [*good()[:13], good()[14]]),
    "slot lost from the ring": ("inconsistent-record", 9, 11, change(7, ring=(4, None))),
    "slot lost at a result": ("release-all", 6, None, [*good()[:4], *good()[5:]]),
    "slot left and came back": ("inconsistent-record", 9, 11, change(6, ring=(4, None))),
    "a slot for nothing": ("inconsistent-record", 7, 9, [*change(0, ring=(2, None))[:1],
        *[with_row(e, ring=(2, None)) for e in good()[1:3]], with_row(good()[3], ring=(4, None)), good()[4],
        *good()[5:]]),
    "checkpoint not published": ("checkpoint-not-lost", 12, None, [*good()[:11], Free((1, 3, 4)), good()[14]]),
    "older checkpoint published": ("checkpoint-not-lost", 12, None, [*good()[:11], Publish("A", 3, 2, False),
        Free((1, 3, 4)), good()[14]]),
    "published after leaving": ("retract-pure", 7, None, [*good()[:4], Free((1,)), good()[4], Publish("A", 3, 4, False),
        Free((3, 4)), process(1, "A", True, False)]),
    "copied twice": ("deferred-once", 20, 21, [*good(), *hit(4, 3)[:2],
        process(5, "C", False, False, msgspec.UNSET, 0, 1, None, (6, 7)),
        prefill(6, "C", 7, 4, 3, None, None, None, 0, 1, (6, 7)),
        process(6, "C", False, True), Free((5, 6, 7))]),
    "decode before prefill": ("inconsistent-record", 3, None, [good()[0],
        prepare(0, "A", 1, 1, None, None, None, 0, 1, (2, 3))]),
    "eager ring not full": ("inconsistent-record", 2, None, change(0, ring=(2, None))[:1]),
    "odd start": ("inconsistent-record", 2, None, change(0, next=1)[:1]),
}  # fmt: skip


@pytest.mark.parametrize("name", HAZARDS)
def test_hazards(name: str) -> None:
    property_, line, healed, events = HAZARDS[name]
    verdict = judge(events)
    print("\n".join(report.lines(Judgement(Path(name), verdict))))
    assert verdict.outcome != "bad"
    assert (property_, line, healed) in hazards(verdict)


# Such a row makes the state wrong, whatever else it is: the state under its label cannot be what the label says.
IMPOSSIBLE: dict[str, tuple[str, int, int | None, list[Event]]] = {
    "prefix as long as the prompt": ("inconsistent-record", 3, 4, change(1, prefix=2)),
    "prefill mark beyond its end": ("inconsistent-record", 3, 4, change(4, change(1, mark=4), len=4)),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_state_that_no_row_can_compute_is_bad_once_it_is_published(name: str) -> None:
    property_, line, healed, events = IMPOSSIBLE[name]
    verdict = judge(events)
    assert verdict.outcome == "bad"
    assert {violation.kind for violation in verdict.violations} == {"exact-label", "inconsistent-record"}
    assert any("cannot compute" in violation.message for violation in verdict.violations)
    assert (property_, line, healed) in hazards(verdict)


def test_every_hazard_says_what_would_have_made_it_harmful() -> None:
    for _, _, _, events in HAZARDS.values():
        for hazard in judge(events).hazards:
            assert hazard.harmful_if
            assert hazard.explanation


# Lazy mode.


def test_a_lazy_spare_and_an_in_place_write_are_in_order() -> None:
    for events in (LAZY_GOOD, IN_PLACE_LABELLED):
        verdict = judge(events, LAZY)
        assert (verdict.outcome, verdict.hazards) == ("good", [])


def standing(label: int | None) -> list[Event]:
    """A lazy request without a spare skips the boundary at 4 and writes 6 in place; then its result says `label`."""
    return [
        *IN_PLACE_LABELLED[:3],
        prepare(1, "A", 1, 4, None, None, None, 0, 0, (2, None)),
        prepare(2, "A", 2, 5, None, None, None, 0, 0, (2, None)),
        process(1, "A", False, False, 1, 0, 0, 2, (2, None)),
        prepare(3, "A", 3, 6, 6, 2, 0, 0, 0, (2, None)),
        process(2, "A", False, False, 1, 0, 0, label, (2, None)),
        process(3, "A", False, False, 0, 0, 0, 6, (2, None)),
    ]


def test_a_label_that_stands_over_an_in_place_claim_is_a_hazard() -> None:
    assert hazards(judge(standing(None), LAZY)) == []
    assert hazards(judge(standing(2), LAZY)) == [("ring-apart", 8, 10)]
    finished = [*standing(2)[:7], process(2, "A", False, True, 1), Publish("A", 2, 2, True), Free((1,))]
    assert kinds(judge(finished, LAZY)) == ["no-inflight-target"]


def test_a_donation_under_an_in_place_claim_is_a_violation() -> None:
    events = [
        *IN_PLACE_LABELLED[:2],
        prepare(1, "A", 1, 4, 4, 2, 0, 0, 0, (2, None)),
        process(0, "A", False, False, msgspec.UNSET, 0, 0, None, (3, None)),
        Publish("A", 2, 2, True),
    ]
    assert kinds(judge(events, LAZY)) == ["no-inflight-target"]


@pytest.mark.parametrize(
    ("property_", "line", "events"),
    [
        ("flip-once", 4, change(2, LAZY_GOOD[:4], next=0)),
        ("flip-once", 5, change(3, LAZY_GOOD[:4], next=0)),
        ("inconsistent-record", 4, change(2, LAZY_GOOD[:4], pos=0)),
        ("inconsistent-record", 2, change(0, LAZY_GOOD[:4], ring=(2, 3))[:1]),
        ("inconsistent-record", 8, [*LAZY_GOOD[:6], prepare(2, "A", 2, 5, None, None, None, 1, 1, (5, 3))]),
        ("accounting", 4, change(2, LAZY_GOOD[:4], ring=(2, 3, 5))),
    ],
)
def test_lazy_hazards(property_: str, line: int, events: list[Event]) -> None:
    header = msgspec.structs.replace(LAZY, ring=3, interval=4) if property_ == "accounting" else LAZY
    if property_ == "accounting":
        # Four positions' worth of slots with nothing outstanding: a leak of the spare, seen as a bound.
        events = [
            Admit("A", 1, (2, None, None), 0, 0),
            prefill(0, "A", 3, 0, None, None, None, None, 0, 0, (2, None, None)),
            process(0, "A", False, False, msgspec.UNSET, 0, 0, None, (2, None, None)),
            prepare(1, "A", 1, 4, 4, 3, 1, 1, 0, (2, 3, 5)),
        ]
        line = 5
    verdict = judge(events, header)
    assert (property_, line) in [(h.property, h.line) for h in verdict.hazards]


def test_rows_of_one_batch_that_share_a_target_are_bad() -> None:
    rows = (
        *prefill(0, "A", 2, 0, None, 2, 2, 0, 1, 0, (2, 3)).rows,
        *prefill(0, "B", 2, 0, None, 2, 2, 0, 1, 0, (6, 7)).rows,
    )
    events = [good()[0], Admit("B", 5, (6, 7), 0, 1), msgspec.structs.replace(good()[1], rows=rows)]
    first = judge(events).violations[0]
    assert (first.kind, first.line, first.slot) == ("distinct-targets", 4, 2)


# Where the property alone doesn't say which check spoke.

CHUNKS = [
    Admit("A", 1, (2, 3), 0, 1),
    prefill(0, "A", 3, 0, None, 2, 2, 0, 1, 0, (2, 3)),
    prefill(1, "A", 6, 0, None, 6, 3, 1, 0, 1, (2, 3)),
    process(0, "A", False, False, msgspec.UNSET, 0, 0, None, (4, 3)),
    Publish("A", 2, 2, True),
    process(1, "A", False, False, msgspec.UNSET, 0, 1, None, (4, 5)),
    Publish("A", 3, 6, True),
    prepare(2, "A", 1, 7, None, None, None, 0, 1, (4, 5)),
    process(2, "A", False, True, 0),
    Free((1, 4, 5)),
]


def unknown(events: list[Event]) -> list[Event]:
    """The same trace from an engine that records neither `next` nor `last`."""
    found: list[Event] = []
    for event in events:
        if isinstance(event, Admit):
            found.append(msgspec.structs.replace(event, next=None, last=None))
        elif isinstance(event, Publish | Free) or event.rows[0].next is msgspec.UNSET:
            found.append(event)
        else:
            found.append(with_row(event, next=None, last=None))
    return found


def test_chunks_of_a_prefill_are_in_order() -> None:
    verdict = judge(CHUNKS)
    assert (verdict.outcome, verdict.hazards) == ("good", [])


@pytest.mark.parametrize("events", [good(), CHUNKS])
def test_unknown_pointers_are_not_checked(events: list[Event]) -> None:
    verdict = judge(unknown(events))
    assert (verdict.outcome, verdict.hazards) == ("good", [])


@pytest.mark.parametrize(
    ("words", "line", "events"),
    [
        ("leaves nothing of 2", 3, change(1, prefix=2)),
        ("prefill to 3 tokens after 3", 4, change(2, CHUNKS, len=3)),
        ("prefill after a decode step", 5, [*good()[:3], prefill(2, "A", 6, 0, None, 6, 3, 1, 0, 1, (2, 3))]),
        ("outside of this forward's tokens 4 to 6", 4, change(2, CHUNKS, mark=2)),
        ("nobody advanced `next`", 11, MISSED),
        ("`next` advanced more than once", 10, change(8, next=1)),
        ("an eager ring has an absent position", 8, change(6, ring=(4, None))),
        ("last is 1 at admission, and should be 0", 2, change(0, LAZY_GOOD, last=1)[:1]),
        ("last is 0 at admission, and should be 1", 2, change(0, last=0)[:1]),
        ("mark 6 without a slot", 11, change(9, slot=None)),
        ("next was 0 and isn't known any more", 9, change(7, next=None)),
        ("next was 0 and isn't known any more", 10, change(8, next=None)),
        ("next is 2 in a ring with 2", 9, change(7, next=2)),
        ("mark 0 isn't a multiple of 2", 3, change(1, mark=0)),
        ("slot 3 left the ring and came back", 9, change(6, ring=(4, None))),
        ("said to stay with A, and belongs to nobody", 6, change(4, slot=9, stored=False)),
        ("the row writes at position 0, and next is 1", 4, change(2, LAZY_GOOD[:4], pos=0, slot=2)),
        ("position 0, which is last, holds no slot", 8, change(6, ring=(None, 3))),
        ("the label is absent after this result, and should be 4", 12, change(10, MISSED, last_len=None)),
        ("the label is absent after this result, and should be 2", 7, change(5, standing(2), last_len=None)),
        (
            "preparation moved last from absent to 0",
            4,
            change(2, change(1, change(0, last=None), last=None), last=0)[:3],
        ),
    ],
)
def test_hazards_in_words(words: str, line: int, events: list[Event]) -> None:
    lazy = isinstance(events[0], Admit) and None in events[0].ring
    verdict = judge(events, LAZY if lazy else EAGER)
    assert [h.line for h in verdict.hazards if words in h.explanation] == [line], verdict.hazards


def test_a_checkpoint_may_be_donated_by_a_result_without_a_mark() -> None:
    donated = process(3, "A", False, False, 1, 1, 1, None, (4, 5))
    events = [*good()[:10], donated, Publish("A", 3, 4, True), process(4, "A", False, True, 0)]
    verdict = judge([*events, Publish("A", 4, 6, True), Free((1, 5))])
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_a_prefill_checkpoint_may_stay_without_a_label() -> None:
    kept = [*good()[:2], process(0, "A", False, False, msgspec.UNSET, 1, 0, None, (2, 3)), Publish("A", 2, 2, False)]
    verdict = judge([*kept, prepare(1, "A", 1, 3, None, None, None, 1, 0, (2, 3))])
    assert (verdict.outcome, verdict.hazards) == ("cut", [])


def test_a_ring_of_one_is_enough_without_lookahead() -> None:
    header = msgspec.structs.replace(EAGER, ring=1, lookahead=0)
    events = [
        Admit("A", 1, (2,), 0, 0),
        prefill(0, "A", 2, 0, None, 2, 2, 0, 0, 0, (2,)),
        process(0, "A", False, False, msgspec.UNSET, 0, 0, 2, (2,)),
        prepare(1, "A", 1, 3, None, None, None, 0, 0, (2,)),
        process(1, "A", False, False, 0, 0, 0, 2, (2,)),
        prepare(2, "A", 2, 4, 4, 2, 0, 0, 0, (2,)),
        process(2, "A", False, True, 0),
        Publish("A", 2, 4, True),
        Free((1,)),
    ]
    verdict = judge(events, header)
    assert (verdict.outcome, verdict.hazards) == ("good", [])


def test_one_more_slot_is_in_bounds_while_a_prefill_is_outstanding() -> None:
    header = msgspec.structs.replace(LAZY, ring=3, interval=4)
    events = [
        Admit("A", 1, (2, None, None), 0, 0),
        prefill(0, "A", 3, 0, None, None, None, None, 0, 0, (2, None, None)),
        prepare(1, "A", 1, 4, 4, 3, 1, 1, 0, (2, 3, 5)),
    ]
    assert judge(events, header).hazards == []


def test_a_lazy_checkpoint_given_up_in_place_is_not_lost() -> None:
    events = [*standing(None)[:7], process(2, "A", False, True, 1), Free((1, 2)), process(3, "A", True, False)]
    assert judge(events, LAZY).hazards == []


def test_a_wrong_lazy_producer_position_heals_with_the_next_row() -> None:
    assert hazards(judge(change(6, LAZY_GOOD, next=0), LAZY)) == [("flip-once", 8, 9)]
