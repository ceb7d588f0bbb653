"""Random programs of the subset and its edges, each a module's text: the same seed, the same program.

A program has records, helpers, an action and two properties. What a walk reads easily is drawn freely; what is on the
edge of the subset (`EDGES`, by the kind of mistake that it invites) is drawn a few times in a program, or in many
nothing would be read at all.
"""

from __future__ import annotations

import random
from collections import Counter

from tests.attacks.edges import CELLS, FIELDS, FLOATS, HELPERS, MIXED, NAMES, PROPERTIES, TEXTS
from tests.attacks.models import HEADER, SCOPE

EDGES = "ABCDEFGHI"
SIMPLE = (
    "if",
    "elif",
    "return",
    "continue",
    "for",
    "enumerate",
    "zip",
    "reversed",
    "generator",
    "chain",
    "copy",
    "record",
)


class Writer:
    """Writes one program."""

    def __init__(self, seed, kinds=EDGES, risk=None):
        self.dice = random.Random(seed)
        risk = self.dice.choice((0, 0, 1, 2)) if risk is None else risk
        # Each kind of edge that is drawn is gone to up to three times.
        self.left = dict.fromkeys(self.dice.sample(sorted(kinds), min(risk, len(kinds))), 3)
        self.covered = Counter()
        self.lines = []
        self.numbers, self.truths, self.cells, self.tuples = [], [], [], []
        self.fresh = 0
        self.stating = False

    def pick(self, *options):
        return self.dice.choice(options)

    def meet(self, construct, text):
        self.covered[construct] += 1
        return text

    def edge(self, kind, chance=0.25):
        """Whether to go to an edge now; each time it gets less likely to go on."""
        if self.left.get(kind) and self.dice.random() < chance:
            self.left[kind] -= 1
            self.covered[kind] += 1
            return True
        return False

    def chosen(self, kind, table):
        """An entry of a table: the plain one, called "", or one on the edge."""
        if self.edge(kind, 1.0):
            return self.pick(*[text for name, text in table.items() if name])
        return table.get("", "")

    def name(self, letter):
        self.fresh += 1
        return f"{letter}{self.fresh}"

    # Expressions.

    def number(self, depth):
        if depth > 0 and self.has_edge and self.dice.random() < 0.12:
            return f"edge({self.number(depth - 1)})"
        simple = [
            lambda: str(self.pick(0, 1, 2, 3, -1, -2)),
            lambda: self.pick("s.a", "s.b", "s.out", "scope.two", "k"),
            lambda: f"s.v[{self.index(3)}]",
            lambda: f"{self.cell(0)}.n",
            lambda: self.pick(*self.numbers) if self.numbers else "s.a",
        ]
        n, t = self.number, self.truth
        deep = [
            lambda: f"({n(depth - 1)} {self.pick('+', '-', '*')} {n(depth - 1)})",
            lambda: f"({n(depth - 1)} {self.pick('//', '%')} {self.pick(1, 2, 3)})",
            lambda: f"({n(depth - 1)} if {t(depth - 1)} else {n(depth - 1)})",
            lambda: f"{self.pick('min', 'max')}({n(depth - 1)}, {n(depth - 1)})",
            lambda: f"sum({self.generator(depth, self.number)})",
            lambda: f"({t(depth - 1)} + {n(depth - 1)})",
            lambda: "len(s.v)" if self.stating else f"bump(s, by={self.pick(1, -1)})",
            lambda: f"({n(depth - 1)} {self.pick('and', 'or')} {n(depth - 1)})",
            lambda: f"find(s.v, {n(depth - 1)})",
            lambda: f"({n(depth - 1)}, {n(depth - 1)})[{t(0)} + 0]",
        ]
        if self.has_helper:
            deep.append(lambda: f"helped(s, {n(depth - 1)}{self.pick('', ', ' + n(0), ', b=' + n(0))})")
        return self.pick(*simple, *(deep if depth > 0 else []))()

    def index(self, size):
        return self.pick(str(self.dice.randrange(size)), f"{self.number(0)} % {size}", self.number(0))

    def cell(self, depth):
        options = [lambda: f"s.cells[{self.index(2)}]", lambda: self.pick(*self.cells) if self.cells else "s.cells[0]"]
        if depth > 0:
            options.append(lambda: f"pick(s, {self.truth(depth - 1)})")
            options.append(lambda: f"({self.cell(0)} if {self.truth(depth - 1)} else {self.cell(0)})")
        if self.tuples and self.dice.random() < 0.7:
            return f"{self.pick(*self.tuples)}[0]"
        return self.pick(*options)()

    def truth(self, depth):
        n, t = self.number, self.truth
        if depth > 0 and self.edge("A"):
            return self.consumed("maybe(s)")
        if depth > 0 and self.edge("I"):
            return self.beside_a_float(depth)
        simple = [
            lambda: self.pick("s.flag", "True", "False", *self.truths),
            lambda: f"{self.cell(0)}.on",
            lambda: f"({n(0)} {self.compare()} {n(0)})",
        ]
        deep = [
            lambda: f"({n(depth - 1)} {self.compare()} {n(depth - 1)})",
            lambda: self.meet("chain", f"({n(depth - 1)} {self.compare()} {n(0)} {self.compare()} {n(depth - 1)})"),
            lambda: f"({t(depth - 1)} {self.pick('and', 'or')} {t(depth - 1)})",
            lambda: f"(not {t(depth - 1)})",
            lambda: f"{self.pick('any', 'all')}({self.generator(depth, self.truth)})",
            lambda: f"({n(depth - 1)} {self.pick('in', 'not in')} ({n(0)}, {n(0)}))",
            lambda: f"({n(depth - 1)} in range({self.pick(0, 2)}, {self.pick(3, 4)}))",
            lambda: f"({self.cell(1)} {self.pick('==', '!=')} {self.pick(self.cell(0), self.new())})",
            lambda: f"(({n(0)}, {t(0)}) == ({n(0)}, {n(0)}))",
            lambda: f"bool({n(depth - 1)})",
            lambda: f"('{self.pick('a', 'b')}' == '{self.pick('a', 'b')}')",
        ]
        return self.pick(*simple, *(deep if depth > 0 else []))()

    def consumed(self, mixed):
        """A truth made of a value that may be of two kinds."""
        m = mixed
        return self.pick(
            f"bool({m})", f"(not {m})", f"truth({m})", f"bool({m} and True)", f"bool({m} or False)", f"any((False, {m}))",
            f"all((True, {m}))", f"any(y for y in (False, {m}))", f"({m} == 1)", f"({m} != None)", f"({m} is None)",
            f"({m} in (1, 'a', (1,), (1, 2)))", f"(True if {m} else False)", f"((1, {m}) == (1, 1))", f"bool(same({m}))",
            f"({m} not in (None, '', ()))", f"any(True for y in (1,) if {m})", f"bool(({m}, 1)[0])",
        )  # fmt: skip

    def beside_a_float(self, depth):
        n = self.number(depth - 1)
        plain = self.pick(f"({n} {self.pick('==', '!=')} half[0])", f"({n} {self.pick('in', 'not in')} half)")
        return self.pick(
            plain, f"(({n}, 1) == (half[0], 1))", f"({n} in (half[0], 3))", f"(({n},) in (half, (half[0],)))"
        )

    def compare(self):
        return self.pick("<", "<=", ">", ">=", "==", "!=")

    def new(self):
        return self.meet("record", f"Cell({self.truth(0)}, {self.number(0)})")

    def generator(self, depth, element):
        """A generator's inside; its name may be one of the locals, which it leaves alone."""
        name = self.pick("g", *self.numbers)
        source = self.pick("s.v", "range(3)", "(s.a, s.b)", "(1, s.flag)")
        if self.edge("E"):
            source = "reversed(s.v)"
        numbers, self.numbers = self.numbers, [*self.numbers, name]
        text = f"{element(depth - 1)} for {name} in {source}"
        if self.dice.random() < 0.5:
            text += f" if {self.truth(depth - 1)}"
        self.numbers = numbers
        return self.meet("generator", text)

    # Statements.

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def block(self, indent, size, depth, loop=False, ends=()):
        saved = [list(names) for names in (self.numbers, self.truths, self.cells, self.tuples)]
        for _ in range(self.dice.randint(1, size)):
            self.statement(indent, depth, loop, ends)
        self.numbers, self.truths, self.cells, self.tuples = saved

    def statement(self, indent, depth, loop, ends):
        kinds = [self.write, self.write, self.augment, self.local, self.local, self.replaced, self.rule, self.changed]
        if depth > 0:
            kinds += [self.branch] * 3 + [self.each] * 2
        if indent > 1:
            kinds += [self.leave] * 2
        if self.edge("D", 0.5):
            self.aliased(indent, depth)
        if depth > 0 and "E" in self.left and self.dice.random() < 0.4:
            self.each(indent, depth, loop, ends)
        self.pick(*kinds)(indent, depth, loop, ends)

    def target(self):
        return self.pick("s.a", "s.b", "s.out", f"s.v[{self.index(3)}]", f"{self.cell(0)}.n", *self.numbers)

    def write(self, indent, depth, loop, ends):
        if self.dice.random() < 0.25:
            self.line(indent, f"{self.pick('s.flag', self.cell(0) + '.on', *self.truths)} = {self.truth(2)}")
        else:
            self.line(indent, f"{self.target()} = {self.number(2)}")

    def augment(self, indent, depth, loop, ends):
        self.line(indent, f"{self.target()} {self.pick('+=', '-=')} {self.number(1)}")

    def local(self, indent, depth, loop, ends):
        name = self.name("x")
        kind, text = self.pick(
            (self.numbers, self.number),
            (self.truths, self.truth),
            (self.cells, self.cell),
            (self.cells, lambda d: self.new()),
        )
        self.line(indent, f"{name} = {text(2)}")
        kind.append(name)

    def replaced(self, indent, depth, loop, ends):
        """A place of the state gets another record; names of what stood there are not used again."""
        self.line(
            indent,
            self.pick(
                f"s.cells[{self.index(2)}] = {self.new()}",
                self.meet("copy", f"s.cells[{self.index(2)}] = copy({self.cell(1)})"),
                f"s.v = Vector({self.number(1)} for g in range(3))",
                "s.cells[0], s.cells[1] = copy(s.cells[1]), copy(s.cells[0])",
                f"renew(s, {self.number(0)})",
                f"s.v[0], s.v[{self.index(3)}] = s.v[{self.index(3)}], s.v[0]",
            ),
        )
        self.cells.clear()

    def changed(self, indent, depth, loop, ends):
        self.line(indent, self.pick("bump(s)", "bump(s, -1)", f"{self.cell(1)}.n += bump(s, by=0)"))

    def aliased(self, indent, depth):
        """A second name for a part of the state, which is replaced before the name is used."""
        name = self.name("t")
        first = self.pick("s.cells[0]", "s.cells[1]", "pick(s, True)", "same(s.cells[0])")
        kept = self.pick(f"({first}, 1)", f"({first}, s.cells[1])", f"(({first},) * 2)")
        self.line(indent, f"{name} = {kept}")
        self.line(
            indent, self.pick(f"s.cells[0] = {self.new()}", "renew(s, 0)", "s.cells = Vector(copy(c) for c in s.cells)")
        )
        self.line(
            indent, self.pick(f"s.out = {name}[0].n", f"{name}[0].n = 3", f"s.flag = {name}[0] == s.cells[0]", "pass")
        )
        self.tuples.append(name)

    def rule(self, indent, depth, loop, ends):
        # Mostly true, or no program gets far.
        loose = f"{self.truth(1)} or {self.number(0)} != {self.pick(0, 1, 2)}"
        self.line(indent, self.pick(f"guard({loose})", f"require({loose}, '{self.pick('r1', 'r2')}')"))

    def leave(self, indent, depth, loop, ends):
        self.line(indent, f"if {self.truth(1)}:")
        way = self.pick("return", "continue") if loop else "return"
        end = f"return {self.number(1)}" if ends and way == "return" else way
        self.line(indent + 1, self.meet(way, end))

    def branch(self, indent, depth, loop, ends):
        self.line(indent, self.meet("if", f"if {self.truth(2)}:"))
        self.block(indent + 1, 3, depth - 1, loop, ends)
        for _ in range(self.pick(0, 0, 1, 2)):
            self.line(indent, self.meet("elif", f"elif {self.truth(1)}:"))
            self.block(indent + 1, 2, depth - 1, loop, ends)
        if self.dice.random() < 0.5:
            self.line(indent, "else:")
            self.block(indent + 1, 2, depth - 1, loop, ends)

    def each(self, indent, depth, loop, ends):
        saved = list(self.numbers), list(self.truths), list(self.cells)
        i, x, c = self.name("i"), self.name("x"), self.name("c")
        head, numbers, cells = self.pick(
            (f"for {i} in range(3):", [i], []),
            (f"for {i} in reversed(range(2)):", [i], []),
            (f"for {x} in s.v:", [x], []),
            (f"for {c} in s.cells:", [], [c]),
            (f"for {i}, {x} in enumerate(s.v):", [i, x], []),
            (f"for {x}, {c} in zip(s.v, s.cells):", [x], [c]),
            (f"for {i}, ({x}, {c}) in enumerate(zip(s.v, s.cells)):", [i, x], [c]),
        )
        if self.edge("E", 0.6):
            head, numbers, cells = self.pick(
                (f"for {x} in reversed(s.v):", [x], []), (f"for {i}, {x} in enumerate(reversed(s.v)):", [i, x], [])
            )
        self.line(indent, self.meet("for", head))
        for word in ("enumerate", "zip", "reversed"):
            self.covered[word] += word in head
        self.numbers += numbers
        self.cells += cells
        turned = "reversed(s.v)" in head
        if turned:
            self.line(indent + 1, f"s.v[{self.dice.randrange(3)}] = {self.number(1)}")
        self.block(indent + 1, 3, depth - 1, True, ends)
        if turned:
            self.line(indent + 1, f"s.{self.pick('a', 'b', 'out')} += {x}")
        self.numbers, self.truths, self.cells = saved

    # The whole.

    def function(self, head, size, ends="", depth=2):
        """The text of a function whose lines are drawn."""
        self.lines = []
        self.numbers, self.truths, self.cells, self.tuples = [], [], [], []
        self.line(0, head)
        if "a, b=" in head:
            self.numbers += ["a", "b"]
        self.block(1, size, depth, ends=ends)
        return "\n".join(self.lines) + "\n"

    def claim(self, decorator, name, arguments):
        self.stating = True
        self.numbers, self.truths, self.cells, self.tuples = [], [], [], []
        first = f"    if {self.truth(2)}:\n        return {self.truth(2)}\n" if self.dice.random() < 0.5 else ""
        text = f"{decorator}\ndef {name}({arguments}):\n{first}    return {self.truth(3)}\n"
        self.stating = False
        return text

    def text(self):
        """The text of the module."""
        fields = self.chosen("F", FIELDS)
        cell = self.chosen("G", CELLS)
        properties = self.chosen("H", PROPERTIES)
        edge = self.chosen("C", TEXTS) or self.chosen("B", NAMES)
        one, other = self.pick(*MIXED.values())
        self.has_edge, self.has_helper = False, False
        helped = self.function(f"def helped(s, a, b={self.pick(0, 1, 2)}):", 2, ("number",), 1)
        helped += f"    return {self.number(1)}\n"
        self.has_edge, self.has_helper = bool(edge), True
        act = self.function("def act(s, scope):", 4)
        if edge:
            act += f"    s.{self.pick('a', 'b', 'out')} += edge({self.pick('s.a', 's.b', 'k')})\n"
        # A guard has no meaning in a property.
        self.has_helper = "guard(" not in helped
        stated = self.claim("@always()", "p", "s, scope") + "\n\n" + self.claim("@step()", "q", "before, s, scope")
        maybe = f"def maybe(s):\n    if s.a > {self.pick(0, 1, 2)} or s.flag:\n        {one}\n    {other}\n"
        b, first_b, flag, first_flag, first_v = fields
        state = (
            f"@record\nclass State:\n    flag: {flag}\n    a: N\n    b: {b}\n    v: Annotated[Vector[N], Per('three')]\n"
            "    cells: Annotated[Vector[Cell], Per('two')]\n    out: N\n"
        )
        init = (
            f"def init(scope):\n    return State({first_flag}, 0, {first_b}, Vector([{first_v}]), "
            "Vector([Cell(False, 0), Cell(False, 0)]), 0)\n"
        )
        parts = [
            HEADER + "\nN = Annotated[int, Range(-99, 99)]", SCOPE, cell, state, init, HELPERS, f"half = {self.half()}\n", edge, maybe,
            helped, "@action()\n" + act, stated, "actions = (act,)\n" + properties,
        ]  # fmt: skip
        return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"

    def half(self):
        value = self.pick(*FLOATS)
        return value if value.startswith("(") else f"({value},)"
