from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from checker.command.report.conformance import conformance_lines
from checker.model.known_designs import DESIGNS
from checker.traces.conformance.conformance import Conformance
from checker.traces.conformance.divergence import Conformity
from checker.traces.conformance.slot_map import SlotNames
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Evict1 as Evict
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Header1 as Header
from checker.traces.format1 import Prefill1 as Prefill
from checker.traces.format1 import PrefillRow1 as PrefillRow
from checker.traces.format1 import Prepare1 as Prepare
from checker.traces.format1 import PrepareRow1 as PrepareRow
from checker.traces.format1 import Process1 as Process
from checker.traces.format1 import ProcessRow1 as ProcessRow
from checker.traces.format1 import Publish1 as Publish
from checker.traces.reading import read_trace
from spec.design import Design
from spec.language import Vector
from spec.scope import Scope
from spec.state import initial
from tests.support.paths import SPEC, TRACES
from tests.support.small_trace import EAGER, LAZY, change, good, prefill, prepare, process, upgrade
from tests.support.trace_traffic import long_trace


class Named(Design):
    """slotproof, but a prefill names its claim at preparation, as in the traces written by hand."""

    name = "named"

    def names_prefill_at_preparation(self) -> bool:
        return True


def conform(events: list[Event], design: type[Design] = Named, header: Header = EAGER, **named: Any) -> Conformity:
    upgraded, lines = upgrade(header, events, named.get("cut", False))
    conformance = Conformance(upgraded, design)
    for line, event in lines:
        conformance.feed(line, event)
    return conformance.result(**named)


def conform_file(path: Path, design: type[Design]) -> Conformity:
    reader = read_trace(path)
    conformance = Conformance(reader.header, design)
    for line, event in reader:
        conformance.feed(line, event)
    return conformance.result(reader.cut)


def where(result: Conformity) -> tuple[int, str, str, object, object] | None:
    told = result.divergence
    return None if told is None else (told.line, told.event, told.field, told.expected, told.seen)


def needs(result: Conformity) -> list[tuple[str, object]]:
    """The answers that would make the design produce the event."""
    assert result.divergence is not None
    return [(answer.decision, answer.instead) for answer in result.divergence.answers]


# The recorded traces. Upstream's eager designs move `last` when a prefill is prepared, ours when it is processed: that
# is seen in the first batch. A lazy prefill's position is `last` already, and its label is gone with the donation, so a
# lazy engine from 0.5.18 on that is never short of slots does exactly what slotproof does.

PREFILL = (3, "prefill", "last", 1, 0)
NAMES = [("names_prefill_at_preparation", True)]
EARLY = (18, "process", "last", 1, 0)
LATE = (23, "process", "last", 0, 1)

RECORDED: dict[str, dict[str, Any]] = {
    "0.5.17-eager-p9-n8-b0-good": {
        "before-29792": None,
        "merged-29792": (18, "process", "last_len", None, 16),
        "slotproof": (17, "prepare", "next", 0, 1),
    },
    "0.5.17-eager-p9-n8-b8-bad": {
        "before-29792": None,
        "merged-29792": (18, "process", "last_len", None, 16),
        "slotproof": (17, "prepare", "next", 0, 1),
    },
    "0.5.17-lazy-p9-n11-b7-bad": {
        "before-29792": None,
        "merged-29792": (23, "process", "last_len", 16, None),
        "lazy-0.5.18": (23, "process", "last_len", 16, None),
        "slotproof": (23, "process", "last_len", 16, None),
    },
    "0.5.18-eager-p9-n15-b0-good": {"merged-29792": None, "before-29792": EARLY, "slotproof": PREFILL},
    "0.5.18-eager-p9-n15-b7-bad": {"merged-29792": None, "before-29792": LATE, "slotproof": PREFILL},
    "0.5.18-lazy-p9-n15-b7-good": {"lazy-0.5.18": None, "merged-29792": None, "before-29792": LATE, "slotproof": None},
    "0.5.23-eager-p12-n20-b5-good": {
        "merged-29792": None,
        "before-29792": (12, "process", "last", 1, 0),
        "slotproof": PREFILL,
    },
    "0.5.23-eager-p9-n15-b7-bad": {"merged-29792": None, "before-29792": LATE, "slotproof": PREFILL},
    "0.5.23-lazy-p9-n15-b7-good": {"merged-29792": None, "before-29792": LATE, "slotproof": None},
    "0.5.23-lazy-p9-n20-b15-good": {"merged-29792": None, "before-29792": EARLY, "slotproof": None},
}


