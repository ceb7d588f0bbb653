"""Runs taken natively: what belongs to a run, what ended it, and what its last step violates."""

import pytest

import spec.model
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay, replay
from checker.search import canary
from spec.language import ABSENT, WELL_FORMED, Disabled, Violated, always, step
from spec.scope import Scope


@always()
def goes_too_far(s, c):
    """It looks at a cell that is not there."""
    return s.turn < 0 or s.cells[len(s.cells)].flag


@step()
def nothing_changes(before, after, c):
    """It fails in every step."""
    return before == after


def taken(model, name, *arguments):
    return TakenStep(next(action for action in model.actions if action.name == name), arguments)


def small():
    return Model(canary, canary.Scope()).with_(properties=[nothing_changes])


def test_a_step_that_is_disabled_is_no_part_of_a_run():
    model = Model(spec.model, Scope.parse("requests=1 slots=4 nodes=1 max_len=3 mode=eager"))
    run = Replay(model)
    assert not run.take(taken(model, "device"))
    assert isinstance(run.failure, Disabled)
    assert (run.steps, len(run.states)) == ([], 1)
    assert run.take(taken(model, "admit", 0, 0, 2, ABSENT))
    assert run.failure is None
    assert run.steps == [taken(model, "admit", 0, 0, 2, ABSENT)]
    assert run.state.requests[0].seq_len == 2
    with pytest.raises(Disabled):
        replay(model, [taken(model, "device")])


def test_a_violation_ends_a_run():
    model = small()
    # The owner that `over` asks for is given by the third way of `branch`.
    steps = [taken(model, "branch", 0, 2), *[taken(model, "branch", 0, 0)] * 2, taken(model, "over", 0)]
    run = Replay(model, steps)
    assert isinstance(run.failure, Violated)
    assert run.violated() == {run.failure.name: str(run.failure)}
    assert len(run.states) == len(run.steps) == len(steps)
    with pytest.raises(AssertionError, match="nothing follows"):
        run.take(steps[0])
    with pytest.raises(Violated):
        replay(model, steps)


def test_what_the_last_step_violates():
    model = small()
    run = Replay(model)
    assert run.holds(nothing_changes), "no step has been taken"
    assert run.violated() == {}
    run.take(taken(model, "branch", 0, 0))
    assert not run.holds(nothing_changes)
    assert run.violated() == {"nothing-changes": nothing_changes.sentence}


def test_a_property_that_cannot_be_evaluated_is_violated():
    model = Model(canary, canary.Scope()).with_(properties=[goes_too_far])
    run = Replay(model)
    assert run.violated()[WELL_FORMED].startswith("while goes-too-far was evaluated: ")
    with pytest.raises(Violated):
        run.holds(goes_too_far)


def test_a_model_with_other_parts_keeps_the_rest():
    model = Model(canary, canary.Scope())
    other = model.with_(properties=[nothing_changes]).with_(actions=canary.actions[:1])
    assert [stated.name for stated in other.properties] == ["nothing-changes"]
    assert [action.name for action in other.actions] == ["branch"]
    assert other.context is model.context
    assert len(model.actions) == len(canary.actions)
