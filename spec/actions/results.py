"""Processing a result: consumer pointers move, a prefill's checkpoint is donated, finished requests leave."""

from __future__ import annotations

from spec.design import Design
from spec.domains import cut_keys, row_orders, rows, short_keys, supply
from spec.language import ABSENT, action, copy, guard, new, require
from spec.ring import following, give_up
from spec.rows import claim_at
from spec.scope import EAGER, LAZY
from spec.slots import (
    NOT_ASKED,
    NOT_WORTH_CHOOSING,
    erase_dead_state,
    give_back,
    is_distinct_choice,
    key_cached,
    publish,
    release,
    take,
)
from spec.state import RUNNING, Batch, Length, Request, RequestId, RingPosition, Row, State, Supply


@action(finishes=rows, order=row_orders, supply=supply)
def process(s: State, design: Design, finishes: tuple[bool, ...], order: tuple[RequestId, ...], supply: Supply) -> None:
    """Process the result of the oldest batch; `finishes` are those of its requests that end with this token.

    Rows of requests that have left meanwhile are ignored.
    """
    process_result(s, design, finishes, order, supply, ())


@action(short_keys, finishes=rows, order=row_orders, supply=supply, keys=cut_keys)
def cut(
    s: State,
    design: Design,
    finishes: tuple[bool, ...],
    order: tuple[RequestId, ...],
    supply: Supply,
    keys: tuple[Length, ...],
) -> None:
    """Process the oldest result, and some of those that end hand less to the cache than their label covers.

    Their output was cut: a stop string was found in what they had computed already, or thinking is taken out.
    """
    guard(any(key != ABSENT for key in keys), "nobody's output is cut; write `process`")
    for request in order:
        guard(finishes[request] or keys[request] == ABSENT, "only the output of a request that ends here is cut")
    process_result(s, design, finishes, order, supply, keys)
    for request in order:
        shorter = s.step.events[request].short_key
        guard(shorter or keys[request] == ABSENT, "what is kept is not shorter than the label; leave its key out")


def process_result(
    s: State,
    design: Design,
    finishes: tuple[bool, ...],
    order: tuple[RequestId, ...],
    supply: Supply,
    keys: tuple[Length, ...],
) -> None:
    """Process the oldest result; `keys` are what requests that end hand to the cache, where any of them is cut."""
    guard(s.pending > 0, "no batch is pending; prepare one first")
    guard(design.ready(s), "the device has not yet run what the design waits for; write `device` before")
    guard(is_distinct_choice(s, supply), NOT_WORTH_CHOOSING)
    oldest = s.batches[0]
    guard(
        order == tuple(sorted(order)) or sum(row.present for row in oldest.rows) > 1,
        "the order matters only among several rows; leave it out",
    )
    for request in order:
        if finishes[request]:
            guard(
                oldest.rows[request].present and s.requests[request].phase == RUNNING,
                "only a running request with a row in the oldest pending batch can finish here",
            )
    batch = retire(s, design)
    for request in order:
        row = batch.rows[request]
        if row.present and s.requests[request].phase == RUNNING:
            key = keys[request] if len(keys) > 0 else ABSENT
            result(s, design, request, row, finishes[request], supply, key)
    guard(supply == ABSENT or s.step.asked, NOT_ASKED)
    erase_dead_state(s)


def retire(s: State, design: Design) -> Batch:
    """Take the oldest batch off the queue: what stays pending was launched after it."""
    batch = copy(s.batches[0])
    for index in range(design.scope.lookahead):
        s.batches[index] = copy(s.batches[index + 1])
    s.batches[design.scope.lookahead] = new(Batch, design.scope)
    s.pending -= 1
    s.written -= 1
    return batch


def result(s: State, design: Design, request: RequestId, row: Row, finishes: bool, supply: Supply, key: Length) -> None:
    """Process one row of a request that is still running; `key`: the tokens that it keeps if it ends, ABSENT: all."""
    me = s.requests[request]
    event = s.step.events[request]
    lookahead = me.decode_count - row.decode_count
    require(0 <= lookahead <= design.scope.lookahead, "lookahead-window")
    event.processed = True
    event.lookahead = lookahead
    event.boundary = row.mark != ABSENT
    withheld = design.withholds(s, request, row, lookahead)
    if row.decode_count == 0:
        complete_prefill(s, design, request, row)
    else:
        complete_decode(s, design, request, row, lookahead)
    if finishes:
        finish(s, design, request, withheld, key)
    elif row.decode_count == 0:
        donate(s, design, request, row, supply)


