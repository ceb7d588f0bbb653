"""Admission, prefill and preparation of a trace's event by the spec, and the comparison of what they leave."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec import UNSET

from checker.traces.conformance.shadow import Follower, ShadowBatch
from checker.traces.format1 import Admit1, Prefill1, PrefillRow1, Prepare1, PrepareRow1
from spec.actions.admission import admit
from spec.actions.decode import prepare
from spec.actions.prefill import prefill
from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import ADMITTED, Request, RequestId, Row, Text, initial

FIELDS = ("len", "count", "mark", "slot", "pos", "next", "last", "ring")


def follow_admit(follower: Follower, line: int, event: Admit1) -> None:
    """A request gets its slots; how long its prompt is, and what it hits, shows at its prefill."""
    follower.begin(line, "admit", None)
    name = event.r
    request = follower.running.get(name, ABSENT)
    if request == ABSENT:
        request = follower.idle(name)
    follower.take_slots(name, request, [event.working, *[slot for slot in event.ring if slot is not None]])
    follower.act(admit, request, request, 1, ABSENT)
    me = follower.state.requests[request]
    follower.running[name] = request
    for field, expected, seen in (
        ("working", follower.slots.physical[me.working], event.working),
        ("next", me.next, me.next if event.next is None else event.next),
        ("last", me.last, me.last if event.last is None else event.last),
        ("ring", follower.ring_of(request), event.ring),
    ):
        if expected != seen:
            raise follower.differs(name, field, expected, seen)
    follower.collect()


def follow_prefill(follower: Follower, line: int, event: Prefill1) -> None:
    """A prefill batch. The spec has one request in each; several rows are its action again, into the same batch."""
    _launch(follower, line, "prefill", event)
    batch = ShadowBatch(event.b, [])
    for row in event.rows:
        request = _request(follower, row.r)
        me = follower.state.requests[request]
        if me.phase == ADMITTED:
            me.seq_len, me.prefix = row.len, _hit(follower, row)
        if batch.rows:
            follower.state.pending -= 1
        aside = follower.put_aside(_cached_before_the_end(follower, row, request))
        if _is_choice(follower, row):
            with follower.free_boundary(request):
                follower.act(prefill, request, ABSENT if row.mark is None else row.mark)
        else:
            follower.act(prefill, request, ABSENT)
        follower.forget_aside(aside)
        batch.rows.append((row.r, request))
        follower.rows_out[request] += 1
    follower.batches.append(batch)
    if not batch.rows:
        # A prefill batch without rows is a batch without rows of ours: the spec knows it as an empty decode batch.
        names = follower.scope.requests
        follower.design.preparing = []
        follower.act(prepare, [False] * names, tuple(range(names)), (False,) * names, ABSENT)
    state = follower.state
    rows = state.batches[state.pending - 1].rows
    for row, (_, request) in zip(event.rows, batch.rows, strict=True):
        _pass_over(follower, row, rows[request], state.requests[request])
        _compare(follower, row, request, rows[request], state.requests[request])


def follow_prepare(follower: Follower, line: int, event: Prepare1) -> None:
    """A decode batch: the trace says whose rows are in it and who got a spare."""
    _launch(follower, line, "prepare", event)
    requests = [_request(follower, row.r) for row in event.rows]
    for row, request in zip(event.rows, requests, strict=True):
        taken = follower.new_slots(request, row.ring)
        if taken:
            follower.take_slots(row.r, request, taken)
    present = [False] * follower.scope.requests
    for request in requests:
        present[request] = True
        follower.rows_out[request] += 1
    follower.design.preparing = sorted(requests)
    names = len(present)
    follower.act(prepare, present, tuple(range(names)), (False,) * names, ABSENT)
    state = follower.state
    made, everyone = list(state.batches[state.pending - 1].rows), list(state.requests)
    for row, request in zip(event.rows, requests, strict=True):
        _compare(follower, row, request, made[request], everyone[request])
    follower.batches.append(ShadowBatch(event.b, [(row.r, r) for row, r in zip(event.rows, requests, strict=True)]))
    follower.collect()


def _launch(follower: Follower, line: int, kind: str, event: Prefill1 | Prepare1) -> None:
    follower.begin(line, kind, event.b)
    if event.b <= follower.newest:
        raise follower.differs(None, "b", f"more than {follower.newest}", event.b, "batches are numbered as launched")
    follower.newest = event.b
    seen: set[str] = set()
    for row in event.rows:
        if row.r in seen:
            raise follower.differs(row.r, "r", "one row for each request", row.r)
        seen.add(row.r)


def _request(follower: Follower, name: str) -> RequestId:
    """A name that isn't running stands for an idle request: the action's own guard then says what is wrong."""
    request = follower.running.get(name, ABSENT)
    return follower.idle(name) if request == ABSENT else request


def _hit(follower: Follower, row: PrefillRow1) -> int:
    """Return the tokens that the row's copy covers, as the spec's admission sees the cached slot that it names."""
    if row.copy_from is None and row.prefix == 0:
        return 0
    label = row.prefix  # A copy from an unknown slot is taken on trust.
    if row.copy_from is not None:
        if row.copy_from not in follower.cache:
            words = follower.owner_words(row.copy_from)
            raise follower.differs(row.r, "copy_from", "a cached slot", row.copy_from, words)
        label = follower.cache[row.copy_from]
    expected = _admitted_prefix(follower.scope.mode, follower.scope.ring, label, row.len)
    if row.prefix != expected or expected == 0:
        why = f"an entry under {label} tokens, and a prompt of {row.len}"
        raise follower.differs(row.r, "prefix", expected, row.prefix, why)
    return expected


def _is_choice(follower: Follower, row: PrefillRow1) -> bool:
    """Whether the row's mark, or that it has none, is the trace's choice: it lies on the grid that the header states.

    It may be a branching point, so it need not be the newest one. But where that grid is the spec's own, a row marks
    something if it can, and whether it may be the prompt's own end is the design's decision.
    """
    header, scope = follower.header, follower.scope
    if scope.ring == 1 and scope.lookahead > 0:
        return False  # The gap rule leaves such a ring no free boundary.
    grid = 1 if header.prefill_grid is UNSET else header.prefill_grid
    own = grid == scope.interval and header.grid_from == "zero"
    if row.mark is None:
        return not own
    origin = row.prefix if header.grid_from == "prefix" else 0
    return row.prefix < row.mark <= row.len - own and (row.mark - origin) % grid == 0


def _cached_before_the_end(follower: Follower, row: PrefillRow1, request: RequestId) -> list[Text]:
    """Return the key of the boundary before the prompt's end, where the row marks that end and an entry is as long.

    Whether that entry is of the same text no trace tells, so it is taken on trust.
    """
    before = row.len - follower.scope.interval
    return [Text(request, before)] if row.mark == row.len and before in follower.cache.values() else []


@cache
def _admitted_prefix(mode: str, ring: int, label: int, prompt: int) -> int:
    scope = Scope(requests=1, slots=ring + 2, mode=mode, ring=ring, max_len=max(label, prompt, 1))
    state = initial(scope)
    state.cached[0], state.free[0] = Text(0, label), False
    admit.function(state, Design(scope), 0, 0, prompt, ABSENT)
    return state.requests[0].prefix


def _pass_over(follower: Follower, row: PrefillRow1, made: Row, me: Request) -> None:
    """Where only a report differs, note it and take the trace's: without a label nobody asks what `last` points at."""
    if row.last is None or row.last >= follower.ring or me.last_len != ABSENT:
        return
    if row.last != me.last and row.mark == (None if made.mark == ABSENT else made.mark):
        follower.passed_over.append(follower.differs(row.r, "last", me.last, row.last).divergence)
        me.last = row.last


def _compare(follower: Follower, row: PrefillRow1 | PrepareRow1, request: RequestId, made: Row, me: Request) -> None:
    physical = follower.slots.physical
    count = made.decode_count
    expected = (
        made.seq_len,
        count,
        None if made.mark == ABSENT else made.mark,
        physical[made.slot],
        None if made.position == ABSENT else made.position,
        me.next,
        me.last,
        tuple([physical[slot] for slot in me.ring]),
    )
    seen = (
        row.len,
        row.count if isinstance(row, PrepareRow1) else count,
        row.mark,
        row.slot,
        row.pos,
        me.next if row.next is None else row.next,
        me.last if row.last is None else row.last,
        row.ring,
    )
    if expected != seen:
        raise _first(follower, row.r, expected, seen)


def _first(follower: Follower, name: str, expected: Sequence[object], seen: Sequence[object]) -> Exception:
    index = next(index for index, value in enumerate(expected) if value != seen[index])
    return follower.differs(name, FIELDS[index], expected[index], seen[index])
