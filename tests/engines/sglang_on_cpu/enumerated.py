"""Small runs, all of a kind: the shortest ones in which an engine's faults show, among their neighbours that are right.

In all of them a last request goes on with the text of the first, so that a state that was filed wrongly is also used.
"""

from __future__ import annotations

from collections.abc import Iterator

from .workload import Finish, Prompt, Workload


def first(tokens: int, outputs: int) -> Prompt:
    """The request that the others are there for."""
    return Prompt("A", tuple(range(20, 20 + tokens)), outputs)


def afterwards(name: str = "A") -> tuple[Prompt, ...]:
    """A round in which somebody continues a text."""
    return (Prompt("Z", (1, 2, 3), 2, continues=name),)


def alone(finish: Finish) -> Iterator[Workload]:
    """One request and nothing beside it: 24 prompts, 24 numbers of outputs."""
    for tokens in range(1, 25):
        for outputs in range(1, 25):
            name = f"alone-{finish}-p{tokens}-n{outputs}"
            yield Workload(name, ((first(tokens, outputs),), afterwards()), finish)


def overtaken(finish: Finish, longest: int = 20, mixed: bool = False) -> Iterator[Workload]:
    """Somebody else arrives while the request decodes: the lookahead changes once or, `mixed`, its row rides along."""
    for tokens in (9, 12):
        for outputs in range(1, longest + 1):
            for arrives in range(outputs + 3):
                name = f"{'mixed' if mixed else 'overtaken'}-{finish}-p{tokens}-n{outputs}-b{arrives}"
                other = (Prompt("B", (5, 6, 7), 3, arrives),) if arrives else ()
                yield Workload(name, ((first(tokens, outputs), *other), afterwards()), finish, mixed=mixed)


def chunked(finish: Finish) -> Iterator[Workload]:
    """A long prompt in chunks, while up to four others decode in the same batches; pages of four tokens."""
    for tokens in (40, 60, 80):
        for others in range(5):
            name = f"chunked-{finish}-p{tokens}-d{others}"
            decoding = tuple(Prompt(f"B{i}", (5, 6, 7 + i), 20) for i in range(others))
            long = Prompt("A", tuple(range(20, 20 + tokens)), 2, arrives=4)
            rounds = ((*decoding, long), afterwards())
            yield Workload(name, rounds, finish, page=4, chunk=16, mixed=True, slots=96)
