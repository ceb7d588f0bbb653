"""A design by its name, or from a file of the user's own."""

from __future__ import annotations

import difflib
import inspect
from pathlib import Path
from types import FunctionType

from checker.model.known_designs import DESIGNS
from checker.model.model import load_module
from checker.model.user_files import BadModel, describe_error, place_in
from spec.design import Design
from spec.scope import Scope


def design_class(name: str) -> type[Design]:
    """Return a known design, or the one that a Python file defines; raises BadModel.

    A design file is code, and is run. It defines exactly one subclass of `spec.design.Design`, or names the one that it
    means with `DESIGN = TheClass`.
    """
    if name in DESIGNS:
        return DESIGNS[name]
    if not name.endswith(".py"):
        raise BadModel(f"design {name!r} is unknown; write one of {', '.join(DESIGNS)}, or the path of a .py file")
    module = load_module(Path(name))
    chosen = getattr(module, "DESIGN", None)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Design) and value.__module__ == module.__name__
    ]
    if chosen is None and len(own) == 1:
        chosen = own[0]
    if not (isinstance(chosen, type) and issubclass(chosen, Design)):
        raise BadModel(
            f"{name}: it defines {len(own)} subclasses of spec.design.Design; define one, or say DESIGN = TheClass"
        )
    refuse_unknown(name, chosen)
    _refuse_misfits(name, chosen)
    _try_out(name, chosen)
    if "name" not in vars(chosen):
        chosen.name = Path(name).stem
    return chosen


def _try_out(file: str, chosen: type[Design]) -> None:
    """Raise BadModel where a design cannot be made for a scope."""
    scope = Scope()
    try:
        made = chosen(scope)
    except (Exception, SystemExit) as error:
        raise BadModel(
            f"{place_in(str(inspect.getfile(chosen)), error)}: {chosen.__name__}(scope) fails with "
            f"{describe_error(error)}; "
            "write `def __init__(self, scope)`, and begin it with super().__init__(scope)"
        ) from error
    if getattr(made, "scope", None) is not scope:
        raise BadModel(f"{file}: {chosen.__name__} has no scope; begin its __init__ with super().__init__(scope)")


def _refuse_misfits(file: str, chosen: type[Design]) -> None:
    """Raise BadModel where a decision is not a method that can be asked as the spec asks it: by position."""
    for name, usual in vars(Design).items():
        own = inspect.getattr_static(chosen, name)
        if name.startswith("_") or own is usual:
            continue
        if not callable(usual):
            if not isinstance(own, str):
                raise BadModel(f"{file}: {chosen.__name__}.{name} is {own!r}; write a text")
            continue
        wanted = ", ".join(inspect.signature(usual).parameters)
        if not isinstance(own, FunctionType):
            raise BadModel(f"{file}: {chosen.__name__}.{name} is no method; write def {name}({wanted})")
        taken = inspect.signature(own).parameters.values()
        plain = all(each.kind is each.POSITIONAL_OR_KEYWORD and each.default is each.empty for each in taken)
        if not plain or len(taken) != len(inspect.signature(usual).parameters):
            place = f"{own.__code__.co_filename}:{own.__code__.co_firstlineno}"
            raise BadModel(
                f"{place}: {chosen.__name__}.{name} takes ({', '.join(map(str, taken))}); write def {name}({wanted})"
            )


def refuse_unknown(file: str, chosen: type[Design]) -> None:
    """Raise BadModel where a design defines something that is no decision: a misspelt one would change nothing.

    What begins with an underscore is the design's own business.
    """
    decisions = [name for name in vars(Design) if not name.startswith("_")]
    for cls in chosen.__mro__:
        if cls is Design:
            break
        for name in vars(cls):
            if not name.startswith("_") and name not in decisions and cls not in DESIGNS.values():
                near = difflib.get_close_matches(name, decisions, 1)
                meant = f"do you mean {near[0]}?" if near else f"decisions are {', '.join(sorted(decisions))}"
                raise BadModel(
                    f"{file}: {cls.__name__}.{name} is no decision of a design: {meant} Helpers begin with _"
                )
