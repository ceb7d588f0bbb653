"""What the bench measures against follows the same protocol as the runtime, up to the slots' names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.batch import ROW_COLUMNS
from runtime.pool import COOLING, FREE, OUTSIDE
from tests.bench.naive_tracker import NaiveTracker
from tests.support.runtime_engines import engine, seats

NUMBERS = [name for name in ROW_COLUMNS if name not in ("seat", "epoch", "working", "source", "slot")]
SLOTS = ("working", "source", "slot")


class Pairs:
    """Which slot of the one is which slot of the other: the two may hand free slots out in any order."""

    def __init__(self):
        self.there, self.back = {-1: -1}, {-1: -1}

    def match(self, ours, theirs):
        assert self.there.setdefault(int(ours), theirs) == theirs
        assert self.back.setdefault(theirs, int(ours)) == ours


def compare(made, naive, requests):
    """Rows in flight, records, cache entries, and who owns every slot."""
    pairs = Pairs()
    for ours, theirs in zip(made.pending, naive.pending, strict=True):
        for row, other in zip(ours.rows.listed(), theirs.rows, strict=True):
            assert [row[name] for name in NUMBERS] == [getattr(other, name) for name in NUMBERS]
            for name in SLOTS:
                pairs.match(row[name], getattr(other, name))
        assert theirs.columns.tolist() == [list(row[1:]) for row in theirs.rows]
    for seat, request in requests.items():
        for name in ("seq_len", "decode_count", "next", "last", "last_len", "last_batch"):
            assert int(getattr(made.table, name)[seat]) == getattr(request, name), (request.name, name)
        pairs.match(made.table.working[seat], request.working)
        for ours, theirs in zip(made.table.ring[seat], request.ring, strict=True):
            pairs.match(ours, theirs)
    for node, (key, slot) in zip(made.cache, naive.cache.items(), strict=True):
        assert node.length == len(key)
        pairs.match(node.slot, slot)
    cooling = {slot for _, slot in naive.pool.cooling}
    assert (made.pool.kind == COOLING).sum() == len(cooling)
    assert made.pool.available == len(naive.pool.free)
    for ours, theirs in pairs.there.items():
        if ours >= 0:
            assert (made.pool.kind[ours] == COOLING) == (theirs in cooling)
            assert (made.pool.kind[ours] == FREE) == (theirs in naive.pool.free)
            assert made.pool.claims[ours] == naive.pool.claims[theirs]
    assert sorted(made.pool.claims.tolist()) == sorted(naive.pool.claims)


@pytest.mark.parametrize("mode", ["eager", "lazy"])
@pytest.mark.parametrize("without_spare", ["overwrite", "skip"])
@given(
    acts=st.lists(st.integers(0, 199), min_size=10, max_size=80),
    lookahead=st.integers(0, 2),
    interval=st.integers(1, 2),
    extra=st.integers(0, 3),
)
def test_the_naive_tracker_does_what_the_runtime_does(mode, without_spare, acts, lookahead, interval, extra):
    slots = (12 if mode == "eager" else 6) + extra
    made = engine(mode=mode, without_spare=without_spare, slots=slots, lookahead=lookahead, interval=interval)
    naive, requests, count = NaiveTracker(made.config), {}, 0
    for act in acts:
        choice, pick = act % 4, act // 4
        full = len(made.pending) >= made.config.window
        if choice == 0 and not full and made.table.seats_left and made.pool.available >= made.config.slots_per_request:
            # No two texts begin alike, so nobody hits the cache or finds a key there.
            count += 1
            tokens = seats(*range(1000 * count, 1000 * count + 1 + pick % 6))
            seat = made.admit(f"r{count}", tokens)
            requests[seat] = naive.admit(f"r{count}", tokens.tolist())
            made.prefill(seat)
            naive.prefill(requests[seat])
        elif choice in (1, 2) and not full:
            chosen = [seat for seat in sorted(requests) if pick >> seat & 1 and requests[seat].seq_len < 40]
            made.decode(seats(*chosen))
            naive.decode([requests[seat] for seat in chosen])
        elif choice == 3 and made.pending:
            rows = made.pending[0].rows
            finishes = [pick % 7 == place for place in range(len(rows))]
            tokens = list(range(len(rows)))
            alive = made.table.present(rows).tolist()
            made.process(seats(*tokens), seats(*finishes) == 1)
            naive.process(tokens, finishes)
            for seat, ends, here in zip(rows.seat.tolist(), finishes, alive, strict=True):
                if ends and here:
                    del requests[seat]
        compare(made, naive, requests)


def test_the_comparison_sees_a_difference():
    made = engine()
    naive = NaiveTracker(made.config)
    seat, request = made.admit("r", seats(1, 2, 3)), naive.admit("r", [1, 2, 3])
    compare(made, naive, {seat: request})
    made.pool.take(1, OUTSIDE, 0)
    with pytest.raises(AssertionError):
        compare(made, naive, {seat: request})
