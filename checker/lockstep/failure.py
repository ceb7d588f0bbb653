"""A step that has failed: what kind of failure it is, and how whatever is raised in a step becomes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

HEADLINES: Final = {
    "property": "a property is violated",
    "refinement": "the runtime is not what the spec says",
    "error": "the runtime raises what it may not",
    "loop": "the scheduler's loop does what it may not",
}
"""By kind of failure what a person reads first."""


class Failed(Exception):
    """A step has failed. `kind`: a property is violated, or refinement: the runtime is not what the spec says."""

    def __init__(self, kind: str, name: str, detail: str) -> None:
        super().__init__(f"{kind} {name}: {detail}")
        self.kind = kind
        self.name = name
        """The property, or the first thing that differs."""
        self.detail = detail


def attempt(step: Callable[[], None]) -> None:
    """Take a step that the spec allows; raises Failed, also for whatever else the runtime raises in it."""
    try:
        step()
    except Failed:
        raise
    except Exception as error:
        raise Failed("error", type(error).__name__, str(error)) from error
