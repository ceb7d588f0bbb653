"""Does a row agree with the rows before it? Every disagreement is a `Problem`: a hazard, never a verdict.

The checks read the request as the previous rows left it and change nothing. They accept every design that the protocol
describes, so what they check is what all of these share: counters that count, a row that names the slot at its own
position, a producer position that advances once a boundary, a label that only a marked row's result sets. A pointer
that an engine doesn't record (null) isn't checked, but one that was recorded before must not vanish.
"""

from __future__ import annotations

from checker.traces.format import Admit, Header, PrefillRow, PrepareRow, ProcessRow
from checker.traces.request import TraceClaim, TraceRequest
from checker.traces.verdict import Problem

ODD = "inconsistent-record"
Ints = tuple[int | None, ...]


def admit_problems(header: Header, event: Admit) -> list[Problem]:
    """Eager: a full ring, next = 0, last = P - 1. Lazy: one filled position, next = last = it."""
    found = []
    filled = [position for position, slot in enumerate(event.ring) if slot is not None]
    if header.mode == "eager":
        if len(filled) < header.ring:
            found.append(Problem("admit:ring", ODD, "an eager ring has an absent position at admission"))
        start, last = 0, header.ring - 1
    else:
        if len(filled) != 1:
            found.append(Problem("admit:ring", ODD, f"a lazy ring starts with one filled position, not {len(filled)}"))
        start = last = filled[0] if filled else 0
    if event.next not in (None, start):
        found.append(Problem("admit:next", ODD, f"next is {event.next} at admission, and should be {start}"))
    if event.last not in (None, last):
        found.append(Problem("admit:last", ODD, f"last is {event.last} at admission, and should be {last}"))
    return found


def prefill_problems(header: Header, request: TraceRequest, row: PrefillRow) -> list[Problem]:
    """Lengths and the copy of a prefill row, before the request takes them over."""
    found = []
    if row.prefix >= row.len:
        found.append(Problem("launch:prefix", ODD, f"a prefix of {row.prefix} tokens leaves nothing of {row.len}"))
    if row.prefix % header.interval:
        text = f"the cached prefix of {row.prefix} tokens isn't a multiple of {header.interval}"
        found.append(Problem("launch:prefix-grid", "grid", text))
    if row.copy_from is not None and request.started:
        text = f"slot {row.copy_from} is copied into a request that has already absorbed {request.len} tokens"
        found.append(Problem("launch:copy", "deferred-once", text, row.copy_from))
    if request.started and row.len <= request.len:
        found.append(Problem("launch:len", ODD, f"prefill to {row.len} tokens after {request.len}"))
    if request.count:
        found.append(Problem("launch:count", ODD, "prefill after a decode step"))
    floor = max(row.prefix, request.len)
    if row.mark is not None and not floor < row.mark <= row.len:
        text = f"mark {row.mark} is outside of this forward's tokens {floor + 1} to {row.len}"
        found.append(Problem("launch:mark", ODD, text))
    return found


def decode_problems(header: Header, request: TraceRequest, row: PrepareRow) -> list[Problem]:
    """Counters and the mark of a decode row, before the request takes them over."""
    found = []
    if not request.started:
        found.append(Problem("launch:start", ODD, "a decode row before any prefill"))
    elif row.len != request.len + 1:
        found.append(Problem("launch:len", ODD, f"decode to {row.len} tokens after {request.len}"))
    if row.count != request.count + 1:
        found.append(Problem("launch:count", ODD, f"decode count {row.count} after {request.count}"))
    if row.mark is not None and row.mark != row.len:
        found.append(Problem("launch:mark", ODD, f"mark {row.mark} in a decode step to {row.len} tokens"))
    if row.mark is None and header.mode == "eager" and row.len % header.interval == 0:
        text = f"{row.len} tokens are a boundary, and the row writes no checkpoint"
        found.append(Problem("launch:mark", ODD, text))
    return found


