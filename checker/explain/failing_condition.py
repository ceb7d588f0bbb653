"""Why a property is broken: the condition in its text that decided so, with the values of its parts.

The property runs natively under a trace of its own frame, which tells the `return` that gave the verdict. From there on
its text is read: the `if` around a `return False`, or the part of a returned expression that was false.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import spec
from checker.explain.narrate import family_name, request_name, slot_name, value_name
from checker.model.source import EDITED, is_of_the_language, on_one_line
from spec.language import Property, Vector, Violated

_ROOT = Path(spec.__file__).parent.parent
_SLOT_NAMES = frozenset(("slot", "kept", "held", "working", "source"))
"""Names under which the spec's texts speak of a slot."""
_REQUEST_NAMES = frozenset(("number", "request"))
"""Names under which they speak of a request by its index."""

Environment = dict[str, Any]
Part = tuple[ast.expr, Environment]


@dataclass(frozen=True, slots=True)
class Clause:
    """The condition that broke a property, and what its parts were."""

    where: str
    """File and line."""
    code: str
    """The condition as it stands there, on one line."""
    values: tuple[tuple[str, str], ...]
    """Parts of the condition and loop variables, each with its value in words."""
    slots: frozenset[int] = frozenset()
    """The slots that it speaks about."""
    requests: frozenset[int] = frozenset()
    """The requests that it speaks about, by index."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The clause as text."""
        width = min(max((len(name) for name, _ in self.values), default=0), 32)
        values = (f"    {name:{width}} = {value}" for name, value in self.values)
        return (f"{self.where}:  {self.code}", *values)


@dataclass(slots=True)
class _Stop:
    """Where a function gave its verdict: its code, the line, and what its names stood for."""

    code: CodeType
    line: int
    names: Environment


def false_clause(stated: Property, states: list[Any], context: Any) -> Clause | None:
    """Return why a property is false of its states (one for *always*, before and after for *step*); None: it holds."""
    requests = _records(states)
    written = stated.written
    assert isinstance(written, FunctionType)
    try:
        stop = _verdict(stated.function, written.__code__, [*states, context])
    except Violated as violation:
        return violated_clause(violation, states)
    if stop is None:
        return None
    tree, source = _tree(stop.code)
    found = _path_to(tree, lambda node: isinstance(node, ast.Return) and _covers(node, stop.line))
    returned = found[-1] if found else None
    if not isinstance(returned, ast.Return) or returned.value is None:
        where = _where(stop.code, stop.line)
        return Clause(where, "this way ends without a value, which counts as false", (), frozenset(), frozenset())
    if isinstance(returned.value, ast.Constant):
        condition, truth = _around(found)
        if condition is None:
            return Clause(_where(stop.code, stop.line), _one_line(source, returned), (), frozenset(), frozenset())
        code = f"{'if' if truth else 'unless'} {_one_line(source, condition)}: return False"
    else:
        condition, truth = returned.value, False
        code = _one_line(source, returned)
    where = _where(stop.code, condition.lineno)
    # Of a property of each request, which one it is false of.
    given = stop.code.co_varnames[2:4] if stated.of_one else ()
    return _Reading(source, requests, stop.names).clause(where, code, condition, truth, [*given, *_loops(found)])


def violated_clause(violation: BaseException, states: list[Any]) -> Clause:
    """Return what an exception of the language stands for: the `require` or `guard`, or the index, with its values."""
    frame = _frame_of(violation)
    if frame is None:
        return Clause("a declared range of the state", str(violation).partition(": ")[2], ())
    line = frame[1]
    code = frame[0].f_code
    names = {**frame[0].f_globals, **frame[0].f_locals}
    tree, source = _tree(code)
    found = _path_to(tree, lambda node: isinstance(node, ast.stmt) and _covers(node, line))
    statement = found[-1]
    reading = _Reading(source, _records([*states, *names.values()]), names)
    text = on_one_line(_one_line(source, statement))
    where = _where(code, line)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if isinstance(call.func, ast.Name) and call.func.id in ("require", "guard"):
            condition = call.args[0] if call.args else call.keywords[0].value
            return reading.clause(where, text, condition, False, _loops(found))
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        text = text.partition(":")[0] + ":"
    detail = str(violation).partition(": ")[2]
    return reading.clause(where, f"{text}  ({detail})" if detail else text, None, False, _loops(found))


