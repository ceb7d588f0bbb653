"""What a step changes beside its rows: a request's pointers, its label, its slots, and what the allocator gave."""

from __future__ import annotations

from checker.explain.named_arguments import NamedArguments
from checker.explain.names import slot_names
from spec.language import ABSENT
from spec.rows import awaits_write
from spec.state import EXHAUSTED, Request, State


def next_changed(was: Request, now: Request) -> str:
    """Say whether `next` has advanced."""
    return f"next {was.next} -> {now.next}" if was.next != now.next else f"next stays {now.next}"


def label_changed(was: Request, now: Request) -> str:
    """Say what became of `last` and the label; nothing where both stand."""
    if (was.last, was.last_len) == (now.last, now.last_len):
        return ""
    if now.last_len == ABSENT:
        return f", label {was.last_len} is taken back" if was.last_len != ABSENT else ""
    return f", last = ring[{now.last}] with label {now.last_len}"


def slots_of(me: Request) -> list[int]:
    """Return the slots that a request holds."""
    return [slot for slot in (me.working, *me.ring) if slot != ABSENT]


def allocator_said(before: State, chosen: NamedArguments, after: State) -> str:
    """Say what was out of the ordinary about the slots that the allocator had; nothing: nothing was."""
    if chosen["supply"] == EXHAUSTED:
        return " (others hold all free slots)"
    handed = [
        slot for slot, was in enumerate(before.free) if was and not after.free[slot] and awaits_write(before, slot)
    ]
    return f" (still to be written by a launched batch: {slot_names(handed)})" if after.step.reused else ""
