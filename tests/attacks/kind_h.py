"""H: properties, actions and choices that nothing asks for, and names that two of them have."""

from __future__ import annotations

from tests.attacks.models import UP, act, claim

HELD = "@always()\ndef q(s, scope):\n    return s.x < 9\n\n\n"
BAD = "@always()\ndef p(s, scope):\n    return s.x < 4\n\n\n"
NEVER = "def never(scope):\n    return {}\n\n\n"


def empty(choices, body="s.y = 1", parameter="x"):
    """An action with choices, beside one that is always there."""
    return (
        f"{UP}\n\n@action({parameter}={choices})\ndef jump(s, scope, {parameter}):\n    guard(s.y == 0)\n    {body}\n\n\n"
        + claim("return s.y < 1 and s.x < 9")
    )


# Nothing of these is in one place of the file.
LINELESS = {
    "no properties": "properties = ()\n",
    "a list without properties": "properties = []\n",
    "only lemmas": "@lemma()\ndef p(s, scope):\n    return s.x < 4\n",
    "only lemmas that hold": "@lemma()\ndef p(s, scope):\n    return s.x < 9\n",
    "nothing applies": BAD.replace("@always()", "@always(lambda scope: False)"),
    "nothing applies, as None": NEVER.format("None") + BAD.replace("@always()", "@always(never)"),
    "nothing applies, as an empty text": NEVER.format("''") + BAD.replace("@always()", "@always(never)"),
    "nothing applies, step and postcondition": claim("return s.x < 4", of="step").replace(
        "@step()", "@step(lambda scope: scope.none)"
    ),
    "properties as a generator": BAD + "properties = (item for item in (p,))\n",
    "properties as a used generator": BAD + "properties = (item for item in (p,))\nlist(properties)\n",
    "properties as a filter": BAD + "properties = filter(None, (p,))\n",
    "properties as a map": HELD + BAD + "properties = map(lambda item: item, (q, p))\n",
    "properties as an iterator": HELD + BAD + "properties = iter((q, p))\n",
    "properties as a dict": BAD + "properties = {p: 1}\n",
    "properties as a set": BAD + "properties = {p}\n",
    "properties as a class": BAD + "class properties:\n    p = p\n",
    "properties as a function": BAD + "def properties():\n    return (p,)\n",
    "properties as None": BAD + "properties = None\n",
    "properties that are one": BAD + "properties = p\n",
    "properties within properties": BAD + "properties = ((p,),)\n",
    "properties that change": BAD
    + HELD
    + "class Some(tuple):\n    def __iter__(self):\n        return iter(())\n\n\nproperties = Some((p, q))\n",
    "an unknown kind": "p = Property(lambda s, scope: s.x < 4, 'forever', lambda scope: True)\n",
    "an unknown kind beside a known one": HELD
    + "def p(s, scope):\n    return s.x < 4\n\n\np = Property(p, 'allways', lambda scope: True)\n",
    "actions as a generator": HELD + BAD + UP + "\nactions = (item for item in (up,))\n",
    "actions as an iterator": BAD + UP + "\nactions = iter((up,))\n",
    "actions as a used iterator": BAD + UP + "\nactions = iter((up,))\nlist(actions)\n",
    "actions as a map": BAD + UP + "\nactions = map(lambda item: item, [up])\n",
    "actions as a dict": BAD + UP + "\nactions = {up.name: up}\n",
    "actions that are one": BAD + UP + "\nactions = up\n",
    "actions as None": BAD + "actions = None\n",
    "no actions": BAD + "actions = ()\n",
    "one property twice": BAD + "properties = (p, p)\n",
    "two properties of one name": BAD + "kept = p\n\n\n@always()\ndef p(s, scope):\n    return s.x < 9\n",
    "two properties of one name, the other first": HELD.replace("def q", "def p") + "kept = p\n\n\n" + BAD,
    "two steps of one name": (
        "@step()\ndef p(before, s, scope):\n    return s.x < 4\n\n\nkept = p\n\n\n@step()\ndef p(before, s, scope):\n    return s.x < 3\n"
    ),
    "a step and a claim of one name": BAD + "kept = p\n\n\n@step()\ndef p(before, s, scope):\n    return s.x < 3\n",
    "a sometimes and a claim of one name": BAD
    + "kept = p\n\n\n@sometimes()\ndef p(before, s, scope):\n    return s.x == 9\n",
    "two sometimes of one name": (
        HELD
        + "@sometimes()\ndef p(before, s, scope):\n    return s.x == 9\n\n\nkept = p\n\n\n@sometimes()\ndef p(before, s, scope):\n    return s.x == 2\n"
    ),
    "a name with a hyphen and one without": (
        "def a_b(s, scope):\n    return s.x < 4\n\n\na_b = always()(a_b)\n\n\n@always()\ndef other(s, scope):\n    return s.x < 9\n\n\nother.function.__name__ = 'a-b'\n"
    ),
    "a property called well-formed": "@always()\ndef well_formed(s, scope):\n    return s.x < 4\n",
    "a require called as a property": act("guard(s.x < 5)\ns.x += 1\nrequire(s.x < 2, 'p')", "s.x < 4"),
    "a require called as a sometimes": act("guard(s.x < 5)\ns.x += 1\nrequire(s.x < 2, 'seen')", "s.x < 9")
    + claim("return s.x == 1", of="sometimes").replace("def p", "def seen"),
    "two actions of one name": (
        BAD + UP + "\nkept = up\n\n\n@action()\ndef up(s, scope):\n    guard(s.x == 1)\n    s.x = 4\n"
    ),
    "one action twice": BAD + UP + "\nactions = (up, up)\n",
    "an iterator as choices": empty("lambda scope: iter((1,))", "s.y = x"),
    "one iterator for ever as choices": "once = iter((1,))\n" + empty("lambda scope: once", "s.y = x"),
    "a generator as choices": empty("lambda scope: (x for x in (1,))", "s.y = x"),
    "choices that change": "kept = [1]\n\n\ndef fewer(scope):\n    return (kept.pop(),) if kept else ()\n\n\n"
    + empty("fewer", "s.y = x"),
    "no choices at all": empty("lambda scope: None", "s.y = x"),
    "a number as choices": empty("lambda scope: 1", "s.y = x"),
    "a text as choices": empty("lambda scope: '12'", "s.y = x == '1'"),
    "a set as choices": empty("lambda scope: {1, 2}", "s.y = x"),
    "a dict as choices": empty("lambda scope: {1: 2}", "s.y = x"),
    "a vector as choices": empty("lambda scope: Vector([1, 2])", "s.y = x"),
    "records as choices": empty("lambda scope: (Cell(True, 1),)", "s.y = x.n"),
    "floats as choices": empty("lambda scope: (1.0, 2.0)", "s.y = x"),
    "None as a choice": empty("lambda scope: (None,)", "s.y = 1 if x == None else 0"),
    "numbers of numpy as choices": empty("lambda scope: numpy.arange(1, 3)", "s.y = x"),
    "a choice given twice": empty("lambda scope: (1, 1, 2)", "s.y = x"),
    "choices out of order": empty("lambda scope: (5, 1, 3)", "s.y = x"),
    "bools as choices": empty("lambda scope: (False, True)", "s.y = x"),
    "choices for ever": "import itertools\n\n" + empty("lambda scope: itertools.count()", "s.y = min(x, 5)"),
    "a range for ever": empty("lambda scope: range(10**12)", "guard(x < 2)\n    s.y = x"),
    "choices that fail": empty("lambda scope: scope.nothing", "s.y = x"),
    "choices that are no function": empty("(1, 2)", "s.y = x"),
    "only an action without choices": BAD + "@action(x=lambda scope: ())\ndef up(s, scope, x):\n    s.x = x\n",
    "an action never enabled": HELD + UP + "\n\n@action()\ndef jump(s, scope):\n    guard(s.x > 9)\n    s.x = 0\n",
    "an applies that fails": BAD.replace("@always()", "@always(lambda scope: scope.nothing)"),
    "an applies that is no function": BAD.replace("@always()", "@always(False)"),
    "an action's applies that is no function": "@action(5)\ndef jump(s, scope):\n    s.x = 0\n\n\n" + BAD,
    "an action's applies that answers a number": "@action(lambda scope: 5)\ndef jump(s, scope):\n    s.x = 0\n\n\n"
    + BAD,
    "an applies that is once true": "kept = [1]\n\n\ndef once(scope):\n    return kept.pop() if kept else 0\n\n\n"
    + HELD
    + BAD.replace("@always()", "@always(once)"),
    "a property of too few parameters": "@always()\ndef p(s):\n    return s.x < 4\n",
    "a property of too many parameters": "@always()\ndef p(before, s, scope):\n    return s.x < 4\n",
    "a step of two parameters": "@step()\ndef p(s, scope):\n    return s.x < 4\n",
    "a sometimes of two parameters": HELD + "@sometimes()\ndef p(s, scope):\n    return s.x < 4\n",
    "an action of one parameter": BAD + "@action()\ndef up(s):\n    guard(s.x < 5)\n    s.x += 1\n",
    "an action without its choices": BAD + "@action()\ndef up(s, scope, by):\n    guard(s.x < 5)\n    s.x += by\n",
    "always without a call": "@always\ndef p(s, scope):\n    return s.x < 4\n",
    "action without a call": BAD
    + "@action\ndef up(s, scope):\n    guard(s.x < 5)\n    s.x += 1\n\n\nactions = (up,)\n",
    "a plain function as a property": BAD + "def q(s, scope):\n    return s.x < 2\n\n\nproperties = (p, q)\n",
    "only a sometimes that is never seen": "@sometimes()\ndef p(before, s, scope):\n    return s.x == 9\n",
    "a scope with a text": "@dataclass(frozen=True)\nclass Scope:\n    high: int = 5\n    mode: str = 'a'\n    two: int = 2\n    three: int = 3\n\n\n"
    + claim("return scope.mode != 'a' or s.x < 4"),
    "a scope that is no dataclass": "class Scope:\n    high = 5\n    two = 2\n    three = 3\n\n\n" + BAD,
    "a scope with a field that must be given": "@dataclass(frozen=True)\nclass Scope:\n    high: int\n    two: int = 2\n    three: int = 3\n\n\n"
    + BAD,
    "a context that fails": "class Context:\n    def __init__(self, scope):\n        self.high = scope.nothing\n\n\n"
    + BAD,
    "a context that is a function": "def Context(scope):\n    return scope\n\n\n" + BAD,
    "symmetric, as a text": BAD + "symmetric = 'two'\n",
    "symmetric, unknown": BAD + "symmetric = ('four',)\n",
    "symmetric, None": BAD + "symmetric = None\n",
    "an exception in a property": "@always()\ndef p(s, scope):\n    return (0, 1, 2, 3)[s.x] >= 0\n",
    "an exception in an action": act("guard(s.x < 5)\ns.x += (1, 1, 1)[s.x]", "s.x < 9"),
    "an exception in a property by division": "@always()\ndef p(s, scope):\n    return 5 // (4 - s.x) < 9\n",
    "an exception by a record's field": "@always()\ndef p(s, scope):\n    return s.x < 4 or s.z\n",
    "an exception in a helper that is rare": claim("return s.x < 5 or odd(s)", "def odd(s):\n    return nothing\n"),
    "a model that exits": BAD + "raise SystemExit(0)\n",
    "a model that Python cannot read": BAD + "def (:\n",
    "an empty model": "properties = actions = None\ndel properties, actions, init, State, Scope\n",
}

