"""The shape of a state: which leaves it has, what each may hold, and which sorts its vectors and values belong to."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Union, get_args, get_origin, get_type_hints

from checker.model.user_files import BadModel
from spec.language import ABSENT, Ghost, Id, Per, Range, Start, Transient, Vector

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

UNBOUNDED = 1 << 62
"""A declared end of a range that nothing limits."""


@dataclass(eq=False, slots=True)
class Leaf:
    """One int or bool of a state: `index` is its place among all, low..high what it may hold."""

    index: int
    path: str
    is_bool: bool
    low: int
    high: int
    kind: str = ""
    """The path without indices: leaves of one kind differ in their places only."""
    sort: str | None = None
    """The sort that its value is a member of (ABSENT apart)."""
    places: tuple[tuple[str, int], ...] = ()
    """The vectors it lies in, outermost first: (sort of which there is one element per member, or "", index)."""
    transient: bool = False
    ghost: bool = False
    """No decision may read it."""


@dataclass(eq=False, slots=True)
class Record:
    """A record: its class and its fields in order."""

    cls: type
    fields: dict[str, Shape]
    place: Record | None = None
    """Of a view: the record whose fields it shows."""
    version: int = 0
    """Which of the objects that stand there one after the other it shows (checker/symbolic/store.py)."""

    def at(self, version: int) -> Record:
        """Return a view of the object that stands here in a version."""
        return Record(self.cls, self.fields, self, version)


@dataclass(eq=False, slots=True)
class Array:
    """A vector of fixed size."""

    elements: list[Shape]
    place: Array | None = None
    version: int = 0

    def at(self, version: int) -> Array:
        """Return a view of the object that stands here in a version."""
        return Array(self.elements, self, version)


Shape = Leaf | Record | Array

Plain = Union[int, Vector[Any], "DataclassInstance"]
"""A state, or a part of one, as plain Python has it: a number, a Vector, a record."""

Hint = object
"""What an annotation says: a class, a Vector of one, an alias, or one of these with marks around it."""


def leaves(shape: Shape) -> Iterator[Leaf]:
    """Yield the leaves of a shape in order."""
    if isinstance(shape, Leaf):
        yield shape
    else:
        for part in shape.fields.values() if isinstance(shape, Record) else shape.elements:
            yield from leaves(part)


def flatten(value: Plain) -> Iterator[int]:
    """Yield the ints and bools of a native state in the order of its shape's leaves."""
    if isinstance(value, (bool, int)):
        yield value
    elif isinstance(value, Vector):
        for element in list.__iter__(value):
            yield from flatten(element)
    else:
        for field in dataclasses.fields(value):
            yield from flatten(getattr(value, field.name))


def unflatten(shape: Shape, values: Iterator[int]) -> Any:
    """Build the native state of a shape from its leaves' values."""
    if isinstance(shape, Leaf):
        value = next(values)
        return bool(value) if shape.is_bool else int(value)
    if isinstance(shape, Array):
        return Vector(unflatten(element, values) for element in shape.elements)
    return shape.cls(*[unflatten(part, values) for part in shape.fields.values()])


class _Marks(NamedTuple):
    """What the annotations around a value say of it."""

    transient: bool = False
    ghost: bool = False
    sort: str = ""
    """Of a vector: it has one element per member of this sort."""
    ends: Range | Id | None = None


