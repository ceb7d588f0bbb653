"""Plain Python runs a model at random: which tries it makes, what each does, and which properties hold there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from random import Random

from checker.model.layout import Plain, flatten
from checker.model.model import Model, TakenStep
from checker.search.tries import Try, TryAnswer, Visit, afterwards
from spec.language import Disabled, Property, Violated

MOST_LISTED = 2_000
"""Choices in one state that are worth trying one after the other."""
DRAWS = 48
"""How often something enabled is looked for in a state before it is taken for a dead end."""
DISABLED_KEPT = 2
"""Tries that are not enabled, kept for one that is: a third of all is enabled."""
WHOLE = 20
"""One state in so many is tried with every action and every choice, until as many tries come of that as of drawing."""


class Native:
    """Walks a model at random, and says natively what holds."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.random = Random(seed)
        self.instances = model.instances()
        self.by_action = [
            [number for number, instance in enumerate(self.instances) if instance.action is action]
            for action in model.actions
        ]
        sizes = [math.prod(map(len, instance.free.values())) for instance in self.instances]
        self.listable = sum(sizes) <= MOST_LISTED
        self.kept = [leaf.index for leaf in model.leaves if not leaf.transient]
        self.root = self.visit(model.init)
        self._seen: set[tuple[object, ...]] = set()
        self._enabled: list[tuple[int, dict[str, int]]] = []
        """What has been enabled: in most states it is a small part of all choices."""

    def visit(
        self, state: Plain, parent: Visit | None = None, taken: TakenStep | None = None, origin: str = ""
    ) -> Visit:
        """Return a state that is there, and how it was reached."""
        values = list(flatten(state))
        return Visit(state, values, tuple([values[index] for index in self.kept]), parent, taken, origin)

    def attempt(self, at: Visit, number: int, chosen: dict[str, int]) -> Try:
        """Take an action natively."""
        instance = self.instances[number]
        arguments = instance.arguments(chosen)
        try:
            state = self.model.take(at.state, instance.action, arguments)
        except Disabled:
            return Try(at, number, chosen, TryAnswer(False))
        except Violated as violation:
            return Try(at, number, chosen, TryAnswer(True, frozenset([violation.name])))
        self._enabled.append((number, chosen))
        after = self.visit(state, at, TakenStep(instance.action, arguments))
        return Try(at, number, chosen, TryAnswer(True, after=dict(enumerate(after.values))), after)

    # Which tries.

    def shallow(self, most: int) -> tuple[list[Try], bool]:
        """Return the tries that are not known yet, breadth first, and whether these are all: `most` of them, or all."""
        tries: list[Try] = []
        frontier, known = [self.root], {self.root.key}
        while frontier and self.listable and len(tries) < most:
            at = frontier.pop(0)
            for done in self.every(at):
                tries.append(done)
                if done.after and done.after.key not in known:
                    known.add(done.after.key)
                    frontier.append(done.after)
        return self._new(tries), self.listable and not frontier

    def walk(self, wanted: int) -> list[Try]:
        """Return so many tries of random runs that are not known yet, or fewer where they are hard to find.

        Where every choice can be listed, some of the states are tried with all of them as well.
        """
        tries: list[Try] = []
        whole: list[Try] = []
        visited = [self.root]
        at, left = self.root, self._length()
        for _ in range(4 * wanted):
            if len(tries) >= wanted:
                break
            if self.listable and len(whole) < wanted and self.random.randrange(WHOLE) == 0:
                whole += self._new(self.every(at))
            drawn = self.some(at)
            tries += self._new(drawn)
            after = drawn[-1].after if drawn else None
            left -= 1
            if after is None or not left:
                # Again from a state that a run has passed, at any depth.
                at, left = self.random.choice(visited), self._length()
            else:
                at = after
                visited.append(at)
        return [*whole, *tries]

    def every(self, at: Visit) -> Iterator[Try]:
        """Yield a state's try of every action with every choice."""
        for number, instance in enumerate(self.instances):
            for chosen in instance.combinations():
                yield self.attempt(at, number, chosen)

    def some(self, at: Visit) -> list[Try]:
        """Return a few tries of a state: the last is enabled, where one that is has been found."""
        drawn: list[Try] = []
        for _ in range(DRAWS):
            done = self.draw(at)
            drawn.append(done)
            if done.answer.enabled:
                return [*drawn[:-1][:DISABLED_KEPT], done]
        return drawn[:DISABLED_KEPT]

    def draw(self, at: Visit) -> Try:
        """Return one try of a state, drawn at random: mostly of what was enabled before, somewhere else."""
        if self._enabled and self.random.randrange(4):
            return self.attempt(at, *self.random.choice(self._enabled))
        number = self.random.choice(self.random.choice(self.by_action))
        instance = self.instances[number]
        return self.attempt(at, number, {name: self._one_of(values) for name, values in instance.free.items()})

    def _one_of(self, values: Sequence[int]) -> int:
        """Draw a value; of very many mostly one near the lower end, sometimes one near the upper, of any magnitude."""
        if len(values) <= MOST_LISTED:
            return self.random.choice(values)
        reach = int(2 ** self.random.uniform(0, math.log2(len(values)))) - 1
        reach = min(reach, len(values) - 1)
        return values[-1 - reach] if self.random.randrange(4) == 0 else values[reach]

    def _length(self) -> int:
        """Draw how many steps a run goes on."""
        return int(2 ** self.random.uniform(2, 8))

    def _new(self, tries: Iterator[Try] | list[Try]) -> list[Try]:
        """Drop the tries that are known already."""
        new = []
        for done in tries:
            key = done.at.key, done.number, *done.chosen.values()
            if key not in self._seen:
                self._seen.add(key)
                new.append(done)
        return new

    # What holds.

    def judge(self, tries: Sequence[Try], names: frozenset[str]) -> None:
        """Note in each try whether each named property holds natively: of the state, of the step, and afterwards."""
        of_states = [stated for stated in self.model.properties if stated.name in names and not stated.of_steps]
        of_steps = [stated for stated in self.model.properties if stated.name in names and stated.of_steps]
        known: dict[Visit, dict[str, bool | str]] = {}

        def held(visit: Visit) -> dict[str, bool | str]:
            if visit not in known:
                known[visit] = {stated.name: self.holds(stated, visit.state) for stated in of_states}
            return known[visit]

        for done in tries:
            done.answer.verdicts = dict(held(done.at))
            if done.after is not None:
                done.answer.verdicts |= {afterwards(name): value for name, value in held(done.after).items()}
                for stated in of_steps:
                    done.answer.verdicts[stated.name] = self.holds(stated, done.at.state, done.after.state)

    def holds(self, stated: Property, *states: Plain) -> bool | str:
        """Return whether Python takes a property's value for true; one that indexes outside a vector is false."""
        try:
            return bool(stated(*states, self.model.context))
        except Violated:
            return False
        except Disabled:
            return "a guard that ends it"
