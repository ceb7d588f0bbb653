"""What callers hand in, checked at the door: of the wrong kind it is refused with its type, dtype and shape.

numpy would take most of it without a sound: a column of 0s and 1s as places instead of a mask, a column of shape (n, 1)
as one row for each pair, 1.0 as slot 1. Only host arrays are looked at, never their values on a device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.columns import Bools, Ints

_INT64, _BOOL = np.dtype(np.int64), np.dtype(np.bool_)


class BadArgument(ValueError):
    """An argument that is not of the kind that was asked for; raised before anything is changed."""


def ints(value: Any, what: str, rows: int | None = None) -> Ints:
    """Return an int64 column, of `rows` numbers if given; raises BadArgument for anything else."""
    # The exact type, because a subclass such as a masked array or a matrix indexes in its own way.
    if type(value) is np.ndarray and value.dtype == _INT64 and value.ndim == 1:
        if rows is None or len(value) == rows:
            return value
    raise BadArgument(f"{what}: {described(value)}; write {_wanted('int64', rows)}")


def mask(value: Any, what: str, rows: int) -> Bools:
    """Return a bool column of `rows` decisions; raises BadArgument for anything else, integers above all."""
    if type(value) is not np.ndarray or value.dtype != _BOOL or value.ndim != 1 or len(value) != rows:
        raise BadArgument(f"{what}: {described(value)}; write {_wanted('bool', rows)}")
    return value


def whole(value: Any, what: str, least: int | None = None, below: int | None = None) -> int:
    """Return a whole number, at least `least` and less than `below`; raises BadArgument for anything else."""
    if type(value) is not int and not isinstance(value, np.integer):
        raise BadArgument(f"{what}: {described(value)}; write a whole number")
    if (least is not None and value < least) or (below is not None and value >= below):
        bounds = f"at least {least}" if below is None else f"from {least} to {below - 1}"
        raise BadArgument(f"{what}: {value}; write a whole number {bounds}")
    return int(value)


def name(value: Any, what: str) -> str:
    """Return a name, a string with something in it; raises BadArgument for anything else."""
    if not isinstance(value, str) or not value:
        raise BadArgument(f"{what}: {described(value)}; write a string that is not empty")
    return value


def described(value: Any) -> str:
    """Return what a value is: dtype and shape of an array or a tensor, else itself and its type."""
    if hasattr(value, "dtype") and hasattr(value, "shape") and value.shape != ():
        return f"{type(value).__name__} of {value.dtype} with shape {tuple(value.shape)}"
    return f"{str(value)[:40]!r} of type {type(value).__name__}"


def _wanted(dtype: str, rows: int | None) -> str:
    return f"a numpy array of {dtype} with shape ({'rows' if rows is None else rows},)"
