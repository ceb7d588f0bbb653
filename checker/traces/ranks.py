"""The ranks of one server: each has the same work, and decides by itself; where two decide differently, one is wrong.

A trace a rank, all in one folder. What is compared is what a rank decided, event by event, so that times and a
recorder's own keys do not matter. What cannot be compared (a rank that is missing, or ends before the others) has not
been shown to agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, Final

import msgspec

from checker.exit_codes import BadInput
from checker.traces.format import Event, Header, Stop
from checker.traces.reading import BadTrace, open_trace

_NUMBER: Final = re.compile(r"rank[-_ ]?(\d+)", re.IGNORECASE)
"""How a file's name says which rank it is of."""
_MISSING: Final = object()

Decision = tuple[int, Header | Event]
"""What a rank has decided, with its line."""


class BadRanks(BadInput):
    """A folder, or a number of ranks, that cannot be meant."""


@dataclass(frozen=True, slots=True)
class RankSaid:
    """What one rank says at the place where they differ."""

    file: Path
    line: int
    said: str


@dataclass(slots=True)
class RankComparison:
    """How the ranks of a server have decided."""

    path: Path
    """The folder."""
    files: list[Path]
    pool: str = ""
    """The pool that the traces are of, where a folder has several."""
    alike: int = 0
    """How many decisions all of them have made alike."""
    where: str = ""
    """Which key of a line they say differently; empty: none."""
    differing: list[RankSaid] = field(default_factory=list)
    shorter: list[str] = field(default_factory=list)
    """Which ranks end before others, in words."""
    missing: list[str] = field(default_factory=list)
    """Which ranks are not there, or cannot be compared, in words."""

    @property
    def outcome(self) -> str:
        """What the comparison comes to, in the words of a verdict."""
        return "bad" if self.differing else "not covered" if self.missing else "cut" if self.shorter else "good"


def rank_files(folder: Path) -> list[Path]:
    """Return the traces of a folder, by the numbers in their names; raises BadRanks."""
    if not folder.is_dir():
        raise BadRanks(f"--ranks {folder}: no such folder; name the one that has a trace of each rank")
    found = sorted(folder.glob("*.ndjson"), key=lambda path: [_natural(part) for part in re.split(r"(\d+)", path.name)])
    if not found:
        raise BadRanks(f"--ranks {folder}: no trace lies there; a rank's trace is a file such as rank0.ndjson")
    return found


def _natural(part: str) -> tuple[int, str]:
    return (int(part), "") if part.isdecimal() else (-1, part)


def compare_ranks(folder: Path, files: Sequence[Path], wanted: int | None = None) -> list[RankComparison]:
    """Compare the traces of a folder, those of each pool among themselves; `wanted`: how many ranks there must be."""
    pools: dict[str, list[Path]] = {}
    unread: list[str] = []
    for file in files:
        try:
            reader = open_trace(file)
        except BadTrace as error:
            unread.append(f"{file.name} cannot be read: {error.reason}")
            continue
        reader.close()
        pools.setdefault(reader.header.pool, []).append(file)
    comparisons = [_compared(folder, pool, same) for pool, same in pools.items()] or [
        RankComparison(folder, list(files))
    ]
    for found in comparisons:
        found.missing = [*unread, *_absent(found.files, wanted), *found.missing]
        found.pool = found.pool if len(comparisons) > 1 else ""
    return comparisons


def _absent(files: Sequence[Path], wanted: int | None) -> list[str]:
    """Say which ranks are not there, by the numbers in the names of those that are, and by how many there must be."""
    if wanted is not None and len(files) != wanted:
        return [f"there are traces of {len(files)} ranks, and --rank-count says {wanted}"]
    numbers = {int(said[1]) for file in files if (said := _NUMBER.search(file.stem))}
    gaps = sorted(set(range(max(numbers, default=-1) + 1)) - numbers)
    if gaps:
        return [f"there is no trace of rank {', '.join(map(str, gaps))}"]
    return ["there is a trace of one rank alone, with nothing to compare it to"] if len(files) < 2 else []


def _compared(folder: Path, pool: str, files: list[Path]) -> RankComparison:
    """Go through the traces of a pool side by side, up to the first difference."""
    found = RankComparison(folder, files, pool)
    streams = {file: _decisions(file, found.missing) for file in files}
    going = list(files)
    for decided in zip_longest(*streams.values()):
        here = {file: one for file, one in zip(files, decided, strict=True) if one is not None}
        ended = [file for file in going if file not in here]
        going = [file for file in going if file in here]
        if ended and going:
            last, line = going[0], here[going[0]][0]
            found.shorter += [
                f"{file.name} ends after {found.alike} lines; {last.name} has a line {line}" for file in ended
            ]
        if _differ(found, here):
            break
        found.alike += 1
    return found


def _decisions(file: Path, unread: list[str]) -> Iterator[Decision]:
    """Yield what a rank decided up to its end; a line that cannot be read ends it too, and is noted."""
    try:
        reader = open_trace(file)
        yield 1, reader.header
        for line, event in reader:
            if isinstance(event, Stop):
                if event.why != "closed":
                    unread.append(f"{file.name} is not covered from line {line} on: {event.what}")
                return
            yield line, event
    except BadTrace as error:
        unread.append(f"{file.name} cannot be read from line {error.line} on")


def _differ(found: RankComparison, here: dict[Path, Decision]) -> bool:
    """Whether two of the decisions are different ones; notes the first key in which they are."""
    decided = {file: _timeless(event) for file, (_, event) in here.items()}
    if all(one == other for one, other in pairwise(decided.values())):
        return False
    plain = {file: msgspec.to_builtins(event) for file, event in decided.items()}
    first = next(iter(plain.values()))
    path = next(path for other in plain.values() for path in _paths(first, other))
    found.where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
    found.differing = [RankSaid(file, here[file][0], _spelled(_at(plain[file], path))) for file in here]
    return True


def _timeless(event: Header | Event) -> Header | Event:
    return event if event.t is msgspec.UNSET else msgspec.structs.replace(event, t=msgspec.UNSET)


def _paths(one: Any, other: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield where two values differ, as deep as they are of one shape; the kind of an event comes first."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys: Iterable[Any] = sorted(one.keys() | other.keys(), key=lambda key: (key != "e", key))
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        keys = range(max(len(one), len(other)))
    else:
        if one != other:
            yield ()
        return
    for key in keys:
        for inner in _paths(_at(one, (key,)), _at(other, (key,))):
            yield (key, *inner)


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        if isinstance(value, dict):
            value = value.get(key, _MISSING)
        elif isinstance(value, list | tuple) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return _MISSING
    return value


def _spelled(value: Any) -> str:
    return "left out" if value is _MISSING else msgspec.json.encode(value).decode()
