"""Vectors: lists of fixed size, of which no index lies outside."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar, overload

from spec.language.conditions import WELL_FORMED, Violated

T = TypeVar("T")
_element = list.__getitem__


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
        # Reading is most of what properties do, so that the plain case comes first and costs no further call.
        if type(index) is int and 0 <= index < len(self):
            return _element(self, index)
        if isinstance(index, slice):
            raise TypeError("a Vector has no slices; index its elements")
        self._check(index)
        return _element(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Replace the element at `index`, which must lie in 0..n-1."""
        self._check(index)
        super().__setitem__(index, value)
