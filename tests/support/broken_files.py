"""Files as a user may write them by mistake: each a model or a design that works, with one to three things changed."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

Change = Callable[[ast.Module, random.Random], bool]
"""Changes a tree in place, and returns whether it has found something to change."""

ODD = (
    "None",
    "'text'",
    "1.5",
    "[]",
    "()",
    "-1",
    "10**30",
    "True",
    "{}",
    "lambda: 0",
    "s",
    "scope",
    "object()",
    "(1, 2)",
)
"""What an expression may turn into."""
STATEMENTS = (
    "return",
    "return None",
    "pass",
    "raise ValueError",
    "raise SystemExit(0)",
    "yield 1",
    "import nothing",
    "x = 1 // 0",
    "assert False",
    "s.nothing = 1",
    "del s",
    "for _ in iter(()): pass",
    "global s",
    "s = None",
    "scope = 3",
)


def expression(rnd: random.Random) -> ast.expr:
    return ast.parse(rnd.choice(ODD), mode="eval").body


def bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    return [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list) and node.body]


def slots_of(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Yield each place that holds an expression: its node, the field, and the index in it."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield node, name, None
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield node, name, index


def delete_statement(tree: ast.Module, rnd: random.Random) -> bool:
    body = rnd.choice(bodies(tree))
    del body[rnd.randrange(len(body))]
    if not body:
        body.append(ast.Pass())
    return True


def double_statement(tree: ast.Module, rnd: random.Random) -> bool:
    body = rnd.choice(bodies(tree))
    body.insert(rnd.randrange(len(body) + 1), rnd.choice(body))
    return True


def swap_statements(tree: ast.Module, rnd: random.Random) -> bool:
    body = rnd.choice(bodies(tree))
    first, second = rnd.randrange(len(body)), rnd.randrange(len(body))
    body[first], body[second] = body[second], body[first]
    return first != second


def insert_statement(tree: ast.Module, rnd: random.Random) -> bool:
    body = rnd.choice(bodies(tree))
    body.insert(rnd.randrange(len(body) + 1), ast.parse(rnd.choice(STATEMENTS)).body[0])
    return True


def other_name(tree: ast.Module, rnd: random.Random) -> bool:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    known = sorted({node.id for node in names})
    rnd.choice(names).id = rnd.choice([*known, "nothing", "int", "list"])
    return True


def other_attribute(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    if found:
        rnd.choice(found).attr = rnd.choice([*sorted({node.attr for node in found}), "nothing", "__class__"])
    return bool(found)


def other_operator(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.BinOp, ast.Compare, ast.BoolOp, ast.UnaryOp))]
    if not found:
        return False
    node = rnd.choice(found)
    if isinstance(node, ast.BinOp):
        node.op = rnd.choice([ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.FloorDiv(), ast.Mod(), ast.Pow()])
    elif isinstance(node, ast.Compare):
        node.ops[0] = rnd.choice([ast.Eq(), ast.Lt(), ast.LtE(), ast.Is(), ast.In(), ast.NotIn(), ast.NotEq()])
    elif isinstance(node, ast.BoolOp):
        node.op = rnd.choice([ast.And(), ast.Or()])
    else:
        node.op = rnd.choice([ast.Not(), ast.USub(), ast.Invert()])
    return True


def other_constant(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and not isinstance(node.value, str)]
    if found:
        rnd.choice(found).value = rnd.choice([None, True, -1, 0, 1, 2, 7, 1.5, 10**30, "text"])
    return bool(found)


def other_expression(tree: ast.Module, rnd: random.Random) -> bool:
    node, name, index = rnd.choice([*slots_of(tree)])
    if index is None:
        setattr(node, name, expression(rnd))
    else:
        getattr(node, name)[index] = expression(rnd)
    return True


def other_annotation(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation]
    if found:
        node = rnd.choice(found)
        node.annotation = ast.parse(rnd.choice([*ODD, "str", "list[int]", "nothing", "int", "bool"]), mode="eval").body
    return bool(found)


def other_parameters(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    arguments = rnd.choice(found).args
    what = rnd.randrange(5)
    if what == 0 and arguments.args:
        del arguments.args[rnd.randrange(len(arguments.args))]
        arguments.defaults = []
    elif what == 1:
        arguments.args.insert(rnd.randrange(len(arguments.args) + 1), ast.arg("more"))
    elif what == 2:
        rnd.shuffle(arguments.args)
    elif what == 3:
        arguments.kwarg = ast.arg("named")
    else:
        arguments.vararg = ast.arg("rest")
    return True


def other_decorators(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if getattr(node, "decorator_list", None)]
    if not found:
        return False
    decorators = rnd.choice(found).decorator_list
    what = rnd.randrange(4)
    if what == 0:
        decorators.clear()
    elif what == 1:
        decorators.append(decorators[0])
    elif what == 2:
        decorators[0] = expression(rnd)
    elif isinstance(decorators[0], ast.Call):
        decorators[0] = decorators[0].func
    return True


def other_call(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    node = rnd.choice(found)
    if node.keywords and rnd.random() < 0.5:
        keyword = rnd.choice(node.keywords)
        keyword.arg = rnd.choice(["nothing", keyword.arg])
        keyword.value = expression(rnd)
    elif node.args and rnd.random() < 0.5:
        del node.args[rnd.randrange(len(node.args))]
    else:
        node.args.insert(0, expression(rnd))
    return True


def other_base(tree: ast.Module, rnd: random.Random) -> bool:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    rnd.choice(found).bases = rnd.choice([[], [ast.Name("int")], [ast.Name("object")], [ast.Name("Exception")]])
    return True


CHANGES: tuple[Change, ...] = (
    delete_statement,
    double_statement,
    swap_statements,
    insert_statement,
    other_name,
    other_attribute,
    other_operator,
    other_constant,
    other_expression,
    other_annotation,
    other_parameters,
    other_decorators,
    other_call,
    other_base,
)


def broken(text: str, seed: int) -> tuple[str, str]:
    """Return a text with one to three changes, and what they are; it still parses."""
    rnd = random.Random(seed)
    while True:
        tree = ast.parse(text)
        made = [change.__name__ for change in rnd.choices(CHANGES, k=rnd.choice([1, 1, 2, 3])) if change(tree, rnd)]
        try:
            new = ast.unparse(ast.fix_missing_locations(tree))
            compile(new, "file", "exec")
        except (SyntaxError, ValueError, AttributeError, TypeError):
            continue
        if made and new != ast.unparse(ast.parse(text)):
            return new, ", ".join(made)
