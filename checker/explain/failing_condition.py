"""Why a property is broken: the condition in its text that decided so, with the values of its parts.

The property runs natively under a trace of its own frame, which shows the `return` that gave the verdict. From there on
its text is read: the `if` around a `return False`, or the part of a returned expression that was false.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from checker.explain.clause import Clause, ConditionReader
from checker.explain.source_lines import around, covers, loops_around, one_line, path_to, place_of, tree_of
from checker.explain.stopped_at import asking_frame, verdict
from checker.model.replay import Replay
from checker.model.source import on_one_line
from spec.language import WELL_FORMED, Property, Vector, Violated


def false_clause(stated: Property, states: list[Any], context: Any) -> Clause | None:
    """Return why a property is false of its states (one for *always*, before and after for *step*); None: it holds."""
    requests = _records(states)
    written = stated.written
    assert isinstance(written, FunctionType)
    try:
        stop = verdict(stated.function, written.__code__, [*states, context])
    except Violated as violation:
        return violated_clause(violation, states)
    if stop is None:
        return None
    tree, source = tree_of(stop.code)
    found = path_to(tree, lambda node: isinstance(node, ast.Return) and covers(node, stop.line))
    returned = found[-1] if found else None
    if not isinstance(returned, ast.Return) or returned.value is None:
        where = place_of(stop.code, stop.line)
        return Clause(where, "this way ends without a value, which counts as false", (), frozenset(), frozenset())
    if isinstance(returned.value, ast.Constant):
        condition, truth = around(found)
        if condition is None:
            return Clause(place_of(stop.code, stop.line), one_line(source, returned), (), frozenset(), frozenset())
        code = f"{'if' if truth else 'unless'} {one_line(source, condition)}: return False"
    else:
        condition, truth = returned.value, False
        code = one_line(source, returned)
    where = place_of(stop.code, condition.lineno)
    # Of a property of each request, which one it is false of.
    given = stop.code.co_varnames[2:4] if stated.of_one else ()
    reader = ConditionReader(source, requests, stop.names)
    return reader.clause(where, code, condition, truth, [*given, *loops_around(found)])


def violated_clause(violation: BaseException, states: list[Any]) -> Clause:
    """Return what an exception of the language stands for: the `require` or `guard`, or the index, with its values."""
    frame = asking_frame(violation)
    if frame is None:
        return Clause("a declared range of the state", str(violation).partition(": ")[2], ())
    line = frame[1]
    code = frame[0].f_code
    names = {**frame[0].f_globals, **frame[0].f_locals}
    tree, source = tree_of(code)
    found = path_to(tree, lambda node: isinstance(node, ast.stmt) and covers(node, line))
    statement = found[-1]
    reader = ConditionReader(source, _records([*states, *names.values()]), names)
    text = on_one_line(one_line(source, statement))
    where = place_of(code, line)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Name) and call.func.id in ("require", "guard"):
            condition = call.args[0] if call.args else call.keywords[0].value
            return reader.clause(where, text, condition, False, loops_around(found))
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        text = text.partition(":")[0] + ":"
    detail = str(violation).partition(": ")[2]
    return reader.clause(where, f"{text}  ({detail})" if detail else text, None, False, loops_around(found))


def _records(states: list[Any]) -> list[tuple[int, Any]]:
    """Return the request records of the states, each with its index."""
    lists = (getattr(state, "requests", None) for state in states)
    return [pair for records in lists if isinstance(records, Vector) for pair in enumerate(records)]


def violation_in(run: Replay, property_name: str) -> Clause | None:
    """Return why the run violates the property in its last step; None: it does not."""
    model = run.model
    if isinstance(run.failure, Violated):
        return violated_clause(run.failure, run.states[-1:]) if run.failure.name == property_name else None
    if run.failure is not None:
        raise ValueError(f"step {len(run.states)} cannot happen in this model: {refusal(run)}") from run.failure
    stated = next((one for one in model.properties if one.name == property_name), None)
    if stated is None and property_name != WELL_FORMED:
        names = ", ".join(one.name for one in model.properties)
        raise ValueError(f"unknown property {property_name!r}; there are {names}")
    states = [] if stated is None else run.spoken_of(stated)
    return false_clause(stated, states, model.context) if stated is not None and states else None


def refusal(run: Replay) -> str:
    """Return why the step after the last one cannot happen."""
    assert run.failure is not None
    clause = violated_clause(run.failure, run.states[-1:])
    values = ", ".join(f"{name} = {value}" for name, value in clause.values)
    return f"{clause.code} at {clause.where}" + (f", with {values}" if values else "")
