"""A plain breadth-first search over the native functions of a model: slow, short, and without any evaluator."""

from __future__ import annotations

from dataclasses import dataclass, field

from spec.language import Violated


@dataclass
class Plain:
    """What the search has counted."""

    states: dict = field(default_factory=dict)
    """Every state by its key, in the order in which they were found."""
    transitions: int = 0
    depth: int = 0


def search(model):
    """Visit every state; a step that raises Violated is a transition that leads nowhere."""
    found = Plain({model.key(model.init): model.init})
    frontier = [model.init]
    while frontier:
        successors = []
        for state in frontier:
            for _, after in model.steps(state):
                found.transitions += 1
                if isinstance(after, Violated):
                    continue
                key = model.key(after)
                if key not in found.states:
                    found.states[key] = after
                    successors.append(after)
        found.depth += bool(successors)
        frontier = successors
    return found
