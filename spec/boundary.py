"""Which lengths are boundaries: multiples of the interval, or a free choice within the gap rule."""

from __future__ import annotations

from spec.design import Design
from spec.language import ABSENT, guard
from spec.scope import ANY, Scope
from spec.slots import key_cached
from spec.state import Length, Request, RequestId, State


def on_grid(scope: Scope, length: int) -> bool:
    """Whether a checkpoint may stand for `length` tokens."""
    return length > 0 and (scope.interval == ANY or length % scope.interval == 0)


def prefill_mark(s: State, design: Design, request: RequestId, choice: Length) -> Length:
    """Return the boundary that a one-chunk prefill marks, beyond the cached prefix; ABSENT when there is none.

    It is the newest one. But a hit is shorter than its prompt: where the prompt ends on a boundary, that serves longer
    prompts only, and the one before it the same prompt as well. Which of the two comes first is the design's decision.
    """
    scope = design.scope
    me = s.requests[request]
    prompt = me.seq_len
    if scope.interval == ANY:
        guard(
            choice == ABSENT or me.prefix < choice <= prompt,
            "the mark lies outside the part that this prefill computes; "
            "write one beyond the cached prefix, in the prompt",
        )
        return choice
    mark = prompt - prompt % scope.interval
    before = mark - scope.interval
    if mark == prompt and before > me.prefix and design.marks_before_the_end(key_cached(s, request, before)):
        mark = before
    return mark if mark > me.prefix else ABSENT


def decode_mark(scope: Scope, me: Request, choice: bool) -> Length:
    """Return the length that a decode to `me.seq_len` checkpoints; ABSENT off the grid."""
    if scope.interval == ANY:
        return me.seq_len if choice else ABSENT
    return me.seq_len if me.seq_len % scope.interval == 0 else ABSENT


def within_gap_rule(scope: Scope, me: Request) -> bool:
    """Whether the next length may be a boundary: at most P - 1 of any L + 1 consecutive lengths are."""
    count = 1
    for behind in range(scope.memory - 1):
        if me.recent[behind]:
            count += 1
    return count <= scope.last_position


def remember(scope: Scope, me: Request, mark: Length) -> None:
    """Record, for an ANY interval, which of the newest lengths are boundaries, after `me.seq_len` has moved by one."""
    for behind in range(scope.memory - 1, 0, -1):
        me.recent[behind] = me.recent[behind - 1]
    if scope.memory > 0:
        me.recent[0] = mark == me.seq_len


def remember_prompt(scope: Scope, me: Request, mark: Length) -> None:
    """Record the same for a prefill, whose only boundary is its mark."""
    for behind in range(scope.memory):
        me.recent[behind] = mark == me.seq_len - behind


def boundary_behind(scope: Scope, me: Request, behind: int) -> bool:
    """Whether the length that lies `behind` tokens below the request's own is a boundary, as upstream's masks say."""
    if scope.interval == ANY:
        return me.recent[behind]
    return (me.seq_len - behind) % scope.interval == 0
