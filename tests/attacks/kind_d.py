"""D and E: which object a name means once places of the state have been replaced, and loops over what is written."""

from __future__ import annotations

from tests.attacks.models import act, claim

START = "guard(s.x < 3)\ns.x += 1\n"
NEW = "s.cells[0] = Cell(True, 1)\n"
PICK = "def first(s):\n    return s.cells[0]\n\n\ndef both(s):\n    return s.cells[0], s.cells[1]\n\n\ndef same(c):\n    return c\n"
INNER = """
@record
class Inner:
    n: Small


@record
class Cell:
    on: bool
    inner: Inner


def init(scope):
    return State(0, 0, False, Vector([0, 0, 0]), Vector([Cell(False, Inner(0)), Cell(False, Inner(0))]))
"""


def alias(body, stated="s.cells[0].n < 2 and s.y == 0", before=""):
    """An action in which a second name for a part of the state is used after a write."""
    return act(START + body, stated, before)


ALIASES = {
    "in a tuple, read": alias(f"t = (s.cells[0], 1)\n{NEW}s.y = t[0].n + 1", "s.y != 1"),
    "in a tuple, written": alias(f"t = (s.cells[0], 1)\n{NEW}t[0].n = 3"),
    "in a tuple of a tuple": alias(f"t = ((s.cells[0],), 1)\n{NEW}t[0][0].n = 3"),
    "in a tuple, unpacked later": alias(f"t = (s.cells[0], 1)\n{NEW}c, k = t\nc.n = 3"),
    "in a tuple, looped over": alias(f"t = (s.cells[0], s.cells[1])\n{NEW}for c in t:\n    c.n = 3"),
    "in a tuple, enumerated": alias(f"t = (s.cells[0], s.cells[1])\n{NEW}for i, c in enumerate(t):\n    c.n = 3"),
    "in a tuple, zipped": alias(f"t = (s.cells[0], s.cells[1])\n{NEW}for c, y in zip(t, s.v):\n    c.n = 3"),
    "in a tuple, compared": alias(f"t = (s.cells[0], 1)\n{NEW}s.y = int(t == (Cell(False, 0), 1))"),
    "in a tuple, in": alias(f"t = (s.cells[0], s.cells[1])\n{NEW}s.y = int(Cell(True, 1) in t)", "s.y == 1"),
    "in a tuple, by a generator": alias(
        f"t = (s.cells[0], s.cells[1])\n{NEW}s.y = sum(c.n for c in t)", "s.y == 1 or s.x == 0"
    ),
    "in a tuple, as an argument": alias(
        "change((s.cells[0], 1), s)", before="def change(t, s):\n    s.cells[0] = Cell(True, 1)\n    t[0].n = 3\n"
    ),
    "a tuple from a helper": alias(f"t = both(s)\n{NEW}t[0].n = 3", before=PICK),
    "a record from a helper": alias(f"c = first(s)\n{NEW}c.n = 3", before=PICK),
    "a record through a helper": alias(f"c = same(s.cells[0])\n{NEW}c.n = 3", before=PICK),
    "an argument": alias(
        "change(s.cells[0], s)", before="def change(c, s):\n    s.cells[0] = Cell(True, 1)\n    c.n = 3\n"
    ),
    "an argument of an argument's helper": alias(
        "outer(s.cells[0], s)",
        before="def outer(c, s):\n    renew(s)\n    c.n = 3\n\n\ndef renew(s):\n    s.cells[0] = Cell(True, 1)\n",
    ),
    "an argument beside its renewal": alias(
        "put(s.cells[0], renewed(s))",
        before="def renewed(s):\n    s.cells[0] = Cell(True, 1)\n    return 3\n\n\ndef put(c, n):\n    c.n = n\n",
    ),
    "the left of a sum beside its renewal": alias(
        "s.y = same(s.cells[0]).n + renewed(s)",
        "s.y < 4",
        PICK + "def renewed(s):\n    s.cells[0] = Cell(True, 3)\n    return 1\n",
    ),
    "a comparison beside its renewal": alias(
        "s.y = int(s.cells[0] == renewed(s))",
        "s.y == 0",
        "def renewed(s):\n    s.cells[0] = Cell(True, 3)\n    return s.cells[0]\n",
    ),
    "a tuple beside its renewal": alias(
        "t = (s.cells[0], renewed(s))\nt[0].n = 3",
        before="def renewed(s):\n    s.cells[0] = Cell(True, 1)\n    return 1\n",
    ),
    "a target beside its renewal": alias(
        "s.cells[0].n = renewed(s)",
        "s.cells[0].n != 3",
        "def renewed(s):\n    s.cells[0] = Cell(True, 1)\n    return 3\n",
    ),
    "an augmented target beside its renewal": alias(
        "s.cells[0].n += renewed(s)",
        "s.cells[0].n != 1",
        "def renewed(s):\n    s.cells[0] = Cell(True, 1)\n    return 2\n",
    ),
    "an augmented target's owner": alias(
        "s.cells[0].n += renewed(s)",
        "s.cells[0].n == s.x * 2 or s.cells[0].on",
        "def renewed(s):\n    s.cells = Vector([Cell(False, 2), Cell(False, 0)])\n    return 2\n",
    ),
    "an element's owner beside its renewal": alias(
        "s.v[0] = renewed(s)",
        "s.v[0] != 3",
        "def renewed(s):\n    s.v = Vector([1, 1, 1])\n    return 3\n",
    ),
    "an index beside its renewal": alias(
        "s.y = s.v[renewed(s)]", "s.y == 0", "def renewed(s):\n    s.v = Vector([1, 1, 1])\n    return 0\n"
    ),
    "a name": alias(f"c = s.cells[0]\n{NEW}c.n = 3"),
    "a name, read": alias(f"c = s.cells[0]\n{NEW}s.y = c.n", "s.y == 0 and s.x < 9"),
    "a second name": alias(f"c = s.cells[0]\nd = c\n{NEW}d.n = 3"),
    "a name of a choice": alias(f"c = s.cells[0] if s.flag else s.cells[1]\n{NEW}c.n = 3", "s.cells[1].n < 3"),
    "a choice in an expression": alias(
        "(s.cells[0] if renewed(s) else s.cells[1]).n = 3",
        "s.cells[0].n != 3",
        "def renewed(s):\n    s.cells[0] = Cell(True, 1)\n    return True\n",
    ),
    "a name replaced in a branch": alias(
        "c = s.cells[0]\nif s.x > 1:\n    s.cells[0] = Cell(True, 1)\nc.n = 3", "s.cells[0].n != 1"
    ),
    "a name replaced in a helper": alias(
        "c = s.cells[0]\nrenew(s)\nc.n = 3", before="def renew(s):\n    s.cells[0] = Cell(True, 1)\n"
    ),
    "a name replaced in a helper's branch": alias(
        "c = s.cells[0]\nrenew(s)\nc.n = 3",
        "s.cells[0].n != 1",
        "def renew(s):\n    if s.x > 1:\n        s.cells[0] = Cell(True, 1)\n",
    ),
    "a name of the whole vector": alias("w = s.v\ns.v = Vector([1, 1, 1])\nw[0] = 3", "s.v[0] < 2"),
    "a name of the whole vector, read": alias("w = s.v\ns.v = Vector([1, 1, 1])\ns.y = w[0]", "s.y == 0 and s.x < 9"),
    "a name of an element of a replaced vector": alias(
        "c = s.cells[0]\ns.cells = Vector([Cell(True, 1), Cell(True, 1)])\nc.n = 3", "s.cells[0].n < 2"
    ),
    "a name of a replaced inner record": alias(
        "c = s.cells[0].inner\ns.cells[0] = Cell(True, Inner(1))\nc.n = 3", "s.cells[0].inner.n < 2", INNER
    ),
    "a name of a record whose inner one is replaced": alias(
        "c = s.cells[0]\nc.inner = Inner(1)\ns.cells[0].inner.n += 1", "s.cells[0].inner.n != 2", INNER
    ),
    "an inner record given to two": alias(
        "i = Inner(1)\ns.cells[0].inner = i\ns.cells[1].inner = i\ns.cells[0].inner.n = 3",
        "s.cells[1].inner.n < 2",
        INNER,
    ),
    "an inner record in a new one": alias(
        "c = Cell(True, s.cells[0].inner)\nc.inner.n = 3", "s.cells[0].inner.n < 2", INNER
    ),
    "an inner record in a new one given": alias(
        "s.cells[1] = Cell(True, s.cells[0].inner)\ns.cells[1].inner.n = 3", "s.cells[0].inner.n < 2", INNER
    ),
    "a new inner record kept": alias("i = Inner(1)\nc = Cell(True, i)\ni.n = 3\ns.y = c.inner.n", "s.y != 3", INNER),
    "a copy of the outer keeps nothing": alias(
        "c = copy(s.cells[0])\nc.inner.n = 3", "s.cells[0].inner.n == 0 and s.x < 3", INNER
    ),
    "a record in a new vector": alias("w = Vector([s.cells[0], s.cells[0]])\nw[0].n = 3", "s.cells[0].n < 3"),
    "records in a new vector": alias("w = Vector(c for c in s.cells)\nw[0].n = 3", "s.cells[0].n < 3"),
    "records put back by a generator": alias(
        "c = s.cells[1]\ns.cells = Vector(d for d in s.cells)\nc.n = 3", "s.cells[1].n < 3"
    ),
    "records turned round by a generator": alias(
        "c = s.cells[0]\ns.cells = Vector(s.cells[1 - i] for i in range(2))\nc.n = 3", "s.cells[1].n < 3"
    ),
    "one record for every element": alias(
        "c = Cell(True, 1)\ns.cells = Vector(c for i in range(2))\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "one copy for every element": alias(
        "c = copy(s.cells[0])\ns.cells = Vector(c for i in range(2))\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "a copy put back": alias("c = s.cells[0]\ns.cells[0] = copy(c)\nc.n = 3"),
    "itself put back": alias("s.cells[0] = s.cells[0]\ns.cells[0].n = 3"),
    "its name put back": alias("c = s.cells[0]\ns.cells[0] = c\nc.n = 3"),
    "taken away and put back": alias(f"c = s.cells[0]\n{NEW}s.cells[0] = c\nc.n = 3"),
    "taken away and put elsewhere": alias(f"c = s.cells[0]\n{NEW}s.cells[1] = c\nc.n = 3", "s.cells[1].n < 3"),
    "swapped": alias("s.cells[0].n = 3\ns.cells[0], s.cells[1] = s.cells[1], s.cells[0]", "s.cells[1].n == 0"),
    "swapped with a name": alias(
        "c = s.cells[0]\ns.cells[0] = s.cells[1]\ns.cells[1] = c\nc.n = 3", "s.cells[1].n < 3"
    ),
    "one given to two in one line": alias(
        "s.cells[0] = s.cells[1] = Cell(True, 1)\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "one given to two by a tuple": alias(
        "s.cells[0], s.cells[1] = (Cell(True, 1),) * 2\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "one given, and a name kept": alias("c = s.cells[0] = Cell(True, 1)\nc.n = 3", "s.cells[0].n < 3"),
    "one given in a branch": alias("c = Cell(True, 1)\nif s.x > 1:\n    s.cells[0] = c\nc.n = 3", "s.cells[0].n < 3"),
    "one given in a helper": alias(
        "c = Cell(True, 1)\nput(s, c)\nc.n = 3", "s.cells[0].n < 3", "def put(s, c):\n    s.cells[0] = c\n"
    ),
    "one given in a tuple": alias("t = (Cell(True, 1), 1)\ns.cells[0] = t[0]\nt[0].n = 3", "s.cells[0].n < 3"),
    "one given from a tuple twice": alias(
        "t = (Cell(True, 1), 1)\ns.cells[0] = t[0]\ns.cells[1] = t[0]\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "one given in a loop": alias(
        "c = Cell(True, 1)\nfor i in range(2):\n    s.cells[i] = c\ns.cells[0].n = 3", "s.cells[1].n < 3"
    ),
    "one given at a computed index": alias("c = Cell(True, 1)\ns.cells[s.x % 2] = c\nc.n = 3", "s.cells[0].n < 3"),
    "a name replaced at a computed index": alias(
        "c = s.cells[0]\ns.cells[s.x % 2] = Cell(True, 1)\nc.n = 3", "s.cells[0].n != 3 or s.cells[0].on"
    ),
    "a name at a computed index": alias(f"c = s.cells[s.x % 2]\n{NEW}c.n = 3", "s.cells[1].n < 3"),
    "a default parameter kept": alias(
        "s.y = note(s)", "s.y < 2", "def note(s, c=Vector([0])):\n    c[0] += s.x\n    return min(c[0], 5)\n"
    ),
    "a global record given": alias("s.cells[0] = fixed\ns.cells[0].n += 1", "s.cells[0].n < 3")
    + "\nfixed = Cell(True, 1)\n",
    "a global record written": alias("fixed.n = min(fixed.n + 1, 5)\ns.y = fixed.n", "s.y < 3")
    + "\nfixed = Cell(True, 0)\n",
    "before and after are two": (
        "@step()\ndef p(before, s, scope):\n    before.cells[0].n = 3\n    return s.cells[0].n == 0 and before.cells[0].n == 3\n"
    ),
    "a property that writes": claim("s.x = 0\nreturn s.x == 0"),
    "a property that writes and asks": claim("c = s.cells[0]\ns.cells[0] = Cell(True, 1)\nreturn c.n == 0 and s.x < 4"),
    "the state itself assigned": alias("t = s\nt.x = 5", "s.x < 5"),
    "the state itself replaced": alias("s = State(0, 0, False, copy(s.v), copy(s.cells))\ns.x = 5", "s.x < 3"),
    "a parameter replaced in a helper": alias(
        "renew(s.cells[0])", "s.cells[0].n == 0 and s.x < 3", "def renew(c):\n    c = Cell(True, 1)\n    c.n = 3\n"
    ),
    "records in one, then replaced": alias(f"s.y = int(same(s.cells[0]) == s.cells[0])\n{NEW}", "s.y == 0", PICK),
    "a record is itself": alias("s.y = int(s.cells[0] is s.cells[0])", "s.y == 0"),
    "two equal records are two": alias("s.y = int(s.cells[0] is s.cells[1])", "s.y == 0 and s.x < 3"),
}

LOOPS = {
    "reversed, written behind": alias("for y in reversed(s.v):\n    s.v[0] = 1\n    s.y = y", "s.y == 0"),
    "reversed, written ahead": alias("for y in reversed(s.v):\n    s.v[2] = 1\n    s.y += y", "s.y == 0"),
    "reversed, records replaced": alias(
        "for c in reversed(s.cells):\n    s.cells[0] = Cell(True, 1)\n    s.y = c.n", "s.y == 0"
    ),
    "reversed, the vector replaced": alias(
        "for y in reversed(s.v):\n    s.v = Vector([1, 1, 1])\n    s.y = y", "s.y == 1"
    ),
    "reversed of an enumerate": alias("for i, y in reversed(enumerate(s.v)):\n    s.v[0] = 1\n    s.y = y", "s.y == 0"),
    "reversed, enumerated": alias("for i, y in enumerate(reversed(s.v)):\n    s.v[0] = 1\n    s.y = y", "s.y == 0"),
    "reversed, zipped": alias("for y, z in zip(reversed(s.v), s.v):\n    s.v[0] = 1\n    s.y = y", "s.y == 0"),
    "reversed twice": alias(
        "for y in reversed(tuple(reversed(s.v))):\n    s.v[2] = 1\n    s.y = y", "s.y == 0 and s.x < 3"
    ),
    "reversed in a generator": alias(
        "s.y = sum(y + write(s) for y in reversed(s.v))", "s.y == 0", "def write(s):\n    s.v[0] = 1\n    return 0\n"
    ),
    "reversed kept in a name": alias("r = reversed(s.v)\ns.v[0] = 1\nfor y in r:\n    s.y = y", "s.y == 0"),
    "reversed used twice": alias(
        "r = reversed((1, 2))\nfor y in r:\n    s.y = y\nfor y in r:\n    s.y = 5", "s.y != 1"
    ),
    "reversed compared": alias("s.y = int(reversed((1, 2)) == reversed((1, 2)))", "s.y == 0 and s.x < 3"),
    "reversed's truth": alias("if reversed(()):\n    s.y = 1", "s.y == 0"),
    "reversed's length": alias("s.y = len(reversed((1, 2)))", "s.y == 0"),
    "reversed indexed": alias("s.y = reversed((1, 2))[0]", "s.y == 0"),
    "reversed of a range": alias(
        "for i in reversed(range(3)):\n    s.y = i\n    if s.x > 2:\n        return", "s.y != 2"
    ),
    "enumerate, written ahead": alias("for i, y in enumerate(s.v):\n    s.v[2] = 1\n    s.y = y", "s.y == 0"),
    "enumerate, records replaced": alias(
        "for i, c in enumerate(s.cells):\n    s.cells[1] = Cell(True, 1)\n    s.y = c.n", "s.y == 0"
    ),
    "enumerate, this one replaced": alias(
        "for i, c in enumerate(s.cells):\n    s.cells[i] = Cell(True, 1)\n    c.n = 3", "s.cells[0].n != 1"
    ),
    "enumerate, the vector replaced": alias(
        "for i, y in enumerate(s.v):\n    s.v = Vector([1, 1, 1])\n    s.y = y", "s.y == 0 and s.x < 2"
    ),
    "enumerate from a number": alias("for i, y in enumerate(s.v, 2):\n    s.y = i", "s.y != 4"),
    "enumerate from a number of the state": alias("for i, y in enumerate(s.v, s.x):\n    s.y = i", "s.y != 4"),
    "enumerate kept": alias("e = enumerate(s.v)\nfor i, y in e:\n    s.y = i\nfor i, y in e:\n    s.y = 5", "s.y != 2"),
    "zip of unlike sizes": alias("for y, c in zip(s.v, s.cells):\n    s.y += 1", "s.y != 2"),
    "zip, strict": alias("for y, c in zip(s.v, s.cells, strict=True):\n    s.y = 1", "s.y < 1"),
    "zip of one vector twice": alias("for y, z in zip(s.v, s.v):\n    s.v[1] = 1\n    s.y += z", "s.y == 0"),
    "zip, the second replaced": alias(
        "for y, c in zip(s.v, s.cells):\n    s.cells[1] = Cell(True, 1)\n    s.y = c.n", "s.y == 0"
    ),
    "zip as an argument": alias(
        "s.y = total(zip(s.v, s.v))",
        "s.y == 0 and s.x < 3",
        "def total(pairs):\n    return sum(a + b + 1 for a, b in pairs) + sum(a for a, b in pairs)\n",
    ),
    "zip returned": alias(
        "for a, b in pairs(s):\n    s.v[2] = 1\n    s.y = b", "s.y == 0", "def pairs(s):\n    return zip(s.v, s.v)\n"
    ),
    "zip in a tuple": alias(
        "t = (zip(s.v, s.v), 1)\nfor a, b in t[0]:\n    s.y += 1\nfor a, b in t[0]:\n    s.y += 1", "s.y != 3"
    ),
    "zip's truth": alias("if zip(()):\n    s.y = 1", "s.y == 0"),
    "enumerate's truth": alias("if not enumerate(()):\n    s.y = 1", "s.y == 1"),
    "a loop, the vector replaced": alias(
        "for y in s.v:\n    s.v = Vector([1, 1, 1])\n    s.y += y", "s.y == 0 and s.x < 2"
    ),
    "a loop, this record replaced": alias(
        "for c in s.cells:\n    s.cells[0] = Cell(True, 1)\n    c.n = 3", "s.cells[0].n != 1"
    ),
    "a loop, the next record replaced": alias(
        "for c in s.cells:\n    s.cells[1] = Cell(True, 1)\n    s.y += c.n", "s.y == 0"
    ),
    "a loop, the next one given": alias(
        "d = Cell(True, 1)\nfor c in s.cells:\n    c.n = 2\n    s.cells[1] = d", "s.cells[1].n < 2"
    ),
    "a loop, the last one kept": alias(
        "for c in s.cells:\n    s.y = 0\ns.cells[1] = Cell(True, 1)\nc.n = 3", "s.cells[1].n == 1"
    ),
    "a loop over a tuple of elements": alias(
        "for y in (s.v[0], s.v[1]):\n    s.v[1] = 1\n    s.y = y", "s.y == 0 and s.x < 2"
    ),
    "a loop over tuple(vector)": alias("for y in tuple(s.v):\n    s.v[1] = 1\n    s.y += y", "s.y == 0"),
    "a loop over copy(vector)": alias("for y in copy(s.v):\n    s.v[1] = 1\n    s.y += y", "s.y == 0"),
    "a loop over sorted(vector)": alias("for y in sorted(s.v):\n    s.v[1] = 1\n    s.y += y", "s.y == 0"),
    "sorted of a tuple of fields": alias("s.y = sorted((s.x, 1))[0]", "s.y == 0"),
    "sorted, reversed": alias("s.y = sorted((1, 2), reverse=True)[0]", "s.y == 0"),
    "a loop that changes its target": alias("for s.y in range(3):\n    s.v[0] = s.y", "s.v[0] == 0"),
    "a loop that changes its target's place": alias("for s.v[s.y] in (1, 1):\n    s.y = 1", "s.v[1] == 0"),
    "a loop over a range of its own size": alias("for i in range(len(s.v)):\n    s.v[i] = i\ns.y = s.v[2]", "s.y < 2"),
    "a loop with return in a nested if": alias(
        "for y in s.v:\n    if y == 0:\n        if s.x > 1:\n            s.y = 1\n            return\n        s.y = 2\ns.y = 3",
        "s.y != 1",
    ),
    "a loop with continue in a nested if": alias(
        "for i in range(3):\n    if i < s.x:\n        if i > 0:\n            continue\n        s.y = i + 1\n    else:\n        s.y = 4\n        continue\n    s.v[i] = 1",
        "s.v[0] == 0",
    ),
    "continue in the inner of two": alias(
        "for i in range(2):\n    for j in range(3):\n        if j == s.x:\n            continue\n        s.y = j\n    s.v[i] = s.y",
        "s.v[1] != 1",
    ),
    "return from the inner of two": alias(
        "for i in range(2):\n    for j in range(3):\n        if j + i == s.x:\n            return\n        s.y = j\n    s.y = 5",
        "s.y != 5",
    ),
    "the loop's else": alias("for y in s.v:\n    if y > 0:\n        s.y = 1\nelse:\n    s.y = 2", "s.y < 2"),
    "while": alias("while s.y < 2:\n    s.y += 1", "s.y < 2"),
    "break": alias("for i in range(3):\n    s.y = i\n    if i == 1:\n        break", "s.y != 1"),
    "a list grown in a loop": alias(
        "w = [1]\nfor y in w:\n    if len(w) < 3:\n        w.append(1)\ns.y = len(w)", "s.y < 3"
    ),
    "a vector grown": alias("s.v.append(1)\ns.y = len(s.v)", "s.y < 4"),
    "a vector shrunk": alias("s.v.pop()\ns.y = 1", "len(s.v) == 3"),
    "a vector of another size given": alias("s.v = Vector([1, 1])", "len(s.v) == 3"),
    "a vector of another kind given": alias("s.v = Vector([True, False, True])", "s.v[0] == 0"),
    "records for numbers": alias("s.v = Vector([Cell(True, 1), 0, 0])", "s.x < 2"),
    "another class for a record": alias(
        "s.cells[0] = Pair(True, 1)",
        "s.cells[0] != Cell(True, 1)",
        "@record\nclass Pair:\n    on: bool\n    n: Small\n",
    ),
    "a number for a record": alias("s.cells[0] = 1", "s.cells[0] != 1"),
    "a record for a number": alias("s.y = Cell(True, 1)", "s.x < 2"),
    "a tuple for a vector": alias("s.v = (1, 1, 1)", "s.v[0] == 0"),
    "a list for a vector": alias("s.v = [1, 1, 1]", "s.v[0] == 0"),
    "a text for a number": alias("s.y = 'a'", "s.y != 'a'"),
    "None for a number": alias("s.y = None", "s.y == 0"),
    "a record's field that is none": alias("s.cells[0].m = 3", "s.x < 2"),
    "a vector's field that is none": alias("s.v.m = 3", "s.v.m == 4 or s.x < 2"),
}

ATTACKS = {**ALIASES, **LOOPS}

LEGAL = {
    "a name written": alias("c = s.cells[0]\nc.n += 1\nc.on = True", "s.cells[0].n < 3"),
    "a name of a choice written": alias("c = s.cells[0] if s.x > 1 else s.cells[1]\nc.n += 1", "s.cells[1].n < 2"),
    "copies swapped": alias(
        "s.cells[0].n = s.x\ns.cells[0], s.cells[1] = copy(s.cells[1]), copy(s.cells[0])", "s.cells[1].n < 3"
    ),
    "numbers swapped": alias("s.x, s.y = s.x, s.x\ns.v[0], s.v[1] = s.v[1], s.x", "s.v[0] < 2"),
    "a copy given": alias("c = copy(s.cells[1])\nc.n = s.x\ns.cells[0] = c", "s.cells[0].n < 3"),
    "a new record at a computed index": alias("s.cells[s.x % 2] = Cell(True, s.x)", "s.cells[0].n < 2"),
    "a new vector": alias("s.v = Vector(y + 1 for y in s.v)", "s.v[2] < 3"),
    "a new vector of records": alias("s.cells = Vector(Cell(True, c.n + 1) for c in s.cells)", "s.cells[1].n < 3"),
    "a queue moved on": alias("s.v[0] = s.v[1]\ns.v[1] = s.v[2]\ns.v[2] = s.x", "s.v[0] == 0"),
    "records moved on": alias(
        "for i in range(1):\n    s.cells[i] = copy(s.cells[i + 1])\ns.cells[1] = Cell(False, s.x)", "s.cells[0].n < 2"
    ),
    "read again after a write": alias(f"c = s.cells[0]\nc.n = 1\n{NEW}d = s.cells[0]\nd.n += 1", "s.cells[0].n != 2"),
    "enumerate": alias("for i, y in enumerate(s.v):\n    s.v[i] = y + i", "s.v[2] < 5"),
    "zip": alias("for y, c in zip((1, 2), s.cells):\n    c.n = y", "s.cells[1].n != 2"),
    "zip of three": alias("for i, c, d in zip(range(2), s.cells, s.cells):\n    c.n = i\n    s.y = d.n", "s.y < 1"),
    "enumerate of a zip": alias("for i, (a, b) in enumerate(zip(s.v, s.v)):\n    s.y = i + a + b", "s.y < 2"),
    "writing ahead in a loop": alias(
        "for i, y in enumerate(s.v):\n    if i < 2:\n        s.v[i + 1] = y + 1", "s.v[2] < 2"
    ),
    "reversed of a range": alias("for i in reversed(range(3)):\n    s.v[i] = i + s.v[0]", "s.v[2] < 3"),
    "reversed only read": claim("for y in reversed(s.v):\n    if y > 0:\n        return False\nreturn s.x < 4"),
    "counting down": alias(
        "for i in range(2, -1, -1):\n    s.v[i] = s.x\n    if i == s.y:\n        return", "s.v[0] < 2"
    ),
    "continue and return": alias(
        "for i in range(3):\n    if i == s.x:\n        continue\n    if i > s.x:\n        return\n    s.v[i] = 1",
        "s.v[1] == 0",
    ),
    "an inner record written": alias("c = s.cells[0].inner\nc.n += 1", "s.cells[0].inner.n < 3", INNER),
    "an inner record renewed": alias("s.cells[0].inner = Inner(s.x)", "s.cells[0].inner.n < 3", INNER),
    "a record with a new inner one": alias(
        "s.cells[0] = Cell(True, Inner(s.x))\ns.cells[1] = copy(s.cells[0])", "s.cells[1].inner.n < 3", INNER
    ),
    "a helper that makes a record": alias(
        "s.cells[0] = made(s.x)",
        "s.cells[0].n < 3",
        "def made(n):\n    c = Cell(False, n)\n    c.on = n > 1\n    return c\n",
    ),
    "a helper that picks a record": alias("first(s).n += 1", "s.cells[0].n < 3", PICK),
    "a row written where it stands": alias(
        "s.cells[s.x % 2].n = s.x\ns.cells[s.x % 2].on = not s.cells[s.x % 2].on", "s.cells[0].n < 2"
    ),
    "sums and quantifiers": claim(
        "return sum(c.on for c in s.cells) == 0 and any(c.n == 0 for c in s.cells) and all(y <= s.x for y in s.v) and s.x < 4"
    ),
    "nested quantifiers": claim(
        "return not any(s.v[i] > s.v[j] for i in range(3) for j in range(3) if i < j) and s.x < 4"
    ),
}
