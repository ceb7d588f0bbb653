"""F: what a field may hold, by its annotation and not its first value."""

from __future__ import annotations

from tests.attacks.models import claim


def fields(*lines, init="", up="guard(s.x < 5)\n    s.x += 1", stated="s.x < 4", of="@record"):
    """A model whose state has the given fields, beside x."""
    text = f"{of}\nclass State:\n    x: Small\n" + "".join(f"    {line}\n" for line in lines)
    text += (
        f"\n\ndef init(scope):\n    return State(0, {init})\n"
        if init
        else "\n\ndef init(scope):\n    return State(0)\n"
    )
    return text + f"\n\n@action()\ndef up(s, scope):\n    {up}\n" + claim(f"return {stated}")


def first(annotation, value, stated="s.x < 4", up="guard(s.x < 5)\n    s.x += 1", before=""):
    """A model whose x has an annotation and a first value."""
    return (
        f"{before}@record\nclass State:\n    x: {annotation}\n\n\ndef init(scope):\n    return State({value})\n\n\n"
        f"@action()\ndef up(s, scope):\n    {up}\n" + claim(f"return {stated}")
    )


ATTACKS = {
    "a number that starts as False": first("Small", "False", "s.x <= 1"),
    "a number that starts as True": first("Small", "True", "s.x <= 1"),
    "a range that starts as False": first("Annotated[int, Range(0, 5)]", "False", "s.x <= 1"),
    "an unbounded number that starts as False": first("int", "False", "s.x <= 1"),
    "a bool that starts as a number": first("bool", "0", "s.x < 1", "guard(not s.x)\n    s.x = True"),
    "a bool that becomes a number": first("bool", "False", "s.x < 2", "guard(not s.x)\n    s.x = 2"),
    "a bool that counts": first("bool", "False", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "a bool with a range": first("Annotated[bool, Range(0, 5)]", "False", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "a bool with a range that starts as a number": first(
        "Annotated[bool, Range(0, 5)]", "0", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"
    ),
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
    "an enumeration": first(
        "Colour",
        "Colour.RED",
        "s.x != Colour.BLUE",
        "s.x = Colour.BLUE",
        "@enum.unique\nclass Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 1\n\n\n",
    ),
    "a number that starts as an enumeration": first(
        "Small",
        "Colour.RED",
        "s.x < 4",
        before="@enum.unique\nclass Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 1\n\n\n",
    ),
    "a number of numpy": first("Small", "numpy.int64(0)", "s.x < 4"),
    "a small number of numpy": first(
        "int", "numpy.int8(0)", "s.x < 200 and s.x >= 0", "guard(s.x < 127)\n    s.x += 100"
    ),
    "a bool of numpy": first("bool", "numpy.bool_(False)", "not s.x", "guard(not s.x)\n    s.x = True"),
    "a fraction": first("Small", "fractions.Fraction(0)", "s.x < 4"),
    "a subclass of int": first(
        "Small", "Num(0)", "s.x < 4", before="class Num(int):\n    def __lt__(self, other):\n        return False\n\n\n"
    ),
    "a subclass of int in the annotation": first(
        "Annotated[Num, Range(0, 5)]", "Num(0)", "s.x < 4", before="class Num(int):\n    pass\n\n\n"
    ),
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
    "a huge range": first(
        "Annotated[int, Range(0, 10**30)]", "0", "s.x < 10**29", "guard(s.x < 5)\n    s.x = s.x * 10**29 + 1"
    ),
    "a huge constant": first("int", "0", "s.x < 2**62", "guard(s.x == 0)\n    s.x = 2**63 - 1"),
    "a number beyond 64 bits": first("int", "0", "s.x > -1", "guard(s.x < 2**70)\n    s.x = s.x * 2**40 + 2**40"),
    "an id": first("Annotated[int, Id('three')]", "ABSENT", "s.x < 2", "guard(s.x < 3)\n    s.x += 1"),
    "an id of an unknown sort": first("Annotated[int, Id('four')]", "0", "s.x < 4"),
    "transient and read": first("Annotated[int, Range(0, 5), Transient()]", "0", "s.x < 4"),
    "ghost and read": first("Annotated[int, Range(0, 5), Ghost()]", "0", "s.x < 4"),
    "a field without annotation of its element": fields(
        "v: Vector", init="Vector([0, False])", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"
    ),
    "elements of unlike kinds": fields(
        "v: Vector[Small]",
        init="Vector([0, False])",
        stated="s.v[1] < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x",
    ),
    "elements of unlike kinds, in a loop": fields(
        "v: Vector[Small]",
        init="Vector([0, False])",
        stated="all(y < 2 for y in s.v)",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[s.x % 2] = s.x",
    ),
    "a vector of bools of numbers": fields(
        "v: Vector[bool]",
        init="Vector([0, 0])",
        stated="s.v[1] < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x",
    ),
    "records of unlike kinds in a vector": fields(
        "v: Vector[Cell]",
        init="Vector([Cell(False, 0), Cell(0, False)])",
        stated="s.v[1].n < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1].n = s.x",
    ),
    "records of two classes in a vector": (
        "@record\nclass Pair:\n    on: bool\n    n: Annotated[int, Range(0, 1)]\n\n\n"
        + fields(
            "v: Vector[Cell]",
            init="Vector([Cell(False, 0), Pair(False, 0)])",
            stated="all(c.n < 4 for c in s.v)",
            up="guard(s.x < 5)\n    s.x += 1\n    s.v[s.x % 2].n = s.x",
        )
    ),
    "a subclass in a field": (
        "@record\nclass Pair(Cell):\n    m: Small\n\n\n"
        + fields(
            "c: Cell", init="Pair(False, 0, 0)", stated="s.c.m < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.c.m = s.x"
        )
    ),
    "a record declared as another": (
        "@record\nclass Pair:\n    on: bool\n    n: Annotated[int, Range(0, 1)]\n\n\n"
        + fields(
            "c: Pair", init="Cell(False, 0)", stated="s.c.n < 9", up="guard(s.x < 5)\n    s.x += 1\n    s.c.n = s.x"
        )
    ),
    "a subclass of the state": (
        "@record\nclass Base:\n    x: Annotated[int, Range(0, 3)]\n\n\n@record\nclass State(Base):\n    x: Small\n\n\ndef init(scope):\n    return State(0)\n"
        + claim("return s.x < 4")
    ),
    "a state with an inherited field": (
        "@record\nclass Base:\n    x: Annotated[int, Range(0, 3)]\n\n\n@record\nclass State(Base):\n    y: Small\n\n\ndef init(scope):\n    return State(0, 0)\n"
        + claim("return s.x < 9")
    ),
    "a list for a vector at first": fields(
        "v: Vector[Small]", init="[0, 0]", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"
    ),
    "a tuple for a vector at first": fields(
        "v: Vector[Small]", init="(0, 0)", stated="s.v[1] < 2", up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x"
    ),
    "a vector in a vector": fields(
        "v: Vector[Vector[Small]]",
        init="Vector([Vector([0]), Vector([0])])",
        stated="s.v[1][0] < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1][0] = s.x",
    ),
    "vectors of two sizes in a vector": fields(
        "v: Vector[Vector[Small]]",
        init="Vector([Vector([0]), Vector([0, 0])])",
        stated="s.v[s.x % 2][1] < 2",
        up="guard(s.x < 5)\n    s.x += 1",
    ),
    "an empty vector": fields("v: Vector[Small]", init="Vector([])", stated="any(y == 0 for y in s.v) or s.x < 4"),
    "a subclass of Vector": (
        "class Wrapped(Vector):\n    def __getitem__(self, index):\n        return list.__getitem__(self, index % len(self))\n\n\n"
        + fields("v: Wrapped", init="Wrapped([0, 1])", stated="s.v[s.x] < 1 or s.x == 1")
    ),
    "a vector per a sort of another size": fields(
        "v: Annotated[Vector[Small], Per('three')]",
        init="Vector([0, 0])",
        stated="s.v[1] < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x",
    ),
    "a vector per an unknown sort": fields(
        "v: Annotated[Vector[Small], Per('four')]",
        init="Vector([0, 0])",
        stated="s.v[1] < 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x",
    ),
    "a transient inside a record": (
        "@record\nclass Cell:\n    on: bool\n    n: Annotated[int, Range(0, 5), Transient()]\n\n\n"
        + fields(
            "c: Cell",
            init="Cell(False, 0)",
            up="guard(s.x < 5)\n    s.x += 1\n    s.y = s.c.n if s.x < 9 else 0\n    s.c.n = s.x".replace(
                "s.y = s.c.n if s.x < 9 else 0", "s.c.on = s.c.n > 0"
            ),
            stated="not s.c.on",
        )
    ),
    "a transient at first not quiet": fields(
        "t: Annotated[int, Range(0, 5), Transient()]",
        init="3",
        up="guard(s.x < 5 and s.t == 3)\n    s.x += 1\n    s.t = 0",
    ),
    "one record twice in the first state": fields(
        "c: Cell",
        "d: Cell",
        init="*[Cell(False, 0)] * 2",
        up="guard(s.x < 5)\n    s.x += 1\n    s.c.n = s.x",
        stated="s.d.n < 2",
    ),
    "one record twice in the first vector": fields(
        "v: Vector[Cell]",
        init="Vector([Cell(False, 0)] * 2)",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[0].n = s.x",
        stated="s.v[1].n < 2",
    ),
    "the first state is a global one": (
        "def init(scope):\n    return begun\n"
        + claim("return s.x < 4")
        + "\nbegun = State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(False, 0)]))\n"
    ),
    "the first state is no record": "def init(scope):\n    return (0, 1)\n" + claim("return True"),
    "no first state": "def init(scope):\n    s = State(0, 0, False, Vector([0]), Vector([]))\n" + claim("return True"),
    "the first state changes each time": (
        "kept = []\n\n\ndef init(scope):\n    kept.append(1)\n    return State(len(kept) - 1, 0, False, Vector([0, 0, 0]), Vector([Cell(False, 0), Cell(False, 0)]))\n"
        + claim("return s.x < 4")
    ),
    "the first state is a class": "def init(scope):\n    return State\n" + claim("return True"),
    "postponed annotations": "# postponed\n" + first("Annotated[int, Range(0, 3)]", "0", "s.x <= 5"),
}

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
        + fields(
            "rows: Annotated[Vector[Row], Per('three')]",
            init="Vector(Row(Vector([0, 0]), False) for i in range(3))",
            up="guard(s.x < 5)\n    s.rows[s.x % 3].ring[1] = s.x\n    s.x += 1",
            stated="s.rows[1].ring[1] < 4",
        )
    ),
    "records compared": fields(
        "c: Cell",
        init="Cell(False, 0)",
        up="guard(s.x < 5)\n    s.x += 1\n    s.c = Cell(True, s.x)",
        stated="s.c != Cell(True, 4)",
    ),
    "vectors compared": fields(
        "v: Vector[Small]",
        init="Vector([0, 0])",
        up="guard(s.x < 5)\n    s.x += 1\n    s.v[1] = s.x",
        stated="s.v != Vector(y for y in (0, 4))",
    ),
    "a transient step": (
        "@record\nclass Step:\n    grew: bool\n    by: Small\n\n\n"
        + fields(
            "step: Annotated[Step, Transient()]",
            init="Step(False, 0)",
            up="guard(s.x < 5)\n    s.x += 1\n    s.step.grew = True",
            stated="s.x < 9",
        )
        + claim("return s.step.grew and before.x < 9", of="step").replace("def p", "def q")
    ),
    "a ghost that properties read": fields(
        "seen: Annotated[int, Range(0, 5), Ghost()]",
        init="0",
        up="guard(s.x < 5)\n    s.x += 1\n    s.seen = s.x",
        stated="s.seen == s.x and s.x < 4",
    ),
    "a vector per a sort": fields(
        "v: Annotated[Vector[bool], Per('three')]",
        init="Vector([False] * 3)",
        up="guard(s.x < 3)\n    s.v[s.x] = True\n    s.x += 1",
        stated="sum(s.v) < 3",
    ),
    "records with sentences": (
        '@record\nclass Pair:\n    """Two numbers."""\n\n    one: Small\n    """The one."""\n    two: Small\n\n\n'
        + fields(
            "pair: Pair",
            init="Pair(0, 1)",
            up="guard(s.x < 5)\n    s.x += 1\n    s.pair = Pair(two=s.x, one=0)",
            stated="s.pair.one < s.pair.two",
        )
    ),
}