ATTACKS = {name: "# lineless\n" + text for name, text in LINELESS.items()}

LEGAL = {
    "one of two applies": HELD + BAD.replace("@always()", "@always(lambda scope: scope.high > 9)"),
    "one of two applies, and is violated": HELD.replace("@always()", "@always(lambda scope: scope.high > 9)") + BAD,
    "lists": HELD + UP + "\nactions = [up]\nproperties = [q]\n",
    "a lemma beside a claim": HELD + "@lemma()\ndef r(s, scope):\n    return s.x < 9\n",
    "a lemma that does not hold is not asked": HELD + "@lemma()\ndef r(s, scope):\n    return s.x < 3\n",
    "a postcondition": HELD + "@postcondition()\ndef r(before, s, scope):\n    return s.x == before.x + 1\n",
    "a postcondition that is violated": HELD + "@postcondition()\ndef r(before, s, scope):\n    return s.x < 3\n",
    "all kinds": (
        HELD
        + "@step()\ndef r(before, s, scope):\n    return s.x > before.x\n\n\n@sometimes()\ndef t(before, s, scope):\n    return s.x == 3\n\n\n@postcondition()\ndef u(before, s, scope):\n    return s.y == 0\n"
    ),
    "a generator of choices": empty("lambda scope: (x for x in range(1, 3))", "s.y = x"),
    "an iterable of permutations": "import itertools\n\n"
    + empty("lambda scope: itertools.permutations(range(2))", "s.y = x[0]"),
    "an order that is sorted": "import itertools\n\n"
    + empty("lambda scope: itertools.permutations(range(2))", "guard(x == tuple(sorted(x)))\n    s.y = x[1]"),
    "an order that is looped over": "import itertools\n\n"
    + empty("lambda scope: itertools.permutations(range(3), 2)", "for i in x:\n        s.v[i] = s.y\n        s.y += 1"),
    "a subset that is looped over": empty(
        "lambda scope: subsets(range(3))",
        "for i, wanted in enumerate(x):\n        if wanted:\n            s.v[i] = 1\n    s.y = sum(s.v)",
    ),
    "a subset of no members": empty("lambda scope: [(False,) * scope.two]", "guard(not any(x))\n    s.y = len(x) - 1"),
    "a list of one choice": empty("lambda scope: [ABSENT]", "s.y = x + 1"),
    "two properties violated at once": BAD + BAD.replace("def p", "def q"),
    "two properties violated one after the other": BAD + BAD.replace("def p", "def q").replace("4", "3"),
    "a require beside a claim": act("guard(s.x < 5)\ns.x += 1\nrequire(s.x < 4, 'q')", "s.x < 9"),
}
