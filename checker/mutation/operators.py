"""Mutants of the spec: its text with one small thing changed, made over the syntax tree.

Each replaces exactly the text of one node, so lines keep their numbers and the change can be shown as two lines. What
properties and lemmas read stays as it is (`texts`): a mutant changes what happens, never what is asked of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import spec
from checker.model.source import on_one_line
from checker.model.spec_copy import source_of
from checker.mutation.source_edit import SourceText, Span

MODULES = (
    *sorted(f"spec.actions.{path.stem}" for path in Path(spec.__path__[0], "actions").glob("[!_]*.py")),
    "spec.design",
    "spec.slots",
    "spec.ring",
    "spec.rows",
    "spec.boundary",
)
"""What is mutated: every action, the decisions, and what they act through."""

_KEPT = ("slots", "rows", "boundary")
_READERS = ("properties", "postconditions", "lemmas", "sometimes", "environment")

_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
_NAMED = {
    "ABSENT": ("(ABSENT - 1)", "(ABSENT + 1)"),
    "IDLE": ("(IDLE + 1)", "(IDLE + 2)"),
    "ADMITTED": ("(ADMITTED - 1)", "(ADMITTED + 1)"),
    "RUNNING": ("(RUNNING - 1)", "(RUNNING - 2)"),
}

Change = tuple[str, Span, str]
"""An operator's name, the place in the text, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One module of the spec with one change."""

    module: str
    function: str
    operator: str
    line: int
    column: int
    old: str
    """The line before the change, without its indentation."""
    new: str
    text: str
    """The whole text of the module, changed."""
    repeat: int = 1
    """Which of the changes that read the same in this function it is."""

    @property
    def file(self) -> str:
        """The file that is changed."""
        return self.module.replace(".", "/") + ".py"

    @property
    def name(self) -> str:
        """Where it is and what kind, such as `spec/slots.py:37:4 drop-guard`."""
        return f"{self.file}:{self.line}:{self.column} {self.operator}"

    @property
    def key(self) -> str:
        """What it is, without line numbers: the name by which a survivor is justified."""
        again = f" #{self.repeat}" if self.repeat > 1 else ""
        return f"{self.file} {self.function}: {self.old} -> {self.new}{again}"

    def texts(self) -> dict[str, str]:
        """Return the modules to load: the mutant, and for what reads the state a copy of its helpers as they were."""
        found = {self.module: self.text}
        for name in _KEPT:
            found[f"spec.{name}_kept"] = _keep(source_of(f"spec.{name}"))
        for name in _READERS:
            found[f"spec.{name}"] = _keep(source_of(f"spec.{name}"))
        return found


def _keep(text: str) -> str:
    return re.sub(rf"^from spec\.({'|'.join(_KEPT)}) import", r"from spec.\1_kept import", text, flags=re.MULTILINE)


def mutants() -> list[Mutant]:
    """Return every mutant of the spec, in a fixed order."""
    wanted = reached()
    return [mutant for module in MODULES for mutant in mutants_of(module, source_of(module), wanted)]


def reached() -> set[str]:
    """Return the names of all functions that an action or a decision can reach; the others serve properties only."""
    bodies: dict[str, set[str]] = {}
    found: set[str] = set()
    for module in MODULES:
        for name, node in _functions(ast.parse(source_of(module))):
            short = name.rpartition(".")[2]
            bodies[short] = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if module.startswith("spec.actions.") or module == "spec.design":
                found.add(short)
    todo = list(found)
    while todo:
        new = (bodies[todo.pop()] & bodies.keys()) - found
        found |= new
        todo += new
    return found


def mutants_of(module: str, source: str, wanted: set[str] | None = None) -> list[Mutant]:
    """Return every mutant of one text, in the order of its lines; `wanted`: only of these functions."""
    text = SourceText(source)
    lines = source.splitlines()
    made: list[Mutant] = []
    seen = {source}
    times: dict[str, int] = {}
    for name, node in _functions(ast.parse(source)):
        if wanted is not None and name.rpartition(".")[2] not in wanted:
            continue
        guards = _guards(node)
        for operator, span, new in sorted(_changes(text, node), key=lambda change: (change[1], change[0])):
            changed = text.replaced(span, new)
            if changed in seen:
                continue
            seen.add(changed)
            line, column = text.place(span[0])
            # A guard is shown whole, and without its reason: a survivor is known by what is asked.
            shown = next((guard for guard in guards if line - 1 in guard), range(line - 1, line))
            was, now = (
                on_one_line("\n".join(each[shown.start : shown.stop])) for each in (lines, changed.splitlines())
            )
            key = f"{name}: {was} -> {now}"
            times[key] = times.get(key, 0) + 1
            made.append(Mutant(module, name, operator, line, column, was, now, changed, times[key]))
    return made


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name != "__init__":
                    yield f"{node.name}.{inner.name}", inner


def _guards(function: ast.FunctionDef) -> list[range]:
    """Return the lines of every guard of a function, counted from 0."""
    called = [node for node in ast.walk(function) if isinstance(node, ast.Call) and ast.unparse(node.func) == "guard"]
    return [range(node.lineno - 1, node.end_lineno or node.lineno) for node in called]


