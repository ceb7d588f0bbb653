"""I: numbers that are none, and the order in which Python evaluates, leaves and violates."""

from __future__ import annotations

from tests.attacks.models import act, claim

START = "guard(s.x < 4)\ns.x += 1\n"
WHY = "\n\ndef why(s):\n    bump(s)\n    return 'why'\n"
CALLS = """
def bump(s):
    s.y = min(s.y + 1, 5)
    return s.y


def yes(s):
    bump(s)
    return True


def no(s):
    bump(s)
    return False


def bad(s):
    require(False, 'q')
    return True
"""


def does(body, stated="s.y < 2", before=CALLS):
    return act(START + body, stated, before)


NUMBERS = {
    "not in a tuple of floats": claim("return s.x not in (3.0,)"),
    "in a tuple of floats": claim("return s.x in (0.0, 1.0, 2.0, 3.0)"),
    "a half in a tuple": claim("return s.x not in (3.5, 4)"),
    "equal to a float": claim("return s.x != 3.0"),
    "less than a float": claim("return s.x < 3.5"),
    "a global float": claim("return s.x != limit", "limit = 3.0\n"),
    "a global float in a tuple": claim("return s.x not in (limit,)", "limit = 3.0\n"),
    "a tuple of floats of the module": claim("return s.x not in limits", "limits = (3.0, 9.5)\n"),
    "tuples with floats": claim("return (s.x, 1) != (3.0, 1)"),
    "a chain with a float": claim("return not 2.5 < s.x < 3.5"),
    "plus a float": claim("return s.x + 0.5 != 3.5"),
    "times a float": claim("return s.x * limit != 3.0", "limit = 1.0\n"),
    "min with a float": claim("return min(s.x, limit) < 3", "limit = 3.0\n"),
    "int of a float": claim("return s.x != int(limit)", "limit = 3.9\n"),
    "a true division": claim("return s.x / 2 != 1.5"),
    "a true division that is whole": claim("return s.x / 1 != 3"),
    "a power": claim("return s.x ** 2 != 9"),
    "a negative power": claim("return s.x ** -1 != 0.25 if s.x else True"),
    "a float assigned": act("guard(s.x < 5)\ns.x = s.x + 1\ns.y = half", "s.y != 3", "half = 3.0\n"),
    "a float that is an index": claim("return s.v[limit] == 0", "limit = 1.0\n"),
    "a range to a float": claim("return any(s.x == i for i in range(limit))", "limit = 3.0\n"),
    "a float from a scope": "@dataclass(frozen=True)\nclass Scope:\n    high: int = 5\n    limit: float = 3.0\n    two: int = 2\n    three: int = 3\n\n\n"
    + claim("return s.x not in (scope.limit,)"),
    "infinity": claim("return s.x < limit and s.x in (limit, 0, 1)", "limit = float('inf')\n"),
    "not a number": claim("return s.x not in (limit, 4) and limit != limit", "limit = float('nan')\n"),
    "not a number in a tuple is itself": claim("return limit in (limit,) and s.x < 4", "limit = float('nan')\n"),
    "minus nothing": claim("return s.x != -0 or s.y == 0"),
    "minus nothing as a float": claim("return s.x not in (-0.0,)"),
    "a fraction": claim("return s.x != limit", "limit = fractions.Fraction(6, 2)\n"),
    "a fraction in a tuple": claim("return s.x not in (limit,)", "limit = fractions.Fraction(6, 2)\n"),
    "plus a fraction": claim("return s.x + limit != 4", "limit = fractions.Fraction(1, 1)\n"),
    "a number of numpy": claim("return s.x != limit", "limit = numpy.int64(3)\n"),
    "a number of numpy in a tuple": claim("return s.x not in (limit,)", "limit = numpy.int64(3)\n"),
    "a small number of numpy": claim("return s.x + limit > 0", "limit = numpy.int8(126)\n"),
    "a bool of numpy": claim("return limit and s.x < 4", "limit = numpy.bool_(True)\n"),
    "an array of numpy": claim("return s.x != limits[0]", "limits = numpy.array([3, 4])\n"),
    "an enumeration": claim(
        "return s.x != Colour.BLUE", "class Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 3\n\n\n"
    ),
    "an enumeration in a tuple": claim(
        "return s.x not in (Colour.BLUE,)", "class Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 3\n\n\n"
    ),
    "all of an enumeration": claim(
        "return s.x not in tuple(Colour)", "class Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 3\n\n\n"
    ),
    "an enumeration that is no number": claim(
        "return s.x != Colour.BLUE and s.x < 4", "class Colour(enum.Enum):\n    RED = 0\n    BLUE = 3\n\n\n"
    ),
    "an enumeration with an equality": claim(
        "return s.x != Colour.BLUE",
        "class Colour(enum.IntEnum):\n    RED = 0\n    BLUE = 9\n\n    def __eq__(self, other):\n        return other == 3\n\n    __hash__ = None\n\n\n",
    ),
    "a subclass of int": claim(
        "return s.x < limit",
        "class Num(int):\n    def __gt__(self, other):\n        return other < 3\n\n\nlimit = Num(9)\n",
    ),
    "a subclass of int in a tuple": claim(
        "return s.x not in (limit,)",
        "class Num(int):\n    def __eq__(self, other):\n        return other == 3\n\n    __hash__ = None\n\n\nlimit = Num(9)\n",
    ),
    "a subclass of int's truth": claim(
        "return limit or s.x < 4",
        "class Num(int):\n    def __bool__(self):\n        return False\n\n\nlimit = Num(9)\n",
    ),
    "a subclass of str": claim(
        "return limit == 'a' or s.x < 4",
        "class Word(str):\n    def __eq__(self, other):\n        return False\n\n    __hash__ = None\n\n\nlimit = Word('a')\n",
    ),
    "a subclass of tuple": claim(
        "return s.x in limits",
        "class Some(tuple):\n    def __contains__(self, x):\n        return x < 4\n\n\nlimits = Some(range(9))\n",
    ),
    "a named tuple": claim(
        "return s.x < limits.high",
        "import collections\n\nlimits = collections.namedtuple('Limits', 'low high')(0, 4)\n",
    ),
    "None in a tuple": claim("return s.x not in (None, 4)"),
    "None equals nothing": claim("return s.x != None and s.x < 4"),
    "None is none": claim("return s.x is not None and s.x < 4"),
    "None is less": claim("return None < s.x"),
    "a text in a tuple": claim("return s.x not in ('3', 4)"),
    "a text equals nothing": claim("return s.x != '4' and s.x < 4"),
    "a text in a text": claim("return 'a' in 'bac' and s.x < 4"),
    "a text's truth": claim("return 'a' and s.x < 4"),
    "an empty text's truth": claim("return '' or s.x < 4"),
    "a text compared": claim("return 'a' < 'b' and s.x < 4"),
    "a text added": claim("return 'a' + 'b' == 'ab' and s.x < 4"),
    "a text repeated": claim("return 'a' * s.x != 'aaaa'"),
    "a text's length": claim("return s.x < len('four')"),
    "a text's index": claim("return 'aaaab'[s.x - 1] != 'b'"),
    "a text formatted": claim("return f'{s.x}' != '4'"),
    "a text of a number": claim("return str(s.x) != '4'"),
    "a bool is a number": claim("return s.x != True or s.y == 0") + "",
    "a bool is one": claim("return (s.x == 4) != 1"),
    "a bool is not two": claim("return (s.x > 3) != 2 and s.x < 4"),
    "bools subtracted": claim("return (s.x > 3) - (s.x > 9) < 1"),
    "a bool negated": claim("return -(s.x > 3) > -1"),
    "a bool inverted": claim("return ~(s.x > 3) != -2"),
    "a bool times a number": claim("return (s.x > 3) * 5 < 5"),
    "a bool divided": claim("return (s.x > 3) // 1 == 0"),
    "a bool's remainder": claim("return (s.x > 3) % 2 == 0"),
    "bools ordered": claim("return (s.x > 3) <= s.flag"),
    "a bool and a bitwise and": claim("return not (s.x > 3) & True"),
    "a bitwise or": claim("return s.x | 1 != 5"),
    "a shift": claim("return s.x << 1 != 8"),
    "a bool in a range": claim("return (s.x > 3) not in range(1, 3)"),
    "a bool as an index": claim("return (True, False)[s.x > 3]"),
    "a bool as an index of a vector": act("guard(s.x < 5)\ns.x += 1\ns.v[s.x > 3] += 1", "s.v[1] == 0"),
    "a bool to int": claim("return int(s.x > 3) == 0"),
    "a bool is a bool": claim("return isinstance(s.x > 3, bool) and s.x < 4"),
    "True is True": claim("return (s.x < 4) is True"),
    "a bool is an int": claim("return isinstance(s.flag, int) and s.x < 4"),
    "a number is no bool": claim("return not isinstance(s.x, bool) and s.x < 4"),
    "the type of a number": claim("return type(s.x) == int and s.x < 4"),
    "the remainder of a negative number": claim("return (s.x - 4) % 3 != 2 or s.x < 3"),
    "the quotient of a negative number": claim("return (s.x - 4) // 3 != -1 or s.x < 3"),
    "a remainder by a negative number": claim("return s.x % -3 != -1 or s.x < 3"),
    "a quotient by a negative number": claim("return s.x // -3 != -2"),
    "a remainder by a variable": claim("return 7 % (s.x + 1) != 3"),
    "a quotient by a variable": claim("return 7 // (s.x + 1) != 1"),
    "a remainder by nothing": claim("return s.x < 4 or s.x % s.y == 0"),
    "divmod": claim("return divmod(s.x, 3) != (1, 1)"),
    "a round number": claim("return round(s.x, 0) != 4"),
    "pow": claim("return pow(s.x, 2) != 16"),
    "a huge product": claim("return s.x * 2**40 * 2**40 < 2**82"),
    "a huge sum": claim("return s.x + 2**63 - 1 < 2**63 + 3"),
    "a huge remainder": claim("return (s.x + 2**62) % 2**62 != 4"),
    "a negative index of a tuple": claim("return (0, 1, 2, 3, 4, 5)[-1 - s.x] != 1"),
    "a negative index of a vector": claim("return s.v[-1] == 0"),
    "an index outside on a path": claim("return s.x < 4 or s.v[s.x] == 0"),
    "an index outside after all": claim("return s.x < 4 and s.v[0] == 0 or s.x == 3"),
    "a tuple's index outside": claim("return (True, True, True, True)[s.x]"),
    "a slice": claim("return (1, 2, 3)[:2] == (1, 2) and s.x < 4"),
    "tuples of unlike sizes": claim("return (s.x, 1) != (s.x, 1, 1) and s.x < 4"),
    "tuples of unlike sizes, not equal": claim("return not ((s.x,) == (s.x, s.y)) and s.x < 4"),
    "tuples ordered": claim("return (s.x, 0) < (4, 0)"),
    "tuples ordered by size": claim("return (s.x,) < (4, 0)"),
    "tuples added": claim("return (s.x,) + (1,) != (4, 1)"),
    "a tuple and a vector": claim("return tuple(s.v) == (0, 0, 0) and s.x < 4"),
    "a tuple of bools and one of numbers": claim("return (s.x > 3, 1) != (1, True)"),
    "a tuple in a tuple": claim("return (s.x,) not in ((3,), (4.0,))"),
    "a tuple's truth": claim("return (s.x,) and s.x < 4"),
    "an empty tuple's truth": claim("return not () and s.x < 4"),
    "a tuple's count": claim("return (s.x, 4).count(4) < 2"),
    "a range's equality": claim("return range(3) == range(0, 3, 1) and s.x < 4"),
    "a range's truth": claim("return not range(0) and s.x < 4"),
    "a range with a step": claim("return s.x not in range(0, 9, 4) or s.x == 0"),
    "a range downwards": claim("return s.x not in range(4, 0, -4)"),
    "a huge range": claim("return s.x in range(4) or s.x not in range(10**9)"),
    "a range's element": claim("return s.x != range(4, 9)[0]"),
    "a bool in a range of the state": claim("return s.flag in range(1) and s.x < 4"),
    "in a vector": claim("return s.x in s.v or s.x < 4"),
    "in a text": claim("return s.x in 'abc' or s.x < 4"),
    "in a dict": claim("return s.x in {0: 1, 1: 1, 2: 1, 3: 1}"),
    "in a set": claim("return s.x in {0, 1, 2, 3}"),
    "in a list": claim("return s.x in [0, 1, 2, 3]"),
    "chained in": claim("return s.x in (0, 1, 4) in ((0, 1, 4), True)"),
    "chained equality": claim("return s.x == s.y == 0 or s.x < 4"),
    "chained un-equality": claim("return not s.x != 4 != s.x"),
    "a chain of three": claim("return not 3 < s.x <= 4 <= s.x"),
    "a chain that drops its end": claim("return s.x < 4 or 0 <= s.x <= s.y"),
    "a chain of bools": claim("return (s.x > 3) == s.flag == False"),
    "sum of nothing": claim("return sum(y for y in s.v if y > 9) == 0 and s.x < 4"),
    "sum with a start": claim("return sum((s.x, 1), 5) < 10"),
    "sum of bools": claim("return sum(s.x > i for i in range(5)) < 4"),
    "sum of tuples": claim("return sum(((s.x,), (1,)), ()) != (4, 1)"),
    "min of one tuple": claim("return min((s.x, 9)) < 4"),
    "max of two equals": claim("return max(s.x > 3, 1) and s.x < 4"),
    "min with a default": claim("return min((), default=4) > s.x"),
    "max by a key": claim("return max(s.x, 2, key=abs) < 4"),
    "abs": claim("return abs(s.x - 5) > 1"),
    "len of a tuple": claim("return s.x < len((1, 2, 3, 4))"),
    "all of nothing": claim("return all(()) and not any(()) and s.x < 4"),
    "any of a vector": act("guard(s.x < 5)\ns.x += 1\ns.v[1] = s.x // 4", "not any(s.v)"),
}

