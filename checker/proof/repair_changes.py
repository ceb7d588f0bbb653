"""Changes of a design: decisions taken as another known design takes them, and the result as a design or its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from checker.model.known_designs import DESIGNS
from spec.design import Design

DECISIONS = tuple(name for name in vars(Design) if not name.startswith("_") and callable(getattr(Design, name)))
"""The names of all decisions."""

Decision = Callable[..., int]
"""What a design answers with a number, yes or no."""


@dataclass(frozen=True, slots=True)
class Change:
    """Take one decision as another design does."""

    decision: str
    design: str
    """The known design whose answer it is."""

    @property
    def function(self) -> Decision:
        """The decision itself."""
        found: Decision = getattr(DESIGNS[self.design], self.decision)
        return found


Changes = frozenset[Change]


def alternatives(base: type[Design]) -> list[Change]:
    """Return every decision that some known design takes differently from `base`, once for each different answer.

    A decision that asks its own parent class can't be taken out of it, so it is left out.
    """
    found: dict[tuple[str, Decision], Change] = {}
    for decision in DECISIONS:
        for name, design in DESIGNS.items():
            function = getattr(design, decision)
            bound = "__class__" in function.__code__.co_freevars
            if function is not getattr(base, decision) and not bound:
                found.setdefault((decision, function), Change(decision, name))
    return list(found.values())


def changed(base: type[Design], changes: Iterable[Change], name: str = "repaired") -> type[Design]:
    """Return the design with some decisions replaced."""
    return type("Repaired", (base,), {"name": name, **{change.decision: change.function for change in changes}})


def text_of(name: str, base: type[Design], changes: Changes) -> str:
    """Return the repaired design as a Python file that `--design` takes."""
    wanted = sorted(changes, key=lambda change: DECISIONS.index(change.decision))
    classes = {DESIGNS[change.design] for change in wanted} | {base}
    known = sorted(each.__name__ for each in classes if each is not Design)
    lines = ['"""' + f"{name}, with {count(changes)} taken from another design." + '"""', ""]
    lines += [f"from checker.model.known_designs import {', '.join(known)}"] if known else []
    lines += ["from spec.design import Design"] if Design in classes else []
    lines += ["", "", f"class Repaired({base.__name__}):", f'    """{name}, repaired."""', ""]
    lines += [f'    name = "{name}-repaired"', ""]
    lines += [f"    {each.decision} = {DESIGNS[each.design].__name__}.{each.decision}" for each in wanted]
    return "\n".join(lines) + "\n"


def count(changes: Changes) -> str:
    """Say how many decisions change."""
    return f"{len(changes)} decision" + ("" if len(changes) == 1 else "s")


def spelled(changes: Changes) -> list[str]:
    """Say each change in words, in the order of the decisions."""
    wanted = sorted(changes, key=lambda change: DECISIONS.index(change.decision))
    return [f"{change.decision} as in {change.design}" for change in wanted]
