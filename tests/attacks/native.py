"""A plain native breadth-first search over a model's module: what Python itself says, however slowly.

It shares nothing with the checker but the words of spec/language/: states are copied as copy.deepcopy does, actions
and properties are called as they stand, ranges are read from the annotations here, and truth is Python's.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import importlib.util
import itertools
import sys
import typing
from dataclasses import dataclass, field
from typing import Annotated, Any, get_args, get_origin

from spec.language import ABSENT, WELL_FORMED, Disabled, Id, Range, Transient, Vector, Violated

MOST_STATES = 4000
MOST_CHOICES = 1000
_count = itertools.count()


@dataclass
class Verdict:
    """What the search has shown; depths count steps from the first state."""

    states: int = 0
    transitions: int = 0
    violated: dict[str, int] = field(default_factory=dict)
    """Each violated property with the length of the shortest run that violates it."""
    failed: dict[str, int] = field(default_factory=dict)
    """Errors that Python itself raises, each with the length of the shortest run to it."""
    postconditions: set[str] = field(default_factory=set)
    """Those of the violated properties that only a search asks."""
    asked: int = 0
    """Properties that are asked at all."""
    unseen: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    cut: bool = False

    @property
    def first(self):
        """The properties that a shortest violating run violates."""
        depth = min(self.violated.values(), default=None)
        return {name for name, at in self.violated.items() if at == depth}

    @property
    def status(self):
        """One of: cut short, fails, violated, unasked, vacuous, holds."""
        if self.cut:
            return "cut short"
        if self.failed:
            return "fails"
        if self.violated:
            return "violated"
        if not self.asked:
            return "unasked"
        return "vacuous" if self.unseen or self.idle or not self.transitions else "holds"


def load(path):
    """Import a file under a name of its own."""
    name = f"native model {next(_count)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks its module up by name, and so do annotations that are strings.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def twin(value, met=None):
    """What copy.deepcopy returns, several times faster for records and vectors that are nothing more."""
    met = {} if met is None else met
    kind = type(value)
    if kind in (int, bool):
        return value
    if id(value) in met:
        return met[id(value)]
    if kind is tuple:
        return tuple(twin(part, met) for part in value)
    if kind is Vector and not value.__dict__:
        made = met[id(value)] = Vector()
        made.extend(twin(part, met) for part in list.__iter__(value))
        return made
    if dataclasses.is_dataclass(kind) and not hasattr(value, "__dict__"):
        made = met[id(value)] = object.__new__(kind)
        for name in slots_of(kind):
            object.__setattr__(made, name, twin(object.__getattribute__(value, name), met))
        return made
    return copy.deepcopy(value, met)


@functools.cache
def slots_of(cls):
    return [item.name for item in dataclasses.fields(cls)]


def marks_of(hint):
    """The type inside an annotation, and what is annotated."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return inner, marks
    return hint, []


def parts(value, hint, transient=False, path=""):
    """Yield every record, vector and leaf of a state as (owner, name, value, type, marks, transient, path)."""
    for name, part, inner in members(value, hint):
        kind, marks = marks_of(inner)
        passing = transient or any(isinstance(mark, Transient) for mark in marks)
        where = f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}".lstrip(".")
        yield value, name, part, kind, marks, passing, where
        if isinstance(part, Vector) or dataclasses.is_dataclass(part):
            yield from parts(part, kind, passing, where)


def put(owner, name, value):
    """Set an element of a vector, or a field of a record."""
    if isinstance(name, int):
        owner[name] = value
    else:
        setattr(owner, name, value)


@functools.cache
def hints_of(cls):
    return typing.get_type_hints(cls, include_extras=True)


def members(value, hint):
    """The elements of a vector or the fields of a record, with their annotations."""
    if isinstance(value, Vector):
        inner = get_args(hint)[0] if get_args(hint) else Any
        return [(number, part, inner) for number, part in enumerate(list.__iter__(value))]
    hints = hints_of(type(value))
    return [(item.name, getattr(value, item.name), hints[item.name]) for item in dataclasses.fields(value)]


def limits(inner, marks, scope):
    """Yield the declared ranges of a leaf; a name stands for that attribute of the scope."""
    if inner is bool:
        yield 0, 1
    for mark in marks:
        if isinstance(mark, Range):
            yield tuple(getattr(scope, end) if isinstance(end, str) else end for end in (mark.low, mark.high))
        elif isinstance(mark, Id):
            yield ABSENT, getattr(scope, mark.sort) - 1


def domain(choices):
    """The values of a parameter, once for all."""
    found = list(itertools.islice(choices, MOST_CHOICES + 1))
    if len(found) > MOST_CHOICES:
        raise ValueError("too many choices to try them all")
    return found


