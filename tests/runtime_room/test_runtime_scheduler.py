"""Both loops, with every setting: outputs are exact, cached states are exact, nothing leaks, the trace conforms."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.command.report.traces import exit_code, lines
from checker.model.designs import design_class
from checker.traces.judge_file import judge_file
from checker.traces.recorder import Recorder
from runtime.exact_model import text
from runtime.pool import OUTSIDE
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Inline, Simulated, Worker
from tests.support.runtime_engines import FIRSTS, assert_quiescent, by_handle, prompt

SETTINGS = list(itertools.product(("eager", "lazy"), range(4), ("overwrite", "skip")))
SLOTS = {"eager": 3 * 5 + 2, "lazy": 3 * 2 + 3}


def scheduler_of(stream=None, mode="eager", **changes):
    return Scheduler(by_handle(stream, mode=mode, **{"ring": 4, "slots": SLOTS[mode]} | changes))


def request(name, first, length, produce):
    return GenerationRequest(name, prompt(first, length), produce)


def some(count, seed=1):
    rng = random.Random(seed)
    return [
        request(f"r{number}", rng.choice(FIRSTS), rng.randint(1, 12), rng.randint(1, 14)) for number in range(count)
    ]


def assert_exact(done):
    for one in done:
        length = len(one.prompt)
        assert tuple(one.output) == text(int(one.prompt[0]), length + one.produce)[0][length:], one


@pytest.mark.parametrize(
    ("loop", "kind"),
    [("run_overlapped", Inline), ("run_overlapped", Worker), ("run_overlapped", Simulated), ("run_plain", Worker)],
)
@pytest.mark.parametrize(("mode", "lookahead", "without_spare"), SETTINGS)
def test_outputs_and_cached_states_are_exact_and_the_trace_conforms(
    tmp_path, kind, loop, mode, lookahead, without_spare
):
    scheduler = scheduler_of(kind(), mode, lookahead=lookahead, without_spare=without_spare)
    made, path = scheduler.engine, tmp_path / "run.ndjson"
    recorder = Recorder(path)
    made.observe(recorder)
    requests = some(10)
    for one in requests:
        scheduler.submit(one)
    getattr(scheduler, loop)()
    made.close()
    recorder.close()
    assert sorted(one.name for one in scheduler.done) == sorted(one.name for one in requests)
    assert_exact(scheduler.done)
    assert_quiescent(made)
    assert len(made.cache) > 0
    judgement = judge_file(path, design_class("slotproof"))
    assert exit_code(judgement) == 0, "\n".join(lines(judgement))
    assert judgement.verdict.outcome == "good"


@pytest.mark.parametrize(("loop", "pending"), [("run_overlapped", 4), ("run_plain", 1)])
def test_only_the_overlapped_loop_runs_ahead(monkeypatch, loop, pending):
    scheduler = scheduler_of(lookahead=3)
    depths = []
    original = scheduler.process

    def process():
        depths.append(len(scheduler.engine.pending))
        original()

    monkeypatch.setattr(scheduler, "process", process)
    for one in some(9):
        scheduler.submit(one)
    getattr(scheduler, loop)()
    assert max(depths) == pending


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_pool_that_others_keep_busy_makes_requests_wait_and_loses_none(mode):
    scheduler = scheduler_of(mode=mode, requests=3)
    made = scheduler.engine
    outside = made.pool.take(made.pool.available - made.config.slots_per_request, OUTSIDE, 77)
    for one in some(8):
        scheduler.submit(one)
    seen = set()
    while scheduler.launch() or made.pending:
        seen.add(len(scheduler.seated))
        while made.pending:
            scheduler.process()
    assert seen <= {0, 1}, "there were slots for one request"
    assert len(scheduler.done) == 8
    rest = made.pool.take(made.pool.available, OUTSIDE, 78)
    made.reclaim(made.config.slots)
    rest = np.concatenate((rest, made.pool.take(made.pool.available, OUTSIDE, 78)))
    scheduler.submit(late := request("late", 3, 5, 4))
    scheduler.run_overlapped()
    assert (list(scheduler.waiting), late.output) == ([late], None)
    made.pool.give_back(outside, OUTSIDE, 77)
    made.pool.give_back(rest, OUTSIDE, 78)
    scheduler.run_overlapped()
    assert_exact(scheduler.done)
    assert late in scheduler.done
    assert_quiescent(made)


def test_a_text_may_fill_max_len_and_not_more():
    scheduler = scheduler_of(max_len=9)
    scheduler.submit(request("fits", 3, 4, 6))
    scheduler.submit(request("whole prompt", 5, 9, 1))
    for length, produce in ((4, 7), (9, 2), (10, 1), (3, 0)):
        with pytest.raises(ValueError, match=r"request r: .* together at most 10 \(max_len=9"):
            scheduler.submit(request("r", 3, length, produce))
    with pytest.raises(ValueError, match="0 prompt tokens"):
        scheduler.submit(GenerationRequest("r", np.zeros(0, np.int64), 2))
    scheduler.run_overlapped()
    assert [one.name for one in scheduler.done] == ["whole prompt", "fits"]
    assert_exact(scheduler.done)


def test_nothing_is_launched_into_a_full_window_and_no_step_is_lost():
    scheduler = scheduler_of(lookahead=0)
    for one in (request("a", 3, 3, 5), request("b", 5, 3, 5)):
        scheduler.submit(one)
    scheduler.launch()
    assert not scheduler.launch()
    scheduler.process()
    scheduler.launch()
    assert not scheduler.launch()
    scheduler.process()
    scheduler.run_overlapped()
    assert_exact(scheduler.done)
    assert len(scheduler.done) == 2


def test_nobody_is_aborted_by_a_name_that_nobody_has():
    with pytest.raises(KeyError, match="no request is called r9"):
        scheduler_of().abort("r9")


def test_a_request_is_aborted_wherever_it_is():
    scheduler = scheduler_of(Simulated(), requests=2, slots=11)
    made = scheduler.engine
    for name, first, length, produce in (
        ("in flight", 3, 5, 30),
        ("short", 3, 4, 1),
        ("runs", 5, 5, 30),
        ("admitted", 3, 5, 30),
        ("waits", 7, 5, 30),
    ):
        scheduler.submit(request(name, first, length, produce))
    scheduler.launch()
    scheduler.launch()
    assert len(made.pending) == 2
    scheduler.abort("in flight")
    # Its working slot and the target of its checkpoint are still going to be written.
    assert len(made.pool.owners()["free, still in flight"][""]) == 2
    scheduler.abort("waits")
    scheduler.process()
    assert made.pool.owners()["free, still in flight"] == {}
    scheduler.process()
    scheduler.launch()
    hit = made.table.seat(next(handle for handle, one in scheduler.seated.items() if one.name == "admitted"))
    assert made.table.source[hit] >= 0
    assert sum(node.locks for node in made.cache) == 1
    scheduler.abort("admitted")
    assert sum(node.locks for node in made.cache) == 0
    scheduler.abort("runs")
    scheduler.run_overlapped()
    assert [one.name for one in scheduler.done] == ["short"]
    assert_exact(scheduler.done)
    assert_quiescent(made)


ACTS = st.lists(st.integers(0, 999), min_size=20, max_size=120)


@given(setting=st.sampled_from(SETTINGS), acts=ACTS)
def test_any_order_of_launches_results_aborts_evictions_and_device_progress(tmp_path_factory, setting, acts):
    mode, lookahead, without_spare = setting
    stream = Simulated()
    scheduler = scheduler_of(stream, mode, lookahead=lookahead, without_spare=without_spare)
    made, path = scheduler.engine, tmp_path_factory.mktemp("any") / "run.ndjson"
    recorder = Recorder(path)
    made.observe(recorder)
    gone, outside = set(), []
    requests = some(10, seed=acts[0])
    for one in requests:
        scheduler.submit(one)
    for act in acts:
        choice, pick = act % 10, act // 10
        if choice < 4 and len(made.pending) < made.config.window:
            scheduler.launch()
        elif choice < 7 and made.pending:
            scheduler.process()
        elif choice == 7 and stream.waiting:
            stream.advance()
        elif choice == 8:
            alive = [one.name for one in (*scheduler.waiting, *scheduler.seated.values())]
            if alive and pick % 3 == 0:
                gone.add(alive[pick % len(alive)])
                scheduler.abort(alive[pick % len(alive)])
            elif (free := [node.slot for node in made.cache if not node.locks]) and pick % 3 == 1:
                made.evict(free[pick % len(free)])
        elif choice == 9:
            if outside and pick % 2:
                made.pool.give_back(outside.pop(), OUTSIDE, len(outside))
            elif made.pool.available:
                outside.append(made.pool.take(1 + pick % made.pool.available, OUTSIDE, len(outside)))
    for number, slots in enumerate(outside):
        made.pool.give_back(slots, OUTSIDE, number)
    while len(made.pending) >= made.config.window:
        scheduler.process()
    scheduler.run_overlapped()
    assert {one.name for one in scheduler.done} | gone == {one.name for one in requests}
    assert_exact(scheduler.done)
    assert_quiescent(made)
    recorder.close()
    judgement = judge_file(path, design_class("slotproof"))
    assert exit_code(judgement) == 0, "\n".join(lines(judgement))
