"""The ring-size theorem: both bounds are enough, one position fewer is not, and both ways of asking agree."""

from __future__ import annotations

import pytest

from checker.command.report.ring import cell_text, data, exit_code, show
from checker.model.replay import replay
from checker.proof.ring_search import prove, ring_table, search
from checker.proof.ring_theorem import AT_A_FINISH, AT_EVERY_MOMENT, CLAIMS, LAZY_RING, Task, model_of, proof_of
from checker.search.check import taken
from checker.search.exploration import Limits

EVERYTHING = Limits()
FINISH, MOMENT, LAZY = (CLAIMS.index(claim) for claim in (AT_A_FINISH, AT_EVERY_MOMENT, LAZY_RING))


def test_the_bounds_are_those_of_the_protocol() -> None:
    finish = [[AT_A_FINISH.bound(ahead, every) for every in range(1, 5)] for ahead in range(4)]
    assert finish == [[1, 1, 1, 1], [2, 2, 2, 2], [3, 2, 2, 2], [4, 3, 2, 2]]
    moment = [[AT_EVERY_MOMENT.bound(ahead, every) for every in range(1, 5)] for ahead in range(4)]
    assert moment == [[2, 2, 2, 2], [3, 2, 2, 2], [4, 3, 2, 2], [5, 3, 3, 2]]


@pytest.mark.parametrize("claim", [FINISH, MOMENT, LAZY])
@pytest.mark.parametrize(("ahead", "every"), [(0, 2), (1, 1), (1, 2)])
def test_enough_and_one_fewer_is_not(claim: int, ahead: int, every: int) -> None:
    enough = search(Task(claim, ahead, every), EVERYTHING)
    assert enough.complete
    assert not enough.broken
    if CLAIMS[claim].bound(ahead, every) > 1:
        fewer = search(Task(claim, ahead, every, fewer=True), EVERYTHING)
        assert set(fewer.broken) & set(CLAIMS[claim].broken_by)
        assert len(fewer.steps) == min(fewer.broken.values())


def test_a_lazy_ring_runs_out_although_a_spare_is_to_be_had() -> None:
    task = Task(LAZY, 1, 1, fewer=True)
    model = model_of(task)
    *_, before, state = replay(model, taken(model, search(task, EVERYTHING).steps))
    assert any(before.free), "the pool must not be what is empty"
    assert state.step.events[0].no_spare


@pytest.mark.parametrize("claim", [FINISH, MOMENT, LAZY])
def test_enough_is_proved_for_every_length(claim: int) -> None:
    answer = prove(Task(claim, 0, 1, proof=True))
    assert answer.unproved == []
    assert answer.obligations > 100


def test_the_weaker_lemma_is_needed_where_the_bounds_differ() -> None:
    """In the shortest ring that is enough at a finish a claim comes round to a labelled `last`: ring-apart fails."""
    short = model_of(Task(MOMENT, 1, 1, fewer=True))
    assert short.scope.ring == AT_A_FINISH.bound(1, 1)
    assert "ring-apart" in search(Task(MOMENT, 1, 1, fewer=True), EVERYTHING).broken
    assert search(Task(FINISH, 1, 1), EVERYTHING).broken == {}


def test_equal_bounds_share_their_proof() -> None:
    assert proof_of(FINISH, 1, 2) == proof_of(MOMENT, 1, 2)
    assert proof_of(FINISH, 1, 1) != proof_of(MOMENT, 1, 1)


def test_a_small_table(capsys: pytest.CaptureFixture[str]) -> None:
    result = ring_table([0], [1], workers=1)
    assert exit_code(result) == 0
    assert cell_text(result["at a finish"][0, 1]) == "1 enough, proved\n0 is no ring"
    assert cell_text(result["at every moment"][0, 1]) == "2 enough, proved\n1: ring-apart 5"
    assert all(entry["enough"] and entry["proved"] for entry in data(result))
    show(result)
    assert "3 cells, 3 proved for every length" in capsys.readouterr().out


@pytest.mark.slow
def test_every_cell() -> None:
    result = ring_table(proved_to=2)
    assert exit_code(result) == 0
    assert all(len(cells) == 16 for cells in result.values())
