"""A counterexample reads as a story; three of them are written down here in full."""

import itertools
import re

import pytest

from checker.explain.narrate import say
from checker.explain.render import render
from checker.explain.story import story_of
from checker.model.known_designs import Before29792, Merged29792
from checker.model.model import Model, load_module
from checker.model.replay import replay
from spec.design import Design
from spec.language import ABSENT
from tests.support.paths import YARDSTICK_FILE
from tests.support.timeline_runs import (
    DEVICE,
    PREFILL,
    PREPARE,
    PROCESS,
    PROCESS_AND_FINISH,
    RUNS,
    admit,
    model_of,
    run_of,
    steps_for,
)

MERGED_EAGER = """\
exact-label is violated
    A slot cached under n tokens holds, or is promised by rows in flight, the state after exactly
    those n.
design merged-29792: labels from the row; eager flips on the own mask at lookahead 0, on the next
    step's mask at lookahead 1
scope requests=1 slots=5 nodes=2 families=1 interval=2 ring=2 lookahead=1 mode=eager
    without_spare=overwrite max_len=6

How to read it: r1 is a request, s1 a state slot, A@2 the state after the first 2 tokens of text A,
'-' no valid state. 's1 r1.ring[0]: A@2 -> A@4' says that s1 is position 0 of r1's checkpoint ring,
holds A@2, and a launched batch is going to overwrite it with A@4. A checkpoint is written to the
ring position that `next` names; `last` and the label say which finished checkpoint may be published
and as how many tokens. Lookahead: how many tokens the request had already been moved on when the
result came in.

step  CPU                             device                            slots, where they change
   1  admit r1: prompt A@3; works in s0, ring [s1, s2]                  s1 r1.ring[0]: -
                                                                        s2 r1.ring[1]: -
   2  launch batch 0: r1 prefills 3 tokens, checkpoint A@2 goes to      s1 r1.ring[0]: - -> A@2
        ring[0] = s1, next 0 -> 1, last = ring[0] with label 2
   3                                  runs batch 0: s0 = A@3, s1 = A@2  s1 r1.ring[0]: A@2
   4  result of batch 0: r1 (prefill), checkpoint A@2 done, keeps it:
        no free slot to put in its place (others hold all free slots)
   5  launch batch 1: r1 decodes token 4, checkpoint A@4 goes to        s2 r1.ring[1]: - -> A@4
        ring[1] = s2, next stays 1
   6                                  runs batch 1: s0 = A@4, s2 = A@4  s2 r1.ring[1]: A@4
   7  launch batch 2: r1 decodes token 5, no checkpoint
   8  result of batch 1: r1 (token 4, lookahead 1), checkpoint A@4
        done, last = ring[1] with label 4
   9                                  runs batch 2: s0 = A@5
  10  launch batch 3: r1 decodes token 6, checkpoint A@6 goes to        s2 r1.ring[1]: A@4 -> A@6
        ring[1] = s2, next stays 1
  11  result of batch 2: r1 (token 5, lookahead 1), no checkpoint in    s1 free: -
        it; r1 finishes, s2 goes to the cache as A@4, frees s0 s1       s2 cached as A@4: A@4 -> A@6

The condition that broke it:
  spec/properties.py:N:  if promised(s, slot) != s.cached[slot]: return False
      slot              = s2
      promised(s, slot) = A@6   # what `slot` will hold once every launched row has run: the last
            write in stream order wins.
      s.cached[slot]    = A@4

What slotproof would have done at the same schedule, where it differs:
step  CPU                              device                              slots, where they change
   2  launch batch 0: without "last = ring[0] with label 2"                s1 r1.ring[0]: - -> A@2
                                                                           s2 r1.ring[1]: -
   4  result of batch 0: last = ring[0] with label 2                       s1 r1.ring[0]: A@2
   5  launch batch 1: next 1 -> 0, instead of "next stays 1"               s2 r1.ring[1]: - -> A@4
  10  launch batch 3: checkpoint A@6 goes to ring[0] = s1, next 0 -> 1,    s1 r1.ring[0]: A@2 -> A@6
        instead of "checkpoint A@6 goes to ring[1] = s2, next stays 1"     s2 r1.ring[1]: A@4
  11  result of batch 2: the same, but see the slots                       s1 free: - -> A@6
                                                                           s2 cached as A@4: A@4
      In the end exact-label holds; the cache has s2 as A@4 (which it holds).

Again: slotproof explore --design merged-29792 --scope "requests=1 slots=5 nodes=2 max_len=6" --property exact-label
"""