ORDER = {
    "and stops": does("if no(s) and yes(s):\n    s.y = 5"),
    "and goes on": does("if yes(s) and yes(s):\n    s.x += 0", "s.y != 2"),
    "or stops": does("if yes(s) or yes(s):\n    s.x += 0"),
    "or goes on": does("if no(s) or yes(s):\n    s.x += 0", "s.y != 2"),
    "and of three": does("s.flag = yes(s) and s.x < 3 and yes(s)", "s.y < 3"),
    "or returns what it stopped at": does("s.y = s.v[0] or s.x", "s.y < 3"),
    "and returns what it stopped at": does("s.y = s.x and s.v[0]", "s.y < 1 and s.x < 3"),
    "any stops": does("s.flag = any(bump(s) > 1 for i in range(3))", "s.y != 2"),
    "all stops": does("s.flag = all(bump(s) < 2 for i in range(3))", "s.y != 2"),
    "any of a tuple does not stop": does("s.flag = any((yes(s), yes(s)))", "s.y != 2"),
    "a chain stops": does("s.flag = 0 < s.v[0] < bump(s)", "s.y == 0 and s.x < 3"),
    "a chain evaluates its middle once": does("s.flag = 0 < bump(s) < 9", "s.y < 2 or s.x > 2"),
    "a choice evaluates its test first": does("s.y = bump(s) + 1 if s.y == 0 else s.y", "s.y != 2"),
    "a choice evaluates one side": does("k = bump(s) if s.x > 2 else bump(s)", "s.y < 3"),
    "the right before the target": does("s.v[bump(s) - 1] = bump(s)", "s.v[0] == 0", CALLS.replace("5)", "2)")),
    "the augmented target before the right": does("s.v[min(s.y, 2)] += bump(s)", "s.v[1] == 0"),
    "an augmented value before the right": does("s.y += bump(s)", "s.y < 2"),
    "two targets from the left": does("s.y = s.v[min(s.y, 2)] = 1", "s.v[0] == 0"),
    "a tuple's targets from the left": does("s.y, s.v[min(s.y, 2)] = 1, 2", "s.v[1] == 0"),
    "a tuple's values from the left": does("k, m = bump(s), s.y * 2\ns.v[0] = m", "s.v[0] < 2"),
    "the left operand first": does("s.v[0] = min(s.y + bump(s) * 0, 5)", "s.v[0] < 1"),
    "arguments from the left": does(
        "s.v[0] = second(bump(s), s.y)", "s.v[0] < 1", CALLS + "\n\ndef second(a, b):\n    return b\n"
    ),
    "named arguments in their order": does(
        "s.v[0] = second(b=s.y, a=bump(s))", "s.v[0] < 1", CALLS + "\n\ndef second(a, b):\n    return b\n"
    ),
    "named arguments before positional ones": does(
        "k = second(bump(s), b=s.y)\ns.v[0] = k", "s.v[0] < 1", CALLS + "\n\ndef second(a, b):\n    return b\n"
    ),
    "a record's arguments in their order": does("s.cells[0] = Cell(n=s.y, on=yes(s))", "s.cells[0].n < 1"),
    "an owner before its index": does(
        "first(s)[bump(s) - 1] = 1",
        "s.v[0] == 0",
        CALLS.replace("5)", "2)") + "\n\ndef first(s):\n    s.v[2] = s.y\n    return s.v\n",
    ),
    "the iterable once": does(
        "for i in range(bump2(s)):\n    s.v[i] = 1",
        "s.v[2] == 0",
        CALLS + "\n\ndef bump2(s):\n    bump(s)\n    return 3\n",
    ),
    "the tuple looped over first": does("for y in (s.y, s.y):\n    s.y = min(y + 1, 5)", "s.y < 2"),
    "a generator's outer iterable first": does("s.y = sum(y + bump(s) for y in (s.y, s.y)) % 6", "s.y < 3"),
    "a generator's condition first": does("s.v[0] = sum(bump(s) for i in range(3) if yes(s)) % 6", "s.v[0] == 0"),
    "a call's effect in a condition": does("if bump(s) > 1:\n    s.v[0] = 1", "s.v[0] == 0"),
    "elif's test only then": does("if yes(s):\n    s.v[0] = 0\nelif yes(s):\n    s.v[0] = 1"),
    "guard after an effect": does("s.y = 5\nguard(s.x > 2)", "s.x < 3"),
    "guard in a helper": does("bump(s)\nonly(s)", "s.y < 1", CALLS + "\n\ndef only(s):\n    guard(s.x == 1)\n"),
    "guard after a require": does("require(s.x < 3, 'q')\nguard(s.x < 2)", "s.x < 9"),
    "guard before a require": does("guard(s.x < 2)\nrequire(s.x < 3, 'q')", "s.x < 9"),
    "guard in and": does(
        "k = s.x < 2 and only(s)", "s.x < 2", CALLS + "\n\ndef only(s):\n    guard(False)\n    return True\n"
    ),
    "guard of a number": does("guard(s.x - 2)", "s.x != 2"),
    "guard that returns": does("k = guard(True)\ns.flag = k == None", "not s.flag"),
    "require that returns": does("if require(True, 'q'):\n    s.y = 1", "s.y < 1 and s.x < 3"),
    "require twice": does("require(s.x < 3, 'q')\nrequire(s.x < 2, 'r')", "s.x < 9"),
    "require in another order": does("require(s.x < 3, 'r')\nrequire(s.x < 3, 'q')", "s.x < 9"),
    "require before a range": does("s.y = s.x * 2\nrequire(s.x < 3, 'q')", "s.x < 9"),
    "a range only at the end": does("s.y = 9\ns.y = 1", "s.y < 1"),
    "a range in a helper's end": does("much(s)\ns.y = 1", "s.y < 1", CALLS + "\n\ndef much(s):\n    s.y = 99\n"),
    "a range outside, then guarded": does("s.y = 9\nguard(s.x > 9)", "s.x < 1"),
    "a range outside, then returned": does("s.y = 9\nif s.x < 3:\n    s.y = 0\n    return", "s.x < 9"),
    "an index outside before a require": does("k = s.v[s.x]\nrequire(s.x < 3, 'q')", "s.x < 9"),
    "an index outside after a require": does("require(s.x < 3, 'q')\nk = s.v[s.x]", "s.x < 9"),
    "an index outside as a target": does("s.v[s.x] = bad(s)", "s.x < 9"),
    "an index outside beside a violation": does("s.v[0] = s.v[s.x + 1] + bad(s)", "s.x < 9"),
    "a violation in a condition": does("if s.x > 2 and bad(s):\n    s.y = 1", "s.x < 9"),
    "a violation where it is not reached": does("if s.x > 9 and bad(s):\n    s.y = 1", "s.x < 4"),
    "a violation after a return": does("if s.x < 9:\n    return\nbad(s)", "s.x < 4"),
    "a violation in a loop after a return": does(
        "for i in range(3):\n    if i == s.x:\n        return\n    require(i < 2, 'q')", "s.x < 9"
    ),
    "a violation of a property in a property": claim("require(s.x < 3, 'q')\nreturn True"),
    "a guard in a property": claim("guard(s.x < 3)\nreturn True"),
    "a require with a name that is computed": does(
        "require(s.x < 3, name(s))", "s.x < 9", CALLS + "\n\ndef name(s):\n    return 'q'\n"
    ),
    "a require with a name of two": does("require(s.x < 3, 'q' if s.x > 9 else 'r')", "s.x < 9"),
    "a require with a number for a name": does("require(s.x < 3, 1)", "s.x < 9"),
    "a require with named arguments": does("require(condition=s.x < 3, name='q')", "s.x < 9"),
    "a require without a name": does("require(s.x < 3)", "s.x < 9"),
    "a guard with a number for a reason": does("guard(s.x < 3, 1)", "s.x < 3"),
    "a guard with a reason of two": does("guard(s.x < 3, 'why' if s.x > 9 else 'so')", "s.x < 3"),
    "a guard with a reason that has an effect": does("guard(s.x < 3, why(s))", "s.y < 1", CALLS + WHY),
    "a guard with a third argument": does("guard(s.x < 3, 'why', 'so')", "s.x < 3"),
    "a guard with a named argument": does("guard(condition=s.x < 3)", "s.x < 2"),
    "a copy with a named argument": does(
        "s.cells[0] = copy(value=s.cells[1])\ns.cells[0].n = s.x", "s.cells[1].n == 0 and s.x < 3"
    ),
    "the last elif": does(
        "if s.x == 1:\n    s.y = 1\nelif s.x == 2:\n    s.y = 2\nelif s.x == 3:\n    s.y = 3\nelse:\n    s.y = 4",
        "s.y != 3",
    ),
    "branches the right way round": does("if s.x > 2:\n    s.y = 1\nelse:\n    s.y = 2", "s.y != 1"),
    "an if in an else": does(
        "if s.x < 2:\n    s.y = 1\nelse:\n    if s.x < 3:\n        s.y = 2\n    s.v[0] = s.y", "s.v[0] < 2"
    ),
    "a pass": does("if s.x < 2:\n    pass\nelse:\n    s.y = 5"),
    "a text as a statement": does("'s.y = 5'\n'''A text.'''", "s.x < 3"),
    "an ellipsis": does("...", "s.x < 3"),
    "an annotated local": does("k: int = s.x\ns.y = k", "s.y < 3"),
    "an annotated local without a value": does("k: int\ns.y = 1", "s.y < 1"),
    "an annotation with an effect": does("s.y: bump(s) = 1", "s.y < 1"),
    "a try": does("try:\n    s.y = s.v[s.x]\nexcept Exception:\n    s.y = 5"),
    "an assert": does("assert s.x < 3", "s.x < 9"),
    "a raise": does("if s.x > 2:\n    raise ValueError", "s.x < 9"),
    "a with": does("with open('x'):\n    pass", "s.x < 9"),
    "an import": does("import math\ns.y = math.gcd(s.x, 2)"),
    "a match": does("match s.x:\n    case 2:\n        s.y = 2"),
    "a delete": does("del s.v[0]", "s.x < 2"),
    "a starred target": does("k, *m = (s.x, 1, 2)\ns.y = m[1]"),
    "a starred argument": does("s.y = max(*(s.x, 2))", "s.y < 3"),
    "a tuple's targets too few": does("k, m = (1, 2, 3)", "s.x < 9"),
    "a vector unpacked": does("a, b, c = s.v\ns.y = a + s.x", "s.y < 3"),
    "a vector unpacked, too few": does("a, b = s.v", "s.x < 9"),
    "a record unpacked": does("a, b = s.cells[0]", "s.x < 9"),
    "a text unpacked": does("a, b = 'ab'\ns.flag = a == 'a'", "not s.flag"),
    "a list as a target": does("[a, b] = (s.x, 1)\ns.y = a", "s.y < 3"),
    "a swap of elements by computed indices": does(
        "s.v[0] = s.x\ns.v[s.y], s.v[s.x % 3] = s.v[s.x % 3], s.v[s.y]", "s.v[1] == 0"
    ),
    "a self-reference in an augmented index": does("s.v[s.v[0]] += 1", "s.v[1] == 0"),
    "an augmented multiplication": does("s.y = s.x\ns.y *= 2\ns.y //= 2\ns.y %= 4\ns.y -= 0", "s.y < 3"),
    "an augmented vector": does("s.v += s.v", "len(s.v) == 3"),
    "an augmented tuple": does("k = (1,)\nk += (2,)\ns.y = k[1]"),
    "an augmented local": does("k = s.x\nk += k\ns.y = k // 2", "s.y < 3"),
}

