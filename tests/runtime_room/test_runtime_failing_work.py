"""The model's work raises: its requests fail and leave, everyone else goes on, and nothing wrong is ever cached."""

import numpy as np
import pytest

from checker.command.report.traces import exit_code, lines
from checker.model.designs import design_class
from checker.traces.judge_file import judge_file
from checker.traces.recorder import Recorder
from runtime.boundary import ABSENT
from runtime.engine import Engine
from runtime.exact_model import ExactModel, text
from runtime.pool import COOLING, FREE
from runtime.scheduler import GenerationRequest, Scheduler
from runtime.streams import Inline, Simulated, Worker
from runtime.tracking import Contradiction
from tests.support.runtime_engines import FIRSTS, assert_quiescent, by_handle, config, prompt, seats, state_of
from tests.support.whole_state import snapshot

STREAMS = [Inline, Simulated, Worker]


class Fails(ExactModel):
    """Raises at one of its calls, with the states of the first layer written and the others not."""

    def __init__(self, at=-1):
        super().__init__()
        self.at = at
        self.calls = 0

    def absorb(self, pool, working, tokens):
        self.calls += 1
        if self.calls - 1 == self.at:
            pool.ssm[0][working, 0] += 17
            raise MemoryError(f"call {self.at}")
        return super().absorb(pool, working, tokens)

    def fail_next(self):
        self.at = self.calls


def failing(kind, **changes):
    made = by_handle(kind(), **{"lookahead": 2, "ring": 3, "slots": 18, "requests": 4} | changes)
    made.model = Fails()
    return made


def answer(made, *finishing):
    batch = made.pending[0]
    return made.process(batch.tokens(), np.isin(made.table.handles(batch.rows.seat), finishing))


def started(made, name, first, length):
    handle = made.admit(name, prompt(first, length))
    made.prefill(handle)
    return handle


def launch_failing(made, launch):
    """Launch a batch whose work fails; a device of its own has got that far, and no further, when this returns."""
    while made.pending and not made.pending[-1].failure():
        if made.pending[-1].ran.done():
            break
    made.model.fail_next()
    batch = launch()
    assert isinstance(batch.failure(), MemoryError)
    return batch


