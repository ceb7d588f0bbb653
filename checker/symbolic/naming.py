"""Who goes by names: what a text does with the members of a sort beyond asking whether two are one.

Where members are interchangeable (`symmetric` of a model), a text may compare their names with each other and with
ABSENT, keep them in fields declared for them, and index what has one element per member. Everything else would come out
differently under other names: a search that takes renamed states for one would skip some. The walk carries names as
Members (numbers that know their sort) and notes here, with the line, what treats one as a number.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from checker.model.layout import Leaf
from checker.symbolic.node import Node, Value
from checker.symbolic.values import Held
from spec.language import Id, Per


class Member(int):
    """A number that names a member of a sort; each sort has a subclass, so that equal expressions have one sort."""

    sort = ""


class Size(int):
    """How many members a sort has, or a number made of that."""

    sort = ""


MARKED: set[type] = set()
"""The classes of numbers that know a sort."""


class Chosen(tuple[Any, ...]):
    """A tuple that an action was given: what it says of each member, or an order of them."""


@functools.cache
def _subclass(kind: type[int], sort: str) -> type[int]:
    made = type(f"{kind.__name__} of {sort}", (kind,), {"sort": sort})
    MARKED.add(made)
    return made


@functools.cache
def member(sort: str, value: int) -> Member:
    """Return the name of a member; each is one object, as small numbers are."""
    made = _subclass(Member, sort)(value)
    assert isinstance(made, Member)
    return made


def size(sort: str, value: int) -> Size:
    """Return a number of members."""
    made = _subclass(Size, sort)(value)
    assert isinstance(made, Size)
    return made


@dataclass(frozen=True, slots=True)
class Finding:
    """One place that goes by names."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        """Say where and what."""
        return f"{self.file}:{self.line} {self.what}"


@dataclass(slots=True)
class Names:
    """What the walks over a model have found."""

    sorts: dict[str, int]
    """The interchangeable sorts and how many members each has."""
    found: list[Finding] = field(default_factory=list)
    asked: list[Finding] = field(default_factory=list)
    """Where a decision asks about the bounds of the scope itself, which a proof sets as it pleases."""
    place: tuple[str, int] = ("", 0)
    """File and line of what is being walked."""
    listening: bool = False
    of: dict[Value, frozenset[str]] = field(default_factory=dict)
    """For each node that is a name: the sorts; "" stands for a plain number among them."""

    def note(self, what: str) -> None:
        """Note something that goes by names."""
        if self.listening:
            self.found.append(Finding(*self.place, what))

    def counted(self, *values: Held) -> None:
        """Note a question about how many members a sort has."""
        for value in values:
            if isinstance(value, Size):
                self.ask(f"asks how many {value.sort} there are")

    def ask(self, what: str) -> None:
        """Note a question about the scope's own bounds."""
        if self.listening:
            self.asked.append(Finding(*self.place, what))

    def kinds(self, value: Held) -> frozenset[str]:
        """Return which sorts a value may name a member of, "" for a number; a negative number names nobody."""
        if isinstance(value, Node):
            return self.of.get(value, PLAIN)
        if isinstance(value, Member):
            return frozenset({value.sort})
        return _NOBODY if isinstance(value, int) and value < 0 else PLAIN

    def is_name(self, value: Held) -> bool:
        """Whether a value may be the name of a member."""
        return value in self.of if isinstance(value, Node) else isinstance(value, Member)

    def known(self, sort: str | None, value: Value) -> Value:
        """Return a value as the name of a member of a sort, if that is interchangeable."""
        if sort not in self.sorts or sort is None:
            return value
        if isinstance(value, Node):
            self.of[value] = frozenset({sort})
            return value
        return member(sort, value) if value >= 0 else value

    def word(self, value: Held) -> str:
        """Return what a value is, in words."""
        kinds = self.kinds(value) - {""}
        if kinds:
            return f"a member of {' or '.join(sorted(kinds))}"
        return str(int(value)) if isinstance(value, int) else "a number"

    def used(self, how: str, *values: Held) -> None:
        """Note a use of numbers where one is a name."""
        named = [value for value in values if self.is_name(value)]
        if named and self.listening:
            self.note(f"{how} {self.word(named[0])}")

    def compared(self, a: Held, b: Held) -> None:
        """Note a comparison for equality of a name with what names no member of the same sort."""
        if self.listening and (self.is_name(a) or self.is_name(b)) and len(self.kinds(a) | self.kinds(b)) > 1:
            first, second = (a, b) if self.is_name(a) else (b, a)
            self.note(f"compares {self.word(first)} with {self.word(second)}")

    def kept(self, leaf: Leaf, value: Value) -> None:
        """Note a name that is written to a field which is not declared for it, and a number where one belongs."""
        wanted = frozenset({leaf.sort}) if leaf.sort in self.sorts and leaf.sort else PLAIN
        kinds = self.kinds(value)
        if wanted is PLAIN:
            if kinds - PLAIN:
                self.note(f"keeps {self.word(value)} in {leaf.path}, which is declared as a number")
        elif kinds - wanted:
            self.note(f"gives {leaf.path}, a member of {leaf.sort}, {self.word(value)}")

    def indexed(self, sort: str | None, length: int, index: Held) -> None:
        """Note an index that is no name where there is one element per member, and a name where there is not.

        `sort` is None where nobody knows what the elements are of: then a name of as many members will do.
        """
        kinds = self.kinds(index)
        if sort is None:
            if any(self.sorts.get(kind, length) != length for kind in kinds):
                self.used("indexes by", index)
        elif sort in self.sorts:
            if kinds - {sort}:
                self.note(f"takes the element of one of {sort} by {self.word(index)}")
        else:
            self.used("indexes by", index)

    def chosen(self, length: int, index: Held) -> None:
        """Note a plain index of a tuple that says something of each member."""
        if any(length == count > 1 for count in self.sorts.values()):
            self.note(f"takes the element of a chosen tuple by {self.word(index)}")


PLAIN = frozenset({""})
"""What a plain number names."""
_NOBODY: frozenset[str] = frozenset()


# What annotations say.


def sort_in(hint: Held, mark: type[Id] | type[Per]) -> str | None:
    """Return the sort that an annotation names with Id or Per; "" where it says something else, None: nothing."""
    if get_origin(hint) is not Annotated:
        return None
    return next((str(each.sort) for each in get_args(hint)[1:] if isinstance(each, mark)), "")


@functools.cache
def vector_sorts(cls: type) -> dict[str, str]:
    """Return the sort of each field of a record that is a Vector with one element per member; "" for other Vectors."""
    hints = get_type_hints(cls, cls.__init__.__globals__, include_extras=True)  # type: ignore[misc]
    return {name: sort_in(hint, Per) or "" for name, hint in hints.items()}


def given(names: Names, hint: Held, value: Held) -> Held:
    """Return an argument of an action as the walk takes it: names as Members, tuples as Chosen."""
    if isinstance(value, tuple):
        inner = get_args(hint)[0] if get_origin(hint) is tuple and get_args(hint) else None
        return Chosen(given(names, inner, part) for part in value)
    return names.known(sort_in(hint, Id), value) if isinstance(value, (int, Node)) else value
