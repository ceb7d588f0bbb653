"""The fuzzer tested: it covers the rules, finds and shrinks what is planted, and never passes for doing nothing."""

import json
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from checker.command.cli import app
from checker.command.replay import replay_file
from checker.command.report import replay as replay_report
from checker.command.report.fuzz import data, lines
from checker.lockstep.campaign import keep, seconds_of
from checker.lockstep.coverage import Coverage
from checker.lockstep.findings import Campaign
from checker.lockstep.hunt import hunt
from checker.lockstep.machine import drive, scope_of
from checker.lockstep.mix import ACTIONS
from checker.lockstep.replay import replay
from checker.lockstep.run import Run
from checker.scenarios.read import read
from runtime import boundary
from runtime.batch import LaunchedBatch
from runtime.prefix_cache import PrefixCache
from runtime.streams import Worker
from spec.scope import BadScope
from tests.support.paths import SCENARIOS

SECONDS = 4.0


def no_flip(position, mark, ring):
    return position


@pytest.fixture(scope="module")
def clean():
    return hunt(0, SECONDS)


def test_a_hunt_finds_nothing_and_takes_every_action(clean):
    assert clean.found == []
    assert clean.coverage.missing == []
    assert clean.right


def test_a_hunt_goes_by_its_seed(clean):
    again = hunt(0, SECONDS / 4)
    assert again.coverage.steps > 0
    assert again.coverage.actions.keys() <= clean.coverage.actions.keys()


def test_a_planted_fault_is_found_shrunk_and_replayed(monkeypatch, tmp_path):
    monkeypatch.setattr(boundary, "eager_next", no_flip)
    campaign = hunt(0, 30, threads=False)
    assert not campaign.right
    found = campaign.found[0]
    assert found.steps <= 3
    assert "the runtime is not what the spec says: next" in found.story
    script, trace = keep(found, tmp_path)
    assert read(script).scope.mode == "eager"
    assert len(trace.read_text().splitlines()) > 1
    assert replay_report.exit_code(replay_file(script, threaded=False)) == 1
    monkeypatch.undo()
    assert replay_report.exit_code(replay_file(script, threaded=False)) == 0


@pytest.mark.parametrize("number", range(15))
def test_what_a_run_has_written_down_is_played_again_step_by_step(tmp_path, number):
    rng = Random(number)
    run = Run(scope_of(rng))
    drive(rng, run)
    run.lockstep.drain()
    path = tmp_path / "run.txt"
    path.write_text(run.text())
    played = replay(read(path))
    assert (played.failed, played.steps) == (None, run.lockstep.checked)
    assert played.text == run.story()


def test_a_failure_on_a_thread_is_kept_and_replayed_on_a_thread(monkeypatch, tmp_path):
    monkeypatch.setattr(LaunchedBatch, "tokens", lambda self: self.produced.numpy())
    monkeypatch.setattr("checker.lockstep.hunt.THREADED_EVERY", 1)
    found = hunt(0, 30).found[0]
    assert found.threaded
    script, trace = keep(found, tmp_path)
    assert len(trace.read_text().splitlines()) > 1
    assert replay_report.exit_code(replay_file(script, threaded=True)) == 1


def test_a_script_of_a_thread_says_so_when_it_is_played_without_one(tmp_path):
    path = tmp_path / "thread.txt"
    path.write_text("scenario of a thread\nscope slots=5\n\nadmit r1 prompt 3\nprefill r1\nprocess\n")
    with pytest.raises(BadScope, match="--threaded"):
        replay_file(path, threaded=False)
    assert replay(read(path), Worker()).failed is None


def test_what_the_runtime_raises_is_found_kept_and_replayed(monkeypatch, tmp_path):
    def insert(*_):
        raise RuntimeError("no room")

    monkeypatch.setattr(PrefixCache, "insert", insert)
    found = hunt(0, 30, threads=False).found[0]
    assert (found.kind, found.name) == ("error", "RuntimeError")
    assert "the runtime raises" in found.story
    script, _ = keep(found, tmp_path)
    assert replay_report.exit_code(replay_file(script, threaded=False)) == 1


def test_a_campaign_of_no_steps_is_no_pass():
    assert not Campaign().right
    assert "no step was taken" in "\n".join(lines(Campaign()))


def test_an_action_that_is_never_taken_is_a_failure():
    coverage = Coverage(runs=1, steps=9)
    coverage.actions.update(dict.fromkeys(ACTIONS[:-1], 1))
    campaign = Campaign(coverage)
    assert not campaign.right
    assert f"never taken: {ACTIONS[-1]}" in "\n".join(lines(campaign))


def test_coverage_of_runs_adds_up():
    whole = Coverage(runs=1, steps=2, unseen={"a", "b"})
    other = Coverage(runs=1, steps=3, unseen={"c"})
    other.seen["a"] = 1
    whole.add(other)
    assert (whole.runs, whole.steps, whole.unseen) == (2, 5, {"b", "c"})


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("0.5", 0.5)])
def test_a_time_is_read(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3", "0", "10 minutes"])
def test_a_time_that_is_none_is_refused(text):
    with pytest.raises(BadScope, match="30s, 10m or 2h"):
        seconds_of(text)


def test_a_campaign_is_data_for_a_machine(clean):
    reported = json.loads(json.dumps(data(clean)))
    assert reported["right"] is True
    assert set(reported["actions"]) == set(ACTIONS)


def test_a_script_that_no_runtime_can_follow_is_bad_input():
    with pytest.raises(BadScope, match="played by design"):
        replay_file_of("merged-29792-eager.txt")


def test_a_replay_tells_the_story_and_that_both_agree():
    result = CliRunner().invoke(app, ["replay", path_of("trap-two-claims.txt")])
    assert result.exit_code == 0
    assert "runtime and spec agree after each" in result.output
    assert "slotproof play" in result.output, "what the script expects is not asked here, and that is said"


def path_of(name):
    return str(SCENARIOS / name)


def replay_file_of(name):
    return replay_file(Path(path_of(name)), threaded=False)


def test_a_hunt_ends_after_so_many_steps():
    campaign = hunt(0, seconds=20, steps=200)
    assert campaign.coverage.steps >= 200
    assert campaign.seconds < 15, "the limit of time is not what has ended it"
