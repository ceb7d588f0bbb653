"""Results and what follows them: processing, publications, freed slots, evictions, and requests that are aborted."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET

from checker.traces.conformance.divergence import Group
from checker.traces.conformance.shadow import Follower, ShadowBatch
from checker.traces.conformance.slot_map import Physical
from checker.traces.format1 import Evict1, Free1, Process1, ProcessRow1, Publish1
from spec.actions.abort import abort
from spec.actions.cache import evict
from spec.actions.device import device
from spec.actions.results import process_result
from spec.language import ABSENT, Disabled, Violated
from spec.slots import give_back
from spec.state import IDLE, RequestId, Text

FIELDS = ("next", "last", "last_len", "ring")


class Offer(NamedTuple):
    """A publication that the design makes: the slot, under so many tokens, and whether the cache has stored it."""

    request: str
    slot: Physical
    length: int
    stored: bool


def follow_effects(follower: Follower, group: Group) -> None:
    """Effects, after the result that they belong to if there is one."""
    line, first = group[0]
    effects = group
    early = set()
    for _, event in group:
        # What the cache gives up while a result is processed may be handed out in the same step.
        if isinstance(event, Evict1) and event.slot in follower.cache and event.slot not in early:
            del follower.cache[event.slot]
            early.add(event.slot)
    offers: list[Offer] = []
    freed: list[Physical] = []
    if isinstance(first, Process1):
        effects = group[1:]
        follower.begin(line, "process", first.b)
        offers = _process(follower, first, effects)
        freed = follower.collect()
    else:
        follower.begin(line, _kind(first), None)
    _publications(follower, effects, offers)
    for at, event in effects:
        if isinstance(event, Evict1):
            if event.slot in early:
                early.remove(event.slot)
            else:
                _evict(follower, at, ABSENT if event.slot is None else event.slot)
    _freed(follower, effects, freed)


def _process(follower: Follower, event: Process1, effects: Group) -> list[Offer]:
    """Process the oldest batch, compare its rows; returns the publications that the design makes."""
    oldest = follower.batches[0] if follower.batches else ShadowBatch(event.b, [])
    if oldest.b != event.b:
        raise follower.differs(None, "b", oldest.b, event.b, "results are processed in launch order")
    matched = _match(follower, oldest, event)
    for row, request in matched:
        if not row.skipped and not row.done and isinstance(row.ring, tuple):
            taken = follower.new_slots(request, row.ring)
            if taken:
                follower.take_slots(row.r, request, taken)
    aside = follower.put_aside(_already_cached(oldest, effects))
    finishes = [False] * follower.scope.requests
    for row, request in matched:
        finishes[request] = row.done
    while not follower.design.ready(follower.state) and follower.state.written < follower.state.pending:
        follower.act(device)
    keys = _kept(oldest, effects, finishes)
    follower.take(process_result, finishes, tuple(range(len(finishes))), ABSENT, keys)
    follower.forget_aside(aside)
    follower.batches.popleft()
    for row, request in matched:
        if not row.skipped:
            _compare(follower, row, request)
    offers = [offer for name, request in oldest.rows for offer in _offers(follower, name, request)]
    for row, request in matched:
        if row.done and follower.running.get(row.r) == request:
            del follower.running[row.r]
    for _, request in oldest.rows:
        follower.rows_out[request] -= 1
    return offers


def _match(follower: Follower, batch: ShadowBatch, event: Process1) -> list[tuple[ProcessRow1, RequestId]]:
    """Pair the result's rows with the batch's. A row may be left out if its request has left."""
    requests = dict(batch.rows)
    state = follower.state
    matched = []
    for row in event.rows:
        request = requests.pop(row.r, None)
        if request is None:
            raise follower.differs(row.r, "r", [name for name, _ in batch.rows], row.r, "the batch has no such row")
        left = state.requests[request].phase == IDLE
        if row.skipped != left:
            raise follower.differs(row.r, "skipped", left, row.skipped, f"{row.r} {'has left' if left else 'runs'}")
        matched.append((row, request))
    for name, request in requests.items():
        if state.requests[request].phase != IDLE:
            raise follower.differs(name, "r", name, None, "it runs, and the result has no row for it")
    return matched


def _already_cached(batch: ShadowBatch, effects: Group) -> list[Text]:
    """Return the keys that the trace says the cache held already."""
    requests = dict(batch.rows)
    return [
        Text(requests[event.r], event.len)
        for _, event in effects
        if isinstance(event, Publish1) and not event.stored and event.r in requests
    ]


def _kept(batch: ShadowBatch, effects: Group, finishes: list[bool]) -> list[int]:
    """Return how many tokens each request that ends hands to the cache, as its publication says; ABSENT: no word of it.

    Whether an output was cut no trace says, so where fewer tokens are published than the label covers it is its choice.
    """
    requests = dict(batch.rows)
    kept = [ABSENT] * len(finishes)
    for _, event in effects:
        if isinstance(event, Publish1) and event.r in requests and finishes[requests[event.r]]:
            kept[requests[event.r]] = event.len
    return kept


def _compare(follower: Follower, row: ProcessRow1, request: RequestId) -> None:
    state = follower.state
    seen = state.step.events[request]
    if row.lookahead is not UNSET and row.lookahead != seen.lookahead:
        raise follower.differs(row.r, "lookahead", seen.lookahead, row.lookahead)
    if row.done:
        return
    me = state.requests[request]
    physical = follower.slots.physical
    label = None if me.last_len == ABSENT else me.last_len
    if (
        row.last_len != label
        or (row.next is not None and row.next != me.next)
        or (row.last is not None and row.last != me.last)
        or row.ring != tuple([physical[slot] for slot in me.ring])
    ):
        for field, expected in zip(FIELDS, (me.next, me.last, label, follower.ring_of(request)), strict=True):
            value = getattr(row, field)
            if value != expected and not (value is None and field in ("next", "last")):
                raise follower.differs(row.r, field, expected, value)


def _offers(follower: Follower, name: str, request: RequestId) -> list[Offer]:
    """What the design published in this step, or would have if the key had been new. Stored slots leave the model."""
    state, physical = follower.state, follower.slots.physical
    event = state.step.events[request]
    if event.key_cached:
        slot, label = follower.design.offered[request]
        return [Offer(name, physical[slot], label, False)]
    if event.published == ABSENT:
        return []
    slot = next(slot for slot, key in enumerate(state.cached) if key == Text(request, event.published))
    state.cached[slot] = Text()
    follower.slots.store(slot)
    return [Offer(name, physical[slot], event.published, True)]


def _publications(follower: Follower, effects: Group, offers: list[Offer]) -> None:
    expected = {offer.request: offer for offer in offers}
    for line, event in effects:
        if not isinstance(event, Publish1):
            continue
        offer = expected.pop(event.r, None)
        if offer is None:
            words = f"slot {event.slot} as {event.len} tokens"
            raise follower.differs(event.r, "publication", None, words, "", line, "publish")
        for field, value, seen in (
            ("len", offer.length, event.len),
            ("slot", event.slot if offer.slot is None else offer.slot, event.slot),
            ("stored", offer.stored, event.stored),
        ):
            if value != seen:
                raise follower.differs(event.r, field, value, seen, "", line, "publish")
        if offer.stored:
            follower.cache[ABSENT if event.slot is None else event.slot] = event.len
    for offer in expected.values():
        words = f"slot {offer.slot} as {offer.length} tokens" if offer.stored else f"slot {offer.slot}, not stored"
        raise follower.differs(offer.request, "publication", words, None, missing=True)


def _evict(follower: Follower, line: int, slot: int) -> None:
    """Evict a slot that was published just before; any other isn't cached, and the spec's guard says so."""
    if slot in follower.cache:
        del follower.cache[slot]
        return
    words = follower.owner_words(slot)
    try:
        evict.function(follower.state, follower.design, max(0, follower.slots.owned(slot)))
    except (Disabled, Violated) as error:
        diverged = follower.stopped(error)
        told = diverged.divergence
        told.line, told.event, told.request = line, "evict", None
        told.field, told.expected, told.seen, told.why = "slot", "a cached slot", slot, words
        raise diverged from error


def _freed(follower: Follower, effects: Group, freed: list[Physical]) -> None:
    """Compare the freed slots; those that complete the slots of a running request mean that it was aborted."""
    expected = [slot for slot in freed if slot is not None]
    unknown = len(freed) - len(expected)
    more: list[tuple[int, int]] = []
    for line, event in effects:
        if isinstance(event, Free1):
            for slot in event.slots:
                if slot is None:
                    _free_absent(follower, line)
                elif slot in expected:
                    expected.remove(slot)
                else:
                    more.append((line, slot))
    if more:
        unknown += _aborts(follower, more)
    for line, slot in more:
        unknown -= 1
        if unknown < 0 or follower.owner_words(slot) != "nobody has it":
            raise follower.differs(None, "slots", freed, slot, follower.owner_words(slot), line, "free")
    if expected:
        raise follower.differs(None, "freed", sorted(expected), None, missing=True)


def _aborts(follower: Follower, more: list[tuple[int, int]]) -> int:
    """Abort the running requests all of whose slots are among `more`; returns how many unknown slots they had."""
    unknown = 0
    for name, request in list(follower.running.items()):
        me = follower.state.requests[request]
        physical = follower.slots.physical
        own = [physical[slot] for slot in (me.working, *me.ring) if slot != ABSENT]
        known = [slot for slot in own if slot is not None]
        listed = [slot for _, slot in more]
        if known and all(slot in listed for slot in known):
            follower.begin(more[0][0], "free", None)
            follower.act(abort, request)
            del follower.running[name]
            for slot in follower.collect():
                if slot is None:
                    unknown += 1
                else:
                    del more[[slot for _, slot in more].index(slot)]
    return unknown


def _free_absent(follower: Follower, line: int) -> None:
    try:
        give_back(follower.state, ABSENT)
    except Violated as error:
        diverged = follower.stopped(error)
        told = diverged.divergence
        told.line, told.event, told.field, told.expected, told.seen = line, "free", "slots", "a slot", None
        raise diverged from error


def _kind(event: object) -> str:
    return {Publish1: "publish", Free1: "free", Evict1: "evict"}[type(event)]  # type: ignore[index]