def recorded(name: str) -> Path:
    return TRACES / f"sglang-{name}.ndjson"


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_traces_conform_to_their_own_design_and_leave_the_others_where_they_should(name: str) -> None:
    for design, expected in RECORDED[name].items():
        result = conform_file(recorded(name), DESIGNS[design])
        assert where(result) == expected, design
        assert result.design == design


@pytest.mark.parametrize("name", RECORDED)
def test_every_difference_of_a_recorded_trace_is_explained_by_a_decision(name: str) -> None:
    for design, expected in RECORDED[name].items():
        if expected == PREFILL:
            assert needs(conform_file(recorded(name), DESIGNS[design])) == NAMES
        elif expected == EARLY:
            assert needs(conform_file(recorded(name), DESIGNS[design])) == [("boundary_seen", False)]
        elif expected is not None:
            assert needs(conform_file(recorded(name), DESIGNS[design]))


def test_slotproof_would_flip_where_upstream_waits() -> None:
    result = conform_file(recorded("0.5.17-eager-p9-n8-b8-bad"), Design)
    assert needs(result) == [("flips_at_preparation", False)]
    assert result.divergence is not None
    place = result.divergence.written[0]
    assert (place.file, place.function) == ("spec/ring.py", "advance")
    assert place.text == "me.next = following(scope, me.next)"


def test_the_bad_half_of_0_5_17_is_its_boundary_test() -> None:
    result = conform_file(recorded("0.5.17-lazy-p9-n11-b7-bad"), Design)
    assert needs(result) == [("boundary_seen", False)]
    assert result.divergence is not None
    assert result.divergence.answers[0].about == "A, row to 16 tokens with mark 16 at position 1, lookahead 1"


def test_the_merged_flip_is_one_of_two_masks() -> None:
    class Flips(DESIGNS["merged-29792"]):  # type: ignore[misc]
        def flips_at_processing(self, me: Any, row: Any, lookahead: int) -> bool:
            return bool(row.mark != -1)

    result = conform_file(recorded("0.5.23-eager-p9-n15-b7-bad"), Flips)
    # The boundary at 16 is processed at lookahead 1 after one at lookahead 0: in the trace nobody flips for it.
    assert where(result) == (23, "process", "next", 0, 1)
    assert needs(result) == [("flips_at_processing", False)]


def test_two_answers_are_found_where_one_is_not_enough() -> None:
    result = conform_file(recorded("0.5.17-eager-p9-n8-b8-bad"), DESIGNS["merged-29792"])
    assert needs(result) == [("boundary_seen", True), ("completed_label", 16)]


# The report.


def test_the_report_as_text() -> None:
    result = conform_file(recorded("0.5.17-eager-p9-n8-b8-bad"), Design)
    number = next(
        number
        for number, text in enumerate((SPEC / "ring.py").read_text().splitlines(), 1)
        if text.strip() == "me.next = following(scope, me.next)"
    )
    assert conformance_lines(result, "a.ndjson") == [
        "diverges: a.ndjson is not what slotproof does, from line 17 on",
        "  line 17: prepare of batch 7, request A",
        "    next: expected 0, seen 1",
        f"    the expected value was written at spec/ring.py:{number} (advance): me.next = following(scope, me.next)",
        "    the trace is accepted if `flips_at_preparation` (row to 16 tokens with mark 16 at position 1) answers "
        "False instead of True",
    ]
    assert conformance_lines(conform(good()), "b.ndjson") == ["conforms: b.ndjson is what named does (15 events)"]


# Guards.


