"""Boundary decisions: pure, and one text for a number, for a column of a whole batch, and for a solver.

Every function takes plain values of one row, never a request. With ints it decides for one row, with numpy columns for
all rows of a batch, and the checker reads the same text over solver terms to prove that it decides as the spec does.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

Value = Any
"""An int or bool, a numpy column of them, or whatever the checker reads the text over."""

ABSENT: Final = -1
"""No slot, no position, no length: never freed, counted, indexed or written."""


def where(condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where the condition holds and `no` elsewhere, for one row or for each of a column."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, yes, no)
    return yes if condition else no


# At preparation.


def decode_mark(seq_len: Value, interval: int) -> Value:
    """Return the length that a decode step to `seq_len` tokens checkpoints; ABSENT off the grid."""
    return where(seq_len % interval == 0, seq_len, ABSENT)


def before_the_end(prompt: Value, prefix: Value, interval: int) -> Value:
    """Return the boundary before a prompt's end, where that is one too and `prefix` is shorter; ABSENT elsewhere."""
    return where(prompt % interval == 0, where(prompt - interval > prefix, prompt - interval, ABSENT), ABSENT)


def prefill_mark(prompt: Value, prefix: Value, cached: Value, interval: int) -> Value:
    """Return the boundary that a prefill from `prefix` to `prompt` tokens marks; ABSENT when there is none.

    It is the newest one, unless the one `before_the_end` is not `cached`: only that one serves the same prompt again.
    """
    newest = prompt - prompt % interval
    earlier = before_the_end(prompt, prefix, interval)
    mark = where(earlier == ABSENT, newest, where(cached, newest, earlier))
    return where(newest > prefix, mark, ABSENT)


def following(position: Value, ring: int) -> Value:
    """Return the ring position after `position`."""
    return (position + 1) % ring


def eager_next(position: Value, mark: Value, ring: int) -> Value:
    """Return the producer position after a preparation: a claim advances it, at once and only here."""
    return where(mark == ABSENT, position, following(position, ring))


def lazy_position(position: Value, empty: Value, spare: Value) -> Value:
    """Return the position that a boundary row claims: the one that a spare has filled, else the producer position."""
    return where(spare == ABSENT, position, empty)


def lazy_mark(mark: Value, spare: Value, skips: bool) -> Value:
    """Return what a boundary row checkpoints: without a spare nothing if the request skips, else it goes in place."""
    return where(spare == ABSENT, where(skips, ABSENT, mark), mark)


def label_after_claim(label: Value, last: Value, claimed: Value, mark: Value) -> Value:
    """Return a lazy request's label after a claim of position `claimed`: in place it is taken back at once."""
    return where(claimed == last, where(mark == ABSENT, label, ABSENT), label)


# When a result is processed. `claims`: how many rows launched later, and still pending, write the slot in question.


def lookahead(now: Value, then: Value) -> Value:
    """Return how many decode steps the request, at decode count `now`, is ahead of a row prepared at `then`."""
    return now - then


def outside_window(ahead: Value, limit: int) -> Value:
    """Return whether a lookahead is impossible for a scheduler that runs `limit` batches ahead."""
    return where(ahead < 0, True, ahead > limit)


def completed_last(last: Value, position: Value, mark: Value) -> Value:
    """Return the consumer position after a row's result: its own, if it completed a checkpoint."""
    return where(mark == ABSENT, last, position)


def completed_label(label: Value, mark: Value, claims: Value) -> Value:
    """Return the label after a row's result: its mark, unless a later row is going to overwrite that checkpoint."""
    return where(mark == ABSENT, label, where(claims == 0, mark, ABSENT))


def superseded(last: Value, position: Value, mark: Value) -> Value:
    """Return the position whose checkpoint a lazy request's newer one replaces; ABSENT: there is none."""
    return where(mark == ABSENT, ABSENT, where(last == position, ABSENT, last))


def may_free(slot: Value, claims: Value) -> Value:
    """Return whether a superseded slot may be given back: there is one, and nobody is going to write it."""
    return where(slot == ABSENT, False, claims == 0)


def may_publish(label: Value, claims: Value) -> Value:
    """Return whether the checkpoint at `last` may be published: it has a label, and nobody is going to write it."""
    return where(label == ABSENT, False, claims == 0)
