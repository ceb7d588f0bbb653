"""Which parts of a condition decided how it came out: of an `and` that is false the first that is, and so on."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

Environment = dict[str, Any]
Part = tuple[ast.expr, Environment]


def deciding(node: ast.expr, truth: bool, names: Environment) -> Iterator[Part]:
    """Yield the parts of a condition that made it come out as `truth`, each with what its names stand for."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from deciding(node.operand, not truth, names)
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And) == truth:
            for part in node.values:
                yield from deciding(part, truth, names)
        else:
            # The first part that decides is the one that Python stopped at; later ones need not even be defined.
            part = next(part for part in node.values if bool(evaluate(part, names)) == truth)
            yield from deciding(part, truth, names)
    elif isinstance(node, ast.IfExp):
        test = bool(evaluate(node.test, names))
        yield from deciding(node.test, test, names)
        yield from deciding(node.body if test else node.orelse, truth, names)
    elif (witness := _witness(node, truth, names)) is not None:
        element, inner = witness
        yield from deciding(element, truth, inner)
    else:
        yield node, names


def evaluate(node: ast.expr, names: Environment) -> Any:
    """Return the value of an expression where its names stand for these."""
    return eval(compile(ast.Expression(node), "<clause>", "eval"), dict(names))


def _witness(node: ast.expr, truth: bool, names: Environment) -> Part | None:
    """Return the first element that decided an `any` to be true or an `all` to be false; None: there is no such one."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    argument = node.args[0]
    if node.func.id != ("any" if truth else "all") or not isinstance(argument, ast.GeneratorExp):
        return None
    for inner in _elements(argument.generators, names):
        if bool(evaluate(argument.elt, inner)) == truth:
            return argument.elt, inner
    return None


def _elements(loops: list[ast.comprehension], names: Environment) -> Iterator[Environment]:
    """Yield what the names stand for in each round of the loops of a generator expression."""
    if not loops:
        yield names
        return
    first, *rest = loops
    for value in evaluate(first.iter, names):
        inner = {**names, **_bound(first.target, value)}
        if all(evaluate(condition, inner) for condition in first.ifs):
            yield from _elements(rest, inner)


def _bound(target: ast.expr, value: Any) -> Environment:
    if isinstance(target, ast.Name):
        return {target.id: value}
    assert isinstance(target, (ast.Tuple, ast.List))
    pairs = zip(target.elts, value, strict=True)
    return dict(itertools.chain.from_iterable(_bound(part, held).items() for part, held in pairs))
