"""The bold cuts of a long run: pieces of it, whole requests, whole batches, each counted in its own way."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

from checker.lockstep.step import DrawnStep

Cut = Callable[[list[DrawnStep], int], list[DrawnStep] | None]
"""Leaves out of some steps what stands at a place; None: there is no such place."""


def _without_piece(steps: list[DrawnStep], place: int, size: int) -> list[DrawnStep] | None:
    start = place * size
    return steps[:start] + steps[start + size :] if start < len(steps) else None


def without_request(steps: list[DrawnStep], place: int) -> list[DrawnStep] | None:
    """Return the steps without those of a request, from one admission to the next under its name."""
    admitted = [at for at, step in enumerate(steps) if step.action == "admit"]
    if place >= len(admitted):
        return None
    start, name = admitted[place], steps[admitted[place]].request
    end = next((at for at in admitted if at > start and steps[at].request == name), len(steps))
    left = []
    for at, step in enumerate(steps):
        if not start <= at < end:
            left.append(step)
        elif step.request != name:
            left.append(dataclasses.replace(step, names=tuple(other for other in step.names if other != name)))
    return left


def without_batch(steps: list[DrawnStep], place: int) -> list[DrawnStep] | None:
    """Return the steps without a launch, its work on the device, and its result."""
    kinds = (("prefill", "prepare"), ("device",), ("process",))
    listed = [[at for at, step in enumerate(steps) if step.action in kind] for kind in kinds]
    if place >= len(listed[0]):
        return None
    gone = {each[place] for each in listed if place < len(each)}
    return [step for at, step in enumerate(steps) if at not in gone]


_PIECES: tuple[Cut, ...] = tuple(partial(_without_piece, size=size) for size in (32, 16, 8, 4, 2, 1))
CUTS: tuple[Cut, ...] = (*_PIECES[:2], without_request, *_PIECES[2:], without_batch, _PIECES[-1])
"""In the order in which they are tried, the boldest first."""
