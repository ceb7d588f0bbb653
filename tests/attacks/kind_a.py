"""A: a value of two kinds on two paths, in everything that may take it."""

from __future__ import annotations

import re

from tests.attacks.models import act, claim, indented

# What `maybe` returns up to three, and after three, when `s.x` is counted up.
VALUES = {
    "None on a path": "if s.x > 3:\n    return None\nreturn 1",
    "a bare return": "if s.x > 3:\n    return\nreturn 1",
    "the end of the text": "if s.x <= 3:\n    return 1",
    "the end after a loop": "for i in range(4):\n    if s.x == i:\n        return 1",
    "the end in a nested if": "if s.x <= 4:\n    if s.x <= 3:\n        return 1\n    s.x\nelse:\n    return 1",
    "texts": "if s.x > 3:\n    return ''\nreturn 'a'",
    "tuples of two sizes": "if s.x > 3:\n    return ()\nreturn (1,)",
    "a tuple or None": "if s.x > 3:\n    return None\nreturn (1, 2)",
    "a text or a number": "if s.x > 3:\n    return ''\nreturn 1",
    "a record or None": "if s.x > 3:\n    return None\nreturn s.cells[0]",
    "a vector or None": "if s.x > 3:\n    return None\nreturn s.v",
    "a vector or a number": "if s.x > 3:\n    return 0\nreturn s.v",
    "vectors of two sizes": "if s.x > 3:\n    return Vector(0 for i in range(0))\nreturn s.v",
    "a function or None": "if s.x > 3:\n    return None\nreturn guard",
    "a bool or a number": "if s.x > 3:\n    return 0\nreturn True",
    "a number or a bool": "if s.x > 3:\n    return False\nreturn 1",
    "None in a local": "m = 1\nif s.x > 3:\n    m = None\nreturn m",
    "a tuple in a local": "m = (1,)\nif s.x > 3:\n    m = ()\nreturn m",
    "a text in a local": "m = 'a'\nif s.x > 3:\n    m = ''\nreturn m",
    "None by a choice": "return None if s.x > 3 else 1",
    "a tuple by a choice": "return () if s.x > 3 else (1,)",
    "None by and": "return s.x <= 3 and None or None",
    "None by or": "return s.x <= 3 or None",
    "a tuple by and": "return s.x <= 3 and (1,)",
    "None from a helper of a helper": "return inner(s)",
    "None inside a tuple": "if s.x > 3:\n    return (None, 1)[0]\nreturn 1",
    "None inside two tuples": "m = (1, 1)\nif s.x > 3:\n    m = (None, 1)\nreturn m[0]",
    "a range or None": "if s.x > 3:\n    return None\nreturn range(3)",
    "None always": "s.x",
    "empty always": "return ''",
    "an empty range": "return range(0)",
}
HELPERS = """
def inner(s):
    if s.x > 3:
        return
    return 1


def takes(m):
    return bool(m)


def gives(m):
    return m


def second(a, m=None):
    if m:
        return True
    return False
"""
CONSUMERS = {
    "if": "if m:\n    return True\nreturn False",
    "if not": "if not m:\n    return False\nreturn True",
    "elif": "if s.x < 0:\n    return False\nelif m:\n    return True\nelse:\n    return False",
    "not": "return not (not m)",
    "return": "return m",
    "and": "return m and True",
    "and, second": "return s.x < 9 and m",
    "or": "return m or False",
    "or, last": "return False or m",
    "any": "return any((False, m))",
    "all": "return all((True, m))",
    "any of a generator": "return any(y for y in (False, m))",
    "all of a generator": "return all(y for y in (True, m))",
    "the condition of a generator": "return any(True for y in (1,) if m)",
    "sum": "return sum((0, m)) > 0",
    "bool": "return bool(m)",
    "int": "return int(m) > 0",
    "isinstance": "return isinstance(m, int)",
    "len": "return len(m) > 0",
    "abs": "return abs(m) > 0",
    "max": "return max(0, m) > 0",
    "==": "return m == 1 or m == 'a' or m == (1,)",
    "== None": "return not (m == None)",
    "!=": "return m != 0 and m != None and m != '' and m != ()",
    "is not None": "return m is not None",
    "is None": "return not (m is None)",
    "in": "return m in (1, 'a', (1,), True)",
    "not in": "return m not in (None, 0, '', ())",
    "in a range": "return m in range(1, 3)",
    "<": "return m < 2 and m > 0",
    "a chained comparison": "return 0 < m < 2",
    "minus": "return -m < 0",
    "plus": "return m + 1 > 1",
    "times a tuple": "return (m * (1,)) == (1,)",
    "a choice": "return True if m else False",
    "an index of a tuple": "return (False, True)[m]",
    "an index of a vector": "return s.v[m] == 0",
    "a range": "return any(True for i in range(m))",
    "a loop": "for i in m:\n    return True\nreturn False",
    "an argument": "return takes(m)",
    "a default": "return second(1, m)",
    "a named argument": "return second(1, m=m)",
    "through a helper": "return gives(m)",
    "a tuple's element": "return (m, 1) == (1, 1)",
    "a tuple in a tuple": "return (m, 1) in ((1, 1), ('a', 1), ((1,), 1))",
    "an element of a tuple": "return (m, 0)[0]",
    "unpacked": "a, b = (m, 1)\nreturn a",
    "a second local": "n = m\nreturn bool(n)",
    "enumerated": "return any(y for i, y in enumerate((m,)))",
    "zipped": "return any(y for i, y in zip((1,), (m,)))",
    "a vector's element": "return Vector(y for y in (m, 1))[0] == 1",
    "a record's field": "return Cell(m, 0).on",
}
EFFECTS = {
    "guard": "guard(m)\nguard(s.x < 5)\ns.x += 1",
    "require": "require(m, 'q')\nguard(s.x < 5)\ns.x += 1",
    "a field": "s.x = (s.x + 1) % 6\ns.y = m",
    "a bool": "guard(s.x < 5)\ns.x += 1\ns.flag = m",
    "an element": "guard(s.x < 5)\ns.x += 1\ns.v[0] = m",
    "the index of a target": "guard(s.x < 5)\ns.x += 1\ns.v[m] = 1",
    "an augmented field": "s.x = (s.x + 1) % 6\ns.y += m\ns.y = 0",
    "a branch": "guard(s.x < 5)\ns.x += 1\nif m:\n    s.y = 1\nelse:\n    s.y = 2",
    "an early return": "guard(s.x < 5)\ns.x += 1\nif not m:\n    return\ns.y = 1",
    "a continue": "guard(s.x < 5)\ns.x += 1\nfor i in range(2):\n    if not m:\n        continue\n    s.y = 1",
    "what is returned": "guard(s.x < 5)\ns.x += 1\nreturn m",
}
MAYBE = "def maybe(s):\n"
# Every consumer meets these; the other values meet a few consumers each, in turn.
MOST = ("a bare return", "texts", "tuples of two sizes")


