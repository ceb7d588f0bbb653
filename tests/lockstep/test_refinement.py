"""The runtime takes the spec's steps: scenarios run on both, on every kind of stream, and a difference is seen."""

import itertools

import pytest

from checker.command.report.traces import exit_code, lines
from checker.lockstep import enabled
from checker.lockstep.failure import Failed
from checker.lockstep.lockstep import Lockstep, config_of
from checker.lockstep.replay import Unplayable, replay
from checker.lockstep.step import DrawnStep
from checker.model.known_designs import DESIGNS
from checker.model.model import Model
from checker.scenarios.read import read
from checker.scenarios.stutters import STUTTERS
from checker.traces.judge_file import judge_file
from runtime import boundary, device_ops
from runtime.batch import Rows
from runtime.prefix_cache import PrefixCache
from runtime.requests import RequestTable
from runtime.streams import Inline, Worker
from spec.language import ABSENT
from spec.scope import BadScope, Scope
from spec.state import Text
from tests.support.paths import FUZZED, SCENARIOS

SCRIPTS = sorted(SCENARIOS.glob("*.txt"))
KEPT = sorted(FUZZED.glob("*.txt"))
"""What fuzzing has found once; it must not come back."""

NOT_OURS = ("played by design", "interval=any", "short_keys=on", "in flight")
"""Why a runtime cannot follow a scenario: another design, free boundaries, cut outputs, a choice of the allocator."""

EAGER = Scope(requests=2, slots=6, nodes=2, mode="eager", max_len=8)


@pytest.mark.parametrize("path", [*SCRIPTS, *KEPT], ids=lambda path: path.stem)
def test_a_scenario_runs_on_the_runtime_too(path):
    try:
        played = replay(read(path))
    except (Unplayable, BadScope) as error:
        if not any(reason in str(error) for reason in NOT_OURS):
            raise
        return
    assert played.failed is None, played.text
    assert played.steps > 0


def test_most_scenarios_can_be_followed():
    followed = 0
    for path in SCRIPTS:
        try:
            followed += replay(read(path)).failed is None
        except (Unplayable, BadScope):
            continue
    assert followed >= 15


@pytest.mark.parametrize("stream", [Inline, Worker])
def test_a_scenario_runs_on_other_streams(stream):
    played = replay(read(SCENARIOS / "the-whole-story.txt"), stream())
    assert played.failed is None, played.text


def test_what_the_runtime_did_is_a_good_trace_that_conforms(tmp_path):
    path = tmp_path / "run.ndjson"
    replay(read(SCENARIOS / "two-requests-one-key.txt"), trace=path)
    judged = judge_file(path, DESIGNS["slotproof"])
    assert exit_code(judged) == 0, list(lines(judged))


def prefilled(scope=EAGER):
    lockstep = Lockstep(scope)
    lockstep.admit(0, 0, 3)
    lockstep.prefill(0)
    lockstep.device()
    lockstep.process()
    return lockstep


def test_a_move_is_spelled_as_a_script_says_it():
    assert str(DrawnStep("admit", request=1, family=1, prompt=3)) == "admit r2 prompt 3 text B"
    assert str(DrawnStep("prepare", names=(0, 1), exhausted=True)) == "prepare r1 r2 no spare"
    assert str(DrawnStep("prepare")) == "prepare"
    assert str(DrawnStep("process", names=(0,), exhausted=True)) == "process finish r1 no replacement"
    assert str(DrawnStep("evict", key=Text(0, 4))) == "evict A@4"
    assert str(DrawnStep("move", 0, seat=2)) == "move r1 seat 3"
    assert str(DrawnStep("regroup", names=(0, 1))) == "regroup r1 r2"


def test_a_record_that_differs_is_seen():
    lockstep = prefilled()
    lockstep.engine.table.next[0] = 0
    with pytest.raises(Failed, match="next: r1 has 0 in the runtime and 1 in the spec"):
        lockstep.prepare([])


