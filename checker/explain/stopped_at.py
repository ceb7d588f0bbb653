"""Where a text of the spec stopped: at the `return` that gave a verdict, or at the line that asked too much."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from checker.explain.deciding_parts import Environment
from checker.model.source import is_of_the_language


@dataclass(slots=True)
class StoppedAt:
    """Where a function gave its verdict: its code, the line, and what its names stood for."""

    code: CodeType
    line: int
    names: Environment


def verdict(function: Callable[..., bool], watched: CodeType, arguments: list[Any]) -> StoppedAt | None:
    """Run a property; return where what is watched last said False, None if it holds. Other tracing is put back."""
    stops: list[StoppedAt] = []

    def inside(frame: FrameType, event: str, value: Any) -> Any:
        if event == "return":
            stops.append(StoppedAt(frame.f_code, frame.f_lineno, {**frame.f_globals, **frame.f_locals}))
        return inside

    def calls(frame: FrameType, event: str, value: Any) -> Any:
        return inside if frame.f_code is watched else None

    before = sys.gettrace()
    sys.settrace(calls)
    try:
        held = function(*arguments)
    finally:
        sys.settrace(before)
    return None if held else stops[-1]


def asking_frame(error: BaseException) -> tuple[FrameType, int] | None:
    """Return the frame that asked the language, and its line; None if the model's own range check did."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    asking = [pair for pair in frames if not is_of_the_language(pair[0].f_code.co_filename)]
    return None if not asking or asking[-1][0].f_code.co_name == "check_ranges" else asking[-1]