def complete_prefill(s: State, design: Design, request: RequestId, row: Row) -> None:
    """Let the label speak about the prefill's checkpoint, unless the design did so when it was prepared."""
    me = s.requests[request]
    if row.mark != ABSENT:
        owe_publication(s, design, request, row)
        if not design.names_prefill_at_preparation():
            me.last = row.position
            me.last_len = label(s, design, request, row, row.mark)


def complete_decode(s: State, design: Design, request: RequestId, row: Row, lookahead: int) -> None:
    """Move the consumer pointers to the checkpoint that this row completed, as the design sees it."""
    me = s.requests[request]
    if row.mark != ABSENT:
        owe_publication(s, design, request, row)
    if design.boundary_seen(me, row, lookahead):
        completed = design.completed_position(me, row, lookahead)
        superseded = design.superseded_position(me, completed)
        for index in range(len(me.former)):
            me.former[index] = me.last_len
        me.last = completed
        me.last_len = label(s, design, request, row, design.completed_label(me, row, lookahead))
        if design.scope.mode == LAZY and superseded != completed:
            drop(s, request, superseded)
    if design.scope.mode == EAGER and design.flips_at_processing(me, row, lookahead):
        me.next = following(design.scope, me.next)


def label(s: State, design: Design, request: RequestId, row: Row, length: Length) -> Length:
    """Return the label of a completed checkpoint: ABSENT where the gate says already that it may not be published."""
    if design.label_survives(s, request, row):
        return length
    s.step.events[request].refused = True
    return ABSENT


def owe_publication(s: State, design: Design, request: RequestId, row: Row) -> None:
    """Record, for the properties only, that the checkpoint of this row is complete: now a publication of it is owed."""
    me = s.requests[request]
    me.owed = row.mark
    me.owed_at = row.position
    if design.scope.mode == LAZY and claim_at(s, request, row.position):
        give_up(me)


def drop(s: State, request: RequestId, position: RingPosition) -> None:
    """Free the slot of a lazy request's former checkpoint, unless a pending row writes there."""
    me = s.requests[request]
    if me.ring[position] != ABSENT and not claim_at(s, request, position):
        give_back(s, me.ring[position])
        me.ring[position] = ABSENT


def donate(s: State, design: Design, request: RequestId, row: Row, supply: Supply) -> None:
    """Publish a prefill's checkpoint while the request goes on; a slot taken beforehand gets its ring position.

    If the gate is closed, the key is cached or no replacement can be had, nothing moves: slot and label stay. A design
    that donates before it knows of the cached key lets everything move; the slot, for which there is no use, is freed.
    """
    me = s.requests[request]
    event = s.step.events[request]
    if me.last_len == ABSENT:
        # A checkpoint without a label: a later claim took it back, or kept it from getting one.
        event.refused = row.mark != ABSENT
        return
    position = design.donated_position(me, row)
    slot = me.ring[position]
    if not design.may_donate(s, request, slot):
        event.refused = True
        return
    cached = key_cached(s, request, me.last_len)
    event.key_cached = cached
    if cached and not design.donates_duplicates():
        return
    replacement = take(s, design, supply)
    if replacement == ABSENT:
        event.no_replacement = True
        return
    if design.donates_duplicates() and cached:
        give_back(s, slot)
    else:
        publish(s, design, request, slot, me.last_len)
    me.ring[position] = replacement
    clear_donated(me, row)


def clear_donated(me: Request, row: Row) -> None:
    """Take the label back: its checkpoint has left the ring, and nothing of it is owed any more."""
    me.last_len = ABSENT
    for index in range(len(me.former)):
        me.former[index] = ABSENT
    if me.owed == row.mark:
        give_up(me)


def finish(s: State, design: Design, request: RequestId, withheld: bool, key: Length) -> None:
    """Publish the newest checkpoint if the gate allows it and its key is new, then release everything else.

    `withheld`: the design keeps it back, whatever its gate says. `key`: the tokens that are kept; ABSENT: all.
    """
    me = s.requests[request]
    event = s.step.events[request]
    event.finished = True
    event.owed = me.owed
    position = design.keep_index(me)
    length = me.last_len
    if key != ABSENT and key < length:
        # A state cannot be shortened: of the newest checkpoint nothing is owed any more.
        event.short_key = True
        event.owed = ABSENT
        shorter = design.short_key_position(me, key)
        length = ABSENT
        if shorter != ABSENT:
            position = shorter
            length = design.short_key_label(me, key)
    slot = me.ring[position]
    if length != ABSENT:
        if withheld or not design.may_publish(s, request, slot):
            event.refused = True
        elif key_cached(s, request, length):
            event.key_cached = True
        else:
            publish(s, design, request, slot, length)
            me.ring[position] = ABSENT
    release(s, design, request)
