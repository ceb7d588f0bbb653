"""Hazards that fail a trace because its reader asked for it by name: of a property, of a group, or any."""

from __future__ import annotations

from typing import Final, NamedTuple

from checker.traces.verdict import Hazard, Verdict
from spec.scope import BadScope

ANY: Final = "any"
LOOKED_FOR: Final = (
    *("accounting", "checkpoint-not-lost", "deferred-once", "distinct-targets", "exact-label", "flip-once", "grid"),
    *("inconsistent-record", "keep-index-defined", "lookahead-window", "no-inflight-target", "one-owner"),
    *("release-all", "retract-pure", "ring-apart", "written-before-donated"),
)
"""The properties that a verdict looks for. To fail on another one would be a promise that nobody keeps."""
GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "leak": ("release-all", "accounting"),
    "lost-checkpoint": ("checkpoint-not-lost",),
    "lost-hit": ("longest-prefix-taken",),
    ANY: LOOKED_FOR,
}


class NamedHazard(NamedTuple):
    """A hazard, and the name that was asked for."""

    name: str
    hazard: Hazard


def offered() -> list[str]:
    """Return the names that can be asked for."""
    groups = [name for name, stated in GROUPS.items() if set(stated) & set(LOOKED_FOR)]
    return [*groups, *LOOKED_FOR]


def parse(text: str) -> tuple[str, ...]:
    """Return the names in `leak,grid`; raises BadScope for one that no verdict looks for."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in offered():
            raise BadScope(f"--fail-on {name!r}: no verdict looks for it; write names out of {', '.join(offered())}")
    return names


def failures(verdict: Verdict, names: tuple[str, ...]) -> list[NamedHazard]:
    """Return the hazards of a verdict that the names mean, each once, in order."""
    return [
        NamedHazard(name, hazard)
        for hazard in verdict.hazards
        if (name := next((name for name in names if _means(name, hazard)), ""))
    ]


def is_unsure(verdict: Verdict, names: tuple[str, ...]) -> bool:
    """Whether a hazard that the names mean may be among those that were counted and not kept."""
    return bool(names and verdict.hidden_hazards and not failures(verdict, names))


def _means(name: str, hazard: Hazard) -> bool:
    return name == ANY or hazard.property in GROUPS.get(name, (name,))
