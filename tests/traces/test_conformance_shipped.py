"""Decisions that shipped engines take otherwise at a donation or a finish, in the smallest traces that show them."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from checker.command.report.conformance import conformance_lines
from checker.model.known_designs import DESIGNS
from checker.traces.conformance.conformance import Conformance
from checker.traces.conformance.divergence import Conformity
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Header1 as Header
from checker.traces.format1 import Publish1 as Publish
from checker.traces.judge_file import judge_file
from tests.support.paths import TRACES
from tests.support.small_trace import EAGER, LAZY, prefill, prepare, process, upgrade


def conform(events: list[Event], design: str, header: Header) -> Conformity:
    upgraded, lines = upgrade(header, events)
    conformance = Conformance(upgraded, DESIGNS[design])
    for line, event in lines:
        conformance.feed(line, event)
    return conformance.result(explained=True)


def decisions(result: Conformity) -> list[str]:
    """The decisions that explain the first difference."""
    assert result.divergence is not None
    return [answer.decision for answer in result.divergence.answers]


def differs(result: Conformity) -> tuple[int, str] | None:
    return None if result.divergence is None else (result.divergence.line, result.divergence.field)


# A donation under a key that the cache has: upstream donates first, then the cache frees what it did not take.


def duplicate(ring: tuple[int, int], freed: tuple[int, ...], label: int | None = None) -> list[Event]:
    """A prefill to 3 tokens, whose checkpoint of 2 the cache has already; the request decodes once and finishes."""
    events: list[Event] = [
        Admit("A", 1, (2, 3), 0, 1),
        prefill(0, "A", 3, 0, None, 2, 2, 0, 1, 0, (2, 3)),
        process(0, "A", False, False, UNSET, 1, 0, label, ring),
        Publish("A", 2, 2, False),
        Free(freed),
        prepare(1, "A", 1, 4, 4, 3, 1, 1, 0, ring),
        process(1, "A", False, True, 0),
        Publish("A", 3, 4, True),
        Free((1, ring[0])),
    ]
    return events if freed else [*events[:4], *events[5:]]


def test_upstream_donates_before_it_knows_that_the_key_is_cached() -> None:
    assert conform(duplicate((4, 3), (2,)), "merged-29792", EAGER).conforms
    # The slot that the cache did not take must be freed, and nothing else.
    assert differs(conform(duplicate((4, 3), ()), "merged-29792", EAGER)) == (4, "freed")
    assert differs(conform(duplicate((4, 3), (2, 3)), "merged-29792", EAGER)) == (6, "slots")
    # The label goes with the checkpoint.
    assert differs(conform(duplicate((4, 3), (2,), 2), "merged-29792", EAGER)) == (4, "last_len")


def test_our_design_keeps_the_slot_whose_key_is_cached() -> None:
    def ours(kept: bool) -> list[Event]:
        events = duplicate((2, 3) if kept else (4, 3), () if kept else (2,), 2 if kept else None)
        events[1] = prefill(0, "A", 3, 0, None, 2, 2, 0, 1, 1, (2, 3))
        return events[:4]

    assert conform(ours(True), "slotproof", EAGER).conforms
    result = conform(ours(False), "slotproof", EAGER)
    assert differs(result) == (4, "last_len")
    assert decisions(result) == ["donates_duplicates"]


# The gate at a finish.


def in_place(published: bool) -> list[Event]:
    """A lazy request decodes to 4 without a spare, over its only checkpoint, and finishes with that very result."""
    events: list[Event] = [
        Admit("A", 1, (2, None), 0, 0),
        prefill(0, "A", 3, 0, None, 2, 2, 0, 0, 0, (2, None)),
        process(0, "A", False, False, UNSET, 0, 0, None, (3, None)),
        Publish("A", 2, 2, True),
        prepare(1, "A", 1, 4, 4, 3, 0, 0, 0, (3, None)),
        process(1, "A", False, True, 0),
    ]
    return [*events, *([Publish("A", 3, 4, True), Free((1,))] if published else [Free((1, 3))])]


def test_the_finish_gate_of_0_5_17_keeps_back_what_was_written_in_place() -> None:
    assert conform(in_place(False), "before-29792", LAZY).conforms
    result = conform(in_place(True), "before-29792", LAZY)
    assert differs(result) == (8, "publication")
    assert decisions(result) == ["withholds"]


@pytest.mark.parametrize("design", ["merged-29792", "lazy-0.5.18", "slotproof"])
def test_no_other_design_withholds_a_checkpoint_that_was_written_in_place(design: str) -> None:
    result = conform(in_place(False), design, LAZY)
    assert differs(result) == (7, "publication")
    assert decisions(result) == ["withholds"]


def test_a_checkpoint_in_a_spare_is_not_withheld_by_any_gate() -> None:
    events = in_place(False)
    events[4] = prepare(1, "A", 1, 4, 4, 4, 1, 1, 0, (3, 4))
    events[6] = Free((1, 3, 4))
    assert differs(conform(events, "before-29792", LAZY)) == (7, "publication")


def overwritten_at_once() -> list[Event]:
    """A lazy request whose prefill's result ends it, while a decode in place is going to overwrite its checkpoint."""
    return [
        Admit("A", 1, (2, None), 0, 0),
        prefill(0, "A", 3, 0, None, 2, 2, 0, 0, 0, (2, None)),
        prepare(1, "A", 1, 4, 4, 2, 0, 0, 0, (2, None)),
        process(0, "A", False, True),
        Publish("A", 2, 2, True),
        Free((1,)),
        process(1, "A", True, False),
    ]


