"""What expectations are about: a step that has just been taken, the state after it, and a check of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spec.design import Design
from spec.scope import Scope
from spec.state import State

Check = Callable[[State, Design], tuple[bool, str]]
"""Whether the state is as expected, and what is the case."""


@dataclass(slots=True)
class Moment:
    """What expectations are about: a step that has just been taken, and the state after it."""

    scope: Scope
    design: Design
    after: State | None
    """None: the last step raised a violation, so there is no state after it."""
    violated: dict[str, str]
    """The properties violated by the last step, or still violated, with a sentence each."""
