"""What a lazy request loses when no spare can be had: overwrite in place, or skip the checkpoint.

`python -m tests.bench.without_spare` plays the spec natively, one request after the other in the usual overlapped loop,
with a spare to be had at a given rate, and counts at each finish how many tokens a later request with the same text
would have to compute again: those beyond the newest checkpoint that the request has left in the cache.
"""

from __future__ import annotations

import random

from spec.actions import admit, device, prefill, prepare, process
from spec.design import Design
from spec.language import ABSENT, new
from spec.scope import Scope
from spec.state import EXHAUSTED, Step, initial

REQUESTS = 2000


def one_request(design: Design, rate: float, rng: random.Random) -> int:
    """Return how many tokens are lost when a request of random length finishes."""
    scope = design.scope
    s = initial(scope)
    everyone, order = (True,), (0,)
    admit(s, design, 0, 0, rng.randint(1, scope.interval * 2), ABSENT)
    prefill(s, design, 0, ABSENT)
    newest = 0
    while True:
        me = s.requests[0]
        # Most turns launch the next step before they look at the last one's result; other work takes the rest.
        launches = rng.random() < 0.85 and me.seq_len < scope.max_len
        if launches:
            starved = (me.seq_len + 1) % scope.interval == 0 and rng.random() >= rate
            prepare(s, design, everyone, order, (False,), EXHAUSTED if starved else ABSENT)
        while s.written < s.pending:
            device(s, design)
        if not s.pending or (launches and s.pending < scope.window):
            continue
        done = rng.random() < 0.05 or me.seq_len == scope.max_len
        length = s.batches[0].rows[0].seq_len
        s.step = new(Step, scope)
        process(s, design, (done,), order, ABSENT)
        newest = max(newest, s.step.events[0].published)
        if done:
            return length - newest


def main() -> None:
    """Print the mean loss for both choices at several rates."""
    print("tokens to compute again, mean of", REQUESTS, "requests, interval 16, lookahead 1")
    print(f"{'a spare is had':>15} {'overwrite':>10} {'skip':>10}")
    for rate in (1.0, 0.75, 0.5, 0.25, 0.0):
        losses = []
        for choice in ("overwrite", "skip"):
            scope = Scope.parse(f"requests=1 slots=8 nodes=8 interval=16 mode=lazy max_len=400 without_spare={choice}")
            rng = random.Random(7)
            losses.append(sum(one_request(Design(scope), rate, rng) for _ in range(REQUESTS)) / REQUESTS)
        print(f"{rate:>14.0%} {losses[0]:>10.1f} {losses[1]:>10.1f}")


if __name__ == "__main__":
    main()
