"""Where in a model's text something happens natively: found out by running it once more, line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from checker.model.layout import Plain, flatten
from checker.model.model import Model
from checker.model.source import is_of_the_language
from checker.search.native import Native
from checker.search.tries import Try
from spec.language import Disabled, Property, Violated, copy

Place = tuple[CodeType, int]


def of_action(native: Native, done: Try, leaf: int | None = None) -> str:
    """Return where an action last writes a leaf natively; without a leaf, where it ends."""
    instance, model = native.instances[done.number], native.model
    function = instance.action.function
    state = copy(done.at.state)
    for name in model.transient:
        setattr(state, name, copy(getattr(model.init, name)))
    values = [None if leaf is None else list(flatten(state))[leaf]]
    writes: list[Place] = []

    def watch(before: Place) -> None:
        # What a line has written shows when the next one begins.
        value = None if leaf is None else list(flatten(state))[leaf]
        if value != values[-1]:
            values.append(value)
            writes.append(before)

    last = _run(function, [state, model.context, *instance.arguments(done.chosen)], watch)
    if leaf is not None:
        return _spelled(writes[-1] if writes else _start(function))
    return _spelled(last)


def of_property(model: Model, stated: Property, *states: Plain) -> str:
    """Return the line on which a property, or what it calls last, gives its value natively."""
    return _spelled(_run(stated.function, [*states, model.context], lambda before: None, stated.written))


def _spelled(place: Place) -> str:
    code, line = place
    return f"{code.co_filename}:{line} ({code.co_name})"


def _start(function: Callable[..., object]) -> Place:
    return function.__code__, function.__code__.co_firstlineno


def _run(
    function: Callable[..., object],
    arguments: list[object],
    watch: Callable[[Place], None],
    written: Callable[..., object] | None = None,
) -> Place:
    """Run a function, look after every line at what it has done, and return the line on which it ends or raises."""
    last = _start(written or function)
    raised = False

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal last, raised
        if is_of_the_language(frame.f_code.co_filename):
            return None
        if not raised:
            watch(last)
            last = frame.f_code, frame.f_lineno
        # From here on the frames are only left, one after the other.
        raised = raised or (event == "exception" and issubclass(argument[0], (Disabled, Violated)))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    except (Disabled, Violated):
        pass
    finally:
        sys.settrace(before)
    return last