def inline(text):
    """The text with a call in the place of a name: what a name is given is looked at more closely."""
    return re.sub(r"\bm\b(?!=)", "maybe(s)", text)


def _attacks():
    for place, (value, body) in enumerate(VALUES.items()):
        before = HELPERS + MAYBE + indented(body)
        for number, (consumer, text) in enumerate(CONSUMERS.items()):
            if value in MOST or consumer in ("if", "return") or number % 17 == place % 17:
                yield f"{value}, {consumer}", claim(inline(text), before)
        for number, (effect, text) in enumerate(EFFECTS.items()):
            if value in MOST[:1] or number % 5 == place % 5:
                yield f"{value}, {effect}", act(inline(text), "s.y != 2", before)


CONTEXT = """
class Context:
    def __init__(self, scope):
        self.high = scope.high

    def may(self, s):
DECISION

@action()
def act(s, design):
    guard(s.x < design.high)
    guard(design.may(s))
    s.x += 1


@always()
def p(s, design):
    return s.x <= 4


@sometimes()
def seen(before, s, design):
    return design.may(before)
"""

ATTACKS = {
    **dict(_attacks()),
    **{
        f"{value}, a decision": CONTEXT.replace("DECISION", indented(indented(body)))
        for value, body in VALUES.items()
        if value not in ("None from a helper of a helper",)
    },
    "a sometimes without a value": claim(
        "if s.x > 9:\n    return True\nif s.x > 8:\n    return",
        of="sometimes",
        before="@always()\ndef q(s, scope):\n    return True\n",
    ),
    "a step without a value": claim("if s.x <= 3:\n    return True", of="step"),
    "a step with a bare return": claim("if s.x > 3:\n    return\nreturn True", of="step"),
    "a property without any value": claim("s.x"),
    "an if and elif without else": claim("if s.x < 3:\n    return True\nelif s.x < 5:\n    return True"),
    "the last elif": claim(
        "if s.x < 1:\n    return True\nelif s.x < 2:\n    return True\nelif s.x == 5:\n    return False\nelse:\n    return True"
    ),
    "a name of an earlier turn": claim("for i in range(3):\n    if s.x > i:\n        m = i\nreturn s.x < 1 or m < 2"),
    "a name set on one side": claim("if s.x <= 3:\n    m = True\nreturn m"),
    "a name never set": claim("if s.x > 9:\n    m = True\nreturn s.x < 4 or m"),
    "an early return's kind in a loop": claim(
        "return bool(find(s))",
        "def find(s):\n    for i in range(3):\n        if s.x == i:\n            return 'yes'\n    return ''\n",
    ),
    "a helper's two records": claim(
        "m = pick(s)\nreturn m == s.cells[0] and m.n == 0",
        "@record\nclass Pair:\n    on: bool\n    n: Small\n\n\n"
        "def pick(s):\n    if s.x > 3:\n        return Pair(False, 0)\n    return s.cells[0]\n",
    ),
    "None equals ABSENT": claim(
        "return find(s) != ABSENT", "def find(s):\n    if s.x <= 3:\n        return 1\n    return None\n"
    ),
    "a helper without a value is no one": claim(
        "note(s)\nreturn s.x <= 5 and not note(s)", "def note(s):\n    if s.x > 3:\n        return\n    s.x\n"
    ),
}

