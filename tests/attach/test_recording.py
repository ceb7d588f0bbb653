"""What a recorder in the engine's process writes of what the engine does, and what the judge says of it."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.traces.judge_file import judge_file
from tests.support.recording import lines, record, recorded, traces

ONE = "Scheduler().run(Req('A', range(10), 20))\n"
TWO_TURNS = """
engine = Scheduler()
first = Req("A", range(10), 12)
engine.run(first)
engine.run(Req("B", first.tokens + (1,), 5), Req("C", range(50, 70), 9))
"""
RETRACTED = """
engine = Scheduler()
engine.waiting = [Req("C", range(50, 60), 5), Req("D", range(60, 80), 9)]
for _ in range(4):
    engine.step()
engine.retract(engine.running.reqs[1])
engine.run()
"""
MIXED = """
engine = Scheduler(mixes=True)
engine.waiting = [Req("A", range(10), 20)]
for _ in range(3):
    engine.step()
engine.run(Req("B", range(50, 60), 5))
"""
TIGHT = """
engine = Scheduler(slots=7)
engine.run(Req("X", range(90, 100), 9))
engine.run(Req("A", range(10), 9), Req("B", range(20, 30), 9))
"""
"""Both prompts' checkpoints go to the cache in one result: for the first an entry of before makes room, for the second
the first one's own."""


def test_a_run_is_good_and_whole(tmp_path):
    verdict, found = recorded(tmp_path, TWO_TURNS)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    header, kinds = found[0], Counter(line.get("e") for line in found)
    assert (header["engine"], header["mode"], header["ring"], header["slots"]) == ("sglang 0.5.23", "eager", 2, 16)
    assert (header["interval"], header["prefill_grid"], header["grid_from"], header["pool"]) == (8, 8, "prefix", "tp3")
    assert set(header["knows"]) == {"takes", "frees", "evicts", "ends", "clears", "copies"}
    assert kinds["admit"] == kinds["end"] == 3
    assert found[-1] == {"e": "stop", "why": "closed"}


def test_a_hit_is_named_at_admission_and_copied_by_the_launch(tmp_path):
    _, found = recorded(tmp_path, TWO_TURNS)
    (hit,) = [line for line in found if line.get("hit")]
    assert (hit["r"], hit["hit"]["len"]) == ("B", 16)
    (launch,) = [line for line in found if line.get("copies")]
    assert launch["copies"] == [{"from": hit["hit"]["slot"], "to": hit["working"], "len": 16, "r": "B"}]
    (row,) = [row for row in launch["rows"] if row["r"] == "B"]
    assert (row["start"], row["reads"]) == (16, hit["working"])


def test_rows_that_change_nothing_are_short(tmp_path):
    _, found = recorded(tmp_path, ONE)
    rows = [row for line in found if line.get("e") in ("launch", "process") for row in line["rows"]]
    quiet = [row for row in rows if "ring" not in row and "next" not in row and row.get("marks", []) == []]
    assert len(quiet) > len(rows) * 0.8
    assert all(row["same"] for row in quiet if not (row.get("done") or row.get("skipped")))


def test_a_pointer_that_changes_is_shown_once(tmp_path):
    _, found = recorded(tmp_path, ONE)
    labels = [
        row["last_len"] for line in found if line.get("e") == "process" for row in line["rows"] if "last_len" in row
    ]
    assert labels == [None, 16, 24]


FAULTS = {
    "exact-label": """
assign = object.__setattr__
ReqKvInfo.__setattr__ = lambda kv, name, value: assign(
    kv, name, 12 if name == "mamba_last_track_seqlen" and value == 16 else value
)
""",
    "one-owner": """
from sglang.srt.mem_cache.memory_pool import HybridReqToTokenPool as Pool
freed = Pool.free_mamba_cache
Pool.free_mamba_cache = lambda pool, req, keep=None: freed(pool, req)
""",
    "distinct-targets": """
from sglang.srt.mem_cache.allocator.mamba import MambaSlotAllocator as Allocator
given = Allocator.alloc
Allocator.alloc = lambda allocator, count: Ids([1]) if count == 1 else given(allocator, count)
""",
    "no-inflight-target": """
from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor as Results
processed = Results.process_batch_result_decode
def stays(results, batch):
    nexts = [req.kv.mamba_next_track_idx for req in batch.reqs]
    processed(results, batch)
    for req, next_ in zip(batch.reqs, nexts):
        req.kv.mamba_next_track_idx = next_
Results.process_batch_result_decode = stays
""",
}
"""What a script plants in the engine, on top of the hooks: by the property that must be broken."""