BEFORE_LAZY = """\
step  CPU                              device                             slots, where they change
   1  admit r1: prompt A@3; works in s0, ring [s1, -]                     s1 r1.ring[0]: -
                                                                          s2 free: -
   2  launch batch 0: r1 prefills 3 tokens, checkpoint A@2 goes to        s1 r1.ring[0]: - -> A@2
        ring[0] = s1, last = ring[0] with label 2
   3                                   runs batch 0: s0 = A@3, s1 = A@2   s1 r1.ring[0]: A@2
   4  launch batch 1: r1 decodes token 4, takes spare s2 into ring[1],    s2 r1.ring[1]: - -> A@4
        checkpoint A@4 goes to ring[1] = s2
   5  result of batch 0: r1 (prefill), checkpoint A@2 done; r1 finishes,  s1 free: -
        s2 goes to the cache as A@2, frees s0 s1                          s2 cached as A@2: - -> A@4

The condition that broke it:
  spec/properties.py:N:  if promised(s, slot) != s.cached[slot]: return False
      slot              = s2
      promised(s, slot) = A@4   # what `slot` will hold once every launched row has run: the last
            write in stream order wins.
      s.cached[slot]    = A@2

What slotproof would have done at the same schedule, where it differs:
step  CPU                               device                              slots, where they change
   2  launch batch 0: without "last = ring[0] with label 2"                 s1 r1.ring[0]: - -> A@2
                                                                            s2 free: -
   5  result of batch 0: s1 goes to the cache as A@2, frees s0 s2, instead  s1 cached as A@2: A@2
        of "s2 goes to the cache as A@2, frees s0 s1"                       s2 free: - -> A@4
      In the end exact-label holds; the cache has s1 as A@2 (which it holds).
"""

WAIT_STREAM = """\
step  CPU                               device                              slots, where they change
   1  admit r1: prompt A@4; works in s0, ring [s1, s2]                      s2 r1.ring[1]: -
                                                                            s3 free: -
   2  launch batch 0: r1 prefills 4 tokens, checkpoint A@4 goes to ring[0]
        = s1, next 0 -> 1, last = ring[0] with label 4
   3                                    runs batch 0: s0 = A@4, s1 = A@4
   4  result of batch 0: r1 (prefill), checkpoint A@4 done, s1 goes to the  s3 r1.ring[0]: -
        cache as A@4, s3 replaces it in ring[0]
   5  launch batch 1: r1 decodes token 5, no checkpoint
   6                                    runs batch 1: s0 = A@5
   7  launch batch 2: r1 decodes token 6, checkpoint A@6 goes to ring[1] =  s2 r1.ring[1]: - -> A@6
        s2, next stays 1
   8                                    runs batch 2: s0 = A@6, s2 = A@6    s2 r1.ring[1]: A@6
   9  result of batch 1: r1 (token 5, lookahead 1), no checkpoint in it,
        YET last = ring[1] with label 6, next 1 -> 0
  10  result of batch 2: r1 (token 6, lookahead 0), checkpoint A@6 done;    s2 free: -
        r1 finishes, s3 goes to the cache as A@6, frees s0 s2               s3 cached as A@6: -

The condition that broke it:
  spec/properties.py:N:  if promised(s, slot) != s.cached[slot]: return False
      slot              = s3
      promised(s, slot) = nothing   # what `slot` will hold once every launched row has run: the
            last write in stream order wins.
      s.cached[slot]    = A@6

What slotproof would have done at the same schedule, where it differs:
step  CPU                               device                              slots, where they change
   2  launch batch 0: checkpoint A@2 goes to ring[0] = s1, instead of       s2 r1.ring[1]: -
        "checkpoint A@4 goes to ring[0] = s1"; without "last = ring[0]      s3 free: -
        with label 4"
   3                                    runs batch 0: s1 = A@2, instead of
                                          "s1 = A@4"
   4  result of batch 0: checkpoint A@2 done, s1 goes to the cache as A@2,  s3 r1.ring[0]: -
        instead of "checkpoint A@4 done, s1 goes to the cache as A@4"
   7  launch batch 2: next 1 -> 0, instead of "next stays 1"                s2 r1.ring[1]: - -> A@6
   9  result of batch 1: without "YET last = ring[1] with label 6, next 1   s2 r1.ring[1]: A@6
        -> 0"
  10  result of batch 2: s2 goes to the cache as A@6, frees s0 s3, instead  s2 cached as A@6: A@6
        of "s3 goes to the cache as A@6, frees s0 s2"                       s3 free: -
      In the end exact-label holds; the cache has s1 as A@2 (which it holds) and s2 as A@6 (which it
      holds).
"""

