"""What `slotproof verify` searches: our design where it must hold, and everything that must fail."""

from __future__ import annotations

from checker.model.known_designs import DESIGNS
from checker.model.seeded_faults import WRONG_EDITS
from checker.search import canary
from checker.search.check import Check
from spec.scope import EAGER, LAZY

STORY_SCOPE = "requests=1 slots=5 nodes=2 max_len=6"
"""Small enough to search completely in half a second, large enough for every public bug."""

CUT_LAZY = f"{LAZY} short_keys=on"
"""Lazy, and outputs are cut."""

FAILS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("before-29792", EAGER, ("exact-label", "flip-once", "checkpoint-not-lost", "batch-local")),
    ("before-29792", LAZY, ("exact-label", "no-inflight-target", "checkpoint-not-lost", "batch-local")),
    ("wait-stream", EAGER, ("exact-label", "flip-once", "checkpoint-not-lost")),
    ("wait-stream", LAZY, ("exact-label", "checkpoint-not-lost")),
    ("merged-29792", EAGER, ("exact-label", "no-inflight-target", "ring-apart", "flip-once")),
    ("merged-0.5.22", EAGER, ("exact-label", "no-inflight-target", "ring-apart", "flip-once")),
    ("lazy-0.5.18", LAZY, ("exact-label", "no-inflight-target", "ring-apart")),
    ("merged-29792", CUT_LAZY, ("exact-label", "grid")),
)
"""What each historical design must be caught by: (design, mode and what else its scope says, properties)."""

HOLDS: tuple[tuple[str, str], ...] = (("merged-29792", LAZY), ("merged-0.5.22", LAZY), ("merged-0.5.22", CUT_LAZY))
"""The historical designs that hold in a mode."""

_QUICK = (
    "requests=2 slots=6 nodes=2 families=1 mode=lazy max_len=4",
    "requests=2 slots=6 nodes=2 families=1 mode=eager max_len=4",
    "requests=1 slots=5 nodes=2 mode=lazy without_spare=skip max_len=6",
    "requests=1 slots=5 nodes=2 interval=any mode=eager max_len=4",
    "requests=1 slots=5 nodes=2 interval=any mode=lazy max_len=4",
)
_FULL = (
    "requests=2 slots=6 nodes=2 families=2 mode=lazy max_len=4",
    "requests=2 slots=6 nodes=2 families=2 mode=eager max_len=5",
    "requests=2 slots=6 nodes=2 families=1 mode=lazy without_spare=skip max_len=4",
    "requests=1 slots=3 nodes=1 lookahead=0 mode=lazy max_len=4 others=on",
    "requests=1 slots=6 nodes=2 mode=eager max_len=8",
    "requests=1 slots=5 nodes=2 mode=eager max_len=6 short_keys=on",
    "requests=1 slots=5 nodes=2 mode=lazy max_len=8",
    "requests=1 slots=5 nodes=2 mode=lazy without_spare=skip max_len=8",
    "requests=1 slots=5 nodes=2 interval=any mode=eager max_len=5",
    "requests=1 slots=5 nodes=2 interval=any mode=lazy max_len=5",
    "requests=1 slots=5 nodes=2 interval=any mode=lazy without_spare=skip max_len=5",
    "requests=1 slots=4 nodes=2 ring=1 lookahead=0 mode=eager max_len=6",
    "requests=1 slots=5 nodes=2 lookahead=0 mode=lazy max_len=6",
    "requests=1 slots=6 nodes=2 interval=1 mode=eager max_len=5",
    "requests=1 slots=6 nodes=2 interval=1 mode=lazy max_len=5",
    "requests=1 slots=6 nodes=2 ring=2 lookahead=2 mode=eager max_len=6",
    "requests=1 slots=7 nodes=2 interval=1 ring=3 lookahead=2 mode=lazy max_len=5",
    "requests=1 slots=7 nodes=2 ring=3 lookahead=3 mode=eager max_len=6",
)


CANARY = Check("", model=canary.FILE, expect=canary.MUST_FAIL, exactly=True, all=True)
"""The model that uses every construct of the subset, whether or not the spec does."""


def ours(quick: bool) -> list[Check]:
    """Return the checks in which our design must hold, the longest first."""
    return [Check(scope) for scope in (_QUICK if quick else _FULL)]


def designs() -> list[Check]:
    """Return one check for each historical design and mode, each property to its shortest story."""
    fails = {(name, mode): expect for name, mode, expect in FAILS}
    checks = []
    for name in DESIGNS:
        for mode in (EAGER, LAZY, CUT_LAZY):
            expect = fails.get((name, mode), ())
            if expect or (name, mode) in HOLDS or name == "slotproof":
                checks.append(Check(f"{STORY_SCOPE} mode={mode}", design=name, expect=expect, all=True))
    return checks


def wrong_edits() -> list[Check]:
    """Return one check for each wrong edit, which ends as soon as it is caught by the property that must see it."""
    return [
        Check(f"{STORY_SCOPE} mode={wrong.mode} {wrong.scope}", edit=wrong.name, expect=(wrong.caught_by,))
        for wrong in WRONG_EDITS
    ]
