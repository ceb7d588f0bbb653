"""B: which value a name has, and which parameter an argument is."""

from __future__ import annotations

from tests.attacks.models import act, claim

FACTORY = """
limit = 9


def below(limit):
    def inner(x):
        return x < limit
    return inner


small = below(4)
"""

ATTACKS = {
    "a factory's name is a global too": claim("return small(s.x)", FACTORY),
    "a factory's name is no global": claim("return small(s.x)", FACTORY.replace("limit = 9", "")),
    "a factory called in the text": claim("return below(4)(s.x)", FACTORY),
    "two factories of one text": claim("return small(s.x) or large(s.x)", FACTORY + "large = below(3)\n"),
    "a factory's name rebound later": claim(
        "return small(s.x)",
        "limit = 9\n\n\ndef below(limit):\n    def inner(x):\n        return x < limit\n    limit = 4\n    return inner\n\n\nsmall = below(9)\n",
    ),
    "a factory in a loop": claim(
        "return made[0](s.x)",
        "limit = 1\n\n\ndef below():\n    found = []\n    for limit in (9, 4):\n        def inner(x):\n            return x < limit\n        found.append(inner)\n    return tuple(found)\n\n\nmade = below()\n",
    ),
    "a property from a factory": (
        "limit = 9\n\n\ndef stated(limit):\n    @always()\n    def p(s, scope):\n        return s.x < limit\n    return p\n\n\np = stated(4)\n"
    ),
    "an action from a factory": (
        "limit = 1\n\n\ndef made(limit):\n    @action()\n    def grow(s, scope):\n        guard(s.x < limit)\n        s.x += 1\n    return grow\n\n\ngrow = made(5)\n"
        + claim("return s.x < 4")
    ),
    "a method from a factory": (
        "value = True\n\n\ndef gives(value):\n    def may(self, s):\n        return value\n    return may\n\n\n"
        "class Context:\n    def __init__(self, scope):\n        self.high = scope.high\n\n    may = gives(False)\n\n\n"
        "@action()\ndef up(s, design):\n    guard(s.x < 5)\n    s.x += 1\n    require(design.may(s), 'q')\n"
        + claim("return s.x < 9")
    ),
    "a factory's helper": claim(
        "return small(s.x)",
        "def test(x):\n    return True\n\n\ndef below():\n    def test(x):\n        return x < 4\n    def inner(x):\n        return test(x)\n    return inner\n\n\nsmall = below()\n",
    ),
    "a keyword-only parameter with a default": claim(
        "return small(s.x)", "def small(x, *, limit=4):\n    return x < limit\n"
    ),
    "a keyword-only parameter given": claim(
        "return small(s.x, limit=4)", "def small(x, *, limit=9):\n    return x < limit\n"
    ),
    "a keyword-only parameter named as a global": claim(
        "return small(s.x)", "limit = 9\n\n\ndef small(x, *, limit=4):\n    return x < limit\n"
    ),
    "a default that is a global later changed": claim(
        "return small(s.x)", "limit = 4\n\n\ndef small(x, limit=limit):\n    return x < limit\n\n\nlimit = 9\n"
    ),
    "a default and a keyword": claim(
        "return small(s.x, high=4)", "def small(x, low=9, high=9):\n    return x < min(low, high)\n"
    ),
    "defaults from the right": claim(
        "return small(s.x, 4)", "def small(x, low=9, high=9):\n    return x < low and x < high\n"
    ),
    "positional-only": claim(
        "return small(s.x, limit=4)", "def small(limit, /, **kw):\n    return limit < kw['limit']\n"
    ),
    "more arguments": claim("return small(s.x, 4)", "def small(*args):\n    return args[0] < args[1]\n"),
    "more arguments after one": claim(
        "return small(s.x, 4)", "args = (9,)\n\n\ndef small(x, *args):\n    return x < args[0]\n"
    ),
    "more named arguments": claim(
        "return small(s.x, limit=4)", "kw = {'limit': 9}\n\n\ndef small(x, **kw):\n    return x < kw['limit']\n"
    ),
    "an argument too many": claim("return small(s.x, 9, 4)", "def small(x, limit=9):\n    return x < limit\n"),
    "an argument too few": claim("return small(s.x)", "def small(x, limit):\n    return x < 9\n"),
    "an argument given twice": claim("return small(s.x, x=9)", "def small(x):\n    return x < 9\n"),
    "an unknown argument": claim("return small(s.x, y=9)", "def small(x):\n    return x < 9\n"),
    "a record's argument left out": claim("return Cell(True) == s.cells[0] or True"),
    "a record's unknown argument": claim("return Cell(True, 1, m=2) != s.cells[0]"),
    "a record's argument too many": claim("return Cell(True, 1, 2) != s.cells[0]"),
    "a record's argument given twice": claim("return Cell(True, 1, n=2) != s.cells[0]"),
    "a record's default": claim(
        "return Pair(s.x).n == 0",
        "@record\nclass Pair:\n    m: Small\n    n: Small = 4\n",
    ),
    "a property's default parameter": "@always()\ndef p(s, scope, limit=4):\n    return s.x < limit\n",
    "an action's default parameter": (
        "@action()\ndef grow(s, scope, limit=5):\n    guard(s.x < limit)\n    s.x += 1\n" + claim("return s.x < 4")
    ),
    "an action's keyword-only parameter": (
        "@action(by=lambda scope: (1, 2))\ndef grow(s, scope, *, by):\n    guard(s.x < 4)\n    s.x += by\n"
        + claim("return s.x < 4")
    ),
    "an action's parameters in another order": (
        "@action(high=lambda scope: (5,), low=lambda scope: (0, 1))\ndef grow(s, scope, low, high):\n"
        "    guard(s.x < high)\n    s.x += 1 - low\n" + claim("return s.x < 4")
    ),
    "an action's choice too many": (
        "@action(by=lambda scope: (1,), to=lambda scope: (1,))\ndef grow(s, scope, by):\n    guard(s.x < 5)\n    s.x += by\n"
        + claim("return s.x < 4")
    ),
    "a parameter called as the state's leaf": (
        "@action(x=lambda scope: range(6))\ndef grow(s, scope, x):\n    guard(s.x < 5 and x == s.x + 1)\n    s.x = x\n"
        + claim("return s.x < 4")
    ),
    "a parameter of bools and numbers": (
        "@action(by=lambda scope: (True, 2))\ndef grow(s, scope, by):\n    guard(s.x < 4)\n    s.x += by\n"
        + claim("return s.x != 2")
    ),
    "a parameter of texts": (
        "@action(by=lambda scope: ('a', 'b'))\ndef grow(s, scope, by):\n    guard(s.x < 4)\n    s.x += 1 if by == 'a' else 2\n"
        + claim("return s.x != 2")
    ),
    "a parameter of None and numbers": (
        "@action(by=lambda scope: (None, 2))\ndef grow(s, scope, by):\n    guard(s.x < 4 and by)\n    s.x += by\n"
        + claim("return s.x != 2")
    ),
    "a parameter of tuples of two sizes": (
        "@action(by=lambda scope: ((), (2,)))\ndef grow(s, scope, by):\n    guard(s.x < 4 and by)\n    s.x += by[0]\n"
        + claim("return s.x != 2")
    ),
    "a parameter of tuples of bools and numbers": (
        "@action(by=lambda scope: ((True, 1), (False, 2)))\ndef grow(s, scope, by):\n    guard(s.x < 4 and by[0])\n    s.x += by[1]\n"
        + claim("return s.x != 2")
    ),
    "a global rebound below": claim("return s.x < limit", "limit = 9\n") + "\nlimit = 4\n",
    "a function rebound below": claim("return small(s.x)", "def small(x):\n    return True\n")
    + "\ndef small(x):\n    return x < 4\n",
    "a builtin that a global shadows": claim("return max(s.x, 0) < 4", "def max(a, b):\n    return a + b + 1\n"),
    "len shadowed": claim("return len(s.v) + s.x < 7", "def len(v):\n    return 4\n"),
    "any shadowed": claim("return any(x == 0 for x in s.v)", "def any(values):\n    return False\n"),
    "sum shadowed": claim("return sum((s.x, 1)) < 9", "def sum(values):\n    return 9\n"),
    "range shadowed": claim("return not any(s.x == i for i in range(4))", "def range(n):\n    return (9, 5)\n"),
    "enumerate shadowed": claim(
        "return any(i == 4 for i, y in enumerate(s.v))", "def enumerate(v):\n    return ((4, 0),)\n"
    ),
    "bool shadowed": claim("return bool(s.x)", "def bool(x):\n    return x < 4\n"),
    "isinstance shadowed": claim("return isinstance(s.x, int)", "def isinstance(x, kind):\n    return x < 4\n"),
    "abs by another name": claim("return magnitude(s.x - 3) < 2", "magnitude = abs\n"),
    "a class called as a builtin": claim(
        "return int(s.x)", "class int:\n    def __new__(cls, x):\n        return x < 4\n"
    ),
    "guard shadowed": act("guard(s.x < 3)\ns.x += 1", "s.x < 4", "def guard(condition):\n    return None\n"),
    "require shadowed": act(
        "guard(s.x < 5)\ns.x += 1\nrequire(s.x < 4, 'q')", "s.x < 9", "def require(condition, name):\n    return None\n"
    ),
    "require by another name": act("guard(s.x < 5)\ns.x += 1\nclaim(s.x < 4, 'q')", "s.x < 9", "claim = require\n"),
    "a parameter that shadows a function": claim(
        "return test(s.x, small)", "def small(x):\n    return x < 4\n\n\ndef test(x, guard):\n    return guard(x)\n"
    ),
    "a local that shadows a global": claim("limit = 4\nreturn s.x < limit", "limit = 9\n"),
    "a local that shadows only later": claim("m = limit\nlimit = 4\nreturn s.x < m", "limit = 9\n"),
    "a local that shadows on one path": claim("if s.x > 3:\n    limit = 0\nreturn s.x < limit", "limit = 9\n"),
    "a local that shadows a builtin": claim("max = s.y\nreturn s.x + max < 4"),
    "a loop's name is a global": claim(
        "for limit in range(3):\n    if s.x == limit + 9:\n        return False\nreturn s.x < limit + 2", "limit = 9\n"
    ),
    "a loop over nothing sets nothing": claim("for limit in range(0):\n    s.x\nreturn s.x < limit", "limit = 9\n"),
    "a generator's name is a global": claim(
        "return any(limit == s.x for limit in (0, 1)) or s.x < limit", "limit = 4\n"
    ),
    "a generator's name is a local": claim("limit = 4\nreturn any(limit == 9 for limit in (0, 1)) or s.x < limit"),
    "a generator's source in its own name": claim("y = (s.x, 1)\nreturn sum(y for y in y) < 5"),
    "a generator sees names set later": claim("m = 9\nk = any(y > m for y in (s.x,))\nm = 3\nreturn not k and s.x < 4"),
    "a generator kept": claim("m = 9\nk = (y > m for y in (s.x,))\nm = 3\nreturn not any(k)"),
    "a nested def": claim("def small(x):\n    return x < 4\nreturn small(s.x)"),
    "a nested def under a condition": claim(
        "if s.x > 3:\n    def small(x):\n        return False\nelse:\n    def small(x):\n        return True\nreturn small(s.x)"
    ),
    "a lambda in the text": claim("small = lambda x: x < 4\nreturn small(s.x)"),
    "a walrus": claim("return (m := s.x) < 4 or m < 4"),
    "a global statement": claim("global limit\nlimit = 4\nreturn s.x < limit", "limit = 9\n"),
    "a name that is deleted": claim("m = 4\ndel m\nreturn s.x < m", "m = 9\n"),
    "a name mangled in a class": claim(
        "return rules.small(s.x)",
        "__limit = 9\n_Rules__limit = 4\n\n\nclass Rules:\n    def small(self, x):\n        return x < __limit\n\n\nrules = Rules()\n",
    ),
    "a class attribute is no name of a method": claim(
        "return rules.small(s.x)",
        "limit = 4\n\n\nclass Rules:\n    limit = 9\n\n    def small(self, x):\n        return x < limit\n\n\nrules = Rules()\n",
    ),
    "an instance shadows its class": claim(
        "return rules.small(s.x)",
        "class Rules:\n    limit = 9\n\n    def __init__(self):\n        self.limit = 4\n\n    def small(self, x):\n        return x < self.limit\n\n\nrules = Rules()\n",
    ),
    "an instance's function shadows a method": claim(
        "return rules.small(s.x)",
        "def strict(x):\n    return x < 4\n\n\nclass Rules:\n    def __init__(self):\n        self.small = strict\n\n    def small(self, x):\n        return True\n\n\nrules = Rules()\n",
    ),
    "a property of an object": claim(
        "return s.x < rules.limit",
        "class Rules:\n    @property\n    def limit(self):\n        return 4\n\n\nrules = Rules()\n",
    ),
    "an attribute that is computed": claim(
        "return s.x < rules.limit",
        "class Rules:\n    def __getattr__(self, name):\n        return 4\n\n\nrules = Rules()\n",
    ),
    "an attribute that changes as it is read": claim(
        "return s.x < rules.limit",
        "class Rules:\n    reads = 0\n\n    @property\n    def limit(self):\n        self.reads += 1\n        return 9 if self.reads < 2 else 4\n\n\nrules = Rules()\n",
    ),
    "super reaches past one": (
        "class One:\n    def limit(self):\n        return 4\n\n\nclass Two(One):\n    def limit(self):\n        return 9\n\n\n"
        "class Context(Two):\n    def __init__(self, scope):\n        self.scope = scope\n\n    def limit(self):\n        return super(Two, self).limit()\n"
        + claim("return s.x < scope.limit()")
    ),
    "super of two parents": (
        "class Base:\n    def limit(self):\n        return 9\n\n\nclass One(Base):\n    def limit(self):\n        return super().limit() - 1\n\n\n"
        "class Two(Base):\n    def limit(self):\n        return 4\n\n\n"
        "class Context(One, Two):\n    def __init__(self, scope):\n        self.scope = scope\n"
        + claim("return s.x < scope.limit() + 1")
    ),
    "super is shadowed": (
        "class Base:\n    def limit(self):\n        return 9\n\n\nclass Other:\n    def limit(self):\n        return 4\n\n\ndef super():\n    return Other()\n\n\n"
        "class Context(Base):\n    def __init__(self, scope):\n        self.scope = scope\n\n    def limit(self):\n        return super().limit()\n"
        + claim("return s.x < scope.limit()")
    ),
    "a callable object": claim(
        "return small(s.x)", "class Small:\n    def __call__(self, x):\n        return x < 4\n\n\nsmall = Small()\n"
    ),
    "an overloaded operator": claim(
        "return s.x < limit", "class Limit:\n    def __gt__(self, x):\n        return x < 4\n\n\nlimit = Limit()\n"
    ),
    "an overloaded equality": claim(
        "return 5 == limit", "class Limit:\n    def __eq__(self, x):\n        return False\n\n\nlimit = Limit()\n"
    ),
    "an overloaded truth": claim(
        "if no:\n    return True\nreturn s.x < 4",
        "class No:\n    def __bool__(self):\n        return False\n\n\nno = No()\n",
    ),
    "an overloaded length": claim(
        "return s.x < len(four)", "class Four:\n    def __len__(self):\n        return 4\n\n\nfour = Four()\n"
    ),
    "a list of the module that grows": act(
        "guard(s.x < 5)\ns.x += 1\ns.y = note(1)",
        "s.y < 2",
        "kept = []\n\n\ndef note(x):\n    kept.append(x)\n    return min(len(kept), 5)\n",
    ),
    "a global list": claim("return s.x in limits", "limits = [0, 1, 2, 3]\n"),
    "a global set": claim("return s.x in limits", "limits = {0, 1, 2, 3}\n"),
    "a global dict": claim("return limits[s.x]", "limits = {0: True, 1: True, 2: True, 3: True, 4: False, 5: True}\n"),
    "a dict with a fixed key": claim("return s.x < limits['high']", "limits = {'low': 1, 'high': 4}\n"),
    "a dict's truth": claim("return not limits or s.x < 4", "limits = {}\n"),
    "a global vector": claim("return s.x != limits[0]", "limits = Vector([4, 4])\n"),
    "a global record": claim("return s.x != limit.n", "limit = None\n") + "\nlimit = Cell(True, 4)\n",
    "a field of the context that is a record": (
        "class Context:\n    def __init__(self, scope):\n        self.limit = Cell(True, 4)\n"
        + claim("return s.x != scope.limit.n")
    ),
    "a scope's property": (
        "@dataclass(frozen=True)\nclass Scope:\n    high: int = 5\n    two: int = 2\n    three: int = 3\n\n    @property\n    def limit(self):\n        return self.high - 1\n"
        + claim("return s.x < scope.limit")
    ),
}

