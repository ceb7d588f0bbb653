"""A slot that nobody was told to write since its owner has it is bad to publish, whatever happened to it before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_trace2 import (
    EAGER,
    Lined,
    begin,
    end,
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


def whole_life(slot: int) -> list[Lined]:
    """Somebody who wrote it and has given it back."""
    marked = prefill("Z", 8, 0, 2, (2, slot))
    return [
        *begin("Z", 8, [slot, 9]),
        launch(0, marked),
        process(0, result("Z", done=True)),
        free(8, slot, 9),
        end("Z"),
    ]


BEFORE: dict[str, list[Lined]] = {
    "nothing": [],
    "taken for nobody and given back": [{"e": "take", "slots": [3], "during": None}, free(3, during=None)],
    "taken by somebody and given back": [take("Y", 3, during=None), free(3, during=None)],
    "written by somebody": whole_life(3),
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_what_its_owner_has_not_written_is_bad_to_publish(tmp_path: Path, before: list[Lined]) -> None:
    ours = [*begin("A", 1, [2, 3]), launch(1, prefill("A", 1, 0, 3, (2, 2))), process(1, result("A", done=True))]
    verdict = judged(tmp_path, EAGER, *before, *ours, publish("A", 3, 2), free(1, 2), end("A"))
    kind, _, slot = first(verdict) or ("", 0, None)
    assert kind in ("written-before-donated", "exact-label")
    assert slot == 3
