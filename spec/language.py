"""The words the spec is written in: plain Python, and a handful of names that give it its readings.

An action changes the state it is given. It says with `guard` when it may happen and with `require` what must never be
false while it does. Run it natively and both raise; evaluate it (symbolic/statements.py) and both become conditions.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import (
    Annotated,
    Any,
    Final,
    SupportsIndex,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

ABSENT: Final = -1
"""No slot, no position, no length. Never freed, counted, indexed or written."""

WELL_FORMED: Final = "well-formed"
"""The property that the language itself states: no index outside its vector, no value outside its declared range."""

T = TypeVar("T")


class Disabled(Exception):
    """The action may not happen in this state: a `guard` was false; `why` is what it says of that."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class Violated(Exception):
    """A `require` was false, or an index lay outside its vector; `name` is the property that says so."""

    def __init__(self, name: str, detail: str = "") -> None:
        super().__init__(f"{name}: {detail}" if detail else name)
        self.name = name


def guard(condition: bool, why: str = "") -> None:
    """Allow the action only where `condition` holds; `why` says what is in its way elsewhere, and what to do then."""
    if not condition:
        raise Disabled(why)


def require(condition: bool, name: str) -> None:
    """State that `condition` holds whenever the action gets here; otherwise the property `name` is violated."""
    if not condition:
        raise Violated(name)


class Vector(list[T]):
    """A list of fixed size that refuses an index outside 0..n-1, so that ABSENT never reads the last element."""

    def _check(self, index: SupportsIndex) -> None:
        if not 0 <= index.__index__() < len(self):
            raise Violated(WELL_FORMED, f"index {index} outside 0..{len(self) - 1}")

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> T | list[T]:
        """Return the element at `index`; ABSENT and everything else outside is a violation, not a wrap-around."""
        if isinstance(index, slice):
            raise TypeError("a Vector has no slices; index its elements")
        self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Replace the element at `index`, which must lie in 0..n-1."""
        self._check(index)
        super().__setitem__(index, value)


class BadRecord(SyntaxError):
    """A record that says too little of a field; it is written FILE:LINE, what is missing, and the line to write."""

    def __str__(self) -> str:
        """Return the sentence behind its place."""
        return f"{self.filename}:{self.lineno}: {self.msg}" if self.lineno else self.msg


@dataclass_transform()
def record(cls: type[T]) -> type[T]:
    """Make a class a record of the state: fields of ints, bools, records and Vectors, compared by value.

    `= 0` beside a field says how it starts, `= each(ABSENT)` how each element of its Vector does, and `= by_scope(f)`
    that it starts as f(scope); a record with such fields is made by `new`.
    """
    try:
        return dataclasses.dataclass(slots=True)(cls)
    except TypeError as error:
        # Python says which argument without a default follows one with it, and not where.
        for name in inspect.get_annotations(cls):
            if f"argument '{name}' follows" in str(error):
                raise _no_default(cls, name) from None
        raise


def _no_default(cls: type, name: str) -> BadRecord:
    """Return the error of a field that does not say how it starts, with its place."""
    declared = inspect.get_annotations(cls)[name]
    declared = declared if isinstance(declared, str) else getattr(declared, "__name__", "...")
    how = "each(ABSENT)" if "Vector" in declared else "False" if declared == "bool" else "0"
    what = f"{cls.__name__}.{name} does not say how it starts; write its default beside it: {name}: {declared} = {how}"
    try:
        lines, first = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return BadRecord(what)
    found = [number for number, line in enumerate(lines, first) if line.strip().startswith(f"{name}:")]
    return BadRecord(what, (file, found[0] if found else first, None, None))


@dataclasses.dataclass(frozen=True)
class Start:
    """How a field starts whose first value depends on the scope: `value`, once or for each element of its Vector.

    The value is a number, a record class (one made by `new`) or a function of the scope.
    """

    value: Any
    every: bool
    count: str = ""
    """The scope's attribute with the number of elements, where it is not the sort that the Vector goes by."""

    def __call__(self) -> Any:
        """Refuse to start without a scope: dataclasses ask a default for its value where none is given."""
        raise TypeError("this record has fields that start by the scope; write new(TheRecord, scope)")


def each(value: Any, count: str = "") -> Any:
    """Say, beside the field of a Vector, how each of its elements starts."""
    return dataclasses.field(default_factory=Start(value, True, count))


def by_scope(value: Callable[[Any], Any]) -> Any:
    """Say, beside a field, that it starts as `value(scope)`, or, of a record class, as `new(value, scope)`."""
    return dataclasses.field(default_factory=Start(value, False))


def new(cls: type[T], scope: Any) -> T:
    """Return a record as it is at first: each field has the default that stands beside it."""
    found: T = cls(**{name: _started(start, scope) for name, start in starts(cast(Any, cls))})
    return found


def _started(start: Start, scope: Any) -> Any:
    if start.every:
        return Vector(_first(start.value, scope) for _ in range(getattr(scope, start.count)))
    return _first(start.value, scope)