def _changes(text: SourceText, function: ast.FunctionDef) -> Iterator[Change]:
    """Yield every change of one function: its statements, and the expressions inside them."""
    set_before = {argument.arg for argument in function.args.args}
    for statement in _statements(function.body):
        yield from _of_statement(text, statement, set_before)
        if isinstance(statement, ast.Return) and statement.value is not None:
            yield from _of_return(text, statement.value, function.returns)
        decided = {place for expression in _expressions(statement) for place in _never_equal(text, expression)}
        for expression in _expressions(statement):
            for make in _OPERATORS:
                yield from (change for change in make(text, expression) if change[1:] not in decided)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements in order, a block's own before those inside it."""
    for statement in body:
        yield statement
        for block in ("body", "orelse"):
            yield from _statements(getattr(statement, block, []))


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what belongs to a statement itself, types and docstrings excepted."""
    for name, value in ast.iter_fields(statement):
        if name in ("body", "orelse", "annotation") or (isinstance(statement, ast.Expr) and _is_text(value)):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from ast.walk(part)


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _of_statement(text: SourceText, statement: ast.stmt, set_before: set[str]) -> Iterator[Change]:
    """Drop a guard, a require or another call; drop or turn round an assignment; decide an `if`."""
    span = text.span(statement)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        name = called.id if isinstance(called, ast.Name) else ""
        yield (f"drop-{name}" if name in ("guard", "require") else "drop-call"), span, "pass"
    elif isinstance(statement, ast.AugAssign):
        yield "drop-assignment", span, "pass"
        word, other = ("+=", "-=") if isinstance(statement.op, ast.Add) else ("-=", "+=")
        start = text.span(statement.target)[1]
        at = start + text.of((start, span[1])).index(word)
        yield "assignment", (at, at + 2), other
    elif isinstance(statement, ast.Assign):
        # Without its first assignment a local name would be undefined: an error of the text, and no mutant.
        names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        if names <= set_before:
            yield "drop-assignment", span, "pass"
        set_before |= names
    elif isinstance(statement, ast.If):
        yield from _fixed(text, statement.test)


def _of_return(text: SourceText, value: ast.expr, returns: ast.expr | None) -> Iterator[Change]:
    """Return another constant of the function's type; records have none."""
    kind = returns.id if isinstance(returns, ast.Name) else ""
    constants = {"bool": ("False", "True")}.get(kind, () if kind in ("Row", "Batch", "Text") else ("-1", "0"))
    if not isinstance(value, ast.Constant) and not (isinstance(value, ast.Name) and value.id in _NAMED):
        for constant in constants:
            yield "return", text.span(value), constant


def _comparison(text: SourceText, node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for left, operation, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            if type(operation) in _COMPARED:
                word, other = _COMPARED[type(operation)]
                yield "comparison", text.between(left, right, word), other


def _constant(text: SourceText, node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", text.span(node), str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "constant", text.span(node), str(node.value - 1) if node.value else "(0 - 1)"
        yield "constant", text.span(node), str(node.value + 1)
    elif isinstance(node, ast.Name) and node.id in _NAMED:
        for other in _NAMED[node.id]:
            yield "constant", text.span(node), other


def _never_equal(text: SourceText, node: ast.AST) -> Iterator[tuple[Span, str]]:
    """Yield where ABSENT - 1 would only decide a comparison, as other mutants do: no value but a supply is that."""
    if isinstance(node, ast.Compare) and not (isinstance(node.left, ast.Name) and node.left.id == "supply"):
        for part in node.comparators:
            if isinstance(part, ast.Name) and part.id == "ABSENT":
                yield text.span(part), _NAMED["ABSENT"][0]


def _boolean(text: SourceText, node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, end = text.span(node)
        yield "drop-not", (start, end), text.of((start, end)).removeprefix("not ")
    elif isinstance(node, ast.BoolOp):
        word, other, neutral = ("and", "or", "True") if isinstance(node.op, ast.And) else ("or", "and", "False")
        start, end = text.span(node)
        swapped = text.of((start, end)).encode()
        for left, right in reversed(list(zip(node.values, node.values[1:], strict=False))):
            at = text.span(left)[1] - start
            gap = slice(at, text.span(right)[0] - start)
            swapped = swapped[:at] + swapped[gap].replace(word.encode(), other.encode()) + swapped[gap.stop :]
        yield "and-or", (start, end), f"({swapped.decode()})"
        for value in node.values:
            yield "drop-operand", text.span(value), neutral


def _condition(text: SourceText, node: ast.AST) -> Iterator[Change]:
    tests = [node.test] if isinstance(node, ast.IfExp) else node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        yield from _fixed(text, test)


def _fixed(text: SourceText, test: ast.expr) -> Iterator[Change]:
    yield "if", text.span(test), "False"
    yield "if", text.span(test), "True"


_OPERATORS: tuple[Callable[[SourceText, ast.AST], Iterator[Change]], ...] = (
    _comparison,
    _constant,
    _boolean,
    _condition,
)
