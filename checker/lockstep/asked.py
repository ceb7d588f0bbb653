"""The requests that a scheduler's loop is asked to serve: drawn as a stream, and made fewer and plainer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np

from checker.explain.names import family_name
from runtime.columns import Ints
from runtime.exact_model import text
from spec.scope import Scope

NEVER: Final = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of a stream, and at which turn of the loop it comes and is aborted; NEVER: it is not aborted."""

    name: str
    family: int
    prompt: int
    produce: int
    comes: int
    aborted: int

    def __str__(self) -> str:
        """Spell it as a person would."""
        gone = f", aborted at turn {self.aborted}" if self.aborted else ""
        words = f"{self.name}: text {family_name(self.family)} prompt {self.prompt} produce {self.produce}"
        return f"{words} at turn {self.comes}{gone}"

    @property
    def tokens(self) -> Ints:
        """The text that the prompt begins, as long as it is going to be."""
        return np.array(text(self.family + 1, self.prompt + self.produce)[0], np.int64)


def stream_of(rng: Random, scope: Scope) -> list[Asked]:
    """Draw the requests of one stream: some at once, some later; in every second stream some are aborted."""
    aborts = rng.choice(((NEVER,), (NEVER, NEVER, 1, 2, 3, 5)))
    found = []
    for number in range(rng.randint(1, 6)):
        prompt, comes, later = rng.randint(1, scope.max_len), rng.choice((0, 0, 1, 2, 4, 8)), rng.choice(aborts)
        found.append(
            Asked(
                name=f"q{number + 1}",
                family=rng.randrange(scope.families),
                prompt=prompt,
                produce=rng.randint(1, scope.max_len + 1 - prompt),
                comes=comes,
                aborted=comes + later if later else NEVER,
            )
        )
    return found


def fewer(stream: list[Asked]) -> Iterator[list[Asked]]:
    """Yield the stream with a request less, and then with one said more plainly."""
    for place in range(len(stream)):
        yield stream[:place] + stream[place + 1 :]
    for place, asked in enumerate(stream):
        plainer = [replace(asked, aborted=NEVER)] * bool(asked.aborted) + [replace(asked, comes=0)] * bool(asked.comes)
        plainer += [replace(asked, produce=produce) for produce in range(1, asked.produce)]
        plainer += [replace(asked, prompt=prompt) for prompt in range(1, asked.prompt)]
        for instead in plainer:
            yield [*stream[:place], instead, *stream[place + 1 :]]
