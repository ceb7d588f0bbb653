"""What bounded checking has shown, for a person and for a machine."""

from __future__ import annotations

from typing import Any

from checker.bounded import Bounded
from checker.bounded import check as check_bounded
from checker.checks import Check, Outcome, claimed, in_any_order, model_for, stored
from checker.explore import Exploration
from checker.output import INCONCLUSIVE, SHOWN, VIOLATED, Progress, say
from checker.report import save, story


def run(check: Check, depth: int, seconds: float | None, progress: Progress) -> tuple[Check, Bounded]:
    """Look for a violation of what the check expects, or of anything; raises BadScope or BadModel.

    Of a design that goes by names another check is performed, and returned: slots are handed out in any order.
    """
    check, names = in_any_order(check)
    model = model_for(check)
    claimed(model, check.expect)
    found = check_bounded(model, depth, frozenset(check.expect), seconds, lambda at: progress.note(f"depth {at}"))
    progress.done()
    found.names = names
    return check, found


def exit_code(found: Bounded) -> int:
    """Return the exit code."""
    return VIOLATED if found.property else INCONCLUSIVE if found.unknown else SHOWN


def data(check: Check, found: Bounded) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "subject": check.subject,
        "scope": str(model_for(check).scope),
        "depth": found.depth,
        "property": found.property,
        "steps": stored(found.steps),
        "unknown": found.unknown,
        "assumed": found.assumed,
        "names": found.names,
        "seconds": found.seconds,
    }


def show(check: Check, found: Bounded) -> None:
    """Print the result."""
    say(f"{check.subject}   {model_for(check).scope}")
    if found.names:
        say(f"names matter, so slots are handed out in any order: {found.names}")
    if found.assumed:
        say(f"shown by induction first, and used: {len(found.assumed)} lemmas and properties")
    if found.property:
        outcome = Outcome(check, "", Exploration(), {found.property: stored(found.steps)})
        identity = save(outcome, found.property)
        steps = f"{len(found.steps)} steps, {found.seconds:.1f} s"
        say(f"violated: {found.property} after {steps}   slotproof explain {identity}")
        say("")
        say(story(outcome, found.property))
    elif found.unknown:
        say(f"unknown {found.unknown}; up to depth {found.depth} there is no violation; {found.seconds:.1f} s")
    else:
        say(f"no violation in any run of up to {found.depth} steps; {found.seconds:.1f} s; no longer run was looked at")
