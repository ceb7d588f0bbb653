"""Properties: functions that say whether something holds, of states or of steps, declared by their kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from spec.language.actions import everywhere

Phases = int | tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Property:
    """What is stated of a model, by its kind.

    always: of every reachable state; step: of every transition; sometimes: must be seen. Of our own design alone:
    postcondition, of every transition; lemma, of every reachable state.
    """

    function: Callable[..., bool]
    kind: str
    applies: Callable[[Any], bool]
    each: tuple[int, ...] = ()
    """The phases in which it is stated of each request; empty where it is stated of a whole state or step."""
    of_one: Callable[..., bool] | None = None
    """What is stated of each request: `of_one(state, context, number, request)`; `function` asks it of all of them."""

    @property
    def written(self) -> Callable[..., bool]:
        """The function that stands in the file."""
        return self.of_one or self.function

    @property
    def name(self) -> str:
        """The name as people write it: with hyphens."""
        return self.function.__name__.replace("_", "-")

    @property
    def sentence(self) -> str:
        """What the property says, in one sentence."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @property
    def of_steps(self) -> bool:
        """Whether it speaks about a step, the states before and after, and not about one state."""
        return self.kind in ("step", "postcondition", "sometimes")

    def __call__(self, *arguments: Any) -> bool:
        """Evaluate the property natively."""
        return self.function(*arguments)


@dataclasses.dataclass(frozen=True)
class Declaration:
    """The part of a property that stands above its function: `@always()` makes one, and the def below completes it."""

    kind: str
    applies: Callable[[Any], bool]
    each: Phases | None = None

    def __call__(self, function: Callable[..., bool]) -> Property:
        """Return the property whose function it is."""
        if self.each is None:
            return Property(function, self.kind, self.applies)
        phases = self.each if isinstance(self.each, tuple) else (self.each,)
        return Property(_of_all(function, phases), self.kind, self.applies, phases, function)


def _of_all(of_one: Callable[..., bool], phases: tuple[int, ...]) -> Callable[[Any, Any], bool]:
    """Return what a property of one request says of a state: that it holds of each request in one of the phases."""

    def of_all(s: Any, context: Any) -> bool:
        return all(of_one(s, context, number, each) for number, each in enumerate(s.requests) if each.phase in phases)

    of_all.__name__, of_all.__doc__ = of_one.__name__, of_one.__doc__
    return of_all


def always(applies: Callable[[Any], bool] = everywhere, *, each: Phases | None = None) -> Declaration:
    """Declare a property of every reachable state: `function(state, context)`.

    With `each`, of each of its requests in that phase, or in one of these: `function(state, context, number, request)`.
    """
    return Declaration("always", applies, each)


def step(applies: Callable[[Any], bool] = everywhere) -> Declaration:
    """Declare a property of every transition: `function(before, after, context)`."""
    return Declaration("step", applies)


def postcondition(applies: Callable[[Any], bool] = everywhere) -> Declaration:
    """Declare what our own design does in every transition: `function(before, after, context)`.

    It is claimed only where the context is exactly the model's own, and asked by searches only, never by a proof.
    """
    return Declaration("postcondition", applies)


def lemma(applies: Callable[[Any], bool] = everywhere, *, each: Phases | None = None) -> Declaration:
    """Declare what our own design promises of every reachable state, written like *always*; proofs stand on it."""
    return Declaration("lemma", applies, each)


def sometimes(applies: Callable[[Any], bool] = everywhere) -> Declaration:
    """Declare something that must be seen: `function(before, after, context)`; never seen, the run fails as vacuous."""
    return Declaration("sometimes", applies)
