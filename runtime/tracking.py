"""Boundary decisions applied to pool, ring and label: claims, spares, completion, hand-over, release.

Only rows on a boundary cost anything beyond a few column operations, and all of them together are columns as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runtime import arguments, boundary
from runtime.batch import LaunchedBatch, Rows
from runtime.boundary import ABSENT
from runtime.columns import Bools, Ints
from runtime.config import EAGER, LAZY, SKIP, Config
from runtime.pool import RING, WORKING, SlotPool
from runtime.prefix_cache import PrefixCache
from runtime.requests import ADMITTED, IDLE, RUNNING, SEAT_BITS, SEAT_MASK, RequestTable

NO_SLOTS: Ints = np.zeros(0, np.int64)
"""What is freed where nothing is."""


class Contradiction(RuntimeError):
    """What the protocol rules out; raised before anything is changed, naming request and batch, or slot."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a launch is going to change: all of it is known, and nothing has been done."""

    rows: Rows
    places: Ints
    """The places of the rows that carry a mark."""
    commit: Callable[[], None]
    """Does it; nothing in there may fail."""


class Tracker:
    """The bookkeeping of track slots for one request table and one pool."""

    def __init__(self, config: Config, table: RequestTable, pool: SlotPool) -> None:
        self.config = config
        self.table = table
        self.pool = pool

    # At admission.

    def admit(self, seat: int, prompt: int, source: int, prefix: int) -> None:
        """Give a request its working slot and fill its ring: every position (eager) or one (lazy)."""
        table = self.table
        if table.phase[arguments.whole(seat, "a seat", 0, len(table.names))] != IDLE:
            raise Contradiction(f"seat {seat}: request {table.names[seat]} has its slots already")
        slots = self.pool.take(self.config.slots_per_request, RING, seat)
        self.pool.kind[slots[0]] = WORKING
        table.phase[seat] = ADMITTED
        table.working[seat] = slots[0]
        table.ring[seat, : len(slots) - 1] = slots[1:]
        table.seq_len[seat] = prompt
        table.source[seat] = source
        table.prefix[seat] = prefix

    # At preparation.

    def prepare_prefill(self, seat: int, number: int, cache: PrefixCache) -> Prepared:
        """Record the prefill of an admitted request's whole prompt; its mark claims the position `next`.

        cache: which of a prompt's last two boundaries is worth marking depends on whether the first is there.
        """
        table = self.table
        if not 0 <= seat < len(table.names) or table.phase[seat] != ADMITTED:
            name = table.names[seat] if 0 <= seat < len(table.names) else "nobody"
            raise Contradiction(f"seat {seat} ({name}): batch {number} would prefill it, but it is not admitted")
        seats = np.array([seat])
        prompt, prefix, interval = table.seq_len[seats], table.prefix[seats], self.config.interval
        earlier = int(boundary.before_the_end(prompt, prefix, interval)[0])
        cached = earlier != ABSENT and cache.holds(table.tokens[seat, :earlier])
        mark = boundary.prefill_mark(prompt, prefix, np.array([cached]), interval)
        position = slot = np.array([ABSENT])
        following = table.next[seats]
        if mark[0] != ABSENT:
            self._refuse_without_slot(seats, number)
            position = table.next[seats]
            slot = table.ring[seats, position]
            if self.config.mode == EAGER:
                following = boundary.eager_next(position, mark, self.config.ring)
        rows = Rows.of(
            seat=seats,
            epoch=table.epoch[seats],
            decode_count=0,
            seq_len=table.seq_len[seats],
            start=table.prefix[seats],
            working=table.working[seats],
            source=table.source[seats],
            position=position,
            slot=slot,
            mark=mark,
        )
        marked = (mark != ABSENT).nonzero()[0]

        def commit() -> None:
            self.pool.claim(slot[marked])
            table.next[seats] = following
            table.phase[seat] = RUNNING
            table.source[seat] = ABSENT
            table.prefix[seat] = 0
            table.last_batch[seat] = number

        return Prepared(rows, marked, commit)

    def prepare_decode(self, handles: Ints, number: int) -> Prepared:
        """Move requests one token ahead and make the claims of those on a boundary.

        `handles`: int64 of shape [rows], in ascending seats.
        """
        table = self.table
        seats: Ints = handles & SEAT_MASK
        try:
            epoch: Ints = table.epoch[seats]
        except IndexError as error:
            stranger = handles[seats >= len(table.names)][0]
            raise Contradiction(f"handle {stranger}: nobody goes by it; batch {number} would decode it") from error
        seq_len = table.seq_len[seats] + 1
        self._refuse_unprepared(handles, seats, seq_len, handles >> SEAT_BITS != epoch, number)
        count = table.decode_count[seats] + 1
        mark = boundary.decode_mark(seq_len, self.config.interval)
        places = (mark != ABSENT).nonzero()[0]
        position: Ints | int = ABSENT
        slot: Ints | int = ABSENT
        claims: Callable[[], None] | None = None
        if len(places):
            position, slot = np.full((2, len(seats)), ABSENT)
            at = seats[places]
            self._refuse_without_slot(at, number)
            claimed, mark[places], slots, claims = self._positions(at, mark[places])
            places = places[mark[places] != ABSENT]
            position[places] = claimed
            slot[places] = slots
        working = table.working[seats]
        rows = Rows.of(
            seat=seats,
            epoch=epoch,
            decode_count=count,
            seq_len=seq_len,
            start=seq_len - 1,
            working=working,
            source=working,
            position=position,
            slot=slot,
            mark=mark,
        )

        def commit() -> None:
            if claims:
                claims()
            table.seq_len[seats] = seq_len
            table.decode_count[seats] = count
            table.last_batch[seats] = number

        return Prepared(rows, places, commit)

    def _positions(self, at: Ints, mark: Ints) -> tuple[Ints, Ints, Ints, Callable[[], None]]:
        """Decide what rows on a boundary claim.

        Returns the positions of those that claim one, the marks of all (ABSENT for those that skip), the slots that are
        claimed, and what makes the claims.
        """
        return self._eager(at, mark) if self.config.mode == EAGER else self._lazy(at, mark)

    def _eager(self, at: Ints, mark: Ints) -> tuple[Ints, Ints, Ints, Callable[[], None]]:
        table = self.table
        position: Ints = table.next[at]
        slots: Ints = table.ring[at, position]
        following = boundary.eager_next(position, mark, self.config.ring)

        def commit() -> None:
            table.next[at] = following
            self.pool.claim(slots)

        return position, mark, slots, commit

    def _lazy(self, at: Ints, mark: Ints) -> tuple[Ints, Ints, Ints, Callable[[], None]]:
        """The same with spares: they are only foreseen, until the claims are made."""
        table = self.table
        empty = table.ring[at] == ABSENT
        spare = np.full(len(at), ABSENT)
        wanting = empty.any(axis=1).nonzero()[0]
        filled = empty.argmax(axis=1)
        if len(wanting):
            foreseen = self.pool.foresee(len(wanting))
            wanting = wanting[: len(foreseen)]
            spare[wanting] = foreseen
        position = boundary.lazy_position(table.next[at], filled, spare)
        mark = boundary.lazy_mark(mark, spare, self.config.without_spare == SKIP)
        label = boundary.label_after_claim(table.last_len[at], table.last[at], position, mark)
        slots: Ints = np.where(spare == ABSENT, table.ring[at, position], spare)
        claims = mark != ABSENT
        slots = slots[claims]

        def commit() -> None:
            if len(wanting):
                seats = at[wanting]
                self.pool.make_available(len(wanting))
                table.ring[seats, filled[wanting]] = self.pool.hand_out(len(wanting), RING, seats)
            table.last_len[at] = label
            table.next[at] = position
            self.pool.claim(slots)

        return position[claims], mark, slots, commit

    def _refuse_without_slot(self, at: Ints, number: int) -> None:
        """Raise Contradiction where a request on a boundary has no slot at `next`, which nothing may empty."""
        table = self.table
        wrong = table.ring[at, table.next[at]] == ABSENT
        if np.count_nonzero(wrong):
            seat = at[wrong][0]
            raise Contradiction(
                f"request {table.names[seat]} (seat {seat}): batch {number} is on a boundary, and ring position "
                f"{table.next[seat]} holds no slot"
            )

    def _refuse_unprepared(self, handles: Ints, seats: Ints, seq_len: Ints, stale: Bools, number: int) -> None:
        """Raise Contradiction where a request cannot decode: it left, does not run, is too long, or is out of order."""
        table = self.table
        wrong = stale | (table.phase[seats] != RUNNING)
        wrong |= seq_len > self.config.max_len
        wrong[1:] |= seats[1:] <= seats[:-1]
        if np.count_nonzero(wrong):
            place = int(wrong.argmax())
            seat = seats[place]
            if stale[place]:
                raise Contradiction(f"handle {handles[place]}: nobody goes by it; batch {number} would decode it")
            raise Contradiction(
                f"request {table.names[seat]} (seat {seat}): batch {number} would decode it to {seq_len[place]} "
                f"tokens; rows must be running, at most max_len={self.config.max_len} long, and in ascending seats"
            )

    # When a result is processed.

    def complete(self, batch: LaunchedBatch) -> tuple[Bools, Ints, Ints]:
        """Move the consumer pointers of rows that completed a checkpoint.

        Returns which rows' requests are still there, how many steps those are ahead, and the slots that this has freed:
        bool and int64 of shape [rows], int64 of shape [freed]. Raises Contradiction, before anything is changed, where
        that is more than the scheduler runs ahead.
        From there on the engine is in the middle of a step, which it ends.
        """
        rows, table = batch.rows, self.table
        seats, counts = rows.seat, rows.decode_count
        alive: Bools = table.epoch[seats] == rows.epoch
        ahead = boundary.lookahead(table.decode_count[seats], counts)
        wrong = boundary.outside_window(ahead, self.config.lookahead) & alive
        if np.count_nonzero(wrong):
            place = int(wrong.argmax())
            seat = seats[place]
            raise Contradiction(
                f"request {table.names[seat]}, batch {batch.number}: the request is at decode count "
                f"{table.decode_count[seat]} and the row at {counts[place]}, a lookahead outside "
                f"0..{self.config.lookahead}"
            )
        places, freed = batch.boundaries, NO_SLOTS
        completed = rows.filter(places[alive[places]]) if len(places) else rows
        lazy = self.config.mode == LAZY and len(places)
        superseded = self._superseded(completed) if lazy else None
        self.pool.guard.begin("process")
        if len(places):
            self.pool.unclaim(rows.slot[places])
            self._complete(completed)
        if superseded:
            freed = self._drop(*superseded)
        return alive, ahead, freed

    def _complete(self, rows: Rows) -> None:
        """The same for rows that all carry a mark and whose requests are still there."""
        table, seat, mark = self.table, rows.seat, rows.mark
        table.last[seat] = boundary.completed_last(table.last[seat], rows.position, mark)
        claims = self.pool.claims[rows.slot]
        table.last_len[seat] = boundary.completed_label(table.last_len[seat], mark, claims)

    def _superseded(self, rows: Rows) -> tuple[Ints, Ints, Ints]:
        """Return the slots of the checkpoints that completed rows supersede, whose they are, and where.

        Raises WrongSlots where a slot is not its request's any more.
        """
        position = boundary.superseded(self.table.last[rows.seat], rows.position, rows.mark)
        places = (position != ABSENT).nonzero()[0]
        seat, position = rows.seat[places], position[places]
        slots = self.table.ring[seat, position]
        there = (slots != ABSENT).nonzero()[0]
        slots, seat, position = slots[there], seat[there], position[there]
        self.pool.refuse_unowned(slots, "give back", RING, seat)
        return slots, seat, position

    def _drop(self, slots: Ints, seat: Ints, position: Ints) -> Ints:
        """Free those slots, unless a pending row writes there; returns what it has freed.

        In our design none does: a claim at `last` has taken the label back, and then `last` is claimed, not superseded.
        """
        free = boundary.may_free(slots, self.pool.claims[slots]).nonzero()[0]
        gone: Ints = slots[free]
        if len(gone):
            self.table.ring[seat[free], position[free]] = ABSENT
            self.pool.put_back(gone, after=ABSENT)
        return gone

    # When a checkpoint is published, or a request leaves.

    def publishable(self, seat: int) -> int:
        """Return the slot at `last` if its checkpoint may be published, ABSENT if not: the gate of all publications."""
        slot = int(self.table.ring[seat, self.table.last[seat]])
        return slot if boundary.may_publish(self.table.last_len[seat], self.pool.claims[slot]) else ABSENT

    def replace(self, seat: int) -> int:
        """Put a fresh slot where the checkpoint is that is being donated; ABSENT: there is none, and nothing moves."""
        if not self.pool.make_available(1):
            return ABSENT
        table = self.table
        fresh = int(self.pool.take(1, RING, seat)[0])
        table.ring[seat, table.last[seat]] = fresh
        table.last_len[seat] = ABSENT
        return fresh

    def refuse_unowned(self, seat: int) -> Ints:
        """Return the slots of a request, its working slot first; raises WrongSlots where one is somebody else's."""
        ring = self.table.ring[seat]
        slots: Ints = np.concatenate((self.table.working[seat : seat + 1], ring[ring != ABSENT]))
        kinds = np.full(len(slots), RING)
        kinds[0] = WORKING
        self.pool.refuse_unowned(slots, "give back", kinds, seat)
        return slots

    def move(self, source: int, target: int, processed: int) -> None:
        """Move a whole record, and what it owns, to another seat; see RequestTable.move.

        Raises Contradiction where a row of it has not returned. `processed`: the newest batch whose result has been
        processed.
        """
        last = self.table.last_batch[source]
        if last > processed:
            raise Contradiction(
                f"request {self.table.names[source]} (seat {source}): batch {last} has a row of it, which goes by the "
                f"seat; let it return first"
            )
        slots = self.refuse_unowned(source)
        self.table.move(source, target)
        self.pool.holder[slots] = target

    def release(self, seat: int, processed: int) -> Ints:
        """Give back all that a request owns and make its record an idle one; returns the slots freed.

        What launched rows still write waits until the last of them has returned. `processed`: the newest batch whose
        result has been processed. Raises WrongSlots before anything is changed; from there on the engine is in the
        middle of a step, which it ends.
        """
        table, pool = self.table, self.pool
        slots = self.refuse_unowned(seat)
        self.pool.guard.begin("release")
        last = int(table.last_batch[seat])
        if last > processed:
            touched = pool.claims[slots] > 0
            touched[0] = True
            pool.put_back(slots[touched], after=last)
            pool.put_back(slots[~touched], after=ABSENT)
        else:
            pool.put_back(slots, after=ABSENT)
        table.clear(seat)
        return slots
