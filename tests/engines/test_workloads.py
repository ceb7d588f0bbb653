"""Workloads are the same everywhere, can be written down, and fit into the engine that they ask for."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from tests.engines.cells import MODES, NEWEST, RELEASES, all_cells, quick_cells
from tests.engines.sglang_on_cpu.drawn import KINDS, drawn
from tests.engines.sglang_on_cpu.enumerated import alone, chunked, overtaken
from tests.engines.sglang_on_cpu.workload import Workload, from_json

SMALL = [*alone("stop"), *overtaken("stop"), *overtaken("length", 29, mixed=True), *chunked("length")]
RANDOM = [drawn(kind, seed, pages=True) for kind in KINDS for seed in range(100)]


def whole_lengths(workload: Workload) -> dict[str, int]:
    """How long the text of each request becomes."""
    lengths: dict[str, int] = {}
    for prompt in chain(*workload.rounds):
        lengths[prompt.name] = lengths.get(prompt.continues, 0) + len(prompt.tokens) + prompt.outputs
    return lengths


def test_the_small_runs_are_as_many_as_the_figures_say() -> None:
    counts = [len(list(runs)) for runs in (alone("stop"), overtaken("stop"), overtaken("stop", 29, mixed=True))]
    assert counts == [576, 540, 1044]
    assert len({run.name for run in SMALL}) == len(SMALL)


@pytest.mark.parametrize("workload", [SMALL[0], SMALL[-1], *RANDOM[::37]], ids=lambda workload: workload.name)
def test_a_line_stands_for_the_workload(workload: Workload) -> None:
    assert from_json(workload.to_json()) == workload


def test_a_seed_stands_for_the_workload() -> None:
    assert [drawn(kind, seed, pages=True) for kind in KINDS for seed in range(100)] == RANDOM
    assert len({run.to_json() for run in RANDOM}) == len(RANDOM)


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_fits_when_it_is_alone(kind: str) -> None:
    for workload in (run for run in RANDOM if run.name.startswith(kind)):
        longest = max(whole_lengths(workload).values())
        assert longest + workload.slack * (workload.finish == "stop") < 256, workload.name
        assert longest < workload.tokens, workload.name
        assert workload.slots >= 4 * workload.running + 2, workload.name


def test_the_kinds_do_what_they_are_for() -> None:
    seen = Counter(
        what
        for run in RANDOM
        for what, so in {
            "chunks": run.chunk is not None,
            "mixed": run.mixed,
            "pages": run.page > 1,
            "retraction": bool(run.retract_at),
            "stop": run.finish == "stop",
            "length": run.finish == "length",
            "continued": any(prompt.continues for prompt in chain(*run.rounds)),
            "small intervals": run.interval == 4,
        }.items()
        if so
    )
    assert min(seen.values()) >= 10
    assert len(seen) == 8


def test_every_engine_has_every_kind() -> None:
    found = Counter((cell.engine, cell.kind) for cell in all_cells(RELEASES, 200))
    assert set(found.values()) == {1}
    for release in RELEASES:
        for mode in MODES:
            assert {kind for engine, kind in found if engine == (release, mode, False)} >= set(KINDS)
    assert {cell.release for cell in quick_cells()} == {NEWEST}
    assert 36 <= sum(len(cell.workloads) for cell in quick_cells()) <= 96
