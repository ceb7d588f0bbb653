"""A call of the walk: the names that its function sees, as Python finds them, and how far it has come."""

from __future__ import annotations

import builtins
import functools
import inspect
from types import FunctionType

from checker.symbolic.node import Value
from checker.symbolic.store import Refused
from checker.symbolic.subset import admitted
from checker.symbolic.values import UNDEFINED, Function, Held

Saved = tuple[dict[str, Held], Value, Value, Held]


class Frame:
    """One call: its local names, whether it is still running, and what it returns."""

    def __init__(self, function: FunctionType, arguments: list[Held], named: dict[str, Held]) -> None:
        """Begin a call; raises Refused where the arguments are none that the function takes."""
        code = function.__code__
        self.function = function
        self.file = code.co_filename
        self.names = bind(function, arguments, named)
        self.alive: Value = True
        """The condition under which the next statement is executed."""
        self.returned: Value = False
        self.result: Held = None
        self._locals = frozenset([*code.co_varnames, *code.co_cellvars])
        self._cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))

    def look_up(self, name: str) -> Held:
        """Return what a name means, UNDEFINED where it has no value yet; raises NameError."""
        if name in self.names:
            return self.names[name]
        # A name that is assigned anywhere in the text of a function is local everywhere in it.
        if name in self._locals:
            return UNDEFINED
        if name in self._cells:
            return admitted(self._cells[name].cell_contents)
        if name in self.function.__globals__:
            return admitted(self.function.__globals__[name])
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(name)

    def surrounding(self, name: str) -> Held:
        """Return what a name of a function around this one stands for; raises KeyError."""
        return self._cells[name].cell_contents

    def snapshot(self) -> Saved:
        """Return what a branch may change."""
        return dict(self.names), self.alive, self.returned, self.result

    def restore(self, saved: Saved) -> None:
        """Go back to a snapshot."""
        names, self.alive, self.returned, self.result = saved
        self.names = dict(names)


@functools.cache
def _signature(function: Function) -> inspect.Signature:
    # A copy without attributes: a decorator may have left a signature that is another function's.
    plain = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(plain)


def bind(function: Function, arguments: list[Held], named: dict[str, Held]) -> dict[str, Held]:
    """Return the parameters of a call by name, those left out with their defaults; raises Refused."""
    signature = _signature(function)
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Refused(f"{function.__qualname__} takes {parameter}", "name the parameters")
    try:
        bound = signature.bind(*arguments, **named).arguments
        defaults = {
            name: admitted(parameter.default)
            for name, parameter in signature.parameters.items()
            if name not in bound and parameter.default is not parameter.empty
        }
    except TypeError as error:
        raise Refused(
            f"{function.__qualname__}{signature} is called with other arguments, or has a default that is no "
            f"number: {error}",
            "give it the parameters that it is called with",
        ) from None
    return bound | defaults
