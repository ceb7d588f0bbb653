"""A model loaded: its scope, context, first state, actions with their choices, and properties.

A model is a module with `State`, `init(scope)`, `actions`, `properties` and a dataclass `Scope`. Optional: `Context`,
built from the scope and handed to every action and property after the state (default: the scope itself); `symmetric`,
the sorts whose members are interchangeable, the one with the most members last. Parameters and fields that name one say
so (`Annotated[int, Id(sort)]`); names are compared with each other and with ABSENT only (checker/symbolic/naming.py).
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from checker.model.layout import Hint, Leaf, Plain, Record, flatten, leaves, shape_of
from checker.model.user_files import FILES, BadModel, describe_error, place_in, place_of_function
from spec.language import WELL_FORMED, Action, BadRecord, Disabled, Id, Property, Violated, copy

Argument = int | tuple[int, ...]
"""What a parameter may stand for: a number, a truth, or one of these for each of some members."""

Arguments = tuple[Any, ...]
"""An Argument for each parameter; which of them are numbers the action knows."""

S = TypeVar("S", bound=Plain)
"""A state of the model's own class."""
T = TypeVar("T")

MOST_CHOICES = 20_000
"""Ways to take one action that a search is willing to try in every state."""


@dataclass(eq=False, slots=True)
class BoundAction:
    """An action with some of its parameters fixed; the others are chosen from `free` when it is taken."""

    action: Action
    fixed: dict[str, Argument]
    free: dict[str, Sequence[int]]

    def combinations(self) -> list[dict[str, int]]:
        """Return every choice of the free parameters; raises BadModel where there are too many to try."""
        if math.prod(map(len, self.free.values())) > MOST_CHOICES:
            raise BadModel(
                f"{self.action.name} can be taken in more than {MOST_CHOICES} ways: too many to search; "
                "make the scope smaller (requests, slots, max_len)"
            )
        return [dict(zip(self.free, values, strict=True)) for values in itertools.product(*self.free.values())]

    def arguments(self, chosen: dict[str, int]) -> Arguments:
        """Return the arguments of the action after (state, context), in order."""
        return tuple(self.fixed[name] if name in self.fixed else chosen[name] for name in self.action.choices)


@dataclass(frozen=True, slots=True)
class TakenStep:
    """One step of a run: an action and its arguments after (state, context)."""

    action: Action
    arguments: Arguments