def test_no_gate_is_asked_where_a_prefills_own_result_ends_a_request() -> None:
    assert conform(overwritten_at_once(), "lazy-0.5.18", LAZY).conforms
    assert not conform(overwritten_at_once(), "merged-29792", LAZY).conforms, "its label is gone by then"
    assert not conform(overwritten_at_once(), "slotproof", LAZY).conforms


# A key that is shorter than the label.


def shorter(slot: int, length: int) -> list[Event]:
    """An eager request has checkpoints of 4 and 6 tokens when it finishes; the trace says what it publishes."""
    kept = {3: 2, 2: 3}[slot]
    return [
        Admit("A", 1, (2, 3), 0, 1),
        prefill(0, "A", 1, 0, None, None, None, None, 0, 1, (2, 3)),
        process(0, "A", False, False, UNSET, 0, 1, None, (2, 3)),
        prepare(1, "A", 1, 2, 2, 2, 0, 0, 1, (2, 3)),
        process(1, "A", False, False, 0, 1, 0, 2, (2, 3)),
        prepare(2, "A", 2, 3, None, None, None, 1, 0, (2, 3)),
        process(2, "A", False, False, 0, 1, 0, 2, (2, 3)),
        prepare(3, "A", 3, 4, 4, 3, 1, 1, 0, (2, 3)),
        process(3, "A", False, True, 0),
        Publish("A", slot, length, True),
        Free((1, kept)),
    ]


def test_a_short_key_falls_back_to_the_other_position_from_0_5_22_on() -> None:
    assert conform(shorter(3, 4), "merged-0.5.22", EAGER).conforms
    assert conform(shorter(2, 2), "merged-0.5.22", EAGER).conforms
    # The newest state is filed under its own label or not at all, the other one under the label that it had.
    assert differs(conform(shorter(3, 2), "merged-0.5.22", EAGER)) == (11, "slot")
    assert differs(conform(shorter(3, 3), "merged-0.5.22", EAGER)) == (11, "len")
    assert differs(conform(shorter(2, 6), "merged-0.5.22", EAGER)) == (11, "len")
    assert differs(conform(shorter(2, 2), "merged-29792", EAGER)) == (11, "slot")


@pytest.mark.parametrize("design", ["before-29792", "merged-29792"])
def test_a_short_key_gets_the_newest_state_to_0_5_21(design: str) -> None:
    assert conform(shorter(3, 3), design, EAGER).conforms
    assert differs(conform(shorter(3, 5), design, EAGER)) == (11, "len")
    # The gate at a finish is asked all the same.
    assert conform(in_place_and_cut(3), design, LAZY).conforms == (design == "merged-29792")


def in_place_and_cut(length: int) -> list[Event]:
    """A lazy request decodes to 4 without a spare and finishes with that result, published under `length` tokens."""
    return [*in_place(False)[:6], Publish("A", 3, length, True), Free((1,))]


