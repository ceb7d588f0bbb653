"""The yardstick, breadth first over plain tuples, every state checked: python -m tests.bench.plain_search R N [K]

Request: (committed, decode_count, next, last, last_len, slot0, slot1, finished). Row: (decode_count, length, position).
"""

import gc
import sys
import time
from itertools import islice, product


def successors(requests, batches, n, k):  # One state for each enabled action and each free choice of it.
    if len(batches) < 2:
        choices = [[(r, None)] for r in requests]
        for (c, d, nxt, *rest), choice in zip(requests, choices, strict=True):
            if not rest[-1] and c < n:
                choice.append(((c + 1, d + 1, nxt ^ ((c + 1) % k == 0), *rest), (d + 1, c + 1, nxt)))
        for after, rows in islice((zip(*chosen, strict=True) for chosen in product(*choices)), 1, None):
            yield after, (*batches, (0, rows))  # The first choice, left out, launches nobody.
    for i in [i for i, (executed, _) in enumerate(batches) if not executed][:1]:
        after, rows = list(requests), batches[i][1]
        for j, row in enumerate(rows):
            if row and row[1] % k == 0:
                after[j] = (*after[j][: 5 + row[2]], row[1], *after[j][6 + row[2] :])
        yield tuple(after), (*batches[:i], (1, rows), *batches[i + 1 :])
    if batches and batches[0][0]:
        choices = [[r] for r in requests]
        for row, choice in zip(batches[0][1], choices, strict=True):
            c, d, nxt, last, last_len, slot0, slot1, finished = choice[0]
            if row and not finished:
                kept = (row[2], c - (d - row[0])) if (c - (d - row[0])) % k == 0 else (last, last_len)
                choice[:] = [(c, d, nxt, *kept, slot0, slot1, finish) for finish in (0, 1)]
        yield from ((after, batches[1:]) for after in product(*choices))


def check(requests, batches, k):  # Lookahead is 0 or 1, and what a finished request keeps is there and stays there.
    for j, (_, d, _, last, last_len, slot0, slot1, finished) in enumerate(requests):
        assert not (finished and last_len) or (slot1 if last else slot0) == last_len, (requests, batches)
        for executed, rows in batches:
            if row := rows[j]:
                targeted = last_len and not executed and row[1] % k == 0 and row[2] == last
                assert not targeted if finished else 0 <= d - row[0] < 2, (requests, batches)


def search(r, n, k=2):
    frontier, transitions, depth = [(((0,) * 8,) * r, ())], 0, -1
    seen = set(frontier)
    while frontier:
        depth, parents, frontier = depth + 1, frontier, []
        for after in (after for state in parents for after in successors(*state, n, k)):
            transitions += 1
            if after not in seen:
                check(*after, k)
                seen.add(after)
                frontier.append(after)
    print(f"states={len(seen)} transitions={transitions} depth={depth} cpu_seconds={time.process_time():.2f}")


gc.disable()  # Nothing here is cyclic, so the collector could only cost time.
search(*map(int, sys.argv[1:]))
