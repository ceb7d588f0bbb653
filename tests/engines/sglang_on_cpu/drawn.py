"""Random workloads; a seed gives the same one everywhere.

Requests share prefixes, and later ones continue what earlier ones have said, so that states are found again.
"""

from __future__ import annotations

import random
from typing import Final, cast

from .workload import Finish, Prompt, Workload

KINDS: Final = {
    "stop": "requests end by a stop token; slots are scarce, tokens are not",
    "length": "requests end by length; slots are scarce, tokens are not",
    "tight": "too few slots and tokens for all: admissions are rejected, states evicted, requests retracted",
    "busy": "the same, with prompts in chunks and decode rows in the batches of prompts",
}
"""What a kind of workload is for."""
LONGEST: Final = {"stop": (20, 30, 30), "length": (20, 30, 30), "tight": (16, 20, 24), "busy": (16, 40, 24)}
"""The most tokens of a shared prefix, of what follows it, and of the outputs."""


def drawn(kind: str, seed: int, pages: bool = False) -> Workload:
    """The workload of a kind that a seed stands for; `pages`: of more than one token in some."""
    draw = random.Random(f"{kind} {seed}")
    finish = cast(Finish, kind if kind in ("stop", "length") else draw.choice(("stop", "length")))
    running = draw.choice((1, 2, 3, 4))
    spare = draw.choice((2, 3, 6, 20))
    room: dict[str, object] = {"slots": 4 * running + spare}
    if kind in ("tight", "busy"):
        room |= {"tokens": draw.randrange(84, 110), "foresight": draw.choice((0.0, 0.02, 0.05, 0.3)), "slack": 4}
        room |= {"retract_at": tuple(sorted(draw.sample(range(2, 60), draw.choice((0, 0, 2)))))}
    if kind == "busy":
        page = draw.choice((1, 1, 4))
        room |= {
            "page": page if pages else 1,
            "chunk": draw.choice((8, 12, 16, 24)),
            "mixed": draw.random() < 0.7,
            "tokens": 256,
        }
    rounds = rounds_of(draw, *LONGEST[kind])
    return Workload(f"{kind}-{seed}", rounds, finish, interval=draw.choice((4, 8)), running=running, **room)  # type: ignore[arg-type]


def rounds_of(draw: random.Random, shared: int, own: int, outputs: int) -> tuple[tuple[Prompt, ...], ...]:
    """Three to eight requests, of which up to four go on after all of them are over."""
    prefix = tokens(draw, 40)
    first, arrives = [], 0
    for i in range(draw.randrange(3, 9)):
        text = prefix[: draw.randrange(shared)] + tokens(draw, draw.randrange(2, own))
        first.append(Prompt(chr(ord("A") + i), text, draw.randrange(1, outputs), arrives))
        arrives += draw.choice((0, 0, 1, 1, 2, 4, 9, 13))
    second, arrives = [], 0
    for earlier in draw.sample(first, min(4, len(first))):
        text = tokens(draw, draw.randrange(1, 9))
        second.append(
            Prompt(earlier.name.lower(), text, draw.randrange(1, outputs // 2), arrives, continues=earlier.name)
        )
        arrives += draw.randrange(8)
    return tuple(first), tuple(second)


def tokens(draw: random.Random, count: int) -> tuple[int, ...]:
    """So many tokens of a small vocabulary."""
    return tuple(draw.randrange(10, 900) for _ in range(count))