def guard_text(result: Conformity) -> tuple[str, str | None]:
    assert result.divergence is not None
    assert result.divergence.guard is not None
    return result.divergence.guard.place.text, result.divergence.guard.property


def test_a_batch_too_many_names_the_guard() -> None:
    events = good()
    del events[3:5]
    result = conform([*events[:3], prepare(2, "A", 2, 4, 4, 3, 1, 0, 0, (2, 3))])
    assert guard_text(result) == ("guard(s.pending < scope.window)", None)
    assert "spec/actions/decode.py" in "\n".join(conformance_lines(result, "-"))


def test_a_row_of_a_request_that_does_not_run_names_the_guard() -> None:
    result = conform(change(5, r="B"))
    assert guard_text(result) == ("guard(s.requests[request].phase == RUNNING)", None)
    assert result.divergence is not None
    assert (result.divergence.line, result.divergence.request) == (7, "B")


def test_an_admission_with_too_few_slots_names_the_guard() -> None:
    result = conform(change(0, ring=(2, None)))
    assert guard_text(result) == ("guard(available(s, supply) >= design.scope.slots_to_start)", None)


def test_the_absent_marker_is_not_freed() -> None:
    assert guard_text(conform(change(12, slots=(1, None)))) == ('require(slot != ABSENT, "one-owner")', "one-owner")


def test_an_eviction_of_what_is_not_cached_names_the_guard() -> None:
    result = conform([*good(), Evict(9)])
    assert guard_text(result) == ("guard(s.cached[slot].family != ABSENT)", None)
    assert where(result) == (17, "evict", "slot", "a cached slot", 9)


def test_a_wrong_lookahead_is_the_counters_matter() -> None:
    assert where(conform(change(6, lookahead=0))) == (8, "process", "lookahead", 1, 0)


# Every event, every field that is compared.

ROWS = {"len": 7, "mark": 6, "slot": 9, "pos": 1, "next": 1, "last": 1, "ring": (4, 9)}


@pytest.mark.parametrize(
    ("index", "field", "value"),
    [
        *[(1, field, value) for field, value in ROWS.items() if field not in ("len", "next")],
        *[(5, field, value) for field, value in ROWS.items() if field != "pos"],
        *[(0, "next", 1), (0, "last", 0), (1, "next", 0), (1, "prefix", 2), (1, "copy_from", 9)],
        *[(5, "pos", 0)],
        *[
            (5, "count", 3),
            (8, "next", 1),
            (8, "last", 0),
            (8, "last_len", None),
            (8, "ring", (4, 9)),
            (8, "ring", (3, 4)),
        ],
        *[(6, "skipped", True), (14, "done", True), (8, "lookahead", 0), (6, "b", 2), (5, "b", 1)],
        *[(4, "slot", 3), (4, "len", 4), (4, "stored", False), (11, "slot", 4), (11, "len", 6), (11, "stored", False)],
        *[(12, "slots", (9,)), (12, "slots", ()), (4, "r", "B")],
    ],
)
def test_every_field_is_compared(index: int, field: str, value: object) -> None:
    assert conform(good()).conforms
    result = conform(change(index, **{field: value}), explained=False)
    assert not result.conforms
    assert result.divergence is not None
    assert result.divergence.line <= index + 2


def test_a_prompts_length_shows_at_the_next_row() -> None:
    assert where(conform(change(1, len=7))) == (4, "prepare", "len", 8, 3)


@pytest.mark.parametrize(("index", "field"), [(0, "next"), (0, "last"), (1, "last"), (5, "next"), (8, "last")])
def test_null_is_unknown(index: int, field: str) -> None:
    assert conform(change(index, **{field: None})).conforms


def test_an_effect_that_does_not_follow() -> None:
    events = good()
    assert where(conform([*events[:4], *events[5:]])) == (5, "process", "publication", "slot 2 as 2 tokens", None)
    assert where(conform([*events[:12], *events[13:]])) == (12, "process", "freed", [1], None)