@pytest.mark.parametrize("kind", FAULTS)
def test_a_wrong_engine_is_bad(tmp_path, kind):
    run = "engine = Scheduler()\nengine.run(Req('A', range(10), 10), Req('B', range(50, 60), 22))\n"
    done = record(tmp_path, FAULTS[kind] + run)
    (file,) = traces(tmp_path)
    verdict = judge_file(file).verdict
    assert verdict.outcome == "bad", done.stderr
    assert kind in {found.kind for found in verdict.violations}


def test_a_retracted_request_comes_back_as_a_new_life(tmp_path):
    verdict, found = recorded(tmp_path, RETRACTED)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    assert [line["why"] for line in found if line.get("e") == "end" and line["r"] == "D"] == ["retract", "finish"]
    assert [line.get("epoch") for line in found if line.get("e") == "admit" and line["r"] == "D"] == [None, 1]


def test_a_mixed_batch_is_one_launch(tmp_path):
    verdict, found = recorded(tmp_path, MIXED)
    assert verdict.outcome == "good"
    kinds = [tuple(row["kind"] for row in line["rows"]) for line in found if line.get("e") == "launch"]
    assert ("prefill", "decode") in kinds
    (mixed,) = [line for line in found if line.get("e") == "launch" and len({row["kind"] for row in line["rows"]}) == 2]
    assert mixed["rows"][1]["marks"] == []


def test_what_made_room_stands_before_its_result_and_what_came_of_it_behind(tmp_path):
    verdict, found = recorded(tmp_path, TIGHT)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    at = next(
        place
        for place, line in enumerate(found)
        if line.get("e") == "process" and [row["r"] for row in line["rows"]] == ["A", "B"]
    )
    b = found[at]["b"]
    around = [(line["e"], line.get("slot") or line["slots"][0], line.get("during")) for line in found[at - 2 : at]]
    behind = [(line["e"], line.get("slot") or line["slots"][0], line.get("during")) for line in found[at + 1 : at + 5]]
    (_, room, _), (_, taken, _) = around
    assert around == [("evict", room, b), ("take", taken, b)]
    assert taken == room
    (_, first, _), *_ = behind
    assert [kind for kind, _, _ in behind] == ["publish", "evict", "take", "publish"]
    assert [slot for _, slot, _ in behind[:3]] == [first] * 3
    assert {during for _, _, during in behind} == {b}


def test_group_allocation_and_rejected_admissions_are_nobodys_fault(tmp_path):
    script = """
engine = Scheduler()
rejected = Req("R", range(30, 35), 3)
engine.run(Req("A", range(10), 9))
slot = engine.pool.mamba_allocator.alloc(1)
engine.pool.mamba_allocator.free(slot)
engine.run(Req("B", range(20), 9))
"""
    verdict, found = recorded(tmp_path, script)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    assert any(line.get("e") == "take" and "r" not in line for line in found)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("req = Req('A', range(10), 3)\nreq.session = type('Session', (), {'streaming': True})\nScheduler().run(req)",
         "a streaming session: its slots outlive its requests"),
        ("ScheduleBatch.__init__.__defaults__\nengine = Scheduler()\nbatch = ScheduleBatch([Req('A', range(10), 3)], "
         "engine.pool, engine.tree, Algorithm(speculates=True))\nbatch.prepare_for_extend()\nbatch.copy()",
         "speculative decoding: its rows verify several tokens"),
        ("Scheduler(enable_mamba_extra_buffer=False)", "a pool without a ring of checkpoints"),
        ("engine = Scheduler()\nengine.run(Req('A', range(10), 3))\n"
         "engine.processor._advance = None\ntry:\n    engine.run(Req('B', range(10), 3))\nexcept TypeError:\n    pass",
         "the engine raised TypeError while it processed a result"),
    ],
)  # fmt: skip
def test_what_no_line_can_say_ends_the_trace_in_words(tmp_path, script, words):
    done = record(tmp_path, script)
    assert done.returncode == 0, done.stderr
    (file,) = traces(tmp_path)
    last = lines(file)[-1]
    assert (last["e"], last["why"]) == ("stop", "not covered")
    assert words in last["what"]


def test_an_emptied_cache_is_evicted(tmp_path):
    script = """
engine = Scheduler()
engine.run(Req("A", range(10), 9))
engine.tree.entries.clear()
engine.pool.mamba_allocator.clear()
engine.run(Req("B", range(10), 9))
"""
    verdict, found = recorded(tmp_path, script)
    assert (verdict.outcome, verdict.hazards) == ("good", [])
    assert [line["slot"] for line in found if line.get("e") == "evict"]


def test_a_result_that_the_engine_goes_past_is_said_to_be_empty(tmp_path):
    script = """
engine = Scheduler()
engine.waiting = [Req("A", range(10), 9)]
for _ in range(3):
    engine.step()
engine.pending.popleft()
engine.run()
"""
    _, found = recorded(tmp_path, script)
    assert [line["b"] for line in found if line.get("e") == "process" and not line["rows"]] == [2]
