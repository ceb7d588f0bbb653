"""Does a row agree with the rows before it? Every disagreement is a `Problem`: a hazard, never a verdict.

The rules read a request as the previous rows left it and change nothing. They accept every design that the protocol
describes, so what they ask is what all of these share: counters that count, a row that names the slot at its own
position, a producer position that advances once a boundary, a label that only a marked row's result sets. A pointer
that an engine doesn't record isn't asked about.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from checker.traces.format import Admit, Header, Id, PlainRow, PrefillRow, ResultRow, Row
from checker.traces.lives import Claim, Life
from checker.traces.slots import Slot
from checker.traces.verdict import Problem

ODD = "inconsistent-record"
Pointer = int | UnsetType | None
Held = tuple[Id | UnsetType, ...]
"""The slot at each ring position, as far as it is known."""


def admitted(header: Header, event: Admit) -> Iterator[Problem]:
    """Eager: a full ring, next = 0, last = P - 1. Lazy: one filled position, next = last = it."""
    if header.ring is UNSET or not isinstance(event.ring, tuple):
        return
    filled = [position for position, slot in enumerate(event.ring) if slot is not None]
    if header.mode == "eager":
        if len(filled) < header.ring:
            yield Problem("admit:ring", ODD, "an eager ring has an absent position at admission")
        start, last = 0, header.ring - 1
    else:
        if len(filled) != 1:
            yield Problem("admit:ring", ODD, f"a lazy ring starts with one filled position, not {len(filled)}")
        start = last = filled[0] if filled else 0
    if event.next not in (UNSET, start):
        yield Problem("admit:next", ODD, f"next is {_value(event.next)} at admission, and should be {start}")
    if event.last not in (UNSET, last):
        yield Problem("admit:last", ODD, f"last is {_value(event.last)} at admission, and should be {last}")


def launched(header: Header, life: Life, row: PlainRow, start: int, copied: Id | UnsetType | None) -> Iterator[Problem]:
    """Lengths and counters of a prefill or decode row; `copied`: the slot that was copied for it, None: none was."""
    if isinstance(row, PrefillRow):
        if start >= row.len:
            yield Problem("launch:prefix", ODD, f"a prefix of {start} tokens leaves nothing of {row.len}")
        grid = header.prefill_grid
        if not life.started and grid is not UNSET and header.grid_from == "zero" and start % grid:
            yield Problem(
                "launch:prefix-grid", "grid", f"the cached prefix of {start} tokens isn't a multiple of {grid}"
            )
        if life.started and row.len <= life.len:
            yield Problem("launch:len", ODD, f"prefill to {row.len} tokens after {life.len}")
        if life.count:
            yield Problem("launch:count", ODD, "prefill after a decode step")
    elif not life.started:
        yield Problem("launch:start", ODD, "a decode row before any prefill")
    if copied is not None and life.started:
        text = f"slot {_value(copied)} is copied into a request that has already absorbed {life.len} tokens"
        yield Problem("launch:copy", "deferred-once", text, id_of(copied))
    if row.count is not UNSET and row.count != life.count + (not isinstance(row, PrefillRow)):
        yield Problem("launch:count", ODD, f"decode count {row.count} after {life.count}")
    for mark in row.marks:
        if not start < mark.len <= row.len:
            text = f"mark {mark.len} is outside of this forward's tokens {start + 1} to {row.len}"
            yield Problem("launch:mark", ODD, text)
        yield from _target(header, row, mark.len, mark.slot, mark.pos, start)


def _target(
    header: Header, row: PlainRow, length: int, slot: Id | UnsetType, pos: int | UnsetType, start: int
) -> Iterator[Problem]:
    """A mark lies on the grid, and the position that it names holds its slot."""
    grid, begins = header.interval, 0
    if isinstance(row, PrefillRow):
        grid, begins = header.prefill_grid, start if header.grid_from == "prefix" else 0
    if grid is not UNSET and (length <= begins or (length - begins) % grid):
        yield Problem("launch:grid", "grid", f"mark {length} isn't a multiple of {grid}", id_of(slot))
    if slot is UNSET:
        yield Problem("launch:target", ODD, f"mark {length} without a slot")
    if pos is UNSET or header.ring is UNSET or not isinstance(row.ring, tuple):
        return
    if pos >= header.ring:
        yield Problem("launch:target", ODD, f"position {pos} of a ring with {header.ring}", id_of(slot))
    elif pos < len(row.ring) and row.ring[pos] != slot and slot is not UNSET:
        text = f"the row names slot {_value(slot)} at position {pos}, which holds {slot_words(row.ring[pos])}"
        yield Problem("launch:target", ODD, text, id_of(slot))


def launch_pointers(header: Header, life: Life, row: Row, ring: Held) -> Iterator[Problem]:
    """`next` and `last` after preparation (the eager `next` has `flips` besides)."""
    marks = row.marks if isinstance(row, PlainRow) else ()
    prefill, next_, last = isinstance(row, PrefillRow), row.next, row.last
    if last is not UNSET:
        # Some designs move the consumer position of a prefill when it is prepared.
        named = prefill and any(last == mark.pos for mark in marks)
        if last != life.last and not named and (life.last is not None or not prefill):
            yield Problem("launch:last", ODD, f"preparation moved last from {_value(life.last)} to {_value(last)}")
    yield from _positions(header, "launch", next_, last, ring)
    spares = [p for p, slot in enumerate(ring) if slot is not None and p < len(life.ring) and life.ring[p] is None]
    asked = bool(marks) or not isinstance(row, PlainRow)
    if spares and (header.mode == "eager" or not asked):
        text = f"slot {ring[spares[0]]} fills position {spares[0]}, and no boundary of a lazy request asks for it"
        yield Problem("launch:spare", ODD, text, id_of(ring[spares[0]]))
    if life.next is None or next_ is UNSET:
        return
    if next_ is None:
        yield Problem("launch:next", ODD, f"next was {life.next} and isn't known any more")
    elif header.mode == "lazy" and isinstance(row, PlainRow):
        expected = life.next
        if spares and marks:
            expected = next_ if next_ in spares else spares[0]
        if next_ != expected:
            why = f"the spare went to position {expected}" if spares else "no spare was taken"
            yield Problem("launch:next", "flip-once", f"next is {next_} after {life.next}, although {why}")
        if marks and marks[0].pos not in (UNSET, next_):
            text = f"the row writes at position {marks[0].pos}, and next is {next_}"
            yield Problem("launch:pos", ODD, text, id_of(marks[0].slot))


def result_pointers(
    header: Header, life: Life, claim: Claim | None, row: ResultRow, labels: set[int | None]
) -> Iterator[Problem]:
    """Pointers and label after processing; `claim` is the row's own, if it had a mark, `labels` what rows explain.

    Only a marked row sets `last` and the label. A row without one leaves both, except that the label goes with its slot
    (donation), and that a lazy claim that writes in place clears it at preparation. A design may also give no label to
    a checkpoint that a later pending row is going to overwrite.
    """
    yield from _positions(header, "process", row.next, row.last, row.ring if isinstance(row.ring, tuple) else life.ring)
    last = life.last if claim is None or claim.pos is UNSET else claim.pos
    if row.last is not UNSET and life.last is not None and row.last != last:
        text = f"last is {_value(row.last)} after this result, and should be {_value(last)}"
        yield Problem("process:last", ODD, text)
    if row.next is not UNSET and life.next is not None:
        if row.next is None:
            yield Problem("process:next", ODD, f"next was {life.next} and isn't known any more")
        elif header.mode == "lazy" and row.next != life.next:
            yield Problem("process:next", "flip-once", f"processing moved next from {life.next} to {row.next}")
    if row.last not in (UNSET, None) and row.last_len is not UNSET and row.last_len not in labels:
        expected = " or ".join(_value(label) for label in sorted(labels, key=lambda label: label or 0))
        text = f"the label is {_value(row.last_len)} after this result, and should be {expected}"
        yield Problem("process:label", ODD, text)


def explained_labels(header: Header, life: Life, claim: Claim | None, ring: Held) -> set[int | None]:
    """The labels that the request's rows explain after a result that leaves it with this ring (None: no label)."""
    if claim is not None:
        pos = claim.pos
        moved = pos is not UNSET and pos < len(ring) and ring[pos] != claim.slot
        overwritten = life.targets[claim.slot] > 0
        return {None, claim.length} if claim.prefill or moved or overwritten else {claim.length}
    labels = {life.label}
    last, old = life.last, life.ring
    if last is not None and last < len(old) and last < len(ring):
        in_place = header.mode == "lazy" and life.targets[old[last]] > 0
        if in_place or ring[last] != old[last]:
            labels.add(None)
    return labels