def test_effects_that_a_cut_trace_does_not_have_are_no_difference() -> None:
    for end in range(1, len(good())):
        assert conform(good()[:end]).conforms, end
    finished = [*good()[:-1], good()[-1], *good()[:3]]
    assert conform(finished[: len(good())]).conforms
    # Nothing runs and nothing is outstanding: what is missing is missing, unless the reader met a broken line.
    events = good()
    alone = [*events[:9], process(3, "A", False, True, 0), Publish("A", 3, 4, True), Free((1,))]
    assert where(conform(alone)) is not None
    assert conform(alone, cut=True).conforms


# What a trace decides.


def test_a_key_that_was_cached_stays_where_it_was() -> None:
    events = good()
    events[3] = process(0, "A", False, False, UNSET, 1, 0, 2, (2, 3))
    events[4] = Publish("A", 2, 2, False)
    assert conform(events[:5]).conforms
    result = conform([*events[:4], Publish("A", 3, 2, False)], cut=True)
    assert where(result) == (6, "publish", "slot", 2, 3)


def test_a_finish_whose_key_was_cached_frees_the_slot() -> None:
    events = good()
    events[11:14] = [Publish("A", 3, 4, False), Free((1, 3, 4))]
    assert conform(events).conforms


def test_without_a_replacement_nothing_is_donated() -> None:
    events = good()
    events[3] = process(0, "A", False, False, UNSET, 1, 0, 2, (2, 3))
    del events[4]
    assert conform(events[:4]).conforms
    assert where(conform([*events[:4], Publish("A", 2, 2, True)])) == (
        6,
        "publish",
        "publication",
        None,
        "slot 2 as 2 tokens",
    )


def test_an_abort_shows_as_freed_slots() -> None:
    events = [*good()[:8], Free((1, 4)), Free((3,)), process(2, "A", True, False), process(3, "A", True, False)]
    assert conform(events).conforms
    # With a result's own effects before it, too.
    assert conform([*good()[:9], Free((1, 4, 3)), process(3, "A", True, False)]).conforms
    told = conform([*good()[:8], Free((1, 4)), process(2, "A", True, False)]).divergence
    assert told is not None
    assert (told.line, told.event, told.seen, told.why) == (10, "free", 1, "A works on it")


def test_a_slot_that_nobody_has_is_not_freed() -> None:
    told = conform([*good()[:14], Free((9,)), good()[14]]).divergence
    assert told is not None
    assert (told.line, told.seen, told.why) == (16, 9, "nobody has it")
    # What an unknown working slot was shows when it is freed, once.
    assert conform(change(0, working=None)).conforms
    assert not conform([*change(0, working=None)[:14], Free((9,)), good()[14]]).conforms


@pytest.mark.parametrize(("request_", "slot", "same"), [(0, 7, True), (1, 7, False), (0, 8, False), (1, 8, False)])
def test_a_slot_keeps_its_stand_in_only_for_the_request_whose_rows_name_it(
    request_: int, slot: int, same: bool
) -> None:
    """A design asks which of a request's own pending rows target a slot; of any others it may see none."""
    state = initial(Scope(requests=2, slots=4))
    state.free = Vector([False] * 4)
    names = SlotNames(4)
    first = names.bind(state, 0, 7)
    assert names.collect(state) == [7]
    # The three others go round once, so that the first one is the oldest in reserve: it would be the next handed out.
    for other in (20, 21, 22):
        names.bind(state, 1, other)
    assert names.collect(state) == [20, 21, 22]
    row = state.batches[0].rows[0]
    row.present, row.slot, row.mark, row.position = True, first, 2, 0
    assert (names.bind(state, request_, slot) == first) == same
    assert (names.owned(7) == first) == ((request_, slot) == (0, 7))


def hit(copy_from: int | None, prefix: int) -> list[Event]:
    row = PrefillRow("C", 5, prefix, copy_from, 4, 6, 0, 1, 0, (6, 7))
    return [*good(), Admit("C", 5, (6, 7), 0, 1), Prefill(5, (row,))]