class Model:
    """What a check works on: module, scope and context bound together."""

    def __init__(
        self,
        module: Any,
        scope: Any,
        context: Any = None,
        actions: Iterable[Action] | None = None,
        properties: Iterable[Property] | None = None,
    ) -> None:
        """Bind a module to a scope; what is given of the rest stands for the module's own."""
        self.module = module
        self._stated = module.properties if properties is None else tuple(properties)
        self._possible = module.actions if actions is None else tuple(actions)
        self.scope = scope
        if context is None:
            context = module.Context(scope) if hasattr(module, "Context") else scope
        self.context = context
        self.init = module.init(scope)
        self.shape: Record = shape_of(self.init, scope, place_of_function(module.init))
        belonging = [action for action in self._possible if action.applies(scope)]
        self.actions: tuple[Action, ...] = tuple(
            action for action in belonging if all(_sequence(choice(scope)) for choice in action.choices.values())
        )
        self.impossible = [action.name for action in belonging if action not in self.actions]
        """Actions of this scope with nothing to choose from for a parameter: they can never be taken."""
        self.symmetric: tuple[str, ...] = tuple(getattr(module, "symmetric", ()))
        claimed = [stated for stated in self._stated if self.ours or stated.kind != "postcondition"]
        self.properties: tuple[Property, ...] = tuple(stated for stated in claimed if stated.applies(self.context))
        self.unasked = [
            stated.name
            for stated in claimed
            if stated not in self.properties and stated.kind not in ("lemma", "sometimes")
        ]
        """Properties that say of themselves that they are none of this scope."""

    def with_(
        self,
        properties: Iterable[Property] | None = None,
        actions: Iterable[Action] | None = None,
        context: Any = None,
    ) -> Model:
        """Return the same model with other properties, actions or context; what is not given stays."""
        return Model(
            self.module,
            self.scope,
            self.context if context is None else context,
            self._possible if actions is None else actions,
            self._stated if properties is None else properties,
        )

    @property
    def ours(self) -> bool:
        """Whether the context is exactly the module's own, so that its postconditions are claimed: a design of ours."""
        return type(self.context) is getattr(self.module, "Context", type(self.scope))

    def of_kind(self, kind: str) -> list[Property]:
        """Return the properties of one kind that apply in this scope."""
        return [stated for stated in self.properties if stated.kind == kind]

    def instances(self) -> list[BoundAction]:
        """Return the actions, parameters that name members of a small sort and tuples fixed in every way."""
        found: list[BoundAction] = []
        for action in self.actions:
            hints = get_type_hints(action.function, include_extras=True)
            # A range stays one: the values of a length need not be listed to be reasoned about.
            domains = {name: _sequence(choice(self.scope)) for name, choice in action.choices.items()}
            fixed = [name for name, values in domains.items() if self._unfold(hints.get(name), values)]
            free = {name: values for name, values in domains.items() if name not in fixed}
            if math.prod(len(domains[name]) for name in fixed) > MOST_CHOICES:
                raise BadModel(f"{action.name} has more than {MOST_CHOICES} forms in this scope; name fewer requests")
            for values in itertools.product(*[domains[name] for name in fixed]):
                found.append(BoundAction(action, dict(zip(fixed, values, strict=True)), free))
        return found

    def _unfold(self, hint: Hint, values: Sequence[Argument]) -> bool:
        if len(values) == 1 or isinstance(values[0], tuple):
            return True
        marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        return any(isinstance(mark, Id) and mark.sort in self.symmetric[:-1] for mark in marks)

    # The native reading.

    def take(self, state: S, action: Action, arguments: Arguments) -> S:
        """Return the state after an action; raises Disabled or Violated. The given state is not changed."""
        after = copy(state)
        for name in self.transient:
            setattr(after, name, copy(getattr(self.init, name)))
        action.function(after, self.context, *arguments)
        self.check_ranges(after)
        return after

    @functools.cached_property
    def transient(self) -> list[str]:
        """The fields that only tell of the last step."""
        return [name for name, part in self.shape.fields.items() if all(leaf.transient for leaf in leaves(part))]

    def check_ranges(self, state: Plain) -> None:
        """Raise Violated where a field lies outside its declared range."""
        for leaf, value in zip(self.leaves, flatten(state), strict=True):
            if not leaf.low <= value <= leaf.high:
                raise Violated(WELL_FORMED, f"{leaf.path} = {value} outside {leaf.low}..{leaf.high}")

    @functools.cached_property
    def leaves(self) -> list[Leaf]:
        """The leaves of the state in order."""
        return list(leaves(self.shape))

    def key(self, state: Plain) -> tuple[int, ...]:
        """Return the state as a tuple without what only tells of the last step: equal keys, equal states."""
        return tuple(int(value) for leaf, value in zip(self.leaves, flatten(state), strict=True) if not leaf.transient)

    def steps(self, state: S) -> Iterator[tuple[TakenStep, S | Violated]]:
        """Yield every enabled step natively, with the state after it or the Violated it raised."""
        for action in self.actions:
            domains = [list(choice(self.scope)) for choice in action.choices.values()]
            for arguments in itertools.product(*domains):
                try:
                    yield TakenStep(action, arguments), self.take(state, action, arguments)
                except Disabled:
                    continue
                except Violated as violation:
                    yield TakenStep(action, arguments), violation


def _sequence(values: Iterable[T]) -> Sequence[T] | range:
    """Return values as a sequence; so many that listing them would take for ever are refused."""
    if isinstance(values, range):
        return values
    listed = first_few(values)
    if len(listed) > MOST_CHOICES:
        raise BadModel(f"a parameter has more than {MOST_CHOICES} values in this scope; name fewer requests")
    return listed


def first_few(values: Iterable[T]) -> list[T]:
    """Return values as a list, of too many only so many that this shows."""
    return list(itertools.islice(values, MOST_CHOICES + 1))


def load_module(path: Path) -> ModuleType:
    """Import a Python file by its path; raises BadModel when it cannot be."""
    spec = importlib.util.spec_from_file_location(f"slotproof file {path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadModel(f"{path}: no such Python file; write the path of one")
    module = importlib.util.module_from_spec(spec)
    # A name of its own, so that a file called numpy.py does not take the place of numpy.
    sys.modules[f"slotproof file {path.stem}"] = module
    file = str(spec.origin)
    FILES.add(file)
    try:
        spec.loader.exec_module(module)
    except BadRecord as error:
        raise BadModel(str(error)) from error
    except (Exception, SystemExit) as error:
        raise BadModel(
            f"{place_in(file, error)}: importing it failed with {describe_error(error)}; fix the file"
        ) from error
    return module


def parameters(action: Action) -> list[str]:
    """Return the names of an action's parameters after (state, context)."""
    return list(inspect.signature(action.function).parameters)[2:]