def flips(header: Header, life: Life, next_: int | None) -> list[Problem]:
    """Eager: every claim sits where the one before left `next`, and `next` isn't past the pending claims.

    Some designs advance `next` when the row is prepared, some when a result is processed, but by the time a boundary's
    own result has been processed it has advanced for that boundary, exactly once.
    """
    if header.ring is UNSET or life.base is None or next_ is None or header.mode != "eager" or next_ >= header.ring:
        return []
    if not life.astray and (next_ - life.base) % header.ring <= len(life.claims):
        return []
    if life.advances < life.boundaries:
        how = "nobody advanced `next` for it"
    elif life.advances > life.boundaries + len(life.claims):
        how = "`next` advanced more than once for it" if life.boundaries else "`next` advanced without a boundary"
    else:
        how = "`next` did not follow the rows"
    newest = f"the newest boundary is at position {(life.base - 1) % header.ring}"
    return [Problem("flip", "flip-once", f"{newest}, and `next` is {next_} instead of {life.base}: {how}")]


def advances(header: Header, life: Life) -> list[Problem]:
    """Eager: `next` has advanced at least once for each processed boundary and at most once for each claim."""
    if header.mode != "eager" or header.ring in (UNSET, 1):
        return []
    claims = life.boundaries + len(life.claims)
    if life.boundaries <= life.advances <= claims:
        return []
    text = f"`next` has advanced {life.advances} times, and the rows claimed {claims} boundaries"
    return [Problem("flip", "flip-once", text)]


