"""The verdict on a trace: what is wrong, and the story of the slot on two lanes, CPU and device."""

from __future__ import annotations

import msgspec

from checker.command.console import printable, say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.explain.lanes import Lanes
from checker.traces.fail_on import failures, is_unsure
from checker.traces.judge_file import Judgement
from checker.traces.verdict import Hazard, HistoryEntry, Violation

FOLLOWERS = 3  # How many violations that follow from another one are listed.
_LANES = Lanes(9, 72, border=" | ")


def exit_code(judged: Judgement) -> int:
    """Return the exit code of the verdict alone."""
    return {"bad": VIOLATED, "good": SHOWN}.get(judged.verdict.outcome, INCONCLUSIVE)


def data(judged: Judgement) -> object:
    """Return the verdict for a machine."""
    return msgspec.to_builtins(judged.verdict)


def lines(judged: Judgement) -> list[str]:
    """Return the verdict: one headline, then the first causes with their stories, then the hazards."""
    verdict = judged.verdict
    counts = f"{verdict.events} events, {verdict.batches} batches, {verdict.requests} requests"
    found = [f"{verdict.outcome}: {judged.path} ({verdict.engine}; {counts}){_failed_on(judged)}"]
    if verdict.cut_because:
        found.append(f"  the trace is cut: {verdict.cut_because}")
    if verdict.not_covered:
        found.append(f"  not covered {verdict.not_covered}")
    if verdict.unknown:
        left = ", ".join(f"{what} ({times})" for what, times in sorted(verdict.unknown.items()))
        found.append(f"  taken on trust, for the trace does not say: {left}")
    for violation in verdict.violations:
        if violation.root is None:
            found += violation_lines(violation)
            found += _follower_lines([v for v in verdict.violations if v.root == violation.line])
    if verdict.hidden_violations:
        found.append(f"  ... and {verdict.hidden_violations} more violations")
    for hazard in verdict.hazards:
        found += hazard_lines(hazard)
    if verdict.hidden_hazards:
        unsure = ", of which some may be what --fail-on names" if is_unsure(verdict, judged.fail_on) else ""
        found.append(f"  ... and {verdict.hidden_hazards} more hazards{unsure}")
    return found


def show(judged: Judgement) -> None:
    """Print the verdict."""
    say_all(map(printable, lines(judged)))


def violation_lines(violation: Violation) -> list[str]:
    """One first cause: event, slot, label, what it holds, and the slot's story."""
    label = "" if violation.label is None else f", label {violation.label}"
    if violation.slot is None or not violation.story:
        return [f"  line {violation.line} ({violation.event}): {violation.kind}: {violation.message}"]
    return [
        f"  line {violation.line} ({violation.event}): {violation.kind}: {violation.message}",
        f"    slot {violation.slot}{label}, holds {violation.holds}",
        f"    the story of slot {violation.slot}:",
        *("      " + line for line in story_lines(violation.story, violation.line)),
    ]


def story_lines(story: list[HistoryEntry], marked: int) -> list[str]:
    """A slot's story, one line a step; the step at line `marked` of the trace carries an arrow."""
    lines = [_LANES.head(f"  {'line':>5}")]
    for entry in story:
        arrow = ">" if entry.line == marked else " "
        lines += _LANES.rows(f"{arrow} {entry.line:>5}", entry.cpu, entry.device)
    return lines


def hazard_lines(hazard: Hazard) -> list[str]:
    """One hazard as a short paragraph: what, then how it ended, then what would have made it harmful."""
    if hazard.harmful_at is not None:
        end = f"It became harmful at line {hazard.harmful_at}."
    elif hazard.healed_at is not None:
        end = f"Healed at line {hazard.healed_at}. It would have been harmful if {hazard.harmful_if}."
    else:
        end = f"Nothing healed it. It would be harmful if {hazard.harmful_if}."
    who = "" if hazard.request is None else f", request {hazard.request}"
    where = "" if hazard.slot is None else f", slot {hazard.slot}"
    return [f"  hazard {hazard.property} at line {hazard.line}{who}{where}: {hazard.explanation}.", f"    {end}"]


def _failed_on(judged: Judgement) -> str:
    """Return which hazard that was asked for has failed the trace; empty: none."""
    failed = failures(judged.verdict, judged.fail_on)
    if not failed:
        return ""
    name, hazard = failed[0]
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return f", but fails on {name} ({hazard.property} at line {hazard.line}{more})"


def _follower_lines(followers: list[Violation]) -> list[str]:
    lines = [f"    then line {v.line}: {v.message}" for v in followers[:FOLLOWERS]]
    if len(followers) > FOLLOWERS:
        lines.append(f"    then {len(followers) - FOLLOWERS} more that follow from it")
    return lines
