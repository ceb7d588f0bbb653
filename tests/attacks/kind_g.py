"""G: records that are not plain."""

from __future__ import annotations

from tests.attacks.models import BEFORE_RECORDS, claim

CELLS = (
    "\n\ndef init(scope):\n    return State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(True, 1)]))\n"
)
ENTRY = "\n\n@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n    s.cells[0].n = s.x\n    s.cells[0] = Cell(True, s.x)\n"


def cell(body, stated, of="@record", base="", more=""):
    """A model with another kind of record in its vector."""
    text = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    return (
        f"{more}{of}\nclass Cell{base}:\n    on: bool\n    n: Small\n{text}" + CELLS + ENTRY + claim(f"return {stated}")
    )


STARTED = """@record
class Cell:
    on: bool = False
    n: Small = {n}
    w: Annotated[Vector[Small], Per("two")] = {w}


@record
class State:
    x: Small = 0
    cells: Annotated[Vector[Cell], Per("three")] = {cells}


def init(scope):
    return new(State, scope)


@action()
def up(s, scope):
    guard(s.x < 5)
    s.x += 1
    s.cells[0].n = 5
    s.cells[1] = new(Cell, scope)
    s.cells[0].w[1] = s.x
"""


def started(stated, n="1", w="each(2)", cells="each(Cell)", more="", of=STARTED):
    """A model whose records start by the defaults beside their fields."""
    return more + BEFORE_RECORDS + of.format(n=n, w=w, cells=cells) + claim(f"return {stated}")


COUNTED = "TIMES = [0]\n\n\ndef counted(scope):\n    TIMES[0] += 1\n    return min(TIMES[0], 5)\n\n\n"
ONE = "ONE = Vector([0, 0])\n\n\ndef one(scope):\n    return ONE\n\n\n"

