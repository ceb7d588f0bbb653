"""What goes by names is noticed, and then nothing is skipped; what does not is searched with symmetry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checker.command.cli import app
from checker.model.source import OutsideSubset
from checker.model.user_files import BadModel
from checker.search.check import Check, Outcome
from checker.search.perform import model_for, run
from tests.support import plain_bfs

MODEL = '''
from dataclasses import dataclass
from typing import Annotated

from spec.language import ABSENT, Id, Per, Range, Vector, action, always, guard, record

TABLE = {0: True, 1: False, 2: False}
PAIRS = {(0, 0): True, (1, 0): False, (2, 0): False}


@dataclass(frozen=True)
class Scope:
    R: int = 3
    Q: int = 1


Name = Annotated[int, Id("R")]


@record
class State:
    jobs: Annotated[Vector[bool], Per("R")]
    owner: Name
    number: Annotated[int, Range(-1, 9)]


def init(scope):
    return State(Vector(JOBS for job in range(scope.R)), ABSENT, 0)


def of_default(request, first=1):
    return request == first


def is_small(request):
    return request < 1


def first(scope):
    found = ABSENT
    for other in reversed(range(scope.R)):
        found = other
    return found


def first_idle(s, scope):
    found = ABSENT
    for other in reversed(range(scope.R)):
        if not s.jobs[other]:
            found = other
    return found


@action(request=lambda scope: range(scope.R))
def take(s, scope, request: NAME):
    guard(s.owner == ABSENT)
    if WAY:
        s.number = 1
    s.owner = request
    EXTRA


@action()
def done(s, scope):
    guard(s.owner != ABSENT)
    s.jobs[s.owner] = True
    s.owner = ABSENT


@always()
def fine(s, scope):
    """Fine."""
    return HELD


actions = (take, done)
properties = (fine,)
symmetric = SORTS
'''


def text(way: str = "False", **changes: str) -> str:
    words = {
        "NAME": "Name",
        "JOBS": "False",
        "EXTRA": "pass",
        "HELD": "s.number == 0",
        "WAY": way,
        "SORTS": '("R", "Q")',
    } | changes
    made = MODEL
    for word, new in words.items():
        made = made.replace(word, new)
    return made


def search(tmp_path: Path, model: str, **options: Any) -> tuple[Outcome, int]:
    """Return what a search shows with all that can be violated, and how many states a plain one finds."""
    # A file is read once: each text has one of its own.
    file = tmp_path / f"model{len(list(tmp_path.iterdir()))}.py"
    file.write_text(model)
    check = Check("", model=str(file), all=True, **options)
    plain = plain_bfs.search(model_for(check))
    return run(check), len(plain.states)


BY_NAMES = {
    "<": "request < 1",
    "<=": "not 1 <= request",
    "+": "request + 1 == 2",
    "-": "s.owner == request - 2",
    "*": "request * 2 == 2",
    "//": "request // 2 == 1",
    "%": "request % 2 == 1",
    "unary -": "-request == ABSENT",
    "truth": "not request",
    "bool()": "bool(request)",
    "and": "(request and 2) == 2",
    "abs()": "abs(request) > 1",
    "constant": "request == 0",
    "not the constant": "request != 0",
    "tuple of constants": "request in (0, 2)",
    "range": "request in range(2)",
    "dict": "TABLE[request]",
    "default argument": "of_default(request)",
    "helper": "is_small(request)",
    "tuple": "(request, 5)[0] == 1",
    "tuple compared": "(request, s.owner) == (1, ABSENT)",
    "max": "max(request, 1) == 1",
    "min": "min(request, 1) == 1",
    "sorted": "tuple(sorted((request, 1)))[0] == 0",
    "sum": "sum((request, 0)) == 2",
    "range from 1": "any(other == request for other in range(1, scope.R))",
    "range of it": "any(True for _ in range(request))",
    "the last": "request == scope.R - 1",
    "literal tuple by a name": "(True, False, False)[request]",
    "vector by a number": "s.jobs[0]",
    "enumerate from 1": "any(number == request for number, job in enumerate(s.jobs, 1))",
    "pairs": "any(job and number == 1 for job, number in zip(s.jobs, (0, 1, 2)))",
    "enumerate from it": "any(number == 2 for number, job in enumerate((7,), request))",
    "tuple repeated": "len((7,) * request) > 1",
    "dict of pairs": "PAIRS[(request, 0)]",
    "max of pairs": "max(((request, 1), (1, 0)))[1] == 1",
    "sorted pairs": "sorted(((request, 1), (1, 0)))[0][1] == 1",
    "if else": "(request if s.jobs[request] else 1) == 1",
}


# Of the last sort a name is chosen while the search runs, of the others before: it is a number of the text then.
OF_A_NUMBER = {
    "dict",
    "sorted",
    "range of it",
    "enumerate from it",
    "tuple repeated",
    "dict of pairs",
    "max of pairs",
    "sorted pairs",
}
SORTS = ('("R", "Q")', '("Q", "R")')


@pytest.mark.parametrize("sorts", SORTS)
@pytest.mark.parametrize("kind", BY_NAMES)
def test_what_goes_by_names_is_noticed_and_nothing_is_skipped(tmp_path: Path, kind: str, sorts: str) -> None:
    way = BY_NAMES[kind]
    model = text(way, SORTS=sorts)
    if sorts == SORTS[1] and kind in OF_A_NUMBER:
        with pytest.raises(OutsideSubset):
            search(tmp_path, model)
        return
    outcome, states = search(tmp_path, model)
    where = {"of_default(request)": "return request == first", "is_small(request)": "return request < 1"}
    (line,) = [number for number, each in enumerate(model.splitlines(), 1) if where.get(way, f"if {way}:") in each]
    assert outcome.symmetry.startswith(f"none ({tmp_path / 'model0.py'}:{line} ")
    assert outcome.exploration.states == states
    assert outcome.status == "violated"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"EXTRA": "s.number = request + 1", "HELD": "s.number < 2 or s.jobs[1]"}, "adds to a member of R"),
        ({"EXTRA": "s.number = request"}, "keeps a member of R in number"),
        ({"EXTRA": "s.owner = 2"}, "gives owner, a member of R, 2"),
        ({"JOBS": "job == 1"}, "begins with a state that tells members of R apart"),
        ({"NAME": "int"}, "gives owner, a member of R, a number"),
        ({"HELD": "not s.jobs[2]"}, "takes the element of one of R by 2"),
    ],
)
def test_what_is_kept_or_begun_by_names_is_noticed(tmp_path: Path, changes: dict[str, str], line: str) -> None:
    outcome, states = search(tmp_path, text(**changes))
    assert line in outcome.symmetry
    assert outcome.exploration.states == states


def test_a_loop_that_keeps_the_first_is_tried_under_other_names(tmp_path: Path) -> None:
    # No name is used as a number here. The first idle one is as good as any other idle one; the first of all is not.
    outcome, _ = search(tmp_path, text("s.jobs[request] and first_idle(s, scope) == ABSENT"))
    assert outcome.symmetry == "full"
    outcome, states = search(tmp_path, text("first(scope) == request"))
    assert outcome.symmetry == "none (take does something else from a state under other names)"
    assert outcome.exploration.states == states
    outcome, states = search(tmp_path, text(HELD="not s.jobs[first(scope)]"))
    assert outcome.symmetry.startswith("none (fine holds of a state and not of the same one under other names")
    assert outcome.exploration.states == states


LEGAL = {
    "==": "request == s.owner",
    "absent": "s.owner != ABSENT",
    "tuple of names": "request in (s.owner, ABSENT)",
    "index": "s.jobs[request]",
    "others": "any(other != request and s.jobs[other] for other in range(scope.R))",
    "enumerate": "any(number == request and job for number, job in enumerate(s.jobs))",
    "count": "sum(s.jobs) == 2",
    "len": "len(s.jobs) == 2",
    "how many": "scope.R > 3",
    "backwards": "any(s.jobs[other] for other in reversed(range(scope.R)))",
    "downwards": "any(s.jobs[other] for other in range(scope.R - 1, -1, -1))",
    "zip": "any(job and other == request for job, other in zip(s.jobs, range(len(s.jobs))))",
    "if else": "(request if s.jobs[request] else ABSENT) == ABSENT",
}


@pytest.mark.parametrize("way", LEGAL.values(), ids=LEGAL)
def test_what_does_not_is_searched_with_symmetry(tmp_path: Path, way: str) -> None:
    outcome, states = search(tmp_path, text(way), insist=True)
    without, _ = search(tmp_path, text(way), symmetry=False)
    assert outcome.symmetry == "full"
    assert without.symmetry == "none (as asked for)"
    assert (outcome.status, set(outcome.steps)) == (without.status, set(without.steps))
    assert outcome.exploration.states < without.exploration.states == states


def test_asked_to_use_symmetry_where_names_matter_it_refuses(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match=r"model0\.py:\d+ orders by a member of R: names matter"):
        search(tmp_path, text("request < 1"), insist=True)


def test_a_search_says_whether_it_used_symmetry_and_why_not(tmp_path: Path) -> None:
    for way, said in (("request == s.owner", "full"), ("request < 1", "none (")):
        file = tmp_path / f"said{len(said)}.py"
        file.write_text(text(way))
        words = ["explore", "--model", str(file)]
        assert f"symmetry: {said}" in CliRunner().invoke(app, words).output
        assert json.loads(CliRunner().invoke(app, [*words, "--json"]).output)["symmetry"].startswith(said)