def test_a_hit_is_one_of_a_cached_slot_under_its_label() -> None:
    assert conform(hit(2, 2)).conforms
    assert conform(hit(None, 2)).conforms
    assert where(conform(hit(3, 2))) == (18, "prefill", "prefix", 4, 2)
    assert where(conform(hit(4, 2))) == (18, "prefill", "copy_from", "a cached slot", 4)
    # With a prefix of 4 tokens nothing beyond it is left to mark.
    assert where(conform(hit(3, 4))) == (18, "prefill", "mark", None, 4)
    assert where(conform([*good(), Evict(2), *hit(2, 2)[-2:]])) == (19, "prefill", "copy_from", "a cached slot", 2)


def test_a_slot_in_use_is_not_handed_out() -> None:
    told = conform([*good()[:3], Admit("B", 5, (6, 3), 0, 1)]).divergence
    assert told is not None
    assert (told.field, told.seen, told.why) == ("ring", 3, "A has it at ring position 1")
    told = conform([*good(), Admit("B", 2, (6, 7), 0, 1)]).divergence
    assert told is not None
    assert (told.seen, told.why) == (2, "the cache has it, under 2 tokens")
    assert conform([*good(), Evict(2), Admit("B", 2, (6, 7), 0, 1)]).conforms


def test_a_name_is_used_again_while_its_last_row_is_out() -> None:
    again = Admit("A", 5, (6, 7), 0, 1)
    assert conform([*good()[:14], again, good()[14]]).conforms


def lazy_start() -> list[Event]:
    """A lazy prefill to 3 tokens that marks 2, a donation, and a decode to 4 (interval 2) that needs a spare."""
    return [
        Admit("A", 1, (2, None), 0, 0),
        Prefill(0, (PrefillRow("A", 3, 0, None, 2, 2, 0, 0, 0, (2, None)),)),
        process(0, "A", False, False, UNSET, 0, 0, None, (3, None)),
        Publish("A", 2, 2, True),
    ]


def test_the_trace_decides_whether_there_is_a_spare() -> None:
    spare = prepare(1, "A", 1, 4, 4, 4, 1, 1, 0, (3, 4))
    in_place = prepare(1, "A", 1, 4, 4, 3, 0, 0, 0, (3, None))
    skipped = prepare(1, "A", 1, 4, None, None, None, 0, 0, (3, None))
    assert conform([*lazy_start(), spare], Design, LAZY).conforms
    assert conform([*lazy_start(), in_place], Design, LAZY).conforms
    result = conform([*lazy_start(), skipped], Design, LAZY)
    assert where(result) == (6, "prepare", "mark", 4, None)
    assert needs(result) == []
    header, lines = upgrade(LAZY, [*lazy_start(), skipped])
    skipping = Conformance(header, Design, "skip")
    for line, event in lines:
        skipping.feed(line, event)
    assert skipping.result().conforms
    # A spare that no design asks for, because nothing is marked.
    unasked = prepare(1, "A", 1, 4, None, None, None, 0, 0, (3, 4))
    assert not conform([*lazy_start(), unasked], Design, LAZY).conforms


def two_rows() -> list[Event]:
    """Two prefills in one batch, whose result ends A."""
    rows = (
        PrefillRow("A", 2, 0, None, 2, 2, 0, 1, 0, (2, 3)),
        PrefillRow("B", 3, 0, None, 2, 6, 0, 1, 0, (6, 7)),
    )
    return [Admit("A", 1, (2, 3), 0, 1), Admit("B", 5, (6, 7), 0, 1), Prefill(0, rows)]


def test_a_prefill_of_two_rows_is_one_batch() -> None:
    done = Process(0, (ProcessRow("A", False, True), ProcessRow("B", False, True)))
    effects = [Publish("A", 2, 2, True), Free((1, 3)), Publish("B", 6, 2, True), Free((5, 7))]
    assert conform([*two_rows(), done, *effects]).conforms


