"""What a random program may have on the edge of the subset, by the kind of mistake that it invites."""

from __future__ import annotations

CELLS = {
    "": "@record\nclass Cell:\n    on: bool\n    n: N\n",
    "own equality": "@record\nclass Cell:\n    on: bool\n    n: N\n\n    def __eq__(self, other):\n        return self.n == other.n\n",
    "not compared": "@record\nclass Cell:\n    on: bool\n    n: N = field(compare=False)\n",
    "no equality": "@dataclass(slots=True, eq=False)\nclass Cell:\n    on: bool\n    n: N\n",
    "after making": "@record\nclass Cell:\n    on: bool\n    n: N\n\n    def __post_init__(self):\n        self.n = min(self.n, 2)\n",
    "setter": (
        "@record\nclass Cell:\n    on: bool\n    n: N\n\n    def __setattr__(self, name, value):\n"
        "        object.__setattr__(self, name, value if name == 'on' else min(value, 2))\n"
    ),
    "unequal": "@record\nclass Cell:\n    on: bool\n    n: N\n\n    def __ne__(self, other):\n        return self.on != other.on\n",
    "default": "@record\nclass Cell:\n    on: bool\n    n: N = 3\n",
}
# Annotation and first value of `b`, of `flag` and of the vector's elements.
FIELDS = {
    "": ("N", "0", "bool", "False", "0, 0, 0"),
    "starts as a bool": ("N", "False", "bool", "False", "0, 0, 0"),
    "bool that starts as a number": ("N", "0", "bool", "0", "0, 0, 0"),
    "text": ("'N'", "True", "bool", "False", "0, 0, 0"),
    "elements of two kinds": ("N", "0", "bool", "False", "0, False, 0"),
    "two ranges": ("Annotated[int, Range(-1, 2), Range(-9, 9)]", "0", "bool", "False", "0, 0, 0"),
    "any": ("Any", "False", "bool", "False", "0, 0, 0"),
}
PROPERTIES = {
    "": "properties = (p, q)\n",
    "generator": "properties = (item for item in (p, q))\n",
    "iterator": "properties = iter((p, q))\n",
    "used": "properties = filter(None, (p, q))\nlist(properties)\n",
    "lemmas": "p, q = lemma()(p.function), lemma()(p.function)\nproperties = (p,)\n",
    "nowhere": "p = always(lambda scope: scope.none)(p.function)\nproperties = (p,)\n",
    "none": "properties = ()\n",
}
MIXED = {
    "bare": ("return 1", "return"),
    "None": ("return 1", "return None"),
    "end": ("return True", "pass"),
    "texts": ("return 'a'", "return ''"),
    "tuples": ("return (1,)", "return ()"),
    "text": ("return 1", "return ''"),
    "record": ("return s.cells[0]", "return None"),
    "tuple": ("return (1, 2)", "return None"),
}
NAMES = {
    "factory": "def make(k):\n    def inner(x):\n        return x + k\n    return inner\n\n\nedge = make(3)\n",
    "factory, rebound": "def make(k):\n    def inner(x):\n        return x - k\n    k = k + 1\n    return inner\n\n\nedge = make(3)\n",
    "keyword-only": "def edge(x, *, k=3):\n    return x + k\n",
    "keyword-only, unlike a global": "def edge(x, *, step_by=3):\n    return x + step_by\n",
    "default": "def edge(x, k=3):\n    return x + k\n\n\nk = 5\n",
    "more": "def edge(x, *k):\n    return x + len(k)\n",
    "shadowed": "def abs(x):\n    return 3\n\n\ndef edge(x):\n    return abs(x)\n",
    "attribute": "class Rules:\n    k = 3\n\n    def __init__(self):\n        self.k = 4\n\n    def add(self, x):\n        return x + self.k\n\n\nedge = Rules().add\n",
    "method of a factory": "def make(k):\n    def add(self, x):\n        return x + k\n    return add\n\n\nclass Rules:\n    add = make(3)\n\n\nedge = Rules().add\n",
}
TEXTS = {
    "lambda": "edge = lambda x: x + 3\n",
    "two lambdas": "edge, other = (lambda x: x + 3), (lambda x: x - 3)\n",
    "a def and a lambda": "def other(f=lambda x: x + 3): return f\n\n\nedge = other()\n",
    "decorated by a lambda": "@(lambda f: lambda x: x + 3)\ndef edge(x):\n    return x\n",
    "decorated": "def more(f):\n    def inner(x):\n        return f(x) + 3\n    return inner\n\n\n@more\ndef edge(x):\n    return x\n",
    "wrapped": "def more(f):\n    @functools.wraps(f)\n    def inner(x):\n        return f(x) + 3\n    return inner\n\n\n@more\ndef edge(x):\n    return x\n",
    "cached": "@functools.lru_cache\ndef edge(x):\n    return x + 3\n",
    "partial": "def other(k, x):\n    return x + k\n\n\nedge = functools.partial(other, 3)\n",
    "static": "class Rules:\n    @staticmethod\n    def edge(x):\n        return x + 3\n\n\nedge = Rules.edge\n",
    "twice": "def edge(x):\n    return x\n\n\ndef edge(x):\n    return x + 3\n",
}
FLOATS = (
    "1.0",
    "(1.0, 2)",
    "(2, 0.0)",
    "numpy.int64(1)",
    "(numpy.int64(1), 2)",
    "fractions.Fraction(2)",
    "(fractions.Fraction(2), 0)",
    "0.5",
)

HELPERS = """
k = 1


def bump(s, by=1):
    s.out += by
    return s.out


def find(v, x):
    for i, y in enumerate(v):
        if y == x:
            return i
    return ABSENT


def pick(s, first):
    return s.cells[0] if first else s.cells[1]


def renew(s, i):
    s.cells[i % 2] = Cell(s.flag, s.a)
    return i


def truth(m):
    if m:
        return True
    return False


def same(m):
    return m
"""
