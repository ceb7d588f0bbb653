"""The arguments of a step by name, for the sentences that speak of them."""

from __future__ import annotations

from checker.model.model import TakenStep


class NamedArguments:
    """The arguments of a step by name: each a number, or one number for each request."""

    def __init__(self, taken: TakenStep) -> None:
        self._named = dict(zip(taken.action.choices, taken.arguments, strict=True))

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def __getitem__(self, name: str) -> int:
        return int(self._named[name])

    def each(self, name: str) -> tuple[int, ...]:
        """Return the numbers of an argument that has one for each request."""
        return tuple(self._named[name])
