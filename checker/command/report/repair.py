"""What a repair is, for a person and for a machine."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from checker.command.console import say_all
from checker.exit_codes import INCONCLUSIVE, SHOWN, VIOLATED
from checker.proof.repair import Repair
from checker.proof.repair_changes import count, spelled
from checker.proof.repair_lemmas import Standing


def exit_code(result: Repair) -> int:
    """Return the exit code: a search that was cut, or a repair that was searched nowhere else, is no answer."""
    if result.cut or (result.found is not None and not result.scopes):
        return INCONCLUSIVE
    return VIOLATED if result.found is None else SHOWN


def data(result: Repair) -> dict[str, object]:
    """Return a result for a machine."""
    standing = result.standing
    return {
        "design": result.design,
        "mode": result.mode,
        "changes": None if result.found is None else spelled(result.found),
        "others": [spelled(each) for each in result.others],
        "text": result.text,
        "searched in": result.scopes,
        "never seen": result.unseen,
        "nearly": [{"changes": spelled(changes), "violates": broken} for changes, broken in result.nearly.items()],
        "proved": None if standing is None else standing.proved,
        "unproved": [] if standing is None else standing.unproved,
        "lemmas dropped": [] if standing is None else standing.dropped,
        "tried": result.tried,
        "refuted by known runs": result.refuted,
        "limit": result.limit,
        "seconds": result.seconds,
    }


def lines(result: Repair) -> Iterator[str]:
    """Return the repair: what to change, the file, and what is known about it."""
    effort = f"{result.tried} candidates searched, {result.refuted} refuted by known runs; {result.seconds:.1f} s"
    if result.found is None:
        yield f"{result.design} {result.mode}: no repair found: {result.limit} ({effort})"
        return
    if result.found:
        yield f"{result.design} {result.mode}: {count(result.found)} to change ({effort})"
        yield "".join(f"  {line}\n" for line in spelled(result.found))
        yield result.text
        yield "No smaller set of decisions that some known design takes makes it hold."
        for nearly, broken in result.nearly.items():
            yield f"holds in the story's scope only: {'; '.join(spelled(nearly)) or 'as it is'}: {broken}"
        for other in itertools.islice(result.others, 5):
            yield f"as small, searched in the story's scope only: {'; '.join(spelled(other))}"
    else:
        yield f"{result.design} {result.mode}: it holds as it is; there is nothing to repair"
    yield f"searched completely, nothing wrong found, in {len(result.scopes)} scopes:"
    yield "".join(f"  {scope}\n" for scope in result.scopes).rstrip()
    for name in result.unseen:
        yield f"never seen in any of them: {name}"
    if result.limit:
        yield f"left out: {result.limit}"
    if result.standing is not None:
        yield from standing_lines(result.standing)


def standing_lines(standing: Standing) -> Iterator[str]:
    """Say what is proved of a repaired design, and with which lemmas."""
    if standing.proved:
        yield "proved by induction for every length, any boundary pattern and any number of other requests"
    else:
        names = sorted({name.rpartition(": ")[2] for name in standing.unproved})
        yield f"not proved, only searched: with the lemmas that hold for it these do not follow: {', '.join(names)}"
    yield f"  {standing.scope}"
    if standing.dropped:
        yield f"lemmas of ours that it does not keep: {', '.join(standing.dropped)}"
    if standing.weaker:
        yield f"weaker ones that it does: {', '.join(standing.weaker)}"


def show(result: Repair) -> None:
    """Print the repair."""
    say_all(lines(result))
