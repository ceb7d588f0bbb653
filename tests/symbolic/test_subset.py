"""What is outside the subset is refused with file, line, what it is, and what to write instead; never read wrongly."""

from __future__ import annotations

import pytest

from checker.model.model import load_module
from checker.model.source import OutsideSubset, text_of
from checker.symbolic.graph import Graph
from checker.symbolic.store import Store
from checker.symbolic.transitions import Reader
from checker.symbolic.walk import Walk
from tests.symbolic.test_evaluate_grammar import model_of

# The body of an action, and words of the message: what it is, and what to write instead. The line refused is the last,
# unless the body is marked.
REFUSED = {
    "while": ("while s.a > 0:  # here\n    s.a -= 1", "while", "for ... in range(n)"),
    "try": ("try:  # here\n    s.a = 1\nexcept ValueError:\n    pass", "try", "guard(...)"),
    "with": ("with open('x'):  # here\n    pass", "with", "call the functions directly"),
    "break": ("for i in range(2):\n    break", "break", "under an `if`"),
    "raise": ("raise ValueError", "raise", "require(condition, 'property-name')"),
    "assert": ("assert s.a", "assert", "require(condition, 'property-name')"),
    "lambda": ("f = lambda: 1", "lambda", "a named function"),
    "list comprehension": ("x = [i for i in range(2)]", "list comprehension", "any(), all() or sum()"),
    "set comprehension": ("x = {i for i in range(2)}", "set comprehension", "any(), all() or sum()"),
    "dict comprehension": ("x = {i: i for i in range(2)}", "dict comprehension", "any(), all() or sum()"),
    "list": ("x = [1, 2]", "a list", "a tuple"),
    "set": ("x = {1, 2}", "a set", "use a tuple"),
    "dict": ("x = {1: 2}", "a dict", "a record or a Vector"),
    "formatted string": ("x = f'{s.a}'", "formatted string", "leave texts"),
    "yield": ("yield s.a", "yield", "return the value"),
    "walrus": ("s.b = (x := s.a)", ":=", "a line of its own"),
    "slice": ("x = s.v[0:1]", "a slice", "index the elements"),
    "starred": ("number(*(1, 2))", "starred", "name the elements"),
    "double star": ("number(**scope)", "**", "name the arguments"),
    "global": ("global x", "global", "keep it in the state"),
    "import": ("import os", "import", "top of the file"),
    "import from": ("from os import path", "import", "top of the file"),
    "del": ("del s.v[0]", "del", "assign ABSENT"),
    "nested function": ("def f():  # here\n    pass", "nested function", "top of the file"),
    "nested class": ("class C:  # here\n    pass", "ClassDef", "the subset is"),
    "match": ("match s.a:  # here\n    case 1:\n        pass", "match", "if and elif"),
    "for else": ("for i in range(2):  # here\n    pass\nelse:\n    s.a = 1", "for with else", "after the loop"),
    "float": ("s.a = 1.5", "1.5", "whole numbers"),
    "complex": ("s.a = 1j", "1j", "whole numbers"),
    "bytes": ("s.a = b'x'", "b'x'", "whole numbers"),
    "division": ("s.a = s.b / 2", "Div", "+ - * // %"),
    "power": ("s.a = s.b ** 2", "Pow", "+ - * // %"),
    "shift": ("s.a = s.b << 2", "LShift", "+ - * // %"),
    "bitwise and": ("s.a = s.b & 1", "BitAnd", "+ - * // %"),
    "invert": ("s.a = ~s.b", "~s.b", "not and -"),
    "remainder by a field": ("s.a = s.b % s.out", "positive number", "a number of the scope"),
    "division by a field": ("s.a = s.b // s.out", "positive number", "a number of the scope"),
    "remainder by a negative": ("s.a = s.b % -2", "positive number", "a number of the scope"),
    "remainder by zero": ("s.a = s.b % 0", "positive number", "a number of the scope"),
    "is on a field": ("s.flag = s.a is s.b", "s.a is s.b", "compare numbers"),
    "is on records": ("s.flag = s.cells[0] is s.cells[1]", "is", "records with =="),
    "in a Vector": ("s.flag = s.a in s.v", "s.a in s.v", "compare numbers"),
    "less on records": ("s.flag = s.cells[0] < s.cells[1]", "s.cells[0] < s.cells[1]", "compare numbers"),
    "less on tuples": ("s.flag = (s.a, 1) < (s.b, 2)", "<", "compare numbers"),
    "a record as a condition": ("s.flag = not s.cells[0]", "s.cells[0]", "compare it"),
    "a vector as a condition": ("if s.v:  # here\n    s.a = 1", "s.v", "len()"),
    "a vector in a guard": ("guard(s.v)", "s.v", "len()"),
    "or of kinds": ("s.a = s.b or None", "two kinds", "`if`"),
    "a choice of kinds": ("x = s.a if s.flag else None", "two kinds", "`if`"),
    "a choice of strings": ("x = '5' if s.flag else '6'", "two kinds", "`if`"),
    "a choice of tuples of two sizes": ("x = (1, 2) if s.flag else (3,)", "two kinds", "`if`"),
    "a choice of a record and a vector": ("x = s.cells[0] if s.flag else s.v", "two kinds", "`if`"),
    "a choice of sizes": ("x = s.v if s.flag else s.cells", "two kinds", "`if`"),
    "a name of two kinds": ("x = None\nif s.flag:\n    x = s.a\ns.b = x", "x may have no value", "both sides"),
    "a name set on one side": ("if s.flag:\n    x = 1\ns.a = x", "x may have no value", "both sides"),
    "an unknown name": ("s.a = nowhere", "nowhere is not defined", "top of the file"),
    "a computed range": ("for i in range(s.a):  # here\n    pass", "range of a value", "a fixed size"),
    "a loop over a number": ("for i in s.a:  # here\n    pass", "without a fixed size", "range(n) or a Vector"),
    "a loop over a record": ("for i in s.cells[0]:  # here\n    pass", "a loop over a record", "name its fields"),
    "a loop over a text": ("for i in 'ab':  # here\n    pass", "without a fixed size", "range(n) or a Vector"),
    "isinstance": ("s.flag = isinstance(s.a, bool)", "isinstance of a value", "a fixed size"),
    "min of a Vector": ("s.a = min(s.v)", "this call of min", "operators"),
    "max with a key": ("s.a = max(s.a, s.b, key=abs)", "a named argument of max", "leave it out"),
    "sum with a named start": ("s.a = sum(s.v, start=1)", "a named argument of sum", "leave it out"),
    "any of records": ("s.flag = any(s.cells)", "any of what is no number", "name its fields"),
    "any of record elements": ("s.flag = any(c for c in s.cells)", "c as a condition", "compare it"),
    "min of a generator": ("s.a = min(x for x in s.v)", "GeneratorExp", "the subset is"),
    "sorted": ("x = sorted(s.v)", "this call of sorted", "operators"),
    "print": ("print(1)", "this call of print", "take it out"),
    "a method of a tuple": ("s.a = (1, 2).index(1)", "no function of the model", "plain functions"),
    "a field of a number": ("s.a = s.b.real", "no field of a record", "the state's fields"),
    "a field of a vector": ("s.v.append(1)", "no field of a record", "the state's fields"),
    "an element of a number": ("s.a = s.b[0]", "s.b is no Vector", "Vectors and tuples"),
    "an element of a number set": ("s.b[0] = 1", "no element of the state", "use a Vector"),
    "an element of a tuple set": ("x = (1, 2)\nx[0] = 1", "no element of the state", "use a Vector"),
    "a field of the scope set": ("scope.two = 1", "no field of the state", "assign to the state"),
    "a tuple's index outside": ("s.a = (1, 2)[s.b]", "may lie outside", "use a Vector"),
    "an enumerate with a name": (
        "x = enumerate(s.v)",
        "enumerate() where it is not",
        "loop over it directly",
    ),
    "a reversed in a tuple": (
        "x = (reversed(s.v), 1)",
        "reversed() where it is not",
        "loop over it directly",
    ),
    "a record given twice": ("x = Cell(True, 1)\ns.cells[0] = x\ns.cells[1] = x", "an alias", "from the state again"),
    "a record used after it was given": (
        "x = Cell(True, 1)\ns.cells[0] = x\nx.n = 2",
        "an alias",
        "from the state again",
    ),
    "a record of the state given": ("s.cells[0] = s.cells[1]", "an alias", "assign copy(...)"),
    "records swapped": ("s.cells[0], s.cells[1] = s.cells[1], s.cells[0]", "an alias", "assign copy(...)"),
    "a replaced record": ("x = s.cells[0]\ns.cells[0] = Cell(True, 1)\ns.a = x.n", "an alias", "from the state again"),
    "a record that may be replaced": (
        "x = s.cells[0]\nif s.flag:\n    s.cells[s.a % 2] = Cell(True, 1)\ns.a = x.n",
        "an alias",
        "from the state again",
    ),
    "a declaration": ("x: int", "a declaration without a value", "where you declare"),
    "an await": ("x = None\nasync def f():  # here\n    pass", "AsyncFunctionDef", "the subset is"),
}


