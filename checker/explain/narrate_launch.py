"""A launch in a sentence: who is in the batch, what each row checkpoints and where."""

from __future__ import annotations

from checker.explain.changes import allocator_said, label_changed, next_changed
from checker.explain.named_arguments import NamedArguments
from checker.explain.names import request_name, slot_name, text_name, tokens
from checker.model.model import Model
from spec.language import ABSENT
from spec.scope import EAGER
from spec.state import Row, State, Text


def narrate_prefill(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    """Say whose prompt is launched, on top of what, and where its checkpoint goes."""
    request = chosen["request"]
    row = after.batches[before.pending].rows[request]
    copied = f" on top of {text_name(Text(row.family, row.start))} from {slot_name(row.source)}" if row.start else ""
    words = f"launch batch {number}: {request_name(request)} prefills {tokens(row.seq_len)}{copied}"
    return words + _claim(model, before, row, request, after)


def narrate_prepare(model: Model, number: int, before: State, chosen: NamedArguments, after: State) -> str:
    """Say who decodes which token, and where the checkpoints go."""
    rows = after.batches[before.pending].rows
    parts = [
        f"{request_name(request)} decodes token {rows[request].seq_len}"
        + _claim(model, before, rows[request], request, after)
        for request in chosen.each("order")
        if chosen.each("rows")[request]
    ]
    words = f"launch batch {number}: {'; '.join(parts) or 'other work, no request of ours in it'}"
    return words + allocator_said(before, chosen, after)


def _claim(model: Model, before: State, row: Row, request: int, after: State) -> str:
    """Say what the row checkpoints and where, and how that moved the request's pointers."""
    was, now, event = before.requests[request], after.requests[request], after.step.events[request]
    words = ""
    if event.spare_taken:
        words += f", takes spare {slot_name(now.ring[now.next])} into ring[{now.next}]"
    if event.no_spare:
        words += ", no spare slot" + ("" if row.mark != ABSENT else ": skips its checkpoint")
    if row.mark != ABSENT:
        words += f", checkpoint {text_name(Text(row.family, row.mark))} goes to ring[{row.position}] = " + (
            slot_name(row.slot)
        )
        if model.scope.mode == EAGER:
            words += f", {next_changed(was, now)}"
    elif not event.no_spare:
        words += ", no checkpoint"
    return words + label_changed(was, now)