def test_a_slot_freed_in_a_result_may_be_taken_in_the_same_one() -> None:
    def result(taken: int) -> Process:
        return Process(0, (ProcessRow("A", False, True), ProcessRow("B", False, False, UNSET, 1, 0, None, (taken, 7))))

    effects = [Publish("A", 2, 2, True), Free((1, 3)), Publish("B", 6, 2, True)]
    assert conform([*two_rows(), result(3), *effects]).conforms
    told = conform([*two_rows(), result(5), *effects]).divergence
    assert told is not None
    assert (told.field, told.seen, told.why) == ("ring", 5, "B works on it")


# A prompt that ends on a boundary marks the one before it, unless that is cached. Whose text an entry is of no trace
# tells, so an entry of that length is taken for it.
TWO_PROMPTS: list[Event] = [
    Admit("A", 1, (2, 3), 0, 1),
    Admit("B", 5, (6, 7), 0, 1),
    prefill(0, "A", 4, 0, None, 2, 2, 0, 1, 1, (2, 3)),
    process(0, "A", False, False, UNSET, 1, 0, None, (4, 3)),
    Publish("A", 2, 2, True),
]


@pytest.mark.parametrize("mark", [2, 4])
def test_a_prompts_own_end_may_be_marked_where_the_boundary_before_it_may_be_cached(mark: int) -> None:
    second = prefill(1, "B", 4, 0, None, mark, 6, 0, 1, 1, (6, 7))
    assert conform([*TWO_PROMPTS, second], Design).conforms


@pytest.mark.parametrize("gone", [True, False])
def test_a_prompts_own_end_may_not_be_marked_where_no_entry_is_as_long_as_the_boundary_before_it(gone: bool) -> None:
    events = [*TWO_PROMPTS, Evict(2)]
    if not gone:
        events[3:] = [process(0, "A", False, False, UNSET, 1, 0, 2, (2, 3))]
    result = conform([*events, prefill(1, "B", 4, 0, None, 4, 6, 0, 1, 1, (6, 7))], Design)
    assert where(result) == (len(events) + 2, "prefill", "mark", 2, 4)
    assert needs(result) == [("marks_before_the_end", False)]


def test_the_model_grows_with_the_requests_that_run_at_once() -> None:
    events: list[Event] = []
    names = [f"R{n}" for n in range(40)]
    for n, name in enumerate(names):
        slots = (10 * n + 2, 10 * n + 3)
        events.append(Admit(name, 10 * n + 1, slots, 0, 1))
        events.append(Prefill(n, (PrefillRow(name, 1, 0, None, None, None, None, 0, 1, slots),)))
        events.append(process(n, name, False, False, UNSET, 0, 1, None, slots))
    rows = [PrepareRow(r, 1, 2, 2, 10 * n + 2, 0, 1, 1, (10 * n + 2, 10 * n + 3)) for n, r in enumerate(names)]
    events.append(Prepare(40, tuple(rows)))
    assert conform(events, Design, Header(1, "many", "eager", 2, 2, 500, 1, 1)).conforms
    rows[17] = PrepareRow("R17", 1, 2, 2, 173, 1, 1, 1, (172, 173))
    result = conform([*events[:-1], Prepare(40, tuple(rows))], Design, Header(1, "many", "eager", 2, 2, 500, 1, 1))
    assert where(result) == (122, "prepare", "slot", 172, 173)


def test_a_long_trace(tmp_path: Path) -> None:
    """In memory and time that don't grow with its length; the explanation is found 64 steps back at most."""
    path = tmp_path / "long.ndjson"
    text = long_trace(6_000, 8)
    path.write_bytes(text)
    assert conform_file(path, Named).conforms
    lines = text.splitlines(keepends=True)
    at = next(index for index in range(len(lines) - 200, len(lines)) if b'"count":' in lines[index])
    path.write_bytes(b"".join([*lines[:at], lines[at].replace(b'"next":1', b'"next":0', 1), *lines[at + 1 :]]))
    result = conform_file(path, Named)
    assert result.divergence is not None
    assert (result.divergence.line, result.divergence.field) == (at + 1, "next")


@pytest.mark.slow
def test_a_hundred_thousand_events(tmp_path: Path) -> None:
    path = tmp_path / "long.ndjson"
    path.write_bytes(long_trace(100_000, 8))
    assert conform_file(path, Named).conforms
