"""What must hold: one function and one sentence each.

*always*: of every reachable state. *step*: of every transition. They read the state, and what `state.step` tells of the
last step; no decision of a design is trusted, except where the property speaks about one.
"""

from __future__ import annotations

from spec.applies import has_interval, lazy
from spec.design import Design
from spec.guarantee import GUARANTEE
from spec.language import ABSENT, always, step
from spec.rows import claim_pending, others_write, promised, writes
from spec.scope import EAGER
from spec.state import ADMITTED, IDLE, IN_USE, RUNNING, Request, RequestId, Row, State, Text


@always()
def one_owner(s: State, design: Design) -> bool:
    """Each slot has exactly one owner: the free list, the cache, a working slot or a ring position."""
    for slot in range(design.scope.slots):
        owned = s.free[slot]
        if s.cached[slot].family != ABSENT:
            if owned:
                return False
            owned = True
        for number, theirs in enumerate(s.others):
            if number == slot and theirs:
                if owned:
                    return False
                owned = True
        for request in s.requests:
            if request.working == slot:
                if owned:
                    return False
                owned = True
            for held in request.ring:
                if held == slot:
                    if owned:
                        return False
                    owned = True
        if not owned:
            return False
    return True


@always(each=RUNNING)
def keep_index_defined(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """The keep index of every running request is a ring position that holds a slot."""
    position = design.keep_index(request)
    return position != ABSENT and request.ring[position] != ABSENT


@always(each=RUNNING)
def lookahead_window(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """For every pending row of a running request, the request is 0 to L decode steps ahead of the row."""
    for batch in s.batches:
        row = batch.rows[number]
        if row.present and not 0 <= request.decode_count - row.decode_count <= design.scope.lookahead:
            return False
    return True


@always()
def exact_label(s: State, design: Design) -> bool:
    """A slot cached under n tokens holds, or is promised by rows in flight, the state after exactly those n."""
    for slot in range(design.scope.slots):
        if s.cached[slot].family != ABSENT:
            if promised(s, slot) != s.cached[slot]:
                return False
    return True


@step()
def written_before_donated(before: State, after: State, design: Design) -> bool:
    """A slot is published only if it holds the state of its label or a launched row was told to write it there."""
    for slot in range(design.scope.slots):
        key = after.cached[slot]
        if key.family != ABSENT and before.cached[slot].family == ABSENT:
            if before.holds[slot] != key and not told_to_fill(before, slot, key):
                return False
    return True


def told_to_fill(s: State, slot: int, key: Text) -> bool:
    """Whether a launched row that has not been run was told to write the state of `key` into `slot`."""
    return any(
        s.written <= index < s.pending
        and (
            any(fills(row, slot, key) for row in batch.rows)
            or (others_write(batch, slot) and batch.others[slot] == key)
        )
        for index, batch in enumerate(s.batches)
    )


def fills(row: Row, slot: int, key: Text) -> bool:
    """Whether running this row puts the state of `key` into `slot`."""
    return row.present and row.slot == slot and row.mark != ABSENT and Text(row.family, row.mark) == key


@always()
def no_inflight_target(s: State, design: Design) -> bool:
    """No unwritten row targets a cached slot, except with the very state that it is cached as."""
    for slot in range(design.scope.slots):
        key = s.cached[slot]
        if key.family != ABSENT:
            for index, batch in enumerate(s.batches):
                if s.written <= index < s.pending:
                    for row in batch.rows:
                        if writes(row, slot) and not (fills(row, slot, key) and row.working != slot):
                            return False
                    if others_write(batch, slot) and batch.others[slot] != key:
                        return False
    return True


@always()
def distinct_targets(s: State, design: Design) -> bool:
    """Pending rows of different running requests never write the same slot, nor does a row write one slot twice."""
    for slot in range(design.scope.slots):
        writers = 0
        for number, request in enumerate(s.requests):
            if request.phase == RUNNING:
                if any(writes(batch.rows[number], slot) for batch in s.batches):
                    writers += 1
                if any(batch.rows[number].slot == slot and batch.rows[number].working == slot for batch in s.batches):
                    return False
        if writers > 1:
            return False
    return True


@step()
def flip_once(before: State, after: State, design: Design) -> bool:
    """Eager: one boundary advances `next` exactly once. Lazy: `next` moves exactly when a spare is taken.

    Eager: successive boundaries use successive positions, and with no boundary pending `next` is the one that is due.
    """
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        if was.phase != IDLE and now.phase == RUNNING:
            if design.scope.mode == EAGER:
                if was.due != now.due and newest_position(before, after, number) != was.due:
                    return False
                if not claim_pending(after, number) and now.next != now.due:
                    return False
            elif (was.next != now.next) != after.step.events[number].spare_taken:
                return False
    return True


def newest_position(before: State, after: State, number: int) -> int:
    """Return the ring position that the batch launched in this step recorded for the request."""
    return after.batches[before.pending].rows[number].position


def _ring_keeps_apart(design: Design) -> bool:
    return design.scope.ring_keeps_apart


@always(_ring_keeps_apart, each=RUNNING)
def ring_apart(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """No pending row targets the slot at `last` while the label is present.

    A prefill claim that the design names at preparation is excepted. Claimed where the ring has 1 + ceil((L + 1) / K)
    positions, and of every lazy design. One that labels a checkpoint which a later claim in place is going to
    overwrite breaks it where K <= L, though a gate may keep that checkpoint out of the cache (merged-29792).
    """
    if request.last_len != ABSENT:
        kept = request.ring[design.keep_index(request)]
        for batch in s.batches:
            row = batch.rows[number]
            excepted = row.decode_count == 0 and design.names_prefill_at_preparation()
            if row.present and row.mark != ABSENT and row.slot == kept and not excepted:
                return False
    return True


@step()
def checkpoint_not_lost(before: State, after: State, design: Design) -> bool:
    """A finish leaves the newest completed checkpoint cached, unless it was donated or given up in place."""
    for number, event in enumerate(after.step.events):
        if event.finished and event.owed != ABSENT:
            family = before.requests[number].family
            if not any(key.family == family and key.length == event.owed for key in after.cached):
                return False
    return True


@step()
def release_all(before: State, after: State, design: Design) -> bool:
    """A request that leaves, finished or aborted, owns nothing afterwards and is not in any later decision's way."""
    for request, event in zip(after.requests, after.step.events):
        if event.finished or event.aborted:
            if request.phase != IDLE or request.working != ABSENT or request.source != ABSENT:
                return False
            if any(held != ABSENT for held in request.ring):
                return False
    return True


@step()
def abort_publishes_nothing(before: State, after: State, design: Design) -> bool:
    """A request that is aborted leaves nothing new in the cache."""
    if any(event.aborted for event in after.step.events):
        for was, now in zip(before.cached, after.cached):
            if now.family != ABSENT and now != was:
                return False
    return True


@always()
def one_entry_per_key(s: State, design: Design) -> bool:
    """No two slots are cached under the same key: the older entry is kept, and the newer slot stays with its owner."""
    for slot, key in enumerate(s.cached):
        if key.family != ABSENT:
            if any(other == key and number != slot for number, other in enumerate(s.cached)):
                return False
    return True


@always(lazy, each=IN_USE)
def lazy_keeps_one(s: State, design: Design, number: RequestId, request: Request) -> bool:
    """A lazy request with no claim pending holds exactly one slot in its ring: what is superseded has been freed."""
    return claim_pending(s, number) or sum(slot != ABSENT for slot in request.ring) == 1


@always(has_interval)
def grid(s: State, design: Design) -> bool:
    """Labels and keys are multiples of the interval, and an empty prefix carries no state."""
    for request in s.requests:
        if request.last_len != ABSENT:
            if request.last_len == 0 or request.last_len % design.scope.interval != 0:
                return False
        for length in request.former:
            if length != ABSENT and (length == 0 or length % design.scope.interval != 0):
                return False
    for key in s.cached:
        if key.family != ABSENT:
            if key.length <= 0 or key.length % design.scope.interval != 0:
                return False
    return True


@step()
def batch_local(before: State, after: State, design: Design) -> bool:
    """Preparing a later batch changes nothing about what processing will decide for a row that is already pending.

    The two states differ only in what that preparation wrote; compared are boundary, label, position and flip.
    """
    for index, batch in enumerate(before.batches):
        for number, row in enumerate(batch.rows):
            was = before.requests[number]
            now = after.requests[number]
            if row.present and row.decode_count > 0 and index < before.pending and before.pending < after.pending:
                if was.phase == RUNNING and now.phase == RUNNING:
                    early = was.decode_count - row.decode_count
                    late = now.decode_count - row.decode_count
                    if design.boundary_seen(was, row, early) != design.boundary_seen(now, row, late):
                        return False
                    if design.boundary_seen(was, row, early):
                        if design.completed_label(was, row, early) != design.completed_label(now, row, late):
                            return False
                        if design.completed_position(was, row, early) != design.completed_position(now, row, late):
                            return False
                    if design.scope.mode == EAGER:
                        if design.flips_at_processing(was, row, early) != design.flips_at_processing(now, row, late):
                            return False
    return True


@step()
def longest_prefix_taken(before: State, after: State, design: Design) -> bool:
    """An admission takes the longest cached prefix shorter than its prompt, if any, and its prefill computes the rest.

    Shorter, because only computing a token tells what comes after it.
    """
    for number, (was, now) in enumerate(zip(before.requests, after.requests)):
        if was.phase == IDLE and now.phase == ADMITTED:
            if not 0 <= now.prefix < now.seq_len or (now.source == ABSENT) != (now.prefix == 0):
                return False
            if now.source != ABSENT and before.cached[now.source] != Text(now.family, now.prefix):
                return False
            if any(key.family == now.family and now.prefix < key.length < now.seq_len for key in before.cached):
                return False
        if was.phase == ADMITTED and now.phase == RUNNING:
            row = after.batches[before.pending].rows[number]
            if row.source != was.source or row.start != was.prefix or row.seq_len != was.seq_len:
                return False
    return True


PROPERTIES = (
    one_owner,
    keep_index_defined,
    lookahead_window,
    exact_label,
    written_before_donated,
    no_inflight_target,
    distinct_targets,
    flip_once,
    ring_apart,
    checkpoint_not_lost,
    release_all,
    abort_publishes_nothing,
    one_entry_per_key,
    lazy_keeps_one,
    grid,
    batch_local,
    longest_prefix_taken,
    *GUARANTEE,
)
