"""A run as entries of a timeline: each step in its lane, and beside it the slots that matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.explain.clause import Clause
from checker.explain.lanes import LaneEntry
from checker.explain.names import request_name, slot_name, text_name
from checker.explain.narrate import launched, say
from checker.model.model import Model, TakenStep
from checker.model.replay import Replay
from spec.language import ABSENT
from spec.rows import promised
from spec.state import RUNNING, State


def entries_of(
    model: Model, steps: Sequence[TakenStep], states: Sequence[Any], slots: Sequence[int] = ()
) -> tuple[LaneEntry, ...]:
    """Return a run as entries of a timeline: of `states` the first is before all steps; the last step may have none."""
    entries, number = [], 0
    for index, taken in enumerate(steps[: len(states)]):
        before = states[index]
        after = states[index + 1] if index + 1 < len(states) else None
        lane, words = say(model, number, before, taken, after)
        shown = before if after is None else after
        entries.append(LaneEntry(index + 1, lane, words, tuple(_slot(shown, slot) for slot in slots)))
        number += launched(before, after)
    return tuple(entries)


def concerned_slots(run: Replay, clause: Clause) -> list[int]:
    """Return the slots that matter: those of the broken condition, and the rings at the end of who had them."""
    if not isinstance(run.states[0], State):
        return []
    found, requests = set(clause.slots), set(clause.requests)
    if not found and not requests:
        requests = {number for number, me in enumerate(run.states[-1].requests) if me.phase == RUNNING}
    for state in run.states:
        requests |= {number for number, me in enumerate(state.requests) if found & set(me.ring)}
    for state in run.states[-2:]:
        found |= {slot for number in requests for slot in state.requests[number].ring if slot != ABSENT}
    return sorted(found)


def _slot(s: State, slot: int) -> str:
    """Return a slot's owner, what it holds, and what launched batches are going to put there."""
    held, coming = text_name(s.holds[slot]), text_name(promised(s, slot))
    return f"{slot_name(slot)} {_owner(s, slot)}: {held}" + (f" -> {coming}" if coming != held else "")


def _owner(s: State, slot: int) -> str:
    owners = ["free"] if s.free[slot] else []
    if s.cached[slot].family != ABSENT:
        owners.append(f"cached as {text_name(s.cached[slot])}")
    for number, me in enumerate(s.requests):
        owners += [f"{request_name(number)}.work"] if me.working == slot else []
        owners += [f"{request_name(number)}.ring[{place}]" for place, held in enumerate(me.ring) if held == slot]
    return " and ".join(owners) or "lost"
