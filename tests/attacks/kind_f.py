"""F and G: what a field may hold, by its annotation and not its first value, and records that are not plain."""

from __future__ import annotations

from tests.attacks.models import claim


def fields(*lines, init="", up="guard(s.x < 5)\n    s.x += 1", stated="s.x < 4", of="@record"):
    """A model whose state has the given fields, beside x."""
    text = f"{of}\nclass State:\n    x: Small\n" + "".join(f"    {line}\n" for line in lines)
    text += f"\n\ndef init(scope):\n    return State(0, {init})\n" if init else "\n\ndef init(scope):\n    return State(0)\n"
    return text + f"\n\n@action()\ndef up(s, scope):\n    {up}\n" + claim(f"return {stated}")


def first(annotation, value, stated="s.x < 4", up="guard(s.x < 5)\n    s.x += 1", before=""):
    """A model whose x has an annotation and a first value."""
    return (
        f"{before}@record\nclass State:\n    x: {annotation}\n\n\ndef init(scope):\n    return State({value})\n\n\n"
        f"@action()\ndef up(s, scope):\n    {up}\n" + claim(f"return {stated}")
    )


TYPES = {
    "a number that starts as False": first("Small", "False", "s.x <= 1"),
    "a number that starts as True": first("Small", "True", "s.x <= 1"),
    "a range that starts as False": first("Annotated[int, Range(0, 5)]", "False", "s.x <= 1"),
    "an unbounded number that starts as False": first("int", "False", "s.x <= 1"),
    "a bool that starts as a number": first("bool", "0", "s.x < 1", "guard(not s.x)\n    s.x = True"),
    "a bool that becomes a number": first("bool", "False", "s.x < 2", "guard(not s.x)\n    s.x = 2"),
    "a bool that counts": first("bool", "False", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "a bool with a range": first("Annotated[bool, Range(0, 5)]", "False", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "a bool with a range that starts as a number": first("Annotated[bool, Range(0, 5)]", "0", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "any kind": first("Any", "False", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "an object": first("object", "0", "s.x < 4"),
    "a text as annotation": first("'Small'", "False", "s.x <= 1"),
    "a text inside": first("Annotated['int', Range(0, 3)]", "0", "s.x <= 5"),
    "an unknown text as annotation": first("'Nothing'", "0", "s.x < 4"),
    "an optional number": first("Optional[int]", "0", "s.x != None and s.x < 4"),
    "an optional number that starts as None": first("Optional[int]", "None", "s.x != 4", "s.x = 4"),
    "a union": first("int | bool", "0", "s.x < 4"),
    "a float": first("float", "0.0", "s.x < 1.2", "guard(s.x < 2)\n    s.x += 0.5"),
    "a number that starts as a float": first("int", "0.5", "s.x < 4"),
    "a number that starts as a whole float": first("Small", "0.0", "s.x < 4"),
    "a text": first("str", "''", "s.x != 'a'", "s.x = 'a'"),
    "a list": first("list", "[0]", "s.x[0] < 4", "guard(s.x[0] < 5)\n    s.x[0] += 1"),
    "a tuple": first("tuple", "(0, 1)", "s.x != (1, 1)", "s.x = (1, 1)"),
    "a dict": first("dict", "{}", "not s.x", "s.x[1] = 1"),
    "None": first("None", "None", "s.x == None", "s.x = None"),
    "a function": first("Any", "len", "True", "s.x = len"),
    "an enumeration": first("Colour", "Colour.RED", "s.x != Colour.BLUE", "s.x = Colour.BLUE", "@enum.unique\nclass Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 1\n\n\n"),
    "a number that starts as an enumeration": first(
        "Small", "Colour.RED", "s.x < 4", before="@enum.unique\nclass Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 1\n\n\n"
    ),
    "a number of numpy": first("Small", "numpy.int64(0)", "s.x < 4"),
    "a small number of numpy": first("int", "numpy.int8(0)", "s.x < 200 and s.x >= 0", "guard(s.x < 127)\n    s.x += 100"),
    "a bool of numpy": first("bool", "numpy.bool_(False)", "not s.x", "guard(not s.x)\n    s.x = True"),
    "a fraction": first("Small", "fractions.Fraction(0)", "s.x < 4"),
    "a subclass of int": first("Small", "Num(0)", "s.x < 4", before="class Num(int):\n    def __lt__(self, other):\n        return False\n\n\n"),
    "a subclass of int in the annotation": first("Annotated[Num, Range(0, 5)]", "Num(0)", "s.x < 4", before="class Num(int):\n    pass\n\n\n"),
    "two ranges": first("Annotated[Small, Range(0, 3)]", "0", "s.x <= 5"),
    "two ranges, the wide one last": first("Annotated[int, Range(0, 3), Range(0, 5)]", "0", "s.x <= 5"),
    "a range and an id": first("Annotated[int, Range(0, 5), Id('two')]", "0", "s.x <= 5"),
    "a range by name": first("Annotated[int, Range('none', 'high')]", "0", "s.x < 4"),
    "a range by an unknown name": first("Annotated[int, Range(0, 'most')]", "0", "s.x < 4"),
    "a range of texts": first("Annotated[int, Range('0', '5')]", "0", "s.x < 4"),
    "a range of floats": first("Annotated[int, Range(0, 3.5)]", "0", "s.x <= 5"),
    "a range of None": first("Annotated[int, Range(None, 5)]", "0", "s.x < 4"),
    "a range of bools": first("Annotated[int, Range(False, True)]", "0", "s.x < 4"),
    "a range the wrong way": first("Annotated[int, Range(5, 0)]", "0", "s.x < 4"),
    "a range without the first value": first("Annotated[int, Range(1, 5)]", "0", "s.x < 4"),
    "a range that is too narrow": first("Annotated[int, Range(0, 3)]", "0", "s.x <= 5"),
    "a range that is a class": first("Annotated[int, Range]", "0", "s.x < 4"),
    "another mark": first("Annotated[int, 'small']", "0", "s.x < 4"),
    "a huge range": first("Annotated[int, Range(0, 10**30)]", "0", "s.x < 10**29", "guard(s.x < 5)\n    s.x = s.x * 10**29 + 1"),
    "a huge constant": first("int", "0", "s.x < 2**62", "guard(s.x == 0)\n    s.x = 2**63 - 1"),
    "a number beyond 64 bits": first("int", "0", "s.x > -1", "guard(s.x < 2**70)\n    s.x = s.x * 2**40 + 2**40"),
    "an id": first("Annotated[int, Id('three')]", "ABSENT", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "an id of an unknown sort": first("Annotated[int, Id('four')]", "0", "s.x < 4"),
    "transient and read": first("Annotated[int, Range(0, 5), Transient()]", "0", "s.x < 4"),
    "ghost and read": first("Annotated[int, Range(0, 5), Ghost()]", "0", "s.x < 4"),
    "a field without annotation of its element": fields("v: Vector", init="Vector([0, False])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "elements of unlike kinds": fields("v: Vector[Small]", init="Vector([0, False])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "elements of unlike kinds, in a loop": fields("v: Vector[Small]", init="Vector([0, False])", stated="all(y < 2 for y in s.v)", up="guard(s.x < 5)\n    s.x += 1\n    s.v[s.x % 2] = s.x"),
    "a vector of bools of numbers": fields("v: Vector[bool]", init="Vector([0, 0])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "records of unlike kinds in a vector": fields(
        "v: Vector[Cell]", init="Vector([Cell(False, 0), Cell(0, False)])", stated="s.v[1].n < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1].n = s.x"
    ),
    "records of two classes in a vector": (
        "@record\nclass Pair:\n    on: bool\n    n: Annotated[int, Range(0, 1)]\n\n\n"
        + fields("v: Vector[Cell]", init="Vector([Cell(False, 0), Pair(False, 0)])", stated="all(c.n < 4 for c in s.v)", up="guard(s.x < 5)\n    s.x += 1\n    s.v[s.x % 2].n = s.x")
    ),
    "a subclass in a field": (
        "@record\nclass Pair(Cell):\n    m: Small\n\n\n"
        + fields("c: Cell", init="Pair(False, 0, 0)", stated="s.c.m < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.c.m = s.x")
    ),
    "a record declared as another": (
        "@record\nclass Pair:\n    on: bool\n    n: Annotated[int, Range(0, 1)]\n\n\n"
        + fields("c: Pair", init="Cell(False, 0)", stated="s.c.n < 9", up="guard(s.x < 5)\n    s.x += 1\n    s.c.n = s.x")
    ),
    "a subclass of the state": (
        "@record\nclass Base:\n    x: Annotated[int, Range(0, 3)]\n\n\n@record\nclass State(Base):\n    x: Small\n\n\ndef init(scope):\n    return State(0)\n" + claim("return s.x < 4")
    ),
    "a state with an inherited field": (
        "@record\nclass Base:\n    x: Annotated[int, Range(0, 3)]\n\n\n@record\nclass State(Base):\n    y: Small\n\n\ndef init(scope):\n    return State(0, 0)\n" + claim("return s.x < 9")
    ),
    "a list for a vector at first": fields("v: Vector[Small]", init="[0, 0]", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "a tuple for a vector at first": fields("v: Vector[Small]", init="(0, 0)", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "a vector in a vector": fields("v: Vector[Vector[Small]]", init="Vector([Vector([0]), Vector([0])])", stated="s.v[1][0] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1][0] = s.x"),
    "vectors of two sizes in a vector": fields("v: Vector[Vector[Small]]", init="Vector([Vector([0]), Vector([0, 0])])", stated="s.v[s.x % 2][1] < 2", up="guard(s.x < 5)\n    s.x += 1"),
    "an empty vector": fields("v: Vector[Small]", init="Vector([])", stated="any(y == 0 for y in s.v) or s.x < 4"),
    "a subclass of Vector": (
        "class Wrapped(Vector):\n    def __getitem__(self, index):\n        return list.__getitem__(self, index % len(self))\n\n\n"
        + fields("v: Wrapped", init="Wrapped([0, 1])", stated="s.v[s.x] < 1 or s.x == 1")
    ),
    "a vector per a sort of another size": fields("v: Annotated[Vector[Small], Per('three')]", init="Vector([0, 0])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "a vector per an unknown sort": fields("v: Annotated[Vector[Small], Per('four')]", init="Vector([0, 0])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"),
    "a transient inside a record": (
        "@record\nclass Cell:\n    on: bool\n    n: Annotated[int, Range(0, 5), Transient()]\n\n\n"
        + fields("c: Cell", init="Cell(False, 0)", up="guard(s.x < 5)\n    s.x += 1\n    s.y = s.c.n if s.x < 9 else 0\n    s.c.n = s.x".replace("s.y = s.c.n if s.x < 9 else 0", "s.c.on = s.c.n > 0"), stated="not s.c.on")
    ),
    "a transient at first not quiet": fields("t: Annotated[int, Range(0, 5), Transient()]", init="3", up="guard(s.x < 5 and s.t == 3)\n    s.x += 1\n    s.t = 0"),
    "one record twice in the first state": fields("c: Cell", "d: Cell", init="*[Cell(False, 0)] * 2", up="guard(s.x < 5)\n    s.x += 1\n    s.c.n = s.x", stated="s.d.n < 2"),
    "one record twice in the first vector": fields("v: Vector[Cell]", init="Vector([Cell(False, 0)] * 2)", up="guard(s.x < 5)\n    s.x += 1\n    s.v[0].n = s.x", stated="s.v[1].n < 2"),
    "the first state is a global one": (
        "def init(scope):\n    return begun\n" + claim("return s.x < 4") + "\nbegun = State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(False, 0)]))\n"
    ),
    "the first state is no record": "def init(scope):\n    return (0, 1)\n" + claim("return True"),
    "no first state": "def init(scope):\n    s = State(0, 0, False, Vector([0]), Vector([]))\n" + claim("return True"),
    "the first state changes each time": (
        "kept = []\n\n\ndef init(scope):\n    kept.append(1)\n    return State(len(kept) - 1, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(False, 0)]))\n"
        + claim("return s.x < 4")
    ),
    "the first state is a class": "def init(scope):\n    return State\n" + claim("return True"),
    "postponed annotations": "",
}
TYPES["postponed annotations"] = "# postponed\n" + first("Annotated[int, Range(0, 3)]", "0", "s.x <= 5")

CELLS = "\n\ndef init(scope):\n    return State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(True, 1)]))\n"
ENTRY = "\n\n@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n    s.cells[0].n = s.x\n    s.cells[0] = Cell(True, s.x)\n"


def cell(body, stated, of="@record", base="", more=""):
    """A model with another kind of record in its vector."""
    text = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    return f"{more}{of}\nclass Cell{base}:\n    on: bool\n    n: Small\n{text}" + CELLS + ENTRY + claim(f"return {stated}")


SLOTTED = "@dataclass(slots=True{})"
RECORDS = {
    "an equality that ignores a field": cell(
        "\ndef __eq__(self, other):\n    return self.on == other.on", "s.x == 0 or s.cells[0] != s.cells[1]"
    ),
    "an equality that is never": cell("\ndef __eq__(self, other):\n    return False", "s.x != 1 or s.cells[0] != Cell(True, 1)"),
    "an equality of its own, not equal": cell("\ndef __ne__(self, other):\n    return True", "not (s.cells[0] != s.cells[0])"),
    "a field that is not compared": cell("m: Small = field(default=0, compare=False)", "s.cells[0] != Cell(True, 1, 5) or s.x == 0"),
    "no equality": cell("", "s.cells[1] != Cell(True, 1)", SLOTTED.format(", eq=False")),
    "an order": cell("", "s.cells[0] < Cell(True, 4)", SLOTTED.format(", order=True")),
    "an order of its own": cell("\ndef __lt__(self, other):\n    return False", "s.cells[0] < s.cells[1]"),
    "an unsafe hash": cell("", "s.x < 4", SLOTTED.format(", unsafe_hash=True")),
    "keyword-only fields": cell("", "s.x < 4", SLOTTED.format(", kw_only=True")),
    "a keyword-only field": cell("m: Small = field(default=0, kw_only=True)", "s.cells[0].m == 0 and s.x < 4"),
    "a frozen record": cell("", "s.x < 4", SLOTTED.format(", frozen=True")),
    "a record without slots": cell("", "s.x < 4", "@dataclass"),
    "a record without slots that grows": cell("", "s.x < 1", "@dataclass") + "\n\ndef more(c):\n    c.m = 1\n",
    "a class that is no record": cell("\ndef __init__(self, on, n):\n    self.on, self.n = on, n", "s.x < 4", "@(lambda c: c)"),
    "after making": cell("\ndef __post_init__(self):\n    self.n = min(self.n, 2)", "s.cells[0].n < 3"),
    "after making, counted": cell("\ndef __post_init__(self):\n    self.n = self.n + 1 if self.n < 4 else self.n", "s.cells[0].n < 4"),
    "after making, refused": cell("\ndef __post_init__(self):\n    require(self.n < 4, 'q')", "s.x < 9"),
    "a setter": cell("\ndef __setattr__(self, name, value):\n    object.__setattr__(self, name, min(value, 2))", "s.cells[0].n < 3"),
    "a getter": cell("\ndef __getattribute__(self, name):\n    value = object.__getattribute__(self, name)\n    return 5 if name == 'n' else value", "s.cells[1].n < 4"),
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
    "its own __init__": cell("\ndef __init__(self, on, n):\n    self.on = on\n    self.n = min(n, 2)", "s.cells[0].n < 3", SLOTTED.format(", init=False")),
    "its own __new__": cell("\ndef __new__(cls, *args):\n    require(args[1:] < (4,), 'q')\n    return object.__new__(cls)", "s.x < 9"),
    "a default": cell("m: Small = 4", "s.cells[0].m < 4"),
    "a default factory": cell("m: Small = field(default_factory=int)", "s.cells[0].m == 0 and s.x < 4"),
    "a default factory that counts": cell("m: Small = field(default_factory=lambda: 4)", "s.cells[0].m < 4"),
    "a default vector": cell("m: Vector[Small] = field(default_factory=lambda: Vector([0]))", "s.cells[0].m[0] == 0 and s.x < 4"),
    "a field that is not made": cell("m: Small = field(default=4, init=False)", "s.cells[0].m < 4"),
    "a field only for making": cell("m: dataclasses.InitVar[int] = 0", "s.x < 4", more="import dataclasses\n\n"),
    "a class variable": cell("limit: ClassVar[int] = 4", "s.x < s.cells[0].limit"),
    "a property of a record": cell("\n@property\ndef half(self):\n    return self.n // 2", "s.cells[0].half < 2"),
    "a property with a setter": cell("\n@property\ndef m(self):\n    return self.n\n\n@m.setter\ndef m(self, value):\n    self.n = value", "s.cells[0].m < 4"),
    "a method": cell("\ndef small(self):\n    return self.n < 4", "s.cells[0].small()"),
    "a method that writes": cell("\ndef grow(self):\n    self.n = 0\n    return True", "s.cells[0].grow() and s.cells[0].n == 0 and s.x < 4"),
    "a static method": cell("\n@staticmethod\ndef small(n):\n    return n < 4", "s.cells[0].small(s.x)"),
    "a class method": cell("\n@classmethod\ndef made(cls, n):\n    return cls(True, n)", "s.cells[0] != s.cells[0].made(4)"),
    "an inherited field": cell("", "s.cells[0] != Cell(4, True, 4) or s.x == 0", base="(Base)", more="@record\nclass Base:\n    m: Small\n\n\n").replace("Cell(False, 0)", "Cell(0, False, 0)").replace("Cell(True, 1)", "Cell(1, True, 1)").replace("Cell(True, s.x)", "Cell(s.x, True, s.x)"),
    "an inherited equality": cell("", "s.x == 0 or s.cells[0] != s.cells[1]", SLOTTED.format(", eq=False"), "(Base)", "@(lambda c: c)\nclass Base:\n    __slots__ = ()\n\n    def __eq__(self, other):\n        return self.on == other.on\n\n\n"),
    "compared with a subclass": cell("", "s.cells[1] != More(True, 1)") .replace("\n\ndef init", "\n\n@record\nclass More(Cell):\n    pass\n\n\ndef init"),
    "compared with another class": cell("", "s.cells[1] == Pair(True, 1)").replace("\n\ndef init", "\n\n@record\nclass Pair:\n    on: bool\n    n: Small\n\n\ndef init"),
    "compared with a number": cell("", "s.cells[1] == 1 or s.x < 4"),
    "compared with None": cell("", "s.cells[1] != None and s.x < 4"),
    "compared with a tuple": cell("", "s.cells[1] == (True, 1)"),
    "a vector compared with a list": cell("", "s.v != [0, 0, 0]"),
    "a vector compared with a tuple": cell("", "s.v == (0, 0, 0)"),
    "a vector compared with a longer one": cell("", "s.v != Vector([0, 0, 0, 0]) and s.x < 4"),
    "vectors ordered": cell("", "s.v < Vector([0, 0, 0])"),
    "vectors added": cell("", "len(s.v + s.v) < 4"),
    "a record hashed in a set": cell("", "len({s.x, s.y}) < 2"),
    "generated methods replaced later": cell("", "s.x == 0 or s.cells[0] != s.cells[1]") + "\n\ndef same(self, other):\n    return self.on == other.on\n\n\nCell.__eq__ = same\n",
    "the state's own equality": (
        "@record\nclass State:\n    x: Small\n    y: Small\n\n    def __eq__(self, other):\n        return True\n\n\ndef init(scope):\n    return State(0, 0)\n"
        + claim("return before != s", of="step")
    ),
    "the state after making": (
        "@record\nclass State:\n    x: Small\n    y: Small\n\n    def __post_init__(self):\n        self.y = 0\n\n\ndef init(scope):\n    return State(0, 0)\n"
        "\n\n@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n    s.y += 1\n" + claim("return s.y < 2")
    ),
    "the state compared with itself before": claim("return before != s", of="step"),
}

ATTACKS = {**TYPES, **RECORDS}

LEGAL = {
    "numbers by their range": first("Annotated[int, Range(0, 5)]", "0", "s.x < 4"),
    "a negative range": first("Annotated[int, Range(-3, 3)]", "-3", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "a range by names": first("Annotated[int, Range('none', 'high')]", "0", "s.x <= 5"),
    "a range by a number and a name": first("Annotated[int, Range(ABSENT, 'high')]", "ABSENT", "s.x <= 5"),
    "an id named": first("Annotated[int, Id('three')]", "ABSENT", "s.x < 3", "guard(s.x < 2)\n    s.x += 1"),
    "an id out of its sort": first("Annotated[int, Id('three')]", "ABSENT", "s.x < 9", "guard(s.x < 3)\n    s.x += 1"),
    "a bool": first("bool", "False", "s.x != 2", "guard(not s.x)\n    s.x = True"),
    "postponed, with names": "# postponed\n" + first("Annotated[int, Range(0, 'high')]", "0", "s.x < 4"),
    "a vector in each record": (
        "@record\nclass Row:\n    ring: Annotated[Vector[Small], Per('two')]\n    on: bool\n\n\n"
        + fields("rows: Annotated[Vector[Row], Per('three')]", init="Vector(Row(Vector([0, 0]), False) for i in range(3))", up="guard(s.x < 5)\n    s.rows[s.x % 3].ring[1] = s.x\n    s.x += 1", stated="s.rows[1].ring[1] < 4")
    ),
    "records compared": fields("c: Cell", init="Cell(False, 0)", up="guard(s.x < 5)\n    s.x += 1\n    s.c = Cell(True, s.x)", stated="s.c != Cell(True, 4)"),
    "vectors compared": fields("v: Vector[Small]", init="Vector([0, 0])", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x", stated="s.v != Vector(y for y in (0, 4))"),
    "a transient step": (
        "@record\nclass Step:\n    grew: bool\n    by: Small\n\n\n"
        + fields("step: Annotated[Step, Transient()]", init="Step(False, 0)", up="guard(s.x < 5)\n    s.x += 1\n    s.step.grew = True", stated="s.x < 9")
        + claim("return s.step.grew and not before.step.grew", of="step").replace("def p", "def q")
    ),
    "a ghost that properties read": fields("seen: Annotated[int, Range(0, 5), Ghost()]", init="0", up="guard(s.x < 5)\n    s.x += 1\n    s.seen = s.x", stated="s.seen == s.x and s.x < 4"),
    "a vector per a sort": fields("v: Annotated[Vector[bool], Per('three')]", init="Vector([False] * 3)", up="guard(s.x < 3)\n    s.v[s.x] = True\n    s.x += 1", stated="sum(s.v) < 3"),
    "records with sentences": (
        '@record\nclass Pair:\n    """Two numbers."""\n\n    one: Small\n    """The one."""\n    two: Small\n\n\n'
        + fields("pair: Pair", init="Pair(0, 1)", up="guard(s.x < 5)\n    s.x += 1\n    s.pair = Pair(two=s.x, one=0)", stated="s.pair.one < s.pair.two")
    ),
}
