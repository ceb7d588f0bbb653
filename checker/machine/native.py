"""How a kernel is marked: as plain Python that the compiler turns into code of the machine, without checks of its own.

Only the process that compiles imports this, and with it the compiler (checker/machine/build.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Mark a function that is called by other kernels."""
    return cast(Kernel, njit(error_model="numpy", boundscheck=False)(function))


def inlined(function: Kernel) -> Kernel:
    """Mark one that is so small that it stands where it is called."""
    return cast(Kernel, njit(error_model="numpy", boundscheck=False, inline="always")(function))