def lookahead(header: Header, life: Life, count: int, stated: int) -> list[Problem]:
    """The recorded lookahead of a decode row against 0 .. L, and against the counters."""
    found = []
    actual = life.count - count
    for name, value in (("the recorded lookahead", stated), ("the request's count minus the row's", actual)):
        if not 0 <= value <= header.lookahead:
            text = f"{name} is {value}, outside of 0 to {header.lookahead}"
            found.append(Problem("process:window", "lookahead-window", text))
            break
    if stated != actual:
        text = f"lookahead {stated}, but the decode counts are {life.count} (now) and {count} (row): {actual}"
        found.append(Problem("process:lookahead", ODD, text))
    return found


def label_holds(life: Life, label: Pointer, last: Pointer, ring: Held, slot: Slot | None) -> Iterator[Problem]:
    """The label against what the slot at `last` certainly holds; without one, against what the rows have written."""
    if not isinstance(label, int):
        return
    if not isinstance(last, int) or last >= len(ring):
        written = {claim.length for claim in life.claims} | {life.newest.length if life.newest else None, life.label}
        if label not in written:
            text = f"the label is {label}, which no launched row has written"
            yield Problem("process:exact", "exact-label", text)
    elif slot is not None and not (slot.certain is not None and slot.certain.covers(life.text, label, label)):
        text = f"the label says that slot {slot.id} holds {label} tokens, but it holds {slot.holds()}"
        yield Problem("process:exact", "exact-label", text, slot.id)


def slots_held(header: Header, life: Life, ring: Held) -> list[Problem]:
    """The slots that a request holds outside of a donation, against the bound of its mode."""
    if header.ring is UNSET or header.window > 1:
        return []
    ahead, interval = header.lookahead, header.interval
    bound = header.ring + 1
    if header.mode == "lazy" and interval is not UNSET:
        bound = max(2 + -(-(ahead + 1) // interval), 3 + -(-ahead // interval) if life.prefills else 0)
    held = (life.home is not None) + sum(slot is not None for slot in ring)
    text = f"the request holds {held} slots, and {bound} are its bound"
    return [Problem("held", "accounting", text)] if held > bound else []


def _positions(header: Header, scope: str, next_: Pointer, last: Pointer, ring: Held) -> Iterator[Problem]:
    positions = len(ring)
    if header.mode == "eager" and None in ring:
        yield Problem(f"{scope}:full", ODD, "an eager ring has an absent position")
    if isinstance(next_, int) and next_ >= positions:
        yield Problem(f"{scope}:next-range", ODD, f"next is {next_} in a ring with {positions} positions")
    if isinstance(last, int):
        if last >= positions:
            text = f"last is {last} in a ring with {positions} positions"
            yield Problem(f"{scope}:keep", "keep-index-defined", text)
        elif ring[last] is None:
            yield Problem(f"{scope}:keep", "keep-index-defined", f"position {last}, which is last, holds no slot")


def _value(value: object) -> str:
    return "absent" if value is None else "unknown" if value is UNSET else str(value)


def slot_words(value: Id | UnsetType) -> str:
    """What a ring position holds, for a person."""
    return "no slot" if value is None else f"slot {value}"


def id_of(slot: Id | UnsetType) -> int | None:
    """Return a slot that a line names; None where it names none, or none is known."""
    return None if slot is UNSET else slot