LEGAL = {
    "a helper with a default": claim("return small(s.x)", "def small(x, limit=4):\n    return x < limit or x < 9\n"),
    "named arguments": claim("return small(limit=9, x=s.x)", "def small(x, limit):\n    return x < limit\n"),
    "a named record": claim("return s.cells[0] == Cell(on=False, n=0) and s.x <= 5"),
    "a constant of the module": claim("return s.x < limit", "limit = 9\n"),
    "a tuple of the module": claim("return s.x in limits or s.x > 3", "limits = (0, 1, 2, 3)\n"),
    "a context with decisions": (
        "class Context:\n    def __init__(self, scope):\n        self.scope = scope\n\n    def may(self, s):\n        return s.x < self.limit()\n\n"
        "    def limit(self):\n        return self.scope.high\n\n\n"
        "@action()\ndef up(s, design):\n    guard(design.may(s))\n    s.x += 1\n" + claim("return s.x < 4")
    ),
    "super": (
        "class Base:\n    def __init__(self, scope):\n        self.high = scope.high\n\n    def limit(self, s):\n        return s.x + 1\n\n\n"
        "class Context(Base):\n    def limit(self, s):\n        return super().limit(s) + 1\n\n\n"
        + claim("return s.x < scope.limit(s)")
    ),
    "the scope's property": (
        "@dataclass(frozen=True)\nclass Scope:\n    high: int = 5\n    two: int = 2\n    three: int = 3\n\n    @property\n    def limit(self):\n        return self.high + 1\n"
        + claim("return s.x < scope.limit")
    ),
    "a method of a plain object": claim(
        "return rules.small(s.x)",
        "class Rules:\n    limit = 9\n\n    def small(self, x):\n        return x < self.limit\n\n\nrules = Rules()\n",
    ),
    "a choice of numbers": "@action(by=lambda scope: (1, 2))\ndef grow(s, scope, by):\n    guard(s.x + by <= 5)\n    s.x += by\n"
    + claim("return s.x <= 5"),
    "a choice of tuples": (
        "@action(way=lambda scope: subsets(range(2)))\ndef grow(s, scope, way):\n    guard(s.x < 4)\n    s.x += 1 + sum(way[i] for i in range(2)) // 2\n"
        + claim("return s.x <= 5")
    ),
    "a choice that needs no list": "@action(x=lambda scope: range(scope.high + 1))\ndef jump(s, scope, x):\n    guard(x > s.x)\n    s.x = x\n"
    + claim("return s.x <= 5"),
    "an action that exists elsewhere": "@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n\n\n@action(x=lambda scope: range(scope.none))\ndef jump(s, scope, x):\n    s.x = x\n"
    + claim("return s.x <= 5"),
    "an action of another scope": "@action()\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n\n\n@action(lambda scope: scope.none > 0, x=lambda scope: range(scope.none))\ndef jump(s, scope, x):\n    s.x = x\n"
    + claim("return s.x <= 5"),
    "a local that shadows": claim("limit = 9\nreturn s.x < limit", "limit = 4\n"),
}
