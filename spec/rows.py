"""Rows in flight: guards ask what is *pending*, all that the CPU can know; truth asks what is *unwritten*."""

from __future__ import annotations

from spec.language import ABSENT, copy
from spec.state import Batch, Length, Request, RequestId, RingPosition, Row, Slot, State, Text


def row_of(me: Request, decode_count: int, source: Slot, start: Length, mark: Length) -> Row:
    """Return the row that a launch records of a request: with a mark, it claims the ring position `next`."""
    row = Row(
        present=True,
        decode_count=decode_count,
        seq_len=me.seq_len,
        family=me.family,
        source=source,
        start=start,
        working=me.working,
        position=ABSENT,
        slot=ABSENT,
        mark=mark,
    )
    if mark != ABSENT:
        row.position = me.next
        row.slot = me.ring[me.next]
    return row


def has_rows(s: State, request: RequestId) -> bool:
    """Whether a launched batch with a row of this request has not been processed."""
    return any(batch.rows[request].present for batch in s.batches)


def claims(s: State, request: RequestId, slot: Slot) -> bool:
    """Whether a pending row of this request writes its mark into `slot`."""
    return any(batch.rows[request].mark != ABSENT and batch.rows[request].slot == slot for batch in s.batches)


def claims_behind(s: State, request: RequestId, slot: Slot, index: int) -> int:
    """Return how many rows of this request, launched behind the batch of this index, write their mark into `slot`."""
    return sum(
        later > index and batch.rows[request].mark != ABSENT and batch.rows[request].slot == slot
        for later, batch in enumerate(s.batches)
    )


def claim_pending(s: State, request: RequestId) -> bool:
    """Whether any pending row of this request carries a mark."""
    return any(batch.rows[request].mark != ABSENT for batch in s.batches)


def claim_at(s: State, request: RequestId, position: RingPosition) -> bool:
    """Whether a pending row of this request carries a mark for this ring position."""
    return any(batch.rows[request].mark != ABSENT and batch.rows[request].position == position for batch in s.batches)


def writes(row: Row, slot: Slot) -> bool:
    """Whether running this row changes what `slot` holds."""
    return row.present and (row.working == slot or (row.mark != ABSENT and row.slot == slot))


def others_write(batch: Batch, slot: Slot) -> bool:
    """Whether running this batch changes what `slot` holds by a row of a request that the scope does not name."""
    return any(number == slot and text.family != ABSENT for number, text in enumerate(batch.others))


def awaits_write(s: State, slot: Slot) -> bool:
    """Whether a launched row that the device has not run yet is going to write `slot`."""
    return any(
        s.written <= index < s.pending and (any(writes(row, slot) for row in batch.rows) or others_write(batch, slot))
        for index, batch in enumerate(s.batches)
    )


def awaits_read(s: State, slot: Slot) -> bool:
    """Whether a launched row that the device has not run yet is going to start from `slot`."""
    return any(
        s.written <= index < s.pending and any(row.present and row.source == slot for row in batch.rows)
        for index, batch in enumerate(s.batches)
    )


def in_flight(s: State, slot: Slot) -> bool:
    """Whether the device is still going to write `slot` or to start from it: whoever takes it comes after that."""
    return awaits_write(s, slot) or awaits_read(s, slot)


def promised(s: State, slot: Slot) -> Text:
    """Return what `slot` will hold once every launched row has run: the last write in stream order wins."""
    text = copy(s.holds[slot])
    for index, batch in enumerate(s.batches):
        if s.written <= index < s.pending:
            for row in batch.rows:
                if row.present and row.working == slot:
                    text = Text(row.family, row.seq_len)
                if row.present and row.mark != ABSENT and row.slot == slot:
                    text = Text(row.family, row.mark)
            for number, written in enumerate(batch.others):
                if number == slot and written.family != ABSENT:
                    text = copy(written)
    return text
