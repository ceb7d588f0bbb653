"""What conformance leaves to the trace: where a prefill puts its checkpoint, on the grid that the header states."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from checker.traces.conformance.conformance import Conformance
from checker.traces.conformance.divergence import Conformity
from checker.traces.format1 import Admit1 as Admit
from checker.traces.format1 import Event1 as Event
from checker.traces.format1 import Free1 as Free
from checker.traces.format1 import Publish1 as Publish
from spec.design import Design
from tests.support.small_trace import EAGER, prefill, prepare, process, upgrade


def conform(events: list[Event], ring: int = 2, **header: object) -> Conformity:
    """Our design beside a trace whose header says something else of the grid; decode boundaries are 2 tokens apart."""
    old = msgspec.structs.replace(EAGER, ring=ring)
    upgraded, lines = upgrade(old, events, cut=True)
    conformance = Conformance(msgspec.structs.replace(upgraded, **header), Design)
    for line, event in lines:
        conformance.feed(line, event)
    return conformance.result(cut=True, explained=False)


def fresh(prompt: int, mark: int | None) -> list[Event]:
    """A request without a hit; its first decode has no boundary, its prefill's result is processed."""
    claim = (None, None, None, 0, 1) if mark is None else (mark, 6, 0, 1, 1)
    ring = (6, 7)
    events: list[Event] = [Admit("A", 5, ring, 0, 1), prefill(0, "A", prompt, 0, None, *claim, ring)]
    if mark is None:
        return [*events, process(0, "A", False, True)]
    return [*events, process(0, "A", False, False, UNSET, 1, 0, mark, ring)]


def resumed(mark: int | None) -> list[Event]:
    """A request that copies 2 cached tokens and prefills to 12."""
    events: list[Event] = [
        Admit("A", 1, (2, 3), 0, 1),
        prefill(0, "A", 2, 0, None, 2, 2, 0, 1, 1, (2, 3)),
        process(0, "A", False, True),
        Publish("A", 2, 2, True),
        Free((1, 3)),
    ]
    claim = (None, None, None, 0, 1) if mark is None else (mark, 6, 0, 1, 1)
    return [*events, Admit("B", 5, (6, 7), 0, 1), prefill(1, "B", 12, 2, 2, *claim, (6, 7))]


def differs(result: Conformity) -> tuple[str, object, object] | None:
    told = result.divergence
    return None if told is None else (told.field, told.expected, told.seen)


@pytest.mark.parametrize("mark", [2, 4, 6, 8])
def test_a_branching_point_is_a_checkpoint_as_good_as_the_newest_one(mark: int) -> None:
    assert conform(fresh(9, mark)).divergence is None


@pytest.mark.parametrize("mark", [1, 3, 9, 10, None])
def test_on_the_specs_own_grid_a_row_marks_a_boundary_of_it_if_there_is_one(mark: int | None) -> None:
    assert differs(conform(fresh(9, mark))) == ("mark", 8, mark)


def test_a_prompts_own_end_on_the_specs_grid_is_the_designs_matter() -> None:
    assert conform(fresh(8, 6)).divergence is None
    assert conform(fresh(8, 4)).divergence is None
    assert differs(conform(fresh(8, 8))) == ("mark", 6, 8)


@pytest.mark.parametrize(
    ("grid", "origin", "accepted"),
    [
        (3, "zero", [3, 6, 9, 12, None]),
        (3, "prefix", [5, 8, 11, None]),
        (2, "prefix", [4, 6, 8, 10, 12, None]),
        (64, "prefix", [None]),
        (UNSET, "zero", [*range(3, 13), None]),
    ],
)
def test_marks_on_the_engines_own_grid_are_accepted_and_no_others(
    grid: int | UnsetType, origin: str, accepted: list[int | None]
) -> None:
    for mark in [*range(1, 15), None]:
        result = conform(resumed(mark), prefill_grid=grid, grid_from=origin)
        # The spec's own rule marks 10: the boundary before the prompt's end.
        assert (result.divergence is None) == (mark in accepted or mark == 10), mark


def test_what_was_chosen_is_what_the_label_becomes() -> None:
    events = fresh(9, 5)
    assert conform(events, prefill_grid=5).divergence is None
    events[2] = process(0, "A", False, False, UNSET, 1, 0, 8, (6, 7))
    assert differs(conform(events, prefill_grid=5)) == ("last_len", 5, 8)


def test_a_ring_of_one_has_no_free_boundaries() -> None:
    def alone(mark: int) -> list[Event]:
        return [Admit("A", 5, (6,), 0, 0), prefill(0, "A", 9, 0, None, mark, 6, 0, 0, 0, (6,))]

    assert conform(alone(8), ring=1).divergence is None
    assert differs(conform(alone(4), ring=1)) == ("mark", 8, 4)


def test_the_grid_of_decoding_is_not_the_traces_choice() -> None:
    events = [*fresh(9, 5), prepare(1, "A", 1, 10, None, None, None, 1, 0, (6, 7))]
    assert differs(conform(events, prefill_grid=5)) == ("mark", 10, None)