LEGAL = {
    "an early return": claim("if s.x > 3:\n    return s.x <= 5\nreturn True"),
    "numbers and bools": claim(
        "return bool(maybe(s)) or s.x > 3", MAYBE + indented("if s.x > 3:\n    return 0\nreturn True")
    ),
    "a helper of two numbers": claim("return maybe(s) < 4", MAYBE + indented("if s.x > 3:\n    return 2\nreturn s.x")),
    "a number found": claim(
        "return find(s.v, s.x) != ABSENT or s.x > 0",
        "def find(v, x):\n    for i, y in enumerate(v):\n        if y == x:\n            return i\n    return ABSENT\n",
    ),
    "an if with both ends": claim("if s.x > 3:\n    return True\nelse:\n    return s.x < 4"),
    "nested ifs that all return": claim(
        "if s.x > 1:\n    if s.x > 3:\n        return True\n    else:\n        return s.y == 0\nelse:\n    return True"
    ),
    "a helper without a value": act("guard(s.x < 5)\nmore(s)", "s.x <= 5", "def more(s):\n    s.x += 1\n"),
    "a helper that leaves early": act(
        "guard(s.x < 5)\nmore(s)",
        "s.y <= 1",
        "def more(s):\n    s.x += 1\n    if s.x < 3:\n        return\n    s.y = 1\n",
    ),
    "and of bools": claim("return s.x <= 5 and (s.x < 9 or s.flag)"),
    "or of numbers": claim("return (s.x or s.y or 1) > 0"),
    "a record by a choice": claim("m = s.cells[0] if s.x > 3 else s.cells[1]\nreturn m.n == 0"),
    "a record by a helper": claim(
        "return pick(s).n == 0", "def pick(s):\n    if s.x > 3:\n        return s.cells[0]\n    return s.cells[1]\n"
    ),
    "a name set on both sides": claim("if s.x > 3:\n    m = s.x\nelse:\n    m = 9\nreturn m > 3"),
    "a violated claim": claim("return s.x < 4"),
    "a violated step": claim("return s.x < 4", of="step"),
    "a sometimes": claim("return s.x == 5", of="sometimes", before="@always()\ndef q(s, scope):\n    return True\n"),
    "a sometimes never seen": claim(
        "return s.x == 6", of="sometimes", before="@always()\ndef q(s, scope):\n    return True\n"
    ),
}
