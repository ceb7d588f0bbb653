"""A step that fails, or is ended, at any point: everything is as before, or it is complete, or the engine says so.

Two ways to fail: each call that can fail raises, and an interrupt comes at every line that a step executes.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import runtime
from runtime import engine as engines
from runtime.batch import Rows
from runtime.boundary import ABSENT
from runtime.guard import Halted
from runtime.pool import SlotPool
from runtime.prefix_cache import PrefixCache
from runtime.streams import Inline, Interrupted, Simulated, Worker
from runtime.upload import Buffer, Staging
from tests.support.runtime_engines import assert_quiescent, by_handle, prompt, seats
from tests.support.whole_state import snapshot

ROOM = str(Path(runtime.__file__).parent)
STREAMS = [Inline, Simulated, Worker]


class Broken(Exception):
    """What a test lets a call raise."""


def answer(made, *finishing):
    batch = made.pending[0]
    return made.process(batch.tokens(), np.isin(made.table.handles(batch.rows.seat), finishing))


def busy(kind, mode, left=0):
    """One runs with a decode pending that lands on a boundary, one is admitted after a hit; so many slots are free.

    The cache has an entry that may go: with none free, a lazy spare is reclaimed for the next boundary.
    """
    changes = {"slots": 15, "ring": 3} if mode == "eager" else {"slots": 8, "ring": 2}
    made = by_handle(kind(), mode=mode, lookahead=2, **changes)
    for first, length in ((3, 4), (5, 4)):
        made.prefill(leaves := made.admit("leaves", prompt(first, length)))
        answer(made, leaves)
    runs = made.admit("runs", prompt(7, 3))
    made.prefill(runs)
    answer(made)
    waits = made.admit("waits", prompt(3, 5))
    made.pool.take(made.pool.available - left, 5, 0)
    assert made.table.source[made.table.seat(waits)] != ABSENT
    assert len(made.cache) >= 2
    return made, runs, waits


def launches(made, runs, waits):
    return {"decode": lambda: made.decode(seats(runs)), "prefill": lambda: made.prefill(waits)}


CALLS = {
    "the rows": (Rows, "of"),
    "the batch": (engines, "LaunchedBatch"),
    "the pool": (SlotPool, "foresee"),
    "the cache": (PrefixCache, "evictable"),
    "the turn of the staging": (Staging, "next"),
    "the staging": (Buffer, "fill"),
    "submit": (None, "submit"),
}


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("launch", ["decode", "prefill"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", [Broken, KeyboardInterrupt, MemoryError])
def test_a_launch_that_fails_leaves_everything_as_it_was(monkeypatch, kind, mode, launch, call, error):
    left = int(error is Broken and call != "the cache")
    made, runs, waits = busy(kind, mode, left)
    owner, name = CALLS[call]
    reached = []

    def fails(*_, **__):
        reached.append(call)
        raise error(call)

    before = snapshot(made)
    with monkeypatch.context() as patched:
        patched.setattr(owner or type(made.stream), name, fails)
        # Only a lazy decode asks for spares.
        if call not in ("the pool", "the cache") or (mode, launch) == ("lazy", "decode"):
            with pytest.raises(error):
                launches(made, runs, waits)[launch]()
            assert reached
            assert snapshot(made) == before
    launches(made, runs, waits)[launch]()
    goes_on(made)


def goes_on(made):
    """Everybody leaves, and nothing is left behind."""
    while made.pending:
        if made.pending[0].failure():
            made.discard()
        else:
            answer(made)
    for seat in (made.table.phase != 0).nonzero()[0].tolist():
        made.abort(made.table.handle(seat))
    made.close()
    assert_quiescent(made)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("launch", ["decode", "prefill"])
def test_work_that_is_ended_in_the_middle_is_a_launched_batch_that_failed(monkeypatch, mode, launch):
    """The state has moved on the device, so the launch must not be taken for one that never was."""
    ended, failed = busy(Inline, mode), busy(Inline, mode)
    for (made, runs, waits), error in ((ended, KeyboardInterrupt()), (failed, Interrupted())):
        absorb = made.model.absorb

        def absorb_and_end(*given, absorb=absorb, error=error):
            absorb(*given)
            raise error

        made.model.absorb = absorb_and_end
        if isinstance(error, KeyboardInterrupt):
            with pytest.raises(KeyboardInterrupt):
                launches(made, runs, waits)[launch]()
        else:
            launches(made, runs, waits)[launch]()
        made.model.absorb = absorb
    (made, runs, waits), (other, *_) = ended, failed
    for attribute in ("table", "pool", "cache", "launched"):
        assert snapshot(getattr(made, attribute)) == snapshot(getattr(other, attribute))
    failure = made.pending[-1].failure()
    assert isinstance(failure, Interrupted)
    assert isinstance(failure.__cause__, KeyboardInterrupt)
    goes_on(made)


# At every line.


class Interrupting:
    """Raises KeyboardInterrupt at one of the lines of the runtime that this thread executes."""

    def __init__(self, line):
        self.left = line

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _called(self, frame, event, _):
        return self._line if frame.f_code.co_filename.startswith(ROOM) else None

    def _line(self, frame, event, _):
        if event == "line":
            self.left -= 1
            if self.left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._line


def fail_next(made):
    """Let the oldest batch have failed."""

    class Never:
        def wait(self):
            raise Broken("lost")

        done = wait

    made.pending[0].ran = Never()


def steps(made, runs, waits):
    (entry, *_) = [node for node in made.cache if not node.locks]
    return {
        "admit": lambda: made.admit("comes", prompt(5, 6)),
        "prefill": lambda: made.prefill(waits),
        "decode": lambda: made.decode(seats(runs)),
        "process": lambda: answer(made),
        "finish": lambda: answer(made, runs),
        "donate": lambda: answer(made),
        "discard": made.discard,
        "abort": lambda: made.abort(waits),
        "evict": lambda: made.evict(entry.slot),
        "reclaim": lambda: made.reclaim(2),
    }


STEPS = ("admit", "prefill", "decode", "process", "finish", "donate", "discard", "abort", "evict", "reclaim")


def ready(kind, mode, step):
    """An engine for which a step is possible."""
    made, runs, waits = busy(kind, mode)
    if step in ("process", "finish", "discard"):
        made.decode(seats(runs))
    if step == "discard":
        fail_next(made)
    if step in ("admit", "donate"):
        made.pool.give_back((made.pool.kind == 5).nonzero()[0], 5, 0)
    if step == "donate":
        made.prefill(made.admit("donates", prompt(5, 7)))
    return made, steps(made, runs, waits)[step]


@pytest.mark.parametrize(
    ("kind", "mode", "step"),
    [
        *[(Inline, "eager", step) for step in STEPS],
        *[(Inline, "lazy", step) for step in ("decode", "finish", "donate")],
        *[(Worker, "lazy", step) for step in ("decode", "prefill")],
    ],
)
def test_an_interrupt_at_any_line_changes_nothing_or_all_or_is_told(kind, mode, step):
    made, take = ready(kind, mode, step)
    take()
    complete = comparable(made)
    made.close()
    seen = {"before": 0, "complete": 0, "failed": 0, "halted": 0}
    line = 0
    while True:
        made, take = ready(kind, mode, step)
        before = comparable(made)
        try:
            with Interrupting(line):
                take()
        except KeyboardInterrupt:
            seen[outcome(made, before, complete)] += 1
        else:
            break
        finally:
            made.close()
        # Of what the eager mode on the plain stream goes through as well, every third line.
        line += 1 if (kind, mode) == (Inline, "eager") else 3
    assert seen["before"] > 0
    assert seen["halted"] > 0, "there is no line at which the step is half done?"
    assert seen["failed"] > 0 or kind is Worker or step not in ("prefill", "decode")


def comparable(made):
    """All that the host knows; the device of its own may be anywhere."""
    made.stream.submit(lambda: None).wait()
    return [snapshot(getattr(made, name)) for name in ("table", "pool", "cache", "launched", "staging")] + [
        [(batch.number, snapshot(batch.rows), snapshot(batch.boundaries)) for batch in made.pending]
    ]


def outcome(made, before, complete):
    try:
        made.guard.enter()
    except Halted:
        # Whoever goes on hears of it at once, whatever they do.
        for call in (lambda: made.abort(0), lambda: made.admit("r", prompt(3, 3)), lambda: made.evict(0), made.discard):
            with pytest.raises(Halted, match="make another engine"):
                call()
        return "halted"
    after = comparable(made)
    if after[:4] == before[:4] and after[5] == before[5]:
        return "before"
    if made.pending and isinstance(made.pending[-1].failure(), Interrupted):
        return "failed"
    assert after[:4] == complete[:4]
    assert after[5] == complete[5]
    return "complete"


def test_the_work_of_a_launch_that_was_called_off_is_never_performed():
    """A stream takes the work and then raises: the device must not run what the host knows nothing of."""

    class Treacherous(Simulated):
        def submit(self, work):
            super().submit(work)
            raise OSError("and the work is queued all the same")

    made, runs, _ = busy(Simulated, "eager")
    before = snapshot(made)
    honest, made.stream = made.stream, Treacherous()
    with pytest.raises(OSError):
        made.decode(seats(runs))
    states = snapshot(made.states)
    made.stream.advance()
    assert snapshot(made.states) == states
    made.stream = honest
    assert snapshot(made) == before


def test_an_interrupt_while_a_launch_waits_for_a_buffer_changes_nothing():
    made, runs, _ = busy(Inline, "eager")

    class Interrupts:
        def wait(self):
            raise KeyboardInterrupt

    made.staging.next().copied, kept = Interrupts(), made.staging.next().copied
    before = snapshot(made)
    with pytest.raises(KeyboardInterrupt):
        made.decode(seats(runs))
    assert snapshot(made) == before
    made.staging.next().copied = kept
    goes_on(made)


def test_a_step_within_a_step_is_refused():
    made, runs, waits = busy(Inline, "eager")
    absorb, refused = made.model.absorb, []

    def meddles(*given):
        with pytest.raises(Halted, match="in the middle of `prepare`"):
            made.abort(waits)
        refused.append(True)
        return absorb(*given)

    made.model.absorb = meddles
    made.decode(seats(runs))
    assert refused
    goes_on(made)