GOLDEN = {"merged eager": MERGED_EAGER, "before lazy": BEFORE_LAZY, "wait-stream": WAIT_STREAM}


def text_of(name, width=100):
    return render(story_of(*run_of(name)), width)


@pytest.mark.parametrize("name", RUNS)
def test_the_story_reads_as_written_down(name):
    # Line numbers of the spec change with every edit there; the conditions themselves are the point.
    text = re.sub(r"\.py:\d+", ".py:N", text_of(name))
    if name == "merged eager":
        assert text == GOLDEN[name]
    else:
        assert text[text.index("step  CPU") : text.index("\nAgain: ")] == GOLDEN[name]


@pytest.mark.parametrize("width", [80, 100, 110])
@pytest.mark.parametrize("name", RUNS)
def test_lines_fit_and_are_ascii(name, width):
    *lines, again, empty = text_of(name, width).split("\n")
    assert again.startswith("Again: slotproof explore --design ")
    assert not empty
    assert all(len(line) <= width and line.isascii() for line in lines)


def test_batches_are_numbered_over_the_whole_run():
    words = [entry.words for entry in story_of(*run_of("wait-stream")).entries]
    assert [word.split(":")[0] for word in words] == [
        "admit r1",
        "launch batch 0",
        "runs batch 0",
        "result of batch 0",
        "launch batch 1",
        "runs batch 1",
        "launch batch 2",
        "runs batch 2",
        "result of batch 1",
        "result of batch 2",
    ]


def test_a_slot_is_told_only_where_it_changes_but_the_story_has_it_at_every_step():
    story = story_of(*run_of("before lazy"))
    assert all(len(entry.slots) == 2 for entry in story.entries)
    told, _ = render(story).split("The condition that broke it")
    assert told.count("s1 r1.ring[0]: A@2\n") == 1


class Careless(Design):
    """Ours, but a finish and a donation ask no gate and an in-place claim leaves the label."""

    name = "careless"

    def in_place_clears_label(self):
        return False

    def may_publish(self, s, request, slot):
        return True


def test_a_schedule_that_slotproof_refuses_ends_there_with_the_guard():
    model = model_of(Careless, "requests=2 slots=6 nodes=2 mode=lazy max_len=4")
    one, none, order = (True, False), (False, False), (0, 1)
    script = [
        admit(3),
        PREFILL,
        DEVICE,
        ("prepare", one, order, none, -2),
        ("process", none, order, ABSENT),
        ("evict", 1),
        ("admit", 1, 0, 3, 1),
        ("prefill", 1, ABSENT),
    ]
    story = story_of(model, steps_for(model, script), "distinct-targets")
    *_, refused, stopped = story.comparison.entries
    assert "publishes nothing: the gate refuses" in refused.words
    assert stopped.words.startswith("cannot happen: guard(s.cached[slot].family != ABSENT) at spec/actions/cache.py:")
    assert story.comparison.outcome == "The schedule ends here for slotproof."


class LosesPosition(Design):
    """Ours, but the completed checkpoint is said to be nowhere."""

    name = "loses-position"

    def completed_position(self, me, row, lookahead):
        return ABSENT


def test_a_step_that_fails_in_the_middle_is_told_up_to_there():
    model = model_of(LosesPosition, "requests=1 slots=4 max_len=4")
    steps = steps_for(model, [admit(3), PREFILL, DEVICE, PROCESS, PREPARE, DEVICE, PROCESS])
    story = story_of(model, steps, "well-formed")
    text = render(story)
    assert "result of batch 1: stops in the middle, see below" in text
    assert "a declared range of the state:  requests[0].last = -1 outside 0..1" in text
    assert "checkpoint A@4 done, last = ring[1] with label 4, instead of" in story.comparison.entries[-1].words


