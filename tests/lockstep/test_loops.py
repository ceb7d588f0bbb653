"""The scheduler's loops on locksteps: both are driven side by side, and whatever one of them does wrong is seen."""

from random import Random

import pytest

from checker.lockstep.asked import NEVER, Asked, stream_of
from checker.lockstep.failure import Failed
from checker.lockstep.loop import Loop
from checker.lockstep.loops import compare, shorten_stream
from checker.lockstep.run import Run
from runtime.scheduler import Scheduler
from runtime.streams import Simulated
from spec.scope import Scope
from tests.support.loop_faults import LOOP_FAULTS

SCOPE = Scope(requests=3, slots=20, families=2, mode="eager", lookahead=1, max_len=8)
STREAM = [
    Asked("q1", 0, 3, 5, 0, NEVER),
    Asked("q2", 1, 2, 6, 0, NEVER),
    Asked("q3", 0, 5, 2, 3, NEVER),
    Asked("q4", 0, 6, 1, 9, NEVER),
]


def played(overlapped, stream=STREAM, behind=99):
    run = Run(SCOPE, Simulated())
    Loop(run, stream, overlapped, behind).play()
    run.close()
    return run


def pending_at_most(run):
    return max(state.pending for state in run.lockstep.spec.states)


@pytest.mark.parametrize("behind", [0, 1, 99])
def test_only_the_overlapped_loop_runs_ahead_and_both_publish_the_same(behind):
    plain, overlapped = played(False, behind=behind), played(True, behind=behind)
    assert (pending_at_most(plain), pending_at_most(overlapped)) == (1, 2)
    assert set(plain.lockstep.watch.used) == set(overlapped.lockstep.watch.used) != set()


@pytest.mark.parametrize("number", range(6))
def test_a_drawn_stream_of_requests_runs_in_both_loops(number):
    runs = compare(SCOPE, stream_of(Random(number), SCOPE), behind=number)
    assert all(run.steps and not run.failed for run in runs)


def test_some_drawn_requests_are_aborted_and_some_come_late():
    drawn = [asked for number in range(30) for asked in stream_of(Random(number), SCOPE)]
    assert any(asked.aborted for asked in drawn)
    assert any(asked.comes for asked in drawn)
    assert all(asked.prompt + asked.produce <= SCOPE.max_len + 1 for asked in drawn)


def test_what_a_run_says_of_its_loop_stands_in_its_script():
    text = played(True, [Asked("q1", 0, 3, 2, 1, 4)]).text()
    assert "# the overlapped loop\n# q1: text A prompt 3 produce 2 at turn 1, aborted at turn 4\n" in text


def test_an_aborted_request_leaves_nothing_behind():
    run = played(True, [STREAM[0], Asked("q2", 0, 4, 4, 0, 2)])
    assert [step.action for step in run.steps].count("abort") == 1


SEEN = {
    "loop-out-of-order": "loop tokens: the result of batch",
    "loop-never-ahead": "loop idle: a result is processed although",
    "loop-counts-no-step": r"loop decode: q\d is decoded further",
    "loop-finishes-late": "loop finish: q",
    "loop-keeps-the-aborted": r"loop gone: the loop goes on with handle \d+, whose request has left",
    "loop-cuts-the-output": "loop output: q3 has got",
}


@pytest.mark.parametrize("fault", LOOP_FAULTS, ids=lambda fault: fault.name)
def test_what_a_loop_does_wrong_is_seen(fault):
    stream = [*STREAM, Asked("q5", 1, 3, 4, 0, 2), Asked("q6", 1, 3, 4, 0, 2)]
    with fault.planted(), pytest.raises(Failed, match=SEEN[fault.name]):
        played(True, stream)


def test_what_cannot_be_followed_cannot_be_asked_of_the_engine(monkeypatch):
    monkeypatch.setattr(Scheduler, "run_plain", lambda self: self.engine.discard())
    with pytest.raises(Failed, match="a loop asks its engine for `discard`, which cannot be followed"):
        played(False)


def test_a_plain_loop_that_runs_ahead_is_seen(monkeypatch):
    monkeypatch.setattr(Scheduler, "run_plain", Scheduler.run_overlapped)
    with pytest.raises(Failed, match="loop ahead: the plain loop has launched 2 batches"):
        played(False)


def test_a_loop_that_ends_too_early_is_seen(monkeypatch):
    monkeypatch.setattr(Scheduler, "run_plain", lambda self: self.launch())
    with pytest.raises(Failed, match="loop end: the loop has ended, and"):
        played(False, STREAM[:1])


def test_a_loop_that_never_ends_is_seen(monkeypatch):
    monkeypatch.setattr(Scheduler, "run_plain", lambda self: all(self.launch() or True for _ in iter(int, 1)))
    with pytest.raises(Failed, match="does not end"):
        played(False)


@pytest.mark.parametrize(
    ("name", "said"),
    [("done", "in one loop only"), ("output", "other tokens"), ("published", "the plain loop has")],
)
def test_loops_that_differ_are_seen(monkeypatch, name, said):
    def play(loop):
        original(loop)
        if loop.overlapped and name == "done":
            loop.done.pop()
        if loop.overlapped and name == "output":
            loop.done[0].output = loop.done[0].output + 1
        if loop.overlapped and name == "published":
            loop.run.lockstep.watch.used[0, 7] = 0

    original = Loop.play
    monkeypatch.setattr(Loop, "play", play)
    failed = compare(SCOPE, STREAM, 99)[1].failed
    assert (failed.kind, failed.name) == ("loop", name)
    assert said in failed.detail


def test_a_stream_that_fails_is_made_short():
    fault = next(fault for fault in LOOP_FAULTS if fault.name == "loop-cuts-the-output")
    with fault.planted():
        failed = next(run for run in compare(SCOPE, STREAM, 99) if run.failed)
        assert shorten_stream(failed, STREAM, 99, 0) is failed
        short = shorten_stream(failed, STREAM, 99, 20)
    assert [step.action for step in short.steps] == ["admit", "prefill", "device", "process"]
    assert "prompt 1 produce 1 at turn 0\n" in short.text()


@pytest.mark.parametrize("overlapped", [False, True])
def test_a_hit_that_is_in_the_way_of_its_own_admission_is_given_up(overlapped):
    """Two slots are all there is, and one of them is cached as what the second request would go on from."""
    run = Run(SCOPE.replace(requests=1, slots=2, families=1, mode="lazy", lookahead=0), Simulated())
    Loop(run, [Asked("q1", 0, 2, 1, 0, NEVER), Asked("q2", 0, 3, 1, 0, NEVER)], overlapped, 99).play()
    assert run.lockstep.watch.evicted == 1
