"""Actions: functions that change the state, declared with where their parameters get their values from."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def everywhere(context: Any) -> bool:
    """Whether something belongs to a scope, where nothing else is said: to every one."""
    return True


Choices = Callable[[Any], Iterable[Any]]
"""From a scope to the values that a parameter of an action may take in it."""


@dataclasses.dataclass(frozen=True)
class Action:
    """An action of the model: its function, and for each parameter after (state, context) the values to choose from."""

    function: Callable[..., None]
    choices: dict[str, Choices]
    applies: Callable[[Any], bool]
    """From a scope to whether the action belongs to it; one that does and is never enabled makes a check vacuous."""

    @property
    def name(self) -> str:
        """The name under which timelines, scenarios and hooks know the action."""
        return self.function.__name__

    def __call__(self, *arguments: Any, **named: Any) -> None:
        """Perform the action natively on the state given first."""
        self.function(*arguments, **named)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        """An action goes from one process to another by its place: its module has it under its function's name."""
        return _at, (self.function.__module__, self.function.__qualname__)


def _at(module: str, name: str) -> Action:
    """Return the action that a module has under a name."""
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, Action), f"{module}.{name} is declared as an action"
    return found


@dataclasses.dataclass(frozen=True)
class ActionDeclaration:
    """The part of an action that stands above its function: `@action()` makes one, and the def below completes it."""

    applies: Callable[[Any], bool]
    choices: dict[str, Choices]
    kind: str = "action"

    def __call__(self, function: Callable[..., None]) -> Action:
        """Return the action whose function it is."""
        return Action(function, self.choices, self.applies)


def action(applies: Callable[[Any], bool] = everywhere, /, **choices: Choices) -> ActionDeclaration:
    """Declare an action, the scopes that it belongs to, and where each of its parameters gets its values from."""
    return ActionDeclaration(applies, choices)


def subsets(names: Iterable[int]) -> Iterator[tuple[bool, ...]]:
    """Yield every subset of `names` as a tuple of bools, the empty one first."""
    members = list(names)
    for bits in range(2 ** len(members)):
        yield tuple(bool(bits >> place & 1) for place in range(len(members)))
