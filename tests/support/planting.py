"""Faults planted in the runtime: for a while a function gets another text, as a slip would have changed it."""

from __future__ import annotations

import contextlib
import inspect
import linecache
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from checker.search.check import Check


class StalePlant(ValueError):
    """The text to be replaced is not there exactly once: the runtime has moved on, and the plant must follow."""


@dataclass(frozen=True, slots=True)
class Plant:
    """Replace `old` by `new` in the text of `owner.name`, a method of a class or a function of a module."""

    owner: Any
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A slip of the runtime: what it does, the change that makes it, and what the spec knows of the same slip."""

    name: str
    stands_for: str
    """One sentence, with the ids of the public bugs of the kind."""
    plants: tuple[Plant, ...]
    counterpart: Check | None = None
    """The same slip in the spec, a shipped design or a wrong edit; None: the spec has nothing of the kind."""

    @contextlib.contextmanager
    def planted(self) -> Iterator[None]:
        """Change the runtime, and change it back at the end; raises StalePlant."""
        with contextlib.ExitStack() as stack:
            for plant in self.plants:
                # One after the other: a second plant in a function goes into what the first has made of it.
                stack.enter_context(patch.object(plant.owner, plant.name, planted(plant)))
            yield


def planted(plant: Plant) -> Callable[..., Any]:
    """Return the function with its text changed; it goes by the same module, so later changes there reach it too."""
    function = getattr(plant.owner, plant.name)
    text = textwrap.dedent(inspect.getsource(function))
    if text.count(plant.old) != 1:
        raise StalePlant(
            f"{function.__qualname__}: {plant.old!r} stands there {text.count(plant.old)} times; name what is unique"
        )
    text = text.replace(plant.old, plant.new)
    file = f"<planted {function.__qualname__} {hash(text):x}>"
    # Where inspect and a traceback look for text that is in no file.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    made: dict[str, Any] = {}
    exec(compile(text, file, "exec"), vars(sys.modules[function.__module__]), made)
    changed: Callable[..., Any] = made[function.__name__]
    return changed
