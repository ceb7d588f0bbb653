"""Ways in which a request leaves without a result of its own."""

from __future__ import annotations

from spec.design import Design
from spec.domains import requests
from spec.language import action, guard
from spec.slots import erase_dead_state, release
from spec.state import IDLE, RequestId, State


@action(request=requests)
def abort(s: State, design: Design, request: RequestId) -> None:
    """Abort an admitted or running request: it publishes nothing and gives everything back."""
    guard(s.requests[request].phase != IDLE, "the name is not in use; admit it first")
    s.step.events[request].aborted = True
    release(s, design, request)
    erase_dead_state(s)
