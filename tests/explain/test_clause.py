"""The clause names the part of a property that decided, with its values."""

import pytest

import spec.model
from checker.explain.failing_condition import false_clause, violated_clause
from checker.model.model import Model
from checker.model.replay import replay
from spec.design import Design
from spec.language import Violated, always, lemma, require
from spec.scope import Scope
from spec.slots import give_back
from spec.state import ADMITTED, IDLE, RUNNING
from tests.support.timeline_runs import RUNS, run_of

SCOPE = Scope.parse("requests=2 slots=6 nodes=2 max_len=4")
NUMBERS = [3, 5, 8]


def state():
    return Model(spec.model, SCOPE).init


def clause_of(function):
    found = false_clause(always()(function), [state()], Design(SCOPE))
    return found and (found.code, dict(found.values))


def test_none_where_the_property_holds():
    assert clause_of(lambda_free_true) is None


def lambda_free_true(s, design):
    """Hold."""
    return True


def under_an_if(s, design):
    """Return False under nested conditions, in loops."""
    for slot in range(3):
        if slot > 0:
            for number in range(2):
                if slot == 2 and NUMBERS[number] == 5:
                    return False
    return True


def in_the_else(s, design):
    """Return False where a condition does not hold."""
    for slot in range(3):
        if slot < 2:
            continue
        if s.pending == 1:
            return True
        else:
            return False
    return True


def a_comparison(s, design):
    """Return a conjunction whose second part is false."""
    return s.pending == 0 and s.written > s.pending and s.nonsense


def an_all(s, design):
    """Return an `all` with one bad element."""
    return all(value % 2 == 1 and value < 100 for value in NUMBERS)


def an_any(s, design):
    """Return an `any` without a good element."""
    return any(value > 10 for value in NUMBERS)


def a_chain(s, design):
    """Return a chained comparison."""
    return not 0 <= s.pending <= 1


def a_choice(s, design):
    """Return one of two conditions."""
    return s.written == 1 if s.pending == 0 else True


@pytest.mark.parametrize(
    ("function", "code", "values"),
    [
        (
            under_an_if,
            "if slot == 2 and NUMBERS[number] == 5: return False",
            {"slot": "s2", "number": "1 (r2)", "NUMBERS[number]": "5"},
        ),
        (in_the_else, "unless s.pending == 1: return False", {"slot": "s2", "s.pending": "0"}),
        (
            a_comparison,
            "return s.pending == 0 and s.written > s.pending and s.nonsense",
            {"s.written": "0", "s.pending": "0"},
        ),
        (an_all, "return all(value % 2 == 1 and value < 100 for value in NUMBERS)", {"value": "8", "value % 2": "0"}),
        (an_any, "return any(value > 10 for value in NUMBERS)", {"NUMBERS": "[3, 5, 8]"}),
        (a_chain, "return not 0 <= s.pending <= 1", {"s.pending": "0"}),
        (a_choice, "return s.written == 1 if s.pending == 0 else True", {"s.pending": "0", "s.written": "0"}),
    ],
)
def test_the_part_that_decided(function, code, values):
    assert clause_of(function) == (code, values)


def in_a_loop(s, design, number, request):
    """Return False under a condition on one request, in a loop."""
    for position, slot in enumerate(request.ring):
        if slot == 2 and position != request.last:
            return False
    return True


def in_a_return(s, design, number, request):
    """Return a comparison of what one request has."""
    return request.next == request.last


def by_an_index(s, design, number, request):
    """Read an element that one request names and that does not exist."""
    return s.free[request.source]


@pytest.mark.parametrize(
    ("function", "code", "values"),
    [
        (
            in_a_loop,
            "if slot == 2 and position != request.last: return False",
            {"position": "1", "slot": "s2", "number": "1 (r2)", "request.last": "0"},
        ),
        (in_a_return, "return request.next == request.last", {"request.next": "1", "request.last": "0"}),
        (by_an_index, "return s.free[request.source]  (index -1 outside 0..5)", {}),
    ],
)
@pytest.mark.parametrize("declare", [always, lemma])
def test_of_a_property_of_each_request_the_one_that_it_is_false_of_is_named(declare, function, code, values):
    s = state()
    first, second = s.requests
    first.phase, first.source, first.next, first.last = ADMITTED, 1, 0, 0
    second.phase, second.ring[1], second.next, second.last = RUNNING, 2, 1, 0
    asked = declare(each=(ADMITTED, RUNNING))(function)
    clause = false_clause(asked, [s], Design(SCOPE))
    assert clause.code == code
    assert "test_clause.py:" in clause.where
    assert dict(clause.values).items() >= {"number": "1 (r2)", **values}.items()
    assert clause.requests == {1}
    assert false_clause(declare(each=IDLE)(function), [s], Design(SCOPE)) is None
    second.phase = IDLE
    assert false_clause(asked, [s], Design(SCOPE)) is None


def an_index_outside(s, design):
    """Read an element that does not exist."""
    position = -1
    return s.requests[position].phase == 0


def test_an_index_outside_its_vector_is_the_clause():
    code, values = clause_of(an_index_outside)
    assert code == "return s.requests[position].phase == 0  (index -1 outside 0..1)"
    assert values == {"position": "absent"}


def test_a_require_shows_its_condition_and_where_it_stands():
    s = state()
    with pytest.raises(Violated) as caught:
        give_back(s, 2)
    clause = violated_clause(caught.value, [s])
    assert clause.where.startswith("spec/slots.py:")
    assert clause.code == 'require(not s.free[slot], "one-owner")'
    assert clause.values == (("slot", "s2"), ("s.free[slot]", "true"))
    assert clause.slots == {2}
    assert clause.lines[1:] == ("    slot         = s2", "    s.free[slot] = true")


def test_a_condition_of_several_lines_is_shown_on_one():
    first, second = 1, 2
    with pytest.raises(Violated) as caught:
        require(
            first > second,
            "a name so long that the call does not fit on one line, which is how the formatter keeps it on several",
        )
    clause = violated_clause(caught.value, [])
    assert clause.code.startswith("require( first > second,")
    assert clause.values == (("first", "1"), ("second", "2"))


@pytest.mark.parametrize("name", RUNS)
def test_tracing_leaves_no_trace(name):
    import sys

    model, steps, property_name = run_of(name)
    stated = next(one for one in model.properties if one.name == property_name)
    before = sys.gettrace()
    clause = false_clause(stated, replay(model, steps)[-1:], model.context)
    assert sys.gettrace() is before
    assert clause.code == "if promised(s, slot) != s.cached[slot]: return False"