class Search:
    """One search; `verdict` is what it has shown."""

    def __init__(self, module, scope=None):
        self.scope = module.Scope() if scope is None else scope
        self.context = module.Context(self.scope) if hasattr(module, "Context") else self.scope
        self.first = module.init(self.scope)
        self.actions = [
            (action, [domain(choice(self.scope)) for choice in action.choices.values()])
            for action in list(module.actions)
            if not hasattr(action, "applies") or action.applies(self.scope)
        ]
        self.properties = [stated for stated in list(module.properties) if stated.applies(self.context)]
        self.verdict = Verdict()
        self.verdict.asked = len(self.of_kind("always", "step", "postcondition", "sometimes"))
        self.verdict.unseen = [stated.name for stated in self.of_kind("sometimes")]
        self.verdict.idle = [action.name for action, _ in self.actions]

    def of_kind(self, *kinds):
        return [stated for stated in self.properties if stated.kind in kinds]

    def run(self):
        verdict = self.verdict
        depth = 0
        try:
            seen = {self.key(self.first)}
            self.check_ranges(self.first)
            frontier = [self.first]
            self.check_states(frontier, 0)
            while frontier and not verdict.cut:
                depth += 1
                found = []
                for state in frontier:
                    for after in self.successors(self.quiet(state), depth):
                        key = self.key(after)
                        if key not in seen:
                            seen.add(key)
                            found.append(after)
                self.check_states(found, depth)
                verdict.cut = len(seen) > MOST_STATES
                frontier = found
            verdict.states = len(seen)
        except Exception as error:
            # What is no state at all has no verdict either.
            self.fails(error, depth)
        return verdict

    def fails(self, error, depth):
        self.verdict.failed.setdefault(f"{type(error).__name__}: {error}", depth)

    def violates(self, name, depth):
        self.verdict.violated.setdefault(name, depth)

    def successors(self, state, depth):
        """Take every step from a state; yield the states after those that violate nothing themselves."""
        for action, domains in self.actions:
            for arguments in itertools.product(*domains):
                after = twin(state)
                try:
                    action.function(after, self.context, *arguments)
                    self.check_ranges(after)
                except Disabled:
                    continue
                except Violated as violation:
                    self.violates(violation.name, depth)
                    self.count(action)
                    continue
                except Exception as error:
                    self.fails(error, depth)
                    continue
                self.count(action)
                for stated in self.of_kind("step", "postcondition"):
                    if not self.holds(stated, depth, state, after):
                        self.violates(stated.name, depth)
                        self.verdict.postconditions |= {stated.name} if stated.kind == "postcondition" else set()
                for stated in self.of_kind("sometimes"):
                    if stated.name in self.verdict.unseen and self.holds(stated, depth, state, after):
                        self.verdict.unseen.remove(stated.name)
                yield after

    def count(self, action):
        self.verdict.transitions += 1
        if action.name in self.verdict.idle:
            self.verdict.idle.remove(action.name)

    def check_states(self, states, depth):
        for state in states:
            for stated in self.of_kind("always"):
                if not self.holds(stated, depth, state):
                    self.violates(stated.name, depth)

    def holds(self, stated, depth, *states):
        """Whether a property is true as Python takes it; one that indexes outside a vector is not."""
        try:
            return bool(stated.function(*twin(states), self.context))
        except Violated:
            return False
        except Exception as error:
            self.fails(error, depth)
            return True

    def check_ranges(self, state):
        for *_, value, inner, marks, _transient, path in parts(state, type(state)):
            for low, high in limits(inner, marks, self.scope):
                if not low <= value <= high:
                    raise Violated(WELL_FORMED, f"{path} = {value}")

    def quiet(self, state):
        """A copy of a state in which nothing tells of a last step."""
        after = twin(state)
        first = twin(self.first)
        for here, there in list(zip(parts(after, type(after)), parts(first, type(first)), strict=True)):
            if here[5]:
                owner, name, value = here[0], here[1], there[2]
                put(owner, name, value)
        return after

    def key(self, state):
        """What tells two states apart, which of its records are one object included."""
        found, met = [], {}
        for *_, value, _inner, _marks, transient, path in parts(state, type(state)):
            if isinstance(value, Vector) or dataclasses.is_dataclass(value):
                found.append(met.setdefault(id(value), path))
            elif not transient:
                found.append((path, value if isinstance(value, (int, float)) else repr(value)))
        return tuple(found)


def search(path):
    """Search the model of a file; a model that cannot even be set up fails."""
    try:
        return Search(load(path)).run()
    except (Exception, SystemExit) as error:
        return Verdict(failed={f"{type(error).__name__}: {error}": 0})
