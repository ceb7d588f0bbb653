"""The scopes in which a mutant of the spec is searched, and those in which it is proved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One small scope to search, and what the spec itself does not show in it."""

    scope: str
    unseen: tuple[str, ...] = ()
    symmetry: bool = True


_TOO_FEW = ("key-already-cached", "cache-hit", "evicted-under-a-read")

STAGES = (
    Stage("requests=1 slots=5 nodes=2 mode=eager max_len=4"),
    Stage("requests=1 slots=5 nodes=2 mode=lazy max_len=4"),
    Stage("requests=1 slots=5 nodes=2 mode=lazy without_spare=skip max_len=4"),
    Stage("requests=1 slots=5 nodes=2 interval=any mode=eager max_len=3"),
    Stage("requests=1 slots=5 nodes=2 interval=any mode=lazy max_len=3"),
    # As many slots as one request takes, and not one more.
    Stage("requests=1 slots=3 nodes=1 mode=eager max_len=4", _TOO_FEW),
    Stage("requests=1 slots=2 nodes=1 mode=lazy max_len=4", ("spare-taken", *_TOO_FEW)),
    Stage("requests=1 families=2 slots=4 nodes=2 mode=lazy max_len=3", ("publication-refused",)),
    Stage("requests=1 slots=4 nodes=1 lookahead=0 mode=lazy max_len=4"),
    Stage("requests=1 slots=4 nodes=1 lookahead=0 interval=any mode=lazy max_len=3"),
    Stage("requests=1 slots=6 nodes=1 interval=any ring=3 lookahead=2 mode=eager max_len=4"),
    Stage("requests=1 slots=6 nodes=1 interval=1 ring=3 lookahead=2 mode=lazy max_len=4"),
    Stage("requests=2 slots=5 nodes=1 families=1 mode=lazy max_len=3", ("publication-refused",)),
    # Long enough for a prompt that ends off the grid behind two boundaries.
    Stage("requests=1 slots=4 nodes=1 lookahead=0 mode=eager max_len=5"),
    # What other requests do, as far as it is mutated: rows.others_write, and the device that runs their rows.
    Stage("requests=1 slots=3 nodes=1 interval=1 mode=lazy max_len=2 others=on"),
    # Outputs that are cut.
    Stage("requests=1 slots=5 nodes=2 mode=eager max_len=4 short_keys=on"),
    # A mutant may treat one slot unlike the others; then names of slots do matter.
    Stage("requests=2 slots=4 nodes=1 interval=1 mode=lazy max_len=2", symmetry=False),
)
"""The searches, the cheapest and most telling first."""

PROOFS = (
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=eager",
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=lazy",
    "requests=1 max_len=4611686018427387904 interval=any others=on slots=5 nodes=5 mode=lazy without_spare=skip",
)
"""The inductions, for what no search has killed."""