def with_a_failed_decode(kind, **changes):
    """An engine whose one request has been prefilled, and a decode of it that has failed."""
    made = failing(kind, **changes)
    one = started(made, "fails", 3, 3)
    answer(made)
    launch_failing(made, lambda: made.decode(seats(one)))
    return made, one


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("what", ["prefill", "decode"])
def test_the_result_is_refused_until_the_batch_is_discarded(kind, mode, what):
    made = failing(kind, mode=mode)
    other = started(made, "goes on", 5, 3)
    answer(made)
    one = made.admit("fails", prompt(3, 3))
    if what == "decode":
        made.prefill(one)
        answer(made)
        launch_failing(made, lambda: made.decode(seats(*sorted((other, one)))))
    else:
        launch_failing(made, lambda: made.prefill(one))
    before = snapshot(made)
    for _ in range(2):
        with pytest.raises(MemoryError, match="call"):
            made.process(np.zeros(len(made.pending[0].rows), np.int64), np.zeros(len(made.pending[0].rows), bool))
        assert snapshot(made) == before
    failed = made.discard().tolist()
    assert failed == ([other, one] if what == "decode" else [one])
    for handle in failed:
        with pytest.raises(Contradiction, match="nobody goes by it"):
            made.abort(handle)
    if what == "prefill":
        made.decode(seats(other))
        answer(made, other)
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
def test_a_batch_that_has_not_failed_is_not_discarded(kind):
    made = failing(kind)
    before = snapshot(made)
    with pytest.raises(Contradiction, match="no batch is pending"):
        made.discard()
    assert snapshot(made) == before
    started(made, "r", 3, 3)
    made.pending[0].ran.wait()
    before = snapshot(made)
    with pytest.raises(Contradiction, match="batch 0 has not failed: process its result"):
        made.discard()
    assert snapshot(made) == before
    made.close()


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_slots_are_quarantined_until_nothing_in_flight_touches_them(kind, mode):
    """A later batch goes on from the state that the failed one has spoilt: its rows are dropped when they return."""
    made = failing(kind, mode=mode)
    one, other = started(made, "fails", 3, 3), started(made, "goes on", 5, 3)
    answer(made)
    answer(made)
    launch_failing(made, lambda: made.decode(seats(one)))
    batches = (made.decode(seats(one, other)), made.decode(seats(one, other)))
    working, ring = int(made.table.working[0]), made.table.ring[0]
    held = {working, *[slot for batch in batches for slot in batch.rows.slot[batch.rows.seat == 0].tolist()]}
    owned = {working, *ring[ring != ABSENT].tolist()}
    made.discard()
    for batches_left in (2, 1):
        kinds = {slot: int(made.pool.kind[slot]) for slot in owned}
        assert kinds == {slot: COOLING if slot in held - {ABSENT} else FREE for slot in owned}
        comes = made.admit(f"comes {batches_left}", prompt(7, 3))
        taken = made.pool.holder[list(held - {ABSENT})]
        assert (taken == ABSENT).all(), "a slot in quarantine has been handed on"
        made.abort(comes)
        answer(made)
    assert {int(made.pool.kind[slot]) for slot in owned} == {FREE}
    seat = made.table.seat(other)
    assert made.table.tokens[seat, :6].tolist() == list(text(5, 6)[0])
    assert state_of(made, int(made.table.working[seat])) == text(5, 5)[1]
    made.abort(other)
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_failed_prefill_donates_nothing(kind, mode):
    made = failing(kind, mode=mode)
    one = made.admit("fails", prompt(3, 5))
    launch_failing(made, lambda: made.prefill(one))
    assert made.pending[0].rows.mark[0] == 4
    made.decode(seats(one))
    made.discard()
    assert len(made.cache) == 0
    answer(made)
    assert len(made.cache) == 0
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_what_was_donated_before_the_failure_stays_and_is_exact(kind, mode):
    """The donation is pending when a later batch of the same request fails: its checkpoint was written before."""
    made = failing(kind, mode=mode)
    one = started(made, "fails", 3, 5)
    made.pending[0].ran.wait()
    launch_failing(made, lambda: made.decode(seats(one)))
    made.decode(seats(one))
    answer(made)
    (node,) = made.cache
    hit = made.admit("hits", prompt(3, 6))
    assert made.table.source[made.table.seat(hit)] == node.slot
    made.discard()
    made.prefill(hit)
    answer(made)
    answer(made)
    assert state_of(made, int(made.table.working[made.table.seat(hit)])) == text(3, 6)[1]
    assert state_of(made, node.slot) == text(3, 4)[1]
    made.abort(hit)
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_hit_that_fails_leaves_the_entry_and_lets_it_go(kind, mode):
    """The failed work copies from a cached slot; the entry is evicted meanwhile, and waits for that batch."""
    made = failing(kind, mode=mode)
    first = started(made, "leaves", 3, 4)
    answer(made, first)
    (node,) = made.cache
    hit = made.admit("hits", prompt(3, 7))
    launch_failing(made, lambda: made.prefill(hit))
    made.evict(node.slot)
    assert made.pool.kind[node.slot] == COOLING
    made.discard()
    assert made.pool.kind[node.slot] == FREE
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
def test_whoever_left_before_is_not_failed_again_and_whoever_came_is_not_touched(kind):
    made, one = with_a_failed_decode(kind, requests=1, slots=10)
    made.abort(one)
    came = made.admit("came", prompt(5, 3))
    assert came != one
    assert made.discard().tolist() == []
    made.prefill(came)
    answer(made, came)
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("kind", STREAMS)
def test_the_buffer_of_a_failed_batch_is_used_again(kind):
    made, _ = with_a_failed_decode(kind, lookahead=0)
    made.discard()
    other = started(made, "goes on", 5, 3)
    answer(made)
    for _ in range(5):
        made.decode(seats(other))
        answer(made)
    assert made.table.tokens[0, :8].tolist() == list(text(5, 8)[0])
    made.close()