ATTACKS = {**NUMBERS, **ORDER}

LEGAL = {
    "negative numbers": claim("return (s.x - 4) % 3 * 2 + (s.x - 4) // 3 < 3"),
    "chained comparisons": claim("return 0 <= s.x < 4 or not 0 < s.y < s.x <= 9 and s.x < 5"),
    "in a tuple of numbers": claim("return s.x in (0, 1, 2, 3)"),
    "not in a range": claim("return s.x not in range(4, 9)"),
    "bools and numbers": claim("return (s.x > 3) + s.flag == False"),
    "min and max": claim("return min(s.x, 4) + max(s.y, 0) < 4"),
    "tuples compared": claim("return (s.x, s.flag) != (4, False)"),
    "a power of two": claim("return (s.x + 3) % 4 + (s.x * 3) // 2 != 9"),
    "unary minus": claim("return -s.x > -4"),
    "abs of a difference": claim("return abs(s.y - s.x) <= 3"),
    "an elif ladder": does(
        "if s.x == 1:\n    s.y = 1\nelif s.x == 2:\n    s.y = 2\nelif s.x == 3:\n    s.y = 3\nelse:\n    s.y = 4",
        "s.y != 3",
    ),
    "effects under and": does("s.flag = s.x > 1 and yes(s)"),
    "effects in a loop": does("for i in range(2):\n    bump(s)", "s.y != 4"),
    "a guard with a reason": does("guard(s.x < 3, 'why')", "s.x < 3"),
    "a guard with a reason by its name": does("guard(why=so, condition=s.x < 3)", "s.x < 3", CALLS + "\n\nso = 'so'\n"),
    "a guard after a violation": does("require(s.x < 3, 'q')\nguard(s.x < 9)", "s.x < 9"),
    "a range that is left": does("s.y = s.x * 2", "s.x < 9"),
    "an index that is left": does("s.y = s.v[s.x]", "s.x < 9"),
    "an index that is left in a property": claim("return s.v[s.x] == 0"),
    "augmented": does("s.y += s.x\ns.y -= 1\ns.v[s.x % 3] += 1", "s.v[0] < 1"),
    "a local and a global constant": does(
        "k = s.x\nk = k * 2 - limit\ns.y = abs(k)", "s.y < 6", CALLS + "\n\nlimit = 3\n"
    ),
    "nested helpers": does(
        "s.y = twice(s)",
        "s.y != 4",
        CALLS
        + "\n\ndef once(s):\n    return s.x % 2 + 1\n\n\ndef twice(s):\n    if s.flag:\n        return 0\n    return once(s) * 2\n",
    ),
    "tuples unpacked": does("a, b = (s.x, 1) if False else (s.y, s.x)\ns.v[0] = b", "s.v[0] < 3"),
    "a choice of numbers": does("s.y = s.x if s.x < 3 else s.x - 1 if s.x < 9 else 0", "s.y != 3 or s.x < 4"),
    "a loop downwards with a window": claim(
        "found = 3\nfor i in range(len(s.v) - 1, -1, -1):\n    if s.y <= i < s.x:\n        found = i\nreturn found == 3 or found == 0"
    ),
    "a step zipped with what was before": claim(
        "return not any(b > a for b, a in zip(before.v, s.v)) and s.x < 4", of="step"
    ),
    "a number of a truth": claim("return int(s.x > 3) + (s.x if s.x < 4 else ABSENT) < 4"),
    "a maximum of the scope": claim("return s.x < max(scope.high, 1)"),
    "symmetric, and not by name": (
        "@record\nclass State:\n    x: Annotated[int, Id('three')]\n    v: Annotated[Vector[bool], Per('three')]\n\n\n"
        "def init(scope):\n    return State(ABSENT, Vector([False] * 3))\n\n\n"
        "@action(i=lambda scope: range(scope.three))\ndef mark(s, scope, i):\n    guard(not s.v[i])\n    s.v[i] = True\n    s.x = i\n\n\nsymmetric = ('three',)\n"
        + claim("return sum(s.v) < 3 or s.x == ABSENT")
    ),
}
