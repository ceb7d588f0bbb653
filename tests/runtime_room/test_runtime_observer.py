"""The hooks: what happens is told once, in an order that makes a trace, and the recorder writes all of it."""

import inspect
import json

import pytest

from checker.command.report.traces import exit_code, lines
from checker.model.designs import design_class
from checker.traces.judge_file import judge_file
from checker.traces.recorder import Recorder
from runtime import boundary
from runtime.observer import Observer
from tests.support.runtime_engines import engine, prompt, seats, start, step

HOOKS = [name for name, _ in inspect.getmembers(Observer, inspect.isfunction) if not name.startswith("_")]


class Listener(Observer):
    """Remembers which hooks were called."""

    def __init__(self):
        self.heard = []

    def __getattribute__(self, name):
        if name in HOOKS:
            return lambda *arguments, **named: self.heard.append(name)
        return super().__getattribute__(name)


def a_life(made):
    """Each hook at least once: a publication, one that finds its key cached, an abort, an eviction."""
    first = start(made, "first", 3, 3)
    step(made)
    made.decode(seats(first))
    step(made, first)
    start(made, "second", 3, 2)
    step(made, 0)
    third = made.admit("third", prompt(3, 5))
    made.prefill(third)
    made.abort(third)
    step(made)
    made.evict(next(iter(made.cache)).slot)


def test_hooks_are_named_like_the_events_of_a_trace():
    assert set(HOOKS) == {"attach", "admit", "prefill", "prepare", "process", "publish", "abort", "free", "evict"}
    overridden = {name for name in HOOKS if name in vars(Recorder)}
    assert overridden == set(HOOKS)


def test_every_hook_is_called_and_once_for_a_batch():
    made = engine()
    made.observe(listener := Listener())
    a_life(made)
    assert set(listener.heard) == set(HOOKS)
    assert listener.heard.count("prefill") == 3
    assert listener.heard.count("prepare") == 1
    assert listener.heard.count("process") == 4
    assert listener.heard.index("publish") < listener.heard.index("process")


def test_the_observer_that_is_off_does_nothing():
    nothing = Observer()
    for name in HOOKS:
        hook = getattr(nothing, name)
        assert hook(*[None] * len(inspect.signature(hook).parameters)) is None


@pytest.mark.parametrize("mode", ["eager", "lazy"])
def test_a_recorded_life_conforms(tmp_path, mode):
    path = tmp_path / "life.ndjson"
    made, recorder = engine(mode=mode), Recorder(path)
    made.observe(recorder)
    a_life(made)
    recorder.close()
    header, *events = [json.loads(line) for line in path.read_text().splitlines()]
    assert (header["mode"], header["slots"], header["ring"]) == (mode, 15, 3)
    kinds = {"take", "admit", "launch", "process", "publish", "free", "evict", "end", "stop"}
    assert {event["e"] for event in events} == kinds
    assert {row["kind"] for event in events if event["e"] == "launch" for row in event["rows"]} == {"prefill", "decode"}
    judgement = judge_file(path, design_class("slotproof"))
    assert exit_code(judgement) == 0, "\n".join(lines(judgement))


def test_a_runtime_that_decides_otherwise_does_not_conform(tmp_path, monkeypatch):
    """The same life, with a boundary that goes over the one before it: the judge must not take just anything."""
    monkeypatch.setattr(boundary, "eager_next", lambda position, mark, ring: position)
    path = tmp_path / "life.ndjson"
    made, recorder = engine(), Recorder(path)
    made.observe(recorder)
    a_life(made)
    recorder.close()
    assert exit_code(judge_file(path, design_class("slotproof"))) == 1


def test_a_recorder_comes_at_the_beginning_or_not_at_all(tmp_path):
    made = engine()
    start(made)
    with pytest.raises(ValueError, match="record it from its beginning"):
        made.observe(Recorder(tmp_path / "late.ndjson"))