def test_a_state_that_differs_is_seen():
    lockstep = prefilled()
    lockstep.engine.states.ssm[0][int(lockstep.engine.table.working[0])] += 1
    with pytest.raises(Failed, match=r"holds: slot \d holds no text's state on the device, and \(0, 3\)"):
        lockstep.prepare([])


def test_a_written_padding_row_is_seen():
    lockstep = prefilled()
    lockstep.engine.states.conv[1][lockstep.engine.states.padding] = 1
    with pytest.raises(Failed, match="padding"):
        lockstep.prepare([])


def test_an_owner_that_differs_is_seen():
    lockstep = prefilled()
    lockstep.engine.pool.holder[int(lockstep.engine.table.working[0])] = 1
    with pytest.raises(Failed, match="owner: slot"):
        lockstep.prepare([])


def test_a_wrong_state_is_seen_when_it_is_published_on_a_thread(monkeypatch):
    # The checkpoint is never written; a device of its own is compared when something comes of it.
    monkeypatch.setattr(device_ops, "copy_states", lambda *_: None)
    lockstep = Lockstep(EAGER, Worker())
    lockstep.admit(0, 0, 3)
    lockstep.prefill(0)
    with pytest.raises(Failed, match="publication"):
        lockstep.process()
    lockstep.engine.close()


def test_a_changed_decision_is_seen(monkeypatch):
    monkeypatch.setattr(boundary, "eager_next", lambda position, mark, ring: position)
    with pytest.raises(Failed, match="next"):
        prefilled()


def test_a_lock_too_many_is_seen():
    lockstep = prefilled()
    next(iter(lockstep.engine.cache)).locks = 1
    with pytest.raises(Failed, match=r"locks: slot \d is locked 1 times, and 0 admitted requests copy from it"):
        lockstep.prepare([])


def full(slots=4):
    """A lockstep whose only seat is free, and two cached keys; with four slots one of them must go for an admission."""
    lockstep = Lockstep(EAGER.replace(slots=slots, max_len=4, requests=1))
    for prompt in (2, 4):
        lockstep.admit(0, 0, prompt)
        lockstep.prefill(0)
        lockstep.device()
        lockstep.process([0])
    assert list(lockstep.watch.used) == [(0, 2), (0, 4)]
    return lockstep


def test_the_cache_gives_up_what_was_used_longest_ago():
    lockstep = full()
    lockstep.admit(0, 0, 3)
    assert list(lockstep.watch.used) == [(0, 2)], "what is hit stays, although it was used before the other one"


def for_a_spare():
    """What a decode evicts for its spare: by the time that is reported, the spare is in flight under that slot."""
    lockstep = Lockstep(EAGER.replace(mode="lazy", slots=4, requests=1))
    for prompt in (3, 5):
        lockstep.admit(0, 0, prompt)
        lockstep.prefill(0)
        lockstep.device()
        lockstep.process([0])
    lockstep.admit(0, 0, 1)
    lockstep.prefill(0)
    lockstep.prepare([0])
    return lockstep


def test_what_a_spare_was_evicted_for_may_be_in_flight_by_now():
    lockstep = for_a_spare()
    assert lockstep.watch.evicted == 1
    assert list(lockstep.watch.used) == [(0, 4)]


def test_an_eviction_for_a_spare_of_what_was_used_last_is_seen(monkeypatch):
    evictable = PrefixCache.evictable
    monkeypatch.setattr(PrefixCache, "evictable", lambda self, processed, most: evictable(self, processed, 9)[-most:])
    with pytest.raises(Failed, match=r"evicted: slot \d is given up, and slot \d was used longest ago"):
        for_a_spare()


def test_an_eviction_of_what_was_used_last_is_seen(monkeypatch):
    lockstep = full()
    evictable = PrefixCache.evictable
    monkeypatch.setattr(PrefixCache, "evictable", lambda self, processed, most: evictable(self, processed, 9)[-most:])
    with pytest.raises(Failed, match=r"evicted: slot \d is given up, and slot \d was used longest ago"):
        lockstep.admit(0, 0, 1)


