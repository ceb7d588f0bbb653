"""Numbers by which two models that read as the same graph are known: then no search and no solver tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from checker.search.bfs import Search
from checker.symbolic.node import Node, Value, order
from checker.symbolic.transitions import Transition


def graph_hash(values: Sequence[Value]) -> int:
    """Return a number that equal expressions share, in whichever graph they stand."""
    hashes: dict[int, int] = {}

    def of(value: Value) -> int:
        # The text of a constant: Python gives -1 and -2, ABSENT and EXHAUSTED, the same hash.
        return hashes[value.number] if isinstance(value, Node) else hash(repr(value))

    for node in order(values):
        parts = [of(arg) for arg in node.args]
        if node.op in ("and", "or", "eq", "same", "add"):
            # Which side comes first depends on what else has been walked before.
            parts.sort()
        hashes[node.number] = hash((node.op, node.name, *parts))
    return hash(tuple(map(of, values)))


def hash_of(transition: Transition) -> int:
    """Return the same for all that a step does, breaks and shows."""
    told = [*transition.faults, *[(stated.name, value) for stated, value in [*transition.steps, *transition.witnesses]]]
    names = tuple(name for name, value in told if value is not False)
    values = [transition.enabled, *transition.after, *[value for _, value in told if value is not False]]
    return hash((transition.instance.action.name, names, graph_hash(values)))


def hash_of_search(search: Search) -> int:
    """Return the same for a whole search that has not been run."""
    stated = [value for _, program in search.always for value in getattr(program, "outputs", [program])]
    of_steps = [*search.expander.asked, *search.expander.shown]
    stated += [value for _, value in of_steps]
    names = tuple(name for name, _ in of_steps)
    return hash((names, graph_hash(stated), *[hash_of(compiled.transition) for compiled in search.expander.compiled]))
