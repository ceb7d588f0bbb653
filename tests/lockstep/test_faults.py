"""The tester tested: every fault planted in the runtime is found within a minute, and told in few steps.

All of them: -m slow, or `make faults` for a table. A few that show at once are in the default selection.
"""

import pytest

from checker.lockstep.replay import replay
from checker.scenarios.read import read
from runtime import boundary
from runtime.pool import SlotPool
from runtime.requests import RequestTable
from runtime.tracking import Tracker
from tests.faults import FAULTS, WITHOUT_COUNTERPART, Result, hunted, main, most_steps, shortest, unlucky
from tests.support.cache_faults import LOCK_FAULTS
from tests.support.planting import Fault, Plant, StalePlant, planted

BY_NAME = {fault.name: fault for fault in FAULTS}
AT_ONCE = (
    "label-without-write",
    "absent-freed",
    "early-free",
    "padding-aliased",
    "lock-kept-by-a-prefill",
    "use-forgotten",
    "move-forgets-owner",
    "merge-swaps",
    "loop-finishes-late",
)
"""Faults of each kind: contents, the pool's refusal, ring, padding, lock, order of the cache, a move, rows, a loop."""


def assert_found(result):
    assert result.found, f"{result.fault.name} is not found"
    assert not result.misfits, f"{result.found.detail}\n{result.found.story}"
    assert result.right, f"{result.found.steps} steps, and {result.most} are enough\n{result.found.story}"


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_is_found_within_a_minute(name):
    assert_found(hunted(BY_NAME[name], 60))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [fault.name for fault in LOCK_FAULTS])
def test_a_fault_of_the_locks_is_found_within_a_minute_with_any_of_ten_seeds(name):
    line, found = unlucky(BY_NAME[name], 60, range(10))
    assert found, line


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_fault_is_found_at_once(name):
    assert_found(hunted(BY_NAME[name], 20))


def test_a_found_story_fails_with_the_fault_and_holds_without_it(tmp_path):
    result = hunted(BY_NAME["absent-freed"], 20)
    script = tmp_path / "story.txt"
    script.write_text(result.found.program)
    with result.fault.planted():
        failed = replay(read(script)).failed
    assert (failed.kind, failed.name) == (result.found.kind, result.found.name)
    assert replay(read(script)).failed is None


def test_every_plant_changes_the_runtime_and_changes_it_back():
    for fault in FAULTS:
        before = [getattr(plant.owner, plant.name) for plant in fault.plants]
        with fault.planted():
            assert all(getattr(p.owner, p.name) is not f for p, f in zip(fault.plants, before, strict=True))
        assert all(getattr(p.owner, p.name) is f for p, f in zip(fault.plants, before, strict=True)), fault.name


def test_a_plant_that_the_runtime_has_moved_away_from_is_refused():
    with pytest.raises(StalePlant, match=r"RequestTable\.clear: 'self\.period' stands there 0 times"):
        planted(Plant(RequestTable, "clear", "self.period", ""))
    with pytest.raises(StalePlant, match="stands there 2 times"):
        planted(Plant(Tracker, "release", "put_back(slots[", ""))


def test_a_planted_function_goes_by_its_own_module(monkeypatch):
    free = planted(Plant(boundary, "may_free", "claims == 0", "where(claims == 0, claims == 0, False)"))
    monkeypatch.setattr(boundary, "where", lambda condition, yes, no: "changed")
    assert free(0, 0) == "changed"


def test_the_bound_is_what_the_search_finds_and_four_more():
    fault = BY_NAME["absent-freed"]
    assert shortest(fault.counterpart) == 2
    assert most_steps(fault) == 6
    assert most_steps(BY_NAME["clear-lost"]) == WITHOUT_COUNTERPART


def test_a_fault_that_is_not_found_fails_the_command(monkeypatch, capsys):
    harmless = Fault("nothing", "it changes nothing", (Plant(SlotPool, "claim", "+= 1", "+= 1 "),))
    monkeypatch.setattr("tests.faults.FAULTS", (harmless,))
    assert main(["nothing", "--time", "1s"]) == 1
    assert "NOT FOUND" in capsys.readouterr().out


def test_seeds_that_do_not_find_a_fault_fail_the_command(monkeypatch, capsys):
    harmless = Fault("nothing", "it changes nothing", (Plant(SlotPool, "claim", "+= 1", "+= 1 "),))
    monkeypatch.setattr("tests.faults.FAULTS", (harmless, BY_NAME["absent-freed"]))
    assert main(["absent-freed", "--time", "20s", "--seeds", "2"]) == 0
    assert "2 of 2" in capsys.readouterr().out
    assert main(["nothing", "absent-freed", "--time", "1s", "--seeds", "2"]) == 1
    assert "0 of 2" in capsys.readouterr().out


def test_a_story_that_is_too_long_is_not_right():
    result = hunted(BY_NAME["absent-freed"], 20)
    assert not Result(result.fault, result.found, 0.0, result.found.steps - 1).right


def test_a_plant_that_only_raises_its_own_error_is_not_right():
    result = hunted(Fault("broken", "an argument too few", (Plant(Tracker, "release", ", after=last)", ")"),)), 20)
    assert result.found.name == "TypeError"
    assert result.found.steps <= result.most
    assert not result.right
    assert "the plant no longer fits" in result.cells()[1]


@pytest.mark.parametrize(
    ("words", "wrong"),
    [(["no-such-fault"], "no fault is called no-such-fault"), (["--time", "soon"], "30s, 10m or 2h")],
)
def test_what_it_does_not_know_is_bad_input(words, wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert wrong in capsys.readouterr().err
