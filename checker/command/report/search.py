"""What a search has shown, for a person (text) and for a machine (data)."""

from __future__ import annotations

from collections.abc import Iterator

from checker.command.console import say_all
from checker.command.report import audit as audit_report
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.explain.render import render
from checker.explain.reproduce import reproduce_line
from checker.explain.story import story_of
from checker.search import saved
from checker.search.check import HOLDS, NOT_AUDITED, Check, Outcome, taken
from checker.search.exploration import Exploration
from checker.search.perform import model_for


def exit_code(outcome: Outcome) -> int:
    """Return the exit code of a search that was expected to find nothing."""
    return {HOLDS: SHOWN, "cut short": INCONCLUSIVE, NOT_AUDITED: INCONCLUSIVE}.get(outcome.status, VIOLATED)


def headline(exploration: Exploration) -> str:
    """Say what was covered, and how sure that is."""
    kind = "complete" if exploration.complete else exploration.cut or "ended at the first violation"
    return (
        f"{exploration.states:,} states, {exploration.transitions:,} transitions, depth {exploration.depth}, {kind}; "
        f"{exploration.seconds:.1f} s; chance of a fingerprint collision at most {exploration.collision:.0e}"
    )


def why_vacuous(outcome: Outcome) -> list[str]:
    """Say what a complete search has not seen, one line for each."""
    lines = [f"never seen: {name}" for name in outcome.exploration.unseen]
    if not outcome.exploration.asked:
        lines.append("never asked: the model states no @always() or @step() property that applies in this scope")
    if not outcome.exploration.transitions:
        lines.insert(0, "nothing can ever happen: no action is possible in the first state")
    return lines + [f"never enabled: {name}" for name in outcome.idle]


def reproduce(check: Check, name: str = "") -> str:
    """Return the line that performs a check again."""
    if check.edit:
        return f'slotproof explore --edit {check.edit} --scope "{check.scope.strip()}"'
    settings = check.scope.split() if check.model else []
    design = "" if check.model else check.design
    line = reproduce_line(design, check.scope, name, check.model, settings)
    line = line if name else line.removesuffix(" --property ").rstrip()
    line += "" if check.symmetry else " --symmetry none"
    line += f" --max-states {check.limits.states}" if check.limits.states else ""
    return line + (f" --max-seconds {check.limits.seconds:g}" if check.limits.seconds else "")


def save(outcome: Outcome, name: str) -> str:
    """Store the counterexample of a violated property and return its id."""
    check = outcome.check
    model = model_for(check)
    settings = check.scope.split() if check.model else []
    return saved.save(
        saved.FOLDER,
        "" if check.model else check.subject,
        check.scope,
        name,
        taken(model, outcome.steps[name]),
        check.model,
        settings,
    )


def most_telling(outcome: Outcome) -> str:
    """Return the violated property whose story to tell: the first that was expected, else the shortest."""
    for name in outcome.check.expect:
        if name in outcome.steps:
            return name
    return min(outcome.steps, key=lambda name: len(outcome.steps[name]))


def story(outcome: Outcome, name: str) -> str:
    """Return the timeline of a violated property."""
    model = model_for(outcome.check)
    return render(story_of(model, taken(model, outcome.steps[name]), name, reproduce(outcome.check, name)))


def data(outcome: Outcome) -> dict[str, object]:
    """Return an outcome for a machine."""
    exploration = outcome.exploration
    return {
        "subject": outcome.check.subject,
        "scope": outcome.scope,
        "status": outcome.status,
        "states": exploration.states,
        "transitions": exploration.transitions,
        "depth": exploration.depth,
        "complete": exploration.complete,
        "cut": exploration.cut,
        "symmetry": outcome.symmetry,
        "by": exploration.by,
        "collision": exploration.collision,
        "seconds": exploration.seconds,
        "violated": {name: len(steps) for name, steps in outcome.steps.items()},
        "steps": dict(outcome.steps),
        "sometimes": exploration.seen,
        "never seen": exploration.unseen,
        "asked": exploration.asked,
        "not asked": exploration.unasked,
        "not read": outcome.unread,
        "not listed": outcome.unlisted,
        "taken": exploration.taken,
        "audit": audit_report.data(outcome.audit),
        "reproduce": reproduce(outcome.check),
    }


def lines(outcome: Outcome) -> Iterator[str]:
    """Return the result of one search: scope first, then what it shows, then the story of what it violates."""
    check, exploration = outcome.check, outcome.exploration
    yield f"{check.subject}   {outcome.scope}"
    yield headline(exploration)
    yield f"symmetry: {outcome.symmetry}"
    if exploration.why_columns:
        yield f"note: searched by columns, several times as slow as compiled code: {exploration.why_columns}"
    yield from audit_report.lines(outcome.audit)
    if outcome.steps:
        for name, steps in sorted(outcome.steps.items(), key=lambda item: len(item[1])):
            identity = "" if check.edit else f"   slotproof explain {save(outcome, name)}"
            yield f"violated: {name} after {len(steps)} steps{identity}"
        name = most_telling(outcome)
        if not getattr(model_for(check).scope, "ring_suffices", True):
            yield "note: this ring is too short for any eager design: it takes 1 + ceil(lookahead / interval) positions"
        yield ""
        yield story(outcome, name)
        return
    if outcome.status == HOLDS:
        count = len(exploration.asked)
        yield f"holds: {count} {'property' if count == 1 else 'properties'}, in every reachable state of this scope"
    if exploration.unasked:
        yield f"not asked, since not of this scope: {', '.join(exploration.unasked)}"
    for name, place in outcome.unlisted.items():
        yield f"{place}: {name} is declared and was not looked at: add it to `actions` or `properties`, or take it out"
    for name, place in outcome.unread.items():
        yield f"{place}: nothing reads {name} in this scope: leave it out, or say in a property what must be true of it"
    if exploration.complete:
        yield from why_vacuous(outcome)
    if outcome.status == "vacuous":
        yield "the search is complete, but proves less than it seems to: widen the scope (max_len, slots, requests)"
    if outcome.status == NOT_AUDITED:
        yield "not audited: no run in plain Python speaks for this, so it is no pass"
    if exploration.cut:
        yield "cut short: nothing wrong was found so far, which is no proof"
    if outcome.status != HOLDS:
        yield reproduce(check)


def show(outcome: Outcome) -> None:
    """Print the result of one search."""
    say_all(lines(outcome))