def target_problems(header: Header, row: PrefillRow | PrepareRow) -> list[Problem]:
    """A mark, its slot and its position come together, and the position holds the slot."""
    found = []
    if row.mark is None:
        if row.slot is not None or row.pos is not None:
            text = f"a row without a mark names slot {row.slot} and position {row.pos}"
            found.append(Problem("launch:target", ODD, text, row.slot))
        return found
    if row.mark % header.interval or not row.mark:
        found.append(Problem("launch:grid", "grid", f"mark {row.mark} isn't a multiple of {header.interval}", row.slot))
    if row.slot is None or row.pos is None:
        text = f"mark {row.mark} without {'a slot' if row.slot is None else 'a position'}"
        found.append(Problem("launch:target", ODD, text, row.slot))
    elif row.pos >= header.ring:
        text = f"position {row.pos} of a ring with {header.ring}"
        found.append(Problem("launch:target", ODD, text, row.slot))
    elif row.ring[row.pos] != row.slot:
        text = f"the row names slot {row.slot} at position {row.pos}, which holds {_slot(row.ring[row.pos])}"
        found.append(Problem("launch:target", ODD, text, row.slot))
    return found


def launch_pointer_problems(header: Header, request: TraceRequest, row: PrefillRow | PrepareRow) -> list[Problem]:
    """`next` and `last` after preparation (the eager `next` has `flip_problems` besides)."""
    found = []
    last = request.last
    if isinstance(row, PrefillRow) and row.mark is not None and row.last == row.pos:
        last = row.last  # Some designs move the consumer position of a prefill when it is prepared.
    if row.last != last and (request.last is not None or not isinstance(row, PrefillRow)):
        text = f"preparation moved last from {_value(request.last)} to {_value(row.last)}"
        found.append(Problem("launch:last", ODD, text))
    found += _position_problems(header, "launch", row.next, row.last, row.ring)
    spares = [p for p, slot in enumerate(row.ring) if slot is not None and request.ring[p] is None]
    if spares and (header.mode == "eager" or row.mark is None):
        text = f"slot {row.ring[spares[0]]} fills position {spares[0]}, and no boundary of a lazy request asks for it"
        found.append(Problem("launch:spare", ODD, text, row.ring[spares[0]]))
    if request.next is None:
        return found
    if row.next is None:
        found.append(Problem("launch:next", ODD, f"next was {request.next} and isn't known any more"))
    elif header.mode == "lazy":
        expected = request.next
        if spares and row.mark is not None:
            expected = row.next if row.next in spares else spares[0]
        if row.next != expected:
            why = f"the spare went to position {expected}" if spares else "no spare was taken"
            text = f"next is {row.next} after {request.next}, although {why}"
            found.append(Problem("launch:next", "flip-once", text))
        if row.mark is not None and row.pos is not None and row.pos != row.next:
            text = f"the row writes at position {row.pos}, and next is {row.next}"
            found.append(Problem("launch:pos", ODD, text, row.slot))
    return found


def process_problems(header: Header, request: TraceRequest, claim: TraceClaim | None, row: ProcessRow) -> list[Problem]:
    """Pointers and label after processing; `claim` is the row's own, if it had a mark.

    Only a marked row sets `last` and the label. A row without one leaves both, except that the label goes with its slot
    (donation), and that a lazy claim that writes in place clears it at preparation. A design may also give no label to
    a checkpoint that a later pending row is going to overwrite.
    """
    assert isinstance(row.ring, tuple)
    found = _position_problems(header, "process", row.next, row.last, row.ring)
    last = request.last if claim is None or claim.pos is None else claim.pos
    if request.last is not None and row.last != last:
        text = f"last is {_value(row.last)} after this result, and should be {_value(last)}"
        found.append(Problem("process:last", ODD, text))
    if request.next is not None and row.next is None:
        found.append(Problem("process:next", ODD, f"next was {request.next} and isn't known any more"))
    if header.mode == "lazy" and request.next is not None and row.next not in (None, request.next):
        text = f"processing moved next from {request.next} to {row.next}"
        found.append(Problem("process:next", "flip-once", text))
    if row.last is not None:
        labels = explained_labels(header, request, claim, row.ring)
        if row.last_len not in labels:
            expected = " or ".join(_value(label) for label in sorted(labels, key=lambda label: label or 0))
            text = f"the label is {_value(row.last_len)} after this result, and should be {expected}"
            found.append(Problem("process:label", ODD, text))
    return found


