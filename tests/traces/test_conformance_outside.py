"""What an engine does outside of the spec's actions: slots that nobody has had, and checkpoints between two chunks."""

from __future__ import annotations

from pathlib import Path

from checker.model.known_designs import DESIGNS
from checker.traces.conformance.divergence import Conformity
from checker.traces.judge_file import judge_file
from tests.support.small_trace2 import (
    EAGER,
    STOP,
    Lined,
    admit,
    begin,
    decode,
    end,
    free,
    launch,
    prefill,
    process,
    publish,
    result,
    take,
    write,
)


def conformed(tmp_path: Path, *events: Lined) -> Conformity:
    path = write(tmp_path / "outside.ndjson", EAGER, [*events, STOP])
    found = judge_file(path, DESIGNS["slotproof"]).conformity
    assert found is not None
    return found


def taken(*slots: int) -> Lined:
    return {"e": "take", "slots": slots, "during": None}


def mark() -> dict[str, object]:
    return {"marks": [{"len": 2, "slot": 2, "pos": 0}], "next": 1, "last": 1, "ring": [2, 3]}


def test_slots_that_were_taken_for_nobody_may_be_given_back(tmp_path: Path) -> None:
    finish = [
        launch(0, prefill("A", 1, 0, 1) | {"next": 0, "last": 1}),
        process(0, result("A", done=True)),
        free(1, 2, 3),
    ]
    unused = [taken(7, 8), free(7, 8, during=None)]
    assert conformed(tmp_path, *begin("A", 1, [2, 3]), *unused, *finish, end("A")).conforms
    one_of_them = [taken(1, 8), take("A", 2, 3), admit("A", 1, [2, 3]), free(8, during=None)]
    assert conformed(tmp_path, *one_of_them, *finish, end("A")).conforms


def test_slots_that_somebody_has_may_not(tmp_path: Path) -> None:
    used = [taken(1, 2, 3), admit("A", 1, [2, 3]), launch(0, prefill("A", 1, 0, 1) | {"next": 0, "last": 1})]
    found = conformed(tmp_path, *used, free(2, during=None), launch(1, decode("A", 1, 2)))
    assert found.divergence is not None
    assert (found.divergence.event, found.divergence.field) == ("free", "slots")


def test_a_checkpoint_that_is_handed_over_while_a_batch_is_planned_is_not_covered(tmp_path: Path) -> None:
    chunk = launch(0, prefill("A", 1, 0, 3) | mark())
    found = conformed(tmp_path, *begin("A", 1, [2, 3]), chunk, publish("A", 2, 2, during=None))
    assert found.divergence is None
    assert found.not_covered.startswith("a checkpoint that is handed over outside of a result")
    assert found.line == 5
