"""One line of a trace made wrong in some way: for tests that no such line upsets a reader or a judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

Line = dict[str, Any]
OTHERS = (-1, 0, 1, 2, 3, 5, 8, 31, 64, 1 << 40, (1 << 63) - 1, -(1 << 63), 1 << 63, True, 1.5, "A", [], {})


def mutate(lines: list[Line], rng: Random) -> tuple[str, int, bytes]:
    """What was done, to which line (counted from 1), and the file that comes of it."""
    at = rng.randrange(len(lines))
    name = rng.choice([*VALUES] * 3 + [*LINES] + [*TEXTS])
    written = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]
    if name in VALUES:
        line = deepcopy(lines[at])
        spots = [spot for spot in places(line) if spot[1] != "e" or rng.random() < 0.1]
        if not spots:
            return mutate(lines, rng)
        VALUES[name](*rng.choice(spots), lines, rng)
        written[at] = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    elif name in LINES:
        LINES[name](written, at, rng)
    else:
        written[at] = TEXTS[name](written[at], rng)
    return name, at + 1, b"".join(written)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each key or index that it has, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [spot for key in keys for spot in places(value[key])]


# One field. Each changes what stands in a container under a key.


def _step(by: int) -> Callable[..., None]:
    def change(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
        old = inside[key]
        inside[key] = old + by if isinstance(old, int) and not isinstance(old, bool) else _other(old, lines, rng)

    return change


def _null(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
    inside[key] = None


def _drop(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
    del inside[key]


def _odd(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
    inside[key] = rng.choice(OTHERS)


def _like(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
    """Another value that the trace has under the same name, or one of its kind."""
    same = [spot[0][key] for line in lines[1:] for spot in places(line) if spot[1] == key and isinstance(key, str)]
    inside[key] = deepcopy(rng.choice(same)) if same else _other(inside[key], lines, rng)


def _twice(inside: Any, key: Any, lines: list[Line], rng: Random) -> None:
    """An element of a list stands there twice, or two of them change places."""
    if isinstance(inside, list) and rng.random() < 0.5:
        inside.insert(key, deepcopy(inside[key]))
    elif isinstance(inside, list):
        inside[key], inside[0] = inside[0], inside[key]
    else:
        _like(inside, key, lines, rng)


def _other(old: Any, lines: list[Line], rng: Random) -> Any:
    if isinstance(old, bool):
        return not old
    if isinstance(old, str):
        return rng.choice([*sorted({line["r"] for line in lines if isinstance(line.get("r"), str)}), "nobody"])
    return rng.randint(0, 20)


# Whole lines.


def _without(written: list[bytes], at: int, rng: Random) -> None:
    del written[at]


def _doubled(written: list[bytes], at: int, rng: Random) -> None:
    written.insert(at, written[at])


def _swapped(written: list[bytes], at: int, rng: Random) -> None:
    before = max(0, at - rng.randint(1, 3))
    written[at], written[before] = written[before], written[at]


def _moved(written: list[bytes], at: int, rng: Random) -> None:
    written.insert(rng.randrange(len(written)), written.pop(at))


def _ends(written: list[bytes], at: int, rng: Random) -> None:
    """The file ends in the middle of the line."""
    written[at:] = [written[at][: rng.randrange(len(written[at]))]]


# The text of a line.


def _put(line: bytes, key: bytes) -> bytes:
    return line.replace(b"{", b"{" + key + b",", 1)


def _key_twice(line: bytes, rng: Random) -> bytes:
    return _put(line, b'"%b":1' % rng.choice([*json.loads(line)]).encode())


def _deep(line: bytes, rng: Random) -> bytes:
    depth = rng.choice([3, 7, 8, 9, 50, 2000, 200_000])
    opens, closes = rng.choice([(b"[", b"]"), (b'{"x_":', b"}")])
    return _put(line, b'"x_deep":%b1%b' % (opens * depth, closes * depth))


def _huge(line: bytes, rng: Random) -> bytes:
    number = rng.choice([b"1" + b"0" * 30, b"-1" + b"0" * 5000, b"1e999", b"-0", b"1e2", b"NaN", b"Infinity", b"007"])
    colons = [index for index in range(len(line)) if line[index - 1 : index + 1] == b'":']
    at = rng.choice(colons) + 1
    end = at
    while line[end : end + 1] not in b",}]\n":
        end += 1
    return line[:at] + number + line[end:]


def _control(line: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(line))
    return (
        line[:at]
        + rng.choice([b"\x00", b"\x01", b"\x1b[2J", b"\xff", b"\xc0\x80", b"\r", b"\n", b"\\u0000"])
        + line[at:]
    )


def _named_oddly(line: bytes, rng: Random) -> bytes:
    odd = rng.choice(
        [b"\\u001b[31m", b"\\u0000", b"\\ud800", b"\\ud83d\\ude00", b"\xe2\x80\xae", b"%s{0}", b"a" * 9999]
    )
    return line.replace(b'"r":"', b'"r":"' + odd, 1).replace(b'"engine":"', b'"engine":"' + odd, 1)


def _cut(line: bytes, rng: Random) -> bytes:
    return line[: rng.randrange(len(line))] + b"\n"


def _unknown(line: bytes, rng: Random) -> bytes:
    return _put(line, rng.choice([b'"marked":1', b'"":null', b'"E":[]', b'"x":1', b'"tokens_":{}']))


def _own(line: bytes, rng: Random) -> bytes:
    return _put(line, rng.choice([b'"x_":1', b'"x_e":"launch"', b'"x_a":{"b":[{"c":null}]}', b'"x_\\u0000":[]']))


VALUES: dict[str, Callable[..., None]] = {
    "plus 1": _step(1), "minus 1": _step(-1), "null": _null, "field dropped": _drop, "odd value": _odd,
    "another's value": _like, "element twice": _twice,
}  # fmt: skip
LINES: dict[str, Callable[[list[bytes], int, Random], None]] = {
    "line dropped": _without, "line doubled": _doubled, "lines swapped": _swapped, "line moved": _moved,
    "file ends": _ends,
}  # fmt: skip
TEXTS: dict[str, Callable[[bytes, Random], bytes]] = {
    "key twice": _key_twice, "nested": _deep, "huge number": _huge, "control character": _control,
    "odd name": _named_oddly, "line cut": _cut, "unknown key": _unknown, "own key": _own,
}  # fmt: skip
MUST_NOT_READ = ("key twice", "unknown key")
"""What no trace of format 2 may be read with, whatever the line; format 1 lets unknown keys pass."""
