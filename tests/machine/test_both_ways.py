"""Compiled code shows what the columns show: the same counts, depths and verdicts, whatever is searched."""

import numpy as np
import pytest

import spec.model
from checker.command.cli import BAD_INPUT
from checker.model.known_designs import DESIGNS
from checker.model.model import Model, load_module
from checker.model.replay import replay
from checker.model.seeded_faults import WRONG_EDITS
from checker.model.user_files import blame
from checker.search import canary
from checker.search.check import Check
from checker.search.exploration import Limits
from checker.search.perform import model_for
from checker.search.successors import Expander
from checker.search.suite import STORY_SCOPE
from spec.scope import Scope
from tests.attacks.programs import Writer
from tests.search.test_explore import COUNTS, DESIGN_MODES, model_of
from tests.support.both_ways import both, searched
from tests.support.paths import YARDSTICK_FILE

pytestmark = pytest.mark.timeout(600)
YARDSTICK = load_module(YARDSTICK_FILE)
PROGRAMS = 40
SMALL = Limits(states=3_000, depth=8)


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("text", COUNTS)
def test_our_design_in_every_kind_of_scope(text, symmetry):
    columns, compiled = both(model_of(text), symmetry)
    assert compiled == columns
    assert (compiled["states"], compiled["transitions"], compiled["depth"]) == COUNTS[text][symmetry]


@pytest.mark.parametrize(("design", "mode"), DESIGN_MODES)
def test_every_design(design, mode):
    scope = Scope.parse(f"requests=1 slots=4 nodes=1 max_len=5 mode={mode}")
    columns, compiled = both(Model(spec.model, scope, DESIGNS[design](scope)))
    assert compiled == columns


@pytest.mark.parametrize("wrong", WRONG_EDITS, ids=lambda wrong: wrong.name)
def test_every_wrong_edit(wrong):
    model = model_for(Check(f"{STORY_SCOPE} mode={wrong.mode} {wrong.scope}", edit=wrong.name))
    columns, compiled = both(model, until=frozenset([wrong.caught_by]))
    assert compiled == columns
    assert wrong.caught_by in compiled["violated"]


def test_the_canary():
    columns, compiled = both(Model(canary, canary.Scope()))
    assert compiled == columns
    assert set(compiled["violated"]) == set(canary.MUST_FAIL)


@pytest.mark.parametrize("symmetry", [False, True])
def test_the_yardstick_and_its_broken_variant(symmetry):
    for broken in (0, 1):
        columns, compiled = both(Model(YARDSTICK, YARDSTICK.Scope(R=2, N=8, broken=broken)), symmetry)
        assert compiled == columns


COUNTER = """
from dataclasses import dataclass
from typing import Annotated
from spec.language import Range, action, always, guard, record, step

@dataclass(frozen=True)
class Scope:
    top: int = 900

@record
class State:
    n: Annotated[int, Range(0, "top")]
    m: Annotated[int, Range(0, "top")]

def init(scope):
    return State(0, scope.top)

@action(by=lambda scope: (1, 2, scope.top // 7))
def up(s, scope, by):
    guard(s.n + by <= scope.top)
    s.n += by
    s.m = s.m // 2 + s.n % 5

@always()
def low(s, scope):
    return s.n < scope.top // 2 or s.n < s.m

@step()
def goes_up(before, after, scope):
    return before.n < after.n <= before.n + scope.top // 7 and after.n - after.m < scope.top - 3

actions = (up,)
properties = (low, goes_up)
symmetric = ()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("top", "width"), [(40, "int8"), (900, "int16"), (30_000, "int32"), (3 << 30, "int64")])
def test_wide_ranges(top, width, tmp_path):
    """Each width is compiled by itself, for the first time here."""
    path = tmp_path / "counter.py"
    path.write_text(COUNTER)
    limits = Limits(states=4_000)
    model = model_for(Check(f"top={top}", model=str(path)))
    columns, compiled = both(model, limits=limits)
    assert compiled == columns
    assert compiled["violated"]
    assert searched(model, True, limits=limits).found.job.registers.dtype == width


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("widths", [("int8",), pytest.param(("int16", "int32", "int64"), marks=pytest.mark.slow)])
def test_random_programs(seed, widths, tmp_path):
    met = 0
    for number in range(PROGRAMS):
        path = tmp_path / f"program_{seed}_{number}.py"
        path.write_text(Writer(f"{seed} {number}", risk=0).text())
        try:
            model = model_for(Check("", model=str(path)))
            if np.dtype(Expander(model, True).width).name not in widths:
                continue
            columns, compiled = both(model, limits=SMALL)
        except BAD_INPUT:
            continue
        except Exception as error:
            if not blame(error):
                raise
            continue
        assert compiled == columns, path.read_text()
        met += compiled["transitions"] > 0
    assert met >= (PROGRAMS // 4 if widths == ("int8",) else 1)


def test_a_story_of_compiled_code_is_one_that_python_can_play():
    model = model_of(f"{STORY_SCOPE} mode=eager", "merged-29792")
    search = searched(model, True)
    stated = {each.name: each for each in model.properties}
    assert len(search.result.counterexamples) >= 5
    for name, found in search.result.counterexamples.items():
        states = replay(model, found.steps)
        told = states[-2:] if stated[name].of_steps else states[-1:]
        assert not stated[name](*told, model.context)


def test_it_ends_where_the_columns_end():
    model = model_of("requests=1 slots=4 nodes=1 max_len=5 mode=lazy")
    for limits in (Limits(states=700), Limits(depth=9)):
        columns, compiled = both(model, limits=limits)
        assert compiled == columns
        assert not compiled["complete"]
