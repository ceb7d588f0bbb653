"""Mutants that nothing kills, each with the reason why it may live.

`slotproof mutants` fails if one is missing here, and if one here is killed.
"""

from __future__ import annotations

JUSTIFIED: dict[str, str] = {}
