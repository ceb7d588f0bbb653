"""Attributes of what is no part of the state: scopes, designs, modules, classes."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from types import FunctionType, MemberDescriptorType, MethodDescriptorType, ModuleType
from typing import Final, Protocol, TypeGuard

from checker.symbolic.store import Refused
from checker.symbolic.values import Held

COMPUTED: Final = object()
"""What stands for an attribute behind which code runs that a walk does not read, and that may answer anew each time."""

_PLAIN: Final = (FunctionType, MemberDescriptorType, MethodDescriptorType, classmethod, property, staticmethod)


class _Super(Protocol):
    """What super() returns, of which Python's own types say nothing."""

    __self__: object
    __self_class__: type
    __thisclass__: type


def refuse_mangled(name: str) -> None:
    """Refuse a name that Python changes where it stands inside a class."""
    if name.startswith("__") and not name.endswith("__"):
        raise Refused(f"the name {name}, which Python changes inside a class", "begin it with one underscore or none")


def static_attribute(owner: Held, name: str) -> tuple[Held, Held]:
    """Return what Python finds for an attribute before it runs any code of it, and the object that a property is of.

    None: the attribute lies in the object itself, or nowhere. COMPUTED: some other code makes it.
    """
    if isinstance(owner, ModuleType):
        return (COMPUTED if name not in vars(owner) and "__getattr__" in vars(owner) else None), owner
    if isinstance(owner, type):
        return (COMPUTED if _computes(owner, name) else None), owner
    of = owner.__self__ if _is_super(owner) else owner
    for each in _classes(owner):
        if name in vars(each):
            found = vars(each)[name]
            return (found if _is_plain(found) else COMPUTED), of
    hooks = [each for each in type(of).__mro__[:-1] if {"__getattr__", "__getattribute__"} & vars(each).keys()]
    return (COMPUTED if hooks else None), of


def _is_plain(found: Held) -> bool:
    return isinstance(found, _PLAIN) or not hasattr(type(found), "__get__")


def _computes(owner: type, name: str) -> bool:
    """Whether code that is not read makes an attribute of a class: a descriptor's, or its metaclass's."""
    found = [vars(each)[name] for each in owner.__mro__ if name in vars(each)]
    if issubclass(owner, enum.Enum):
        # How Python keeps the members of an enumeration has changed; whatever it is, they are constants.
        return name not in owner.__members__ and bool(found) and not _is_plain(found[0])
    meta = [each for each in type(owner).__mro__ if each not in (type, object)]
    return any({name, "__getattr__", "__getattribute__"} & vars(each).keys() for each in meta) or (
        bool(found) and not _is_plain(found[0])
    )


def _classes(owner: Held) -> Iterator[Held]:
    if _is_super(owner):
        order = owner.__self_class__.__mro__
        yield from order[order.index(owner.__thisclass__) + 1 :]
    else:
        yield from type(owner).__mro__


def _is_super(owner: Held) -> TypeGuard[_Super]:
    return type(owner) is super
