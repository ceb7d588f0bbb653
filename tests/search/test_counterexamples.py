"""A counterexample survives being written down, and an id that does not exist says which do."""

import pytest

from checker.explain.render import render
from checker.explain.reproduce import reproduce_line
from checker.explain.story import story_of
from checker.model.model import Model, TakenStep, load_module
from checker.search.saved import OtherModel, UnknownId, load, save, steps_of
from spec.scope import Scope
from tests.support.paths import YARDSTICK_FILE
from tests.support.timeline_runs import RUNS, model_of, run_of


@pytest.mark.parametrize("name", RUNS)
def test_a_counterexample_survives_being_stored(name, tmp_path):
    model, steps, property_name = run_of(name)
    identity = save(tmp_path / "new", model.context.name, model.scope, property_name, steps)
    stored = load(tmp_path / "new", identity)
    again = model_of(stored.design, stored.scope)
    assert len(identity) == 8
    assert int(identity, 16) >= 0
    assert steps_of(again, stored) == steps
    assert render(story_of(again, steps_of(again, stored), stored.broken)) == render(
        story_of(model, steps, property_name)
    )


def test_equal_counterexamples_share_an_id_and_others_do_not(tmp_path):
    ids = set()
    for _ in range(2):
        for name in RUNS:
            model, steps, property_name = run_of(name)
            ids.add(save(tmp_path, model.context.name, model.scope, property_name, steps))
            ids.add(save(tmp_path, model.context.name, model.scope, property_name, steps[:-1]))
            ids.add(save(tmp_path, "other.py", model.scope, property_name, steps))
    assert len(ids) == 3 * len(RUNS) == len(list(tmp_path.glob("*.json")))


def test_an_unknown_id_says_which_there_are_and_how_to_make_one(tmp_path):
    with pytest.raises(UnknownId, match=r"no counterexample '12345678' in .*: there is none yet.*run the line"):
        load(tmp_path / "nowhere", "12345678")
    model, steps, property_name = run_of("before lazy")
    identity = save(tmp_path, "before-29792", model.scope, property_name, steps)
    with pytest.raises(UnknownId, match=f"there is {identity}\\. A failing run"):
        load(tmp_path, f"../{tmp_path.name}/{identity}")


def test_a_damaged_file_says_what_to_do(tmp_path):
    (tmp_path / "12345678.json").write_text('{"design": "slotproof"')
    with pytest.raises(UnknownId, match=r"cannot be read as a counterexample .*delete it and run"):
        load(tmp_path, "12345678")


def test_steps_of_another_model_are_refused(tmp_path, request):
    model, steps, property_name = run_of("before lazy")
    stored = load(tmp_path, save(tmp_path, "before-29792", model.scope, property_name, steps))
    module = load_module(YARDSTICK_FILE)
    with pytest.raises(OtherModel, match="step 1 of the counterexample, admit with 4 arguments, is no action"):
        steps_of(Model(module, module.Scope()), stored)


def test_a_model_from_a_file_is_stored_with_its_settings(tmp_path, request):
    module = load_module(YARDSTICK_FILE)
    model = Model(module, module.Scope(R=2))
    steps = [TakenStep(model.actions[0], ((True, False),)), TakenStep(model.actions[1], ())]
    stored = load(tmp_path, save(tmp_path, "", "", "safe", steps, "tests/my model.py", ["R=2", "broken=1"]))
    assert steps_of(model, stored) == steps
    assert stored.command == "slotproof explore --model 'tests/my model.py' --set R=2 --set broken=1 --property safe"


def test_the_line_names_what_bounds_the_check_and_what_is_not_usual():
    scope = Scope.parse("slots=6 nodes=2 mode=lazy interval=any ring=3")
    line = reproduce_line("mine.py", scope, "grid")
    assert line == (
        'slotproof explore --design mine.py --scope "requests=1 slots=6 nodes=2 interval=any ring=3 mode=lazy '
        'max_len=4" --property grid'
    )
    assert Scope.parse(line.split('"')[1]) == scope
