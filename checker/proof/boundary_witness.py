"""Inputs that tell the shipped code from the spec: a property that fails is run natively, its calls written down."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from checker.model.model import Model, TakenStep
from checker.model.replay import replay
from checker.proof.boundary_contract import SHIPPED
from checker.proof.boundary_proof import BoundaryDifference, model_with
from checker.proof.boundary_source import Boundary, about, functions
from checker.search.bfs import Search
from checker.search.exploration import Limits
from spec.language import Violated, copy

SEARCHED = tuple(
    f"requests=1 slots=5 nodes=2 max_len=5 mode={words}" for words in ("eager", "lazy", "lazy without_spare=skip")
)
"""Small scopes in which a run to the difference is looked for: a run says more than a state."""
_LIMITS = Limits(states=200_000, seconds=20.0)


@dataclass(slots=True)
class Witness:
    """A difference in words."""

    property: str
    inputs: str
    """The calls of the shipped code with their arguments and answers, and what the spec says instead."""
    step: str
    """The action of the spec, with its arguments."""
    scope: str
    run: list[TakenStep]
    """The shortest run that ends with that step; empty: none in the small scopes, the state is the solver's."""


class Listener:
    """Notes the calls of the shipped functions since the last comparison that came out right."""

    def __init__(self, module: Boundary) -> None:
        self.calls: list[str] = []
        self.last: object = None
        self.compared: tuple[int, int] | None = None
        self.module = SimpleNamespace(
            **{name: self._heard(name, function) for name, function in functions(module).items()}
        )

    def _heard(self, name: str, function: Callable[..., object]) -> Callable[..., object]:
        parameters = list(inspect.signature(function).parameters)

        def call(*arguments: object) -> object:
            told = ", ".join(f"{key}={value}" for key, value in zip(parameters, arguments, strict=True))
            self.last = function(*arguments)
            self.calls.append(f"{name}({told}) = {self.last}")
            return self.last

        return call

    def same(self, shipped: int, spec: int) -> bool:
        """Compare as checker/proof/boundary_contract.py does."""
        right = int(shipped) == int(spec)
        if right:
            self.calls.clear()
        else:
            self.compared = shipped, spec
        return right

    @property
    def words(self) -> str:
        """What was asked, what the shipped code answered, and what the spec says."""
        told = ", ".join(self.calls)
        if self.compared is None:
            return f"{told}, which does not fit the spec's row, slot or label" if told else "no call of it differs"
        shipped, spec = self.compared
        hence = "" if self.calls and self.last == shipped else f"; this makes it {shipped}"
        return f"{told}{hence}, the spec says {spec}"


def told(module: Boundary, difference: BoundaryDifference, run: list[TakenStep] | None = None) -> Witness:
    """Say natively what the shipped code answers in a step, and what the spec does."""
    listener = Listener(module)
    stated = next(stated for stated in about(listener.module, same=listener.same) if stated.name == difference.property)
    model = model_with([], difference.scope)
    taken = difference.taken
    after = model.take(copy(difference.before), taken.action, taken.arguments)
    try:
        held = stated(difference.before, after, model.context)
        words = f"{listener.words}" if not held else "natively the two agree: the evaluator is wrong about this text"
    except Violated as error:
        words = f"{', '.join(listener.calls)}: {error.name}"
    named = ", ".join(f"{name}={value}" for name, value in zip(taken.action.choices, taken.arguments, strict=True))
    return Witness(difference.property, words, f"{taken.action.name}({named})", difference.scope, run or [])


def tell(module: Boundary, difference: BoundaryDifference) -> Witness:
    """Say where shipped code and spec part: at the end of a run if the small scopes have one, else in the solver's."""
    stated = next(stated for stated in about(module) if stated.name == difference.property)
    for scope in SEARCHED:
        model = model_with([stated], scope)
        if model.properties:
            found = Search(model, until=frozenset({stated.name})).run(_LIMITS).counterexamples.get(stated.name)
            if found:
                return told(module, _at_the_end(model, stated.name, found.steps), found.steps)
    return told(module, difference)


def model_of(found: Witness) -> Model:
    """Return the model in which a run of the shipped code's own differences is told."""
    return model_with([stated for stated in SHIPPED if stated.name == found.property], found.scope)


def _at_the_end(model: Model, name: str, steps: list[TakenStep]) -> BoundaryDifference:
    return BoundaryDifference(name, str(model.scope), replay(model, steps[:-1])[-1], steps[-1])