def _records(states: list[Any]) -> list[tuple[int, Any]]:
    """Return the request records of the states, each with its index."""
    lists = (getattr(state, "requests", None) for state in states)
    return [pair for records in lists if isinstance(records, Vector) for pair in enumerate(records)]


def _verdict(function: Callable[..., bool], watched: CodeType, arguments: list[Any]) -> _Stop | None:
    """Run a property; return where what is watched last said False, None if it holds. Other tracing is put back."""
    stops: list[_Stop] = []

    def inside(frame: FrameType, event: str, value: Any) -> Any:
        if event == "return":
            stops.append(_Stop(frame.f_code, frame.f_lineno, {**frame.f_globals, **frame.f_locals}))
        return inside

    def calls(frame: FrameType, event: str, value: Any) -> Any:
        return inside if frame.f_code is watched else None

    before = sys.gettrace()
    sys.settrace(calls)
    try:
        held = function(*arguments)
    finally:
        sys.settrace(before)
    return None if held else stops[-1]


def _frame_of(error: BaseException) -> tuple[FrameType, int] | None:
    """Return the frame that asked the language, and its line; None if the model's own range check did."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    asking = [pair for pair in frames if not is_of_the_language(pair[0].f_code.co_filename)]
    return None if not asking or asking[-1][0].f_code.co_name == "check_ranges" else asking[-1]


def _tree(code: CodeType) -> tuple[ast.AST, str]:
    """Return the syntax tree of the file that a function stands in, restricted to the function, and the file's text."""
    name = code.co_filename
    source = EDITED[name] if name in EDITED else Path(name).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node, source
    return ast.parse(source), source


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _path_to(tree: ast.AST, fits: Callable[[ast.AST], bool]) -> list[ast.AST]:
    """Return the nodes from the tree down to the innermost one that fits."""
    best: list[ast.AST] = []

    def visit(node: ast.AST, above: list[ast.AST]) -> None:
        nonlocal best
        path = [*above, node]
        if fits(node) and len(path) > len(best):
            best = path
        for child in ast.iter_child_nodes(node):
            visit(child, path)

    visit(tree, [])
    return best


def _around(path: list[ast.AST]) -> tuple[ast.expr | None, bool]:
    """Return the innermost `if` condition around a node, and whether the node lies where it is true."""
    for outer, inner in zip(reversed(path[:-1]), reversed(path), strict=False):
        if isinstance(outer, ast.If):
            return outer.test, inner in outer.body
    return None, False


def _loops(path: list[ast.AST]) -> list[str]:
    """Return the loop variables around a node, outermost first."""
    targets = [node.target for node in path if isinstance(node, ast.For)]
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def _one_line(source: str, node: ast.AST) -> str:
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split())


def _where(code: CodeType, line: int) -> str:
    path = Path(code.co_filename)
    return f"{path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path.name}:{line}"


class _Reading:
    """Reads a condition: which of its parts decided, and what they were worth."""

    def __init__(self, source: str, requests: list[tuple[int, Any]], names: Environment) -> None:
        self.source = source
        self.requests = requests
        self.names = names
        self.values: dict[str, str] = {}
        self.slots: set[int] = set()
        self.spoken: set[int] = set()

    def clause(self, where: str, code: str, condition: ast.expr | None, truth: bool, loops: list[str]) -> Clause:
        """Return the clause of a condition that came out as `truth`; None: only the local numbers are known."""
        parts = [] if condition is None else list(_deciding(condition, truth, self.names))
        used = {part.id for tree, _ in parts for part in ast.walk(tree) if isinstance(part, ast.Name)}
        for name in loops:
            if name in used or isinstance(self.names.get(name), int):
                self._note(name, self.names[name])
        if condition is None:
            for name, value in self.names.items():
                if isinstance(value, int) and not name.startswith("_") and name.islower():
                    self._note(name, value)
        for tree, names in parts:
            self._part(tree, names)
        return Clause(where, code, tuple(self.values.items()), frozenset(self.slots), frozenset(self.spoken))

    def _part(self, tree: ast.expr, names: Environment) -> None:
        """Note a deciding part: both sides of a comparison, or the whole of anything else with its arguments."""
        shown: list[ast.expr] = [tree]
        if isinstance(tree, ast.Compare):
            shown = [side for side in (tree.left, *tree.comparators) if not _plain(side, names)]
        elif isinstance(tree, ast.Call):
            loops = [argument.generators for argument in tree.args if isinstance(argument, ast.GeneratorExp)]
            # Of an `any` or `all` without a witness, what it went through tells why.
            shown = [loop.iter for part in loops for loop in part] if loops else [tree, *tree.args]
        inner = {part.id for side in shown for part in ast.walk(side) if isinstance(part, ast.Name)}
        for name in sorted(inner & set(names)):
            if isinstance(names[name], int):
                self._note(name, names[name])
        for side in shown:
            try:
                value = _evaluate(side, names)
            except Exception:
                # The part that stopped the step has no value.
                continue
            if not _is_whole(value):
                text = _one_line(self.source, side)
                self._note(text, value)
                self.values[text] += _purpose(side, names)

    def _note(self, text: str, value: Any) -> None:
        """Note one value; a slot or request is called by its name and remembered."""
        last = text.rpartition(".")[2]
        number = next((number for number, record in self.requests if record is value), None)
        if number is not None:
            self.spoken.add(number)
            self.values[text] = f"{request_name(number)}: {value_name(value)}"
        elif last in _SLOT_NAMES and type(value) is int:
            if value >= 0:
                self.slots.add(value)
            self.values[text] = slot_name(value)
        elif last == "family" and type(value) is int:
            self.values[text] = family_name(value)
        elif last in _REQUEST_NAMES and type(value) is int and self.requests:
            self.spoken.add(value)
            self.values[text] = f"{value} ({request_name(value)})"
        else:
            self.values[text] = value_name(value)