# At every call of the model, under the scheduler's loops.


def some():
    return [
        GenerationRequest(f"r{number}", prompt(FIRSTS[number % 3], 2 + number % 5), 2 + number % 4)
        for number in range(7)
    ]


def ran(kind, mode, loop, at, path, without_spare="overwrite"):
    """Run some requests with one call of the model failing; returns the scheduler and the model."""
    sizes = {"eager": 14, "lazy": 8}
    settings = config(mode=mode, slots=sizes[mode], requests=3, ring=3, lookahead=2, without_spare=without_spare)
    model, recorder = Fails(at), Recorder(path)
    scheduler = Scheduler(Engine(settings, model, kind(), recorder))
    for request in some():
        scheduler.submit(request)
    getattr(scheduler, loop)()
    scheduler.engine.close()
    recorder.close()
    return scheduler, model


def assert_others_are_exact(scheduler, path):
    assert {one.name for one in (*scheduler.done, *scheduler.failed)} == {one.name for one in some()}
    assert not scheduler.waiting
    assert not scheduler.seated
    for one in scheduler.done:
        length = len(one.prompt)
        assert tuple(one.output) == text(int(one.prompt[0]), length + one.produce)[0][length:], one
    for one in scheduler.failed:
        assert isinstance(one.error, MemoryError)
        assert one.output is None
    assert_quiescent(scheduler.engine)
    judgement = judge_file(path, design_class("slotproof"))
    assert exit_code(judgement) == 0, "\n".join(lines(judgement))
    assert judgement.verdict.outcome == "good"


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("loop", ["run_overlapped", "run_plain"])
def test_whatever_call_fails_the_others_are_exact_and_the_trace_is_good(tmp_path, kind, mode, loop):
    whole, model = ran(kind, mode, loop, -1, tmp_path / "whole.ndjson")
    assert len(whole.done) == len(some())
    # Every call on the stream that runs at once; of the others, which run the same calls in the same order, some.
    for at in range(0, model.calls, 1 if (kind, loop) == (Inline, "run_overlapped") else 7):
        path = tmp_path / f"{at}.ndjson"
        scheduler, _ = ran(kind, mode, loop, at, path)
        assert scheduler.failed, at
        assert_others_are_exact(scheduler, path)


def test_an_interrupt_under_the_scheduler_fails_the_batch_and_jams_nothing(tmp_path):
    _, model = ran(Inline, "eager", "run_overlapped", -1, tmp_path / "whole.ndjson")
    for at in range(0, model.calls, 2):
        scheduler = Scheduler(by_handle(slots=14, lookahead=2))
        absorb, calls = scheduler.engine.model.absorb, []

        def ends(*given, absorb=absorb, calls=calls, at=at):
            calls.append(1)
            if len(calls) == at + 1:
                raise KeyboardInterrupt
            return absorb(*given)

        scheduler.engine.model.absorb = ends
        for request in some():
            scheduler.submit(request)
        with pytest.raises(KeyboardInterrupt):
            scheduler.run_overlapped()
        scheduler.run_overlapped()
        assert scheduler.failed
        assert len(scheduler.done) + len(scheduler.failed) == len(some())
        assert_quiescent(scheduler.engine)


def test_a_publication_of_failed_work_would_be_seen(monkeypatch, tmp_path):
    """What the tests above look for: a result that is taken although its work has failed."""
    monkeypatch.setattr("runtime.batch.LaunchedBatch.failure", lambda self: None)
    monkeypatch.setattr("runtime.batch.LaunchedBatch.tokens", lambda self: np.zeros(len(self.rows), np.int64))
    monkeypatch.setattr("runtime.streams._Failed.wait", lambda self: None)
    scheduler, _ = ran(Inline, "eager", "run_plain", 0, tmp_path / "run.ndjson")
    with pytest.raises(AssertionError):
        assert_others_are_exact(scheduler, tmp_path / "run.ndjson")
