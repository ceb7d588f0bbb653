"""The kinds of arrays that kernels are given; the annotations of an entry are what build and store go by."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

LANE = "lane"
"""Stands for the type of a register's numbers: a kernel is compiled for each."""

Lanes = Annotated[NDArray[Any], LANE, 2]
"""Registers, or the rows of states, in the width of the model."""
Lanes3 = Annotated[NDArray[Any], LANE, 3]
Numbers = Annotated[NDArray[np.int64], "int64", 1]
NumberTable = Annotated[NDArray[np.int64], "int64", 2]
Code = Annotated[NDArray[np.int32], "int32", 2]
Spots = Annotated[NDArray[np.int32], "int32", 1]
Hashes = Annotated[NDArray[np.uint64], "uint64", 1]
HashTable = Annotated[NDArray[np.uint64], "uint64", 2]
