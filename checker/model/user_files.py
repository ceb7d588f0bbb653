"""Files of a user's own, designs and models: which they are, and whether an error is theirs."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from checker.exit_codes import BadInput


class BadModel(BadInput, ValueError):
    """A model or design file that cannot be used; the message says why and what to write instead."""


FILES: Final[set[str]] = set()
"""The files that have been loaded, as their code names them."""

MISTAKES: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that a text may run into; anything else that happens while it is read is not its fault."""


class BadFile(BadInput, ValueError):
    """An error of a user's own file, in words; the message says where."""


_OURS: Final = str(Path(__file__).parents[1])


def describe_error(error: BaseException) -> str:
    """Return an error in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def place_in(file: str, error: BaseException) -> str:
    """Return `FILE:LINE` of the last statement of a file that an error came through; without line where there is none.

    A file that Python cannot read has no statements, and says itself where that is.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{file}:{lines[-1]}" if lines else file


def blame(error: BaseException) -> str:
    """Return which file of a user's own an error is to be fixed in, as a sentence; empty: in none.

    It is theirs where their code was running and had not called back into the checker.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in FILES:
            return f"{place_in(frame.filename, error)}: {describe_error(error)}; fix the file"
        if frame.filename.startswith(_OURS):
            return ""
    return ""


def place_of_function(function: object) -> str:
    """Return `FILE:LINE` of a function, or its name where it has no text."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else getattr(function, "__name__", repr(function))