def test_nothing_is_filed_under_a_short_key_by_our_design() -> None:
    assert differs(conform(in_place_and_cut(3), "slotproof", LAZY)) == (8, "publication")
    assert differs(conform(in_place_and_cut(3), "merged-0.5.22", LAZY)) == (8, "publication")


# After a difference that nothing else depends on, the comparison goes on.

BAD = TRACES / "sglang-0.5.23-eager-p9-n15-b7-bad.ndjson"


def found(result: Conformity) -> list[tuple[int, str, str, object, object, int]]:
    assert result.divergence is not None
    return [(d.line, d.event, d.field, d.expected, d.seen, d.times) for d in (result.divergence, *result.more)]


def test_upstreams_fault_is_found_behind_what_a_prefill_names_early() -> None:
    result = judge_file(BAD, DESIGNS["slotproof"]).conformity
    assert result is not None
    assert result.divergence is not None
    assert found(result) == [(3, "prefill", "last", 1, 0, 1), (20, "prepare", "next", 0, 1, 1)]
    assert [answer.decision for answer in result.divergence.answers] == ["names_prefill_at_preparation"]
    assert [answer.decision for answer in result.more[0].answers] == ["flips_at_preparation"]
    lines = conformance_lines(result, "a")
    assert lines.index("  line 20: prepare of batch 8, request A") > lines.index(
        "  line 3: prefill of batch 0, request A"
    )


def early(**changed: int) -> list[Event]:
    """A prefill whose `last` moves at once, as upstream's does."""
    return [
        Admit("A", 1, (2, 3), 0, 1),
        prefill(0, "A", 3, 0, None, 2, 2, 0, 1, changed.get("prefill", 0), (2, 3)),
        prepare(1, "A", 1, 4, 4, 3, 1, 0, changed.get("prepare", 0), (2, 3)),
        process(0, "A", False, False, UNSET, 0, changed.get("process", 0), 2, (2, 3)),
        process(1, "A", False, True, 0),
        Publish("A", 3, changed.get("publish", 4), True),
        Free((1, 2)),
    ]


def test_differences_of_one_kind_are_counted() -> None:
    again: list[Event] = [Admit("B", 5, (6, 7), 0, 1), prefill(2, "B", 3, 0, None, 2, 6, 0, 1, 0, (6, 7))]
    result = conform([*early(), *again], "slotproof", EAGER)
    assert found(result) == [(3, "prefill", "last", 1, 0, 2)]
    assert conformance_lines(result, "a")[-1] == "    the trace differs like this 2 times; nothing else depends on it"


def test_what_is_not_covered_is_reported_beside_a_difference() -> None:
    again: list[Event] = [Admit("B", 5, (6, 7), 0, 1), prefill(2, "B", 3, 0, None, 2, 6, 0, 1, 0, (6, 7))]
    chunk = prefill(3, "B", 5, 0, None, 4, 7, 1, 0, 1, (6, 7))
    result = conform([*early(), *again, chunk], "slotproof", EAGER)
    assert found(result) == [(3, "prefill", "last", 1, 0, 2)]
    assert (result.line, result.not_covered) == (11, "a prompt in chunks")
    assert conformance_lines(result, "a")[-1] == "  not covered from line 11: a prompt in chunks"


def test_what_is_passed_over_stays_as_the_trace_has_it() -> None:
    assert found(conform(early(), "slotproof", EAGER)) == [(3, "prefill", "last", 1, 0, 1)]
    assert conform(early(prefill=1, prepare=1), "slotproof", EAGER).conforms
    # From there on it is compared again.
    assert found(conform(early(prepare=1), "slotproof", EAGER))[1:] == [(4, "prepare", "last", 0, 1, 1)]
    assert found(conform(early(process=1), "slotproof", EAGER))[1:] == [(5, "process", "last", 0, 1, 1)]
    assert found(conform(early(publish=2), "slotproof", EAGER))[1:] == [
        (7, "publish", "publication", None, "slot 3 as 2 tokens", 1)
    ]


def test_a_position_that_the_ring_does_not_have_ends_the_comparison() -> None:
    assert found(conform(early(prefill=2), "slotproof", EAGER)) == [(3, "prefill", "last", 1, 2, 1)]


def test_a_last_that_a_label_speaks_about_is_no_report() -> None:
    assert found(conform(early(prefill=1, prepare=1), "merged-29792", EAGER)) == [(3, "prefill", "last", 0, 1, 1)]
