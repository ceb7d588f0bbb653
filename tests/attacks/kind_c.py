"""C: which text a function is made of."""

from __future__ import annotations

from tests.attacks.models import act, claim

ATTACKS = {
    "two lambdas in one line": claim("return small(s.x)", "large, small = (lambda x: x < 9), (lambda x: x < 4)\n"),
    "a lambda": claim("return small(s.x)", "small = lambda x: x < 4\n"),
    "a lambda as a property": "p = always()(lambda s, scope: s.x < 4)\n",
    "a def and a lambda in one line": claim(
        "return small(s.x)",
        "def large(x): return x < 9\ndef test(f=lambda x: x < 4): return f\n\n\nsmall = test()\n",
    ),
    "decorated by a lambda in its line": claim(
        "return small(s.x)", "@(lambda f: lambda x: x < 4)\ndef small(x):\n    return x < 9\n"
    ),
    "a property decorated by a lambda": "@always()\n@(lambda f: lambda s, scope: s.x < 4)\ndef p(s, scope):\n    return s.x < 9\n",
    "a property that a lambda wraps": "@(lambda f: always()(lambda s, scope: s.x < 4))\ndef p(s, scope):\n    return s.x < 9\n",
    "an action decorated by a lambda": (
        "@action()\n@(lambda f: lambda s, scope: f(s, scope))\ndef act(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n"
        + claim("return s.x < 4")
    ),
    "negated by a decorator": claim(
        "return not small(s.x)",
        "def negated(f):\n    def inner(x):\n        return not f(x)\n    return inner\n\n\n@negated\ndef small(x):\n    return x < 4\n",
    ),
    "negated by a decorator that wraps": claim(
        "return not small(s.x)",
        "def negated(f):\n    @functools.wraps(f)\n    def inner(x):\n        return not f(x)\n    return inner\n\n\n@negated\ndef small(x):\n    return x < 4\n",
    ),
    "a property negated by a decorator": (
        "def negated(f):\n    @functools.wraps(f)\n    def inner(s, scope):\n        return not f(s, scope)\n    return inner\n\n\n"
        "@always()\n@negated\ndef p(s, scope):\n    return s.x > 3\n"
    ),
    "an action done twice by a decorator": (
        "def twice(f):\n    @functools.wraps(f)\n    def inner(s, scope):\n        f(s, scope)\n        f(s, scope)\n    return inner\n\n\n"
        "@action()\n@twice\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n" + claim("return s.x != 1")
    ),
    "a decorator that returns another": claim(
        "return small(s.x)",
        "def strict(x):\n    return x < 4\n\n\n@(lambda f: strict)\ndef small(x):\n    return True\n",
    ),
    "a decorator that marks": claim(
        "return small(s.x)",
        "def marked(f):\n    f.mark = 1\n    return f\n\n\n@marked\ndef small(x):\n    return x < 4\n",
    ),
    "a cache": claim("return small(s.x)", "@functools.lru_cache\ndef small(x):\n    return x < 4\n"),
    "a partial": claim(
        "return small(s.x)", "def below(limit, x):\n    return x < limit\n\n\nsmall = functools.partial(below, 4)\n"
    ),
    "a partial as a property": (
        "def below(limit, s, scope):\n    return s.x < limit\n\n\nbelow.__name__ = 'below'\nq = functools.partial(below, 4)\nq.__name__ = 'q'\np = always()(q)\n"
    ),
    "a static method": claim(
        "return Rules.small(s.x)", "class Rules:\n    @staticmethod\n    def small(x):\n        return x < 4\n"
    ),
    "a static method of an object": claim(
        "return Rules().small(s.x)", "class Rules:\n    @staticmethod\n    def small(x):\n        return x < 4\n"
    ),
    "a class method": claim(
        "return Rules.small(s.x)",
        "class Rules:\n    limit = 4\n\n    @classmethod\n    def small(cls, x):\n        return x < cls.limit\n",
    ),
    "a class method of a subclass": claim(
        "return More.small(s.x)",
        "class Rules:\n    limit = 9\n\n    @classmethod\n    def small(cls, x):\n        return x < cls.limit\n\n\nclass More(Rules):\n    limit = 4\n",
    ),
    "a method taken off its class": claim(
        "return Rules.small(9, s.x)", "class Rules:\n    def small(self, x):\n        return x < self - 5\n"
    ),
    "a method kept by name": claim(
        "return small(s.x)",
        "class Rules:\n    limit = 4\n\n    def small(self, x):\n        return x < self.limit\n\n\nsmall = Rules().small\n",
    ),
    "a record's method": (
        "@record\nclass Cell:\n    on: bool\n    n: Small\n\n    def small(self):\n        return self.n < 4\n"
        + claim("return Cell(True, s.x).small()")
    ),
    "a record's property": (
        "@record\nclass Cell:\n    on: bool\n    n: Small\n\n    @property\n    def half(self):\n        return self.n // 2\n"
        + claim("return s.cells[0].half == 0 and s.x < 4")
    ),
    "a record's class attribute": (
        "@record\nclass Cell:\n    limit: ClassVar[int] = 4\n    on: bool\n    n: Small\n"
        + claim("return s.x < s.cells[0].limit")
    ),
    "a definition under a condition": claim(
        "return small(s.x)",
        "if True:\n    def small(x):\n        return x < 4\nelse:\n    def small(x):\n        return x < 9\n",
    ),
    "two definitions of one name": claim(
        "return small(s.x)", "def small(x):\n    return x < 9\n\n\ndef small(x):\n    return x < 4\n"
    ),
    "two definitions, the first kept": claim(
        "return kept(s.x)", "def small(x):\n    return x < 4\n\n\nkept = small\n\n\ndef small(x):\n    return x < 9\n"
    ),
    "two properties of one def name": (
        "@always()\ndef p(s, scope):\n    return s.x < 4\n\n\nkept = p\n\n\n@always()\ndef p(s, scope):\n    return s.x < 9\n"
    ),
    "text that exec made": claim(
        "return small(s.x)", "made = {}\nexec('def small(x):\\n    return x < 4', made)\nsmall = made['small']\n"
    ),
    "text that exec says is this file": claim(
        "return small(s.x)",
        "made = {}\nexec(compile('def large(x):\\n    return x < 4', __file__, 'exec'), made)\nsmall = made['large']\n",
    ),
    "code of another function": claim(
        "return small(s.x)",
        "def small(x):\n    return x < 9\n\n\ndef other(x):\n    return x < 4\n\n\nsmall.__code__ = other.__code__\n",
    ),
    "defaults changed afterwards": claim(
        "return small(s.x)", "def small(x, limit=9):\n    return x < limit\n\n\nsmall.__defaults__ = (4,)\n"
    ),
    "keyword defaults changed afterwards": claim(
        "return small(s.x)",
        "def small(x, *, limit=9):\n    return x < limit\n\n\nsmall.__kwdefaults__ = {'limit': 4}\n",
    ),
    "a function with globals of its own": claim(
        "return small(s.x)",
        "import types\n\nlimit = 9\n\n\ndef test(x):\n    return x < limit\n\n\nsmall = types.FunctionType(test.__code__, {'limit': 4, '__builtins__': {}})\n",
    ),
    "a generator function": claim("return any(small(s.x))", "def small(x):\n    yield x < 4\n"),
    "a coroutine": claim("return bool(small(s.x)) and s.x < 4", "async def small(x):\n    return False\n"),
    "a property that is a generator": "@always()\ndef p(s, scope):\n    yield s.x < 4\n",
    "an action that is a generator": "@action()\ndef act(s, scope):\n    guard(s.x < 5)\n    s.x += 2\n    yield 1\n"
    + claim("return s.x < 2"),
    "a class as a property": "class p:\n    def __new__(cls, s, scope):\n        return s.x < 4\n\n\np = always()(p)\n",
    "an object as a property": (
        "class Small:\n    __name__ = 'p'\n\n    def __call__(self, s, scope):\n        return s.x < 4\n\n\np = always()(Small())\n"
    ),
    "a bound method as a property": (
        "class Rules:\n    limit = 4\n\n    def p(self, s, scope):\n        return s.x < self.limit\n\n\np = always()(Rules().p)\n"
    ),
    "a property called by a property": claim("return q(s, scope)", "@always()\ndef q(s, scope):\n    return s.x < 4\n"),
    "an action called by an action": act(
        "guard(s.x < 5)\ngrow(s, scope)",
        "s.x != 2",
        "@action()\ndef grow(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n",
    ),
    "a builtin function as a property": "p = always()(max)\n",
    "a semicolon in a line": claim("return small(s.x)", "def small(x): y = x; return y < 4\n"),
    "a decorator over several lines": claim(
        "return small(s.x)",
        "def strict(\n    limit,\n):\n    def made(f):\n        return f\n    return made\n\n\n@strict(\n    4\n)\ndef small(\n    x,\n):\n    return x < 4\n",
    ),
}

LEGAL = {
    "a function in one line": claim("return small(s.x)", "def small(x): return x < 4\n"),
    "a method that overrides": (
        "class Base:\n    def __init__(self, scope):\n        self.high = scope.high\n\n    def limit(self):\n        return 9\n\n\n"
        "class Context(Base):\n    def limit(self):\n        return 4\n\n\n" + claim("return s.x < scope.limit()")
    ),
    "a sentence, and several lines": claim(
        "return small(\n    s.x\n)", 'def small(\n    x,\n):\n    """Say whether it is small."""\n    return x < 4\n'
    ),
}
