"""What is asked of an engine: plain data, so that a run can be named, written down and repeated."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, Literal

Finish = Literal["stop", "length"]


@dataclass(frozen=True)
class Prompt:
    """One request: it arrives at a step of the loop and asks for so many output tokens."""

    name: str
    tokens: tuple[int, ...]
    outputs: int
    arrives: int = 0
    continues: str = ""
    """An earlier request whose whole text, prompt and outputs, stands before `tokens`."""


@dataclass(frozen=True)
class Workload:
    """The requests of one run, and the engine that they meet."""

    name: str
    rounds: tuple[tuple[Prompt, ...], ...]
    """A round begins when the one before is over; the cache stays."""
    finish: Finish = "stop"
    """By a stop token, which nobody foresees, or by length, which the scheduler can."""
    interval: int = 8
    slots: int = 64
    tokens: int = 4096
    """How many tokens the attention cache holds; when it is full, requests are retracted."""
    page: int = 1
    running: int = 16
    """The most requests that run at the same time."""
    chunk: int | None = None
    """The most prompt tokens of one batch."""
    mixed: bool = False
    """Whether decode rows ride along in a batch of prompts."""
    foresight: float = 1.0
    """How much of its outputs' room a request must find when it is admitted; below 1, retraction becomes likely."""
    slack: int = 100
    """By how much a request that ends by a stop token could have been longer."""
    retract_at: tuple[int, ...] = ()
    """Steps of the loop at which a request is retracted although there is room."""

    def to_json(self) -> str:
        """One line."""
        return json.dumps(dataclasses.asdict(self), separators=(",", ":"))


def from_json(line: str) -> Workload:
    """The workload that a line stands for."""
    fields: dict[str, Any] = json.loads(line)
    rounds = tuple(
        tuple(Prompt(**{**asked, "tokens": tuple(asked["tokens"])}) for asked in part) for part in fields["rounds"]
    )
    return Workload(**{**fields, "rounds": rounds, "retract_at": tuple(fields["retract_at"])})
