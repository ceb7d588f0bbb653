"""Steps of the runtime for which the spec has no word: a record moves to another seat, rows are put together anew.

A handing over of requests between batches and sessions is made of them. For the spec nothing happens, so their text is
empty, and a lockstep that takes them on both sides shows that the runtime has done nothing else either.
"""

from __future__ import annotations

from spec.design import Design
from spec.domains import requests, rows
from spec.language import action
from spec.state import RequestId, State


@action(request=requests, seat=requests)
def move(s: State, design: Design, request: RequestId, seat: int) -> None:
    """The whole record of a request moves to another seat."""


@action(first=rows)
def regroup(s: State, design: Design, first: tuple[bool, ...]) -> None:
    """The rows in flight of some requests are taken out of their batches and put in front of the others."""


STUTTERS = (move, regroup)
