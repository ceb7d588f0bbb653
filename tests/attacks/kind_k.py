"""K: what is read from outside the state, a text, a table, an object, a class, and what a whole function is."""

from __future__ import annotations

from tests.attacks.models import act, claim

START = "guard(s.x < 3)\ns.x += 1\n"
MODE = "class Mode(str, enum.Enum):\n    A = 'a'\n\n\n"
ODD = "class Odd(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\n"
FLICKERS = """
class Flickers:
    asked = 0

    def __eq__(self, other):
        Flickers.asked += 1
        return Flickers.asked % 2 == 0

    def __get__(self, instance, owner):
        Flickers.asked += 1
        return Flickers.asked % 2

    __hash__ = object.__hash__


"""
META = """
class Meta(type):
    asked = 0

    def __getattr__(cls, name):
        Meta.asked += 1
        return Meta.asked % 2


class Has(metaclass=Meta):
    pass


"""
DEFAULTS = "from collections import defaultdict\n\n\nD = defaultdict(int)\nD[(2, 0)] = 5\n"
MISSING = "class M(dict):\n    def __missing__(self, key):\n        return 5 if key == (2, 0) else 0\n\n\nD = M()\n"
FIRST = "class First(list):\n    def __getitem__(self, index):\n        return 5\n\n\nL = First([0, 0, 0])\n"
LATE = "def late(s):\n    return False\n    yield 1\n"
OFF = "def off(s, scope):\n    if scope.none:\n        yield 1\n    return False\n"
COUNTED = (
    "count = 0\n\n\ndef counted(scope):\n    if scope.none:\n        global count\n    count = 1\n    return count\n"
)


def chosen(values):
    """An action with a choice among odd numbers."""
    return (
        f"{ODD}\n@action(k=lambda scope: {values})\ndef act(s, scope, k):\n    guard(s.x < 3)\n    s.x += 1\n"
        "    s.y = int(k == 2)\n\n\n" + claim("return s.y == 0")
    )


def writes(line, of="always"):
    """A property that changes the state, and one that looks at it afterwards."""
    return claim(f"{line}\nreturn True", of=of) + "\n@always()\ndef q(s, scope):\n    return s.x < 2\n"


ATTACKS = {
    "a key of the state that is missing": act(START + "s.y = D[(s.x, 0)]", "s.y < 4", DEFAULTS),
    "a missing key that a class answers": act(START + "s.y = D[(2, 0)] - 3", "s.y < 2", MISSING),
    "a table with an index of its own": act(START + "s.y = L[1] - 3", "s.y < 2", FIRST),
    "outside a vector of the module": claim("return V[5] > s.x", "V = Vector([1, 2, 3])\n"),
    "an enumeration of texts": claim("return Mode.A != 'a' or s.x < 2", MODE),
    "an enumeration of texts among others": claim("return Mode.A not in ('a', 'b') or s.x < 2", MODE),
    "a text of a class": claim("return K != 'a' or s.x < 2", "class S(str):\n    pass\n\n\nK = S('a')\n"),
    "a text with an equality of its own": claim(
        "return K == 'a' and s.x < 2",
        "class S(str):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = None\n\n\nK = S('b')\n",
    ),
    "an object with an equality of its own": claim("return K == K or s.x < 2", f"{FLICKERS}K = Flickers()\n"),
    "an attribute that a descriptor of a class makes": claim(
        "return Has.it < 1 or s.x < 2", f"{FLICKERS}class Has:\n    it = Flickers()\n\n\n"
    ),
    "an attribute that a metaclass makes": claim("return Has.it < 1 or s.x < 2", META),
    "an attribute that a module makes": claim(
        "return M.it < 1 or s.x < 2",
        "import types\n\n\nasked = [0]\n\n\ndef made(name):\n    asked[0] += 1\n    return asked[0] % 2\n\n\n"
        "M = types.ModuleType('M')\nM.__getattr__ = made\n",
    ),
    "choices with an equality of their own": chosen("(Odd(1), Odd(2))"),
    "a choice with an equality of its own": chosen("(Odd(1),)"),
    "a property that changes the state": writes("s.x = 0"),
    "a property of steps that changes the state": writes("s.x = 0", "step"),
    "a property that changes a part of the state": writes("s.v[0] += 1"),
    "a property that calls what changes the state": claim("return change(s) and s.x < 2")
    + "\n\ndef change(s):\n    s.x = 0\n    return True\n",
    "a generator that ends before it yields": claim("return bool(late(s)) and s.x < 2", LATE),
    "a generator that yields in no scope": claim("return bool(off(s, scope)) and s.x < 2", OFF),
    "a global that is declared in no scope": act(START + "s.y = counted(scope) + count", "s.y < 2", COUNTED),
    "a name of a generator expression before its value": act(
        f"b = (1, 2)\n{START}s.y = sum(1 for a in range(2) for b in b)", "s.y < 9"
    ),
    "a name of a generator expression in a condition before it": claim(
        "k = 1\nreturn any(s.x < 9 for a in range(2) if k for k in range(2))"
    ),
}

LEGAL = {
    "an enumeration of texts": claim("return Mode.A != 'a' or s.x < 2", MODE),
    "a table of numbers": claim("return T[(2, 0)] > s.x", "T = {(2, 0): 4}\n"),
    "a constant of a class": claim("return Has.it > s.x", "class Has:\n    it = 4\n\n\n"),
    "a property that changes what is its own": claim("c = Cell(False, 0)\nc.n = s.x\nreturn c.n < 4"),
    "a name that a generator expression hides": claim("x = 3\nreturn all(x < 4 for x in s.v) and s.x < x"),
}
