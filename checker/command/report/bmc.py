"""What bounded checking has shown, for a person and for a machine."""

from __future__ import annotations

from typing import Any

from checker.command.console import Progress, say
from checker.command.report.search import save, story
from checker.deadline import Deadline
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.model.user_model import naming
from checker.proof.bmc import Bounded
from checker.proof.bmc import check as check_bounded
from checker.search.bfs import Exploration
from checker.search.check import Check, Outcome, claimed, in_any_order, model_for, stored


def run(check: Check, depth: int, seconds: float | None, progress: Progress) -> tuple[Check, Bounded]:
    """Look for a violation of what the check expects, or of anything; raises BadScope or BadModel.

    Of a design that goes by names another check is performed, and returned: slots are handed out in any order.
    """
    clock = Deadline(seconds, last_resort=True)
    names = ""
    with clock, naming(check.file):
        check, names = in_any_order(check)
        model = model_for(check)
        claimed(model, check.expect)
    if clock.cut:
        return check, Bounded(check.scope, unknown=f"at depth 0: {clock.words} before the model was read")
    with naming(check.file):
        found = check_bounded(model, depth, frozenset(check.expect), clock, lambda at: progress.note(f"depth {at}"))
    found.names = names
    return check, found


def exit_code(found: Bounded) -> int:
    """Return the exit code."""
    if found.property:
        return VIOLATED
    if found.unknown or not found.audit.enough:
        return INCONCLUSIVE
    return SHOWN if found.asked else VIOLATED


def data(check: Check, found: Bounded) -> dict[str, Any]:
    """Return the result for a machine."""
    return {
        "subject": check.subject,
        "scope": found.scope,
        "depth": found.depth,
        "property": found.property,
        "steps": stored(found.steps),
        "unknown": found.unknown,
        "asked": found.asked,
        "assumed": found.assumed,
        "audit": found.audit.data,
        "names": found.names,
        "seconds": found.seconds,
    }


def show(check: Check, found: Bounded) -> None:
    """Print the result."""
    say(f"{check.subject}   {found.scope}")
    if found.names:
        say(f"names matter, so slots are handed out in any order: {found.names}")
    say(found.audit.line)
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
        known = f"up to depth {found.depth} there is no violation" if found.depth >= 0 else "nothing was looked at"
        say(f"unknown {found.unknown}; {known}; {found.seconds:.1f} s")
    elif not found.asked:
        say("nothing was asked: the model states no @always() or @step() property that applies in this scope")
    else:
        say(f"no violation in any run of up to {found.depth} steps; {found.seconds:.1f} s; no longer run was looked at")