def test_a_device_step_that_fails_in_the_middle_has_its_batch_number():
    model = model_of(Design, "requests=1 slots=5 nodes=2 max_len=6")
    states = replay(model, steps_for(model, [admit(3), PREFILL, DEVICE, PROCESS, PREPARE, PREPARE]))
    (device,) = steps_for(model, [DEVICE])
    # Three batches have been launched, and the device has run the first.
    for after in (model.take(states[-1], device.action, device.arguments), None):
        assert say(model, 3, states[-1], device, after)[1].startswith("runs batch 1: ")


def test_our_own_design_is_compared_with_nothing():
    class Ours(Design):
        name = "ours"

    scope = "requests=1 slots=4 max_len=4"
    steps = [admit(1), PREFILL, DEVICE, PROCESS]
    assert tell_or_none(model_of(Design, scope), steps) is None
    assert tell_or_none(model_of(Ours, scope), steps) is None


def tell_or_none(model, script):
    with pytest.raises(ValueError, match="do not violate exact-label"):
        story_of(model, steps_for(model, script), "exact-label")


def test_errors_say_what_is_wrong():
    model, steps, _ = run_of("merged eager")
    with pytest.raises(ValueError, match="unknown property 'exact-lable'; there are one-owner"):
        story_of(model, steps, "exact-lable")
    with pytest.raises(ValueError, match="step 2 cannot happen in this model: guard"):
        story_of(model, [steps[0], steps[0]], "exact-label")


@pytest.mark.parametrize(
    ("design", "script", "words"),
    [
        (
            Before29792,
            [admit(1), PREFILL, DEVICE, PROCESS, PREPARE, DEVICE, PREPARE, PROCESS_AND_FINISH],
            "result of batch 1: r1 (token 2, lookahead 1), checkpoint A@2 done, NOT RECORDED; r1 finishes, publishes "
            "nothing: it has no label, frees s0 s1 s2",
        ),
        (
            Before29792,
            [admit(2), PREFILL, DEVICE, PROCESS, PREPARE, DEVICE, PREPARE, PROCESS],
            "result of batch 1: r1 (token 3, lookahead 1), no checkpoint in it, YET last = ring[1] with label 4, next "
            "1 -> 0",
        ),
        (Merged29792, [admit(3), PREFILL, ("abort", 0)], "abort r1: gives back s0 s1 s2"),
        (
            Design,
            [admit(3), PREFILL, DEVICE, PROCESS, ("abort", 0), admit(4)],
            "admit r1: prompt A@4, will start from cached A@2 in s1; works in s0, ring [s2, s3]",
        ),
        (Design, [admit(3), PREFILL, DEVICE, PROCESS, ("evict", 1)], "evict A@2: s1 is free"),
        (
            Design,
            [("prepare", (False,), (0,), (False,), ABSENT)],
            "launch batch 0: other work, no request of ours in it",
        ),
    ],
)
def test_steps_in_words(design, script, words):
    from checker.explain.narrate import launched, say
    from checker.model.replay import replay

    model = model_of(design, "requests=1 slots=5 nodes=2 max_len=6")
    steps = steps_for(model, script)
    states = replay(model, steps)
    number = sum(launched(before, after) for before, after in itertools.pairwise(states[:-1]))
    assert say(model, number, states[-2], steps[-1], states[-1])[1] == words


def test_another_model_gets_its_actions_and_what_they_changed(request):
    from checker.search.bfs import Search
    from checker.search.exploration import Limits

    module = load_module(YARDSTICK_FILE)
    model = Model(module, module.Scope(R=1, N=4, broken=1))
    steps = Search(model).run(Limits()).counterexamples["safe"].steps
    story = story_of(model, steps, "safe", "slotproof explore --model tests/support/yardstick.py --set R=1")
    text = render(story)
    assert len(steps) == 4
    assert story.comparison is None
    assert story.entries[0].words.startswith("launch([yes]): requests[0].committed 0 -> 1, ")
    assert "scope R=1 N=4 K=2 broken=1 queue=2" in text
    assert "How to read it" not in text
    assert text.endswith("Again: slotproof explore --model tests/support/yardstick.py --set R=1\n")