def test_a_use_that_the_cache_forgets_is_seen(monkeypatch):
    lockstep = full(slots=5)
    monkeypatch.setattr(PrefixCache, "get", lambda self, key: self._nodes.get(key))
    with pytest.raises(Failed, match="order: the cache has"):
        lockstep.admit(0, 0, 3)


def two_in_flight():
    """Two requests of two texts in one batch in flight, in seats 0 and 1 of three."""
    lockstep = Lockstep(Scope(requests=3, slots=12, nodes=3, families=2, mode="eager", max_len=8))
    for name in (0, 1):
        lockstep.admit(name, name, 3)
        lockstep.prefill(name)
        lockstep.device()
        lockstep.process()
    lockstep.prepare([0, 1])
    return lockstep


def test_a_record_moves_and_rows_are_regrouped_while_nothing_changes_for_the_spec():
    lockstep = two_in_flight()
    assert (enabled.movable(lockstep), enabled.regroupable(lockstep), enabled.seats_left(lockstep)) == ([], [0, 1], [2])
    before = Model.key(lockstep.spec.model, lockstep.state)
    lockstep.regroup([1])
    assert lockstep.engine.pending[0].rows.seat.tolist() == [1, 0]
    lockstep.device()
    lockstep.process()
    lockstep.move(0, 2)
    assert (lockstep.seats, lockstep.engine.table.names[2]) == ({0: 2, 1: 1}, "r1")
    lockstep.regroup([0])
    lockstep.prepare([0, 1])
    lockstep.regroup([0, 1])
    assert lockstep.engine.pending[0].rows.seat.tolist() == [2, 1]
    lockstep.device()
    lockstep.process([0])
    assert before != Model.key(lockstep.spec.model, lockstep.state)


@pytest.mark.parametrize("stutter", STUTTERS, ids=lambda stutter: stutter.name)
def test_what_the_spec_has_no_word_for_changes_nothing_there(stutter):
    lockstep = two_in_flight()
    for arguments in itertools.product(*[list(choices(lockstep.scope)) for choices in stutter.choices.values()]):
        after = lockstep.spec.model.take(lockstep.state, stutter, arguments)
        assert lockstep.spec.model.key(after) == lockstep.spec.model.key(lockstep.state)


def test_rows_that_are_put_together_wrongly_are_seen(monkeypatch):
    lockstep = two_in_flight()
    merge = Rows.merge
    monkeypatch.setattr(Rows, "merge", lambda self, other: merge(other, self))
    lockstep.regroup([1])
    lockstep.device()
    with pytest.raises(Failed, match="tokens: r1 has"):
        lockstep.process()


def test_a_record_that_loses_something_on_its_way_is_seen(monkeypatch):
    lockstep = two_in_flight()
    lockstep.device()
    lockstep.process()
    move = RequestTable.move

    def forgetful(self, source, target):
        move(self, source, target)
        self.last_len[target] = -1

    monkeypatch.setattr(RequestTable, "move", forgetful)
    with pytest.raises(Failed, match="last_len: r1 has -1"):
        lockstep.move(0, 2)


def test_a_trace_names_rows_rightly_after_they_have_been_regrouped(tmp_path):
    path = tmp_path / "run.ndjson"
    replay(read(SCENARIOS / "moved-and-regrouped.txt"), trace=path)
    judged = judge_file(path, DESIGNS["slotproof"])
    assert exit_code(judged) == 0, list(lines(judged))


def test_a_runtime_needs_a_number_for_an_interval():
    with pytest.raises(BadScope, match="interval=any is for the spec alone"):
        config_of(Scope(interval=0, slots=8))


def test_there_are_as_many_seats_as_slots_allow():
    assert config_of(Scope(requests=3, slots=7)).requests == 2


def test_absent_means_the_same_in_both_rooms():
    assert boundary.ABSENT == ABSENT