def _purpose(node: ast.expr, names: Environment) -> str:
    """Return what a called function is for, as a remark; empty for anything else."""
    if not isinstance(node, ast.Call) or any(isinstance(part, ast.GeneratorExp) for part in node.args):
        return ""
    function = _evaluate(node.func, names)
    sentence = "" if inspect.isbuiltin(function) else (inspect.getdoc(function) or "").partition("\n\n")[0]
    return f"   # {' '.join(sentence.split()).removeprefix('Return ')}" if sentence else ""


def _is_whole(value: Any) -> bool:
    """Whether a value is nothing to print: a state, a design, a function."""
    return hasattr(value, "batches") or hasattr(value, "scope") or callable(value) or inspect.ismodule(value)


def _plain(node: ast.expr, names: Environment) -> bool:
    """Whether a node is a constant, or a name of one such as ABSENT: its value tells nothing new."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper())


def _evaluate(node: ast.expr, names: Environment) -> Any:
    return eval(compile(ast.Expression(node), "<clause>", "eval"), dict(names))


def _deciding(node: ast.expr, truth: bool, names: Environment) -> Iterator[Part]:
    """Yield the parts of a condition that made it come out as `truth`, each with what its names stand for."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _deciding(node.operand, not truth, names)
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And) == truth:
            for part in node.values:
                yield from _deciding(part, truth, names)
        else:
            # The first part that decides is the one that Python stopped at; later ones need not even be defined.
            part = next(part for part in node.values if bool(_evaluate(part, names)) == truth)
            yield from _deciding(part, truth, names)
    elif isinstance(node, ast.IfExp):
        test = bool(_evaluate(node.test, names))
        yield from _deciding(node.test, test, names)
        yield from _deciding(node.body if test else node.orelse, truth, names)
    elif (witness := _witness(node, truth, names)) is not None:
        element, inner = witness
        yield from _deciding(element, truth, inner)
    else:
        yield node, names


def _witness(node: ast.expr, truth: bool, names: Environment) -> Part | None:
    """Return the first element that decided an `any` to be true or an `all` to be false; None: there is no such one."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    argument = node.args[0]
    if node.func.id != ("any" if truth else "all") or not isinstance(argument, ast.GeneratorExp):
        return None
    for inner in _elements(argument.generators, names):
        if bool(_evaluate(argument.elt, inner)) == truth:
            return argument.elt, inner
    return None


def _elements(loops: list[ast.comprehension], names: Environment) -> Iterator[Environment]:
    """Yield what the names stand for in each round of the loops of a generator expression."""
    if not loops:
        yield names
        return
    first, *rest = loops
    for value in _evaluate(first.iter, names):
        inner = {**names, **_bound(first.target, value)}
        if all(_evaluate(condition, inner) for condition in first.ifs):
            yield from _elements(rest, inner)


def _bound(target: ast.expr, value: Any) -> Environment:
    if isinstance(target, ast.Name):
        return {target.id: value}
    assert isinstance(target, (ast.Tuple, ast.List))
    pairs = zip(target.elts, value, strict=True)
    return dict(itertools.chain.from_iterable(_bound(part, held).items() for part, held in pairs))