class _Builder:
    def __init__(self, scope: object) -> None:
        self.scope = scope
        self.count = 0
        self.met: dict[int, str] = {}
        """Each record and vector of the first state, by its identity: one object in two places would be an alias."""

    def build(
        self, value: object, hint: Hint, path: str, places: tuple[tuple[str, int], ...], around: _Marks, at: str
    ) -> Shape:
        """Return the shape of a value that is declared with `hint`, which says more of it than one value can."""
        plain, marks = self._unwrapped(hint, around, at, top="." not in path and "[" not in path)
        if not isinstance(value, int) and self.met.setdefault(id(value), path) != path:
            raise BadModel(f"{at}: {self.met[id(value)]} and {path} are one object at first; give each its own")
        if plain in (int, bool):
            return self._leaf(value, plain, marks, path, places, at)
        if marks.ends is not None:
            raise BadModel(f"{at}: {path} is no number; declare a range of numbers only")
        if get_origin(plain) is Vector or plain is Vector:
            return self._array(value, plain, marks, path, places, at)
        if marks.sort:
            raise BadModel(f"{at}: {path} is no Vector; declare Per of Vectors only")
        if not isinstance(plain, type) or not dataclasses.is_dataclass(plain):
            raise BadModel(
                f"{at}: {path} is declared {getattr(plain, '__name__', plain)}; declare int, bool, a @record or "
                "Vector[...] of one"
            )
        if type(value) is not plain:
            raise BadModel(f"{at}: {path} starts as {value!r}, which is no {plain.__name__}; start with one in init()")
        return self._record(value, path, places, marks)

    def _unwrapped(self, hint: Hint, around: _Marks, at: str, top: bool) -> tuple[Hint, _Marks]:
        marks = around._replace(sort="", ends=None)
        while get_origin(hint) is Annotated or hasattr(hint, "__value__"):
            if get_origin(hint) is not Annotated and hasattr(hint, "__value__"):
                hint = hint.__value__
                continue
            hint, *rest = get_args(hint)
            for mark in rest:
                if isinstance(mark, (Range, Id)) and marks.ends is None:
                    marks = marks._replace(ends=mark)
                elif isinstance(mark, Per) and not marks.sort:
                    marks = marks._replace(sort=mark.sort)
                elif isinstance(mark, Transient) and top:
                    marks = marks._replace(transient=True)
                elif isinstance(mark, Transient):
                    raise BadModel(f"{at}: only a field of the state itself is Transient; put it into a record of such")
                elif isinstance(mark, Ghost):
                    marks = marks._replace(ghost=True)
                else:
                    raise BadModel(
                        f"{at}: {mark!r} says nothing of a field; write one Range, Id, Per, Transient, Ghost"
                    )
        return hint, marks

    def _record(self, value: object, path: str, places: tuple[tuple[str, int], ...], marks: _Marks) -> Record:
        cls: Any = type(value)
        check_record(cls)
        try:
            # The generated __init__ knows the module that the class was made in, also when it is an edited copy.
            hints = get_type_hints(cls, cls.__init__.__globals__, include_extras=True)
        except (NameError, TypeError, SyntaxError, AttributeError) as error:
            raise BadModel(
                f"{place_of(cls)}: an annotation of {cls.__name__} cannot be read: {error}; fix it"
            ) from None
        prefix = f"{path}." if path else ""
        marks = marks._replace(sort="", ends=None)
        return Record(
            cls,
            {
                name: self.build(getattr(value, name), hints[name], prefix + name, places, marks, place_of(cls, name))
                for name in cls.__dataclass_fields__
            },
        )

    def _array(
        self, value: object, hint: Hint, marks: _Marks, path: str, places: tuple[tuple[str, int], ...], at: str
    ) -> Array:
        inner = get_args(hint)
        if type(value) is not Vector or len(inner) != 1:
            raise BadModel(f"{at}: {path} starts as {value!r}; declare Vector[...] and start with a Vector in init()")
        # Without elements it belongs to a feature that is off in this scope.
        if marks.sort and len(value) not in (0, self._size(marks.sort, path, at)):
            raise BadModel(
                f"{at}: {path} has {len(value)} elements and the scope {self._size(marks.sort, path, at)} "
                f"{marks.sort}; give it one for each"
            )
        elements = [
            self.build(element, inner[0], f"{path}[{number}]", (*places, (marks.sort, number)), marks, at)
            for number, element in enumerate(list.__iter__(value))
        ]
        if len({_sizes(element) for element in elements}) > 1:
            raise BadModel(f"{at}: the elements of {path} hold Vectors of unlike sizes; give all the same size")
        return Array(elements)

    def _size(self, name: str | int, path: str, at: str) -> int:
        size = getattr(self.scope, name, None) if isinstance(name, str) else name
        if type(size) is not int:
            raise BadModel(f"{at}: {path} goes by {name!r}, and the scope has no such number; name one of its fields")
        return size

    def _leaf(
        self, value: object, kind: type, marks: _Marks, path: str, places: tuple[tuple[str, int], ...], at: str
    ) -> Leaf:
        if type(value) is not kind:
            raise BadModel(
                f"{at}: {path} is declared {kind.__name__} and starts as {value!r}; "
                f"write {'True or False' if kind is bool else 'a whole number'} in init()"
            )
        if marks.sort or (kind is bool and marks.ends is not None):
            raise BadModel(f"{at}: {path} is one {kind.__name__}; declare Per of Vectors, and ranges of int")
        leaf = Leaf(self.count, path, kind is bool, -UNBOUNDED, UNBOUNDED, re.sub(r"\[\d+\]", "", path), None, places)
        leaf.transient, leaf.ghost = marks.transient, marks.ghost
        self.count += 1
        if kind is bool:
            leaf.low, leaf.high = 0, 1
        elif isinstance(marks.ends, Range):
            leaf.low, leaf.high = (self._size(end, path, at) for end in (marks.ends.low, marks.ends.high))
        elif isinstance(marks.ends, Id):
            leaf.low, leaf.high, leaf.sort = ABSENT, self._size(marks.ends.sort, path, at) - 1, marks.ends.sort
        assert isinstance(value, int)
        if leaf.low <= leaf.high and not leaf.low <= int(value) <= leaf.high:
            raise BadModel(f"{at}: {path} starts as {value}, outside {leaf.low}..{leaf.high}; start inside in init()")
        if leaf.low > leaf.high:
            raise BadModel(f"{at}: {path} has no value at all in {leaf.low}..{leaf.high}; declare the lower end first")
        return leaf


