"""Verdicts of earlier runs, found again where nothing has changed that they depend on.

Kept is only what passed and can be no other way next time: nothing that failed, was cut short or left open, nothing
about a file of the user's own, nothing from a run during which one of our texts was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import checker
from checker.command.cache_key import digest, spelled, stamps, surroundings
from checker.search.saved import FOLDER
from checker.workers import spread

KEPT: Final = 10
"""Of so many states of the texts verdicts are kept, the newest."""
SOON: Final = 100_000_000
"""Nanoseconds by which a text must be older than this process: a file's times are not exact."""
_DIGEST: Final = hashlib.sha256().digest_size


class Settles(Protocol):
    """What every result of a task says of itself."""

    @property
    def settled(self) -> bool:
        """Whether it passed, and would again: nothing of it depends on how long anything took."""


Result = TypeVar("Result", bound=Settles)


class Cache:
    """The verdicts in a folder; None: none are kept, and none are found."""

    def __init__(self, folder: Path | None = FOLDER / "cache") -> None:
        self.found = 0
        """How many verdicts were those of an earlier run."""
        self._folder: Path | None = None
        if folder is not None:
            self._stamps = stamps()
            # What was written since this process began may not be what it has loaded.
            if max(changed for changed, *_ in self._stamps.values()) < checker.STARTED - SOON:
                self._folder = folder / digest(surroundings())[:32]

    @classmethod
    def unless(cls, forbidden: bool) -> Cache:
        """Return the cache of the folder that the command runs in, or one that keeps nothing."""
        return cls(None) if forbidden else cls()

    def words(self, of: int) -> Iterator[str]:
        """Say how many verdicts are those of an earlier run; nothing where none is."""
        if self.found:
            yield f"{self.found} of {of} verdicts are those of an earlier run, of the same texts: --no-cache asks anew"

    def perform(self, tasks: Sequence[Callable[[], Result]]) -> Iterator[Result]:
        """Yield the result of each task, at once where it is known, else as parallel processes come to it."""
        places = {number: self._place(task) for number, task in enumerate(tasks)}
        left: list[tuple[int, Callable[[], Result]]] = []
        for number, task in enumerate(tasks):
            known = self._load(places[number])
            if known is None:
                left.append((number, task))
            else:
                self.found += 1
                yield known
        for number, result in spread(_performed, left):
            self._keep(places[number], result)
            yield result

    def _place(self, task: object) -> Path | None:
        return self._folder / digest(spelled(task)) if self._folder is not None else None

    def _load(self, place: Path | None) -> Any:
        """Return a result, None where there is none: whatever is wrong with a file is as if it were not there."""
        if place is None:
            return None
        with contextlib.suppress(Exception):
            kept = place.read_bytes()
            if _seal(place, kept[_DIGEST:]) == kept[:_DIGEST]:
                result = _Results(io.BytesIO(kept[_DIGEST:])).load()
                return result if result.settled else None
        return None

    def _keep(self, place: Path | None, result: Settles) -> None:
        """Keep a result; a folder that cannot be written is no reason to end, there is only more to do next time."""
        if place is None or not result.settled or stamps() != self._stamps:
            return
        text = pickle.dumps(result)
        with contextlib.suppress(OSError):
            if not place.parent.is_dir():
                place.parent.mkdir(parents=True)
                _forget(place.parent.parent)
            beside = place.with_suffix(f".{os.getpid()}")
            beside.write_bytes(_seal(place, text) + text)
            beside.replace(place)


def _seal(place: Path, text: bytes) -> bytes:
    """Return what shows that a file is whole, and lies where it was put: under what it depends on."""
    return hashlib.sha256(f"{place.parent.name}/{place.name}/".encode() + text).digest()


def _performed(numbered: tuple[int, Callable[[], Result]]) -> tuple[int, Result]:
    """Perform one of the tasks, in a process of its own."""
    number, task = numbered
    return number, task()


def _forget(folder: Path) -> None:
    """Remove what belongs to states of the texts that are long gone."""
    for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


class _Results(pickle.Unpickler):
    """Reads results, which are records of ours in plain collections: whatever else a file names is refused."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of ours, or of the few others that results are made of."""
        found = super().find_class(module, name)
        ours = module.partition(".")[0] in ("spec", "checker") and isinstance(found, type)
        if ours or (module, name) in (("collections", "Counter"), ("builtins", "set"), ("builtins", "frozenset")):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a result")
