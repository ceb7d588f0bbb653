"""A processed result in a sentence: what became of each row's checkpoint, what is published, what is freed."""

from __future__ import annotations

from checker.explain.changes import allocator_said, label_changed, next_changed, slots_of
from checker.explain.named_arguments import NamedArguments
from checker.explain.names import request_name, slot_name, slot_names, text_name
from checker.model.model import Model
from spec.language import ABSENT
from spec.rows import claims
from spec.scope import EAGER
from spec.state import RUNNING, Request, Row, State, Text


def narrate_process(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    """Say what the result does to each request in it."""
    rows = before.batches[0].rows
    parts = [
        _result(model, before, request, rows[request], after)
        for request in chosen.each("order")
        if rows[request].present
    ]
    words = f"result of batch {number - before.pending}: {'; '.join(parts) or 'no rows'}"
    return words + allocator_said(before, chosen, after)


def _result(model: Model, before: State, request: int, row: Row, after: State) -> str:
    name, event = request_name(request), after.step.events[request]
    if not event.processed:
        return f"{name} has left, its row is ignored"
    was, now = before.requests[request], after.requests[request]
    what = "prefill" if row.decode_count == 0 else f"token {row.seq_len}, lookahead {event.lookahead}"
    words = f"{name} ({what}){_completed(was, request, row, after)}"
    if now.phase == RUNNING:
        words += _donation(before, request, after)
        if model.scope.mode == EAGER and was.next != now.next:
            words += f", {next_changed(was, now)}"
    if event.finished:
        cut = ", its output is cut" if event.short_key else ""
        words += f"; {name} finishes{cut}, {_published(before, request, after)}"
    dropped = [slot for slot in slots_of(was) if after.free[slot] and not before.free[slot]]
    return words + (f", frees {slot_names(dropped)}" if dropped else "")


def _completed(was: Request, request: int, row: Row, after: State) -> str:
    """Say what became of the row's checkpoint, and whether the label moved with it or without it."""
    now, event = after.requests[request], after.step.events[request]
    moved = label_changed(was, now) if now.phase == RUNNING and event.published == ABSENT else ""
    if not event.boundary:
        return ", no checkpoint in it" + (f", YET{moved[1:]}" if moved else "")
    words = f", checkpoint {text_name(Text(row.family, row.mark))} done"
    if row.mark not in (now.last_len, event.published) and not (event.refused or event.key_cached or event.short_key):
        overwritten = claims(after, request, row.slot)
        words += ", gets no label: a launched batch will overwrite it" if overwritten else ", NOT RECORDED"
    return words + moved


def _donation(before: State, request: int, after: State) -> str:
    event = after.step.events[request]
    if event.no_replacement:
        return ", keeps it: no free slot to put in its place"
    if event.published == ABSENT and not event.refused and not event.key_cached:
        return ""
    was, now = before.requests[request].ring, after.requests[request].ring
    replaced = [position for position, slot in enumerate(now) if slot not in (was[position], ABSENT)]
    return f", {_published(before, request, after)}" + "".join(
        f", {slot_name(now[position])} replaces it in ring[{position}]" for position in replaced
    )


def _published(before: State, request: int, after: State) -> str:
    event, family = after.step.events[request], before.requests[request].family
    if event.published != ABSENT:
        key = Text(family, event.published)
        slots = [slot for slot, text in enumerate(after.cached) if text == key and before.cached[slot] != key]
        return f"{slot_names(slots)} goes to the cache as {text_name(key)}"
    if event.refused:
        return "publishes nothing: the gate refuses"
    if event.short_key and not event.key_cached:
        return "publishes nothing: its key is shorter than the label"
    return "publishes nothing: " + ("its key is cached already" if event.key_cached else "it has no label")
