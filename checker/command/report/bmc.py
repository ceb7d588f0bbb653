"""What bounded checking has shown, for a person and for a machine."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.report import audit as audit_report
from checker.command.report.search import save, story
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.bmc import BoundedOutcome
from checker.search.check import Outcome, stored
from checker.search.exploration import Exploration


def exit_code(result: BoundedOutcome) -> int:
    """Return the exit code."""
    found = result.found
    if found.property:
        return VIOLATED
    if found.unknown or not found.audit.enough:
        return INCONCLUSIVE
    return SHOWN if found.asked else VIOLATED


def data(result: BoundedOutcome) -> dict[str, object]:
    """Return the result for a machine."""
    check, found = result.check, result.found
    return {
        "subject": check.subject,
        "scope": found.scope,
        "depth": found.depth,
        "property": found.property,
        "steps": stored(found.steps),
        "unknown": found.unknown,
        "asked": found.asked,
        "assumed": found.assumed,
        "audit": audit_report.data(found.audit),
        "names": found.names,
        "seconds": found.seconds,
    }


def lines(result: BoundedOutcome) -> Iterator[str]:
    """Return the result for a person; the run of a violation is stored on the way."""
    check, found = result.check, result.found
    yield f"{check.subject}   {found.scope}"
    if found.names:
        yield f"names matter, so slots are handed out in any order: {found.names}"
    yield from audit_report.lines(found.audit)
    if found.assumed:
        yield f"shown by induction first, and used: {len(found.assumed)} lemmas and properties"
    if found.property:
        outcome = Outcome(check, "", Exploration(), {found.property: stored(found.steps)})
        identity = save(outcome, found.property)
        steps = f"{len(found.steps)} steps, {found.seconds:.1f} s"
        yield f"violated: {found.property} after {steps}   slotproof explain {identity}"
        yield ""
        yield story(outcome, found.property)
    elif found.unknown:
        known = f"up to depth {found.depth} there is no violation" if found.depth >= 0 else "nothing was looked at"
        yield f"unknown {found.unknown}; {known}; {found.seconds:.1f} s"
    elif not found.asked:
        yield "nothing was asked: the model states no @always() or @step() property that applies in this scope"
    else:
        known = f"no violation in any run of up to {found.depth} steps"
        yield f"{known}; {found.seconds:.1f} s; no longer run was looked at"


def show(result: BoundedOutcome) -> None:
    """Print the result."""
    say_all(lines(result))