SLOTTED = "@dataclass(slots=True{})"
ATTACKS = {
    "an equality that ignores a field": cell(
        "\ndef __eq__(self, other):\n    return self.on == other.on", "s.x == 0 or s.cells[0] != s.cells[1]"
    ),
    "an equality that is never": cell(
        "\ndef __eq__(self, other):\n    return False", "s.x != 1 or s.cells[0] != Cell(True, 1)"
    ),
    "an equality of its own, not equal": cell(
        "\ndef __ne__(self, other):\n    return True", "not (s.cells[0] != s.cells[0])"
    ),
    "a field that is not compared": cell(
        "m: Small = field(default=0, compare=False)", "s.cells[0] != Cell(True, 1, 5) or s.x == 0"
    ),
    "no equality": cell("", "s.cells[1] != Cell(True, 1)", SLOTTED.format(", eq=False")),
    "an order": cell("", "s.cells[0] < Cell(True, 4)", SLOTTED.format(", order=True")),
    "an order of its own": cell("\ndef __lt__(self, other):\n    return False", "s.cells[0] < s.cells[1]"),
    "an unsafe hash": cell("", "s.x < 4", SLOTTED.format(", unsafe_hash=True")),
    "keyword-only fields": cell("", "s.x < 4", SLOTTED.format(", kw_only=True")),
    "a keyword-only field": cell("m: Small = field(default=0, kw_only=True)", "s.cells[0].m == 0 and s.x < 4"),
    "a frozen record": cell("", "s.x < 4", SLOTTED.format(", frozen=True")),
    "a record without slots": cell("", "s.x < 4", "@dataclass"),
    "a record without slots that grows": cell("", "s.x < 1", "@dataclass") + "\n\ndef more(c):\n    c.m = 1\n",
    "a class that is no record": cell(
        "\ndef __init__(self, on, n):\n    self.on, self.n = on, n", "s.x < 4", "@(lambda c: c)"
    ),
    "after making": cell("\ndef __post_init__(self):\n    self.n = min(self.n, 2)", "s.cells[0].n < 3"),
    "after making, counted": cell(
        "\ndef __post_init__(self):\n    self.n = self.n + 1 if self.n < 4 else self.n", "s.cells[0].n < 4"
    ),
    "after making, refused": cell("\ndef __post_init__(self):\n    require(self.n < 4, 'q')", "s.x < 9"),
    "a setter": cell(
        "\ndef __setattr__(self, name, value):\n    object.__setattr__(self, name, min(value, 2))", "s.cells[0].n < 3"
    ),
    "a getter": cell(
        "\ndef __getattribute__(self, name):\n    value = object.__getattribute__(self, name)\n    return 5 if name == 'n' else value",
        "s.cells[1].n < 4",
    ),
    "a truth": cell("\ndef __bool__(self):\n    return self.n < 4", "bool(s.cells[0])"),
    "a truth in a condition": cell("\ndef __bool__(self):\n    return self.n < 4", "True if s.cells[0] else False"),
    "a truth in any": cell("\ndef __bool__(self):\n    return self.n < 4", "any(c for c in (s.cells[0],))"),
    "a length": cell("\ndef __len__(self):\n    return 5 - self.n", "len(s.cells[0]) > 1"),
    "a length's truth": cell("\ndef __len__(self):\n    return 5 - self.n", "not not s.cells[0]"),
    "an iterator": cell("\ndef __iter__(self):\n    return iter((self.n,))", "all(y < 4 for y in s.cells[0])"),
    "an index": cell("\ndef __getitem__(self, index):\n    return self.n", "s.cells[0][0] < 4"),
    "contains": cell("\ndef __contains__(self, value):\n    return self.n == value", "4 not in s.cells[0]"),
    "a sum": cell("\ndef __add__(self, other):\n    return self.n + other", "s.cells[0] + 1 < 5"),
    "a number": cell("\ndef __int__(self):\n    return self.n", "int(s.cells[0]) < 4"),
    "an index number": cell("\ndef __index__(self):\n    return self.n", "s.v[s.cells[1]] == 0 and s.x < 4"),
    "called": cell("\ndef __call__(self):\n    return self.n", "s.cells[0]() < 4"),
    "its own __init__": cell(
        "\ndef __init__(self, on, n):\n    self.on = on\n    self.n = min(n, 2)",
        "s.cells[0].n < 3",
        SLOTTED.format(", init=False"),
    ),
    "its own __new__": cell(
        "\ndef __new__(cls, *args):\n    require(args[1:] < (4,), 'q')\n    return object.__new__(cls)", "s.x < 9"
    ),
    "a default": cell("m: Small = 4", "s.cells[0].m < 4"),
    "a default factory": cell("m: Small = field(default_factory=int)", "s.cells[0].m == 0 and s.x < 4"),
    "a default factory that counts": cell("m: Small = field(default_factory=lambda: 4)", "s.cells[0].m < 4"),
    "a default vector": cell(
        "m: Vector[Small] = field(default_factory=lambda: Vector([0]))", "s.cells[0].m[0] == 0 and s.x < 4"
    ),
    "a field that is not made": cell("m: Small = field(default=4, init=False)", "s.cells[0].m < 4"),
    "a field only for making": cell("m: dataclasses.InitVar[int] = 0", "s.x < 4", more="import dataclasses\n\n"),
    "a class variable": cell("limit: ClassVar[int] = 4", "s.x < s.cells[0].limit"),
    "a property of a record": cell("\n@property\ndef half(self):\n    return self.n // 2", "s.cells[0].half < 2"),
    "a property with a setter": cell(
        "\n@property\ndef m(self):\n    return self.n\n\n@m.setter\ndef m(self, value):\n    self.n = value",
        "s.cells[0].m < 4",
    ),
    "a method": cell("\ndef small(self):\n    return self.n < 4", "s.cells[0].small()"),
    "a method that writes": cell(
        "\ndef grow(self):\n    self.n = 0\n    return True", "s.cells[0].grow() and s.cells[0].n == 0 and s.x < 4"
    ),
    "a static method": cell("\n@staticmethod\ndef small(n):\n    return n < 4", "s.cells[0].small(s.x)"),
    "a class method": cell(
        "\n@classmethod\ndef made(cls, n):\n    return cls(True, n)", "s.cells[0] != s.cells[0].made(4)"
    ),
    "an inherited field": cell(
        "", "s.cells[0] != Cell(4, True, 4) or s.x == 0", base="(Base)", more="@record\nclass Base:\n    m: Small\n\n\n"
    )
    .replace("Cell(False, 0)", "Cell(0, False, 0)")
    .replace("Cell(True, 1)", "Cell(1, True, 1)")
    .replace("Cell(True, s.x)", "Cell(s.x, True, s.x)"),
    "an inherited equality": cell(
        "",
        "s.x == 0 or s.cells[0] != s.cells[1]",
        SLOTTED.format(", eq=False"),
        "(Base)",
        "@(lambda c: c)\nclass Base:\n    __slots__ = ()\n\n    def __eq__(self, other):\n        return self.on == other.on\n\n\n",
    ),
    "compared with a subclass": cell("", "s.cells[1] != More(True, 1)").replace(
        "\n\ndef init", "\n\n@record\nclass More(Cell):\n    pass\n\n\ndef init"
    ),
    "compared with another class": cell("", "s.cells[1] == Pair(True, 1)").replace(
        "\n\ndef init", "\n\n@record\nclass Pair:\n    on: bool\n    n: Small\n\n\ndef init"
    ),
    "compared with a number": cell("", "s.cells[1] == 1 or s.x < 4"),
    "compared with None": cell("", "s.cells[1] != None and s.x < 4"),
    "compared with a tuple": cell("", "s.cells[1] == (True, 1)"),
    "a vector compared with a list": cell("", "s.v != [0, 0, 0]"),
    "a vector compared with a tuple": cell("", "s.v == (0, 0, 0)"),
    "a vector compared with a longer one": cell("", "s.v != Vector([0, 0, 0, 0]) and s.x < 4"),
    "vectors ordered": cell("", "s.v < Vector([0, 0, 0])"),
    "vectors added": cell("", "len(s.v + s.v) < 4"),
    "a record hashed in a set": cell("", "len({s.x, s.y}) < 2"),
    "generated methods replaced later": cell("", "s.x == 0 or s.cells[0] != s.cells[1]")
    + "\n\ndef same(self, other):\n    return self.on == other.on\n\n\nCell.__eq__ = same\n",
    "the state's own equality": (
        "@record\nclass State:\n    x: Small\n    y: Small\n\n    def __eq__(self, other):\n        return True\n\n\ndef init(scope):\n    return State(0, 0)\n"
        + claim("return before != s", of="step")
    ),
    "the state after making": (
        "@record\nclass State:\n    x: Small\n    y: Small\n\n    def __post_init__(self):\n        self.y = 0\n\n\ndef init(scope):\n    return State(0, 0)\n"
        "\n\n@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n    s.y += 1\n" + claim("return s.y < 2")
    ),
    "the state compared with itself before": claim("return before != s", of="step"),
    "a start that is wrong": started("s.cells[1] != new(Cell, scope)"),
    "a start outside its range": started("s.x < 4", n="6"),
    "a start that is no number": started("s.cells[1].n < 4", n="by_scope(Cell)"),
    "a start of another kind": started("s.x < 4", w="each(Cell)"),
    "a start that counts": started("s.cells[1].n < 4", n="by_scope(counted)", more=COUNTED),
    "a start from outside": started("s.cells[1].w[1] == 0", w="by_scope(one)", more=ONE),
    "a start by a builtin": started("s.x < 4", n="by_scope(repr)"),
    "a start that may end": started(
        "s.x < 4", n="by_scope(half)", more="def half(scope):\n    if scope.high < 4:\n        return 1\n\n\n"
    ),
    "a start without a def": started("s.cells[1].n == 5", n="by_scope(lambda scope: scope.high)"),
    "a start that guards": started(
        "s.x < 4", n="by_scope(never)", more="def never(scope):\n    guard(scope.high < 5)\n    return 1\n\n\n"
    ),
    "a start of a half": started("s.cells[1].n < 4", n="by_scope(lambda scope: scope.high / 2)"),
    "a start that is a fraction": started("s.x < 4", w="each(1.5)"),
    "a start as an enumeration": started(
        "s.cells[1].w[0] < 2", w="each(Kind.B)", more="class Kind(enum.IntEnum):\n    B = 2\n\n\n"
    ),
    "a start that is a vector": started("s.x < 4", w="each(Vector([0]))"),
    "a start of vectors in one": started("s.x < 4", w="each(by_scope(Cell))"),
    "a count that the scope has not": started("s.x < 4", w='each(2, "four")'),
    "a count of another sort": started("s.cells[1].w[2] < 4", w='each(2, "three")'),
    "a count that is true": started("s.x < 4", w='each(2, "yes")', more="Scope.yes = True\n\n\n"),
    "a count of none": started("len(s.cells[1].w) > 0", w='each(2, "none")'),
    "a count that counts": started(
        "s.x < 4",
        w='each(2, "more")',
        more=COUNTED + "Scope.more = property(counted)\n\n\n",
    ),
    "a vector of no sort": started("s.x < 4", w="each(2)").replace(
        'w: Annotated[Vector[Small], Per("two")]', "w: Vector[Small]"
    ),
    "a start without a scope": started("Cell() != s.cells[0]"),
    "a start by a number": started("new(Cell, 2) != s.cells[0]"),
    "a start by the state": started("new(Cell, s) != s.cells[0]"),
    "a start by a cell": started("new(Cell, s.cells[0]) != s.cells[0]"),
    "a start of no record": started("new(Scope, scope).two == 2 and s.x < 4"),
    "a start of a number": started("new(s.x, scope) == 0"),
    "a start of nothing": started("new() == 0"),
    "a start of a record without defaults": started(
        "new(Pair, scope) == new(Pair, scope)", more="@record\nclass Pair:\n    a: Small\n    b: Small = 0\n\n\n"
    ),
    "a default before none": started("s.x < 4").replace("    n: Small = 1\n", "    n: Small\n"),
    "a start that is each other": started("s.x < 4", n="each(0)"),
    "a start of itself": started("s.x < 4", n="by_scope(State)"),
    "a start made by hand": started("s.cells[1].w[0] < 2", w="field(default_factory=Start(2, True))").replace(
        "@record", "from spec.language import Start\n\n\n@record", 1
    ),
    "a start made by hand, of another class": started(
        "s.cells[1].w[0] < 2",
        w="field(default_factory=Start(2, True))",
        more="import spec.language\n\n\nclass Start(spec.language.Start):\n    value = 3\n\n\n",
    ),
    "a start used twice": started("s.cells[1] != s.cells[2] or s.x == 0").replace(
        "s.cells[1] = new(Cell, scope)", "one = new(Cell, scope)\n    s.cells[1] = one\n    s.cells[2] = one"
    ),
    "new under another name": started("fresh(Cell, scope) != s.cells[1]", more="fresh = new\n\n\n"),
}

LEGAL = {
    "a record with a sentence": cell('"""A cell."""', "s.cells[0] != Cell(True, 4)"),
    "a record of records": (
        "@record\nclass Inner:\n    n: Small\n\n\n@record\nclass Pair:\n    one: Inner\n    two: Inner\n\n\n"
        + claim("return Pair(Inner(s.x), Inner(4)) != Pair(Inner(4), Inner(4))")
    ),
    "records that start by the scope": started("s.cells[1] == new(Cell, scope) and s.cells[1].w[0] == 2"),
    "a start by a function of the scope": started(
        "s.cells[1].n == 3", n="by_scope(third)", more="def third(scope):\n    return scope.three\n\n\n"
    ),
    "a start within a start": started("s.cells[2].w == s.cells[1].w and s.x < 5"),
    "a start with another count": started("len(s.cells[1].w) == 2 and s.x < 3", w='each(2, "two")'),
    "a start in words": started("new(cls=Cell, scope=scope) == s.cells[1] or s.x == 0"),
    "records compared": cell("", "s.cells[0] == s.cells[1] or s.x != 1"),
}
