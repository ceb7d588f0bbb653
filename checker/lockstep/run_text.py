"""A run written down: as a script that can be replayed, and as a timeline for a person."""

from __future__ import annotations

from collections.abc import Sequence

from checker.explain.entries import entries_of
from checker.explain.lanes import timeline
from checker.lockstep.failure import HEADLINES, Failed
from checker.lockstep.lockstep import Lockstep
from checker.lockstep.step import DrawnStep
from spec.scope import Scope

_HELD_BACK = "Slots that the runtime holds back while rows in flight touch them are another request's here."


def script(title: str, scope: Scope, steps: Sequence[DrawnStep], remarks: Sequence[str] = ()) -> str:
    """Return a script that `read` reads."""
    notes = [f"# {remark}" for remark in remarks]
    return "\n".join([f"scenario {title}", f"scope {scope}", *notes, "", *map(str, steps)]) + "\n"


def story(lockstep: Lockstep, failed: Failed | None, width: int = 100) -> str:
    """Return the steps of a lockstep as a timeline, and what went wrong in the last one."""
    entries = entries_of(lockstep.spec.model, lockstep.spec.steps, lockstep.spec.states)
    out = [f"scope {lockstep.scope}", _HELD_BACK, "", *timeline(entries, width)]
    if failed:
        out += ["", f"{HEADLINES[failed.kind]}: {failed.name}", f"  {failed.detail}"]
    return "\n".join(out)