def explained_labels(header: Header, request: TraceRequest, claim: TraceClaim | None, ring: Ints) -> set[int | None]:
    """The labels that the request's rows explain after a result that leaves it with this ring (None: no label)."""
    old = request.ring
    if claim is not None:
        moved = claim.pos is not None and claim.pos < len(ring) and ring[claim.pos] != claim.slot
        overwritten = any(other.slot == claim.slot for other in request.claims)
        return {None, claim.mark} if claim.prefill or moved or overwritten else {claim.mark}
    labels = {request.label}
    last = request.last
    if last is not None and last < len(old):
        in_place = header.mode == "lazy" and any(other.slot == old[last] for other in request.claims)
        if in_place or ring[last] != old[last]:
            labels.add(None)
    return labels


def flip_problems(header: Header, request: TraceRequest, next_: int | None) -> list[Problem]:
    """Eager: every claim sits where the one before left `next`, and `next` isn't past the pending claims.

    Some designs advance `next` when the row is prepared, some when a result is processed, but by the time a boundary's
    own result has been processed it has advanced for that boundary, exactly once.
    """
    if request.base is None or next_ is None or header.mode == "lazy" or next_ >= header.ring:
        return []
    ring, base = header.ring, request.base
    astray = any(claim.pos not in (None, (base + i) % ring) for i, claim in enumerate(request.claims))
    if not astray and (next_ - request.base) % header.ring <= len(request.claims):
        return []
    if request.advances < request.boundaries:
        how = "nobody advanced `next` for it"
    elif request.advances > request.boundaries + len(request.claims):
        how = "`next` advanced more than once for it" if request.boundaries else "`next` advanced without a boundary"
    else:
        how = "`next` did not follow the rows"
    newest = f"the newest boundary is at position {(request.base - 1) % header.ring}"
    text = f"{newest}, and `next` is {next_} instead of {request.base}: {how}"
    return [Problem("flip", "flip-once", text)]


def advance_problems(header: Header, request: TraceRequest) -> list[Problem]:
    """Eager: `next` has advanced at least once for each processed boundary and at most once for each claim."""
    if header.mode == "lazy" or header.ring == 1:
        return []
    if request.boundaries <= request.advances <= request.boundaries + len(request.claims):
        return []
    claims = request.boundaries + len(request.claims)
    text = f"`next` has advanced {request.advances} times, and the rows claimed {claims} boundaries"
    return [Problem("flip", "flip-once", text)]


def lookahead_problems(header: Header, request: TraceRequest, count: int, lookahead: int) -> list[Problem]:
    """The recorded lookahead of a decode row against 0 .. L, and against the counters."""
    found = []
    actual = request.count - count
    for name, value in (("the recorded lookahead", lookahead), ("the request's count minus the row's", actual)):
        if not 0 <= value <= header.lookahead:
            text = f"{name} is {value}, outside of 0 to {header.lookahead}"
            found.append(Problem("process:window", "lookahead-window", text))
            break
    if lookahead != actual:
        text = f"lookahead {lookahead}, but the decode counts are {request.count} (now) and {count} (row): {actual}"
        found.append(Problem("process:lookahead", ODD, text))
    return found


def held_problems(header: Header, request: TraceRequest, ring: Ints) -> list[Problem]:
    """The slots that a request holds outside of a donation, against the bound of its mode."""
    ahead = header.lookahead
    bound = header.ring + 1
    if header.mode == "lazy":
        bound = 2 + -(-(ahead + 1) // header.interval)
        if request.prefills:
            bound = max(bound, 3 + -(-ahead // header.interval))
    held = (request.working is not None) + sum(slot is not None for slot in ring)
    if held <= bound:
        return []
    return [Problem("held", "accounting", f"the request holds {held} slots, and {bound} are its bound")]


def _position_problems(header: Header, scope: str, next_: object, last: object, ring: Ints) -> list[Problem]:
    found = []
    if header.mode == "eager" and None in ring:
        found.append(Problem(f"{scope}:full", ODD, "an eager ring has an absent position"))
    if isinstance(next_, int) and next_ >= header.ring:
        found.append(Problem(f"{scope}:next-range", ODD, f"next is {next_} in a ring with {header.ring} positions"))
    if isinstance(last, int):
        if last >= header.ring:
            text = f"last is {last} in a ring with {header.ring} positions"
            found.append(Problem(f"{scope}:keep", "keep-index-defined", text))
        elif ring[last] is None:
            text = f"position {last}, which is last, holds no slot"
            found.append(Problem(f"{scope}:keep", "keep-index-defined", text))
    return found


def _value(value: object) -> str:
    return "absent" if value is None else str(value)


def _slot(value: int | None) -> str:
    return "no slot" if value is None else f"slot {value}"
