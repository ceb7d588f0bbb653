"""Everything that an engine or a scheduler knows, as plain data: what a refused call must leave as it was."""

import types
from collections import deque
from functools import partial

import numpy as np
import torch

SCRATCH = {
    ("Buffer", "_host"),
    ("Buffer", "_view"),
    ("Buffer", "_device"),
    ("Buffer", "used"),
    ("SlotPool", "_places"),
}
"""What is written before it is read, each time: a staging buffer whose turn it is, the pool's place to compare in."""
OPAQUE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.ModuleType, type, partial, torch.dtype)
"""What cannot change, and goes by its name or identity."""
THREADS = ("threading", "_thread", "_queue", "queue")


def snapshot(thing, seen=None):
    """Return the state of an object and of all that it holds, down to every number; cycles go by first witness."""
    seen = {} if seen is None else seen
    if thing is None or isinstance(thing, bool | int | float | str | bytes):
        return thing
    if isinstance(thing, np.ndarray):
        return (str(thing.dtype), thing.shape, thing.tolist())
    if isinstance(thing, torch.Tensor):
        return (str(thing.dtype), tuple(thing.shape), thing.tolist())
    if isinstance(thing, OPAQUE) or type(thing).__module__ in THREADS:
        return f"<{type(thing).__name__} {getattr(thing, '__qualname__', id(thing))}>"
    if id(thing) in seen:
        return f"<seen {seen[id(thing)]}>"
    seen[id(thing)] = len(seen)
    if isinstance(thing, dict):
        return [(snapshot(key, seen), snapshot(value, seen)) for key, value in thing.items()]
    if isinstance(thing, list | tuple | deque):
        return [type(thing).__name__, *[snapshot(item, seen) for item in thing]]
    if isinstance(thing, set | frozenset):
        return sorted(map(repr, thing))
    if isinstance(thing, BaseException):
        return repr(thing)
    named = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        for name in getattr(kind, "__slots__", ()):
            if hasattr(thing, name):
                named[name] = getattr(thing, name)
    kind = type(thing).__name__
    return (kind, {name: snapshot(named[name], seen) for name in sorted(named) if (kind, name) not in SCRATCH})
