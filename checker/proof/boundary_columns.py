"""The shipped text over columns: for each row of a batch it decides as it does for that row's numbers alone.

The proofs read the text over numbers; this ties the columns of a batch to them, over every combination of small
arguments. What is no `Value` in a signature (an interval, a ring, a choice of mode) is one for the whole batch.
"""

from __future__ import annotations

import inspect
import itertools

import numpy as np

from checker.proof.boundary_source import Boundary, functions

NAME = "columns-agree"
"""What a failure of this is called."""
_SMALL = range(-1, 4)
_WHOLE = {"int": range(1, 5), "bool": (False, True)}


def disagreement(module: Boundary) -> str:
    """Return the first inputs for which columns and numbers differ, in words; empty: there are none."""
    for name, function in functions(module).items():
        kinds = {key: str(parameter.annotation) for key, parameter in inspect.signature(function).parameters.items()}
        whole = [key for key, kind in kinds.items() if kind in _WHOLE]
        each = [key for key in kinds if key not in whole]
        rows = np.array(list(itertools.product(_SMALL, repeat=len(each)))).T
        columns = dict(zip(each, rows, strict=True))
        for values in itertools.product(*[_WHOLE[kinds[key]] for key in whole]):
            fixed = dict(zip(whole, values, strict=True))
            try:
                answers = np.broadcast_to(function(**columns, **fixed), rows.shape[1:])
            except (TypeError, ValueError) as error:
                return f"{name} has no answer for a column: {error}"
            for row, answer in zip(rows.T.tolist(), answers.tolist(), strict=True):
                arguments = dict(zip(each, row, strict=True)) | fixed
                alone = function(**arguments)
                if answer != alone:
                    told = ", ".join(f"{key}={arguments[key]}" for key in kinds)
                    return f"{name}({told}) = {answer} in a column, {alone} alone"
    return ""