def line_of(text):
    """The line of a program's file that is to be refused."""
    lines = text.splitlines()
    marked = [number for number, line in enumerate(lines) if "# here" in line]
    return marked[0] if marked else len(lines) - 1


@pytest.mark.parametrize(("text", "what", "instead"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_place_and_the_way_out(text, what, instead, tmp_path):
    model = model_of(text, tmp_path)
    function = model.actions[0].function
    first = text_of(function).body[0].lineno
    with pytest.raises(OutsideSubset) as refused:
        Reader(model).transition(model.instances()[0])
    message = str(refused.value)
    assert message.startswith(f"{function.__code__.co_filename}:{first + line_of(text)}: "), message
    described, advised = message.split(": ", 1)[1].rsplit("; ", 1)
    assert what in described
    assert instead in advised


FILE = """
import functools

single = lambda: 1


def outer():
    hidden = 3

    def inner():
        return hidden

    return inner


inner = outer()


@functools.cache
def kept():
    return 1


def calls_kept():
    return kept()


def some_value(s):  # may end without one
    if s:
        return 1


def calls_itself(n):
    return calls_itself(n + 1)
"""


def walk(function, *arguments):
    graph = Graph()
    return Walk(graph, Store(graph)).ask(function, list(arguments))


@pytest.mark.parametrize(
    ("name", "arguments", "what"),
    [
        ("single", (), "has no readable `def`; write it as a function in a file"),
        ("calls_kept", (), "kept is no function of the model; call plain functions"),
        (
            "some_value",
            (Graph().leaf("n", False, 0, 2),),
            "some_value may end without a value, or with",
        ),
        ("calls_itself", (0,), "a recursion; write a loop over a fixed size"),
    ],
)
def test_functions_that_are_not_plain_are_refused(name, arguments, what, tmp_path):
    path = tmp_path / f"plain_{name}.py"
    path.write_text(FILE)
    function = getattr(load_module(path), name)
    with pytest.raises(OutsideSubset) as refused:
        walk(function, *arguments)
    assert str(refused.value).startswith(f"{path}:")
    assert what in str(refused.value)
