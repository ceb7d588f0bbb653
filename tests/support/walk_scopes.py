"""The scopes of random walks: small, so that walks meet themselves, and different enough to reach every corner."""

from __future__ import annotations

from spec.scope import EAGER, OVERWRITE, SKIP, Scope


def scope_of(mode: str, seed: int) -> Scope:
    """A scope that depends on the seed: interval 1 to 3, lookahead 0 to 2, short of slots every other time."""
    lookahead = (1, 1, 1, 2, 0)[seed % 5]
    interval = (2, 2, 3, 1)[seed // 5 % 4]
    ring = 2 if seed % 3 else 3
    start = 1 + ring if mode == EAGER else 2
    slots = 2 * start + (1, 3)[seed % 2]
    without_spare = SKIP if seed % 7 == 6 else OVERWRITE
    return Scope(2, slots, 2, 2, interval, ring, lookahead, mode, without_spare, 10)
