"""The device: it runs the launched batches one by one, in launch order."""

from __future__ import annotations

from spec.design import Design
from spec.language import ABSENT, action, copy, guard
from spec.slots import erase_dead_state
from spec.state import Row, State, Text


@action()
def device(s: State, design: Design) -> None:
    """Run the oldest batch that has not been run."""
    guard(s.written < s.pending, "every launched batch has run; prepare one first")
    for row in s.batches[s.written].rows:
        if row.present:
            run(s, row)
    for slot, text in enumerate(s.batches[s.written].others):
        if text.family != ABSENT:
            s.holds[slot] = copy(text)
    s.written += 1
    erase_dead_state(s)


def run(s: State, row: Row) -> None:
    """Overwrite the working slot with the next state, and copy the state at the mark into the row's slot.

    Both are right only if the state that the row starts from stands for exactly the tokens before it, and the second
    only if the row passes its mark on the way.
    """
    right = row.start == 0
    if row.source != ABSENT:
        right = s.holds[row.source] == Text(row.family, row.start)
    s.holds[row.working] = Text(row.family, row.seq_len) if right else Text()
    if row.mark != ABSENT:
        passed = right and row.start < row.mark <= row.seq_len
        s.holds[row.slot] = Text(row.family, row.mark) if passed else Text()