def _sizes(shape: Shape) -> tuple[object, ...]:
    """Return how many elements each vector within a shape has, in order."""
    if isinstance(shape, Leaf):
        return ()
    parts = shape.fields.values() if isinstance(shape, Record) else shape.elements
    return (len(parts), *map(_sizes, parts))


def shape_of(state: object, scope: object, at: str = "init()") -> Record:
    """Return the shape of a state that `at` has made, read off the annotations of its classes; raises BadModel."""
    if not dataclasses.is_dataclass(state) or isinstance(state, type):
        raise BadModel(f"{at}: init() returns {state!r}, which is no state; return a @record")
    return _Builder(scope)._record(state, "", (), _Marks())


_ITS_OWN: Final = frozenset(
    """
    __post_init__ __new__ __setattr__ __getattr__ __getattribute__ __delattr__ __bool__ __len__ __iter__ __contains__
    __getitem__ __setitem__ __ne__ __lt__ __le__ __gt__ __ge__ __index__ __int__ __hash__ __call__ __add__ __radd__
    __sub__ __mul__ __mod__ __floordiv__ __neg__
    """.split()  # noqa: SIM905 (the names are read more easily than a list of texts)
)
"""Methods with which a record would behave in a way of its own where the walk goes by its fields."""


@functools.cache
def check_record(cls: type) -> None:
    """Raise BadModel for a class that is no record as the walk knows one: fields, compared by value, and no more."""
    why = ""
    params = getattr(cls, "__dataclass_params__", None)
    fields = dataclasses.fields(cls) if params else ()
    own = sorted(name for each in cls.__mro__[:-1] for name in vars(each) if name in _ITS_OWN and vars(each)[name])
    if params is None or getattr(cls, "__slots__", None) != tuple(each.name for each in fields):
        why = "is no @record" if len(cls.__mro__) == 2 else "is derived from another class"
    elif len(cls.__mro__) != 2 or type(cls) is not type:
        why = "is derived from another class"
    elif params.frozen or params.order or not params.eq or not params.init:
        why = "is declared with other options than @record has"
    elif any(vars(cls)[name].__code__.co_filename != "<string>" for name in ("__init__", "__eq__")):
        why = "has an __init__ or __eq__ of its own"
    elif own:
        why = f"has {own[0]} of its own"
    for each in fields:
        plain = each.default_factory is MISSING or _starts_plainly(each.default_factory)
        if not why and (not each.compare or not each.init or each.kw_only or not plain):
            why = f"has a field {each.name} with options of its own"
        if not why and each.default is not MISSING and type(each.default) not in (int, bool):
            why = f"has a default for {each.name} that is no number"
    if why:
        raise BadModel(f"{place_of(cls)}: {cls.__name__} {why}; declare it with @record alone, compared field by field")


def _starts_plainly(start: Any) -> bool:
    """Whether a default is made of what the walk reads: a number, a record class or a function, of the scope alone."""
    if type(start) is not Start or type(start.count) is not str:
        return False
    return type(start.value) in (int, bool, FunctionType) or dataclasses.is_dataclass(start.value)


@functools.cache
def place_of(cls: type, field: str = "") -> str:
    """Return FILE:LINE of a class, or of a field that it declares."""
    source = _source_of(cls)
    if source is None:
        return cls.__qualname__
    file, lines, first = source
    for number, line in enumerate(lines):
        if field and re.match(rf"\s+{re.escape(field)}\s*:", line):
            return f"{file}:{first + number}"
    return f"{file}:{first}"


@functools.cache
def _source_of(cls: type) -> tuple[str | None, list[str], int] | None:
    """Return the file, the lines and the first line of a class: finding them means to parse the file."""
    try:
        lines, first = inspect.getsourcelines(cls)
        return inspect.getsourcefile(cls), lines, first
    except (OSError, TypeError):
        return None