def _first(value: Any, scope: Any) -> Any:
    if isinstance(value, int):
        return value
    return new(value, scope) if isinstance(value, type) else value(scope)


@functools.cache
def starts(cls: type) -> tuple[tuple[str, Start], ...]:
    """Return the fields of a record that start by the scope; raises BadRecord where one does not say how it starts."""
    found = []
    hints = get_type_hints(cls, cls.__init__.__globals__, include_extras=True)  # type: ignore[misc]
    for field in dataclasses.fields(cls):
        start = field.default_factory
        if isinstance(start, Start):
            sort = start.count or _sort_of(hints[field.name])
            if start.every and not isinstance(sort, str):
                raise _no_default(cls, field.name)
            found.append((field.name, dataclasses.replace(start, count=sort or "")))
        elif field.default is start is dataclasses.MISSING:
            raise _no_default(cls, field.name)
    return tuple(found)


def _sort_of(hint: Any) -> Any:
    """Return the sort of which a Vector has one element per member, as its annotation says; None: it does not say."""
    while get_origin(hint) is Annotated or hasattr(hint, "__value__"):
        if get_origin(hint) is not Annotated:
            hint = hint.__value__
            continue
        hint, *marks = get_args(hint)
        for mark in marks:
            if isinstance(mark, Per):
                return mark.sort
    return None


def copy(value: T) -> T:
    """Return an independent copy of a record or Vector: assigning one into the state without it would alias."""
    if isinstance(value, int):
        return value
    # Numbers are not copied by a call of their own: copying states is most of what a native run does.
    if isinstance(value, Vector):
        return cast(T, Vector([part if isinstance(part, int) else copy(part) for part in value]))
    names = getattr(type(value), "__slots__", None) or type(value).__dataclass_fields__  # type: ignore[attr-defined]
    parts = [getattr(value, name) for name in names]
    return type(value)(*[part if isinstance(part, int) else copy(part) for part in parts])


@dataclasses.dataclass(frozen=True)
class Range:
    """Declared values of an integer field: both ends inclusive; a name stands for that attribute of the scope."""

    low: int | str
    high: int | str


@dataclasses.dataclass(frozen=True)
class Id:
    """Values of a field that names a member of a sort: ABSENT or 0..n-1 with n the scope's attribute `sort`."""

    sort: str


@dataclasses.dataclass(frozen=True)
class Per:
    """A Vector with one element per member of a sort (`sort` is the scope's attribute with its size)."""

    sort: str


@dataclasses.dataclass(frozen=True)
class Transient:
    """A field that only tells what the last step did; two states that differ in nothing else are one."""


@dataclasses.dataclass(frozen=True)
class Ghost:
    """A field that only properties read: what no engine knows, or what is counted for the properties' sake.

    The checker refuses a decision of a design that reads one, and any decision that changes the state.
    """


def _everywhere(context: Any) -> bool:
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


@dataclasses.dataclass(frozen=True)
class ActionDeclaration:
    """The part of an action that stands above its function: `@action()` makes one, and the def below completes it."""

    applies: Callable[[Any], bool]
    choices: dict[str, Choices]
    kind: str = "action"

    def __call__(self, function: Callable[..., None]) -> Action:
        """Return the action whose function it is."""
        return Action(function, self.choices, self.applies)


def action(applies: Callable[[Any], bool] = _everywhere, /, **choices: Choices) -> ActionDeclaration:
    """Declare an action, the scopes that it belongs to, and where each of its parameters gets its values from."""
    return ActionDeclaration(applies, choices)


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


def always(applies: Callable[[Any], bool] = _everywhere, *, each: Phases | None = None) -> Declaration:
    """Declare a property of every reachable state: `function(state, context)`.

    With `each`, of each of its requests in that phase, or in one of these: `function(state, context, number, request)`.
    """
    return Declaration("always", applies, each)


def step(applies: Callable[[Any], bool] = _everywhere) -> Declaration:
    """Declare a property of every transition: `function(before, after, context)`."""
    return Declaration("step", applies)


def postcondition(applies: Callable[[Any], bool] = _everywhere) -> Declaration:
    """Declare what our own design does in every transition: `function(before, after, context)`.

    It is claimed only where the context is exactly the model's own, and asked by searches only, never by a proof.
    """
    return Declaration("postcondition", applies)


def lemma(applies: Callable[[Any], bool] = _everywhere, *, each: Phases | None = None) -> Declaration:
    """Declare what our own design promises of every reachable state, written like *always*; proofs stand on it."""
    return Declaration("lemma", applies, each)


def sometimes(applies: Callable[[Any], bool] = _everywhere) -> Declaration:
    """Declare something that must be seen: `function(before, after, context)`; never seen, the run fails as vacuous."""
    return Declaration("sometimes", applies)


def subsets(names: Iterable[int]) -> Iterator[tuple[bool, ...]]:
    """Yield every subset of `names` as a tuple of bools, the empty one first."""
    members = list(names)
    for bits in range(2 ** len(members)):
        yield tuple(bool(bits >> place & 1) for place in range(len(members)))
